/**
 * Columns that no field is read from, and whose titles speak of a party's phone, name or place: without them, a parcel
 * may leave incomplete.
 */

import type { PartyField, PartyPart } from "../model/fields.ts";
import { findPartyBefore, isNoColumn } from "./columns.ts";
import { cleanHeader, createTitleReader, shortField, simplifyTitle } from "./title-words.ts";

type Paths = readonly (string | undefined)[];
type Cells = readonly string[];

/** What a title speaks of; of a surname and an address, no other column has what it holds. */
type Kind = "phone" | "name" | "surname" | "region" | "address";

export interface UnclearColumn {
  readonly header: string;
  readonly index: number;
  /** The field that the title may mean. */
  readonly field: string;
  /** Whether an order with these cells lacks what the column holds. */
  isLacking(cells: Cells): boolean;
}

const ofSender = /寄|发件|发货|sender|shipper|^from\b/;
const ofReceiver =
  /收件|收货|^收(?=方|人|电话|手机|联系|固话|姓名|地址|省|市|区)|receiver|recipient|consignee|\b(?:ship|shipping|deliver|delivery|post)\b|^to\b/;
/** Further facts about a party, which no field has, and columns of something else. */
const ofOther =
  /备注|留言|说明|note|remark|comment|memo|instruction|message|日期|时间|date|time|状态|status|金额|价|费|款|优惠|amount|price|cost|fee|total|tax|支付|付款|payment|method|carrier|快递|物流|运单|单号|订单|order|tracking|waybill|编号|编码|代码|\bcode\b|\bids?\b|邮编|邮政|zip|post ?code|postal|邮箱|e-?mail|微信|旺旺|qq|wechat|身份|证|后四位|尾号|分机|区号|国家|country|公司|单位|company|organi[sz]ation|签收|签名|signature|类型|type|性别|gender|称呼|生日|是否|数量|件数|重量|weight|quantity|坐标|经度|纬度|latitude|longitude|会员|昵称|账号|帐号|user|account|商品|货物|货品|品名|物品|item|product|goods|店|shop|store|仓|warehouse|billing|账单|发票|invoice|备用|紧急|alternat|backup|emergency|原|旧|\bold\b|退|return|验证|verif|valid|网点|小区|路线|路区|route|zone|语言|language|等级|level|service|服务|标签|tag|label|人数|次数|count\b/;

const kinds: readonly (readonly [Kind, RegExp])[] = [
  ["surname", /姓氏|\b(?:last|family|sur) ?name|surname/],
  ["name", /姓名|名字|名称|联系人|\bname|contact(?! (?:no|number|phone|tel))|attention|\battn\b/],
  [
    "phone",
    /电话|手机|固话|座机|联系方式|号码|phone|mobile|\btel\b|telephone|\bcell\b|contact(?! (?:name|person))/,
  ],
  ["region", /省|市|地区|区域|[区县]$|city|\bstate\b|province|district|county|region|\btown\b/],
  ["address", /地址|住址|街道|门牌|房号|楼号|楼栋|address|\baddr\b|street|suite|apartment|\bapt\b/],
];

/** Titles that name no party, beside a receiver's address. */
const bareRegion =
  /^(?:省\/?市\/?(?:[区县](?:\/?县)?)?|所在地区?|所在省市区?|地区|city ?[/,&-]? ?state(?: ?[/,&-]? ?(?:zip|province))?)$/;
const bareAddress =
  /^(?:(?:详细|街道)?地址 ?[2二]|门牌号?|楼号|房号|楼号房号|门牌号?\/?楼层|(?:street )?address ?(?:line ?)?2|suite|apt\.?|apartment|unit no\.?)$/;

interface ReadTitle {
  readonly part: PartyPart;
  readonly kinds: readonly Kind[];
}

function readTitle(title: string): ReadTitle | undefined {
  const word = simplifyTitle(cleanHeader(title)).toLowerCase().replaceAll("_", " ");
  if (bareRegion.test(word)) return { part: "receiver", kinds: ["region"] };
  if (bareAddress.test(word)) return { part: "receiver", kinds: ["address"] };
  if (ofOther.test(word)) return undefined;
  const part = ofSender.test(word) ? "sender" : ofReceiver.test(word) ? "receiver" : undefined;
  const found = kinds.flatMap(([kind, such]) => (such.test(word) ? [kind] : []));
  return part && found.length > 0
    ? { part, kinds: found.includes("surname") ? ["surname"] : found }
    : undefined;
}

/** Whether today's version may ask about a column that version 2 left out. */
export function isAskedToday(title: string): boolean {
  return readTitle(title) !== undefined || shortField(title) !== undefined;
}

/** The columns that may be unclear; `given` are those that a person decided about. */
export function findUnclear(
  headers: readonly string[],
  paths: Paths,
  given: ReadonlyMap<string, string>,
): readonly UnclearColumn[] {
  const { fieldOf: knownField } = createTitleReader();
  const mapped = new Set<string | undefined>(given.values());
  return headers.flatMap((each, index): readonly UnclearColumn[] => {
    const header = each.trim();
    if (paths[index] !== undefined || isNoColumn(header) || given.has(header)) return [];
    // A person gave its field to another column.
    if (mapped.has(knownField(header))) return [];
    const short = shortField(header);
    const read: ReadTitle | undefined = short
      ? { part: findPartyBefore(headers, paths, index) ?? "sender", kinds: [kindOf(short)] }
      : readTitle(header);
    if (!read || paths.includes(`${read.part}.text`)) return [];
    const { part } = read;
    // Without a column of the sender, the sender comes from elsewhere.
    if (part === "sender" && !paths.some((path) => path?.startsWith("sender."))) return [];
    // It may be the phone of the other column's party, but hardly a second address.
    if (short && short !== "phone" && paths.includes(`${part}.${short}`)) return [];
    const isFilled = (cells: Cells, ...fields: readonly string[]) =>
      paths.some((path, at) => fields.some((field) => path === `${part}.${field}`) && hasText(cells, at));
    const field = short ?? fieldOf(header, read.kinds, (name) => !paths.includes(`${part}.${name}`));
    const hasAddress = (cells: Cells) => isFilled(cells, "address");
    const lacks: Readonly<Record<Kind, (cells: Cells) => boolean>> = {
      phone: (cells) => !isFilled(cells, "phone"),
      name: (cells) => !isFilled(cells, "name"),
      region: (cells) => !isFilled(cells, "province", "city", "district") && !hasAddress(cells),
      address: () => true,
      surname: () => true,
    };
    const isLacking = (cells: Cells) =>
      hasText(cells, index) && read.kinds.some((kind) => lacks[kind](cells));
    return [{ header, index, field: `${part}.${field}`, isLacking }];
  });
}

const hasText = (cells: Cells, index: number) => (cells[index] ?? "").trim() !== "";

function kindOf(field: PartyField): Kind {
  if (field === "phone" || field === "name") return field;
  return field === "detail" ? "address" : "region";
}

/** The first field of these kinds that no column has; else any of them. */
function fieldOf(title: string, of: readonly Kind[], isFree: (field: PartyField) => boolean): PartyField {
  const word = simplifyTitle(title).toLowerCase();
  const region: PartyField = /省|^state|province|region|地区|区域/.test(word)
    ? "province"
    : /市|city|town/.test(word)
      ? "city"
      : "district";
  const byKind: Readonly<Record<Kind, PartyField>> = {
    phone: "phone",
    name: "name",
    surname: "name",
    region,
    address: "detail",
  };
  const fields = of.map((kind) => byKind[kind]);
  return fields.find(isFree) ?? fields[0] ?? "detail";
}
