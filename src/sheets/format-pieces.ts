/** The texts and places that a number format is made of, where it has nothing else to follow (ECMA-376, 18.8.31). */

/** A text that is written as it is, or a place: for a digit or a zero, for a digit, for all digits, for a text. */
type Piece = { readonly text: string } | "0" | "#" | "General" | "@";
export type Pieces = readonly Piece[];

const token = /"([^"]*)"|\\(.)|[_*].|\[([^\]]*)\]|General|G\/通用格式|./gsu;
const places: ReadonlyMap<string, Piece> = new Map([
  ["0", "0"],
  ["#", "#"],
  ["@", "@"],
  ["General", "General"],
  ["G/通用格式", "General"],
]);
/** Names of colours, and of languages without a currency. DBNum1 would write Chinese digits. */
const withoutText = /^(?:(?!DBNum)\p{L}+ ?\d*|\$-[\dA-F]+)$/iu;

/** Undefined where the section has anything else, such as decimals, groups of digits or a condition. */
export function readPieces(section: string): Pieces | undefined {
  const pieces: Piece[] = [];
  for (const [whole, quoted, escaped, bracket] of section.matchAll(token)) {
    const text = quoted ?? escaped;
    const place = places.get(whole);
    if (text !== undefined) pieces.push({ text });
    else if (place) pieces.push(place);
    else if (bracket === undefined && /[A-Za-z1-9?.,%/]/.test(whole)) return undefined;
    else if (bracket !== undefined && !withoutText.test(bracket)) return undefined;
    else if (bracket === undefined && whole.length === 1) pieces.push({ text: whole });
  }
  return pieces;
}

/** True where its texts have words, and not only signs beside the digits. */
export function hasWords(pieces: Pieces): boolean {
  return pieces.some((piece) => typeof piece === "object" && /\p{L}/u.test(piece.text));
}

/** Only zeros are kept of its texts: other digits are a country's code or the like, and no part of the number. */
export function zerosOnly(pieces: Pieces): Pieces {
  return pieces.map((piece) => {
    if (typeof piece !== "object") return piece;
    const digits = piece.text.replace(/\D/g, "");
    return { text: /^0*$/.test(digits) ? digits : "" };
  });
}

/** From the right; the first place takes all digits that are left. */
export function fillDigits(pieces: Pieces, digits: string): string {
  const first = pieces.findIndex((piece) => piece === "0" || piece === "#");
  let [text, rest] = ["", digits];
  for (const [index, piece] of [...pieces.entries()].reverse()) {
    if (typeof piece === "object") text = piece.text + text;
    else if (piece === "General") text = digits + text;
    else {
      const taken = index === first ? rest : rest.slice(-1);
      text = (taken || (piece === "0" ? "0" : "")) + text;
      rest = rest.slice(0, rest.length - taken.length);
    }
  }
  return text;
}

export function fillText(pieces: Pieces, text: string): string {
  return pieces.map((piece) => (typeof piece === "object" ? piece.text : piece === "@" ? text : "")).join("");
}
