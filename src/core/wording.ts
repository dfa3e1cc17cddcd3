/** Numbers, articles and repeated sentences of messages. */

/** "1 order", "2 orders". */
export function counted(count: number, noun: string): string {
  return `${count} ${byCount(count, noun, `${noun}s`)}`;
}

/** The word for one or for several: "was" or "were". */
export function byCount(count: number, one: string, several: string): string {
  return count === 1 ? one : several;
}

/** "a, b, c" for a few; "a, b, c and 97 others" for many. */
export function listed(names: readonly string[]): string {
  if (names.length <= mostListed) return names.join(", ");
  return `${names.slice(0, listedOfMany).join(", ")} and ${counted(names.length - listedOfMany, "other")}`;
}

const mostListed = 20;
const listedOfMany = 3;

/** "a row", "an order". */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;
}

/** For each hint that may lead to an empty ledger. */
export const newLedgerWarning = "a new ledger does not know which orders were sent";

export const anotherStateDirectory = `choose another place with COURIER_STATE_DIR; ${newLedgerWarning}`;

/** For a directory in the state directory: another state directory would be another ledger. */
export function mustBeWritable(directory: string): string {
  return `${directory} must be a directory that your user can write to, on a disk with room`;
}
