/** Puts runs into a home's ledger: of orders that the service has, and in states that commands seldom leave. */

import type { Clock } from "../../src/core/clock.ts";
import { identifyProcess, type ProcessIdentity } from "../../src/core/process-identity.ts";
import type { Customer } from "../../src/ledger/customers.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import type { Operation } from "../../src/ledger/operation.ts";
import type { RunSummary } from "../../src/ledger/runs.ts";
import type { ServedHome } from "./courier.ts";
import { plainDraft } from "./orders.ts";

type LedgerHome = Pick<ServedHome, "stateDir" | "sandbox"> & { readonly clock: Pick<Clock, "now"> };

export async function withLedger<T>(
  { stateDir }: Pick<ServedHome, "stateDir">,
  act: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const ledger = await openLedger(stateDir);
  try {
    return await act(ledger);
  } finally {
    await ledger.close();
  }
}

const environmentAccount = "(environment)";

function headersOf({ sandbox }: Pick<ServedHome, "sandbox">): Record<string, string> {
  return { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" };
}

/** Lets the ledger know whose key the home's environment holds, as the first command that sends does. */
export async function learnCustomer(
  home: LedgerHome,
  { account = environmentAccount, service = home.sandbox.baseUrl } = {},
): Promise<Customer> {
  const answer = await fetch(`${home.sandbox.baseUrl}/api/v1/user/profile`, { headers: headersOf(home) });
  const { data } = (await answer.json()) as { data: { id: number } };
  const { apiKey: key } = home.sandbox;
  return withLedger(home, (ledger) =>
    ledger.learnCustomer({ service, key, profileId: String(data.id), account }),
  );
}

export interface Order {
  readonly id: string;
  readonly tracking_number: string;
  readonly order_no: string;
}

/** Creates an order at the service, past courier. */
export async function createAtService(
  home: Pick<ServedHome, "sandbox">,
  draft: object = plainDraft,
): Promise<Order> {
  const answer = await fetch(`${home.sandbox.baseUrl}/api/v1/orders`, {
    method: "POST",
    headers: headersOf(home),
    body: JSON.stringify(draft),
  });
  const { data } = (await answer.json()) as { data: { id: number } & Omit<Order, "id"> };
  return { ...data, id: String(data.id) };
}

/** The state of an order at the service. */
export async function stateAtService({ sandbox }: Pick<ServedHome, "sandbox">, id: string): Promise<string> {
  const answer = await fetch(`${sandbox.baseUrl}/api/v1/orders/${id}`, { headers: headersOf({ sandbox }) });
  return ((await answer.json()) as { data: { status: string } }).data.status;
}

export type RecordedCreate = "ready" | "sending" | "created" | "found" | "refused" | "unsent" | "unknown";

export interface RecordedRun {
  readonly number: number;
  /** Of its operations; undefined for those that are no order. */
  readonly orders: readonly (Order | undefined)[];
}

export interface RunToRecord {
  readonly command?: string;
  readonly source?: string;
  readonly account?: string;
  /** Undefined leaves the run without an end. */
  readonly exit?: number | undefined;
  readonly process?: ProcessIdentity;
  readonly startedAtMs?: number;
}

/** To another receiver in each run, since an order in doubt holds back others to its receiver. */
function draftOf(run: number) {
  const receiver = { ...plainDraft.receiver, phone: `1390000${1_000 + run}`, detail: `${run} Other Street` };
  return { ...plainDraft, receiver };
}

/** Records an import with one operation for each state; orders are created at the service. */
export async function recordRun(
  home: LedgerHome,
  states: readonly RecordedCreate[],
  facts: RunToRecord = { exit: 0 },
): Promise<RecordedRun> {
  const { command = "orders import", source = "/srv/orders.csv", account = environmentAccount } = facts;
  const customer = await learnCustomer(home, { account });
  const orders: (Order | undefined)[] = [];
  return withLedger(home, async (ledger) => {
    const startedAtMs = facts.startedAtMs ?? home.clock.now();
    const process = facts.process ?? identifyProcess(globalThis.process);
    const service = home.sandbox.baseUrl;
    const run = await ledger.beginRun({
      command,
      source,
      account,
      service,
      customer: customer.id,
      process,
      startedAtMs,
    });
    const draft = run.number === 1 ? plainDraft : draftOf(run.number);
    for (const state of states)
      orders.push(state === "created" || state === "found" ? await createAtService(home, draft) : undefined);
    const rows = states.map((_, index) => ({
      row: index + 2,
      ref: `R-${run.number}-${index + 1}`,
      occurrence: 1,
      content: `${run.number}/${index}`,
      draft: draft as never,
      defaults: [],
    }));
    const file = { files: [run.number], shop: "", hasRef: () => false, countOf: () => 1 };
    const policy = {
      windowMs: 0,
      retryRefused: false,
      skipShipped: false,
      isAllowed: () => true,
    };
    const sent = { atMs: startedAtMs, offsetMs: undefined };
    const claimed = await ledger.claimRows(run, rows, file, policy, sent);
    await Promise.all(
      claimed.map(async ({ operation }, index) => {
        const state = states[index] ?? "ready";
        if (!operation || state === "sending") return;
        if (state === "ready") return ledger.markReady(operation, run.number);
        const made = orders[index];
        const order = made && {
          id: made.id,
          order_no: made.order_no,
          tracking_number: made.tracking_number,
          estimated_fee: null,
        };
        const rejection = {
          code: "INVALID_PARAMETER",
          message: "receiver.phone is wrong",
          field: "receiver.phone",
        };
        const outcome =
          order && (state === "created" || state === "found")
            ? { state, order }
            : state === "refused"
              ? { state, rejection }
              : state === "unknown"
                ? { state, loss: "broken" as const }
                : { state: "unsent" as const };
        await ledger.endCreate(operation, run.number, outcome, startedAtMs);
      }),
    );
    if (facts.exit !== undefined) await ledger.endRun(run.number, facts.exit, startedAtMs);
    return { number: run.number, orders };
  });
}

/** The runs of a home's ledger, the oldest first, each with its operations. */
export async function readRuns(
  home: Pick<ServedHome, "stateDir">,
): Promise<readonly (RunSummary & { readonly operations: readonly Operation[] })[]> {
  return withLedger(home, async (ledger) => {
    const runs = await ledger.listRuns({ limit: 1_000 });
    return Promise.all(
      runs.toReversed().map(async (run) => ({ ...run, operations: await ledger.listOperations(run.number) })),
    );
  });
}
