/** How telephone numbers are written, on the mainland and elsewhere. */

import type { Label } from "./address-labels.ts";
import type { Span } from "./address-spans.ts";

export interface Phone extends Span {
  readonly isMobile: boolean;
}

const extension = String.raw`(?: ?(?:转|分机|ext\.?|x|#) ?\d{1,6}(?!\d))`;
const mobile = String.raw`(?:\(?(?:(?:\+|00) ?)?86\)?[ -]?)?1[3-9]\d(?:[ -]?\d{4}[ -]?\d{4}|\d[ -]?\d{3}[ -]?\d{4})`;

/** A room with three or four digits behind it would be one, too: 1801 138 0013 8000. */
const room = String.raw`(?!1\d{3}[ -](?:1[3-9]\d[ -]?\d{4}|0\d{2,3}[ -]?\d{4})[ -]?\d{4}(?!\d))`;

/** In the order in which they are tried. Each matches normalized text; counts of digits are checked below. */
const forms: readonly {
  readonly pattern: string;
  readonly isMobile?: boolean;
  readonly digits?: readonly number[];
}[] = [
  // A number behind which a platform hides the real one carries its extension as -1234.
  { pattern: String.raw`${mobile}(?:${extension}|-\d{3,4}(?![\d号栋幢楼室单座层弄]))?`, isMobile: true },
  { pattern: String.raw`\(?(?:(?:\+|00) ?)?(?:852|853)\)?[ -]?\d{4}[ -]?\d{4}`, isMobile: true },
  { pattern: String.raw`\(?(?:\+|00) ?886\)?[ -]?(?:\(0\))?\d{1,3}(?:[ -]?\d{3,4}){1,2}`, digits: [10, 13] },
  {
    pattern: String.raw`\(?(?:\+|00) ?86\)?[ -]?\(?0?[1-9]\d{1,2}\)?[ -]?\d{3,4}[ -]?\d{4}${extension}?`,
    digits: [11, 22],
  },
  { pattern: String.raw`(?:\+ ?1[ .-]?)?\(\d{3}\)[ .-]?\d{3}[ .-]\d{4}${extension}?` },
  { pattern: String.raw`(?:\+? ?1[ .-])?\d{3}(?<mark>[.-])\d{3}\k<mark>\d{4}${extension}?` },
  { pattern: String.raw`\+ ?1[ .-]?\d{3}[ .-]?\d{3}[ .-]?\d{4}${extension}?` },
  { pattern: String.raw`\+ ?[2-9](?:[ .()-]{0,2}\d){6,13}\d${extension}?` },
  { pattern: String.raw`[48]00(?:[ -]?\d{3}[ -]?\d{4}|-?\d{4}-?\d{3})${extension}?` },
  {
    pattern: String.raw`(?:\(0[1-9]\d{0,2}\)|0[1-9]\d{0,2}[ -])[ -]?\d{3,4}[ -]?\d{3,4}(?:[ -]\d{3})?(?:${extension}|-\d{1,5})?`,
    digits: [9, 22],
  },
  { pattern: String.raw`0[1-9]\d{8,10}(?:${extension}|-\d{1,5})?` },
];

/** Other numbers of one country (07700 900123), which a Chinese text more likely has for other reasons. */
const westernForms: typeof forms = [
  { pattern: String.raw`0[1-9]\d{2,4}[ /-]\d{3,8}(?:[ -]\d{3,4})?`, digits: [9, 13] },
];

/**
 * Every telephone number that is certain by its form alone; they do not overlap. In text order. `isFormer`: as earlier
 * versions of courier read it.
 */
export function findPhones(normalized: string, isWestern = false, isFormer = false): Phone[] {
  const known = isWestern ? [...forms, ...westernForms] : forms;
  const alternatives = known.map(({ pattern }, index) => `(?<form${index}>${pattern})`);
  // Neither part of a longer number nor of a reference such as SF13800138000.
  const before = String.raw`(?<![\d+_]|\d[.-]|(?<![Tt][Ee])[A-Z])`;
  const pattern = new RegExp(
    String.raw`${before}${isFormer ? "" : room}(?:${alternatives.join("|")})(?![\d_]|\.\d)`,
    "g",
  );
  const phones: Phone[] = [];
  for (const match of normalized.matchAll(pattern)) {
    const form = known.find((_, index) => match.groups?.[`form${index}`] !== undefined);
    const count = match[0].replace(/\D/g, "").length;
    const [least, most] = form?.digits ?? [0, 30];
    if (least !== undefined && most !== undefined && (count < least || count > most)) continue;
    const whole = isWestern ? withoutHouseNumber(normalized, match) : match[0];
    phones.push({
      start: match.index,
      end: match.index + whole.length,
      isMobile: form?.isMobile ?? false,
    });
  }
  return phones;
}

/** A number with its country may run into the next one: +44 20 7946 0958 12 High Street. */
function withoutHouseNumber(normalized: string, { 0: written, index }: RegExpExecArray): string {
  if (!/^ \p{L}/u.test(normalized.slice(index + written.length))) return written;
  const shorter = written.replace(/ \d{1,4}$/, "");
  return written.startsWith("+") && shorter.replace(/\D/g, "").length > 10 ? shorter : written;
}

/** The number to take when there are several: one behind its label before others, a mobile before a landline. */
export function choosePhone(
  normalized: string,
  phones: readonly Phone[],
  labels: readonly Label[],
): Phone | undefined {
  const rank = (phone: Phone) => {
    const isLabelled = labels.some(
      ({ kind, end }) =>
        kind === "phone" && end <= phone.start && normalized.slice(end, phone.start).trim() === "",
    );
    return (isLabelled ? 2 : 0) + (phone.isMobile ? 1 : 0);
  };
  return [...phones].sort((a, b) => rank(b) - rank(a))[0];
}

/** A number that only its label or its surroundings make one: short, without area code, or partly hidden. */
export function findLikelyPhone(
  normalized: string,
  labels: readonly Label[],
): (Phone & { readonly isLabelled: boolean }) | undefined {
  for (const { kind, end } of labels) {
    const found =
      kind === "phone"
        ? /^\s*(\+?[(\d][\d*() -]{3,20}[\d*])(?![\d*])/d.exec(normalized.slice(end, end + 40))
        : null;
    const [from, to] = found?.indices?.[1] ?? [];
    if (!found || from === undefined || to === undefined) continue;
    return { start: end + from, end: end + to, isMobile: false, isLabelled: !found[0].includes("*") };
  }
  const isIsland = /香港|澳门|九龙|新界|hong ?kong|kowloon|maca[uo]/i.test(normalized);
  const hidden = /(?<![\d*])1\d{2}\*{4,6}\d{2,4}(?![\d*])/.exec(normalized);
  const local = isIsland ? /(?<![\d*-])[2-9]\d{3}[ -]?\d{4}(?![\d*-])/.exec(normalized) : null;
  const found = hidden ?? local;
  if (!found) return undefined;
  return { start: found.index, end: found.index + found[0].length, isMobile: false, isLabelled: false };
}
