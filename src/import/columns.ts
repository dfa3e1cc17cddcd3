/** Maps the columns of a spreadsheet to the fields of an order. */

import { usageError } from "../core/errors.ts";
import { inQuotes } from "../core/shell-quote.ts";
import { suggest } from "../core/suggest.ts";
import { listed } from "../core/wording.ts";
import {
  type ItemField,
  itemWords,
  orderFields,
  type PartyField,
  partyParts,
  partyWords,
} from "../model/fields.ts";
import { isWrittenTitle } from "./write-back/titles.ts";

/** Fields of a row that are split into those of a party: all of it, or its address. */
const wholePaths: readonly string[] = partyParts.flatMap((part) => [`${part}.text`, `${part}.address`]);
const simplePaths: readonly string[] = ["ref", ...orderFields.map(({ path }) => path)];
/** The fields that a column can have: dotted fields of a draft, those that are split, and `ref`, the user's own order number. */
export const columnPaths: readonly string[] = [...simplePaths, ...wholePaths];

const parties: Readonly<Record<string, readonly string[]>> = {
  sender: ["sender", "from", "shipper", "寄件人", "发件人", "寄件", "发件", "发货人"],
  receiver: ["receiver", "recipient", "to", "consignee", "ship to", "收件人", "收货人", "收件", "收货"],
};

const partyHeaders: Readonly<Record<string, readonly string[]>> = {
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
const laterParties: Readonly<Record<string, readonly string[]>> = {
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

/** The headers with which files were read at first, normalized, with their fields. */
function firstHeaders(): Map<string, string> {
  const known = new Map<string, string>();
  for (const path of simplePaths) known.set(normalizeForMatch(path), path);
  for (const [path, words] of Object.entries(otherHeaders))
    for (const word of words) known.set(normalizeForMatch(word), path);
  for (const [part, names] of Object.entries(parties)) {
    for (const [field, words] of Object.entries(partyHeaders)) {
      for (const name of names)
        for (const word of words) known.set(normalizeForMatch(`${name} ${word}`), `${part}.${field}`);
    }
  }
  return known;
}

/** Further headers; `shipping` alone is a price, so these words need the field. */
function furtherHeaders(): Map<string, string> {
  const known = new Map<string, string>();
  for (const [path, words] of Object.entries(laterHeaders))
    for (const word of words) known.set(normalizeForMatch(word), path);
  for (const part of partyParts) {
    for (const [field, words] of Object.entries(partyHeaders)) {
      const later = laterPartyHeaders[field] ?? [];
      for (const name of laterParties[part] ?? [])
        for (const word of [...words, ...later].filter((each) => each !== ""))
          known.set(normalizeForMatch(`${name} ${word}`), `${part}.${field}`);
      for (const name of parties[part] ?? [])
        for (const word of later) known.set(normalizeForMatch(`${name} ${word}`), `${part}.${field}`);
    }
  }
  return known;
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
function normalizeForMatch(header: string): string {
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

export function createTitleReader(): TitleReader {
  const known = new Map([...furtherHeaders(), ...firstHeaders()]);
  const short = new Set(
    [...Object.values(partyHeaders), ...Object.values(laterPartyHeaders)].flat().map(normalizeForMatch),
  );
  short.delete("");
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
    fieldOf: (text) => known.get(normalizeForMatch(cleanHeader(text))),
    isShort: (text) => short.has(normalizeForMatch(cleanHeader(text))),
    groupOf(text) {
      const word = normalizeForMatch(cleanHeader(text)).replaceAll("/", "");
      const party = names.find(({ prefix }) => word.startsWith(prefix) && isRest(word.slice(prefix.length)));
      if (party) return party;
      if (goods.test(word)) return { prefix: /^[a-z]/.test(word) ? "item" : "商品", part: "item" };
      return otherGroups.test(word) ? { prefix: "", part: undefined } : undefined;
    },
  };
}

export interface ColumnMap {
  /** The field of each column in order; undefined for one that is not used. */
  readonly paths: readonly (string | undefined)[];
  readonly unused: readonly string[];
}

/** Columns of `orders export` that an order gets only when it is created. */
const ofOrders: readonly string[] = ["id", "order_no", "tracking_number"];

/**
 * Throws a usage error for a file of existing orders. `howToLeaveOut` is the hint for a person who means to create
 * them again.
 */
export function ensureNoOrder(names: readonly string[], howToLeaveOut: string): void {
  if (!ofOrders.every((name) => names.includes(name))) return;
  throw usageError(
    `the file lists existing orders: it has the columns ${ofOrders.join(", ")} of orders export`,
    `to create all of them again, ${howToLeaveOut}`,
  );
}

/** Columns that a person must decide about, with the program's guess for each: "" leaves a column out. */
export interface ColumnDoubt {
  readonly guesses: ReadonlyMap<string, string>;
  readonly message: string;
  readonly hint: string;
}

/**
 * Maps a header row; `given` are the pairs of `--map`. Throws a usage error for a header that seems misspelt or may
 * belong to the sender or the receiver, for two columns of one field, for a given header that is missing, and for a
 * list of existing orders.
 */
export function mapColumns(
  headers: readonly string[],
  given: ReadonlyMap<string, string>,
  choice: { readonly isFormer?: boolean } = {},
): ColumnMap {
  const read = readColumns(headers, given, choice);
  if ("message" in read) throw usageError(read.message, read.hint);
  return read;
}

/** The map of a header, with all doubts about it at once, as if each guess were given. Throws for what is no doubt. */
export function guessColumns(
  headers: readonly string[],
  given: ReadonlyMap<string, string>,
): { readonly map: ColumnMap; readonly doubts: readonly ColumnDoubt[] } {
  const doubts: ColumnDoubt[] = [];
  const guessed = new Map(given);
  for (;;) {
    const read = readColumns(headers, guessed);
    if ("paths" in read) return { map: read, doubts };
    const open = [...read.guesses].filter(
      ([header]) => !given.has(header) && guessed.get(header) !== unusedMark,
    );
    if (open.length === 0) throw usageError(read.message, read.hint);
    // A guess that leads to another doubt is taken back.
    const isTaken = [...read.guesses.keys()].some((header) => guessed.has(header));
    const guesses = new Map(open.map(([header, path]) => [header, isTaken ? unusedMark : path]));
    doubts.push({ ...read, guesses });
    for (const [header, path] of guesses) guessed.set(header, path);
  }
}

function readColumns(
  headers: readonly string[],
  given: ReadonlyMap<string, string>,
  { isFormer = false } = {},
): ColumnMap | ColumnDoubt {
  const names = new Set(headers.map((each) => each.trim()));
  for (const header of given.keys()) {
    if (!names.has(header)) {
      throw usageError(`--map: the file has no column “${header}”`, `its columns: ${listed(headers)}`);
    }
  }
  const unmapped = headers.map((header) => header.trim()).filter((header) => !given.has(header));
  ensureNoOrder(unmapped, 'leave such a column out: --map "tracking_number="');
  const first = firstHeaders();
  const further = isFormer ? new Map<string, string>() : furtherHeaders();
  const known = new Map([...further, ...first]);
  const paths = choosePaths(headers, given, first);
  if (!isFormer) {
    const taken = new Set([...paths, ...given.values()]);
    for (const [index, header] of headers.entries()) {
      const name = header.trim();
      if (given.has(name)) continue;
      if (wholePaths.includes(name)) paths[index] = name;
      const path = known.get(normalizeForMatch(cleanHeader(header)));
      if (paths[index] === undefined && !taken.has(path)) paths[index] = path;
    }
    const twice = findTwice(paths, headers);
    if (twice) return twice;
  }
  for (const path of columnPaths) {
    const columns = headers.filter((_, index) => paths[index] === path);
    const duplicate = columns.find((header, index) =>
      columns.some((other, at) => at > index && other.trim() === header.trim()),
    );
    if (duplicate !== undefined)
      throw usageError(`two columns have the name ${duplicate.trim()}`, "rename one of them in the file");
    if (columns.length > 1)
      return {
        guesses: new Map(columns.map((header, index) => [header.trim(), index === 0 ? path : unusedMark])),
        message: `the columns ${columns.join(" and ")} both match ${path}`,
        hint: `choose one: ${mapFlag(columns[0], path)}; ${mapFlag(columns[0])} leaves a column out`,
      };
  }
  const unused = headers.filter((header, index) => paths[index] === undefined && !isNoColumn(header));
  for (const header of unused) {
    const doubt = given.has(header.trim()) ? undefined : findNeed(header.trim(), paths, known, isFormer);
    if (doubt) return doubt;
  }
  return { paths, unused };
}

/** A column without a name, the one of a file of rejects, and those of a write-back. */
export function isNoColumn(header: string): boolean {
  const name = header.trim();
  return name === "" || name === "error" || isWrittenTitle(name);
}

/** A column that holds a whole party or address, while another column holds a part of it. */
export function findTwice(
  paths: readonly (string | undefined)[],
  headers: readonly string[],
): ColumnDoubt | undefined {
  for (const part of partyParts) {
    const isInText = (path: string | undefined) => path?.startsWith(`${part}.`) && path !== `${part}.text`;
    const isInAddress = (path: string | undefined) =>
      path !== undefined &&
      ["province", "city", "district", "detail"].some((each) => path === `${part}.${each}`);
    for (const [whole, isIn] of [
      [`${part}.text`, isInText],
      [`${part}.address`, isInAddress],
    ] as const) {
      const twice = paths.includes(whole) ? paths.findIndex(isIn) : -1;
      if (twice < 0) continue;
      const surplus = headers[twice]?.trim() ?? "";
      return {
        guesses: new Map([[surplus, unusedMark]]),
        message: `column “${headers[paths.indexOf(whole)]}” is ${whole}, and “${surplus}” is ${paths[twice]}, a part of it`,
        hint: `leave one out: ${mapFlag(surplus)}`,
      };
    }
  }
  return undefined;
}

/** The flag that maps a column to a field; without a path, it leaves the column out. */
export function mapFlag(header: string | undefined, path = unusedMark): string {
  return `--map ${inQuotes(`${header}=${path}`)}`;
}

/** Shorter names resemble too many words. */
const shortestMisspelt = 6;

/** An unused column that looks like a field that no other column has. */
function findNeed(
  header: string,
  paths: readonly (string | undefined)[],
  known: ReadonlyMap<string, string>,
  isFormer: boolean,
): ColumnDoubt | undefined {
  const word = normalizeForMatch(header);
  const bare = Object.entries(partyHeaders).find(([, words]) =>
    words.some((each) => normalizeForMatch(each) === word),
  );
  const receivers = bare && word !== "" ? `receiver.${bare[0]}` : undefined;
  if (receivers !== undefined && !paths.includes(receivers)) {
    return {
      guesses: new Map([[header, receivers]]),
      message: `column “${header}”: sender or receiver?`,
      hint: `choose with ${mapFlag(header, receivers)}; ${mapFlag(header)} leaves it out`,
    };
  }
  if (receivers !== undefined || word.length < shortestMisspelt || !/^[a-z/]+$/.test(word)) return undefined;
  const nearest = known.get(suggest(word, [...known.keys()]) ?? "");
  if (nearest === undefined || paths.includes(nearest)) return undefined;
  if (!isFormer && isOfOther(word, nearest)) return undefined;
  return {
    guesses: new Map([[header, nearest]]),
    message: `column “${header}” looks like ${nearest}`,
    hint: `use it: ${mapFlag(header, nearest)}; ${mapFlag(header)} leaves it out`,
  };
}

/** Behind the name of a party. */
const shortestField = 3;

/** Headers of shops that resemble a field, such as county, and are none. */
const noField =
  /^(?:country|company|companyname|email|zip|zipcode|postcode|postalcode|method|date|fee|cost|price)$/;

/**
 * True where a header names a party, and the field is not close to what it names of it. A name of one party never means
 * the other, and the billing address is of neither.
 */
function isOfOther(word: string, path: string): boolean {
  if (word.startsWith("billing")) return true;
  for (const part of partyParts) {
    const names = [...(parties[part] ?? []), ...(laterParties[part] ?? [])].map(normalizeForMatch);
    const name = names.sort((a, b) => b.length - a.length).find((each) => word.startsWith(each));
    if (name === undefined) continue;
    const rest = word.slice(name.length);
    const words = Object.values(partyHeaders).flat().map(normalizeForMatch);
    const isNear = rest.length >= shortestField && suggest(rest, words) !== undefined;
    return !path.startsWith(`${part}.`) || noField.test(rest) || !isNear;
  }
  return false;
}

/** `--map` comes before the known headers. */
function choosePaths(
  headers: readonly string[],
  given: ReadonlyMap<string, string>,
  known: ReadonlyMap<string, string>,
): (string | undefined)[] {
  const taken = new Set(given.values());
  // A sheet may have several order numbers: a column with the name ref is then the ref.
  if (headers.some((header) => header.trim() === "ref" && !given.has("ref"))) taken.add("ref");
  return headers.map((each) => {
    const header = each.trim();
    const own = given.get(header);
    if (own !== undefined) return own === unusedMark ? undefined : own;
    const path = known.get(normalizeForMatch(header));
    return path !== undefined && taken.has(path) && header !== "ref" ? undefined : path;
  });
}

/** Means in `--map` that a column is left out. */
export const unusedMark = "";

/** Parses `Ship Name=receiver.name`; `Ship Name=` leaves that column out. */
export function parseMapping(text: string): { header: string; path: string } {
  const at = text.lastIndexOf("=");
  const header = text.slice(0, Math.max(0, at)).trim();
  const path = text.slice(at + 1).trim();
  if (at > 0 && header !== "" && (path === unusedMark || columnPaths.includes(path))) return { header, path };
  const nearest = suggest(path, columnPaths);
  throw usageError(
    `--map takes a column and a field, for example "Ship Name=receiver.name", not “${text}”`,
    nearest && nearest !== path ? `did you mean ${nearest}?` : `fields: ${columnPaths.join(", ")}`,
  );
}

/** The words of a field of a row. */
export function describeField(path: string): string {
  if (path === unusedMark) return "not used";
  if (path === "ref") return "your order number";
  if (path === "service_type") return "service level";
  const [part = "", name = ""] = path.split(".");
  if (name === "text") return `${part}: name, phone and address in one cell`;
  if (name === "address") return `${part}: whole address in one cell`;
  const label =
    part === "item" ? itemWords[name as ItemField].label.toLowerCase() : partyWords[name as PartyField].label;
  return part === "item" ? label : `${part} ${label}`;
}
