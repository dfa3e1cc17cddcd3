/** Parts of a pasted text that no field of a party holds: postcodes of the mainland, nicknames of shop platforms. */

import { isSeparator, overlaps, type Span } from "./address-spans.ts";

const code = "(?:邮政编码|邮编)";
const nickname =
  "(?:旺旺(?:名|号|id)?|(?:买家|客户|淘宝|微信)?(?:会员名|昵称)|淘宝(?:账号|id)|nick(?:name)?)";
const value = String.raw`[^\s,;|/、。:()[\]【】]{1,30}`;

const postcodes = [
  String.raw`\(${code}? *:? *\d{6}\)`,
  String.raw`[[【]${code}[\]】] *:? *\d{6}(?!\d)`,
  String.raw`(?<![\d\p{L}])${code} *:? *\d{6}(?!\d)`,
];
const nicknames = [
  String.raw`[[(【] *${nickname} *[: ] *[^\])】\n]{1,30}[\])】]`,
  String.raw`[[【]${nickname}[\]】] *:? *${value}`,
  String.raw`(?<![\d\p{L}])${nickname} *: *${value}`,
  String.raw`(?<![\d\p{L}])(?!nick)${nickname} +${value}`,
];
const labelled = new RegExp([...postcodes, ...nicknames].map((one) => `(?:${one})`).join("|"), "giu");
const bare = /(?<!\d)[0-8]\d{5}(?!\d)/g;
/** Digits behind these are no postcode: 取件码 123456. */
const otherCode = /(?:[码:#]|[单编货件证卡学工账]号|no\.?)\s*$/i;
/** A text with a place in it has run into the address. */
const place = /\p{sc=Han}(?:[省市县]|[路街村镇].*[号楼室栋])/u;

/** They overlap neither each other nor telephone numbers. Only in a Chinese text six digits alone are a postcode. */
export function findExtras(normalized: string, phones: readonly Span[], isChinese: boolean): Span[] {
  const found = [...normalized.matchAll(labelled)]
    .map(toSpan)
    .filter((span) => isFree(span, phones) && !place.test(normalized.slice(span.start, span.end)));
  if (!isChinese) return found;
  const numbers = [...normalized.matchAll(bare)]
    .map(toSpan)
    .filter((span) => isFree(span, [...phones, ...found]) && isWord(normalized, span));
  // One of several numbers may be anything.
  return numbers.length === 1 ? [...found, ...numbers] : found;
}

function toSpan(match: RegExpExecArray): Span {
  return { start: match.index, end: match.index + match[0].length };
}

function isFree(span: Span, others: readonly Span[]): boolean {
  return !others.some((other) => overlaps(span, other));
}

function isWord(normalized: string, { start, end }: Span): boolean {
  const isEdge = (index: number) => {
    const character = normalized.charAt(index);
    return character === "" || (isSeparator(character) && character !== "/") || character === "\n";
  };
  return isEdge(start - 1) && isEdge(end) && !otherCode.test(normalized.slice(0, start));
}

/** What a platform writes behind a number or a name that stands for the real one: 转1234, [1234], 【3位尾号 1234】. */
const tail =
  /^(?: ?\[\d{3,4}\]| ?[[(【] ?(?:\d ?位)?(?:虚拟号?)?(?:尾号|分机号?|转接?码|转) ?:? ?\d{3,6} ?[\])】]|(?: ?, ?| )?(?:(?:\d ?位)?尾号|分机号?|转接?码|转) ?:? ?\d{3,6}(?![\d号栋幢楼室单座层弄]))/;

/** The span with such a tail. */
export function withTail<T extends Span>(normalized: string, span: T): T {
  const found = tail.exec(normalized.slice(span.end, span.end + 24))?.[0] ?? "";
  return { ...span, end: span.end + found.length };
}
