/**
 * WooCommerce, by a plug-in that names columns in words, one row an item; its settings decide whether the columns of
 * the order are repeated. Settings read in pastebin.com/MdrEA13A; the header in public code.
 */

import type { Preset } from "./preset.ts";
import { lacksShippingAddress, processing, skipByWooStatus } from "./woocommerce-states.ts";

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
  sent: { "Order Status": processing },
  lacksAddress: lacksShippingAddress,
  skips: [
    ...skipByWooStatus("Order Status"),
    { column: "Quantity (- Refund)", reason: "refunded", is: /^0+$/, ofLine: true },
  ],
};
