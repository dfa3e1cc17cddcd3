/** Texts of which a service shows a part, with marks in the place of the rest: `张**`, `139****9000`. */

/** With which services end what they cut. */
export const ellipsis = /[…‥]|[.．。]{3,}/;
/** With which services mask others. */
export const maskPattern = new RegExp(`[*＊•●×]|${ellipsis.source}`);

/** What stands before the first hidden character, and after the last one. */
export function endsOf(shown: string): [first: string, last: string] {
  const pieces = shown.split(maskPattern);
  return [pieces[0] ?? "", pieces.at(-1) ?? ""];
}

/** Behind hidden digits, fewer tell nothing. */
export const fewestDigits = 3;

/** True where a text is the other one with a part hidden: the whole one tells more. */
export function isMaskOf(shown: string, whole: string): boolean {
  return !maskPattern.test(whole) && fitsMask(shown, whole);
}

/** The same for a text that was sent, which hides nothing: its own marks are characters like others. */
export function fitsMask(shown: string, whole: string): boolean {
  if (!maskPattern.test(shown)) return false;
  const fits = (read: (text: string) => string, fewest: number) => {
    const [first, last] = endsOf(shown).map(read) as [string, string];
    const text = read(whole);
    return (first + last).length >= fewest && text.startsWith(first) && text.endsWith(last);
  };
  const digits = (text: string) =>
    text
      .normalize("NFKC")
      .replace(/\D/g, "")
      .replace(/^(?:00)?86(?=1)/, "");
  return (
    fits((text) => text.normalize("NFKC").replace(/\s+/g, "").toLowerCase(), 1) || fits(digits, fewestDigits)
  );
}
