/** `courier orders resolve`: a person decides the outcome of an order in doubt. */

import {
  type Context,
  confirmOrStop,
  defineCommand,
  ensureCanConfirm,
  type Output,
  rows,
} from "../command/command.ts";
import { findCustomerOfKey } from "../command/customer-of-key.ts";
import { findLedger } from "../command/found-ledger.ts";
import { parseOrderId, quote, switchOption } from "../command/options.ts";
import { wrongAccount } from "../command/run-messages.ts";
import { serviceOf } from "../config/accounts.ts";
import { CourierError, usageError } from "../core/errors.ts";
import { nameProcess } from "../core/process-place.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { isMade, nameOperation, type Operation, parseOperationName, type Run } from "../ledger/operation.ts";
import { findCreatesInDoubt, isInDoubt } from "../sending/in-doubt.ts";
import { releaseDeadRuns } from "../sending/owners.ts";
import { operationColumns, toOperationRow } from "./operation-row.ts";
import { ensureInDoubt, settleAs, settleAsUnsent } from "./resolve-outcome.ts";
import { showOperation, waysOut } from "./resolve-view.ts";
import { howToKnow, mayGoOnUnseen, takeOver } from "./take-over.ts";

const options = {
  as: {
    placeholder: "ORDER_ID",
    summary: "it was created as this order, which is read first",
    parse: parseOrderId,
    values: "order" as const,
  },
  notCreated: switchOption("it was not created: it may be sent again"),
  reopen: switchOption("its order is another one, or not known: it is in doubt again"),
};

export const resolveOrder = defineCommand({
  description:
    "An order is in doubt when its answer was lost and it was not found since. NAME is its operation, such as 12.3,\n" +
    "or ref:R for the order with a ref. Without NAME, the command lists the orders in doubt of the account; without\n" +
    "a flag, it shows what is known. --as takes an existing order that belongs to no other operation; one to another\n" +
    "receiver needs your yes, at a terminal where nothing of it is as sent. With --not-created the next import sends it\n" +
    "again. The list is read first: a listed order that equals it is named, and nothing is recorded unless you say so at a\n" +
    "terminal. --reopen takes a decision back: the order that the operation has is not taken for its own any more.",
  arguments: {
    name: {
      summary: "an operation (12.3), or ref:R",
      parse: (text: string) => text.trim(),
      isOptional: true,
    },
  },
  options,
  confirms: true,
  examples: [
    { line: "orders resolve", note: "the orders in doubt, with their names" },
    { line: "orders resolve 12.3", note: "show what is known" },
    { line: "orders resolve 12.3 --as 1000001", note: "it was created as this order" },
    { line: "orders resolve ref:A-17 --not-created", note: "there is no such order: send it again" },
  ],
  exits: [1, 5],
  seeAlso: ["log", "orders show", "orders import"],
  async run({ name = "", as: orderId, notCreated = false, reopen = false }, context): Promise<Output> {
    const flags = [
      orderId === undefined ? "" : "--as",
      notCreated ? "--not-created" : "",
      reopen ? "--reopen" : "",
    ];
    const [flag, second] = flags.filter((each) => each !== "");
    if (second !== undefined) throw usageError(`${flag} and ${second} exclude each other`);
    const isChange = flag !== undefined;
    if (name === "" && isChange)
      throw usageError(
        `${flag} needs the name of an operation`,
        `${context.nextCommand("orders resolve")} lists them`,
      );
    const ledger = await findLedger(context);
    if (name === "") return listInDoubt(ledger, context);
    if (!ledger) throw usageError("this machine has recorded no runs yet", whatWasDone(context));
    const operation = await findOperation(name, ledger, context);
    const run = await ledger.findRun(operation.run);
    const isOpen = isInDoubt(operation, await ledger.findRun(operation.owner), context);
    if (!isChange || !run) return showOperation(operation, isOpen, context);
    if (operation.kind === "cancel") throw await cancelNamed(operation, run, ledger, context);
    if (reopen) return reopenOperation(operation, run, name, ledger, context);
    const isOpenTo = orderId !== undefined && operation.isShownAsOther;
    if (!openStates.includes(operation.state) && !isOpenTo) ensureInDoubt(operation, context);
    if (notCreated) {
      await ensureNotRunningUnseen(operation, ledger, context);
      await ensureCanConfirm(
        context,
        `recording that ${nameOperation(operation)} created no order`,
        "if you know it from the courier service, add --yes; if not, run the command that sent it again: it looks for the order",
      );
    }

    const isKnown = await ensureDecider(operation, run, name, ledger, context);
    const released = await release(operation, ledger, context);
    if (!released.isShownAsOther) ensureInDoubt(released, context);
    const settled =
      orderId === undefined
        ? await settleAsUnsent(released, isKnown, ledger, context)
        : await settleAs(released, orderId, ledger, context);
    return showOperation(settled, false, context);
  },
});

/**
 * The customer of the key. An order in doubt may be why that is not known: a person who names it may decide about it, for its
 * own key may be gone.
 */
async function findDecider(
  operation: Operation,
  ledger: Ledger,
  context: Context,
): Promise<{ readonly customer: number; readonly isKnown: boolean }> {
  try {
    return { customer: (await context.customer()).id, isKnown: true };
  } catch (error) {
    if (!(error instanceof CourierError) || error.code !== "customer_unknown") throw error;
    const unnamed = await ledger.latestOfUnnamed(serviceOf(await context.account()), undefined);
    if (!unnamed.some(({ customer }) => customer === operation.customer)) throw error;
    return { customer: operation.customer, isKnown: false };
  }
}

/** Whether the key is known to be the customer's. Throws where it is another one's. */
async function ensureDecider(
  operation: Operation,
  run: Run,
  name: string,
  ledger: Ledger,
  context: Context,
): Promise<boolean> {
  const { customer, isKnown } = await findDecider(operation, ledger, context);
  if (operation.customer === customer) return isKnown;
  throw await wrongAccount(run, `orders resolve ${name}`, context);
}

/** A person has decided wrongly, or knows that an answer or a list was wrong. In doubt, nothing is sent again. */
async function reopenOperation(
  operation: Operation,
  run: Run,
  name: string,
  ledger: Ledger,
  context: Context,
): Promise<Output> {
  const { order } = operation;
  const own = nameOperation(operation);
  if (!isMade(operation) || !order)
    throw usageError(
      `${own} has no order that could be another one: it is ${operation.state}`,
      `${context.nextCommand(`orders resolve ${own}`)} shows what is known`,
    );
  await ensureDecider(operation, run, name, ledger, context);
  await confirmOrStop(
    context,
    `Record that order ${order.id} may not be that of ${own}, which is in doubt then?`,
  );
  await context.beginRun({ command: "orders resolve" });
  await ledger.withdrawOrder(operation, order.id, context.clock.now());
  return showOperation((await ledger.findOperation(operation)) ?? operation, true, context);
}

async function listInDoubt(ledger: Ledger | undefined, context: Context): Promise<Output> {
  // A key ring or a program is not asked: then the account's last customer counts.
  const account = ledger && (await context.account());
  if (account?.kind === "remote" && "apiKey" in account.key) await findCustomerOfKey(context);
  const inDoubt = ledger ? await findCreatesInDoubt(context) : [];
  const after = async () => {
    if (inDoubt.length === 0) return;
    if (inDoubt.some(({ state }) => state === "sending"))
      context.messages.note(
        `what is in the state sending may still be sent: ${context.nextCommand("log")} shows whether its run may be running`,
      );
    for (const way of waysOut("NAME", context)) context.messages.note(way);
  };
  return { ...rows(inDoubt.map(toOperationRow), operationColumns, "No order is in doubt"), after };
}

async function findOperation(name: string, ledger: Ledger, context: Context): Promise<Operation> {
  if (name.startsWith("ref:")) return findByRef(name.slice("ref:".length), ledger, context);
  const parsed = parseOperationName(name);
  if (!parsed)
    throw usageError(
      `an operation is named 12.3, or ref:R, not ${quote(name)}`,
      `${context.nextCommand("log show 12")} shows the operations of run 12`,
    );
  const operation = await ledger.findOperation(parsed);
  if (!operation)
    throw usageError(
      `there is no operation ${name} in the log`,
      `${context.nextCommand(`log show ${parsed.run}`)} shows those of run ${parsed.run}`,
    );
  return operation;
}

const whatWasDone = ({ nextCommand }: Context) => `${nextCommand("log")} shows what was done`;

/** The open operation of a ref, else the newest. */
async function findByRef(ref: string, ledger: Ledger, context: Context): Promise<Operation> {
  const { id } = await context.customer();
  const all = await ledger.findByRefs(id, [ref]);
  const open = all.filter(({ state }) => openStates.includes(state));
  if (open.length > 1)
    throw usageError(
      `${open.length} orders with the ref ${ref} are in doubt`,
      `name one of them: ${open.map(nameOperation).join(", ")}`,
    );
  const found = open[0] ?? all.at(-1);
  if (!found)
    throw usageError(`no order with the ref ${ref} is recorded for this account`, whatWasDone(context));
  return found;
}

const openStates: readonly string[] = ["ready", "sending", "unknown"];

/** Takes over an operation of a run that has ended. Throws a usage error while the run is running. */
async function release(operation: Operation, ledger: Ledger, context: Context): Promise<Operation> {
  const read = async () => (await ledger.findOperation(operation)) ?? operation;
  if (!(await findSender(operation, ledger))) return operation;
  await releaseDeadRuns(ledger, operation.customer, context);
  const owner = await findSender(await read(), ledger);
  if (owner) await takeOver(owner, ledger, context);
  return read();
}

/** The run that has it, where it may still be sent, or is being sent. */
async function findSender(operation: Operation, ledger: Ledger): Promise<Run | undefined> {
  return ["ready", "sending"].includes(operation.state) ? ledger.findRun(operation.owner) : undefined;
}

/** An order that comes after all would be sent again. */
async function ensureNotRunningUnseen(operation: Operation, ledger: Ledger, context: Context): Promise<void> {
  const owner = await findSender(operation, ledger);
  if (owner && (await mayGoOnUnseen(owner, context))) throw mayBeRunning(operation, owner, context);
}

function mayBeRunning(operation: Operation, owner: Run, { nextCommand }: Context): CourierError {
  return usageError(
    `run ${owner.number} (${nameProcess(owner.process)}) may still be sending ${nameOperation(operation)}: nothing was recorded`,
    `${howToKnow(owner)}; if the order was created: ${nextCommand(`orders resolve ${nameOperation(operation)} --as ORDER`)}`,
  );
}

/** Another customer may have an order with the same id: the account may be that one's by now. */
async function cancelNamed(
  operation: Operation,
  run: Run,
  ledger: Ledger,
  context: Context,
): Promise<CourierError> {
  const [name, id] = [nameOperation(operation), operation.order?.id];
  const isOfRun = (await context.account()).name === run.account;
  const known = (await context.knownCustomer())?.id;
  const own = known ?? (isOfRun ? (await findDecider(operation, ledger, context)).customer : undefined);
  if (own !== operation.customer) return wrongAccount(run, `orders resolve ${name} --not-created`, context);
  return usageError(
    `${name} is a cancel of order ${id}; only creates can be resolved`,
    `it is safe to cancel again: ${context.nextCommand(`orders cancel ${id}`)}`,
  );
}
