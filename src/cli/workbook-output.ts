/** Rows of a result as an .xlsx workbook: what each column holds, how wide it is, and the zone of its times. */

import type { Items } from "../command/command.ts";
import type { CourierError } from "../core/errors.ts";
import { isJsonNumber, type Json, stringifyJson, valueAt } from "../model/json.ts";
import { type WrittenCell, writeWorkbook } from "../sheets/workbook-writer.ts";
import type { Column } from "../terminal/blocks.ts";
import { displayWidth } from "../terminal/width.ts";

/** Rows that are read before the first one is written, for the widths of the columns. */
const rowsMeasured = 100;
const widths = { least: 8, most: 60, time: 20 } as const;

interface WorkbookRun {
  readonly redact: (text: string) => string;
  readonly nowMs: number;
}

export interface WorkbookOutput {
  readonly bytes: AsyncGenerator<Uint8Array, void>;
  /** What was written, once all bytes have been read. */
  readonly written: () => { count: number; failure: CourierError | undefined; remark: string | undefined };
}

/** `paths` are the columns of the sheet; those that `known` does not have hold text. */
export function toWorkbook(
  rows: Items,
  paths: readonly string[],
  known: readonly Column<never>[],
  { redact, nowMs }: WorkbookRun,
): WorkbookOutput {
  const kinds = paths.map((path) => known.find((column) => column.path === path)?.holds ?? "text");
  const zone = kinds.includes("time") ? new Intl.DateTimeFormat().resolvedOptions().timeZone : undefined;
  let count = 0;
  let failure: CourierError | undefined;

  async function* cellsOfRows(): AsyncGenerator<readonly WrittenCell[], void> {
    try {
      for (;;) {
        const next = await rows.next();
        if (next.done) {
          failure = next.value;
          return;
        }
        count += 1;
        yield paths.map((path, index) => toCell(valueAt(next.value, path), kinds[index] ?? "text", redact));
      }
    } finally {
      await rows.return(undefined);
    }
  }

  async function* bytes(): AsyncGenerator<Uint8Array, void> {
    const cells = cellsOfRows();
    const first: (readonly WrittenCell[])[] = [];
    for (let next = await cells.next(); !next.done; next = await cells.next()) {
      first.push(next.value);
      if (first.length === rowsMeasured) break;
    }
    const columns = paths.map((title, index) => ({ title, width: measure(title, index, first) }));
    async function* all() {
      yield* first;
      yield* cells;
    }
    const footer = zone === undefined ? undefined : `Times: ${zone}`;
    yield* writeWorkbook({ name: "Orders", columns, footer, rows: all() }, nowMs);
  }

  return {
    bytes: bytes(),
    written: () => ({
      count,
      failure,
      remark: zone === undefined || count === 0 ? undefined : `times are those of ${zone}`,
    }),
  };
}

function toCell(
  value: Json | undefined,
  kind: NonNullable<Column<never>["holds"]> | "text",
  redact: (text: string) => string,
): WrittenCell {
  if (value === undefined || value === null) return undefined;
  if (isJsonNumber(value)) return { as: kind === "number" ? "number" : "text", text: value.value };
  if (typeof value === "string") return { as: kind === "time" ? "time" : "text", text: redact(value) };
  return { as: "text", text: redact(stringifyJson(value)) };
}

function measure(title: string, index: number, rows: readonly (readonly WrittenCell[])[]): number {
  const needed = rows.map((cells) => {
    const cell = cells[index];
    if (cell === undefined) return 0;
    return cell.as === "time" ? widths.time : displayWidth(cell.text) + 2;
  });
  return Math.min(widths.most, Math.max(widths.least, displayWidth(title) + 2, ...needed));
}
