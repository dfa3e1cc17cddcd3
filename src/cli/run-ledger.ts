/** The ledgers of a run, and the run that the one of its account records. */

import type { CourierService } from "../api/service.ts";
import type { CustomerOptions, RunFacts } from "../command/command.ts";
import { ordersOwnerOf, tagOfKey } from "../command/orders-owner.ts";
import { type ActiveAccount, serviceOf as addressOf } from "../config/accounts.ts";
import type { Keys } from "../config/api-keys.ts";
import type { ConfigStore } from "../config/store.ts";
import type { Clock } from "../core/clock.ts";
import type { ExitCode } from "../core/errors.ts";
import { lazy } from "../core/lazy.ts";
import { identifyProcess, type SystemProcesses } from "../core/process-identity.ts";
import { shellQuote } from "../core/shell-quote.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Run } from "../ledger/operation.ts";
import type { Messages } from "../terminal/messages.ts";
import type { GlobalValues } from "./globals.ts";
import { given, type Host } from "./host.ts";

/** Time limit for the ledger once the result is written; other processes hold it for milliseconds. */
const afterResultMs = 250;
/** The same for the end of a run that sends orders: later runs need not check whether it still works. */
const endOfRunMs = 5_000;

interface Deps {
  readonly account: () => Promise<ActiveAccount>;
  readonly address: () => Promise<{ readonly apiKey: string }>;
  readonly service: () => Promise<CourierService>;
  readonly config: ConfigStore;
  readonly keys: Keys;
  readonly stateDirectory: string;
  readonly env: Host["env"];
  readonly globals: Pick<GlobalValues, "account" | "form">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly messages: Messages;
  readonly nextCommand: (words: string) => string;
  readonly processes: SystemProcesses;
}

const ordering: readonly string[] = ["orders create", "orders import", "api POST orders"];

export function openRunLedger({
  account,
  address,
  service,
  config,
  keys,
  stateDirectory,
  env,
  globals,
  clock,
  signal,
  messages,
  nextCommand,
  processes,
}: Deps) {
  /** Time limit for the ledger; the default where undefined. */
  let waitLimitMs: number | undefined;
  let openedLedger: Promise<Ledger> | undefined;
  const ledger = (): Promise<Ledger> => {
    openedLedger ??= sharedLedger().then(openLedgerAt);
    return openedLedger;
  };

  async function openLedgerAt(shared: string | undefined): Promise<Ledger> {
    const { openLedgerOf } = await import("./open-ledger.ts");
    return openLedgerOf(shared, {
      stateDirectory,
      env,
      clock,
      signal,
      limitMs: () => waitLimitMs,
      note: messages.note,
      keys,
    });
  }

  let openedLocal: Promise<Ledger> | undefined;
  async function localLedger(): Promise<Ledger> {
    if (!(await sharesLedger())) return ledger();
    openedLocal ??= openLedgerAt(undefined);
    return openedLocal;
  }

  /** The address of the ledger that other machines use, too. The sandbox is on this machine alone. */
  const sharedLedger = lazy(async () => {
    const active = await account().catch(async () => {
      const { findKeylessAccount } = await import("./open-ledger.ts");
      return findKeylessAccount(config, globals.account ?? given(env.COURIER_ACCOUNT));
    });
    if (active?.kind === "sandbox") return undefined;
    return given(env.COURIER_LEDGER) ?? active?.ledger;
  });

  const sharesLedger = async () => (await sharedLedger()) !== undefined;

  const otherCustomers = new Set<number>();
  async function customer(options?: CustomerOptions) {
    // Without a ledger nothing is sent, so it is opened before the service is asked.
    return customerIn(await ledger(), otherCustomers, options);
  }

  async function customerIn(
    book: Ledger,
    others: Set<number>,
    { isFresh = false, makesNoOrder = false }: CustomerOptions = {},
  ) {
    const { identifyCustomer } = await import("../sending/customer.ts");
    const [active, { apiKey }] = [await account(), await address()];
    const search = { ledger: book, service: await service(), account: active, apiKey, isFresh, makesNoOrder };
    return identifyCustomer({ ...search, others, note: messages.note, nextCommand });
  }

  async function knownCustomer() {
    const active = await account();
    const { hasLedger } = await import("../ledger/ledger-file.ts");
    if (!(await sharesLedger()) && !hasLedger(stateDirectory)) return undefined;
    if (active.kind === "sandbox") return customer(); // the embedded one: its profile takes no call over a network
    return (await ledger()).findCustomer(addressOf(active), (await address()).apiKey);
  }

  /** What answers have shown may be unknown to this ledger: one on a server was not opened, or it was restored since. */
  async function recordCached(active: ActiveAccount, customer: number, book: Ledger): Promise<void> {
    const { readCachedOrders } = await import("../ledger/order-cache.ts");
    // An earlier key of the account may be another customer's, whose ids name other orders.
    const keyTag = tagOfKey((await address()).apiKey);
    const ofKey = readCachedOrders(stateDirectory, ordersOwnerOf(active)).filter(
      (order) => order.keyTag === keyTag,
    );
    const cached = ofKey.flatMap(({ id }) => id ?? []);
    if (cached.length > 0) await book.recordSeen(customer, cached, clock.now());
  }

  let begun: Promise<Run> | undefined;
  let begunCommand: string | undefined;
  async function record({ command, source, undoes }: RunFacts): Promise<Run> {
    const makesNoOrder = !ordering.includes(command);
    const [active, known] = [await account(), await customer({ makesNoOrder })];
    const [{ name }, { id }] = [active, known];
    const facts = { command, source, undoes, account: name, service: addressOf(active), customer: id };
    const identity = identifyProcess(processes);
    const book = await ledger();
    // A key in the environment is none of a stored account, which the flag would lead to.
    const isKeyInEnv = active.kind === "remote" && active.key.place === "given";
    const flag = isKeyInEnv || globals.account !== undefined ? "" : ` --account ${shellQuote(name)}`;
    const commandOf = (words: string) => nextCommand(`${words}${flag}`);
    if (!makesNoOrder && active.kind === "remote") await recordCached(active, id, book);
    /** Once the run has begun: who takes marks back looks for it (ledgers/ledger-place.ts). */
    const markLocal = async (run: Run) => {
      if (makesNoOrder || active.kind !== "remote" || !book.isShared) return;
      const { markLocalLedger } = await import("../ledgers/mark-local.ts");
      const { apiKey } = await address();
      const places = { shared: book, localLedger, stateDirectory, env, clock, processes, signal, messages };
      const identify = async (local: Ledger) => customerIn(local, new Set(), { makesNoOrder: true });
      const kept = given(env.COURIER_LEDGER) ? undefined : { config, commandOf };
      const marking = { account: active, apiKey, customer: known, identify, kept, ...places };
      await markLocalLedger(marking).catch(async (error) => {
        await book.endRun(run.number, 5, clock.now());
        throw error;
      });
    };
    const ensureSame = async (run: Run | undefined) => {
      if (active.kind !== "remote" || given(env.COURIER_LEDGER)) return;
      const { ensureSameLedger } = await import("./open-ledger.ts");
      await ensureSameLedger(name, run, await sharedLedger(), config, book, clock);
    };
    const begin = book.beginRun({ ...facts, process: identity, startedAtMs: clock.now() });
    const run = await begin.catch(async (error) => {
      await ensureSame(undefined);
      const { withCommands } = await import("../ledger/local-store.ts");
      throw withCommands(error, isKeyInEnv, commandOf);
    });
    // An update may take the files of the program away while the run sends.
    if (globals.form === "human") await import("../terminal/render.ts");
    await ensureSame(run);
    await markLocal(run);
    return run;
  }
  const beginRun = (facts: RunFacts): Promise<Run> => {
    begunCommand ??= facts.command;
    begun ??= record(facts).catch((error) => {
      // A person may make room on the disk, and try again.
      begun = undefined;
      begunCommand = undefined;
      throw error;
    });
    return begun;
  };

  /** Settles the operations that this run left open, so that no other run has to find out that it ended. */
  async function close(exit: ExitCode): Promise<void> {
    // It has nothing but drafts and orders for the Tab key.
    await openedLocal?.then((local) => local.close()).catch(() => undefined);
    const book = await openedLedger?.catch(() => undefined);
    if (!book) return;
    try {
      const run = await begun?.catch(() => undefined);
      if (run) {
        waitLimitMs = endOfRunMs;
        await book.releaseRun(run.number, clock.now());
        await book.endRun(run.number, exit, clock.now());
      }
      await book.close();
    } catch (error) {
      await book.close().catch(() => undefined); // a connection would keep the process alive
      if (begun === undefined) return; // nothing but orders for the Tab key
      messages.warnAlways(
        `the end of this run could not be recorded: ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  return {
    ledger,
    localLedger,
    sharedLedger,
    sharesLedger,
    customer,
    knownCustomer,
    beginRun,
    /** The command that has begun a run, which makes, cancels or settles orders. */
    begunCommand: () => begunCommand,
    hasOpenLedger: () => openedLedger !== undefined,
    hasOpened: () => openedLedger !== undefined || openedLocal !== undefined,
    /** Shortens the time limit for what is still to be read or recorded. */
    noteResultIsOut(): void {
      waitLimitMs = afterResultMs;
    },
    close,
  };
}
