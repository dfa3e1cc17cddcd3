/** The words in titles of columns and of groups of them, and the fields that they mean. */

import { readingVersion } from "../../ledger/row-to-send.ts";
import { orderFields, type PartyField, type PartyPart, partyParts } from "../../model/fields.ts";

/**
 * Fields of a row that are split into those of a party (all of it, its address, or the part above the street), or joined
 * to its name.
 */
export const cellPaths: readonly string[] = partyParts.flatMap((part) =>
  ["text", "address", "region", "first_name", "last_name"].map((name) => `${part}.${name}`),
);
const simplePaths: readonly string[] = ["ref", ...orderFields.map(({ path }) => path)];
/**
 * The fields that a column can have: dotted fields of a draft, those that are split or joined, and `ref`, the user's own
 * order number.
 */
export const columnPaths: readonly string[] = [...simplePaths, ...cellPaths];

export const parties: Readonly<Record<string, readonly string[]>> = {
  sender: ["sender", "from", "shipper", "寄件人", "发件人", "寄件", "发件", "发货人"],
  receiver: ["receiver", "recipient", "to", "consignee", "ship to", "收件人", "收货人", "收件", "收货"],
};

export const partyHeaders: Readonly<Record<string, readonly string[]>> = {
  name: ["name", "姓名", "名字", "名称", ""],
  phone: [
    "phone",
    "telephone",
    "mobile",
    "tel",
    "电话",
    "手机",
    "手机号",
    "手机号码",
    "联系电话",
    "电话号码",
  ],
  province: ["province", "state", "省", "省份"],
  city: ["city", "市", "城市"],
  district: ["district", "county", "区", "区县", "区/县"],
  detail: ["detail", "address", "street", "地址", "详细地址", "街道地址"],
};

const otherHeaders: Readonly<Record<string, readonly string[]>> = {
  ref: [
    "ref",
    "reference",
    "order ref",
    "order reference",
    "order",
    "order no",
    "order nr",
    "order number",
    "order id",
    "订单号",
    "订单编号",
    "订单号码",
    "商家订单号",
    "客户订单号",
    "外部订单号",
    "平台订单号",
    "参考号",
  ],
  "item.name": ["item", "item name", "product", "物品", "物品名称", "商品", "商品名称", "品名"],
  "item.description": ["item description", "description", "物品描述", "商品描述", "描述"],
  "item.weight": ["item weight", "weight", "重量", "物品重量"],
  "item.value": [
    "item value",
    "value",
    "declared value",
    "价值",
    "物品价值",
    "申报价值",
    "声明价值",
    "保价金额",
  ],
  "item.quantity": ["item quantity", "quantity", "qty", "pieces", "数量", "件数", "物品数量"],
  service_type: ["service", "service type", "service level", "服务类型", "时效", "快递类型", "服务"],
};

/** Words that came later: a file that was read without them keeps the identity of its rows (former-reading.ts). */
export const laterParties: Readonly<Record<string, readonly string[]>> = {
  sender: ["寄", "寄方", "寄件方"],
  receiver: ["shipping", "ship", "delivery", "post to", "收", "收方", "收件方", "收货方"],
};
const laterPartyHeaders: Readonly<Record<string, readonly string[]>> = {
  phone: ["phone number", "mobile number", "手机/电话", "联系手机", "联系方式"],
};
const laterHeaders: Readonly<Record<string, readonly string[]>> = {
  "receiver.text": ["收件信息", "收货信息", "收件人信息", "收货人信息"],
  "sender.text": ["寄件信息", "寄件人信息", "发件人信息"],
  "item.name": ["托寄物", "托寄物内容", "商品标题", "宝贝标题"],
  "item.quantity": ["商品数量", "购买数量", "托寄物数量"],
};

/** Words of the third version of reading. These name a party by themselves: `收` alone may be something else. */
const latestHeaders: Readonly<Record<string, readonly string[]>> = {
  "receiver.name": ["收方", "收件方", "收货方"],
  "sender.name": ["寄方", "寄件方", "发货方"],
};
/** Titles with a party that only the third version knows: a party has such columns where no other one has what they hold. */
const partialHeaders = {
  region: ["省市区", "省/市/区", "省市区县", "省市县", "所在省市区"],
  first_name: ["first name", "given name"],
  last_name: ["last name", "family name", "surname"],
};
/** Words for the sender where its name has a column: else the sender comes from elsewhere. */
const dispatchers: readonly string[] = ["发货", "发货方"];

/** The characters of titles that traditional Chinese writes in another way. */
const traditional = "貨電話絡聯號機訂單編碼參戶稱區縣詳細價聲額數務類時遞內標題購買發資訊備註";
const simplified = "货电话络联号机订单编码参户称区县详细价声额数务类时递内标题购买发资讯备注";

/** The same title in simplified characters, and in the words that are known. */
export function simplifyTitle(title: string): string {
  return title
    .replace(/./g, (each) => simplified[traditional.indexOf(each)] ?? each)
    .replace("联络", "联系")
    .replace("资讯", "信息");
}

/** Other units than kilograms, and than pieces: of a weight in grams or a number of boxes, no field is sent. */
const otherUnits: Readonly<Record<string, RegExp>> = {
  "item.weight":
    /(?<![a-z])(?:m?g|gr|grams?|lbs?|pounds?|oz|ounces?|t|tons?)(?![a-z])|(?<!公)斤|(?<!千)克|[磅吨两]|盎司/,
  "item.quantity": /[箱打斤克磅吨米升]|dozen|box|carton|case|(?<![a-z])(?:k?g|lbs?|oz|m)(?![a-z])/,
};

/** Whether a title such as Weight (g) or 数量(箱) names another unit than the field has. */
export function isInOtherUnit(path: string, title: string): boolean {
  return otherUnits[path]?.test(title.normalize("NFKC").toLowerCase()) === true;
}

/** The field of a title that names no party: 电话. */
export function shortField(title: string): PartyField | undefined {
  const word = normalizeForMatch(simplifyTitle(cleanHeader(title)));
  const found = Object.entries(fieldHeaders).find(([, words]) =>
    words.some((each) => normalizeForMatch(each) === word),
  );
  return found?.[0] as PartyField | undefined;
}

/** What is longer is no title, and no address. */
export const longestTitle = 200;

/** The same of one of several: 电话2. A long run of blanks would be tried from each of them, and is no title. */
export function numberedShortField(title: string): PartyField | undefined {
  return title.length > longestTitle ? undefined : shortField(title.replace(/[ .]*\d+$/, ""));
}

type Words = Readonly<Record<string, readonly string[]>>;

/** The words of `partyHeaders`, with those that came later; a party's name alone is none of them. */
const fieldHeaders: Words = Object.fromEntries(
  Object.entries(partyHeaders).map(([field, words]) => [
    field,
    [...words, ...(laterPartyHeaders[field] ?? [])].filter((each) => each !== ""),
  ]),
);

function addWords(known: Map<string, string>, headers: Words): Map<string, string> {
  for (const [path, words] of Object.entries(headers))
    for (const word of words) known.set(normalizeForMatch(word), path);
  return known;
}

/** Each of the names with each of the words. */
function addParty(
  known: Map<string, string>,
  part: string,
  names: readonly string[] = [],
  headers: Words,
): Map<string, string> {
  for (const [field, words] of Object.entries(headers))
    addWords(known, {
      [`${part}.${field}`]: names.flatMap((name) => words.map((word) => `${name} ${word}`)),
    });
  return known;
}

/** The headers with which files were read at first, normalized, with their fields. */
export function firstHeaders(): Map<string, string> {
  const known = new Map(simplePaths.map((path) => [normalizeForMatch(path), path]));
  addWords(known, otherHeaders);
  for (const part of partyParts) addParty(known, part, parties[part], partyHeaders);
  return known;
}

/** Further headers; `shipping` alone is a price, so these words need the field. */
export function furtherHeaders(): Map<string, string> {
  const known = addWords(new Map(), laterHeaders);
  for (const part of partyParts) {
    addParty(known, part, laterParties[part], fieldHeaders);
    addParty(known, part, parties[part], laterPartyHeaders);
  }
  return known;
}

/** The headers of the third version of reading. */
export function thirdHeaders(): Map<string, string> {
  return addWords(new Map(), latestHeaders);
}

/** Headers of a party's region, and of its name in two columns. */
export function partialWords(part: PartyPart): Map<string, string> {
  const names = [...(parties[part] ?? []), ...(laterParties[part] ?? [])];
  return addParty(new Map(), part, names, partialHeaders);
}

/** Headers that are the sender's where another column has its name. */
export function dispatchHeaders(): Map<string, string> {
  return addParty(new Map(), "sender", dispatchers, fieldHeaders);
}

/** Marks of required columns and units in a header; grams would be another number. */
const headerMarks =
  /[(（[【](?:必填|选填|可选|required|optional|kg|千克|公斤|元|cny|rmb|件|个)[)）\]】]|\/ ?(?:kg|千克|公斤|元)$/gi;

/** Removes what spreadsheets, forms and platforms put around the name of a column. */
export function cleanHeader(header: string): string {
  return header
    .normalize("NFKC")
    .replace(/^="?|[\uFEFF\u200b"'“”*]/g, "")
    .replace(headerMarks, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Ignores case, blanks and punctuation. */
export function normalizeForMatch(header: string): string {
  return header.toLowerCase().replace(/[\s._\-:：*#()（）]+/g, "");
}

/** What titles of columns say, and titles of groups of columns. */
export interface TitleReader {
  /** The field of a text that names a column by itself. */
  fieldOf(text: string): string | undefined;
  /** A title that needs its party: 姓名, city. */
  isShort(text: string): boolean;
  groupOf(text: string): TitleGroup | undefined;
}

/** What a group's title says: 收件人信息. */
export interface TitleGroup {
  /** What its short titles begin with to name a column: 收件人. */
  readonly prefix: string;
  /** Undefined for columns that are no part of an order, such as notes. */
  readonly part: "sender" | "receiver" | "item" | undefined;
}

const goods =
  /^(?:商品|货物|货品|货|物品|托寄物|产品|宝贝|品名|内件|items?|products?|goods|articles?)+(?:信息|资料|明细|内容|info|information|details?)?$/;
/** Their columns are of no party. */
const otherGroups =
  /^(?:订单|基本|其他|其它|备注|物流|快递|运单|费用|价格|金额|支付|付款|发货|order|others?|notes?|tracking|payments?|prices?)(?:信息|资料|情况|info|information|details?)?$/;
const groupEnding = /^(?:信息|资料|資料|方|栏|info|information|details?)+$/;

/** `version`: of the reading (former-reading.ts). */
export function createTitleReader(version = readingVersion): TitleReader {
  const isThird = version >= 3;
  const latest = isThird ? [...thirdHeaders(), ...partyParts.flatMap((part) => [...partialWords(part)])] : [];
  const known = new Map([...latest, ...furtherHeaders(), ...firstHeaders()]);
  const wordOf = (text: string) =>
    normalizeForMatch(isThird ? simplifyTitle(cleanHeader(text)) : cleanHeader(text));
  const shortWords = [fieldHeaders, isThird ? partialHeaders : {}].flatMap((words) =>
    Object.values(words).flat(),
  );
  const short = new Set(shortWords.map(normalizeForMatch));
  const names = partyParts
    .flatMap((part) =>
      [...(parties[part] ?? []), ...(laterParties[part] ?? [])].map((name) => ({
        part,
        prefix: normalizeForMatch(name),
      })),
    )
    .sort((one, other) => other.prefix.length - one.prefix.length);
  const isRest = (rest: string) =>
    rest === "" || short.has(rest) || groupEnding.test(rest) || names.some(({ prefix }) => prefix === rest);
  return {
    fieldOf: (text) => known.get(wordOf(text)),
    isShort: (text) => short.has(wordOf(text)),
    groupOf(text) {
      const word = wordOf(text).replaceAll("/", "");
      const party = names.find(({ prefix }) => word.startsWith(prefix) && isRest(word.slice(prefix.length)));
      if (party) return party;
      if (goods.test(word)) return { prefix: /^[a-z]/.test(word) ? "item" : "商品", part: "item" };
      return otherGroups.test(word) ? { prefix: "", part: undefined } : undefined;
    },
  };
}
