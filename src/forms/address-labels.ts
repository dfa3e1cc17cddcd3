/** The words that name a field in a pasted text (收件人：, 电话 , Address:). */

import { isMark, isSeparator, overlaps, type Span } from "./address-spans.ts";

export interface Label extends Span {
  readonly kind: "name" | "phone" | "address" | "heading";
}

const person = "(?:收件|收货|寄件|发件|发货|联系|客户|买家)[人方]";
const names = `${person}(?:姓名|名字|名称)?|姓名|名字`;
const numbers = `(?:${person}|联系)?(?:手机号码|手机号|手机|电话号码|电话|固定电话|座机|固话|联系方式)`;
const addresses = `(?:${person}|收件|收货|寄件|发件|发货|详细|家庭|公司|单位|快递|邮寄|通讯|联系|具体|街道)?地址|所在(?:地区|地|省市|区域)|省市区|地区`;
const headings = `(?:收件|收货|寄件|发件|发货)人?(?:信息)|省份|城市|区县|省|市|区|街道|(?:收|寄|邮寄|发往|寄往)(?= ?:)`;

const words: Readonly<Record<Label["kind"], string>> = {
  name: `${names}|name|recipient|receiver|consignee|sender|attn|contact`,
  phone: `${numbers}|telephone|tel|mobile|cell|phone(?: number)?|mob`,
  address: `${addresses}|address|addr`,
  heading: headings,
};

const behindTitle = /(?:先生|女士|小姐|老师|经理|师傅)$/;
const kinds = ["address", "phone", "name", "heading"] as const;

/** The labels in a text, in order. Without a colon, a word is one only where a value of its kind follows. */
export function findLabels(normalized: string, phones: readonly Span[]): Label[] {
  const any = kinds.map((kind) => `(?<${kind}>${words[kind]})`).join("|");
  // The longest label wins: 收件人电话 is not 收件人.
  const pattern = new RegExp(
    // 收 behind a name (张三（收）, 王先生收) marks the receiver; in a name (张丰收) it stays.
    String.raw`(?<sign>收)(?=\)?(?:[\s,;|/、。)\d]|$))|(?<open>[【[(] ?)?(?:${any})\.?(?<close> ?[】\])])?(?<colon> *:)?`,
    "gi",
  );
  const labels: Label[] = [];
  for (const match of normalized.matchAll(pattern)) {
    const { groups = {} } = match;
    // A bracket that holds more than the label is the text's own.
    const isBracketed = groups.open !== undefined && groups.close !== undefined;
    const start = match.index + (isBracketed ? 0 : (groups.open?.length ?? 0));
    const span = { start, end: match.index + match[0].length };
    if (phones.some((phone) => overlaps(phone, span))) continue;
    if (groups.close !== undefined && !isBracketed) continue;
    const kind = kinds.find((one) => groups[one] !== undefined) ?? "heading";
    const isOpening = isOpen(normalized, start) || phones.some(({ end }) => end === start);
    const isSign = groups.sign !== undefined && (isOpening || behindTitle.test(normalized.slice(0, start)));
    const isCertain = isSign || (isBracketed && isOpening);
    if (isCertain || isLabel(normalized, span, kind, groups.colon !== undefined, isOpening, phones)) {
      labels.push({ kind, ...span });
    }
  }
  return labels;
}

function isLabel(
  normalized: string,
  { start, end }: Span,
  kind: Label["kind"],
  hasColon: boolean,
  isOpening: boolean,
  phones: readonly Span[],
): boolean {
  const isLatin = /[a-z]/i.test(normalized.charAt(start));
  if (hasColon) return isOpening || !(isLatin || kind === "heading");
  const after = normalized.slice(end, end + 14);
  if (kind === "phone") {
    const value = end + (/^ */.exec(after)?.[0].length ?? 0);
    return (isOpening || !isLatin) && phones.some((phone) => phone.start === value);
  }
  if (!isOpening || isLatin || kind === "heading") return false;
  if (/^\s/.test(after)) return true;
  if (kind === "name") return /^[\p{sc=Han}·]{2,4}(?:[\s,;|/、\d]|$)/u.test(after);
  return /^\p{sc=Han}{2,8}?[省市区县州盟]/u.test(after);
}

/** Whether a word can begin here: at the start, or behind a separator or a mark. */
function isOpen(normalized: string, index: number): boolean {
  return index === 0 || isSeparator(normalized.charAt(index - 1)) || isMark(normalized, index - 1);
}
