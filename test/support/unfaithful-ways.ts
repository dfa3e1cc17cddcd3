/** The ways in which the unfaithful service departs from what a client would like to rely on. */

import type { Rewriting } from "./shown-order.ts";

interface Party {
  readonly name?: string;
  readonly phone?: string;
  readonly province?: string;
  readonly city?: string;
  readonly district?: string;
  readonly detail?: string;
}

/** 4.2: body of a create request. */
export interface OrderBody {
  readonly sender: Party;
  readonly receiver: Party;
  readonly item: {
    readonly name?: string;
    readonly description?: string;
    readonly weight?: number;
    readonly value?: number;
    readonly quantity?: number;
  };
  readonly service_type?: string;
}

export type Endpoint = "profile" | "create" | "list" | "detail" | "cancel" | "tracking" | "unknown";

export interface ReceivedRequest {
  readonly endpoint: Endpoint;
  /** Counts from 1 among the requests of its endpoint. */
  readonly number: number;
  readonly atMs: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An order as it really is, whatever is shown of it. */
export interface MadeOrder {
  readonly id: number;
  readonly orderNumber: string;
  readonly trackingNumber: string;
  readonly body: OrderBody;
  /** The body's JSON text as it was sent. */
  readonly text: string;
  /** Undefined for an order of another writer. */
  readonly request: ReceivedRequest | undefined;
  /** By the injected clock. */
  readonly committedAtMs: number;
  /** Its stamp, ISO 8601: skewed where the ways say so. */
  readonly createdAt: string;
  /** The same as it is shown. */
  readonly shownStamp: string;
  readonly status: "pending" | "cancelled";
}

/** A failure envelope; without a `code`, a web page such as a firewall or a proxy answers with. */
export interface Failure {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
  readonly details?: object;
  /** The interface has none in a failure. */
  readonly data?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * What becomes of a create request:
 * - `answered`: made and answered, unless another way says otherwise;
 * - `before`: connection destroyed, nothing made;
 * - `after`: made, then connection destroyed;
 * - `dropped`: connection destroyed at once, and made when the commit delay is over;
 * - `timeout`: made, never answered; the connection stays open;
 * - `timeout_before`: not made, never answered; the connection stays open.
 */
export type Fate = "answered" | "before" | "after" | "dropped" | "timeout" | "timeout_before";

/** The same for all requests of an endpoint, or a function of the request and of its number, which counts from 1. */
export type PerRequest<T> = T | ((request: ReceivedRequest, n: number) => T | undefined);

/** What a create does is decided by the ways at its arrival, what is shown by those at the time of asking. */
export interface Ways {
  /** Applied to what the list and the detail show. */
  readonly rewrite?: Rewriting;

  /** An order is in the list only so long after it was made. */
  readonly listLagMs?: number;
  /** An order can be read by its id only so long after it was made; a 404 with NOT_FOUND until then. */
  readonly detailLagMs?: number;

  /** A create is served once this is done. */
  readonly before?: (n: number) => Promise<unknown>;
  /** An order is made so long after its request came in, whatever became of the connection. */
  readonly commitDelayMs?: PerRequest<number>;
  /** created_at less the service's clock; the values of a list are used in turn, one an order. */
  readonly stampSkewMs?: number | readonly number[];
  /** created_at is shown so, in place of ISO 8601. */
  readonly writeStamp?: (iso: string) => string;
  /** The service's clock (Date header, today) less the injected one. */
  readonly dateSkewMs?: number;
  /** Answers have no Date header. */
  readonly hideDate?: boolean;

  /** Creates are answered so, and nothing is made. */
  readonly failWithoutCommit?: PerRequest<Failure>;
  /** Creates are answered so at once, and the order is made when the commit delay is over. */
  readonly failBeforeCommit?: PerRequest<Failure>;
  /** Creates are answered at once with the order of this id, and the own order is made when the commit delay is over. */
  readonly answerWith?: PerRequest<number>;
  /** Creates are answered so when the order was made. */
  readonly failAfterCommit?: PerRequest<Failure>;
  readonly loss?: (request: ReceivedRequest, n: number) => Fate;

  /** At most so many orders a page, whatever `limit` says. */
  readonly pageCap?: number;
  /** The pagination has neither total_items nor total_pages. */
  readonly hideTotals?: boolean;
  /** The list never shows an order for which this is true. */
  readonly omitFromList?: (order: MadeOrder, nowMs: number) => boolean;

  readonly refuseList?: PerRequest<Failure>;
  readonly refuseDetail?: PerRequest<Failure>;
  /** A date_to after the service's day in UTC is an INVALID_PARAMETER. */
  readonly refuseFutureDateTo?: boolean;
  /** The right key is refused: with this HTTP status; `200` is a failure envelope under HTTP 200. */
  readonly refuseKey?: "200" | "401" | "403";
}
