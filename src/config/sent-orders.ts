/** Owns what this machine remembers of orders: the last ones sent, and unfinished drafts, per account. */

import { CourierError } from "../core/errors.ts";
import { type Draft, draftSchema } from "../model/draft.ts";
import { canonicalJson } from "../model/json.ts";
import { array, looseObject, optional, record, string, textSchema } from "../model/schema.ts";
import { type JsonFile, openJsonFile } from "./json-file.ts";

const sentSchema = looseObject(
  { id: textSchema, sent_at: textSchema, draft: draftSchema },
  { error: "object" },
);

const keptSchema = looseObject(
  { draft: draftSchema, open: array(textSchema, { error: "array" }) },
  { error: "object" },
);

const memorySchema = looseObject(
  {
    sent: optional(record(string(), array(sentSchema, { error: "array" }), { error: "object" })),
    drafts: optional(record(string(), keptSchema, { error: "object" })),
    older_drafts: optional(record(string(), array(keptSchema, { error: "array" }), { error: "object" })),
  },
  { error: "object" },
);

export interface SentOrder {
  /** Empty for an order that may or may not have been created. */
  readonly id: string;
  /** ISO 8601, by this machine's clock. */
  readonly sent_at: string;
  readonly draft: Draft;
}

/** An order that was not finished. */
export interface KeptDraft {
  readonly draft: Draft;
  /** Names of the parts that were not finished. */
  readonly open: readonly string[];
}

/** By account name; newest first. */
export interface OrderMemory {
  readonly sent: Readonly<Record<string, readonly SentOrder[]>>;
  readonly drafts: Readonly<Record<string, KeptDraft>>;
  readonly older_drafts?: Readonly<Record<string, readonly KeptDraft[]>> | undefined;
}

export type OrderMemoryFile = JsonFile<OrderMemory>;

const remembered = 50;
const keptOlder = 9;
const dayMs = 86_400_000;

/**
 * The file in the state directory. It is only a memory: one that cannot be read is said once and taken
 * for empty, and stops nothing.
 */
export function openOrderMemory(directory: string, warn: (text: string) => void): OrderMemoryFile {
  const empty = { sent: {}, drafts: {} };
  let hasWarned = false;
  const file = openJsonFile<OrderMemory>({
    directory,
    name: "orders",
    title: "file of recent orders",
    schema: memorySchema,
    empty,
    remedy: "move it away; it is only a memory of recent orders",
  });
  return {
    ...file,
    async read() {
      try {
        return await file.read();
      } catch (error) {
        if (!(error instanceof CourierError)) throw error;
        if (!hasWarned) warn(error.message);
        hasWarned = true;
        return empty;
      }
    },
  };
}

/** Remembers an order that is about to be sent; until it is settled, it may or may not exist. */
export async function rememberSending(
  file: OrderMemoryFile,
  account: string,
  sending: SentOrder,
): Promise<void> {
  await file.update(({ sent, ...rest }) => ({
    ...rest,
    sent: { ...sent, [account]: [sending, ...(sent[account] ?? [])].slice(0, remembered) },
  }));
}

/**
 * Remembers what became of an order that was being sent: its id, or undefined where it was not created
 * after all. `finishesDraft` says that it is the account's unfinished draft that became this order.
 */
export async function settleSending(
  file: OrderMemoryFile,
  account: string,
  sending: SentOrder,
  outcome: { readonly id: string | undefined; readonly finishesDraft: boolean },
): Promise<void> {
  await file.update((memory) => {
    const { sent } = memory;
    const before = sent[account] ?? [];
    const at = before.findIndex((each) => isSame(each, sending));
    const settled = outcome.id === undefined ? [] : [{ ...sending, id: outcome.id }];
    const after = [...before.slice(0, Math.max(at, 0)), ...settled, ...before.slice(at + 1)];
    return {
      ...memory,
      ...(outcome.finishesDraft ? withoutDraft(memory, account) : {}),
      sent: { ...sent, [account]: after },
    };
  });
}

/** Keeps a draft that is not finished: in the place of the one kept before, or before it where it `isAnother`. */
export async function keepDraft(
  file: OrderMemoryFile,
  account: string,
  kept: KeptDraft,
  isAnother: boolean,
): Promise<void> {
  await file.update(({ drafts, older_drafts, ...rest }) => {
    const before = drafts[account];
    const older = older_drafts?.[account] ?? [];
    const pushed = isAnother && before ? [before, ...older].slice(0, keptOlder) : older;
    return {
      ...rest,
      drafts: { ...drafts, [account]: kept },
      older_drafts: { ...older_drafts, [account]: pushed },
    };
  });
}

/** Forgets the draft that was kept last; one that was kept before it takes its place. */
export async function dropDraft(file: OrderMemoryFile, account: string): Promise<void> {
  await file.update((memory) => ({ ...memory, ...withoutDraft(memory, account) }));
}

function withoutDraft(memory: OrderMemory, account: string): Pick<OrderMemory, "drafts" | "older_drafts"> {
  const { older_drafts } = memory;
  const { [account]: _dropped, ...drafts } = memory.drafts;
  const [next, ...older] = older_drafts?.[account] ?? [];
  return {
    drafts: next === undefined ? drafts : { ...drafts, [account]: next },
    older_drafts: { ...older_drafts, [account]: older },
  };
}

/** The orders of the same content that were sent within a day, newest first. */
export function findTwins(
  memory: OrderMemory,
  account: string,
  draft: Draft,
  nowMs: number,
): readonly SentOrder[] {
  const wanted = canonicalJson(draft);
  const sent = memory.sent[account] ?? [];
  return sent.filter(
    (order) => nowMs - Date.parse(order.sent_at) < dayMs && canonicalJson(order.draft) === wanted,
  );
}

function isSame(one: SentOrder, other: SentOrder): boolean {
  return (
    one.id === other.id &&
    one.sent_at === other.sent_at &&
    canonicalJson(one.draft) === canonicalJson(other.draft)
  );
}
