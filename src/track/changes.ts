/** `courier track --changes`: what is new since its last run, for a job such as one of cron. */

import { plainNumber } from "../api/service.ts";
import { openAccountMirror } from "../command/account-mirror.ts";
import { type Context, type EventsOutput, events, type Items } from "../command/command.ts";
import { checkRecorder, identifyProcess, type ProcessIdentity } from "../core/process-identity.ts";
import { type Facts, type Mirror, reportedPrefix } from "../mirror/mirror.ts";
import { textAt } from "../mirror/mirrored-order.ts";
import type { Tracking } from "../model/interface.ts";
import { type JsonObject, parseJson, stringifyJson } from "../model/json.ts";
import { isFinal } from "../model/states.ts";
import { type Block, instant, line, type Span, show, state, styled } from "../terminal/blocks.ts";
import { isRefusal, type Tracked, trackedView, trackSeveral } from "./lookup.ts";
import { applyPoll, type Change, newParcel, recordsOf } from "./parcel.ts";

/** The mirror's facts by tracking number: which run reports it now. */
const claimPrefix = "reporting ";
/** A run that this machine cannot see, such as one of a container, has ended after this time. */
const longestClaimMs = 600_000;

type Reported = Extract<Tracked, { error: JsonObject }> | Change;

/**
 * Reports the changes of these parcels, or of all that are not settled. A run claims a change before it writes it, so that
 * no other reports it, too, and records it once all is written: a run that fails on the way leaves its changes to the next
 * one. Throws `database`, exit 5.
 */
export async function reportChanges(
  names: readonly string[] | undefined,
  context: Context,
): Promise<EventsOutput> {
  const mirror = await openAccountMirror(context);
  const before = await mirror.factsOf(reportedPrefix);
  const chosen = names ?? (await findUnsettled(mirror, before));
  if (names === undefined && chosen.length === 0 && (await mirror.facts()).orders === 0)
    context.messages.note(`this machine knows no orders; read them with: ${context.nextCommand("sync")}`);
  const claims = createClaims(mirror, context);
  context.addCleanup(claims.release);
  const changes = changesOf([...new Set(chosen)], { before, claims, mirror, context });
  return {
    ...events(changes, (reported) => reportView(reported, !before.has(reported.tracking_number))),
    after: claims.confirm,
  };
}

interface Claims {
  /** False where another run reports a change of the parcel, or has reported one since `before` was read. */
  take(number: string, before: string | undefined, next: string): Promise<boolean>;
  /** All that was claimed is written. */
  confirm(): Promise<void>;
  /** Leaves what is not confirmed to the next run. */
  release(): Promise<void>;
}

function createClaims(mirror: Mirror, { processes, clock }: Context): Claims {
  const process = identifyProcess(processes);
  const taken = new Map<string, string>();

  function isHeld(claim: string | undefined): boolean {
    if (claim === undefined) return false;
    const { process: owner, atMs } = JSON.parse(claim) as { process: ProcessIdentity; atMs: number };
    const liveness = checkRecorder(owner, atMs, processes);
    return liveness === "alive" || (liveness === "unknown" && Math.abs(clock.now() - atMs) < longestClaimMs);
  }

  async function end(record: (facts: Facts, number: string, next: string) => void): Promise<void> {
    if (taken.size === 0) return;
    await mirror.updateFacts((facts) => {
      for (const [number, next] of taken) {
        record(facts, number, next);
        facts.delete(claimPrefix + number);
      }
    });
    taken.clear();
  }

  return {
    async take(number, before, next) {
      const isTaken = await mirror.updateFacts((facts) => {
        if (facts.get(reportedPrefix + number) !== before) return false;
        if (isHeld(facts.get(claimPrefix + number))) return false;
        facts.set(claimPrefix + number, JSON.stringify({ process, atMs: clock.now() }));
        return true;
      });
      if (isTaken) taken.set(number, next);
      return isTaken;
    },
    confirm: () => end((facts, number, next) => facts.set(reportedPrefix + number, next)),
    release: () => end(() => {}),
  };
}

function parseReported(text: string | undefined): Tracking | undefined {
  return text === undefined ? undefined : (parseJson(text) as unknown as Tracking);
}

/**
 * Orders that the mirror knows, newest first. One whose last reported state is not final belongs to them although a
 * list has shown its end, or the service shows it no longer.
 */
async function findUnsettled(
  mirror: Mirror,
  reported: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const before = new Map([...reported].map(([number, text]) => [number, parseReported(text)]));
  const states = [...(await mirror.countByState()).keys()];
  const statuses = states.filter((each) => each !== undefined && !isFinal(each)) as string[];
  const found: string[] = [];
  for await (const { fields } of mirror.search({ text: "", statuses, isShownOnly: true })) {
    const number = textAt(fields, "tracking_number");
    if (number === undefined || isFinal(textAt(fields, "status"))) continue;
    if (!isFinal(before.get(number)?.status)) found.push(number);
  }
  const others = [...before].filter(([, last]) => !isFinal(last?.status)).map(([number]) => number);
  // The service may not know new parcels yet: they fail after those that it has shown.
  const isShown = (number: string) => before.get(number) !== undefined;
  return [...found.filter(isShown), ...others, ...found.filter((number) => !isShown(number))];
}

interface Report {
  /** What was reported, by tracking number. */
  readonly before: ReadonlyMap<string, string>;
  readonly claims: Claims;
  readonly mirror: Mirror;
  readonly context: Context;
}

/** The service no longer shows the order of the parcel, or the mirror has none: it was made anew since. */
async function isGone(number: string, mirror: Mirror): Promise<boolean> {
  for await (const { fields, notShownSinceMs } of mirror.search({ text: number }))
    if (textAt(fields, "tracking_number") === number) return notShownSinceMs !== undefined;
  return true;
}

/**
 * How a number of an answer is known: a service may write it in other letters than before. Signs are left out only where no
 * other number has the same letters and digits: CR1000-1 may be a piece of CR1000, and CR10001 another parcel.
 */
function openSpellings(numbers: readonly string[]): (told: string) => string {
  const known = new Map(numbers.map((each) => [each.toUpperCase(), each]));
  const alike = new Map<string, string | undefined>();
  for (const each of known.values()) {
    const plain = plainNumber(each);
    alike.set(plain, alike.has(plain) ? undefined : each);
  }
  return (told) => known.get(told.toUpperCase()) ?? alike.get(plainNumber(told)) ?? told;
}

async function* changesOf(
  names: readonly string[],
  { before, claims, mirror, context }: Report,
): Items<Reported> {
  const done = new Set<string>();
  const knownAs = openSpellings([...names, ...before.keys()]);
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
        const { tracking_number: refused, error } = tracked;
        // A refusal of a parcel without an order is reported once.
        if (error.code === "refused" && (await isGone(refused, mirror)))
          await mirror.updateFacts((facts) => facts.delete(reportedPrefix + refused));
        continue;
      }
      const { tracking_number: told } = tracked;
      const number = knownAs(told);
      if (done.has(number)) continue;
      done.add(number);
      const last = before.get(number);
      const parcel = { ...newParcel(number), tracking: parseReported(last) };
      const { change, parcel: seen } = applyPoll(parcel, tracked, context.clock.now());
      const compared = stringifyJson(whatIsCompared(seen.tracking ?? tracked));
      if (change && (await claims.take(number, last, compared))) yield change;
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
function reportView(reported: Reported, isFirst: boolean): readonly Block[] {
  if (!("current" in reported)) return trackedView(reported as Tracked);
  const { tracking_number, previous, current, current_location, record, records } = reported as Change;
  const states: Span[] =
    previous === null || previous === current ? [state(current)] : [state(previous), " -> ", state(current)];
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
