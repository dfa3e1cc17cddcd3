/** Owns the input of an import: its options, its rows, and the check of all of them before anything is sent. */

import type { ColumnMap } from "../../bulk/columns.ts";
import type { RowProblem } from "../../bulk/rows.ts";
import { type ImportRow, type RowsOptions, readRows } from "../../bulk/rows.ts";
import { fileError } from "../../core/errors.ts";
import type { Json } from "../../model/json.ts";
import { line, table } from "../../terminal/blocks.ts";
import type { Context } from "../command.ts";

/** What a whole file holds, without its rows. */
export interface Overview {
  readonly rows: number;
  /** How many rows have a ref. */
  readonly refs: number;
  /** How many rows have each service level; "" is none. */
  readonly serviceLevels: ReadonlyMap<string, number>;
  /** Different senders by name, as far as they are few. */
  readonly senders: ReadonlySet<string>;
  /** The header of a CSV file. */
  readonly header: readonly string[];
  /** The column of a CSV file that each field comes from. */
  readonly columns: ReadonlyMap<string, string>;
  /** Columns that are no field of an order. */
  readonly unused: readonly string[];
}

const problemsShown = 50;
const problemsKept = 1_000;
const sendersKept = 20;

/** Reads every row. Throws a file error when any is wrong, after showing what and where. */
export async function checkRows(
  options: RowsOptions,
  onRow: (row: ImportRow) => Promise<void>,
  context: Context,
): Promise<Overview> {
  const problems: RowProblem[] = [];
  const serviceLevels = new Map<string, number>();
  const senders = new Set<string>();
  let header: readonly string[] = [];
  let unused: readonly string[] = [];
  const columns = new Map<string, string>();
  let count = 0;
  let wrong = 0;
  let refs = 0;
  const onHeader = (names: readonly string[], map: ColumnMap) => {
    header = names;
    unused = map.unused;
    for (const [index, path] of map.paths.entries())
      if (path !== undefined) columns.set(path, names[index] ?? path);
  };
  for await (const checked of readRows({ ...options, onHeader })) {
    count += 1;
    if ("problems" in checked) {
      wrong += 1;
      if (problems.length < problemsKept) problems.push(...checked.problems);
      continue;
    }
    const { draft, ref } = checked.ok;
    if (ref !== undefined) refs += 1;
    const level = draft.service_type ?? "";
    serviceLevels.set(level, (serviceLevels.get(level) ?? 0) + 1);
    if (senders.size < sendersKept) senders.add(draft.sender?.name ?? "-");
    await onRow(checked.ok);
  }
  if (count === 0) throw fileError(`${options.name} has no rows`);
  if (wrong > 0) throw await refuse(options.name, problems, wrong, count, context);
  return { rows: count, refs, serviceLevels, senders, header, columns, unused };
}

async function refuse(
  name: string,
  problems: readonly RowProblem[],
  wrong: number,
  count: number,
  context: Context,
): Promise<Error> {
  const shown = problems.slice(0, problemsShown);
  const columns = [
    { path: "row", title: "ROW", cell: ({ row }: RowProblem) => String(row), align: "right" as const },
    {
      path: "line",
      title: "LINE",
      cell: ({ line: number }: RowProblem) => String(number),
      align: "right" as const,
    },
    { path: "column", title: "COLUMN", cell: ({ column }: RowProblem) => column },
    { path: "value", title: "VALUE", cell: ({ value }: RowProblem) => value, flexible: true },
    { path: "message", title: "PROBLEM", cell: ({ message }: RowProblem) => message },
  ];
  await context.display([
    table(columns, shown),
    ...(problems.length > shown.length ? [line(`and ${problems.length - shown.length} more`)] : []),
  ]);
  return fileError(`${name}: ${wrong} of ${count} rows are wrong`, {
    hint: "nothing was sent; mend the rows and run the same command again",
    details: problems.map((problem) => ({ ...problem })) as Json,
  });
}
