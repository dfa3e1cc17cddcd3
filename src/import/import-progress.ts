/** The progress line of an import: the rows that are done, and what the import waits for. */

import type { Context } from "../command/command.ts";
import type { Clock } from "../core/clock.ts";
import { formatHour } from "../core/time.ts";
import { counted } from "../core/wording.ts";
import { type Counts, countDone, noCounts } from "./import-report.ts";
import type { Stage } from "./import-types.ts";

export interface ImportProgress {
  /** A row is done. */
  count(counts: Counts): void;
  setStage(stage: Stage): void;
  /** Takes the line off the screen while a question is asked. */
  pausedFor<T>(ask: () => Promise<T>): Promise<T>;
  end(): void;
}

const tickMs = 1_000;
/** After so long without an answer, the line says so. */
const noticedMs = 5_000;
const barWidth = 20;

/** A line that is updated with each row, and each second. */
export function openImportProgress(rows: number, context: Context): ImportProgress {
  const { clock, signal } = context;
  let meter = context.meter();
  const startedMs = clock.elapsed();
  let answeredMs = startedMs;
  let counts: Counts = noCounts();
  let stage: Stage = { kind: "sending" };
  let cancel = () => {};
  let isPaused = false;

  const show = () => {
    if (isPaused) return;
    const nowMs = clock.elapsed();
    meter.update(() => {
      const waits = describeWait(stage, nowMs - answeredMs, clock, signal.aborted);
      return [bar(counts, rows), waits ?? describePace(counts, rows, nowMs - startedMs)].join("  ");
    });
  };
  const tick = () => {
    show();
    cancel = clock.after(tickMs, tick);
  };
  cancel = clock.after(tickMs, tick);

  return {
    count(now) {
      counts = now;
      show();
    },
    setStage(next) {
      stage = next;
      if (next.kind !== "server_error") answeredMs = clock.elapsed();
      show();
    },
    async pausedFor(ask) {
      cancel();
      meter.end();
      isPaused = true;
      try {
        return await ask();
      } finally {
        isPaused = false;
        meter = context.meter();
        cancel = clock.after(tickMs, tick);
      }
    },
    end() {
      cancel();
      meter.end();
    },
  };
}

function bar(counts: Counts, rows: number): string {
  const filled = rows > 0 ? Math.floor((countDone(counts) / rows) * barWidth) : 0;
  return `[${"#".repeat(filled)}${".".repeat(barWidth - filled)}] ${countDone(counts)}/${rows}`;
}

function describePace(counts: Counts, rows: number, elapsedMs: number): string {
  const perSecond =
    elapsedMs > 0 ? ((counts.created + counts.found + counts.refused) * 1_000) / elapsedMs : 0;
  const leftS = perSecond > 0 ? Math.ceil((rows - countDone(counts)) / perSecond) : undefined;
  const parts = [
    `${Math.round(perSecond)}/s`,
    `${counts.created} created`,
    counts.refused > 0 ? `${counts.refused} refused` : "",
    leftS === undefined ? "" : `${leftS} s left`,
  ];
  return parts.filter((part) => part !== "").join("  ");
}

/** What the import waits for; undefined while it sends. */
function describeWait(stage: Stage, silentMs: number, clock: Clock, isStopping: boolean): string | undefined {
  if (isStopping) return "stopping after the requests in progress";
  const forSeconds = `for ${Math.round(silentMs / 1_000)} s`;
  switch (stage.kind) {
    case "sending":
      return silentMs < noticedMs ? undefined : `no answer ${forSeconds}`;
    case "server_error":
      return `no usable answer from the service ${forSeconds}, retrying`;
    case "rate_limited": {
      const leftMs = stage.untilMs - clock.elapsed();
      return leftMs > 0
        ? `rate limited by the service, retrying in ${Math.ceil(leftMs / 1_000)} s`
        : undefined;
    }
    case "waiting": {
      const which = stage.names.length === 0 ? "" : ` (${stage.names.join(", ")})`;
      return `another courier process${which} is sending ${counted(stage.rows, "row")} of this file`;
    }
    case "looking": {
      const orders = counted(stage.rows, "order");
      return stage.untilMs === undefined
        ? `looking for ${orders} whose answer was lost`
        : `${orders} in doubt: checking again until ${formatHour(clock.now() + stage.untilMs - clock.elapsed())}`;
    }
  }
}
