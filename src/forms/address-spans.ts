/** Cuts a pasted text into pieces without gap or overlap, so that nothing is lost. */

export interface Span {
  readonly start: number;
  readonly end: number;
}

export type PartKind = "name" | "phone" | "province" | "city" | "district";

/** `rest` becomes the detail; no part holds a `separator`, a `label`, or an `extra`, which is shown as left out. */
export interface Piece extends Span {
  readonly kind: PartKind | "rest" | "separator" | "label" | "extra";
}

/** Over normalized text: blanks, commas and the like. Inside the detail they stay as they were typed. */
const separator = /[\s,;|/、。]/;
/** Dashes and brackets separate words too, except inside `1-2-301` and `Jean-Luc`. */
const mark = /[-–—_:>()[\]{}【】《》<"“”~]/;

export function isSeparator(character: string): boolean {
  return separator.test(character);
}

export function isMark(normalized: string, index: number): boolean {
  if (!mark.test(normalized.charAt(index))) return false;
  return !/[a-z\d]/i.test(normalized.charAt(index - 1)) || !/[a-z\d]/i.test(normalized.charAt(index + 1));
}

/** The words outside `taken`: no separator and no mark in them or at their ends. */
export function findWords(normalized: string, taken: readonly Span[]): Span[] {
  const words: Span[] = [];
  for (const gap of findGaps(normalized.length, taken)) {
    let start = gap.start;
    for (let index = gap.start; index <= gap.end; index += 1) {
      if (index < gap.end && !isSeparator(normalized.charAt(index)) && !isMark(normalized, index)) continue;
      if (index > start) words.push({ start, end: index });
      start = index + 1;
    }
  }
  return words;
}

/** The gaps between the spans, in order. */
export function findGaps(length: number, taken: readonly Span[]): Span[] {
  const gaps: Span[] = [];
  let start = 0;
  for (const span of inOrder(taken)) {
    if (span.start > start) gaps.push({ start, end: span.start });
    start = Math.max(start, span.end);
  }
  if (start < length) gaps.push({ start, end: length });
  return gaps;
}

export function inOrder<T extends Span>(spans: readonly T[]): T[] {
  return [...spans].sort((a, b) => a.start - b.start);
}

export function overlaps(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end;
}

/** Tiles the whole text: the pieces given, and between them what is rest and what only separates. */
export function tile(normalized: string, placed: readonly Piece[]): Piece[] {
  const pieces = inOrder(placed);
  const isPart = (piece: Piece | undefined) => piece !== undefined && piece.kind !== "label";
  const between = findGaps(normalized.length, pieces).flatMap((gap): Piece[] => {
    const isBehindPart = isPart(pieces.find(({ end }) => end === gap.start));
    const isBeforePart = isPart(pieces.find(({ start }) => start === gap.end));
    const rest = trimGap(normalized, gap, isBehindPart, isBeforePart);
    return [
      { kind: "separator", start: gap.start, end: rest.start },
      { kind: "rest", ...rest },
      { kind: "separator", start: rest.end, end: gap.end },
    ];
  });
  return inOrder([...pieces, ...between]).filter(({ start, end }) => end > start);
}

/** The gap without the separators at its ends; dashes, and lone brackets, only go where a part is next to them. */
function trimGap(normalized: string, gap: Span, isBehindPart: boolean, isBeforePart: boolean): Span {
  let { start, end } = gap;
  const trim = () => {
    while (start < end && isSeparator(normalized.charAt(start))) start += 1;
    while (end > start && isSeparator(normalized.charAt(end - 1))) end -= 1;
  };
  trim();
  const isOnlyMarks = [...normalized.slice(start, end)].every((one) => isSeparator(one) || mark.test(one));
  if (isOnlyMarks && (isBehindPart || isBeforePart)) return { start: end, end };
  // A dash before a floor is a minus: -1楼.
  const [lead = "", tail = ""] = [
    isBehindPart ? /^[-–—_:>~]+(?!\d{1,2}[楼层f])/i.exec(normalized.slice(start, end))?.[0] : "",
    isBeforePart ? /[-–—_:>~]+$/.exec(normalized.slice(start, end))?.[0] : "",
  ];
  start += lead.length;
  end -= tail.length;
  trim();
  return { start, end };
}
