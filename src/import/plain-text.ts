/** Texts of the service, and of messages, as a cell of any sheet can hold them. */

import { sanitise } from "../terminal/sanitise.ts";

const unsafe = /[\p{Cc}\p{Cs}\u2028\u2029\ufffe\uffff]/gu;

/** A number or a state of the service as a terminal shows it: escapes take the place of what a cell cannot hold. */
export function answerCell(text: string): string {
  return text.trim().replace(unsafe, sanitise);
}

/** The text of which `answerCell` made the cell. */
export function answerOfCell(cell: string): string {
  return cell.replace(/\\(?:u[0-9a-f]{4}|[nrt])/g, (code) => {
    const character: string = JSON.parse(`"${code}"`);
    return character.search(unsafe) === 0 ? character : code;
  });
}

/** One line, without control characters and halves of characters. */
export function plainText(text: string): string {
  return text
    .replace(/\p{Cs}/gu, "\ufffd")
    .replace(/[\p{Cc}\u2028\u2029\ufffe\uffff]+/gu, " ")
    .trim();
}
