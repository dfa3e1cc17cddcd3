/** The summary of `orders import --check`, which sends nothing. */

import { byCount, counted } from "../core/wording.ts";
import type { CheckSummary } from "../model/results.ts";
import { type Block, fields, line, styled } from "../terminal/blocks.ts";
import { describeEncoding } from "./check-rows.ts";
import { describeEarlier, describeHeldRows, type ImportPlan, lacksRefs } from "./import-plan.ts";

export function toSummary(plan: ImportPlan, account: string | undefined): CheckSummary {
  const { rows, reading, serviceLevels, senders, unused, refs, encoding } = plan.overview;
  return {
    rows,
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
  };
}

/** `comparison` names what the rows were compared with. */
export function checkView(plan: ImportPlan, comparison: string): readonly Block[] {
  const { rows, reading, serviceLevels, senders, unused, refs } = plan.overview;
  const levels = [...serviceLevels].map(([level, count]) => `${count} ${level || "without one"}`);
  const earlier = describeEarlier(plan);
  const encoding = describeEncoding(plan.overview);
  return [
    line(styled("good", "No mistakes found"), `; nothing was sent. ${promise}`),
    fields(
      ...reading.fields(rows),
      ["To send", String(plan.toSend)],
      ...(earlier === "" ? [] : ([["From earlier runs", earlier]] as const)),
      ...(plan.held > 0 ? ([["Held", describeHeldRows(plan)]] as const) : []),
      ["Service levels", levels.join(", ")],
      ["Senders", [...senders].join(", ")],
      ["Refs", describeRefs(rows, refs)],
      ...(encoding === "" ? [] : ([["Encoding", encoding]] as const)),
      ["Columns not used", unused.join(", ") || "none"],
      ["Compared with", comparison],
    ),
  ];
}

const promise = "The service also checks each order when it is sent.";

function describeRefs(rows: number, refs: number): string {
  if (refs === rows) return "each row has one";
  if (refs === 0) return lacksRefs;
  return `${counted(rows - refs, "row")} ${byCount(rows - refs, "has", "have")} none`;
}
