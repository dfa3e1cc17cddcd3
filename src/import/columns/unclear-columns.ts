/**
 * Columns that no field is read from, and whose titles speak of a party's phone, name or place: without them, a parcel
 * may leave incomplete.
 */

import type { PartyPart } from "../../model/fields.ts";
import { findPartyBefore, isNoColumn } from "./columns.ts";
import { cleanHeader, createTitleReader, shortField, simplifyTitle } from "./title-words.ts";

type Paths = readonly (string | undefined)[];
type Cells = readonly string[];

export interface UnclearColumn {
  readonly header: string;
  /** The field that the title may mean. */
  readonly field: string;
  /** It belongs to what another column has of the address; other titles may be those of a second address. */
  readonly isPartOfStreet: boolean;
  /** Whether an order with these cells lacks what the column holds. */
  isLacking(cells: Cells): boolean;
}

const ofSender = /(?<!邮)寄(?!送)|发[件货]|sender|shipper|^from\b/;
const ofReceiver =
  /[收受][件货方人电手联固姓地省]|客户|顾客|买[家方]|送货|[配派]送|邮寄|寄送|快递地址|receiver|recipient|consignee|addressee|customer|client|buyer|destination|ship|deliver|drop|^to\b/;
/** Facts about a party that no field has, and columns of something else. */
const ofOther =
  /备注|mail|邮(?!寄)|zip|post|编|代码|code|\bid\b|证|后四|尾号|分机|区号|国|country|公司|单位|company|类|type|商|物|品|店|shop|store|仓|warehouse|bill|账|order|备用(?!电话|手机|号码|联系)|alternat\w*(?! ?phone)|原|\bold|退|return|zone|员|群|昵称|nick|user/;

const partOfStreet =
  /地址 ?2|补充地址|地址补充|街道|乡镇|^乡$|镇$|村庄?$|小区|社区|门牌|路名|[房楼]号|房间号|楼[栋层]|^栋$|^室$|单元|street number|address line ?3|address.{0,6}2|suite|\bapt|apartment|\bunit|house|building|floor|\bflat|room|suburb|town|village|barangay/;

/** The fields of words in titles, the more certain first. No other column has what a `part` of a field holds. */
const words: readonly (readonly [field: string, word: RegExp, kind?: "part"])[] = [
  ["first_name", /(?:first|given) ?name| first$/],
  ["last_name", /姓氏|[人方者户客家]姓$|(?:last|family) ?name|surname| last$/, "part"],
  ["name", /姓名|名字|名称|联系人|[人方者户客家]名$|^[收受][件货]者$|^受件人$|name|attn|addressee/],
  ["phone", /电话|手机|固话|座机|门号|联系方式|号码|phone|mobile|\btel|cell|contact/],
  ["province", /省|地区|所在地|区域|行政区|state|province|region/],
  ["city", /市|city/],
  ["district", /(?<![小社])区$|县$|district|county/],
  ["detail", /地址|住址|addr|street/, "part"],
  ["detail", partOfStreet, "part"],
];
/** One of them is enough. */
const kinds: readonly (readonly string[])[] = [
  ["province", "city", "district", "region", "address"],
  ["name", "first_name", "last_name"],
];

/** Titles that name no party are of the receiver: these hold a further part of a place, */
const bare =
  /^(?:省\/?市.*|所在.+|地区|city.{0,3}state.*|.*地址 ?2|门牌.*|楼号.*|房号|.*address.{0,6}2|suite|apt\.?)$/;
/** Of goods, a unit is a word. */
const mayBeOfGoods = /^unit$/i;

/** and these what a row may lack. */
const lone =
  /^(?:(?:联系|行动|移动)?(?:电话|手机|固话|座机|门号|号码)(?:[/、或和]?(?:电话|手机|固话|座机))?(?:号码|号)?|联系人|(?:联系|完整|详细|具体)?(?:地址|住址)|(?:contact|cell|phone|mobile|telephone)(?: ?phone)?(?: ?(?:name|number|no\.?|#))?|(?:full|first|last|given|family) ?name|surname|(?:street|full|home)? ?address(?: ?line)? ?1?)$/;

/** Titles that the third version at first left out (former-reading.ts). */
const lately =
  /^(?:姓氏?|(?:[收受][件货]?[人方者]|客户|顾客|买家)[姓名]|(?:customer|recipient|receiver|buyer|consignee) (?:first|last)|县|省[-\s]市[-\s]区|省区市|行政区|区域|省份城市|region|state ?\/ ?city|补充(?:地址|门牌)|详细门牌|地址补充|街道(?:\/?乡?镇)?|乡?镇(?:\/?街道)?|乡|村庄?|小区名?|社区|路名|楼栋|栋|楼层(?:门牌)?|单元|房间号|室|street number|address line ?3|apartment|unit|house ?(?:no\.?|number|name)|building|floor|flat|room|suburb|town|village|barangay|(?:固定|备用|第二|其[他它]|紧急(?:联系)?)(?:电话|手机|号码|联系方式) ?\d?|联系方式 ?\d|alt\.? phone|(?:联系)?(?:电话|手机|号码) ?\d|(?:home|work|other|alternat\w*) ?(?:phone|number)|phone ?\d)$/;

const wordOf = (title: string) => simplifyTitle(cleanHeader(title)).toLowerCase().replaceAll("_", " ");

/** Whether an address goes on below its district, town and quarter. */
function hasStreet(address: string): boolean {
  return /[\da-z]/i.test(address) || address.replace(/^.*(?:[省市区县旗盟州镇乡]|街道)/u, "").trim() !== "";
}

/** What a title that is not known says of a party. */
export function readTitle(title: string) {
  const word = wordOf(title);
  const isLone = lone.test(word);
  const isOfReceiver = isLone || bare.test(word) || lately.test(word) || ofReceiver.test(word);
  const part: PartyPart | undefined = ofSender.test(word) ? "sender" : isOfReceiver ? "receiver" : undefined;
  const found = words.filter(([, each]) => each.test(word));
  if (!part || found.length === 0 || ofOther.test(word)) return undefined;
  return {
    part,
    fields: found.map(([field]) => field),
    isPart: found.some(([field, , kind]) => kind && !(isLone && field === "detail")),
  };
}

/** Whether today's version may ask about a column that version 2 left out. */
export function isAskedToday(title: string): boolean {
  return (readTitle(title) ?? shortField(title)) !== undefined;
}

/** Whether the third version at first left the column out. */
export function isAskedLately(title: string): boolean {
  return lately.test(wordOf(title));
}

/** The columns that may be unclear; `given` are those that a person decided about. */
export function findUnclear(
  headers: readonly string[],
  paths: Paths,
  given: ReadonlyMap<string, string>,
): readonly UnclearColumn[] {
  const { fieldOf } = createTitleReader();
  const mapped = new Set<string | undefined>(given.values());
  return headers.flatMap((each, index): readonly UnclearColumn[] => {
    const header = each.trim();
    const isUsed = paths[index] !== undefined || given.has(header);
    // A person may have given its field to another column.
    if (isUsed || isNoColumn(header) || mapped.has(fieldOf(header))) return [];
    const short = shortField(header);
    const read = short
      ? { part: findPartyBefore(headers, paths, index) ?? "sender", fields: [short], isPart: false }
      : readTitle(header);
    const isPartOfStreet = partOfStreet.test(wordOf(header));
    if (!read || paths.includes(`${read.part}.text`)) return [];
    const { part, fields, isPart } = read;
    const has = (field: string) => paths.includes(`${part}.${field}`);
    // Without a column of the sender, the sender comes from elsewhere.
    if (part === "sender" && !paths.some((path) => path?.startsWith("sender."))) return [];
    // It may be the phone of the other column's party, but hardly a second address, unless that has no street.
    if (short && short !== "phone" && short !== "detail" && has(short)) return [];
    const isLacking = (cells: Cells, field: string) =>
      !paths.some((path, at) => {
        const same = kinds.find((fields) => fields.includes(field)) ?? [field];
        return same.some((name) => path === `${part}.${name}`) && cells[at]?.trim();
      });
    const isBesideStreet = (cells: Cells) =>
      paths.some((path, at) => path === `${part}.detail` && hasStreet(cells[at] ?? ""));
    const field = fields.find((name) => !has(name)) ?? fields[0];
    return [
      {
        header,
        field: `${part}.${field}`,
        isPartOfStreet,
        isLacking: (cells) => {
          const text = cells[index]?.trim() ?? "";
          if (text === "" || (mayBeOfGoods.test(header) && !/\d/.test(text))) return false;
          if (short === "detail" && has("detail")) return !isBesideStreet(cells);
          return isPart || fields.some((name) => isLacking(cells, name));
        },
      },
    ];
  });
}
