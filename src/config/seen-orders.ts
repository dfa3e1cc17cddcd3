/**
 * Owns the file of orders seen lately on this machine, which completion offers. Runs only append to it, a
 * line each, so that parallel ones need no lock; a line that was torn is passed over.
 */

import { appendFileSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"; // node:fs/promises would cost every start-up
import { makeDirectory } from "../core/directory.ts";
import { systemCode } from "../core/errors.ts";
import type { Sighting } from "../model/sighting.ts";
import {
  compact,
  formatLine,
  type Holder,
  type Line,
  newest,
  parseLines,
  seenOrdersPath,
} from "./seen-lines.ts";

export interface SeenOrders {
  /** Notes orders, to be kept when the run ends. */
  notice(holder: Holder, orders: readonly Sighting[]): void;
  /** Keeps what was noted. Only a memory: failing to do so is no failure. */
  keep(): Promise<void>;
  /** Forgets all of an account's orders, those noted in this run included. Warns where that fails. */
  forget(account: string): Promise<void>;
}

interface Noted {
  readonly holder: Holder;
  readonly orders: readonly Sighting[];
  /** When the oldest of thousands was created that is worth keeping; all of it where they are few. */
  readonly oldest: string;
}

/** Beyond this size the file is written anew, with the orders that are remembered. */
const longestFile = 128 * 1024;
/** A run may see thousands of orders: it looks through them now and then, not each time. */
const mostNoted = 1_000;

/** The file in the state directory; it has mode 0600. */
export function openSeenOrders(directory: string, warn: (text: string) => void): SeenOrders {
  const file = seenOrdersPath(directory);
  /** By holder; the last noted first. */
  const noted = new Map<string, Noted>();

  async function rewrite(change: (lines: readonly Line[]) => readonly Line[]): Promise<void> {
    const { takeLock } = await import("./config-lock.ts");
    const release = await takeLock(file, "file of seen orders");
    try {
      const lines = change(parseLines(readFileSync(file, "utf8")));
      if (lines.length === 0) return rmSync(file, { force: true });
      writeFileSync(`${file}.new`, lines.map(formatLine).join(""), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } finally {
      release();
    }
  }

  return {
    notice(holder, orders) {
      const key = JSON.stringify([holder.account, holder.base_url]);
      const { orders: before = [], oldest = "" } = noted.get(key) ?? {};
      const all = [...orders.filter(({ created_at = "" }) => created_at >= oldest), ...before];
      if (all.length <= mostNoted) return void noted.set(key, { holder, orders: all, oldest });
      const kept = newest(all);
      noted.set(key, { holder, orders: kept, oldest: kept.at(-1)?.created_at ?? "" });
    },
    async keep() {
      const lines = [...noted.values()].filter(({ orders }) => orders.length > 0);
      noted.clear();
      if (lines.length === 0) return;
      try {
        makeDirectory(directory);
        const text = lines
          .map(({ holder, orders }) => formatLine({ ...holder, orders: newest(orders) }))
          .join("");
        appendFileSync(file, text, { mode: 0o600 });
        if (statSync(file).size > longestFile) await rewrite(compact);
      } catch {
        // completion will do without
      }
    },
    async forget(account) {
      for (const [key, { holder }] of noted) if (holder.account === account) noted.delete(key);
      try {
        statSync(file);
        await rewrite((lines) => lines.filter((line) => line.account !== account));
      } catch (error) {
        if (systemCode(error) === "ENOENT") return;
        const reason = error instanceof Error ? error.message : String(error);
        warn(`the orders that completion offers for ${account} could not be forgotten: ${reason}`);
      }
    },
  };
}
