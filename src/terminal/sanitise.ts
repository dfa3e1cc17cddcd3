/**
 * The sanitiser: all text from outside passes it on its way to a terminal. Characters that could move the cursor,
 * switch a mode, reorder or hide text are shown as the escapes of JSON, so that nothing is lost and nothing acts.
 */

/**
 * ASCII's letters, digits, signs and blank, Chinese characters and their signs. What is asked of all other texts takes V8
 * a millisecond to make, so it stands in the functions that ask.
 */
const plain = /^[ -~\u3001\u3002\u4E00-\u9FFF\uFF01-\uFF5E]*$/;
const plainJson = /^[\n\r\t -~\u3001\u3002\u4E00-\u9FFF\uFF01-\uFF5E]*$/;

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Text that is safe to print on a terminal, on one line. */
export function sanitise(text: string): string {
  if (plain.test(text)) return text;
  return (
    escapeUnsafe(text, escapeCharacter)
      // Combining marks stacked beyond what any script needs paint over the lines above and below.
      .replace(/(\p{M}{8})\p{M}+/gu, "$1…")
      // Marks at the beginning would change the character before the text.
      .replace(/^\p{M}+/u, (marks) => [...marks].map(unicodeEscape).join(""))
  );
}

/**
 * JSON text with the same characters written as escapes inside its strings: equal to every JSON
 * parser, inert to a terminal. Line breaks and blanks between tokens stay.
 */
export function sanitiseJson(json: string): string {
  if (plainJson.test(json)) return json;
  return escapeUnsafe(json, (character) =>
    /[\n\r\t]/.test(character) ? character : unicodeEscape(character),
  );
}

/**
 * Controls (C0, DEL, C1), format characters (bidi overrides, zero-width, tags), surrogates, line and
 * paragraph separators, noncharacters, and every other character that shows as nothing. The two
 * variation selectors that choose between text and emoji form are harmless and stay.
 */
function escapeUnsafe(text: string, toEscape: (character: string) => string): string {
  return text.replace(
    /(?![\uFE0E\uFE0F])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu,
    toEscape,
  );
}

/** Controls except tabs and line breaks, and changes of direction: they act on a terminal. */
const actsInCsv = /\r(?!\n)|(?![\t\r\n])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/**
 * CSV for a pipe or a file, which often reaches a terminal (`| head`, `cat`). Control characters are shown as the
 * escapes of JSON; everything else stays unchanged, because CSV has no escapes of its own.
 */
export function sanitiseCsv(csv: string): string {
  return csv.replace(actsInCsv, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return named[character] ?? unicodeEscape(character);
}

function unicodeEscape(character: string): string {
  let escaped = "";
  for (let index = 0; index < character.length; index++) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return escaped;
}
