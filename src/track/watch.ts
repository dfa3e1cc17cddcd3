/** `courier track --watch`: its options, the watch, and the output of its events. */

import { keyHint, ServiceFailure } from "../api/failure.ts";
import { type CourierService, toCount } from "../api/service.ts";
import { checkApiQuota } from "../command/api-quota.ts";
import type { Context, Items, LiveOutput } from "../command/command.ts";
import { isOfName } from "../command/several.ts";
import { unknownState } from "../command/unknown-state.ts";
import { CourierError } from "../core/errors.ts";
import { formatDuration } from "../core/format-duration.ts";
import { counted } from "../core/wording.ts";
import { stateNames } from "../model/states.ts";
import { type Block, instant, line, type Span, show, state, styled } from "../terminal/blocks.ts";
import { type Seen, summarise } from "./board.ts";
import { openBoardScreen } from "./board-keys.ts";
import { createChangeActions } from "./change-actions.ts";
import { createFailureNotes } from "./failure-notes.ts";
import type { Goal } from "./goal.ts";
import { nameParcels } from "./named-parcels.ts";
import type { Change } from "./parcel.ts";
import { type ParcelOrder, readParcelOrders } from "./parcel-orders.ts";
import { type Pace, pollsWithin, usualPace } from "./schedule.ts";
import type { WatchInput } from "./watch-options.ts";
import { createWatch, type Trouble, type Watch, type WatchEnd, type WatchEvent } from "./watcher.ts";

const pollsAtOnce = 4;
const hourMs = 3_600_000;
/** How often the profile is read for the API calls that are left. */
const quotaPollMs = 600_000;
/** A board shows at most so many changes. */
const newsKept = 50;

/** `names` holds each once; `listed`: what a list has shown of them. Throws a usage error for a watch that the account has too few calls for. */
export async function watchParcels(
  names: readonly string[],
  listed: ReadonlyMap<string, ParcelOrder> | undefined,
  input: WatchInput,
  context: Context,
): Promise<LiveOutput> {
  const service = await context.service();
  const { goal, pace } = { goal: chooseGoal(input), pace: choosePace(input) };
  if (goal.kind === "state" && !stateNames.includes(goal.state)) {
    context.messages.warn(unknownState(goal.state));
    context.messages.note("waiting for it exactly as typed");
  }
  for (const state of input.on ?? [])
    if (!stateNames.includes(state)) context.messages.warn(unknownState(state));
  await checkCalls(names.length, pace, input.for, service, context);
  const quit = new AbortController();
  const seen: { -readonly [K in keyof Seen]: Seen[K] } = {
    goal,
    news: [],
    changes: 0,
    otherCalls: 0,
    left: undefined,
    orders: new Map([...(await readParcelOrders(names, context)), ...(listed ?? [])]),
    describeWait: undefined,
  };
  let hasBoard = false;

  async function askProfile(): Promise<void> {
    seen.otherCalls += 1;
    const calls = toCount((await service.profile({ retries: false })).api_calls_remaining);
    if (calls !== undefined) seen.left = { calls, atMs: context.clock.now() };
  }

  const named = nameParcels(service, context);
  let hasLookedUp = false;
  const watch = createWatch({
    trackingNumbers: names,
    pace,
    goal,
    untilMs: input.for === undefined ? undefined : context.clock.elapsed() + input.for,
    concurrency: pollsAtOnce,
    async poll(name) {
      const tracking = await named.track(name, { retries: false });
      hasLookedUp ||= named.numberOf(name) !== name;
      return tracking;
    },
    numberOf: named.numberOf,
    classifyError(error) {
      const trouble = classifyError(error, hasLookedUp);
      hasLookedUp ||= trouble?.isOfName === true;
      return trouble;
    },
    checkKey: () => checkKey(askProfile, context),
    clock: context.clock,
    random: context.random,
    signal: context.signal,
    quit: quit.signal,
  });
  const failureNotes = createFailureNotes();
  const { screen, controls } = openBoardScreen(watch.board, seen, () => quit.abort());
  return {
    kind: "live",
    events: follow(watch, seen, {
      input,
      askProfile,
      context,
      onEvent: failureNotes.note,
      hasBoard: () => hasBoard,
    }),
    human: (change) => changeView(change as Change),
    screen: (nowMs, room) => {
      hasBoard = true;
      return screen(nowMs, room);
    },
    controls,
    summary: () => summarise(watch.board, seen),
    complain: failureNotes.onMessage,
    onUnread: isMoreThanRead(input) ? () => noteUnread(context) : undefined,
    quit: () => quit.abort(),
  };
}

/** It acts at changes, or its exit code says whether the parcels reached the state. */
function isMoreThanRead({ until, exec, bell, notify }: WatchInput): boolean {
  return until !== undefined || exec !== undefined || bell === true || notify === true;
}

function noteUnread({ signal, messages }: Context): void {
  if (!signal.aborted) messages.note("the reader of the changes is gone; the watch continues without it");
}

function chooseGoal({ until }: WatchInput): Goal {
  if (until === undefined) return { kind: "final" };
  return until === "change" ? { kind: "change" } : { kind: "state", state: until };
}

function choosePace({ interval }: WatchInput): Pace {
  return interval === undefined ? usualPace : { intervalMs: interval, isFixed: true };
}

/** Checks the API quota for the first hour at most. */
async function checkCalls(
  parcels: number,
  pace: Pace,
  forMs: number | undefined,
  service: CourierService,
  context: Context,
): Promise<void> {
  const spanMs = Math.min(forMs ?? hourMs, hourMs);
  const calls = pollsWithin(spanMs, parcels, pace);
  const span = spanMs === hourMs ? "an hour" : formatDuration(spanMs);
  const what = `watching ${counted(parcels, "parcel")} takes about ${counted(calls, "call")} in ${span}`;
  await checkApiQuota(calls, service, context, { what });
}

/** A ref is looked up in the ledger, which may be away for a moment. With the key of another customer no watch goes on. */
const passing = ["database", "customer_unknown"];

/**
 * Only a refused key ends a watch, or an error of every name; after other errors the next poll may succeed. What `passing`
 * lists ends one that has not looked a name up yet: a ledger that could not be opened is not tried again.
 */
function classifyError(error: unknown, hasLookedUp: boolean): Trouble | undefined {
  if (error instanceof CourierError) {
    const { message: reason, code } = error;
    if (isOfName(error))
      return { reason, isOfName: true, isRefusal: true, isLimit: false, retryAfterMs: undefined };
    if (hasLookedUp && passing.includes(code))
      return { reason, isRefusal: false, isLimit: false, retryAfterMs: undefined };
  }
  if (!(error instanceof ServiceFailure) || error.kind === "key_refused") return undefined;
  const { message: reason, retryAfterMs } = error;
  const isLimit = error.kind === "rate_limited" || retryAfterMs !== undefined;
  return { reason, isRefusal: error.kind === "refused", isLimit, retryAfterMs };
}

/**
 * The answer to a key that is not valid is not specified (section 5): the service may refuse it as it refuses an
 * unknown parcel. The profile does not depend on parcels. Throws `key_refused`; false where the profile cannot be read.
 */
async function checkKey(askProfile: () => Promise<void>, { nextCommand }: Context): Promise<boolean> {
  try {
    await askProfile();
    return true;
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    if (error.kind === "key_refused") throw error;
    if (error.kind === "refused") throw revokedKey(error, nextCommand("login"));
    return false;
  }
}

function revokedKey(refusal: ServiceFailure, login: string): ServiceFailure {
  const message = `every parcel and the profile are refused, so the key is probably not valid: ${refusal.message}`;
  const { status, serviceCode, details } = refusal;
  const facts = { status, serviceCode, details, cause: refusal };
  return new ServiceFailure("key_refused", message, { ...facts, hint: keyHint(login) });
}

interface Following {
  readonly input: WatchInput;
  readonly askProfile: () => Promise<void>;
  readonly context: Context;
  /** Called with each event. */
  readonly onEvent: (event: WatchEvent) => void;
  /** A board shows how the watch goes on. */
  readonly hasBoard: () => boolean;
}

async function* follow(
  watch: Watch,
  seen: { -readonly [K in keyof Seen]: Seen[K] },
  { input, askProfile, context, onEvent, hasBoard }: Following,
): Items<Change> {
  const actions = await createChangeActions(input, context);
  let countedMs = Number.NEGATIVE_INFINITY;

  /** Runs in the background. A failure is ignored: the polls report what is wrong. */
  async function countCalls(): Promise<void> {
    const nowMs = context.clock.elapsed();
    if (nowMs - countedMs < quotaPollMs) return;
    countedMs = nowMs;
    await askProfile().catch(() => undefined);
  }

  void countCalls();
  const events = watch.events();
  let next = await events.next();
  try {
    for (; !next.done; next = await events.next()) {
      const event = next.value;
      void countCalls();
      onEvent(event);
      if (event.kind !== "change") continue;
      if (!event.isFirst) {
        seen.changes += 1;
        seen.news = [event.change, ...seen.news].slice(0, newsKept);
        actions.begin(event.change);
      }
      yield event.change;
    }
  } catch (error) {
    if (!context.signal.aborted) actions.dropWaiting("the watch ended with an error");
    throw error;
  } finally {
    await events.return("quit");
  }
  if (next.value === "time") actions.dropWaiting("time is up");
  seen.describeWait = actions.describeWait;
  await actions.finish(hasBoard);
  context.signal.throwIfAborted(); // what still waited was not run
  return explain(next.value, watch, input, seen.goal);
}

/** Exit code 7 where the watch did not reach its goal. */
function explain(end: WatchEnd, { board }: Watch, input: WatchInput, goal: Goal): CourierError | undefined {
  const parcels = board.parcels();
  const open = parcels.filter((parcel) => board.goalResult(parcel) === "open").length;
  const wanted = goal.kind === "state" ? `reached ${goal.state}` : "changed";
  const stillOpen = `${open} of ${counted(parcels.length, "parcel")} not there yet`;
  switch (end) {
    case "reached":
      return undefined;
    case "time":
      return ended("time_up", `time is up (${formatDuration(input.for ?? 0)}): ${stillOpen}`);
    case "quit":
      return goal.kind === "final"
        ? undefined
        : ended("left", `stopped before the parcels ${wanted}: ${stillOpen}`);
    case "missed": {
      const missed = parcels.filter((parcel) => board.goalResult(parcel) === "missed");
      const [first] = missed;
      const others = missed.length > 1 ? `, and ${missed.length - 1} more will not` : "";
      const what = goal.kind === "state" ? `reach ${goal.state}` : "change any more";
      const message = `${first?.trackingNumber} will not ${what}: it is ${show(first?.tracking?.status)}${others}`;
      return ended("not_reached", message);
    }
  }
}

function ended(code: "time_up" | "left" | "not_reached", message: string): CourierError {
  return new CourierError(code, 7, message);
}

/** One line, for a pipe. */
function changeView(change: Change): readonly Block[] {
  const { record, records } = change;
  const isMove = change.previous !== null && change.previous !== change.current;
  const states: Span[] = isMove
    ? [state(change.previous), " -> ", state(change.current)]
    : [state(change.current)];
  const place = record?.location ?? change.current_location;
  const what = record ? ["  ", show(record.description), " (", instant(record.occurred_at), ")"] : [];
  const earlier =
    records.length > 1 && change.previous !== null ? [`, ${records.length - 1} more before`] : [];
  return [
    line(
      instant(change.observed_at),
      "  ",
      styled("strong", change.tracking_number),
      "  ",
      ...states,
      "  ",
      show(place),
      ...what,
      ...earlier,
    ),
  ];
}
