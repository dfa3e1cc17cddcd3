/** Numbers, articles and repeated sentences of messages. */

/** "1 order", "2 orders". */
export function counted(count: number, noun: string): string {
  return `${count} ${byCount(count, noun, `${noun}s`)}`;
}

/** The word for one or for several: "was" or "were". */
export function byCount(count: number, one: string, several: string): string {
  return count === 1 ? one : several;
}

/** "a row", "an order". */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;
}

/** For each hint that may lead to an empty ledger. */
export const newLedgerWarning = "a new ledger does not know which orders were sent";

export const anotherStateDirectory = `choose another place with COURIER_STATE_DIR; ${newLedgerWarning}`;
