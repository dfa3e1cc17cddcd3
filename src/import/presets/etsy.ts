/**
 * Etsy's EtsySoldOrderItems….csv, one row an item, and EtsySoldOrders….csv, which has no goods. Headers in public code
 * that reads them. Neither has a column for the phone.
 */

import type { Preset } from "./preset.ts";

const shipped = { column: "Date Shipped", reason: "fulfilled", is: /./ } as const;

export const etsyItems: Preset = {
  name: "etsy",
  title: "an Etsy list of order items",
  keys: [["Listing ID", "Ship Name", "Item Name"]],
  fields: {
    ref: ["Order ID"],
    "receiver.name": ["Ship Name"],
    "receiver.province": ["Ship State"],
    "receiver.city": ["Ship City"],
    "receiver.detail": [["Ship Address1", "Ship Address2"]],
    "item.name": [["Item Name", "Variations"]],
    "item.quantity": ["Quantity"],
  },
  hasLines: true,
  skips: [{ ...shipped, ofLine: true }],
};

export const etsyOrders: Preset = {
  name: "etsy-orders",
  title: "an Etsy list of orders",
  keys: [["Buyer User ID", "Number of Items"]],
  fields: { ref: ["Order ID"] },
  skips: [shipped],
  lacks: {
    columns: [],
    fields: ["item.name", "item.description"],
    problem: "has no goods",
    hint: "download the order items from Etsy (EtsySoldOrderItems….csv) and import that file",
  },
};
