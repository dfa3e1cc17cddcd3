/** `orders import --write-back`: after the import, the sheet gets what became of its rows. */

import type { Context } from "../../command/command.ts";
import { ordersOwnerOf } from "../../command/orders-owner.ts";
import { CourierError, systemCode } from "../../core/errors.ts";
import { shellQuote } from "../../core/shell-quote.ts";
import { shellQuoteFile } from "../../core/shell-quote-path.ts";
import { isFileLimit, tooManyFiles } from "../../core/system-errors.ts";
import { byCount, counted } from "../../core/wording.ts";
import type { Overview } from "../check-rows.ts";
import type { Source } from "../import-source.ts";
import type { KnownRows } from "./row-notes.ts";
import type { ReadStates } from "./row-order.ts";
import { type FilledRows, fillRows } from "./row-values.ts";
import { openSheetOutput, type SheetTarget } from "./write-sheet.ts";

export interface SheetAfterImport {
  /** Never rejects: see `failure`. */
  write(known: KnownRows): Promise<void>;
  /** Why there is no sheet: the rows have been sent. */
  readonly failure: CourierError | undefined;
  /** What was written, in one sentence; undefined before. */
  readonly summary: string | undefined;
}

/**
 * Opens the output before anything is sent. `readBy`: the flags that say how the sheet is read, for a command line.
 * Throws a usage error or a file error.
 */
export async function openSheetAfterImport(
  source: Source,
  overview: Overview,
  target: SheetTarget | undefined,
  readBy: string,
  context: Context,
): Promise<SheetAfterImport | undefined> {
  if (!target) return undefined;
  const sheet = await openSheetOutput(source, target, "--write-back", context);
  context.addCleanup(sheet.abandon);
  const place = target.isInPlace ? "--in-place" : `-o ${shellQuote(target.file)}`;
  const again = `orders write-back ${source.name === "stdin" ? "SHEET" : shellQuoteFile(source.name)} ${place}${readBy}`;
  let failure: CourierError | undefined;
  let summary: string | undefined;
  return {
    get failure() {
      return failure;
    },
    get summary() {
      return summary;
    },
    async write(known) {
      try {
        const readStates = await statesOfLedger(known, context);
        const filled = await fillRows(source, overview, known, { afterImport: true, readStates }, context);
        await sheet.write(filled);
        summary = `${target.file}: ${describeFilled(filled)}${describeKept(sheet.kept)}`;
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error);
        const reason = isFileLimit(systemCode(error)) ? tooManyFiles : said;
        const isGone = error instanceof Error && target.isInPlace && systemCode(error.cause) === "ENOENT";
        const once = isGone ? "the sheet is back under its name, write it" : "that is fixed, write the sheet";
        failure = new CourierError("unwritten", 5, `the sheet was not written back: ${reason}`, {
          hint: `the orders of the report are not affected; once ${once}: ${context.nextCommand(again)}`,
          cause: error,
        });
      }
    },
  };
}

/** States as answers showed them last, without a request. */
export async function statesOfLedger(
  { ledger }: Pick<KnownRows, "ledger">,
  context: Context,
): Promise<ReadStates> {
  const owner = ordersOwnerOf(await context.account());
  // The list of the import's first step may have shown newer ones.
  return async () => ((await context.keepKnownOrders()) ? ledger.seenStates(owner) : new Map());
}

export function describeFilled({
  orders,
  notCreated,
  wrong,
  misfits,
  held,
  heldNumbered,
  covered,
  inDoubt,
  unknown,
}: FilledRows): string {
  const numbered = orders.filter(({ isNumbered }) => isNumbered).length;
  const kept = heldNumbered > 0 ? `, ${heldNumbered} of them with the number that the sheet had` : "";
  return [
    `${counted(numbered + covered, "order")} with a tracking number`,
    orders.length > numbered ? `${orders.length - numbered} without one` : "",
    held > 0 ? `${held} held${kept}` : "",
    notCreated > 0 ? `${notCreated} not created, with the reason` : "",
    wrong > 0 ? `${wrong} wrong, with the reason` : "",
    misfits > 0
      ? `${misfits} with too few or too many cells left as ${byCount(misfits, "it is", "they are")}`
      : "",
    inDoubt > 0 ? `${inDoubt} in doubt` : "",
    unknown > 0 ? `${unknown} not known here and left as they are` : "",
  ]
    .filter((part) => part !== "")
    .join(", ");
}

export function describeKept(kept: string | undefined): string {
  return kept === undefined ? "" : `; the old sheet is ${kept}`;
}
