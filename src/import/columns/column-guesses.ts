/** Guesses what a column of an unknown header holds, from words in its name and from its cells. A person confirms. */

import type { PartyPart } from "../../model/fields.ts";
import type { PartySplitter } from "../split-party.ts";
import { isInOtherUnit } from "./title-words.ts";

const ofSender = /寄|发件|发货人|卖家|商家|店铺|sender|shipper|seller|from/;
const noField =
  /备注|留言|说明|note|remark|comment|memo|日期|时间|date|time|状态|status|金额|总价|单价|运费|优惠|price|amount|total|fee|tax|税|支付|付款|payment|运单|快递|物流|tracking|waybill|邮编|zip|postcode|email|邮箱|[人方者户客家]姓$/;
const mobile = /^(?:\+?86[- ]?)?1[3-9]\d{9}$/;

const words: readonly (readonly [path: string, header: RegExp, cell?: RegExp])[] = [
  ["item.quantity", /数量|件数|个数|^件$|qty|quantity|pcs|pieces/, /^\d+$/],
  ["item.weight", /重量|weight|公斤|千克/, /^\d+(?:\.\d+)?$/],
  ["province", /省|province/],
  ["city", /城市|市$|city|town/],
  ["district", /区$|县$|district|county/],
  ["ref", /订单|单号|流水号|^编号$|order|^ref|^no$/],
  ["item.name", /(?<![收发])货|商品|品名|产品|物品|宝贝|内件|item|product|goods/],
  ["first_name", /first.?name|given.?name/],
  ["last_name", /last.?name|family.?name|surname/],
  ["name", /姓名|名字|客户|顾客|买家|买方|收件|收货|联系人|name|customer|client|buyer|contact/],
];

const ofPlace = /省|所在|地区|区域|province|region/;

/** Each of the cells names a city beside its province. */
export function isRegion(examples: readonly string[], splitter: PartySplitter): boolean {
  return examples.every((text) => {
    const split = splitter.split("receiver.region", text, new Map());
    return split !== undefined && "party" in split;
  });
}

/** The field, or undefined where nothing points to one. `before` is the party of the column to the left. */
export function guessField(
  header: string,
  examples: readonly string[],
  splitter: PartySplitter,
  before: PartyPart = "receiver",
): string | undefined {
  const word = header.normalize("NFKC").toLowerCase().trim();
  const part = ofSender.test(word) ? "sender" : before;
  if (noField.test(word) || examples.length === 0) return undefined;
  const splits = (path: string) =>
    examples.every((text) => {
      const split = splitter.split(path, text, new Map());
      return split !== undefined && "party" in split;
    });
  if (splits("receiver.text")) return `${part}.text`;
  if (
    /电话|手机|固话|座机|联系方式|phone|mobile|^tel/.test(word) ||
    examples.every((text) => mobile.test(text))
  )
    return `${part}.phone`;
  if (splits("receiver.address")) return `${part}.address`;
  if (/地址|住址|街道|address|street/.test(word)) return `${part}.detail`;
  const found = words.find(
    ([, name, cell]) => name.test(word) && (cell === undefined || examples.every((text) => cell.test(text))),
  );
  if (ofPlace.test(word) && isRegion(examples, splitter)) return `${part}.region`;
  if (!found || isInOtherUnit(found[0], word)) return undefined;
  const [path] = found;
  return path === "ref" || path.includes(".") ? path : `${part}.${path}`;
}
