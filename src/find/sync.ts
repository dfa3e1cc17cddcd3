/** `courier sync`: brings the local copy of the account's orders up to date (4.3 and 4.4). */

import { platform } from "node:os";
import { ServiceFailure } from "../api/failure.ts";
import type { CourierService } from "../api/service.ts";
import { mirrorOwner, openAccountMirror } from "../command/account-mirror.ts";
import { checkApiQuota } from "../command/api-quota.ts";
import { type Context, defineCommand, document } from "../command/command.ts";
import { claimMirror, isMirrorOf } from "../command/mirror-customer.ts";
import { countOption, switchOption } from "../command/options.ts";
import { CourierError, usageError } from "../core/errors.ts";
import { byCount, counted } from "../core/wording.ts";
import { type Mirror, openMirror } from "../mirror/mirror.ts";
import { deleteMirror, hasMirror } from "../mirror/mirror-files.ts";
import type { MirrorOwner } from "../mirror/mirror-path.ts";
import type { SyncResult } from "../model/results.ts";
import { findDriver } from "../sqlite/database.ts";
import { line } from "../terminal/blocks.ts";
import { lookUpDetails, type SyncTools, syncMirror, verifyMirror } from "./sync-mirror.ts";

export const syncOrders = defineCommand({
  description:
    "The mirror is a copy of your orders on this machine, which courier find searches without a call. The first\n" +
    "sync reads the whole list; later ones read what is new and what may have changed. A list never has phones\n" +
    "and addresses: orders that this machine created have them, others need --fetch-details N, one call an order.\n" +
    "courier logout deletes the mirror.",
  arguments: {},
  options: {
    fetchDetails: countOption("N", "also look up the newest N orders whose phones are not known", { min: 1 }),
    verify: switchOption("count the orders of each state at the service, and list again what differs"),
    rebuild: switchOption("delete the mirror first, and read the whole list again"),
  },
  confirms: true,
  examples: [
    { line: "sync", note: "new and changed orders" },
    { line: "sync --fetch-details 200", note: "with phones of the newest orders" },
  ],
  exits: [5],
  seeAlso: ["find", "orders list"],
  async run({ fetchDetails, verify, rebuild }, context) {
    const { clock } = context;
    if (rebuild) await emptyMirror(context);
    const mirror = await openAccountMirror(context);
    await ensureSameCustomer(mirror, context);
    const service = countCalls(await context.service());
    const meter = context.meter();
    let hasRead = false;
    const failures = new Map<string, ServiceFailure>();
    const flags = `${fetchDetails === undefined ? "" : ` --fetch-details ${fetchDetails}`}${verify ? " --verify" : ""}`;
    const goOn = `to go on: ${context.nextCommand(`sync${flags}`)}`;
    const tools: SyncTools = {
      service,
      mirror,
      now: () => clock.now(),
      beforeCalls: (calls) => checkApiQuota(calls, service, context),
      onProgress: (orders) => {
        hasRead = true;
        meter.update(() => `${counted(orders, "order")} read`);
      },
      onFailure: (id, failure) => void failures.set(id, failure),
    };
    try {
      const counts = await syncMirror(tools);
      if (verify) await verifyMirror(tools);
      if (fetchDetails !== undefined) await addDetails(fetchDetails, mirror, tools);
      const facts = await mirror.facts();
      const result = {
        orders: facts.orders,
        ...counts,
        not_shown: facts.notShown,
        without_phone: facts.withoutPhone,
        calls: service.calls(),
      };
      return { ...document<SyncResult>(result, describe), ...failureOf([...failures.values()], goOn) };
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      const { orders } = await mirror.facts();
      throw tellHowFar(error, hasRead ? orders : 0, goOn);
    } finally {
      meter.end();
    }
  },
});

/**
 * Keeps what `track --changes` has reported: what has changed since would not be known as a change. And which new orders
 * the service has shown: one of them that it no longer shows would be taken for one that it shows late.
 */
async function emptyMirror(context: Context): Promise<void> {
  const { stateDirectory } = context.machine;
  const owner = await mirrorOwner(context);
  const hasOld = hasMirror(stateDirectory, owner);
  // Windows deletes no open file.
  const mayRead = platform() !== "win32" || (await findDriver("mirror")).closesAtOnce;
  if (hasOld && !mayRead)
    warnOfMissed("with Node.js 20 on Windows, the new mirror does not keep what was reported", context);
  const kept = hasOld && mayRead ? await readFactsToKeep(owner, context) : undefined;
  deleteMirror(stateDirectory, owner);
  if (!kept?.size) return;
  const mirror = await openMirror(stateDirectory, owner, context);
  try {
    await mirror.updateFacts((facts) => {
      for (const [name, value] of kept) facts.set(name, value);
    });
  } finally {
    mirror.close();
  }
}

/** Undefined where it is of another customer's parcels, or cannot be read. */
async function readFactsToKeep(
  owner: MirrorOwner,
  context: Context,
): Promise<ReadonlyMap<string, string> | undefined> {
  const customer = await context.customer({ makesNoOrder: true });
  try {
    const mirror = await openMirror(context.machine.stateDirectory, owner, context);
    try {
      return (await isMirrorOf(mirror, customer, await context.ledger())) === false
        ? undefined
        : await mirror.factsToKeep(context.clock.now());
    } finally {
      mirror.close();
    }
  } catch (error) {
    if (!(error instanceof CourierError) || error.code !== "database") throw error;
    warnOfMissed("the mirror cannot be read", context);
    return undefined;
  }
}

function warnOfMissed(why: string, { messages }: Context): void {
  messages.warn(`${why}: the next track --changes may miss what has changed since the last one`);
}

/** The words of the command may have deleted the mirror: the next one must not. */
function tellHowFar(failure: ServiceFailure, mirrored: number, goOn: string): ServiceFailure {
  const kept = mirrored === 0 ? "" : `; the mirror keeps what was read: it has ${counted(mirrored, "order")}`;
  // The advice of a list that is incomplete is to run the same command again.
  const hint = failure.code === "list_incomplete" ? goOn : failure.hintBefore(goOn);
  return failure.with({ message: `${failure.message}${kept}`, hint });
}

/** All else was read. */
function failureOf(
  [first, ...others]: readonly ServiceFailure[],
  goOn: string,
): { failure?: ServiceFailure } {
  if (!first) return {};
  const all = others.length === 0 ? "" : `${others.length + 1} orders could not be looked up; `;
  return { failure: first.with({ message: `${all}${first.message}`, hint: first.hintBefore(goOn) }) };
}

/** An account may have been given the key of another customer, whose orders are others. */
async function ensureSameCustomer(mirror: Mirror, context: Context): Promise<void> {
  const customer = await context.customer({ makesNoOrder: true });
  if (await claimMirror(mirror, customer, await context.ledger())) return;
  throw usageError(
    "the key of this account belongs to another customer than the orders in the mirror",
    `to begin a new mirror: ${context.nextCommand("sync --rebuild")}`,
  );
}

function describe({ orders, listed, looked_up, not_shown, without_phone, calls }: SyncResult) {
  const lookups = looked_up === 0 ? "" : `, ${looked_up} looked up`;
  const lost =
    not_shown === 0
      ? []
      : [
          line(
            `${counted(not_shown, "order")} ${byCount(not_shown, "is", "are")} no longer shown by the service; what is known of ${byCount(not_shown, "it", "them")} is kept`,
          ),
        ];
  const phones = without_phone === 0 ? [] : [line(`${counted(without_phone, "order")} without a phone`)];
  return [
    line(
      `The mirror has ${counted(orders, "order")} (${listed} listed${lookups}, ${counted(calls, "call")})`,
    ),
    ...lost,
    ...phones,
  ];
}

async function addDetails(limit: number, mirror: Mirror, tools: SyncTools): Promise<void> {
  const ids = await mirror.withoutPhone(limit);
  await lookUpDetails(ids, { ...tools, pass: Number(await mirror.fact("pass")) });
}

/** The same service, which counts what is asked of it; a call that is tried again counts once. */
function countCalls(service: CourierService): CourierService & { calls(): number } {
  let calls = 0;
  return {
    ...service,
    listOrders(...asked) {
      calls += 1;
      return service.listOrders(...asked);
    },
    order(id) {
      calls += 1;
      return service.order(id);
    },
    calls: () => calls,
  };
}
