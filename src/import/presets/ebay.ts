/**
 * eBay's orders report of the Seller Hub, with the words of the US and of the UK and Australia. Headers, and the lines
 * around the orders, in public code that reads it.
 */

import type { Preset } from "./preset.ts";

export const ebay: Preset = {
  name: "ebay",
  title: "an eBay orders report",
  keys: [["Sales Record Number"], ["Order number", "Post to name"]],
  fields: {
    ref: ["Order Number", "Sales Record Number"],
    "receiver.name": ["Ship To Name", "Post to name"],
    "receiver.phone": ["Ship To Phone", "Post to phone"],
    "receiver.province": ["Ship To State", "Post to state", "Post to county"],
    "receiver.city": ["Ship To City", "Post to city"],
    "receiver.detail": [
      ["Ship To Address 1", "Ship To Address 2"],
      ["Post to address 1", "Post to address 2"],
    ],
    "item.name": [["Item Title", "Variation Details"]],
    "item.quantity": ["Quantity"],
  },
  hasLines: true,
  orderKey: ["Sales Record Number", "Order Number"],
  blankInSummary: ["Item Number", "Item Title"],
  footer: /^(?:\d+ record\(s\) downloaded|Seller ID\b)/i,
  skips: [
    { column: "Click And Collect", reason: "pick-up", is: /^yes$/i },
    { column: "Shipped On Date", reason: "fulfilled", is: /./, ofLine: true },
    { column: "Dispatched On Date", reason: "fulfilled", is: /./, ofLine: true },
    { column: "Tracking Number", reason: "fulfilled", is: /./, ofLine: true },
  ],
};
