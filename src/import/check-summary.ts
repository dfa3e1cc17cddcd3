/** The summary of `orders import --check`, which sends nothing. */

import { byCount, counted, listed } from "../core/wording.ts";
import { getField, orderFields } from "../model/fields.ts";
import type { CheckSummary } from "../model/results.ts";
import { type Block, fields, line, show, styled } from "../terminal/blocks.ts";
import { describeEncoding } from "./check-rows.ts";
import { describeField } from "./columns/columns.ts";
import {
  describeEarlier,
  describeHeldRows,
  describeOtherRefs,
  describeSenders,
  describeWarning,
  type ImportPlan,
  lacksRefs,
} from "./import-plan.ts";
import { nameOfRow } from "./row-words.ts";
import type { ImportRow } from "./rows.ts";

export function toSummary(plan: ImportPlan, account: string | undefined, isCompared: boolean): CheckSummary {
  const { rows, reading, serviceLevels, senders, unused, refs, encoding, wrong, first } = plan.overview;
  return {
    rows: rows + wrong.wrong,
    lines: reading.lineCount,
    platform: reading.platform ?? null,
    skipped: Object.fromEntries(reading.skipped),
    cleaned: Object.fromEntries(reading.cleaned),
    service_levels: Object.fromEntries(serviceLevels),
    senders: [...senders],
    unused_columns: [...unused],
    rows_with_ref: refs,
    encoding,
    account: account ?? null,
    to_send: plan.toSend,
    shipped: plan.shipped,
    refused: plan.refused,
    changed: plan.changed,
    cancelled: plan.cancelled,
    held: plan.held,
    unknown: plan.unknown,
    wrong: wrong.wrong,
    compared: isCompared,
    warnings: [
      ...plan.warnings.map(({ code, count, rows: named }) => ({ code, count, rows: [...named] })),
      ...(plan.otherRefs
        ? [{ code: "other_refs" as const, count: rows, rows: plan.otherRefs.map(({ row }) => row) }]
        : []),
    ],
    first_order: first ? { row: first.row, ref: first.ref ?? null, ...first.draft } : null,
  };
}

/** `comparison` names what the rows were compared with; undefined where `whyNot` says that they were with nothing. */
export function checkView(
  plan: ImportPlan,
  comparison: string | undefined,
  whyNot: string | undefined,
): readonly Block[] {
  const { rows, reading, serviceLevels, unused, refs, wrong, mistaken, first, noun } = plan.overview;
  const all = rows + wrong.wrong;
  const others = wrong.wrong - mistaken.wrong;
  const leftOut = others > 0 ? `, and ${others} left out with ${byCount(mistaken.wrong, "it", "them")}` : "";
  const levels = [...serviceLevels].map(([level, count]) => `${count} ${level || "without one"}`);
  const earlier = describeEarlier(plan);
  const encoding = describeEncoding(plan.overview);
  const found =
    wrong.wrong === 0
      ? styled("good", "No mistakes found")
      : styled(
          "bad",
          `${mistaken.wrong} of ${counted(all, noun)} ${byCount(mistaken.wrong, "is", "are")} wrong${leftOut}`,
        );
  const ofRows = [
    ["Service levels", levels.join(", ")],
    ["Senders", describeSenders(plan.overview)],
    ["Refs", describeRefs(rows, refs)],
  ] as const;
  return [
    line(found, `; nothing was sent. ${promise}`),
    ...(first ? viewFirst(first) : []),
    fields(
      ...reading.fields(all),
      ...(rows === 0 ? [] : ofRows),
      ...(encoding === "" ? [] : ([["Encoding", encoding]] as const)),
      ["Columns not used", listed(unused) || "none"],
      ["To send", comparison === undefined ? "not known" : String(plan.toSend)],
      ...(earlier === "" ? [] : ([["From earlier runs", earlier]] as const)),
      ...(plan.held > 0 ? ([["Held", describeHeldRows(plan)]] as const) : []),
      ...(wrong.wrong > 0 ? ([["Wrong", `${mistaken.wrong}${leftOut}`]] as const) : []),
      ...plan.warnings.map((warning) => ["Warning", describeWarning(warning)] as const),
      ...(plan.otherRefs ? ([["Warning", describeOtherRefs(plan, plan.otherRefs)]] as const) : []),
      ["Compared with", comparison ?? `nothing: ${whyNot}`],
    ),
  ];
}

const promise = "The service also checks each order when it is sent.";

/** Each field with its value, so that one sees what was read as what. */
function viewFirst(row: ImportRow): Block[] {
  const values = orderFields.flatMap(({ path }) => {
    const value = getField(row.draft, path);
    return value === undefined ? [] : [[`  ${describeField(path)}`, show(value)] as const];
  });
  return [line(`First order, ${nameOfRow(row)}:`), fields(...values)];
}

function describeRefs(rows: number, refs: number): string {
  if (refs === rows) return "each row has one";
  if (refs === 0) return lacksRefs;
  return `${counted(rows - refs, "row")} ${byCount(rows - refs, "has", "have")} none`;
}
