/** Takes the escapes of HTML, URLs, JSON and scripts off a text, and knows where each character stood. */

export interface Unescaped {
  readonly text: string;
  /** Where the character at an index, or the end of the text, stood before. */
  origin(index: number): number;
}

/** HTML's names of the characters that a key may have besides letters and digits; some have two. In lower case. */
export const htmlNames: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  ast: "*",
  bsol: "\\",
  colon: ":",
  comma: ",",
  commat: "@",
  dash: "-", // this one and hyphen are those of U+2010, which looks the same
  diacriticalgrave: "`",
  dollar: "$",
  equals: "=",
  excl: "!",
  grave: "`",
  gt: ">",
  hat: "^",
  hyphen: "-",
  lbrace: "{",
  lbrack: "[",
  lcub: "{",
  lowbar: "_",
  lpar: "(",
  lsqb: "[",
  lt: "<",
  midast: "*",
  num: "#",
  percnt: "%",
  period: ".",
  plus: "+",
  quest: "?",
  quot: '"',
  rbrace: "}",
  rbrack: "]",
  rcub: "}",
  rpar: ")",
  rsqb: "]",
  semi: ";",
  sol: "/",
  underbar: "_",
  verbar: "|",
  vert: "|",
  verticalline: "|",
};

/** Visible ASCII alone: nothing else is in a key, and a text of other characters has many escapes. */
const code = "0*([2-7][0-9a-f])";
const escapes = new RegExp(
  `&#x${code}(?![0-9a-f]);?|&#0*([0-9]{2,3})(?![0-9]);?|&([a-z]{2,16});|%([2-7][0-9a-f])|\\\\u00([2-7][0-9a-f])|\\\\x([2-7][0-9a-f])|\\\\(["'\\\\/])`,
  "g",
);

/** Line breaks, blanks and colons, and what shows as nothing: encoders put them between pieces. */
const separators = /(?:\\[nrt]|[\s:\p{Cf}])+/gu;

/** One level of escapes off a text in lower case; undefined where it has none. */
export function unescapeOnce(text: string): Unescaped | undefined {
  return rewrite(text, escapes, readEscape);
}

/** The text without what may stand between the pieces of an encoded text; undefined where it has none of it. */
export function joinPieces(text: string): Unescaped | undefined {
  return rewrite(text, separators, () => "");
}

function rewrite(
  text: string,
  pattern: RegExp,
  read: (match: RegExpMatchArray) => string | undefined,
): Unescaped | undefined {
  /** Behind each escape: where that is in the new text, and in the old one. */
  const ends: number[] = [];
  const oldEnds: number[] = [];
  let unescaped = "";
  let done = 0;
  for (const match of text.matchAll(pattern)) {
    const written = read(match);
    if (written === undefined) continue;
    unescaped += text.slice(done, match.index) + written;
    done = match.index + match[0].length;
    ends.push(unescaped.length);
    oldEnds.push(done);
  }
  if (ends.length === 0) return undefined;
  unescaped += text.slice(done);
  return {
    text: unescaped,
    origin(index) {
      let [low, high] = [0, ends.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ends[middle] ?? 0) <= index) low = middle + 1;
        else high = middle;
      }
      return low === 0 ? index : (oldEnds[low - 1] ?? 0) + index - (ends[low - 1] ?? 0);
    },
  };
}

function readEscape([, hexadecimal, decimal, name, percent, unit, byte, itself]: RegExpMatchArray) {
  if (name !== undefined) return Object.hasOwn(htmlNames, name) ? htmlNames[name] : undefined;
  if (itself !== undefined) return itself;
  const point =
    decimal === undefined
      ? Number.parseInt(hexadecimal ?? percent ?? unit ?? byte ?? "", 16)
      : Number(decimal);
  return point >= 0x20 && point < 0x80 ? String.fromCharCode(point).toLowerCase() : undefined;
}
