/**
 * Shopify's orders_export.csv. Header read in zhangerson/shopify_parsing:orders_export.csv and
 * Ammar282828/gemstrack-pos:orders_export_1.csv; lines of an order in docs.xbp.app (Shopify, order format).
 */

import type { Preset } from "./preset.ts";

const lineStatus = "Lineitem fulfillment status";

export const shopify: Preset = {
  name: "shopify",
  title: "a Shopify export",
  keys: [["Lineitem name", "Financial Status", "Name"]],
  fields: {
    ref: ["Name"],
    "receiver.name": ["Shipping Name"],
    "receiver.phone": ["Shipping Phone", "Phone", "Billing Phone"],
    "receiver.province": ["Shipping Province Name", "Shipping Province"],
    "receiver.city": ["Shipping City"],
    // Shipping Street is Address1 and Address2 joined.
    "receiver.detail": [["Shipping Address1", "Shipping Address2"], "Shipping Street"],
    "item.name": ["Lineitem name"],
    "item.quantity": ["Lineitem quantity"],
  },
  hasLines: true,
  isPickUpWithoutAddress: { filledInFirstRow: ["Financial Status", "Billing Name", "Billing Address1"] },
  // Of refunds in part, the file does not say which goods stay.
  sent: {
    "Financial Status": /^(?:paid|pending|authorized|partially_paid)$/i,
    "Fulfillment Status": /^(?:unfulfilled|pending)$/i,
  },
  skips: [
    { column: "Cancelled at", reason: "cancelled", is: /./ },
    { column: "Financial Status", reason: "refunded", is: /^refunded$/i },
    { column: "Financial Status", reason: "cancelled", is: /^(?:voided|expired)$/i },
    { column: "Fulfillment Status", reason: "cancelled", is: /^restocked$/i },
    { column: "Fulfillment Status", reason: "on hold", is: /^on_hold$/i },
    { column: "Fulfillment Status", reason: "fulfilled", is: /^fulfilled$/i },
    // The file does not say which goods have left.
    { column: "Fulfillment Status", reason: "partly fulfilled", is: /^partial/i, unless: lineStatus },
    { column: lineStatus, reason: "partly fulfilled", is: /^partial/i, ofLine: true },
    { column: lineStatus, reason: "fulfilled", is: /^fulfilled$/i, ofLine: true },
    { column: "Lineitem requires shipping", reason: "nothing to ship", is: /^false$/i, ofLine: true },
  ],
};
