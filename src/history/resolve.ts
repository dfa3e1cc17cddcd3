/** `courier orders resolve`: a person decides the outcome of an order in doubt. */

import {
  type Context,
  confirmOrStop,
  defineCommand,
  document,
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
import { byCount } from "../core/wording.ts";
import type { Ledger } from "../ledger/ledger.ts";
import {
  type CreateOutcome,
  isMade,
  isUndone,
  nameOperation,
  type Operation,
  type OperationName,
  parseOperationName,
  type Run,
} from "../ledger/operation.ts";
import { OrderTaken } from "../ledger/operation-errors.ts";
import type { Draft } from "../model/draft.ts";
import type { OrderDetail } from "../model/interface.ts";
import type { OperationRow } from "../model/results.ts";
import { describeAnswer, describeOther, isForAnother } from "../sending/another-order.ts";
import { findCreatesInDoubt, isInDoubt } from "../sending/in-doubt.ts";
import { compareDetail, distinguishingFields, isLikely, nothingLearned } from "../sending/matching.ts";
import { orderFacts } from "../sending/order-facts.ts";
import { releaseDeadRuns } from "../sending/owners.ts";
import {
  type Block,
  blank,
  fields,
  instant,
  line,
  show,
  state,
  styled,
  type Text,
} from "../terminal/blocks.ts";
import { draftRows } from "../terminal/draft-view.ts";
import { lookBeforeResolve } from "./look-before-resolve.ts";
import { operationColumns, showOperationState, toOperationRow } from "./operation-row.ts";
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

function showOperation(operation: Operation, isOpen: boolean, context: Context): Output {
  const ways = isOpen ? waysOut(nameOperation(operation), context) : [];
  return document(toOperationRow(operation), (row) => [
    ...operationView(row),
    ...orderView(operation),
    ...(isOpen ? [blank] : []),
    ...ways.map((way) => line(way)),
  ]);
}

/** What a person may record of an order in doubt. A pasted NAME or ID is refused. */
function waysOut(name: string, { nextCommand }: Context): readonly string[] {
  return [
    `if it was created as order ID: ${nextCommand(`orders resolve ${name} --as ID`)}`,
    `if it was not created: ${nextCommand(`orders resolve ${name} --not-created`)}`,
  ];
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

function ensureInDoubt(operation: Operation, { nextCommand }: Context): void {
  const name = nameOperation(operation);
  const { order } = operation;
  if (operation.state === "unknown") return;
  const became = order ? ` (order ${order.id})` : "";
  const isWrong = order
    ? `; where that is another order: ${nextCommand(`orders resolve ${name} --reopen`)}`
    : "";
  throw usageError(
    `${name} is not in doubt: it is ${operation.state}${became}`,
    `${nextCommand(`orders resolve ${name}`)} shows what is known${isWrong}`,
  );
}

/** The values that tell orders apart and are others: those that the service shows, and those that were sent. */
function differencesOf(
  draft: Draft,
  order: OrderDetail,
): readonly (readonly [shown: string, sent: string])[] {
  const comparison = compareDetail(draft, order);
  const { name, phone, province, city, district, detail } = draft.receiver ?? {};
  const address = [province, city, district, detail].filter(Boolean).join("");
  const { receiver, item } = order;
  const values = {
    "receiver.name": [receiver?.name, name],
    "receiver.phone": [receiver?.phone, phone],
    "receiver.address": [receiver?.address, address],
    "item.name": [item?.name, draft.item?.name],
  } as const;
  return distinguishingFields.flatMap((field) => {
    const [shown, sent] = values[field];
    return comparison[field] === "differs" && shown && sent ? [[shown, sent] as const] : [];
  });
}

async function settleAs(
  operation: Operation,
  orderId: string,
  ledger: Ledger,
  context: Context,
): Promise<Operation> {
  const service = await context.service();
  const order = await service.order(orderId);
  const name = nameOperation(operation);
  const { draft } = operation;
  const differing = draft ? differencesOf(draft, order) : [];
  if (differing.length > 0) {
    const [made, sent] = [0, 1].map((side) => differing.map((values) => values[side]).join(", "));
    context.messages.warn(`order ${orderId} has ${made}, but ${name} was sent with ${sent}`);
    await warnOfBetterMatch(operation, order, context);
    const isNamed = operation.withdrawnOrder === orderId; // by its answer
    if (!isNamed && context.globals.yes && (await isForAnother(operation, order, ledger)))
      throw usageError(
        `order ${orderId} is for another receiver than ${name}: nothing was recorded`,
        `if you know that it is ${name} anyway, run the command at a terminal, without --yes`,
      );
    await confirmOrStop(context, `Record that ${name} was created as order ${orderId}?`);
  }
  await takeFromHolder(operation, order, ledger, context);
  await leaveShownOrder(operation, orderId, ledger, context);
  const outcome = {
    state: "found",
    order: orderFacts(order),
    orderState: order.status ?? undefined,
  } as const;
  const settled = await recordOutcome(operation, outcome, ledger, context);
  if (settled.isUnwanted)
    context.messages.note(
      `its run was undone; to cancel the order: ${context.nextCommand(`orders cancel ${orderId}`)}`,
    );
  return settled;
}

/** A wrong answer may have given the order to another create, which is in doubt then. One that shows what that create sent stays its own. */
async function takeFromHolder(
  operation: Operation,
  order: OrderDetail,
  ledger: Ledger,
  context: Context,
): Promise<void> {
  const id = order.id.value;
  const name = (await ledger.findOwners(operation.customer, [id])).get(id);
  const holder = name && (await ledger.findOperation(name));
  if (!holder || nameOperation(holder) === nameOperation(operation)) return;
  const other = await describeOther(holder, order, ledger);
  if (other === undefined) return;
  context.messages.warn(describeAnswer(holder, other));
  const [own, taken] = [nameOperation(operation), nameOperation(holder)];
  await confirmOrStop(context, `Record that order ${id} is ${own}, so that ${taken} is in doubt?`);
  if ((await ledger.withdrawOrder(holder, id, context.clock.now())) !== undefined)
    context.messages.note(`${taken} is in doubt now: ${context.nextCommand(`orders resolve ${taken}`)}`);
}

/** An operation whose order the service shows as another one has no order before it gets this one. */
async function leaveShownOrder(
  operation: Operation,
  orderId: string,
  ledger: Ledger,
  context: Context,
): Promise<void> {
  const { customer, order } = operation;
  if (!isMade(operation) || !order) return;
  const holder = (await ledger.findOwners(customer, [orderId])).get(orderId);
  if (holder && nameOperation(holder) !== nameOperation(operation))
    throw orderTaken(orderId, holder, context);
  await ledger.withdrawOrder(operation, order.id, context.clock.now());
}

/** Of an order that is taken from another one in doubt, the list would prove that it was not created. */
async function warnOfBetterMatch(operation: Operation, order: OrderDetail, context: Context): Promise<void> {
  const inDoubt = await findCreatesInDoubt(context);
  const better = inDoubt.find(
    (each) =>
      each.draft &&
      nameOperation(each) !== nameOperation(operation) &&
      isLikely(compareDetail(each.draft, order), nothingLearned) &&
      differencesOf(each.draft, order).length === 0,
  );
  if (!better) return;
  const name = nameOperation(better);
  await warnOrRefuse(
    `order ${order.id} has what ${name} was sent with, which is in doubt, too`,
    context.nextCommand(`orders resolve ${name} --as ${order.id}`),
    context,
  );
}

async function settleAsUnsent(
  operation: Operation,
  isKeyOfCustomer: boolean,
  ledger: Ledger,
  context: Context,
): Promise<Operation> {
  const { draft, ref } = operation;
  const about = [
    draft?.receiver?.name && `to ${draft.receiver.name}`,
    draft?.item?.name,
    ref && `ref ${ref}`,
  ];
  const facts = about.filter(Boolean).join(", ");
  const name = facts === "" ? nameOperation(operation) : `${nameOperation(operation)} (${facts})`;
  const asked = new Set<string>();
  /** The question was asked about a list that could not be read. */
  let isAskedUnread = false;
  for (let isFirst = true; ; isFirst = false) {
    const looked = await lookBeforeResolve(operation, isKeyOfCustomer, ledger, context);
    const likely = looked ?? [];
    const now = (await ledger.findOperation(operation)) ?? operation;
    if (now.state === "refused" || (now.state === "unsent" && !now.isUnwanted)) return now;
    if (!isUndone(now)) ensureInDoubt(now, context);
    // After a late answer, only what was not there before is asked about, and a list that cannot be read any more.
    const isKnown = looked ? looked.every((id) => asked.has(id)) : isAskedUnread;
    if (!isFirst && isKnown) break;
    isAskedUnread = looked === undefined;
    for (const id of likely) asked.add(id);
    if (likely.length > 0) await warnOfLikely(operation, likely, context);
    if (!context.globals.yes) await context.display([...orderView(operation), blank]);
    const question = `Record that ${name} created no order, so that it may be sent again?`;
    if (!(await confirmOrStop(context, question))) break;
  }
  const rejection = { code: "resolved", message: "a person recorded that it created no order" };
  return recordOutcome(operation, { state: "unsent", rejection }, ledger, context);
}

async function warnOfLikely(
  operation: Operation,
  likely: readonly string[],
  context: Context,
): Promise<void> {
  const own = nameOperation(operation);
  const orders = `${byCount(likely.length, "order", "orders")} ${likely.join(", ")}`;
  const as = context.nextCommand(`orders resolve ${own} --as ${likely[0]}`);
  await warnOrRefuse(`${orders} may be ${own}`, as, context);
}

/** At a terminal a person may know that the order is another one than it seems. A script is refused. */
async function warnOrRefuse(message: string, asItSeems: string, context: Context): Promise<void> {
  const prompts = context.globals.yes ? undefined : await context.prompts();
  if (prompts) return context.messages.warn(message);
  throw usageError(
    `${message}: nothing was recorded`,
    `if it is this order: ${asItSeems}; if you know that it is another one, answer at a terminal, without --yes`,
  );
}

async function recordOutcome(
  operation: Operation,
  outcome: CreateOutcome,
  ledger: Ledger,
  context: Context,
): Promise<Operation> {
  const { beginRun, clock } = context;
  await beginRun({ command: "orders resolve" });
  try {
    const isSettled = await ledger.settleCreate(operation, outcome, clock.now(), { isResolved: true });
    const now = (await ledger.findOperation(operation)) ?? operation;
    if (!isSettled) ensureInDoubt(now, context);
    return now;
  } catch (error) {
    if (!(error instanceof OrderTaken)) throw error;
    throw orderTaken(error.orderId, error.holder, context, error);
  }
}

function orderTaken(
  orderId: string,
  holder: OperationName,
  { nextCommand }: Context,
  cause?: OrderTaken,
): CourierError {
  const name = nameOperation(holder);
  return new CourierError("order_taken", 2, `order ${orderId} belongs to operation ${name}`, {
    hint: `${nextCommand(`orders resolve ${name}`)} shows it`,
    cause,
  });
}

function operationView(row: OperationRow): readonly Block[] {
  const facts: (readonly [string, Text])[] = [
    ["Operation", styled("strong", row.operation)],
    ["Kind", row.kind],
    ["State", showOperationState(row)],
    ["Row", row.row === null ? "-" : String(row.row)],
    ["Ref", show(row.ref)],
    ["Order", show(row.id)],
    ["Tracking number", show(row.tracking_number)],
    ["Last seen", row.order_state === null ? "-" : state(row.order_state)],
    ["Sent", instant(row.sent_at)],
    ["Ended", instant(row.ended_at)],
  ];
  if (row.error !== null) facts.push(["Error", show(row.error.message)]);
  return [fields(...facts)];
}

/** A name is not enough to tell an order from others. */
function orderView({ kind, draft }: Operation): readonly Block[] {
  if (kind === "cancel") return [];
  if (!draft) return [blank, line("The ledger does not have the data of the order")];
  return [blank, line("The order:"), fields(...draftRows(draft))];
}
