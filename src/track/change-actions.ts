/** The actions of a watch at each change: the user's command, the bell, a desktop notification. */

import type { Context } from "../command/command.ts";
import type { Alerts } from "../core/alerts.ts";
import { counted } from "../core/wording.ts";
import { stringifyJson } from "../model/json.ts";
import { sanitiseJson } from "../terminal/sanitise.ts";
import type { Change } from "./parcel.ts";
import type { WatchInput } from "./watch-options.ts";

const commandLimitMs = 60_000;
const noteAfterMs = 1_000;

export interface ChangeActions {
  /** Runs the actions in the background, one change after the other, so that commands see the changes in order. */
  begin(change: Change): void;
  /** The watch has ended for this reason: actions that have not started never do, and a warning counts them. */
  dropWaiting(reason: string): void;
  /** Resolves when all actions have ended. After a second a note says what it waits for, unless that `isShown`. */
  finish(isShown: () => boolean): Promise<void>;
  /** `waiting for --exec: 2 changes left`. */
  readonly describeWait: (() => string) | undefined;
}

export async function createChangeActions(
  { exec, bell, notify, on }: WatchInput,
  context: Context,
): Promise<ChangeActions> {
  if (exec === undefined && !bell && !notify)
    return { begin() {}, dropWaiting() {}, async finish() {}, describeWait: undefined };
  const alerts = await context.alerts();
  const { clock, messages, signal } = context;
  const option = exec === undefined ? "--notify" : "--exec";
  let queue = Promise.resolve();
  /** Changes whose actions have not started; `open` counts those that run as well. */
  let waiting = 0;
  let open = 0;
  let isTimeUp = false;
  // After a signal, the command that runs is asked to end, and ended 2 seconds later.
  context.addCleanup(async () => (signal.aborted ? queue : undefined));
  let canNotify = notify === true && (await hasNotifier());

  async function hasNotifier(): Promise<boolean> {
    const obstacle = await alerts.findNoticeObstacle();
    if (obstacle === undefined) return true;
    messages.warnAlways(`--notify: ${obstacle}; the watch shows no desktop notifications`);
    return false;
  }

  function warnOfWaiting(reason: string): void {
    if (waiting === 0) return;
    messages.warnAlways(`${option}: ${reason}, so it was not run for ${counted(waiting, "change")}`);
  }

  signal.addEventListener("abort", () => !isTimeUp && warnOfWaiting("the watch was stopped"), { once: true });

  /** With --on, a further movement in the same state is not a change to it. */
  function isWanted({ previous, current }: Change): boolean {
    return on === undefined || (current !== null && current !== previous && on.includes(current));
  }

  function describeWait(): string {
    const limit = exec === undefined ? "" : `, which is stopped after ${commandLimitMs / 1_000} s`;
    return `waiting for ${option}${limit}: ${counted(open, "change")} left`;
  }

  async function runActions(change: Change): Promise<void> {
    if (signal.aborted) return;
    if (canNotify) {
      const failure = await alerts.notify(...notificationOf(change));
      if (failure !== undefined) {
        canNotify = false;
        messages.warnAlways(`--notify: ${failure}; no further notifications`);
      }
    }
    if (exec !== undefined) await runCommand(exec, change, alerts);
  }

  async function runCommand(command: string, change: Change, { execute }: Alerts): Promise<void> {
    const { lines, failure } = await execute(command, {
      stdin: `${sanitiseJson(stringifyJson(change))}\n`,
      variables: variablesOf(change),
      limitMs: commandLimitMs,
      signal,
    });
    for (const text of lines) messages.note(text);
    if (failure !== undefined) messages.warnAlways(`--exec at ${change.tracking_number}: ${failure}`);
  }

  return {
    begin(change) {
      if (!isWanted(change)) return;
      if (bell) alerts.ring();
      waiting += 1;
      open += 1;
      queue = queue.then(async () => {
        if (isTimeUp) return;
        waiting -= 1;
        await runActions(change);
        open -= 1;
      });
    },
    dropWaiting(reason) {
      isTimeUp = true;
      open -= waiting;
      if (!signal.aborted) warnOfWaiting(reason);
    },
    async finish(isShown) {
      const cancel = clock.after(noteAfterMs, () => {
        if (!isShown()) messages.note(`${describeWait()}; Ctrl-C ends the wait`);
      });
      await queue.finally(cancel);
    },
    describeWait,
  };
}

/** Empty where there is no value. `execute` makes the values safe to print. */
function variablesOf(change: Change): Readonly<Record<string, string>> {
  return {
    COURIER_TRACKING_NUMBER: change.tracking_number,
    COURIER_PREVIOUS: change.previous ?? "",
    COURIER_CURRENT: change.current ?? "",
    COURIER_LOCATION: change.record?.location ?? change.current_location ?? "",
    COURIER_DESCRIPTION: change.record?.description ?? "",
    COURIER_OCCURRED_AT: change.record?.occurred_at ?? "",
    COURIER_OBSERVED_AT: change.observed_at,
  };
}

function notificationOf({ tracking_number, current, record }: Change): [title: string, text: string] {
  const text = [record?.location, record?.description].filter(Boolean).join("  ");
  return [`Parcel ${tracking_number}: ${current ?? "-"}`, text];
}
