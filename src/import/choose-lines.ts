/** Which lines of an order are sent, by what the file says of them. */

import { byCount } from "../core/wording.ts";
import { cleanCell } from "./clean-cell.ts";
import { isListRefunded } from "./item-list.ts";
import { readItem } from "./order-goods.ts";
import type { OrderOptions, SkippedFacts } from "./order-record.ts";
import { fulfilledReasons, type SkipReason } from "./presets/preset.ts";
import { hasAddress, type Line } from "./sheet-line.ts";

/** The lines of an order whose goods are sent, and the others; with a reason, nothing is sent. */
export interface Chosen {
  readonly reason?: SkipReason | undefined;
  /** The reason is that of the first line: each line has its own. */
  readonly isOfLines?: boolean;
  readonly lines: readonly Line[];
  readonly leftOut: readonly { readonly line: Line; readonly reason: SkipReason }[];
}

export interface LineChooser {
  choose(all: readonly Line[]): Chosen;
  describeSkipped(chosen: Chosen): SkippedFacts;
  /** Why lines are not a whole order. */
  findMissingPart(all: readonly Line[], withGoods: readonly Line[]): string | undefined;
}

export function createLineChooser(options: OrderOptions): LineChooser {
  const { layout } = options;
  const { preset } = layout;

  /** The first one counts. */
  function skipReasons(lines: readonly Line[], ofLine: boolean): readonly SkipReason[] {
    return layout.skips.flatMap(({ reason, index, is, ofLine: isOfLine = false }) => {
      if (isOfLine !== ofLine || (options.includeFulfilled && fulfilledReasons.includes(reason))) return [];
      const text = lines
        .map((line) => cleanCell("", line.source.cells[index] ?? "", preset?.empty).text)
        .find(Boolean);
      return text !== undefined && is.test(text) ? [reason] : [];
    });
  }

  const isBlank = ({ source }: Line, index: number) =>
    cleanCell("", source.cells[index] ?? "", preset?.empty).text === "";

  /** Further lines of an order whose first row is elsewhere, or is wrong. */
  const lackFirstRow = (all: readonly Line[]) =>
    preset?.isPickUpWithoutAddress !== undefined &&
    !all.some((line) => hasAddress(line) || layout.firstRowOnly.some((index) => !isBlank(line, index)));

  const isSummary = ({ source }: Line) =>
    layout.summary.length > 0 &&
    layout.summary.every((index) => cleanCell("", source.cells[index] ?? "").text === "");
  /** Goods that lack what one column says look like a sum, where the file does not have the other columns. */
  const isUnclearSummary = (line: Line) =>
    layout.summary.length < (preset?.blankInSummary?.length ?? 0) &&
    isSummary(line) &&
    line.cells.has("item.name");
  const isRefunded = ({ cells }: Line) =>
    (layout.refunded !== undefined && cells.get("item.quantity")?.text === "0") ||
    isListRefunded(cells.get("item.list")?.text ?? "");

  function choose(all: readonly Line[]): Chosen {
    if (!preset) return { lines: all, leftOut: [] };
    const withGoods = all.some((line) => !isSummary(line)) ? all.filter((line) => !isSummary(line)) : all;
    const judged = withGoods.map((line) => ({
      line,
      reason: skipReasons([line], true)[0] ?? (isRefunded(line) ? ("refunded" as const) : undefined),
    }));
    const lines = judged.flatMap(({ line, reason }) => (reason === undefined ? [line] : []));
    const leftOut = judged.flatMap(({ line, reason }) => (reason === undefined ? [] : [{ line, reason }]));
    const isPickUp = preset.isPickUpWithoutAddress && !all.some(hasAddress) && !lackFirstRow(all);
    const none = lines.length === 0 ? leftOut[0]?.reason : undefined;
    const ofOrder = skipReasons(all, false)[0] ?? (isPickUp ? "pick-up" : undefined);
    const reason = ofOrder ?? none;
    if (reason === undefined) return { lines, leftOut };
    return { reason, isOfLines: ofOrder === undefined, lines: withGoods, leftOut };
  }

  function describeSkipped({ reason, isOfLines, lines, leftOut }: Chosen): SkippedFacts {
    return {
      reason: isOfLines ? undefined : reason,
      lines: lines.map((line) => {
        const other = skipReasons([line], true).find((each) => !fulfilledReasons.includes(each));
        return {
          row: line.source.row,
          goods: readItem(line).get("item.name")?.text,
          reason: other ?? leftOut.find((each) => each.line === line)?.reason,
        };
      }),
    };
  }

  return {
    choose,
    describeSkipped,
    findMissingPart(all, withGoods) {
      const hidden = withGoods.filter(({ source }) => source.isHidden).map(({ source }) => source.row);
      if (hidden.length > 0)
        return `part of this order is hidden (${byCount(hidden.length, "row", "rows")} ${hidden.join(", ")}): show all its rows, or use --include-hidden`;
      const unclear = all.every(isSummary) ? undefined : all.find(isUnclearSummary);
      if (unclear)
        return `row ${unclear.source.row} may be goods of this order, or sum it up: export the file with the columns ${preset?.blankInSummary?.join(" and ")}`;
      return lackFirstRow(all)
        ? "the row continues an order, and the first row of that order is not directly above it"
        : undefined;
    },
  };
}
