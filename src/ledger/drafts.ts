/** Unfinished orders of the form, newest first, for each account. */

import type { Draft } from "../model/draft.ts";
import type { Database } from "../sqlite/database.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import type { Write } from "../sqlite/write-queue.ts";
import { readDraft, writeDraft } from "./operation.ts";

/** An unfinished order. */
export interface KeptDraft {
  readonly draft: Draft;
  /** The shop's own number of the order. */
  readonly ref?: string | undefined;
  /** Names of the unfinished parts. */
  readonly open: readonly string[];
  /** The id of the profile of the customer who typed it; undefined where it was not known. */
  readonly customer?: string | undefined;
}

export interface FoundDraft extends KeptDraft {
  readonly position: number;
}

/** The account, at a service, that a draft belongs to. */
export interface DraftOwner {
  readonly account: string;
  readonly service: string;
}

export interface Drafts {
  /** The newest first. */
  findDrafts(owner: DraftOwner): Promise<readonly FoundDraft[]>;
  /** Keeps a draft, in place of the one that it continues. Returns the oldest where it made room for this one. */
  keepDraft(
    owner: DraftOwner,
    kept: KeptDraft,
    continued: FoundDraft | undefined,
  ): Promise<KeptDraft | undefined>;
  /** Deletes a draft that was found, unless another form has changed it meanwhile. */
  dropDraft(owner: DraftOwner, found: FoundDraft): Promise<void>;
  /** Deletes all drafts of an account, at any service or at one. */
  dropAllDrafts(account: string, service?: string): Promise<void>;
}

export const mostDrafts = 10;

function readRef(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** After the open parts stands the customer, `sender,=7`: an earlier version reads the names of parts alone. */
function readKept(row: SqlRow | undefined): KeptDraft | undefined {
  const draft = readDraft(row?.draft);
  const [parts = "", customer] = String(row?.open_parts).split(/,=(.*)/s);
  return draft && { draft, ref: readRef(row?.ref), open: parts.split(",").filter(Boolean), customer };
}

export function createDrafts(database: Database, write: Write): Drafts {
  const sql = database.sql;
  // Positions are used again, so the text is compared, too.
  const drop = ({ account, service }: DraftOwner, { position, draft }: FoundDraft) =>
    sql("DELETE FROM drafts WHERE account = ? AND service = ? AND position = ? AND draft = ?").run(
      account,
      service,
      position,
      writeDraft(draft),
    );

  return {
    async findDrafts({ account, service }) {
      const rows = sql("SELECT * FROM drafts WHERE account = ? AND service = ? ORDER BY position DESC").all(
        account,
        service,
      );
      return rows.flatMap((row) => {
        const kept = readKept(row);
        return kept ? [{ ...kept, position: Number(row.position) }] : [];
      });
    },

    keepDraft: (owner, { draft, ref, open, customer }, continued) =>
      write(() => {
        if (continued) drop(owner, continued);
        const { account, service } = owner;
        const ofCustomer = customer === undefined ? "" : `,=${customer}`;
        sql(
          `INSERT INTO drafts SELECT ?1, ?2, coalesce(max(position), 0) + 1, ?3, ?4, ?5 FROM drafts
             WHERE account = ?1 AND service = ?2`,
        ).run(account, service, writeDraft(draft), open.join(",") + ofCustomer, ref ?? null);
        const [dropped] = sql(
          `DELETE FROM drafts WHERE account = ?1 AND service = ?2 AND position <=
             (SELECT position FROM drafts WHERE account = ?1 AND service = ?2
              ORDER BY position DESC LIMIT 1 OFFSET ?3)
           RETURNING *`,
        ).all(account, service, mostDrafts);
        return readKept(dropped);
      }),

    dropDraft: (owner, found) => write(() => void drop(owner, found)),

    dropAllDrafts: (account, service) =>
      write(() => {
        sql("DELETE FROM drafts WHERE account = ?1 AND service = coalesce(?2, service)").run(
          account,
          service ?? null,
        );
      }),
  };
}
