/** The parcels of a shop, as its sheet has them: rows are edited, sorted, taken out and added. */

import { parse } from "csv-parse/sync";
import type { MadeOrder, OrderBody } from "../support/unfaithful-ways.ts";

export interface Parcel {
  readonly number: number;
  readonly ref: string;
  body: OrderBody;
  edits: number;
  /** The shop does not know that its order was made: without a ref, only such a row may be edited. */
  isOpen: boolean;
  /** What an import has written beside the row; undefined before. */
  written?: readonly string[];
}

export const writtenTitles = [
  "Courier tracking number",
  "Courier order number",
  "Courier state",
  "Courier estimated fee",
  "Courier error",
];

const sender = {
  name: "店",
  phone: "13800138000",
  province: "广东省",
  city: "深圳市",
  district: "南山区",
  detail: "科技园1号",
} as const;
const names = ["张伟", "王芳", "李娜", "刘洋", "陈静", "Anna Berg", "Tom Lee"] as const;
const places = [
  { province: "北京市", city: "北京市", district: "朝阳区" },
  { province: "四川省", city: "成都市", district: "武侯区" },
] as const;
const goods = ["书", "茶", "Cup"] as const;
const parts = ["phone", "detail", "name", "item"] as const;

const spellings: readonly ((digits: string) => string)[] = [
  (digits) => digits,
  (digits) => `+86 ${digits}`,
  (digits) => digits.replace(/^(\d{3})(\d{4})/, "$1-$2-"),
  (digits) => digits.replace(/^(\d{3})(\d{4})/, "$1 $2 "),
];
/** Without the country's code. */
const digitsOf = (phone = "") => phone.replace(/\D/g, "").slice(-11);

const columns = [
  ...["name", "phone", "province", "city", "district", "detail"].map((name) => `sender.${name}`),
  ...["name", "phone", "province", "city", "district", "detail"].map((name) => `receiver.${name}`),
  ...["item.name", "item.weight", "item.quantity"],
];

/** Each form that a parcel ever has is unlike every form of the others: an order tells by its body whose it is. */
export function createParcels(random: () => number, hasRefs: boolean) {
  const all: Parcel[] = [];
  const owners = new Map<string, Parcel>();
  let serial = 0;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const formOf = ({ receiver, item }: OrderBody) =>
    JSON.stringify([receiver.name, digitsOf(receiver.phone), receiver.detail, item.name]);
  const note = (parcel: Parcel) => owners.set(formOf(parcel.body), parcel);

  return {
    all,
    /** A quarter goes to a receiver who has a parcel already. */
    add(): Parcel {
      const number = ++serial;
      const other = all.length > 0 && random() < 0.25 ? pick(all) : undefined;
      const receiver = other?.body.receiver ?? {
        ...pick(places),
        // Two people may have one name.
        name: random() < 0.3 ? names[0] : `${pick(names)}${number}`,
        phone: `139${String(10_000_000 + number * 7_919).slice(-8)}`,
        detail: `建国路${number}号`,
      };
      const item = { name: `${pick(goods)}${number}`, weight: 1, quantity: 1 };
      const ref = hasRefs ? `R${String(number).padStart(4, "0")}` : "";
      const parcel = { number, ref, body: { sender, receiver, item }, edits: 0, isOpen: true };
      all.push(parcel);
      note(parcel);
      return parcel;
    },
    /** Changes one part of a row. */
    edit(parcel: Parcel): void {
      const { receiver, item } = parcel.body;
      const number = ++serial;
      const part = pick(parts);
      const changed = {
        phone: `137${String(20_000_000 + number * 104_729).slice(-8)}`,
        detail: `${receiver.detail} ${number}室`,
        name: `${receiver.name}-${number}`,
      };
      parcel.body =
        part === "item"
          ? { ...parcel.body, item: { ...item, name: `${item.name}-${number}` } }
          : { ...parcel.body, receiver: { ...receiver, [part]: changed[part] } };
      parcel.edits += 1;
      note(parcel);
    },
    /** Writes the phone otherwise, or as before: that is no edit. */
    respell(parcel: Parcel): void {
      const { receiver } = parcel.body;
      const phone = pick(spellings)(digitsOf(receiver.phone));
      parcel.body = { ...parcel.body, receiver: { ...receiver, phone } };
    },
    ownerOf: ({ text }: Pick<MadeOrder, "text">) => owners.get(formOf(JSON.parse(text))),
  };
}

export function toSheet(rows: readonly Parcel[]): string {
  const titles = rows.some(({ written }) => written) ? writtenTitles : [];
  const lines = rows.map(({ ref, body, written = [] }) => {
    const cells = columns.map((column) => {
      const [part = "", field = ""] = column.split(".");
      const values = body[part as "sender" | "receiver" | "item"] as Readonly<Record<string, unknown>>;
      return String(values[field] ?? "");
    });
    const beside = titles.map((_, index) => written[index] ?? "");
    return [ref, ...cells, ...beside].map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",");
  });
  return [["ref", ...columns, ...titles].join(","), ...lines, ""].join("\n");
}

/** Takes over what an import has written into the sheet of these rows. */
export function readWritten(text: string, rows: readonly Parcel[]): void {
  const records: readonly Readonly<Record<string, string>>[] = parse(text, { columns: true });
  for (const [index, record] of records.entries()) {
    const parcel = rows[index];
    const written = writtenTitles.map((title) => record[title]);
    if (parcel && written.every((each) => each !== undefined)) parcel.written = written;
  }
}
