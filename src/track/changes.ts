/** `courier track --changes`: what is new since its last run, for a job such as one of cron. */

import { openAccountMirror } from "../command/account-mirror.ts";
import { type Context, type EventsOutput, events, type Items } from "../command/command.ts";
import type { Mirror } from "../mirror/mirror.ts";
import { textAt } from "../mirror/mirrored-order.ts";
import type { Tracking } from "../model/interface.ts";
import { type JsonObject, parseJson, stringifyJson } from "../model/json.ts";
import { isFinal } from "../model/states.ts";
import { type Block, instant, line, type Span, show, state, styled } from "../terminal/blocks.ts";
import { isRefusal, type Tracked, trackedView, trackSeveral } from "./lookup.ts";
import { applyPoll, type Change, newParcel, recordsOf } from "./parcel.ts";

/** The mirror's facts about what was reported, by tracking number: apart from other lookups of the parcel. */
const reportedPrefix = "reported ";

type Reported = Extract<Tracked, { error: JsonObject }> | Change;

/**
 * Reports the changes of these parcels, or of all that are not settled. What was reported is recorded after it was
 * written: where that fails, or two runs overlap, a change is reported twice and never lost. Throws `database`, exit 5.
 */
export async function reportChanges(
  names: readonly string[] | undefined,
  context: Context,
): Promise<EventsOutput> {
  const mirror = await openAccountMirror(context);
  const before = await readReported(mirror);
  const chosen = names ?? (await findUnsettled(mirror, before));
  if (names === undefined && chosen.length === 0 && (await mirror.facts()).orders === 0)
    context.messages.note(`this machine knows no orders; read them with: ${context.nextCommand("sync")}`);
  const reported = new Map<string, string>();
  return {
    ...events(changesOf([...new Set(chosen)], { before, reported, context }), reportView),
    after: () => mirror.setFactsOf(reportedPrefix, reported),
  };
}

async function readReported(mirror: Mirror): Promise<ReadonlyMap<string, Tracking>> {
  const facts = await mirror.factsOf(reportedPrefix);
  return new Map([...facts].map(([number, text]) => [number, parseJson(text) as unknown as Tracking]));
}

/**
 * Orders that the mirror knows, newest first. One whose last reported state is not final belongs to them although a
 * list has shown its end.
 */
async function findUnsettled(
  mirror: Mirror,
  before: ReadonlyMap<string, Tracking>,
): Promise<readonly string[]> {
  const states = [...(await mirror.countByState()).keys()];
  const open = states.filter((each) => each !== undefined && !isFinal(each)) as string[];
  const found: string[] = [];
  // An order without a state is in no selection by states.
  for await (const { fields } of mirror.search({
    text: "",
    statuses: states.includes(undefined) ? undefined : open,
  })) {
    const number = textAt(fields, "tracking_number");
    if (number === undefined || isFinal(textAt(fields, "status"))) continue;
    if (!isFinal(before.get(number)?.status)) found.push(number);
  }
  const others = [...before].filter(([, { status }]) => !isFinal(status)).map(([number]) => number);
  return [...found, ...others];
}

interface Report {
  readonly before: ReadonlyMap<string, Tracking>;
  /** Filled with what is reported, by tracking number. */
  readonly reported: Map<string, string>;
  readonly context: Context;
}

async function* changesOf(names: readonly string[], { before, reported, context }: Report): Items<Reported> {
  const done = new Set<string>();
  // Without news nothing is said, so not how many calls are left either.
  const silent = { ...context, messages: { ...context.messages, note: () => {} } };
  const lookups = trackSeveral(names, silent);
  try {
    for (;;) {
      const next = await lookups.next();
      if (next.done) return next.value;
      const tracked = next.value;
      if (isRefusal(tracked)) {
        yield tracked;
        continue;
      }
      const number = tracked.tracking_number;
      if (done.has(number)) continue;
      done.add(number);
      const parcel = { ...newParcel(number), tracking: before.get(number) };
      const { change } = applyPoll(parcel, tracked, context.clock.now());
      if (!change) continue;
      reported.set(number, stringifyJson(whatIsCompared(tracked)));
      yield change;
    }
  } finally {
    await lookups.return(undefined);
  }
}

function whatIsCompared(tracking: Tracking): JsonObject {
  const { status, current_location } = tracking;
  const records = recordsOf(tracking).map(({ location, description, occurred_at }) => ({
    location,
    description,
    occurred_at,
  }));
  return { status, current_location, records };
}

/** One line a parcel, and one a new movement; of a first check, the newest alone. */
function reportView(reported: Reported): readonly Block[] {
  if (!("current" in reported)) return trackedView(reported as Tracked);
  const { tracking_number, previous, current, current_location, record, records } = reported as Change;
  const isFirst = previous === null;
  const states: Span[] =
    isFirst || previous === current ? [state(current)] : [state(previous), " -> ", state(current)];
  const shown = isFirst ? records.slice(0, 1) : records;
  return [
    line(
      styled("strong", tracking_number),
      "  ",
      ...states,
      "  ",
      show(record?.location ?? current_location),
      ...(isFirst ? ["  ", styled("dim", "(first check)")] : []),
    ),
    ...shown.map(({ location, description, occurred_at }) =>
      line("  ", instant(occurred_at), "  ", show(location), "  ", show(description)),
    ),
  ];
}
