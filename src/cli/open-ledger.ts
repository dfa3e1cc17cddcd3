/** Opens the ledger of a run: this machine's own, or one that several machines share. */

import { findAccount } from "../config/accounts.ts";
import type { Keys } from "../config/api-keys.ts";
import type { ConfigStore } from "../config/store.ts";
import type { Clock } from "../core/clock.ts";
import { CourierError } from "../core/errors.ts";
import { type Ledger, openLedger } from "../ledger/ledger.ts";
import { ledgerPath } from "../ledger/ledger-file.ts";
import type { Run } from "../ledger/operation.ts";

interface OpenOptions {
  readonly stateDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly limitMs: () => number | undefined;
  readonly note: (text: string) => void;
  readonly keys: Pick<Keys, "askPassword">;
}

/** `shared` is the address of a shared one. */
export async function openLedgerOf(shared: string | undefined, options: OpenOptions): Promise<Ledger> {
  const { stateDirectory, env, note, keys, ...wait } = options;
  if (shared === undefined) {
    const file = ledgerPath(stateDirectory);
    const onLongWait = () => note(`waiting for another courier process that is writing to ${file}…`);
    return openLedger(stateDirectory, { ...wait, onLongWait });
  }
  const [{ openSharedLedger }, { parseAddress }] = await Promise.all([
    import("../ledger/shared/shared-ledger.ts"),
    import("../postgres/address.ts"),
  ]);
  const source = shared === env.COURIER_LEDGER ? "COURIER_LEDGER" : "the account's ledger";
  const address = parseAddress(shared, source, env, keys.askPassword);
  return openSharedLedger({
    ...wait,
    address,
    stateDirectory,
    onLongWait: () => note(`waiting for ${address.place}…`),
  });
}

/** An account without a key sends nothing, and its ledger can be read. */
export async function findKeylessAccount(store: ConfigStore, named: string | undefined) {
  const config = await store.read().catch(() => undefined);
  const name = named ?? config?.current;
  return { kind: "keyless", ledger: config && name ? findAccount(config, name)?.ledger : undefined } as const;
}

/**
 * Throws, exit 5, where the account of a run that has just begun, or could not, records its orders in another ledger than when
 * this command has opened it. Who changes that searches for runs before and after the change (ledgers/use.ts).
 */
export async function ensureSameLedger(
  account: string,
  run: Run | undefined,
  opened: string | undefined,
  store: ConfigStore,
  ledger: Ledger,
  clock: Clock,
): Promise<void> {
  const present = findAccount(await store.read(), account)?.ledger;
  if (present === opened) return;
  if (run) await ledger.endRun(run.number, 5, clock.now());
  throw new CourierError(
    "database",
    5,
    `the ledger of the account ${account} was changed meanwhile: nothing was sent`,
    { hint: "run the same command again: it uses the present ledger" },
  );
}
