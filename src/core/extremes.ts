/** Of any number of values: a call of `Math.max` takes some 120,000 at most. */
export function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
