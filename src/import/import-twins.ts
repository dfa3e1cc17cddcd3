/** Owns the care that no order is shipped twice: rows that are orders already, by another import or another ref. */

import type { Context } from "../command/command.ts";
import { CourierError, interrupted } from "../core/errors.ts";
import type { Twin } from "./import-others.ts";
import type { ImportRow } from "./rows.ts";

/** `renamed`: an earlier run of this file has created the order, under another ref or none. */
type Kind = Twin["by"] | "renamed";

/** Rows that are to be sent although another import, or an earlier run of this one, has made them orders, or may have. */
export interface TwinCount {
  readonly by: Kind;
  readonly count: number;
  /** The first of them. */
  readonly rows: readonly { readonly row: number; readonly ref: string | undefined; readonly path: string }[];
}

const rowsNamed = 5;

/** Counts twins of each kind, and keeps the first few to name them. */
export function createTwinCounts() {
  const counts = {
    ref: createCount("ref"),
    content: createCount("content"),
    renamed: createCount("renamed"),
  };
  return {
    add({ row, ref }: Pick<ImportRow, "row" | "ref">, { path, by }: { path: string; by: Kind }) {
      const count = counts[by];
      count.count += 1;
      if (count.rows.length < rowsNamed) count.rows.push({ row, ref, path });
    },
    found: (): readonly TwinCount[] => Object.values(counts).filter(({ count }) => count > 0),
  };
}

function createCount(by: Kind) {
  return { by, count: 0, rows: [] as { row: number; ref: string | undefined; path: string }[] };
}

/**
 * Stops an import, exit 2, that would ship the same orders as another one. Rows that are the same in all
 * but a ref may be meant: at a terminal that is a question, which `--yes` does not answer.
 */
export async function settleTwins(twins: readonly TwinCount[], context: Context): Promise<void> {
  for (const twin of twins) {
    const prompts = twin.by === "ref" || context.globals.yes ? undefined : await context.prompts();
    if (!prompts) throw duplicates(twin);
    if (await prompts.confirm(`${describe(twin)}. Send ${twin.count === 1 ? "it" : "them"} all the same?`))
      continue;
    throw interrupted(130, "not confirmed: nothing was done");
  }
}

const waysOn: Readonly<Record<Kind, string>> = {
  ref: "take these rows out",
  content: "take these rows out, give each order a ref of its own",
  renamed: "take these rows out, give them back the ref that they had, or none if they had none",
};

/** The error for the first kind of them. */
export function duplicates(twin: TwinCount): CourierError {
  const isNamed = twin.by === "ref";
  const message = describe(twin);
  return new CourierError("duplicate", 2, `${message[0]?.toLowerCase()}${message.slice(1)}`, {
    hint: `nothing was sent; ${waysOn[twin.by]}, or send them all the same with --allow-duplicate`,
    details: {
      count: twin.count,
      rows: twin.rows.map(({ row }) => row),
      ...(isNamed ? { refs: twin.rows.map(({ ref }) => ref) } : {}),
      journals: [...new Set(twin.rows.map(({ path }) => path))],
    },
  });
}

function describe({ by, count, rows }: TwinCount): string {
  const more = count > rows.length ? ` and ${count - rows.length} more` : "";
  if (by === "ref") {
    const named = rows.map(({ ref, path }) => `${ref} (${path})`).join(", ");
    return `Another import has created orders of the same ref: ${named}${more}`;
  }
  const paths = [...new Set(rows.map(({ path }) => path))].join(", ");
  const numbers = rows.map(({ row }) => row).join(", ");
  const isOne = count === 1;
  const origin =
    by === "content"
      ? "of another import"
      : `of an earlier run whose ${isOne ? "row is" : "rows are"} gone from the file, or ${isOne ? "has" : "have"} another ref now`;
  return `${isOne ? "1 row is" : `${count} rows are`} the same as ${isOne ? "an order" : "orders"} ${origin}: ${isOne ? "row" : "rows"} ${numbers}${more} (${paths})`;
}
