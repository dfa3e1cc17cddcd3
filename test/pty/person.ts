/** What a person at a terminal does with the order form: fills it in, goes through its parts. */

import { keys, type Terminal } from "../support/terminal.ts";

export const partyFields = ["name", "phone", "province", "city", "district", "street address"] as const;
export const itemQuestions = [
  "Item name",
  "Item description",
  "Item weight",
  "Declared value",
  "Number of pieces",
] as const;

export const zhang = ["张三", "13800138000", "广东省", "深圳市", "南山区", "科技园路1号 A座 502"] as const;
export const li = ["李四", "13900139000", "北京市", "北京市", "朝阳区", "建国路88号"] as const;
export const phone = ["手机", "全新，未拆封", "2.50", "2999.00", "1"] as const;

/** The body that these answers make. */
export const body =
  '{"sender":{"name":"张三","phone":"13800138000","province":"广东省","city":"深圳市","district":"南山区",' +
  '"detail":"科技园路1号 A座 502"},"receiver":{"name":"李四","phone":"13900139000","province":"北京市",' +
  '"city":"北京市","district":"朝阳区","detail":"建国路88号"},"item":{"name":"手机","description":"全新，未拆封",' +
  '"weight":2.50,"value":2999.00,"quantity":1},"service_type":"express"}';

/** Answers the six questions of a party; those without an answer with Enter. */
export async function fillParty(
  terminal: Terminal,
  title: string,
  answers: readonly string[],
): Promise<void> {
  for (const [index, name] of partyFields.entries())
    await terminal.answer(`${title} ${name}`, answers[index]);
}

export async function fillItem(terminal: Terminal, answers: readonly string[]): Promise<void> {
  for (const [index, question] of itemQuestions.entries()) await terminal.answer(question, answers[index]);
}

/** Fills in the whole form, up to the review. */
export async function fillForm(
  terminal: Terminal,
  sender: readonly string[] = zhang,
  receiver: readonly string[] = li,
): Promise<void> {
  await terminal.choose("Sender", "new address");
  await fillParty(terminal, "Sender", sender);
  await terminal.choose("Receiver", "new address");
  await fillParty(terminal, "Receiver", receiver);
  await fillItem(terminal, phone);
  await terminal.choose("Service level", "express");
  await terminal.until("? What now?");
}

/** Another answer in place of the one that stands in the line. */
export function instead(text: string): string {
  return `${keys.clear}${text}`;
}

/** Says no to every offer to save an address, up to the end. */
export async function declineSaving(terminal: Terminal, ...names: readonly string[]): Promise<void> {
  for (const name of names) await terminal.answer(`Save ${name}`);
}
