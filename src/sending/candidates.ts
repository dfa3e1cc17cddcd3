/** Lists the first possible matches of an order in doubt. */

const mostShown = 5;

/** `1000001, 1000002 and 3 more` */
export function nameCandidates(ids: readonly string[]): string {
  const shown = ids.slice(0, mostShown).join(", ");
  return ids.length > mostShown ? `${shown} and ${ids.length - mostShown} more` : shown;
}
