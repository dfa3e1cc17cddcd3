/** The largest of values, in any number: a call of `Math.max` takes some 120,000 at most. 0 of none. */
export function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
