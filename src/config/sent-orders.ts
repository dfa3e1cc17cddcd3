/** Owns what this machine remembers of orders: the last ones sent, and one unfinished draft, per account. */

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
}

export type OrderMemoryFile = JsonFile<OrderMemory>;

const remembered = 50;
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

/** Remembers an order that was sent, and forgets the account's unfinished draft where it became this order. */
export async function rememberSent(
  file: OrderMemoryFile,
  account: string,
  order: SentOrder,
  finishesDraft: boolean,
): Promise<void> {
  await file.update(({ sent, drafts, ...rest }) => {
    const { [account]: _finished, ...others } = drafts;
    return {
      ...rest,
      sent: { ...sent, [account]: [order, ...(sent[account] ?? [])].slice(0, remembered) },
      drafts: finishesDraft ? others : drafts,
    };
  });
}

/** The word about an equal order from before. */
export function describeTwin({ id }: SentOrder, when: string): string {
  if (id !== "") return `the same order was sent ${when}, as ${id}`;
  return `the same order was sent ${when}, and may or may not have been created`;
}

/** Keeps a draft that is not finished, or forgets it. */
export async function keepDraft(
  file: OrderMemoryFile,
  account: string,
  kept: KeptDraft | undefined,
): Promise<void> {
  await file.update(({ drafts: { [account]: _old, ...drafts }, ...rest }) => ({
    ...rest,
    drafts: kept === undefined ? drafts : { ...drafts, [account]: kept },
  }));
}

/** The last order of the same content that was sent within a day, or undefined. */
export function findTwin(
  memory: OrderMemory,
  account: string,
  draft: Draft,
  nowMs: number,
): SentOrder | undefined {
  const wanted = canonicalJson(draft);
  return memory.sent[account]?.find(
    (order) => nowMs - Date.parse(order.sent_at) < dayMs && canonicalJson(order.draft) === wanted,
  );
}
