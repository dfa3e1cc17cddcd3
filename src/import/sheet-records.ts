/** The orders of a sheet: joins the lines of one order, and refuses rows that are none. */

import { createAssembler } from "./assemble-order.ts";
import { hasLines } from "./columns/layout.ts";
import {
  createRemarkFinder,
  createTitleFinder,
  findLonePhone,
  findRepeatedReceiver,
  findSample,
  findTotal,
  findZeros,
} from "./no-order-rows.ts";
import type { NumberedRow, OrderOptions, OrderRecord, RowProblem } from "./order-record.ts";
import { hasAddress, type Line, readLine } from "./sheet-line.ts";
import { createPartySplitter } from "./split-party.ts";

/** Reads rows one by one; only the lines of one order are held. */
export async function* readOrders(
  rows: AsyncIterable<NumberedRow>,
  options: OrderOptions,
): AsyncGenerator<OrderRecord> {
  const { layout, tally } = options;
  const layouts = [layout, ...layout.earlier.map((each) => each.layout)];
  const all = layouts.flatMap(({ fields }) => fields);
  const splitter = all.some(({ path }) => /\.(?:text|address|region)$/.test(path))
    ? await createPartySplitter()
    : undefined;
  const assemble = createAssembler(options, splitter);
  const findTitles = createTitleFinder(options);
  const isRemark = createRemarkFinder(layout);
  const used = [...new Set(layout.fields.flatMap(({ choices }) => choices.flat()))];
  let rowAbove = 0;
  /** All that is used of it is merged with the row above, as where an order has several lines of remarks. */
  const isMergedWhole = ({ source, cells }: Line) =>
    cells.size > 0 &&
    used.every((at) => !source.cells[at]?.trim() || options.isMerged(at, rowAbove, source.row));
  let lines: Line[] = [];
  /** Of the last row that has one. */
  let orderAbove = "";
  /** The first line of the last order with a receiver of its own. */
  let receiverAbove: Line | undefined;
  /** The last order is not sent: a wrong row below it is no line of one further up. */
  let isBelowSkipped = false;
  const assembleAll = function* (): Generator<OrderRecord> {
    if (lines.length === 0) return;
    const record = assemble(lines);
    lines = [];
    if (record) yield isBelowSkipped ? { ...record, mayBeLine: false } : record;
    if (!record || record.skipped) isBelowSkipped = true;
    else if (record.ref !== undefined) isBelowSkipped = false;
  };
  for await (const source of rows) {
    const read = readLine(source, layout);
    const isFurtherLine = lines.length > 0 && continues(read, lines, options);
    const holdsNoOrder = !source.misfit && (isRemark(read) || (!isFurtherLine && isMergedWhole(read)));
    rowAbove = source.row;
    if (!source.isHidden) tally?.line(holdsNoOrder ? source : undefined);
    if (holdsNoOrder) continue;
    const noOrder = source.misfit ? undefined : (findTotal(read, options) ?? findSample(read, options));
    const titles = source.misfit || noOrder ? undefined : (findTitles(read) ?? findZeros(read, options));
    const isLine = !source.misfit && !noOrder && !titles;
    const isFurther = isLine && isFurtherLine;
    if (!isFurther) yield* assembleAll();
    const isOrder = isLine && !isFurther;
    const lonePhone = isOrder ? findLonePhone(read, orderAbove, options) : undefined;
    const repeated = isOrder && !lonePhone ? findRepeatedReceiver(read, receiverAbove, options) : undefined;
    const { key } = read;
    if (isLine && !lonePhone && !repeated) {
      lines.push(read);
      if (key !== "") orderAbove = key;
      if (isOrder && hasReceiver(read)) receiverAbove = read;
    } else {
      const mayBeLine = !titles && !isBelowSkipped && hasLines(layout) && (key === "" || key === orderAbove);
      const refused = refuseRow(source, noOrder ?? titles ?? lonePhone ?? repeated, mayBeLine);
      yield repeated ? { ...refused, lineOf: receiverAbove?.source.row } : refused;
    }
  }
  yield* assembleAll();
}

const hasReceiver = ({ cells }: Line) => [...cells.keys()].some((path) => path.startsWith("receiver."));

function refuseRow(source: NumberedRow, found: RowProblem | undefined, mayBeLine: boolean): OrderRecord {
  const { row, line, misfit } = source;
  const problem = found ?? {
    ...{ row, line, column: "", value: misfit?.text ?? "" },
    message: misfit?.message ?? "",
  };
  return {
    rows: [row],
    line,
    ref: undefined,
    draft: {},
    lines: [source],
    problems: [problem],
    faulty: new Set(["sender", "receiver", "item"]), // no more is said of the row
    former: [],
    mayBeLine,
    isHidden: found !== undefined && source.isHidden === true,
  };
}

/** Whether a row is a further line of the order. */
function continues(line: Line, lines: readonly Line[], { layout, isMerged }: OrderOptions): boolean {
  const [first] = lines as readonly [Line];
  const refColumn = line.cells.get("ref")?.index;
  if (refColumn !== undefined && isMerged(refColumn, first.source.row, line.source.row)) return true;
  if (first.key === "" || (layout.preset ? !layout.preset.hasLines : line.key !== "")) return false;
  if (layout.preset && line.key !== "") return line.key === first.key;
  // Elsewhere only the goods of a further line may be filled.
  const paths = [...line.cells.keys()];
  if (layout.preset) return !hasAddress(line) && paths.length > 0;
  return paths.length > 0 && paths.every((path) => path.startsWith("item."));
}
