/** An order's id as the service writes it: people may type zeros in front. */
export function withoutZeros(id: string): string {
  return id.replace(/^0+(?=\d)/, "");
}
