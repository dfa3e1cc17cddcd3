/** One import: what was decided before its first row is sent. */

import type { ImportPlan } from "./import-plan.ts";
import type { ImportOptions, ImportTools } from "./import-types.ts";
import type { RejectsWriter } from "./rejects.ts";
import type { RowsOptions } from "./rows.ts";
import type { SheetAfterImport } from "./write-back/import-sheet.ts";

export interface ImportRun {
  readonly source: RowsOptions;
  readonly plan: ImportPlan;
  readonly tools: Pick<ImportTools, "ledger" | "run" | "file" | "policy" | "releaseDead" | "found">;
  readonly settings: ImportOptions;
  readonly skipsChanged: boolean;
  /** Many refusals for one reason do not pause it. */
  readonly keepsGoing: boolean;
  /** `--settle`: how long an order may be missing in the list. */
  readonly settleMs: number | undefined;
  /** The given flags that change how the file is read. */
  readonly readBy: readonly string[];
  readonly rejects: RejectsWriter | undefined;
  readonly sheet: SheetAfterImport | undefined;
  /** Until when all orders made elsewhere were compared; undefined where some were not. */
  readonly comparedMs: number | undefined;
  /** Orders that were read and are others than answers said, with the reason. */
  readonly others: Map<string, string>;
}
