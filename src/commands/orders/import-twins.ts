/** Owns the care that no order is shipped by two files: rows that another import has created already. */

import type { ImportRow } from "../../bulk/rows.ts";
import { CourierError, interrupted } from "../../core/errors.ts";
import type { Context } from "../command.ts";
import type { Twin } from "./import-others.ts";

/** Rows that are to be sent although another import has made them orders, or may have. */
export interface TwinCount {
  readonly by: Twin["by"];
  readonly count: number;
  /** The first of them. */
  readonly rows: readonly { readonly row: number; readonly ref: string | undefined; readonly path: string }[];
}

const rowsNamed = 5;

/** Counts twins of each kind, and keeps the first few to name them. */
export function createTwinCounts() {
  const counts = { ref: createCount("ref"), content: createCount("content") };
  return {
    add({ row, ref }: ImportRow, { path, by }: Twin) {
      const count = counts[by];
      count.count += 1;
      if (count.rows.length < rowsNamed) count.rows.push({ row, ref, path });
    },
    found: () => [counts.ref, counts.content].filter(({ count }) => count > 0) as readonly TwinCount[],
  };
}

function createCount(by: Twin["by"]) {
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

/** The error for the first kind of them. */
export function duplicates(twin: TwinCount): CourierError {
  const isNamed = twin.by === "ref";
  const message = describe(twin);
  return new CourierError("duplicate", 2, `${message[0]?.toLowerCase()}${message.slice(1)}`, {
    hint: isNamed
      ? "nothing was sent; take these rows out, or send them all the same with --allow-duplicate"
      : "nothing was sent; take these rows out, give each order a ref of its own, or send them all the same with --allow-duplicate",
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
  return `${isOne ? "1 row is" : `${count} rows are`} the same as ${isOne ? "an order" : "orders"} of another import: ${isOne ? "row" : "rows"} ${numbers}${more} (${paths})`;
}
