/** The header of a spreadsheet: which column is which field of an order. */

import { usageError } from "../core/errors.ts";
import { inQuotes } from "../core/shell-quote.ts";
import { suggest } from "../core/suggest.ts";
import { orderFields } from "../model/fields.ts";

/** Everything a column can be: dotted fields of a draft, and `ref`, the row's own name. */
export const columnPaths: readonly string[] = ["ref", ...orderFields.map(({ path }) => path)];

const parties: Readonly<Record<string, readonly string[]>> = {
  sender: ["sender", "from", "shipper", "寄件人", "发件人", "寄件", "发件", "发货人"],
  receiver: ["receiver", "recipient", "to", "consignee", "ship to", "收件人", "收货人", "收件", "收货"],
};

const partyWords: Readonly<Record<string, readonly string[]>> = {
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

const otherWords: Readonly<Record<string, readonly string[]>> = {
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

/** Headers in the forms that people write, by the text that `fold` makes of them. */
function knownHeaders(): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const path of columnPaths) known.set(fold(path), path);
  for (const [path, words] of Object.entries(otherWords))
    for (const word of words) known.set(fold(word), path);
  for (const [part, names] of Object.entries(parties)) {
    for (const [field, words] of Object.entries(partyWords)) {
      for (const name of names)
        for (const word of words) known.set(fold(`${name} ${word}`), `${part}.${field}`);
    }
  }
  return known;
}

/** Case, blanks and punctuation make no difference in a header. */
function fold(header: string): string {
  return header.toLowerCase().replace(/[\s._\-:：*#()（）]+/g, "");
}

export interface ColumnMap {
  /** The field of each column in order; undefined for one that is not used. */
  readonly paths: readonly (string | undefined)[];
  readonly unused: readonly string[];
}

/** What `orders export` writes of every order, and what no one knows of an order that is still to be made. */
const ofOrders: readonly string[] = ["id", "order_no", "tracking_number"];

/** Throws a usage error where a row has the names of an order that exists; `howToLeaveOut` is for who means it. */
export function ensureNoOrder(names: readonly string[], howToLeaveOut: string): void {
  if (!ofOrders.every((name) => names.includes(name))) return;
  throw usageError(
    `these are orders that exist: the file has ${ofOrders.join(", ")}, as orders export writes them`,
    `to order all of them once more, ${howToLeaveOut}`,
  );
}

/**
 * Reads a header row; `given` are the user's own pairs of header and field. Throws a usage error for a
 * header that looks misspelt or may be of the sender or the receiver, for two columns of one field, for a given header that
 * is not there, and for a list of orders that exist.
 */
export function mapColumns(headers: readonly string[], given: ReadonlyMap<string, string>): ColumnMap {
  for (const header of given.keys()) {
    if (!headers.some((each) => each.trim() === header)) {
      throw usageError(
        `--map names a column that the file does not have: ${header}`,
        `its columns: ${headers.join(", ")}`,
      );
    }
  }
  const unsaid = headers.map((header) => header.trim()).filter((header) => !given.has(header));
  ensureNoOrder(unsaid, 'leave such a column out: --map "tracking_number="');
  const known = knownHeaders();
  const paths = choosePaths(headers, given, known);
  for (const path of columnPaths) {
    const columns = headers.filter((_, index) => paths[index] === path);
    const twin = columns.find((header, index) =>
      columns.some((other, at) => at > index && other.trim() === header.trim()),
    );
    if (twin !== undefined)
      throw usageError(`two columns are called ${twin.trim()}`, "rename one of them in the file");
    if (columns.length > 1) {
      throw usageError(
        `the columns ${columns.join(" and ")} are both ${path}`,
        `say which one it is: ${mapFlag(columns[0], path)}; ${mapFlag(columns[0])} leaves a column out`,
      );
    }
  }
  const unused = headers.filter(
    (header, index) => paths[index] === undefined && header.trim() !== "" && header.trim() !== "error",
  );
  for (const header of unused) if (!given.has(header.trim())) ensureUnneeded(header.trim(), paths, known);
  return { paths, unused };
}

/** The flag that says what a column is; without a path, that it is left out. */
function mapFlag(header: string | undefined, path = ""): string {
  return `--map ${inQuotes(`${header}=${path}`)}`;
}

/** Shorter names are near to many words. */
const shortestMisspelt = 6;

/** Throws for a column that is not used although, as it seems, a field that no other column has stands in it. */
function ensureUnneeded(
  header: string,
  paths: readonly (string | undefined)[],
  known: ReadonlyMap<string, string>,
): void {
  const word = fold(header);
  const bare = Object.entries(partyWords).find(([, words]) => words.some((each) => fold(each) === word));
  const receivers = bare && word !== "" ? `receiver.${bare[0]}` : undefined;
  if (receivers !== undefined && !paths.includes(receivers)) {
    throw usageError(
      `column “${header}”: sender or receiver?`,
      `choose with ${mapFlag(header, receivers)}; ${mapFlag(header)} leaves it out`,
    );
  }
  if (receivers !== undefined || word.length < shortestMisspelt || !/^[a-z/]+$/.test(word)) return;
  const nearest = known.get(suggest(word, [...known.keys()]) ?? "");
  if (nearest === undefined || paths.includes(nearest)) return;
  const leaveOut = `; ${mapFlag(header)} leaves it out`;
  throw usageError(
    `column “${header}” looks like ${nearest}`,
    `use it: ${mapFlag(header, nearest)}${leaveOut}`,
  );
}

/** What the user says of a column comes before what its name may mean. */
function choosePaths(
  headers: readonly string[],
  given: ReadonlyMap<string, string>,
  known: ReadonlyMap<string, string>,
): readonly (string | undefined)[] {
  const taken = new Set(given.values());
  // Many sheets have order numbers of several kinds, and a column that is called ref among them is the one.
  if (headers.some((header) => header.trim() === "ref" && !given.has("ref"))) taken.add("ref");
  return headers.map((each) => {
    const header = each.trim();
    const own = given.get(header);
    if (own !== undefined) return own === unusedMark ? undefined : own;
    const path = known.get(fold(header));
    return path !== undefined && taken.has(path) && header !== "ref" ? undefined : path;
  });
}

/** The field of a column that is left out. */
const unusedMark = "";

/** Parses `Ship Name=receiver.name`; `Ship Name=` leaves that column out. */
export function parseMapping(text: string): { header: string; path: string } {
  const at = text.lastIndexOf("=");
  const header = text.slice(0, Math.max(0, at)).trim();
  const path = text.slice(at + 1).trim();
  if (at > 0 && header !== "" && (path === unusedMark || columnPaths.includes(path))) return { header, path };
  const nearest = suggest(path, columnPaths);
  throw usageError(
    `--map takes a column and a field such as "Ship Name=receiver.name", not “${text}”`,
    nearest && nearest !== path ? `did you mean ${nearest}?` : `fields: ${columnPaths.join(", ")}`,
  );
}
