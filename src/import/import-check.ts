/** Owns `orders import --check`: what can be told of a file without asking the service. */

import type { CheckSummary } from "../model/results.ts";
import { type Block, fields, line, styled } from "../terminal/blocks.ts";
import { describeEncoding } from "./import-input.ts";
import { describeEarlier, describeGone, type ImportPlan, lacksRefs } from "./import-plan.ts";

export function toSummary(plan: ImportPlan, account: string | undefined): CheckSummary {
  const { rows, serviceLevels, senders, unused, refs, encoding } = plan.overview;
  return {
    rows,
    service_levels: Object.fromEntries(serviceLevels),
    senders: [...senders],
    unused_columns: [...unused],
    rows_with_ref: refs,
    encoding,
    account: account ?? null,
    to_send: plan.toSend,
    created: plan.created,
    refused: plan.refused,
    unknown: plan.open,
  };
}

/** `comparison` says what came of comparing the rows with other imports. */
export function checkView(plan: ImportPlan, comparison: string): readonly Block[] {
  const { rows, serviceLevels, senders, unused, refs } = plan.overview;
  const levels = [...serviceLevels].map(([level, count]) => `${count} ${level || "without one"}`);
  const earlier = describeEarlier(plan);
  const encoding = describeEncoding(plan.overview);
  return [
    line(styled("good", "No mistakes found"), `; nothing was sent. ${promise}`),
    fields(
      ["Rows", String(rows)],
      ["To be sent", String(plan.toSend)],
      ...(earlier === "" ? [] : ([["From an earlier run", earlier]] as const)),
      ...(plan.gone > 0 ? ([["No more there", describeGone(plan.gone)]] as const) : []),
      ["Service levels", levels.join(", ")],
      ["Senders", [...senders].join(", ")],
      ["Refs", describeRefs(rows, refs)],
      ...(encoding === "" ? [] : ([["Encoding", encoding]] as const)),
      ["Columns not used", unused.join(", ") || "none"],
      ["Other imports", comparison],
    ),
  ];
}

const promise = "The service checks each order once more when it is sent.";

function describeRefs(rows: number, refs: number): string {
  if (refs === rows) return "each row has one";
  if (refs === 0) return lacksRefs;
  return rows - refs === 1 ? "1 row has none" : `${rows - refs} rows have none`;
}
