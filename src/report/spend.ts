/** `courier report spend`: what orders cost, from the mirror. */

import { openAccountMirror } from "../command/account-mirror.ts";
import { defineCommand } from "../command/command.ts";
import { capitalised } from "../command/options.ts";
import { largest } from "../core/extremes.ts";
import { byCount, counted } from "../core/wording.ts";
import { type Json, jsonNumber } from "../model/json.ts";
import type { SpendDocument, SpendRow } from "../model/results.ts";
import { type Column, show, styled } from "../terminal/blocks.ts";
import type { Amount } from "./amounts.ts";
import { countSpend, type Spend, type SpendReport, sizesOf } from "./count-spend.ts";
import { type Grouping, groupings, isPeriod } from "./groups.ts";
import { describeRange, type OrderRange, orderRange } from "./range.ts";
import { figuresMeter, lacking, type MirrorAge, mirrorAge, zoneNote } from "./report-notes.ts";
import { byOption, groupingWords, pageOption, rangeOptions, titleOf } from "./report-options.ts";
import { checkPage, drawBar, reportOutput, writeReport } from "./report-output.ts";
import type { ReportPage } from "./report-page.ts";

const choices = ["month", "week", "day", "state", "service", "city", "sender"] as const;

export const reportSpend = defineCommand({
  description:
    "Sums, means and medians of the fees of your orders, from the mirror and without a call. A charged fee is\n" +
    "actual_fee, which the list has; an estimated fee is estimated_fee, which answers to orders create and show have.\n" +
    "Both are shown, and never added together. Sums and medians are exact; means are rounded. The interface names no\n" +
    `currency, so there is none here.\n${groupingWords}\n` +
    "Cancelled orders are left out, unless --status cancelled asks for them; orders that are not paid are counted.",
  arguments: {},
  options: { by: byOption(choices, "one row for each"), ...rangeOptions, ...pageOption },
  examples: [
    { line: "report spend --from 2026-10 --to 2026-10", note: "what October cost" },
    { line: "report spend --by city --csv", note: "which cities cost most, for a spreadsheet" },
    { line: "report spend --by week --html spend.html", note: "a page with a chart" },
  ],
  exits: [5],
  seeAlso: ["sync", "report time", "find"],
  async run({ by = "month", html, ...options }, context) {
    const range = orderRange(options, context.clock);
    if (html !== undefined) await checkPage(html, context);
    const mirror = await openAccountMirror(context);
    const meter = figuresMeter(context);
    const report = await countSpend(mirror, by, range, meter.onProgress).finally(meter.end);
    const age = await mirrorAge(mirror, context);
    const document = toDocument(report, by, range, age);
    const title = `Spend by ${by}${describeRange(range)}`;
    const notes = [...describeNotes(report, by, range), ...zoneNote(by, range, context.clock.now())];
    if (html !== undefined) {
      const { drawReport } = await import("./report-page.ts");
      await writeReport(html, () => drawReport(pageOf(title, report, by, [...notes, age.pageNote])), context);
    }
    const rows = document.rows;
    const total = { key: null, ...spendFields(report.all), isTotal: true } as SpendRow;
    return reportOutput(
      {
        title,
        document,
        shown: shownColumns(report, by),
        shownRows: rows.length > 1 ? [...rows, total] : rows,
        columns: spendColumns,
        notes: [...notes, age.note],
      },
      context,
    );
  },
});

function toDocument(report: SpendReport, by: Grouping, range: OrderRange, age: MirrorAge): SpendDocument {
  return {
    by,
    from: range.from ?? null,
    to: range.to ?? null,
    statuses: [...range.statuses],
    synced_at: age.syncedAt,
    mirror_orders: age.orders,
    without_created_at: report.undated,
    ...spendFields(report.all),
    cancelled: spendFields(report.cancelled),
    payment_status: Object.fromEntries(report.payments),
    rows: report.groups.map((group) => ({ key: group.key, ...spendFields(group) })),
  };
}

function spendFields({ orders, charged, estimated, withoutFee }: Spend) {
  return { orders, charged: toJson(charged), estimated: toJson(estimated), without_fee: withoutFee };
}

function toJson({ orders, sum, mean, median }: Amount) {
  const number = (text: string | null) => (text === null ? null : jsonNumber(text));
  return { orders, sum: number(sum), mean: number(mean), median: number(median) };
}

function describeNotes(report: SpendReport, by: Grouping, range: OrderRange): string[] {
  const { all, cancelled, groups, undated, payments } = report;
  const isLimited = range.from !== undefined || range.to !== undefined;
  const keyless = groups.find(({ key }) => key === null)?.orders ?? 0;
  const unpaid = [...payments].filter(([state]) => state !== "paid" && state !== "");
  const unpaidOrders = unpaid.reduce((sum, [, count]) => sum + count, 0);
  return [
    ...lacking(all.withoutFee, "no fee, neither charged nor estimated"),
    ...lacking(undated, `no readable created_at${isLimited ? " and cannot be counted by date" : ""}`),
    ...(isPeriod(by) ? [] : lacking(keyless, `no ${groupings[by].missing}`)),
    ...(unpaidOrders === 0
      ? []
      : [
          `${counted(unpaidOrders, "order")} ${byCount(unpaidOrders, "is", "are")} counted whose payment_status is not paid: ` +
            unpaid.map(([state, count]) => `${count} ${state}`).join(", "),
        ]),
    ...lacking(payments.get("") ?? 0, "no payment_status"),
    ...(cancelled.orders === 0
      ? []
      : [
          `${counted(cancelled.orders, "cancelled order")} ${byCount(cancelled.orders, "is", "are")} left out: ${describeFees(cancelled)}`,
        ]),
  ];
}

function describeFees({ charged, estimated }: Spend): string {
  const parts = [
    ...(charged.sum === null ? [] : [`charged ${charged.sum}`]),
    ...(estimated.sum === null ? [] : [`estimated ${estimated.sum}`]),
  ];
  return parts.length === 0 ? "without a fee" : parts.join(", ");
}

type FeeKind = "charged" | "estimated";

/** The kinds of fees that the counted orders have. */
function kindsOf({ all }: SpendReport): readonly FeeKind[] {
  return (["charged", "estimated"] as const).filter((kind) => all[kind].orders > 0);
}

function shownColumns(report: SpendReport, by: Grouping): Column<SpendRow>[] {
  const sizeOf = sizesOf(report);
  const most = largest(report.groups.map(sizeOf));
  const bars = new Map(report.groups.map((group) => [group.key, drawBar(sizeOf(group), most)]));
  const isTotal = (row: SpendRow) => "isTotal" in row;
  const feeColumns = (kind: FeeKind, spare: number): Column<SpendRow>[] => [
    { path: `${kind}.sum`, title: kind.toUpperCase(), align: "right", cell: (row) => show(row[kind].sum) },
    { path: `${kind}.orders`, title: "OF", align: "right", cell: (row) => String(row[kind].orders), spare },
    { path: `${kind}.mean`, title: "MEAN", align: "right", cell: (row) => show(row[kind].mean), spare },
    { path: `${kind}.median`, title: "MEDIAN", align: "right", cell: (row) => show(row[kind].median), spare },
  ];
  return [
    {
      path: "key",
      title: titleOf(by),
      cell: (row) => (isTotal(row) ? styled("strong", "all") : styled("strong", row.key)),
      flexible: true,
    },
    { path: "orders", title: "ORDERS", align: "right", cell: ({ orders }) => String(orders) },
    ...kindsOf(report).flatMap((kind, index) => feeColumns(kind, index === 0 ? 4 : 2)),
    ...(report.all.withoutFee === 0
      ? []
      : [
          {
            path: "without_fee",
            title: "NO FEE",
            align: "right" as const,
            cell: (row: SpendRow) => String(row.without_fee),
            spare: 3,
          },
        ]),
    {
      path: "bar",
      title: "",
      cell: (row) => (isTotal(row) ? "" : styled("accent", bars.get(row.key) || " ")),
      spare: 1,
    },
  ];
}

const amountColumns = (kind: FeeKind): Column<SpendRow>[] =>
  (["orders", "sum", "mean", "median"] as const).map((part) => ({
    path: `${kind}.${part}`,
    title: `${kind} ${part}`.toUpperCase(),
    align: "right",
    cell: (row) => show(row[kind][part] as Json),
  }));

const spendColumns: readonly Column<SpendRow>[] = [
  { path: "key", title: "KEY", cell: ({ key }) => show(key) },
  { path: "orders", title: "ORDERS", align: "right", cell: ({ orders }) => String(orders) },
  ...amountColumns("charged"),
  ...amountColumns("estimated"),
  { path: "without_fee", title: "NO FEE", align: "right", cell: (row) => String(row.without_fee) },
];

function pageOf(title: string, report: SpendReport, by: Grouping, notes: readonly string[]): ReportPage {
  const sizeOf = sizesOf(report);
  const kind = report.all.charged.orders > 0 ? "charged" : "estimated";
  const kinds = kindsOf(report);
  const text = (value: string | null) => value ?? "-";
  return {
    title,
    notes: [
      `${counted(report.all.orders, "order")}, ${describeFees(report.all)}. The service gives no currency.`,
      ...notes,
    ],
    chart: {
      title: `${capitalised(kind)} fees by ${by}`,
      isTimeline: isPeriod(by),
      bars: report.groups.map((group) => ({
        label: group.key ?? "-",
        size: sizeOf(group),
        text: `${text(group[kind].sum)} (${counted(group.orders, "order")})`,
      })),
      unit: 1,
      scale: (size) => String(Number(size.toPrecision(12))),
    },
    table: {
      titles: [
        titleOf(by).toLowerCase(),
        "orders",
        ...kinds.flatMap((each) => [each, "of", "mean", "median"]),
        "no fee",
      ],
      rows: report.groups.map((group) => [
        group.key ?? "-",
        String(group.orders),
        ...kinds.flatMap((each) => {
          const { sum, orders, mean, median } = group[each];
          return [text(sum), String(orders), text(mean), text(median)];
        }),
        String(group.withoutFee),
      ]),
    },
  };
}
