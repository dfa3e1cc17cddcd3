/** The order states and what the interface lists as possible in each (specification, section 3). */

export interface StateFacts {
  readonly meaning: string;
  readonly operations: readonly string[];
}

/** In the order of the specification's table, which is also the order of a parcel's way. */
export const orderStates: Readonly<Record<string, StateFacts>> = {
  pending: { meaning: "awaiting payment", operations: ["pay", "cancel"] },
  paid: { meaning: "paid", operations: ["cancel", "request refund"] },
  processing: { meaning: "being processed", operations: ["view details"] },
  picked: { meaning: "picked up", operations: ["view details"] },
  in_transit: { meaning: "in transit", operations: ["view details", "track"] },
  delivering: { meaning: "out for delivery", operations: ["view details", "track"] },
  delivered: { meaning: "delivered", operations: ["view details", "rate"] },
  completed: { meaning: "completed", operations: ["view details"] },
  cancelled: { meaning: "cancelled", operations: ["view details"] },
};

/** No parcel moves before its order is paid. */
export const unpaidState = "pending";

export const stateNames: readonly string[] = Object.keys(orderStates);

/** The states as words to choose from, with what they mean where the word itself does not say it. */
export const stateChoices = Object.entries(orderStates).map(([value, { meaning }]) =>
  meaning === value.replaceAll("_", " ") ? { value } : { value, description: meaning },
);

/** The states a parcel passes on its way; `cancelled` leaves the way. */
export const wayStates: readonly string[] = stateNames.filter((state) => state !== "cancelled");

/** A watch no longer polls a parcel in one of these; a delivered one may still be completed. */
export const finalStates: readonly string[] = ["delivered", "completed", "cancelled"];

export function isFinal(state: string | null | undefined): boolean {
  return finalStates.includes(state ?? "");
}

/** The facts of a known state; undefined for one that the specification does not list. */
export function stateFacts(state: string | null | undefined): StateFacts | undefined {
  if (typeof state !== "string" || !Object.hasOwn(orderStates, state)) return undefined;
  return orderStates[state];
}

/** 4.5: cancelling is applicable to pending and paid orders. */
export function isCancellable(state: string | null | undefined): boolean {
  return stateFacts(state)?.operations.includes("cancel") ?? false;
}

/** The specification rules a cancel out (section 3). A state that it does not list is for the service to decide. */
export function cannotBeCancelled(state: string | null | undefined): boolean {
  return stateFacts(state) !== undefined && !isCancellable(state);
}
