/**
 * WooCommerce, by a plug-in that names columns in words, one row an item; its settings decide whether the columns of
 * the order are repeated. Settings read in pastebin.com/MdrEA13A; the header in public code.
 */

import type { Preset } from "./preset.ts";

export const woocommerceWords: Preset = {
  name: "woocommerce-words",
  title: "a WooCommerce export",
  keys: [["First Name (Billing)", "Order Number"]],
  fields: {
    ref: ["Order Number"],
    "receiver.name": [["First Name (Shipping)", "Last Name (Shipping)"]],
    "receiver.phone": ["Phone (Shipping)", "Phone (Billing)"],
    "receiver.province": ["State Name (Shipping)", "State Code (Shipping)"],
    "receiver.city": ["City (Shipping)"],
    "receiver.detail": ["Address 1&2 (Shipping)", ["Address 1 (Shipping)", "Address 2 (Shipping)"]],
    "item.name": [
      ["Item Name", "Product Variation"],
      ["Name", "Product Variation"],
    ],
    "item.quantity": ["Quantity (- Refund)", "Quantity"],
  },
  hasLines: true,
  skips: [
    { column: "Order Status", reason: "unpaid", is: /^(?:wc-)?pending(?: payment)?$/i },
    { column: "Order Status", reason: "fulfilled", is: /^(?:wc-)?completed$/i },
    { column: "Order Status", reason: "refunded", is: /^(?:wc-)?refunded$/i },
    { column: "Quantity (- Refund)", reason: "refunded", is: /^0+$/, ofLine: true },
    { column: "Order Status", reason: "cancelled", is: /^(?:wc-)?(?:cancelled|failed)$/i },
  ],
};
