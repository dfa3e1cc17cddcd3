/** Completion candidates: the wanted kind, from what this machine knows. */

import type { Candidate, ValueSource } from "../command/completion-tree.ts";
import { shownAsWritten } from "../core/shown-url.ts";
import type { KnownOrder } from "../model/known-order.ts";
import { isCancellable } from "../model/states.ts";
import type { Wanted } from "./position.ts";

/** A party of the address book or of a template. */
type Party = Readonly<Record<string, unknown>>;

/** What this machine knows. Each is looked up only when it is wanted. */
export interface LocalValues {
  /** The last seen first. */
  orders(): readonly KnownOrder[];
  sandboxOrders(): readonly KnownOrder[];
  /** By name. */
  accounts(): Readonly<Record<string, { readonly base_url: string }>>;
  addresses(): Readonly<Record<string, Party>>;
  templates(): Readonly<
    Record<string, { readonly receiver?: Party | undefined; readonly item?: Party | undefined }>
  >;
  /** Names of saved column names. */
  columnNames(): readonly string[];
}

export interface Answer {
  readonly candidates: readonly Candidate[];
  /** What the current word begins with and each candidate follows: `--status=`. */
  readonly prefix: string;
  /** The shell is to offer file names. */
  readonly isFile: boolean;
}

const mostShown = 100;

/** Something is wanted that only this machine knows. */
export function wantsLocalValues(wanted: Wanted): boolean {
  return wanted.kind === "values" && wanted.values.source !== undefined;
}

/** Orders of the account are wanted, which this machine may know from several places. */
export function wantsOrders(wanted: Wanted): boolean {
  if (wanted.kind !== "values") return false;
  const { source } = wanted.values;
  return source === "order" || source === "cancellable order" || source === "parcel";
}

/** The candidates for a word at a position, in the order in which they should be shown. */
export function listCandidates(wanted: Wanted, local?: LocalValues, word = ""): Answer {
  const answer = { candidates: [], prefix: "", isFile: false };
  switch (wanted.kind) {
    case "nothing":
      return answer;
    case "commands":
      return {
        ...answer,
        candidates: wanted.entries.map(({ name, summary }) => ({ value: name, description: summary })),
      };
    case "flags":
      return {
        ...answer,
        candidates: wanted.flags.map(({ long, summary }) => ({ value: long, description: summary })),
      };
    case "values": {
      const { values, prefix, head, given } = wanted;
      const found = values.fixed ?? (values.source && local ? lookUp(values.source, local, word) : []);
      const taken = new Set(given);
      const candidates = found
        .filter(({ value }) => value !== "" && !taken.has(value))
        .map(({ value, ...rest }) => ({ value: head + value, ...rest }));
      return { candidates: candidates.slice(0, mostShown), prefix, isFile: values.source === "file" };
    }
  }
}

function lookUp(source: ValueSource, local: LocalValues, word: string): readonly Candidate[] {
  switch (source) {
    case "file":
      return [];
    case "order":
      return orderNames(local.orders(), word);
    case "cancellable order": {
      const orders = local.orders();
      const isLikely = ({ status }: KnownOrder) => isCancellable(status);
      return orderNames([...orders.filter(isLikely), ...orders.filter((order) => !isLikely(order))], word);
    }
    case "parcel":
      return trackingNumbers(local.orders());
    case "sandbox parcel":
      return trackingNumbers(local.sandboxOrders());
    case "account":
      return [...storedAccounts(local), { value: "sandbox", description: "embedded, on this machine" }];
    case "stored account":
      return storedAccounts(local);
    case "base URL":
      return Object.entries(local.accounts()).map(([account, { base_url }]) => ({
        value: shownAsWritten(base_url),
        description: `account ${account}`,
      }));
    case "party":
      return aliases(local).map(({ value, description }) => ({ value: `@${value}`, description }));
    case "alias":
      return aliases(local);
    case "template":
      return Object.entries(local.templates()).map(([value, { receiver, item }]) => ({
        value,
        description: describe([item?.name, receiver?.name && `to ${receiver.name}`]),
      }));
    case "column names":
      return local.columnNames().map((value) => ({ value }));
    default: {
      const field = source.slice("address ".length);
      const values = Object.values(local.addresses()).map((party) => party[field]);
      return [...new Set(values)].flatMap((value) => (typeof value === "string" ? [{ value }] : []));
    }
  }
}

/** Letters and digits that mean nothing to any shell: the service's text becomes part of a command line. */
const harmless = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Ids; tracking numbers for a word that is no beginning of an id. */
function orderNames(orders: readonly KnownOrder[], word: string): Candidate[] {
  return /^\D/.test(word) ? trackingNumbers(orders) : orderIds(orders);
}

function orderIds(orders: readonly KnownOrder[]): Candidate[] {
  return orders.flatMap(({ id, status, receiver, item }) =>
    id !== undefined && /^\d+$/.test(id) ? [{ value: id, description: about(status, receiver, item) }] : [],
  );
}

function trackingNumbers(orders: readonly KnownOrder[]): Candidate[] {
  return orders.flatMap(({ trackingNumber: value, status, receiver, item }) =>
    value !== undefined && harmless.test(value)
      ? [{ value, description: about(status, receiver, item) }]
      : [],
  );
}

function about(status?: string, receiver?: string, item?: string): string | undefined {
  return describe([status, receiver && `to ${receiver}`, item]);
}

function storedAccounts(local: LocalValues): Candidate[] {
  return Object.entries(local.accounts()).map(([value, { base_url }]) => ({
    value,
    description: shownAsWritten(base_url),
  }));
}

function aliases(local: LocalValues): Candidate[] {
  return Object.entries(local.addresses()).map(([value, { name, province, city }]) => ({
    value,
    description: describe([name, city ?? province]),
  }));
}

function describe(parts: readonly unknown[]): string | undefined {
  const known = parts.filter((part) => typeof part === "string" && part !== "");
  return known.length === 0 ? undefined : known.join(", ");
}
