/** `courier api`: one raw call; prints its answer unchanged. */

import type { RawCall, RawReply } from "../api/client.ts";
import { ServiceFailure } from "../api/failure.ts";
import { checkApiQuota } from "../command/api-quota.ts";
import {
  type Context,
  defineCommand,
  noteUnreadOrder,
  type Output,
  type RawBody,
} from "../command/command.ts";
import { listOption, type OptionValues, quote, switchOption, textOption } from "../command/options.ts";
import { CourierError, interrupted, interruptionExit, usageError } from "../core/errors.ts";
import { stringifyJson } from "../model/json.ts";
import { type Field, joinFields, parsePair, typedValue } from "./raw-body.ts";
import { type Effect, type Recorder, recordCall } from "./recording.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] as const;
type Method = (typeof methods)[number];

const options = {
  rawField: listOption("KEY=VALUE", "a text in the JSON body: -f sender.name=张三 (repeatable)", parsePair, {
    short: "f",
  }),
  field: listOption(
    "KEY=VALUE",
    "the same with a type: numbers, true, false, null, @FILE for a file's text (repeatable)",
    parsePair,
    { short: "F" },
  ),
  query: listOption("KEY=VALUE", "a parameter of the URL (repeatable)", parsePair, { short: "q" }),
  input: textOption("FILE", "the body as it is in a file; - for stdin", { values: "file" }),
  paginate: switchOption("every page of a list, one body after the other; --json and --ndjson: its items"),
  allowDuplicate: switchOption("make an order although an equal one was sent a short while ago"),
  include: switchOption("show the status and the headers of the answer on stderr", { short: "i" }),
} as const;

/** As much as any answer is read; a body is held in memory. */
const bodyLimit = {
  bytes: 16 * 2 ** 20,
  hint: "it is the body of one call: check that it is the right one",
};

export const callApi = defineCommand({
  description:
    "For endpoints that have no command. METHOD defaults to GET; a body needs another one. PATH is\n" +
    "below the base URL: orders, v1/orders and /api/v1/orders name the same; a whole URL must be the\n" +
    "service's own. In a pipe the body comes byte for byte, also of an error; at a terminal JSON is indented,\n" +
    "control characters are escaped, and a key that the service repeats is masked. A call that may have taken effect is never sent twice:\n" +
    "when its answer is lost, the exit code is 6. POST and DELETE of orders are recorded in the ledger, and an\n" +
    "order that equals one of the last ten minutes is not made without --allow-duplicate. --paginate asks for 100 items a page unless -q limit=N says\n" +
    "otherwise.",
  arguments: {
    path: {
      summary: "the method and the path",
      parse: (text) => text,
      candidates: methods.map((value) => ({ value })),
      isList: true as const,
      usage: "[METHOD] PATH",
    },
  },
  options,
  confirms: true,
  printsText: true,
  examples: [
    { line: "api user/profile", note: "the profile, as the service sends it" },
    { line: "api POST orders --input order.json --include", note: "with status and headers on stderr" },
    { line: "api POST orders -f sender.name=张三 -F item.weight=0.50", note: "a body from fields" },
    { line: "api orders --paginate -q status=pending --ndjson | jq .id", note: "the items of every page" },
  ],
  exits: [1, 4, 5, 6],
  seeAlso: ["orders list", "profile"],
  async run({ path: words, ...input }, context): Promise<Output> {
    const { method, path } = readWords(words);
    const body = await readBody(method, input, context);
    const call: RawCall = { method, path, query: input.query ?? [], ...(body ? { body } : {}) };
    const client = await context.rawClient();
    if (!input.paginate) {
      const record = await recordCall(call, input.allowDuplicate === true, context);
      const { reply, effect } = await exchange(
        call,
        client.exchange({ ...call, mayLeave: record?.mayLeave }),
        record,
        context,
      );
      if (input.include) showHead(reply, context);
      const made = effect?.kind === "created" ? effect.orderId : undefined;
      const onUnread = isRead(call) ? undefined : () => noteUnread(call, reply, made, context);
      return { kind: "raw", bodies: oneBody(reply), isRead: isRead(call), onUnread };
    }
    if (method !== "GET") throw usageError(`--paginate reads a list with GET, not with ${method}`);
    if (input.include)
      throw usageError("--paginate and --include exclude each other", "--debug shows every call");
    const { itemsOfPage, rawPages } = await import("../api/raw-pages.ts");
    const pages = rawPages(client, call, async (calls) =>
      checkApiQuota(calls, await context.service(), context),
    );
    return { kind: "raw", bodies: documents(pages), items: itemsOfPage, isRead: true };
  },
});

function readWords(words: readonly string[]): { method: Method; path: string } {
  const [first = "", second, third] = words;
  const named = methods.find((method) => method === first.toUpperCase());
  if (third !== undefined) throw usageError(`one PATH is enough: ${quote(third)} is too much`);
  if (second === undefined && named)
    throw usageError(`the PATH is missing after ${first}`, "courier api --help shows examples");
  if (second === undefined) return { method: "GET", path: first };
  if (!named) throw usageError(`not a method: ${quote(first)}`, `known methods: ${methods.join(", ")}`);
  return { method: named, path: second };
}

async function readBody(
  method: Method,
  { rawField = [], field = [], input }: OptionValues<typeof options>,
  context: Context,
): Promise<Uint8Array | undefined> {
  const hasFields = rawField.length + field.length > 0;
  if (!hasFields && input === undefined) return undefined;
  if (hasFields && input !== undefined)
    throw usageError("--input is the whole body: it does not go with fields");
  if (method === "GET" || method === "HEAD") {
    throw usageError(
      `${method} has no body`,
      hasFields ? "say POST for a body, or -q for parameters of the URL" : "say POST before the PATH",
    );
  }
  if (input !== undefined) return context.readBytes(input, bodyLimit);
  if (field.filter(([, text]) => text === "@-").length > 1)
    throw usageError("only one field can be read from stdin (@-)", "give the others as text, or as @FILE");
  const fields: Field[] = rawField.map(([key, value]) => ({ key, value }));
  for (const [key, text] of field) {
    fields.push({
      key,
      value: text.startsWith("@") ? await context.readText(text.slice(1)) : typedValue(text),
    });
  }
  return new TextEncoder().encode(stringifyJson(joinFields(fields)));
}

/**
 * Records the outcome in the ledger before it prints anything. A failure of a call that may have taken effect is
 * exit 6.
 */
async function exchange(
  call: RawCall,
  sending: Promise<RawReply>,
  record: Recorder | undefined,
  context: Context,
): Promise<{ readonly reply: RawReply; readonly effect: Effect | undefined }> {
  let reply: RawReply;
  try {
    reply = await sending;
  } catch (error) {
    const effect = await record?.end({ error });
    const failure = error instanceof ServiceFailure ? error : undefined;
    const open = failure && openFailure(call, failure, effect, context);
    if (failure && !open) throw asStopped(call, failure, context);
    if (context.signal.aborted && !isRead(call)) throw interruptedWhileSending(call, error, context);
    throw open ?? error;
  }
  const effect = await record?.end({ reply });
  const failure =
    openFailure(call, reply.failure, effect, context) ??
    (reply.failure && asStopped(call, reply.failure, context));
  return { reply: { ...reply, failure }, effect };
}

/** After an answer that says that nothing was done, or after a try without a connection; also in the wait before the next one. */
function asStopped(call: RawCall, failure: CourierError, { signal }: Context): CourierError {
  if (!signal.aborted || isRead(call)) return failure;
  const name = nameOf(call);
  const when = failure.status === undefined ? `before ${name} took effect` : `after this answer to ${name}`;
  return interrupted(interruptionExit(signal.reason), `stopped ${when}: ${failure.message}`);
}

function isRead({ method }: RawCall): boolean {
  return method === "GET" || method === "HEAD";
}

/** The error for a call that may have taken effect, or did so against its answer; undefined where that is not so. */
function openFailure(
  call: RawCall,
  failure: CourierError | undefined,
  effect: Effect | undefined,
  context: Context,
): CourierError | undefined {
  if (isRead(call) || (failure && !(failure instanceof ServiceFailure))) return undefined;
  if (effect?.kind === "unrecorded") return effect.failure;
  const { status, serviceCode, details } = failure ?? {};
  const facts = { status, serviceCode, details, cause: failure };
  const name = nameOf(call);
  if (effect?.kind === "found") {
    const message = `${name} created order ${effect.orderId}, although its answer says otherwise`;
    return new CourierError("outcome_unknown", 6, message, {
      ...facts,
      hint: `do not send it again; see the order: ${context.nextCommand(`orders show ${effect.orderId}`)}`,
    });
  }
  const isOpen = effect ? effect.kind === "in doubt" : failure?.mayHaveHappened === true;
  if (!isOpen) return undefined;
  const reason = failure?.message ?? "its answer names no order";
  return new CourierError("outcome_unknown", 6, `${name} may or may not have taken effect: ${reason}`, {
    ...facts,
    hint: lookFirst(call, context),
  });
}

function nameOf({ method, path }: RawCall): string {
  return `${method} ${pathOf(path)}`;
}

function pathOf(path: string): string {
  return path.replace(/\?.*$/s, "");
}

function lookFirst({ path }: RawCall, { nextCommand }: Context): string {
  const [, id] = /(?:^|\/)orders\/(\d+)$/.exec(pathOf(path)) ?? [];
  if (id !== undefined) return `check before you send it again: ${nextCommand(`orders show ${id}`)}`;
  const isCreate = /(?:^|\/)orders\/?$/.test(pathOf(path));
  const resolve = isCreate ? `; ${nextCommand("orders resolve")} lists orders in doubt` : "";
  return `check before you send it again: ${nextCommand("orders list")}${resolve}`;
}

function interruptedWhileSending(call: RawCall, cause: unknown, context: Context): CourierError {
  const exit = interruptionExit(cause);
  const message = `stopped while ${nameOf(call)} was being sent: it may or may not have taken effect`;
  return new CourierError("outcome_unknown", exit, message, { hint: lookFirst(call, context), cause });
}

/** After a refusal, its error is what is said. */
function noteUnread(
  call: RawCall,
  { answer, failure }: RawReply,
  made: string | undefined,
  context: Context,
): void {
  const answered = `the service answered ${nameOf(call)} with HTTP ${answer.status}`;
  if (made !== undefined) noteUnreadOrder(made, context);
  else if (!failure && !context.signal.aborted)
    context.messages.note(`the reader of the result is gone; ${answered}`);
}

function showHead({ answer }: RawReply, { messages }: Context): void {
  messages.note(`HTTP ${answer.status}`);
  for (const [name, value] of Object.entries(answer.headers)) messages.note(`${name}: ${value}`);
}

async function* oneBody({ answer, failure }: RawReply): AsyncGenerator<RawBody, CourierError | undefined> {
  yield answer;
  return failure;
}

/** Bodies one after the other: each ends its line, so that every JSON reader finds where the next begins. */
async function* documents(pages: AsyncGenerator<RawBody>): AsyncGenerator<RawBody, undefined> {
  for await (const { bytes, body } of pages) {
    yield { bytes: bytes.at(-1) === 0x0a ? bytes : Buffer.concat([bytes, Buffer.from("\n")]), body };
  }
}
