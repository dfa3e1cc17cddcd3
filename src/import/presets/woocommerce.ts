/**
 * WooCommerce, by the plug-ins of SkyVerge and WebToffee, which name columns in snake case: one row an order or one row
 * an item. woocommerce.com/document/import-and-export-of-woocommerce-orders, and code that reads both forms.
 */

import type { Preset } from "./preset.ts";
import { lacksShippingAddress, processing, skipByWooStatus } from "./woocommerce-states.ts";

export const woocommerce: Preset = {
  name: "woocommerce",
  title: "a WooCommerce export",
  keys: [["billing_first_name", "order_id"]],
  fields: {
    ref: ["order_number", "order_id"],
    "receiver.name": ["shipping_full_name", ["shipping_first_name", "shipping_last_name"]],
    "receiver.phone": ["shipping_phone", "billing_phone"],
    "receiver.province": ["shipping_state", "shipping_state_code"],
    "receiver.city": ["shipping_city"],
    "receiver.detail": [["shipping_address_1", "shipping_address_2"]],
    // Where a row is an order, its goods are in one column, or in line_item_1, line_item_2 and so on.
    "item.name": ["item_name"],
    "item.quantity": ["item_quantity"],
    "item.list": ["line_items", ["line_item_*"]],
  },
  hasLines: true,
  refundedPieces: "item_refunded_qty",
  sent: { status: processing },
  lacksAddress: lacksShippingAddress,
  skips: skipByWooStatus("status"),
};
