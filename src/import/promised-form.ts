/** Refuses the name of a file that promises another form than its rows will have. */

import { proposeName } from "../command/output-name.ts";
import { usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import type { SheetForm } from "../sheets/source.ts";

/** The endings that a file of this form may have; the first one is proposed. */
const endings: Readonly<Record<"csv" | "json" | "ndjson", readonly string[]>> = {
  csv: ["csv"],
  json: ["json"],
  ndjson: ["ndjson", "jsonl"],
};
const promise = /\.(?:csv|json|ndjson|jsonl|html?)$/i;

/** Throws a usage error. */
export function ensureNoPdf(flag: string, file: string): void {
  const [ending] = /\.pdf$/i.exec(file) ?? [];
  if (ending === undefined) return;
  const other = shellQuote(`${file.slice(0, -ending.length)}.csv`);
  throw usageError(
    `cannot write ${ending} files`,
    `use ${flag} ${other}; a spreadsheet program prints it to a PDF file`,
  );
}

/** A name with another ending promises nothing. Throws a usage error. */
export function ensurePromisedForm(flag: string, file: string, input: string, of: SheetForm): void {
  ensureNoPdf(flag, file);
  const form = of === "xlsx" ? "csv" : of;
  const [ending] = promise.exec(file) ?? [];
  if (ending === undefined || endings[form].includes(ending.slice(1).toLowerCase())) return;
  const other = shellQuote(proposeName(file.slice(0, -ending.length), endings[form][0] ?? "", input));
  throw usageError(
    `the rows of ${input} are written as ${form.toUpperCase()}, and ${file} is a name of another form`,
    `use ${flag} ${other}`,
  );
}
