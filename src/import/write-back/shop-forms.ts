/** The files with tracking numbers that people upload to their shop (docs/shop-files.md). */

import { usageError } from "../../core/errors.ts";
import { suggest } from "../../core/suggest.ts";
import { formatLocal } from "../../core/time.ts";
import { cleanCell } from "../clean-cell.ts";
import type { ReadNumber } from "./row-notes.ts";
import type { WrittenOrder } from "./row-values.ts";

export interface ShopForm {
  readonly name: string;
  readonly columns: readonly string[];
  /** The column of the sheet that has the order's number for this form; without one, the ref is used. */
  readonly orderColumn?: string;
  record(order: FormOrder): readonly string[];
  /** What to know before the file is uploaded. */
  readonly note?: string;
}

interface FormOrder {
  readonly number: string;
  readonly trackingNumber: string;
  /** The courier's name, as the shop lists it. */
  readonly carrier: string;
  readonly createdAtMs: number | undefined;
}

/** A plain table for apps that map its columns, such as EZ Fulfill: Shopify itself imports no orders. */
const shopify: ShopForm = {
  name: "shopify",
  columns: ["Order Number", "Tracking Number", "Tracking Company", "Tracking URL"],
  record: ({ number, trackingNumber, carrier }) => [number, trackingNumber, carrier, ""],
};

/** Advanced Shipment Tracking: docs.zorem.com/docs/ast-pro, CSV import. State 1 is shipped. */
const woocommerce: ShopForm = {
  name: "woocommerce",
  columns: ["order_id", "tracking_provider", "tracking_number", "date_shipped", "status_shipped"],
  orderColumn: "order_id",
  record: ({ number, trackingNumber, carrier, createdAtMs }) => [
    number,
    carrier,
    trackingNumber,
    createdAtMs === undefined ? "" : formatLocal(createdAtMs).slice(0, 10).split("-").reverse().join("-"),
    "1",
  ],
  note: "choose the date format DD-MM-YYYY when you upload it; the dates are those on which the orders were made",
};

const forms = [shopify, woocommerce];
export const formNames: readonly string[] = forms.map(({ name }) => name);

export function parseForm(text: string): ShopForm {
  const form = forms.find(({ name }) => name === text.toLowerCase());
  if (form) return form;
  const nearest = suggest(text.toLowerCase(), formNames);
  throw usageError(
    `--form: courier does not know the upload form of “${text}”`,
    nearest
      ? `did you mean ${nearest}?`
      : `known: ${formNames.join(", ")}; without --form, the sheet itself gets the tracking numbers`,
  );
}

/** The number of an order in a form, from its row of the sheet. */
export function findNumber({ orderColumn }: ShopForm, header: readonly string[]): ReadNumber {
  const index = header.findIndex((title) => title.trim() === orderColumn);
  return ({ ref, raw }) => {
    const cell = "cells" in raw ? (raw.cells[index] ?? "") : "";
    return cleanCell("ref", cell).text || ref;
  };
}

/** The records of a form: orders with a tracking number, whose rows are as they were sent. */
export function* formRecords(
  form: ShopForm,
  orders: readonly WrittenOrder[],
  carrier: string,
): Generator<readonly string[]> {
  yield form.columns;
  for (const order of orders) {
    const { number, values, createdAtMs } = order;
    if (number === undefined || !isInForm(order)) continue;
    yield form.record({ number, trackingNumber: values.tracking_number, carrier, createdAtMs });
  }
}

/** Changed orders may be of other customers, and unwanted ones are not to be called sent. */
export function isInForm({ number, values, isChanged, isUnwanted }: WrittenOrder): boolean {
  return number !== undefined && values.tracking_number !== "" && !isChanged && !isUnwanted;
}
