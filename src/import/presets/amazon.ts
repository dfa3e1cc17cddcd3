/**
 * Amazon's report of unshipped orders and its order report, as text with tabs, one row an item. Headers in public code
 * that reads them.
 */

import type { Preset } from "./preset.ts";

export const amazon: Preset = {
  name: "amazon",
  title: "an Amazon order report",
  keys: [["order-item-id", "recipient-name"]],
  fields: {
    ref: ["order-id"],
    "receiver.name": ["recipient-name"],
    "receiver.phone": ["ship-phone-number", "buyer-phone-number"],
    "receiver.province": ["ship-state"],
    "receiver.city": ["ship-city"],
    "receiver.detail": [["ship-address-1", "ship-address-2", "ship-address-3"]],
    "item.name": ["product-name"],
    "item.quantity": ["quantity-to-ship", "quantity-purchased"],
  },
  hasLines: true,
  skips: [{ column: "quantity-to-ship", reason: "fulfilled", is: /^0+$/, ofLine: true }],
};
