/** An order as a service shows it, before the list element and the detail are cut out of it (specification, 2.4). */

/** Text or number as the interface has it; null or left out where a service is unfaithful. */
export type Shown = string | number | null | undefined;

export interface ShownParty {
  name?: Shown;
  phone?: Shown;
  province?: Shown;
  city?: Shown;
  district?: Shown;
  detail?: Shown;
  /** Takes the place of the four parts joined without separators. */
  address?: Shown;
}

export interface ShownItem {
  name?: Shown;
  description?: Shown;
  weight?: Shown;
  value?: Shown;
  quantity?: Shown;
}

export interface ShownOrder {
  id: Shown;
  order_no: Shown;
  tracking_number: Shown;
  status: Shown;
  payment_status: Shown;
  service_type?: Shown;
  estimated_fee: Shown;
  actual_fee: Shown;
  created_at: Shown;
  updated_at: Shown;
  sender?: ShownParty | undefined;
  receiver?: ShownParty | undefined;
  item?: ShownItem | undefined;
}

export type View = "list" | "detail";

/** Gets an order of its own, which it may change and give back. */
export type Rewriting = (order: ShownOrder, view: View) => ShownOrder;

export const addressParts = ["province", "city", "district", "detail"] as const;

/** 2.4, list element: of the parties only name and city, of the item only its name. */
export function listElement(order: ShownOrder): object {
  const { id, order_no, tracking_number, status, payment_status, actual_fee, created_at } = order;
  const numbers = { id, order_no, tracking_number, status, payment_status, actual_fee };
  const summary = (party: ShownParty | undefined) => party && { name: party.name, city: party.city };
  return {
    ...numbers,
    item_name: order.item?.name,
    created_at,
    sender: summary(order.sender),
    receiver: summary(order.receiver),
  };
}

/** 2.4, detail: each party with one combined address. */
export function detail(order: ShownOrder): object {
  const contact = (party: ShownParty | undefined) => {
    if (!party) return undefined;
    const { name, phone, address = joinAddress(party) } = party;
    return { name, phone, address };
  };
  return { ...order, sender: contact(order.sender), receiver: contact(order.receiver) };
}

/** The parts of an address that are there. */
export function joinAddress(
  party: ShownParty,
  separator = "",
  parts: readonly (keyof ShownParty)[] = addressParts,
): string {
  return parts
    .map((part) => party[part] ?? "")
    .filter((part) => part !== "")
    .join(separator);
}
