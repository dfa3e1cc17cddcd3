/** Texts of the service, and of messages, as a cell of any sheet can hold them. */

/** One line, without control characters and halves of characters. */
export function plainText(text: string): string {
  return text
    .replace(/\p{Cs}/gu, "\ufffd")
    .replace(/[\p{Cc}\u2028\u2029\ufffe\uffff]+/gu, " ")
    .trim();
}
