/** Words of WooCommerce for orders that are not to be sent: its own states, and those of Advanced Shipment Tracking. */

import type { SkipRule } from "./preset.ts";

/** The state in which a paid order is to be sent. */
export const processing = /^(?:wc-)?processing$/i;

export const lacksShippingAddress =
  "no column of the shipping address is filled: copy the billing address there, or delete the order";

export function skipByWooStatus(column: string): SkipRule[] {
  return [
    // On hold: the payment is to be confirmed.
    {
      column,
      reason: "unpaid",
      is: /^(?:wc-)?(?:pending(?: payment)?|on[- ]hold|(?:checkout[- ])?draft)$/i,
    },
    { column, reason: "partly fulfilled", is: /^(?:wc-)?partial(?:ly)?[- ]shipped$/i },
    { column, reason: "fulfilled", is: /^(?:wc-)?(?:completed|shipped|delivered)$/i },
    { column, reason: "refunded", is: /^(?:wc-)?refunded$/i },
    { column, reason: "cancelled", is: /^(?:wc-)?(?:cancelled|failed|trash)$/i },
  ];
}
