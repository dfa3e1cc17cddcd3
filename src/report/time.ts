/** `courier report time`: how long parcels took from created to delivered, from the mirror. */

import { openAccountMirror } from "../command/account-mirror.ts";
import { type Context, defineCommand } from "../command/command.ts";
import { largest } from "../core/extremes.ts";
import { formatDuration } from "../core/format-duration.ts";
import { counted } from "../core/wording.ts";
import type { TimeDocument, TimeRow } from "../model/results.ts";
import { type Column, show, styled } from "../terminal/blocks.ts";
import { countTimes, type TimeReport, type Times } from "./count-times.ts";
import { type Grouping, groupings, isPeriod } from "./groups.ts";
import { describeRange, type OrderRange, orderRange } from "./range.ts";
import { figuresMeter, lacking, type MirrorAge, mirrorAge, zoneNote } from "./report-notes.ts";
import { byOption, groupingWords, pageOption, rangeOptions, titleOf } from "./report-options.ts";
import { checkPage, drawBar, reportOutput, writeReport } from "./report-output.ts";
import type { ReportPage } from "./report-page.ts";

const choices = ["route", "month", "week", "day", "state", "service", "city", "sender"] as const;

export const reportTime = defineCommand({
  description:
    "How long parcels took from created_at to delivered: p50, the time that half of them did not exceed, and p90, the\n" +
    "same for nine of ten. The delivery is the newest movement of a parcel that tracking shows as delivered, so only\n" +
    "parcels count that courier track has looked up in this state: courier track --status delivered. The report says\n" +
    "how many were not.\n" +
    `A route is the sender's city and the receiver's city. By day, week and month, an order counts when it was created.\n${groupingWords}\n` +
    "Cancelled orders are left out.",
  arguments: {},
  options: { by: byOption(choices, "one row for each"), ...rangeOptions, ...pageOption },
  examples: [
    { line: "report time", note: "by route" },
    { line: "report time --by service --from 2026-10", note: "is express faster?" },
    { line: "report time --by city --csv", note: "for a spreadsheet" },
  ],
  exits: [5],
  seeAlso: ["track", "late", "report spend"],
  async run({ by = "route", html, ...options }, context) {
    const range = orderRange(options, context.clock);
    if (html !== undefined) await checkPage(html, context);
    const mirror = await openAccountMirror(context);
    const meter = figuresMeter(context);
    const report = await countTimes(mirror, by, range, meter.onProgress).finally(meter.end);
    const age = await mirrorAge(mirror, context);
    const document = toDocument(report, by, range, age);
    const title = `Time from created to delivered by ${by}${describeRange(range)}`;
    const notes = [...describeNotes(report, by, range), ...zoneNote(by, range, context.clock.now())];
    if (html !== undefined) {
      const { drawReport } = await import("./report-page.ts");
      await writeReport(html, () => drawReport(pageOf(title, report, by, [...notes, age.pageNote])), context);
    }
    const rows = document.rows;
    const total = { key: null, ...timeFields(report.all), isTotal: true } as TimeRow;
    return reportOutput(
      {
        title,
        document,
        shown: shownColumns(report, by),
        shownRows: rows.length > 1 ? [...rows, total] : rows,
        columns: timeColumns,
        notes: [...notes, ...howToTrack(report, range, context), age.note],
        empty: report.orders === 0 ? undefined : "No parcel of these orders is known to be delivered",
      },
      context,
    );
  },
});

function toDocument(report: TimeReport, by: Grouping, range: OrderRange, age: MirrorAge): TimeDocument {
  return {
    by,
    from: range.from ?? null,
    to: range.to ?? null,
    statuses: [...range.statuses],
    synced_at: age.syncedAt,
    mirror_orders: age.orders,
    without_created_at: report.undated,
    ...timeFields(report.all),
    orders: report.orders,
    without_tracking: report.withoutTracking,
    not_delivered: report.notDelivered,
    without_delivery_time: report.withoutDeliveryTime,
    rows: report.groups.map((group) => ({ key: group.key, ...timeFields(group) })),
  };
}

function timeFields({ delivered, p50Ms, p90Ms }: Times) {
  const seconds = (ms: number | undefined) => (ms === undefined ? null : Math.floor(ms / 1_000));
  return { delivered, p50_seconds: seconds(p50Ms), p90_seconds: seconds(p90Ms) };
}

function describeNotes(report: TimeReport, by: Grouping, range: OrderRange): string[] {
  const { withoutTracking, notDelivered, withoutDeliveryTime, undated, groups } = report;
  const isLimited = range.from !== undefined || range.to !== undefined;
  const keyless = groups.find(({ key }) => key === null)?.delivered ?? 0;
  return [
    ...lacking(withoutTracking, "no tracking in the mirror"),
    ...lacking(notDelivered, "tracking that shows no delivery yet"),
    ...lacking(withoutDeliveryTime, "tracking that shows no usable time of the delivery"),
    ...lacking(undated, `no readable created_at${isLimited ? " and cannot be counted by date" : ""}`),
    ...(isPeriod(by) ? [] : lacking(keyless, `no ${groupings[by].missing}`)),
  ];
}

/** Reading the list of the orders takes calls, too. */
function howToTrack(report: TimeReport, { from, to, zone }: OrderRange, { nextCommand }: Context): string[] {
  const { deliveredOrders, deliveredWithoutTracking } = report;
  if (deliveredWithoutTracking === 0) return [];
  const days = [
    ...(from === undefined ? [] : ["--from", from]),
    ...(to === undefined ? [] : ["--to", to]),
    ...(zone === "utc" ? ["--utc"] : []),
  ];
  const command = nextCommand(["track", "--status", "delivered", ...days].join(" "));
  const lacking = `${deliveredWithoutTracking} of ${counted(deliveredOrders, "delivered order")}`;
  const calls = `${counted(deliveredOrders, "call")} and those for the list`;
  return [`to add the tracking of ${lacking} (${calls}): ${command}`];
}

function formatSeconds(seconds: number | null): string {
  return seconds === null ? "-" : formatDuration(seconds * 1_000);
}

function shownColumns(report: TimeReport, by: Grouping): Column<TimeRow>[] {
  const mostMs = largest(report.groups.map(({ p50Ms = 0 }) => p50Ms));
  const isTotal = (row: TimeRow) => "isTotal" in row;
  return [
    {
      path: "key",
      title: titleOf(by),
      cell: (row) => styled("strong", isTotal(row) ? "all" : row.key),
      flexible: true,
    },
    { path: "delivered", title: "DELIVERED", align: "right", cell: ({ delivered }) => String(delivered) },
    { path: "p50_seconds", title: "P50", align: "right", cell: (row) => formatSeconds(row.p50_seconds) },
    { path: "p90_seconds", title: "P90", align: "right", cell: (row) => formatSeconds(row.p90_seconds) },
    {
      path: "bar",
      title: "",
      cell: (row) =>
        isTotal(row) ? "" : styled("accent", drawBar((row.p50_seconds ?? 0) * 1_000, mostMs) || " "),
      spare: 1,
    },
  ];
}

const timeColumns: readonly Column<TimeRow>[] = [
  { path: "key", title: "KEY", cell: ({ key }) => show(key) },
  { path: "delivered", title: "DELIVERED", align: "right", cell: ({ delivered }) => String(delivered) },
  { path: "p50_seconds", title: "P50", align: "right", cell: (row) => show(row.p50_seconds) },
  { path: "p90_seconds", title: "P90", align: "right", cell: (row) => show(row.p90_seconds) },
];

function pageOf(title: string, report: TimeReport, by: Grouping, notes: readonly string[]): ReportPage {
  const text = (ms: number | undefined) => (ms === undefined ? "-" : formatDuration(ms));
  return {
    title,
    notes: [
      `${counted(report.all.delivered, "parcel")} delivered: p50 ${text(report.all.p50Ms)}, p90 ${text(report.all.p90Ms)}.`,
      ...notes,
    ],
    chart: {
      title: `p50, and lighter p90, by ${by}`,
      isTimeline: isPeriod(by),
      bars: report.groups.map(({ key, p50Ms, p90Ms }) => ({
        label: key ?? "-",
        size: p50Ms ?? 0,
        text: text(p50Ms),
        outer: { size: p90Ms ?? 0, text: text(p90Ms) },
      })),
      unit: unitOf(largest(report.groups.map(({ p90Ms = 0 }) => p90Ms))),
      scale: (size) => formatDuration(size),
    },
    table: {
      titles: [titleOf(by).toLowerCase(), "delivered", "p50", "p90"],
      rows: report.groups.map(({ key, delivered, p50Ms, p90Ms }) => [
        key ?? "-",
        String(delivered),
        text(p50Ms),
        text(p90Ms),
      ]),
    },
  };
}

/** A day, an hour or a minute, of which the largest time has several. */
function unitOf(mostMs: number): number {
  return [86_400_000, 3_600_000, 60_000].find((unitMs) => mostMs >= 4 * unitMs) ?? 1_000;
}
