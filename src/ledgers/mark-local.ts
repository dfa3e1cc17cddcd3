/** Marks the customer of a run that sends orders to a shared ledger: this machine's own would not know them. */

import { type ActiveAccount, serviceOf } from "../config/accounts.ts";
import type { ConfigStore } from "../config/store.ts";
import type { Clock } from "../core/clock.ts";
import { CourierError } from "../core/errors.ts";
import type { SystemProcesses } from "../core/process-identity.ts";
import { byCount, counted } from "../core/wording.ts";
import type { Customer } from "../ledger/customers.ts";
import { type Ledger, openLedgerFile } from "../ledger/ledger.ts";
import { hasLedger } from "../ledger/ledger-file.ts";
import { changeMarks, type Moved, readMoved } from "../ledger/moved.ts";
import { isSameDatabase, parseAddress } from "../postgres/address.ts";
import { quoteAddress, showAddress } from "../postgres/shown-address.ts";
import { mayPass } from "../sqlite/database-errors.ts";
import type { Messages } from "../terminal/messages.ts";
import { ensureNoneRuns, findMissing, findNewest, restoreMarks } from "./ledger-place.ts";

interface Marking {
  readonly account: Extract<ActiveAccount, { kind: "remote" }>;
  readonly apiKey: string;
  /** As the shared ledger knows it. */
  readonly customer: Customer;
  /** The customer of the key as another ledger knows it: without a profile, the orders that the service shows tell. */
  readonly identify: (ledger: Ledger) => Promise<Customer>;
  readonly shared: Ledger;
  /** Of a ledger that is kept with the account, and not named by COURIER_LEDGER. */
  readonly kept: { readonly config: ConfigStore; commandOf(words: string): string } | undefined;
  readonly localLedger: () => Promise<Ledger>;
  readonly stateDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly processes: SystemProcesses;
  readonly signal: AbortSignal;
  readonly messages: Pick<Messages, "warn" | "trace">;
}

/**
 * Throws a usage error while a run sends from the file, and `database`, exit 5, where a ledger that is kept with the account
 * lacks orders of the customer, or may lack them, as the file cannot be read. The run goes on where the file cannot be
 * written, such as on a read-only disk: nothing is sent from there either.
 */
export async function markLocalLedger(marking: Marking): Promise<void> {
  const { signal, messages, kept } = marking;
  let refusal: CourierError | undefined;
  try {
    refusal = await mark(marking);
  } catch (error) {
    const isRefusal = error instanceof CourierError && error.code === "usage";
    if (signal.aborted || isRefusal) throw error;
    const why = error instanceof Error ? error.message : String(error);
    if (kept && (await mayKnowMore(marking)))
      throw new CourierError(
        "database",
        5,
        `this machine's own ledger may have orders of this customer that ${showAddress(marking.shared.path).place} does not know: nothing was sent: ${why}`,
        { cause: error, hint: error instanceof CourierError ? error.hint : undefined },
      );
    // A file that is only locked, or on a full disk, can send again later.
    messages[mayPass(error) ? "warn" : "trace"](
      `a run ${kept ? "from this machine's own ledger" : "without COURIER_LEDGER"} would not know what this one sends: ${why}`,
    );
  }
  if (refusal) throw refusal;
}

/** Of a file that cannot be written. True also where it cannot be read, and without a profile for any customer of the service. */
async function mayKnowMore(marking: Marking): Promise<boolean> {
  const { account, customer, shared, localLedger, stateDirectory, env, ...wait } = marking;
  if (!hasLedger(stateDirectory)) return false;
  const service = serviceOf(account);
  const mayBeSame = (each: Omit<Customer, "id">) =>
    each.service === service &&
    (each.profileId === customer.profileId || [each.profileId, customer.profileId].includes(undefined));
  const address = parseAddress(shared.path, "the ledger", env, async () => "");
  try {
    const sent = await (await localLedger()).runsThatSent({ service });
    const file = await openLedgerFile(stateDirectory, wait);
    const marks = await readMoved(file).finally(() => file.close());
    const isHere = (mark: Moved) => isSameDatabase(mark.address, address, env);
    if (marks.some((mark) => mayBeSame(mark) && !isHere(mark))) return true;
    // What the customers that use it lack there was accepted.
    const here = new Set(marks.filter(isHere).map((mark) => mark.customer));
    const open = sent.filter((run) => mayBeSame(run) && !here.has(run.customer));
    const { unknown, partlyKnown } = await findMissing(open, shared);
    return unknown.length + partlyKnown.length > 0;
  } catch (error) {
    if (wait.signal.aborted) throw error;
    return true;
  }
}

/** Returns why the run must not send. */
async function mark(marking: Marking): Promise<CourierError | undefined> {
  const { account, apiKey, customer, identify, shared, localLedger, kept, ...rest } = marking;
  const { stateDirectory, env, clock, processes, signal, messages } = rest;
  const local = await localLedger();
  const [service, { profileId }] = [serviceOf(account), customer];
  const learn = () => local.learnCustomer({ service, key: apiKey, profileId, account: account.name });
  const known = await local.findCustomer(service, apiKey);
  const { id } =
    profileId === undefined
      ? await identify(local).catch(() => known ?? learn())
      : known?.profileId === profileId
        ? known
        : await learn();
  const file = await openLedgerFile(stateDirectory, { clock, signal });
  try {
    const before = (await readMoved(file)).find((each) => each.customer === id)?.address;
    const address = parseAddress(shared.path, "COURIER_LEDGER", env, async () => "");
    if (before !== undefined && isSameDatabase(before, address, env)) return undefined;
    const refuse = (message: string, chosen: string) => {
      const hint = kept?.commandOf(`ledger use ${quoteAddress(chosen)}`);
      return new CourierError("database", 5, `${message}: nothing was sent`, {
        hint: `to choose a ledger for them: ${hint}`,
      });
    };
    const has = `${showAddress(before ?? "").place} has the orders of this customer so far`;
    if (before !== undefined && kept) {
      const { accounts } = await kept.config.read();
      const [other] = Object.entries(accounts).find(([, { ledger }]) => ledger === before) ?? [];
      if (other !== undefined) return refuse(`${has}, and the account ${other} uses it`, before);
      return refuse(`${has}, and ${address.place} may not know them`, address.text);
    }
    const compare = async () => {
      await ensureNoneRuns(local, (run) => run.customer === id, { processes });
      const { unknown, partlyKnown } = await findMissing(
        await local.runsThatSent({ customers: [id] }),
        shared,
      );
      return unknown.length + partlyKnown.length;
    };
    let count = await compare();
    // The customer's other accounts should use the one that is kept with this account.
    const isNew = before === undefined ? !kept || count === 0 : !kept && before !== account.ledger;
    if (isNew) {
      const newest = await findNewest(shared);
      const marks = await changeMarks(file, new Map([[id, address.text]]));
      const undo = () => restoreMarks(file, { marks, address: address.text, shared, newest });
      try {
        // A run may have begun meanwhile. One that begins later sees the mark.
        count = await compare();
        if (kept && count > 0) await undo();
      } catch (error) {
        await undo();
        throw error;
      }
    }
    if (before !== undefined) {
      messages.warn(`${has}: what ${address.place} does not know of them could be sent twice`);
      return undefined;
    }
    if (count === 0) return undefined;
    const lacks = `${address.place} does not know ${counted(count, "run")} of this customer in ${local.path}`;
    const twice = `what ${byCount(count, "it", "they")} sent could be sent twice`;
    if (kept) return refuse(`${lacks}, and ${twice}`, address.text);
    messages.warn(`${lacks}: ${twice}; without COURIER_LEDGER, courier log shows it`);
    return undefined;
  } finally {
    file.close();
  }
}
