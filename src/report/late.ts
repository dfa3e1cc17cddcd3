/** `courier late`: the orders that have not moved for longest, from the mirror. */

import { openAccountMirror } from "../command/account-mirror.ts";
import { checkApiQuota } from "../command/api-quota.ts";
import { type Context, defineCommand, rows } from "../command/command.ts";
import { countOption, switchOption } from "../command/options.ts";
import { lookUpSeveral } from "../command/several.ts";
import { durationOption } from "../command/value-options.ts";
import { type CourierError, usageError } from "../core/errors.ts";
import { counted } from "../core/wording.ts";
import type { FigureChunk } from "../mirror/figures.ts";
import type { Mirror } from "../mirror/mirror.ts";
import { type MirroredOrder, textAt } from "../mirror/mirrored-order.ts";
import { jsonNumber } from "../model/json.ts";
import type { LateRow } from "../model/results.ts";
import { finalStates } from "../model/states.ts";
import { type Column, instant, show, state, styled } from "../terminal/blocks.ts";
import { type OrderRange, orderRange, stateFilter } from "./range.ts";
import { figuresMeter, lacking, mirrorAge } from "./report-notes.ts";
import { rangeOptions } from "./report-options.ts";

const defaultLimit = 20;

export const listLate = defineCommand({
  description:
    "Orders that are not delivered, completed or cancelled, those first that have not changed for longest. The last\n" +
    "change is the newest movement that tracking showed, where the mirror has tracking, or else the order's creation;\n" +
    "KNOWN FROM says which. The list comes from the mirror, without a call: courier sync brings it up to date, and --fetch\n" +
    "looks up the parcels at the top first.",
  arguments: {},
  options: {
    stuck: durationOption("only orders without a change for this long, such as 72h", {
      minMs: 0,
      maxMs: 3_660 * 86_400_000,
    }),
    fetch: countOption(
      "N",
      "first track the N orders at the top, one call each; the mirror keeps the answers",
      {
        min: 1,
      },
    ),
    ...rangeOptions,
    limit: countOption("N", `at most N orders (default ${defaultLimit})`, { min: 1 }, { short: "L" }),
    all: switchOption("every order that is late", { short: "a" }),
  },
  confirms: true,
  examples: [
    { line: "late --stuck 72h", note: "without a change for three days" },
    { line: "late --fetch 20", note: "with fresh tracking of the worst" },
  ],
  exits: [5],
  seeAlso: ["track", "sync", "report time"],
  async run({ stuck, fetch, limit, all, ...options }, context) {
    if (all && limit !== undefined) throw usageError("--all and --limit exclude each other");
    const range = orderRange(options, context.clock);
    const mirror = await openAccountMirror(context);
    // All of them without --stuck, whatever this machine's clock says.
    const latestMs = () => (stuck === undefined ? Number.POSITIVE_INFINITY : context.clock.now() - stuck);
    const rank = () => rankLate(mirror, range, latestMs(), context);
    let ranked = await rank();
    let untracked: CourierError | undefined;
    let unnumbered = 0;
    if (fetch !== undefined) {
      const worst = await findNumbers(ranked.late.slice(0, fetch), mirror);
      unnumbered = worst.unnumbered;
      untracked = await trackWorst(worst.ids, mirror, context);
      ranked = await rank();
    }
    const shown = ranked.late.slice(0, all ? undefined : (limit ?? defaultLimit));
    const age = await mirrorAge(mirror, context);
    let hasNumbers = false;
    const noteRow = (row: LateRow) => {
      hasNumbers ||= row.tracking_number !== null;
    };
    return {
      ...rows(
        lateRows(shown, mirror, context.clock.now(), noteRow),
        lateColumns,
        "No late orders in the mirror",
      ),
      after: async () => {
        const { note } = context.messages;
        if (shown.length < ranked.late.length)
          note(
            `${shown.length} of ${counted(ranked.late.length, "late order")} shown; --all shows every one`,
          );
        if (untracked?.code === "some_refused") note(untracked.message);
        if (fetch === undefined && shown.length > 0 && !ranked.late.some(({ hasTracking }) => hasTracking))
          note(describeUntracked(shown.length, hasNumbers));
        for (const text of lacking(unnumbered, "no tracking number and cannot be tracked")) note(text);
        const undated = lacking(ranked.undated, "no readable created_at and cannot be chosen by date");
        const untimed = lacking(ranked.untimed, "no time of a change and cannot be ranked");
        for (const text of [...undated, ...untimed]) note(text);
        if (ranked.left > 0)
          note(`left out ${counted(ranked.left, "order")} that the service no longer shows`);
        note(age.note);
        if (untracked && untracked.code !== "some_refused") throw untracked;
      },
    };
  },
});

function describeUntracked(shown: number, hasNumbers: boolean): string {
  const what = hasNumbers ? "tracking in the mirror" : "a tracking number";
  const next = hasNumbers ? `; to track those at the top first, one call each: add --fetch ${shown}` : "";
  return `none of these orders has ${what}, so they are ranked by their creation${next}`;
}

interface LateOrder {
  readonly number: number;
  readonly changedMs: number;
  /** A movement was known. */
  readonly isTracked: boolean;
  /** There is an answer, which may have no movements. */
  readonly hasTracking: boolean;
}

async function rankLate(
  mirror: Mirror,
  range: OrderRange,
  latestMs: number,
  context: Context,
): Promise<{ late: readonly LateOrder[]; undated: number; untimed: number; left: number }> {
  const late: LateOrder[] = [];
  let undated = 0;
  let untimed = 0;
  let left = 0;
  // The service answers for them no more, so that they would be late for ever.
  const notShown = await mirror.notShown();
  const begin = (texts: readonly string[]) => {
    const isInState = stateFilter(range, texts);
    const settled = new Set(finalStates.map((each) => texts.indexOf(each)));
    return ({ base, count, column }: FigureChunk) => {
      const [offset, created, moved] = [column("offset"), column("created"), column("moved")];
      const [states, tracking] = [column("state"), column("tracking")];
      for (let row = 0; row < count; row++) {
        const [stateNumber = 0, tracked = 0] = [states[row], tracking[row]];
        if (settled.has(stateNumber) || settled.has(tracked)) continue;
        if (isInState && !isInState(stateNumber)) continue;
        const [createdMs = Number.NaN, movedMs = Number.NaN] = [created[row], moved[row]];
        const number = base + (offset[row] ?? 0);
        const isShown = !notShown.has(number);
        if (!range.hasInstant(createdMs)) {
          if (isShown && Number.isNaN(createdMs)) undated += 1;
          continue;
        }
        if (!isShown) {
          left += 1;
          continue;
        }
        const isTracked = !Number.isNaN(movedMs);
        const changedMs = isTracked ? movedMs : createdMs;
        if (Number.isNaN(changedMs)) untimed += 1;
        else if (changedMs <= latestMs)
          late.push({ number, changedMs, isTracked, hasTracking: tracked !== 0 });
      }
    };
  };
  const meter = figuresMeter(context);
  await mirror.readFigures(begin, meter.onProgress).finally(meter.end);
  late.sort((a, b) => a.changedMs - b.changedMs || a.number - b.number);
  return { late, undated, untimed, left };
}

/** The ids of the orders by tracking number, and how many have none. */
async function findNumbers(
  worst: readonly LateOrder[],
  mirror: Mirror,
): Promise<{ ids: ReadonlyMap<string, string>; unnumbered: number }> {
  const orders = await mirror.ordersAt(worst.map(({ number }) => number));
  const ids = new Map<string, string>();
  let unnumbered = 0;
  for (const { id, fields } of orders) {
    const trackingNumber = textAt(fields, "tracking_number");
    if (trackingNumber === undefined) unnumbered += 1;
    else ids.set(trackingNumber, id);
  }
  return { ids, unnumbered };
}

/** Gives the error that is left where the service did not show some of them. */
async function trackWorst(
  ids: ReadonlyMap<string, string>,
  mirror: Mirror,
  context: Context,
): Promise<CourierError | undefined> {
  if (ids.size === 0) return undefined;
  const service = await context.service();
  await checkApiQuota(ids.size, service, context);
  const lookups = lookUpSeveral([...ids.keys()], {
    async look(trackingNumber) {
      const value = await service.tracking(trackingNumber);
      const id = ids.get(trackingNumber) ?? "";
      await mirror.record([{ id, kind: "tracking", value }], context.clock.now());
      return true;
    },
    failed: () => false,
    noun: "tracking numbers",
  });
  const meter = context.meter();
  try {
    for (let done = 1; ; done++) {
      const next = await lookups.next();
      if (next.done) return next.value;
      meter.update(() => `${done} of ${counted(ids.size, "parcel")} tracked`);
    }
  } finally {
    meter.end();
    await lookups.return(undefined);
  }
}

const readAtOnce = 200;

async function* lateRows(
  late: readonly LateOrder[],
  mirror: Mirror,
  nowMs: number,
  noteRow: (row: LateRow) => void,
): AsyncGenerator<LateRow, void> {
  for (let at = 0; at < late.length; at += readAtOnce) {
    const part = late.slice(at, at + readAtOnce);
    const orders = await mirror.ordersAt(part.map(({ number }) => number));
    for (const [index, order] of orders.entries()) {
      const found = part[index];
      if (!found) continue;
      const row = toRow(order, found, nowMs);
      noteRow(row);
      yield row;
    }
  }
}

function toRow({ id, fields }: MirroredOrder, { changedMs, isTracked }: LateOrder, nowMs: number): LateRow {
  const { receiver, tracking } = fields;
  const text = (value: typeof receiver, key: string) => textAt(value, key) ?? null;
  return {
    id: jsonNumber(id),
    order_no: text(fields, "order_no"),
    tracking_number: text(fields, "tracking_number"),
    status: text(fields, "status"),
    tracking_status: text(tracking, "status"),
    last_change: new Date(changedMs).toISOString(),
    last_change_from: isTracked ? "tracking" : "created_at",
    waiting_seconds: Math.floor((nowMs - changedMs) / 1_000),
    receiver: { name: text(receiver, "name"), city: text(receiver, "city") },
  };
}

const lateColumns: readonly Column<LateRow>[] = [
  { path: "id", title: "ID", cell: ({ id }) => styled("strong", id) },
  { path: "order_no", title: "ORDER NO", cell: ({ order_no }) => show(order_no), spare: 1 },
  { path: "tracking_number", title: "TRACKING", cell: (row) => show(row.tracking_number) },
  { path: "status", title: "STATE", cell: ({ status }) => state(status) },
  { path: "tracking_status", title: "PARCEL", cell: (row) => state(row.tracking_status), spare: 3 },
  { path: "last_change", title: "LAST CHANGE", cell: ({ last_change }) => instant(last_change) },
  {
    path: "last_change_from",
    title: "KNOWN FROM",
    cell: ({ last_change_from: from }) => (from === "created_at" ? "creation" : from),
    spare: 4,
  },
  { path: "waiting_seconds", title: "WAITING", cell: (row) => show(row.waiting_seconds), isRemark: true },
  {
    path: "receiver.name",
    title: "TO",
    cell: ({ receiver }) => show(receiver.name),
    flexible: true,
    spare: 2,
  },
  {
    path: "receiver.city",
    title: "CITY",
    cell: ({ receiver }) => show(receiver.city),
    flexible: true,
    spare: 2,
  },
];
