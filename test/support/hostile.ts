/** Text that a hostile service could send, and the check that none of it acts on a terminal. */

import { expect } from "vitest";

/** Each is a way to move a cursor, switch a mode, forge a line, or reorder or hide text. */
export const hostileTexts: Readonly<Record<string, string>> = {
  sgr: "\u001b[31mred\u001b[0m",
  cursor: "\u001b[2J\u001b[1;1Hgone",
  osc: "\u001b]0;title\u0007x",
  hyperlink: "\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\",
  c1Csi: "\u009b31mred",
  c1Osc: "\u009d0;title\u009c",
  c1Dcs: "\u0090q payload\u009c",
  bidiOverride: "abc\u202edef\u202c",
  bidiIsolate: "\u2066abc\u2069\u200f",
  zeroWidth: "pay\u200bpal\u2060\ufeff",
  lines: "first\nerror: forged\r\noverwritten\rX",
  separators: "a\u2028b\u2029c\u0085d",
  backspace: "abc\u0008\u0008\u0008xyz\u007f",
  loneSurrogates: "a\ud800b\udc00c",
  tab: "a\tb",
};

/** All of them in one value. */
export const hostileText = Object.values(hostileTexts).join("|");

/** What a live screen itself does to a terminal: it moves, erases, hides the cursor, and asks for marks of pastes. */
export const ownMoves = /\u001b\[(?:\?(?:25|7|2004)[lh]|\d*[ABCGHJK])|\r/g;
export const ownColours = /\u001b\[(?:0|1|2|22|31|32|33|36|39)m/g;
const acting =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/u;

const actingInCsv = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

/** Fails when CSV in a pipe holds anything that acts on a terminal, but for tabs and line breaks in cells. */
export function expectInertCsv(csv: string): void {
  expectNone(actingInCsv, csv.replaceAll("\r\n", "\n"));
}

/** Fails when anything but our own colours and line breaks could act on a terminal. */
export function expectInert(output: string): void {
  expectNone(acting, output.replace(ownColours, ""));
}

function expectNone(pattern: RegExp, text: string): void {
  const found = pattern.exec(text);
  const around = found ? JSON.stringify(text.slice(Math.max(0, found.index - 40), found.index + 40)) : "";
  expect(found, `an acting character near ${around}`).toBeNull();
}
