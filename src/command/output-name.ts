/** Refuses names of output files that promise a form which courier does not write. */

import { usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";

const workbook = /\.(?:xlsx|xls|ods)$/i;
const compressed = /\.(?:gz|tgz|zip|bz2|xz|zst|7z)$/i;

/** Throws a usage error. `flag` is as its hint has it: `-o`; `hasWorkbooks` where .xlsx is written. */
export function ensureWritableName(
  flag: string,
  file: string,
  { hasWorkbooks = false, input }: { readonly hasWorkbooks?: boolean; readonly input?: string } = {},
): void {
  if (hasWorkbooks && /\.xlsx$/i.test(file)) return;
  const [ending] = workbook.exec(file) ?? compressed.exec(file) ?? [];
  if (ending === undefined) return;
  const bare = file.slice(0, -ending.length);
  if (workbook.test(file)) {
    const use = hasWorkbooks
      ? shellQuote(`${bare}.xlsx`)
      : `${shellQuote(proposeName(bare, "csv", input))}; Excel opens it`;
    throw usageError(`cannot write ${ending} files`, `use ${flag} ${use}`);
  }
  const plain = /\.(?:csv|json|ndjson|jsonl)$/i.test(bare) ? bare : proposeName(bare, "csv", input);
  throw usageError(
    `cannot write compressed files (${ending})`,
    `use ${flag} ${shellQuote(plain)}, and compress it afterwards`,
  );
}

/** A name with this ending that is not the input's. */
export function proposeName(bare: string, ending: string, input: string | undefined): string {
  const name = `${bare}.${ending}`;
  return name === input ? `${bare}-new.${ending}` : name;
}
