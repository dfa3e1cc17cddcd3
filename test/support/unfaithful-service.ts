/**
 * A service on loopback that keeps to the specification's endpoints and shapes, and can be unfaithful in
 * what it shows, when it shows it and what it answers. It remembers the truth for tests to compare with.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text as readText } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Clock } from "../../src/core/clock.ts";
import { isCalendarDate } from "../../src/core/time.ts";
import { createHome, type Home } from "./courier.ts";
import { detail, listElement, type ShownOrder, type View } from "./shown-order.ts";
import type {
  Endpoint,
  Failure,
  MadeOrder,
  OrderBody,
  PerRequest,
  ReceivedRequest,
  Ways,
} from "./unfaithful-ways.ts";

export interface UnfaithfulServiceOptions {
  readonly clock: Clock;
  /** The one key that is accepted. */
  readonly apiKey: string;
  readonly ways?: Ways;
}

export interface UnfaithfulService {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** May be replaced while the service runs. */
  ways: Ways;
  /** The orders that are made by now, oldest first. */
  readonly orders: readonly MadeOrder[];
  /** Requests that came in whole, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  /** Orders that wait for their commit delay to pass. */
  readonly uncommitted: number;
  /** Resolves when so many requests of an endpoint have come in since the start. */
  received(endpoint: Endpoint, count: number): Promise<void>;
  /** Adds an order as another writer would. */
  foreign(body: OrderBody): MadeOrder;
  /** Ends every connection at once; what is not committed never is. */
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A create that was taken in and is not committed yet. */
interface Uncommitted {
  dueMs: number;
  readonly commit: () => void;
  cancelTimer: () => void;
}

/** Longer than any client keeps an idle connection, so that no request meets a closing one. */
const keepAliveMs = 60_000;

const endpoints: readonly (readonly [Endpoint, method: string, path: RegExp])[] = [
  ["profile", "GET", /^\/api\/v1\/user\/profile$/],
  ["create", "POST", /^\/api\/v1\/orders$/],
  ["list", "GET", /^\/api\/v1\/orders$/],
  ["detail", "GET", /^\/api\/v1\/orders\/([^/]+)$/],
  ["cancel", "DELETE", /^\/api\/v1\/orders\/([^/]+)$/],
  ["tracking", "GET", /^\/api\/v1\/tracking\/([^/]+)$/],
];

export async function startUnfaithfulService(options: UnfaithfulServiceOptions): Promise<UnfaithfulService> {
  const { clock, apiKey } = options;
  const orders: MadeOrder[] = [];
  const requests: ReceivedRequest[] = [];
  const uncommitted = new Set<Uncommitted>();
  const arrivals = new Set<() => void>();
  const sockets = new Set<Socket>();

  const serviceMs = () => clock.now() + (service.ways.dateSkewMs ?? 0);
  const countOf = (endpoint: Endpoint) => requests.filter((request) => request.endpoint === endpoint).length;

  /** Commits what is due. A clock that moved without its timers is noticed at the next request or question. */
  function commitDue(): void {
    const due = [...uncommitted].filter(({ dueMs }) => dueMs <= clock.now());
    for (const entry of due.sort((a, b) => a.dueMs - b.dueMs)) {
      uncommitted.delete(entry);
      entry.cancelTimer();
      entry.commit();
    }
  }

  /** Resolves when the order is made; an order without a delay is made before this returns. */
  function commitLater(text: string, request: ReceivedRequest, delayMs: number, ways: Ways) {
    return new Promise<MadeOrder>((resolve) => {
      const dueMs = clock.now() + delayMs;
      const commit = () => resolve(make(text, request, entry.dueMs, ways));
      const entry: Uncommitted = { dueMs, commit, cancelTimer: () => {} };
      uncommitted.add(entry);
      if (delayMs > 0) entry.cancelTimer = clock.after(delayMs, expire);
      commitDue();

      function expire(): void {
        entry.dueMs = Math.min(entry.dueMs, clock.now()); // timers may be early, and clocks be set back
        commitDue();
      }
    });
  }

  function make(
    text: string,
    request: ReceivedRequest | undefined,
    committedAtMs: number,
    { dateSkewMs = 0, stampSkewMs = 0, writeStamp = (iso) => iso }: Ways,
  ): MadeOrder {
    const skews = typeof stampSkewMs === "number" ? [stampSkewMs] : stampSkewMs;
    const createdMs = committedAtMs + dateSkewMs + (skews[orders.length % skews.length] ?? 0);
    const createdAt = new Date(createdMs).toISOString();
    const id = orders.length + 1;
    const digits = String(id).padStart(8, "0");
    const order: MadeOrder = {
      id,
      orderNumber: `UO${digits}`,
      trackingNumber: `UT${digits}`,
      body: JSON.parse(text),
      text,
      request,
      committedAtMs,
      createdAt,
      shownStamp: writeStamp(createdAt),
      status: "pending",
    };
    orders.push(order);
    return order;
  }

  function record(request: IncomingMessage, body: string): { request: ReceivedRequest; parameter: string } {
    const { method = "" } = request;
    const { pathname: path, searchParams } = new URL(request.url ?? "", "http://service");
    const [endpoint = "unknown", , pattern] =
      endpoints.find(([, verb, route]) => verb === method && route.test(path)) ?? [];
    const query = Object.fromEntries(searchParams);
    const number = countOf(endpoint) + 1;
    const received = { endpoint, number, atMs: clock.now(), method, path, query, body };
    requests.push(received);
    for (const notify of arrivals) notify();
    return { request: received, parameter: decodeURIComponent(pattern?.exec(path)?.[1] ?? "") };
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(incoming);
    const { request, parameter } = record(incoming, body);
    commitDue();
    const hasKey = incoming.headers.authorization === `Bearer ${apiKey}`;
    const answer = await serve(request, parameter, hasKey).catch((error) =>
      failed(500, "INTERNAL", `${error}`),
    );
    if (answer === "destroy") response.destroy();
    else if (answer !== "silence") send(response, answer);
  }

  async function serve(
    request: ReceivedRequest,
    parameter: string,
    hasKey: boolean,
  ): Promise<Answer | "destroy" | "silence"> {
    const { refuseKey } = service.ways;
    if (!hasKey) return failed(401, "UNAUTHORIZED", "unknown key");
    if (refuseKey)
      return failed(Number(refuseKey), refuseKey === "403" ? "FORBIDDEN" : "UNAUTHORIZED", "key refused");
    switch (request.endpoint) {
      case "profile":
        return succeeded({
          id: 1,
          name: "Test",
          email: "test@example.com",
          balance: 100,
          api_calls_remaining: 1000,
        });
      case "create":
        return create(request);
      case "list":
        return list(request);
      case "detail":
        return showDetail(request, parameter);
      case "cancel":
        return cancel(parameter);
      case "tracking":
        return track(parameter);
      case "unknown":
        return failed(404, "NOT_FOUND", `${request.method} ${request.path} does not exist`);
    }
  }

  async function create(request: ReceivedRequest): Promise<Answer | "destroy" | "silence"> {
    const { ways } = service;
    if (ways.before) await ways.before(request.number);
    const fate = ways.loss?.(request, request.number) ?? "answered";
    if (fate === "before") return "destroy";
    if (fate === "timeout_before") return "silence";
    const refusal = choose(ways.failWithoutCommit, request);
    if (refusal) return toAnswer(refusal);
    const mistake = findMistake(request.body);
    if (mistake) return toAnswer(mistake);

    const early = choose(ways.failBeforeCommit, request);
    const late = choose(ways.failAfterCommit, request);
    const committed = commitLater(request.body, request, choose(ways.commitDelayMs, request) ?? 0, ways);
    if (fate === "dropped") return "destroy";
    if (early && fate === "answered") return toAnswer(early);
    const otherId = choose(ways.answerWith, request);
    const order = orders.find(({ id }) => id === otherId) ?? (await committed);
    if (fate === "after") return "destroy";
    if (fate === "timeout") return "silence";
    return late
      ? toAnswer(late)
      : { ...succeeded(creationResult(order), { message: "created" }), status: 201 };
  }

  function list(request: ReceivedRequest): Answer {
    const { ways } = service;
    const refusal = choose(ways.refuseList, request) ?? findQueryMistake(request.query, ways, serviceMs());
    if (refusal) return toAnswer(refusal);
    const { status, date_from = "", date_to = "9999", page = "1", limit = "10" } = request.query;
    const matching = orders.filter(
      (order) =>
        isVisible(order, ways.listLagMs) &&
        !ways.omitFromList?.(order, clock.now()) &&
        (status === undefined || order.status === status) &&
        order.createdAt.slice(0, 10) >= date_from &&
        order.createdAt.slice(0, 10) <= date_to,
    );
    const perPage = Math.min(Number(limit), ways.pageCap ?? Number.POSITIVE_INFINITY);
    const first = (Number(page) - 1) * perPage;
    const shown = matching.toReversed().slice(first, first + perPage);
    const total_pages = Math.ceil(matching.length / perPage);
    const totals = ways.hideTotals ? {} : { total_pages, total_items: matching.length };
    return succeeded(
      shown.map((order) => listElement(rewrite(order, "list"))),
      { pagination: { current_page: Number(page), ...totals, per_page: perPage } },
    );
  }

  function showDetail(request: ReceivedRequest, id: string): Answer {
    const refusal = choose(service.ways.refuseDetail, request);
    if (refusal) return toAnswer(refusal);
    const order = orders.find((each) => String(each.id) === id);
    if (!order || !isVisible(order, service.ways.detailLagMs)) return notFound(`order ${id}`);
    return succeeded(detail(rewrite(order, "detail")));
  }

  function cancel(id: string): Answer {
    const index = orders.findIndex((order) => String(order.id) === id);
    const order = orders[index];
    if (!order) return notFound(`order ${id}`);
    if (order.status !== "pending") return failed(409, "NOT_CANCELLABLE", `order ${id} is ${order.status}`);
    orders[index] = { ...order, status: "cancelled" };
    return { status: 200, body: { success: true, message: "cancelled" } };
  }

  function track(trackingNumber: string): Answer {
    const order = orders.find((each) => each.trackingNumber === trackingNumber);
    if (!order) return notFound(`parcel ${trackingNumber}`);
    const { status, createdAt, body } = order;
    return succeeded({
      tracking_number: trackingNumber,
      status,
      current_location: body.sender.city,
      estimated_delivery: createdAt,
      records: [{ location: body.sender.city, description: "created", occurred_at: createdAt }],
    });
  }

  function isVisible(order: MadeOrder, lagMs = 0): boolean {
    return lagMs === 0 || order.committedAtMs + lagMs <= clock.now();
  }

  function rewrite(order: MadeOrder, view: View): ShownOrder {
    const shown = faithfulView(order);
    return service.ways.rewrite?.(shown, view) ?? shown;
  }

  function send(response: ServerResponse, { status, body, headers }: Answer): void {
    const isPage = typeof body === "string";
    response.sendDate = false;
    response.writeHead(status, {
      ...(service.ways.hideDate ? {} : { Date: new Date(serviceMs()).toUTCString() }),
      "Content-Type": isPage ? "text/html" : "application/json",
      ...headers,
    });
    response.end(isPage ? body : JSON.stringify(body));
  }

  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    // A client that went away: nobody is left to be answered.
    handle(request, response).catch(() => response.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  const service: UnfaithfulService = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey,
    ways: options.ways ?? {},
    requests,
    get orders() {
      commitDue();
      return orders;
    },
    get uncommitted() {
      commitDue();
      return uncommitted.size;
    },
    received: (endpoint, count) =>
      new Promise((resolve) => {
        const notify = () => {
          if (countOf(endpoint) < count) return;
          arrivals.delete(notify);
          resolve();
        };
        arrivals.add(notify);
        notify();
      }),
    foreign(body) {
      commitDue();
      return make(JSON.stringify(body), undefined, clock.now(), service.ways);
    },
    async close() {
      for (const { cancelTimer } of uncommitted) cancelTimer();
      uncommitted.clear();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return service;
}

export interface UnfaithfulHome extends Home {
  readonly service: UnfaithfulService;
  /** Sets the clock of the machine, and not that of the service, which its `Date` headers tell. */
  setOwnClock(byMs: number): void;
}

/** A home whose environment names an unfaithful service, started for this test on the same clock, which ticks alike. */
export async function createUnfaithfulHome(ways: Ways = {}): Promise<UnfaithfulHome> {
  const apiKey = "test-key-0123456789";
  const env: Record<string, string> = { COURIER_API_KEY: apiKey };
  const home = await createHome(env);
  let aheadMs = 0;
  const clock = { ...home.clock, now: () => home.clock.now() - aheadMs };
  const service = await startUnfaithfulService({ clock, apiKey, ways });
  onTestFinished(() => service.close());
  env.COURIER_BASE_URL = service.baseUrl;
  const setOwnClock = (byMs: number) => {
    aheadMs += byMs;
    home.clock.jump(byMs);
  };
  return { ...home, service, setOwnClock };
}

function choose<T extends number | object>(
  way: PerRequest<T> | undefined,
  request: ReceivedRequest,
): T | undefined {
  return typeof way === "function" ? way(request, request.number) : way;
}

function succeeded(data: object, beside: object = {}): Answer {
  return { status: 200, body: { success: true, data, ...beside } };
}

function failed(status: number, code: string, message: string): Answer {
  return toAnswer({ status, code, message });
}

function notFound(what: string): Answer {
  return failed(404, "NOT_FOUND", `${what} does not exist`);
}

function toAnswer({ status, code, message = code, details, data, headers = {} }: Failure): Answer {
  const page = `<!doctype html><title>${status}</title><h1>${status}</h1>`;
  const body = code === undefined ? page : { success: false, data, error: { code, message, details } };
  return { status, body, headers };
}

function invalidParameter(field: string, value: unknown): Failure {
  const message = `${field} is malformed`;
  return { status: 400, code: "INVALID_PARAMETER", message, details: { field, value: value ?? null } };
}

/** Only what the service could not work with: 4.2 requires three objects. */
function findMistake(text: string): Failure | undefined {
  let body: Partial<Record<string, unknown>>;
  try {
    body = JSON.parse(text);
  } catch {
    return { status: 400, code: "INVALID_JSON" };
  }
  const isObject = (value: unknown) => typeof value === "object" && value !== null;
  const wrong = ["sender", "receiver", "item"].find((name) => !isObject(body?.[name]));
  return wrong === undefined ? undefined : invalidParameter(wrong, body?.[wrong]);
}

/** 4.3: limit is at most 100, and dates are YYYY-MM-DD. */
function findQueryMistake(
  query: ReceivedRequest["query"],
  { refuseFutureDateTo }: Ways,
  nowMs: number,
): Failure | undefined {
  const { page = "1", limit = "10", date_from, date_to } = query;
  if (!/^[1-9]\d{0,8}$/.test(page)) return invalidParameter("page", page);
  if (!/^([1-9]\d?|100)$/.test(limit)) return invalidParameter("limit", limit);
  if (date_from !== undefined && !isCalendarDate(date_from)) return invalidParameter("date_from", date_from);
  if (date_to === undefined) return undefined;
  const isLate = refuseFutureDateTo && date_to > new Date(nowMs).toISOString().slice(0, 10);
  return isLate || !isCalendarDate(date_to) ? invalidParameter("date_to", date_to) : undefined;
}

function creationResult({ id, orderNumber, trackingNumber, status, shownStamp }: MadeOrder): object {
  const numbers = { id, order_no: orderNumber, tracking_number: trackingNumber };
  return { ...numbers, status, estimated_fee: 12.5, created_at: shownStamp };
}

/** What a service without any ways of its own shows; what was sent without a service_type is `standard`. */
function faithfulView(order: MadeOrder): ShownOrder {
  const { sender, receiver, item, service_type = "standard" } = order.body;
  return {
    id: order.id,
    order_no: order.orderNumber,
    tracking_number: order.trackingNumber,
    status: order.status,
    payment_status: "unpaid",
    service_type,
    estimated_fee: 12.5,
    actual_fee: 0,
    created_at: order.shownStamp,
    updated_at: order.shownStamp,
    sender: { ...sender },
    receiver: { ...receiver },
    item: { ...item },
  };
}
