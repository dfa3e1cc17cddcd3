/**
 * The service's numbers, states and other texts of an order in a form that every database gives back whole. SQLite cuts a text at NUL, PostgreSQL
 * refuses it, and both change half a surrogate.
 */

const changed = /\0|\p{Surrogate}/u;
const quote = '"';

/** A state is no other one for being cut: one with escapes is not known. */
export function toStoredText(state: string): string {
  return changed.test(state) ? JSON.stringify(state).slice(1, -1) : state;
}

/** A number that a database would change is stored as the text of JSON. */
export function toStoredNumber(number: string): string {
  return changed.test(number) || number.startsWith(quote) ? JSON.stringify(number) : number;
}

export function fromStoredNumber(stored: string): string {
  if (!stored.startsWith(quote)) return stored;
  try {
    return JSON.parse(stored);
  } catch {
    return stored; // as an earlier version stored it
  }
}
