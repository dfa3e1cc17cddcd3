/** Owns what is said of an import while it runs: how far it is, and what it waits for. */

import type { Context } from "../command/command.ts";
import type { Clock } from "../core/clock.ts";
import type { Counts } from "./import-report.ts";
import type { Stage } from "./import-terms.ts";

export interface ImportMeter {
  /** A row is done. */
  count(counts: Counts): void;
  tell(stage: Stage): void;
  end(): void;
}

const tickMs = 1_000;
/** Most answers take less; after it, one asks oneself. */
const noticedMs = 5_000;
const barWidth = 20;

/** A line that is shown anew with every row, and every second while nothing comes. */
export function openImportMeter(rows: number, context: Context): ImportMeter {
  const { clock, signal } = context;
  const meter = context.meter();
  const startedMs = clock.now();
  let answeredMs = startedMs;
  let counts: Counts = { created: 0, refused: 0, unknown: 0, unsent: 0, changed: 0, earlier: 0 };
  let stage: Stage = { kind: "sending" };
  let cancel = () => {};

  const show = () => {
    const nowMs = clock.now();
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
    tell(next) {
      stage = next;
      if (next.kind !== "failing") answeredMs = clock.now();
      show();
    },
    end() {
      cancel();
      meter.end();
    },
  };
}

function done({ created, refused, unknown }: Counts): number {
  return created + refused + unknown;
}

function bar(counts: Counts, rows: number): string {
  const filled = rows > 0 ? Math.floor((done(counts) / rows) * barWidth) : 0;
  return `[${"#".repeat(filled)}${".".repeat(barWidth - filled)}] ${done(counts)}/${rows}`;
}

function describePace(counts: Counts, rows: number, elapsedMs: number): string {
  const perSecond = elapsedMs > 0 ? ((done(counts) - counts.earlier) * 1_000) / elapsedMs : 0;
  const leftS = perSecond > 0 ? Math.ceil((rows - done(counts)) / perSecond) : undefined;
  const parts = [
    `${Math.round(perSecond)}/s`,
    `${counts.created} created`,
    counts.refused > 0 ? `${counts.refused} refused` : "",
    leftS === undefined ? "" : `${leftS} s left`,
  ];
  return parts.filter((part) => part !== "").join("  ");
}

/** What keeps the import from going on; undefined while it does. */
function describeWait(stage: Stage, silentMs: number, clock: Clock, isStopping: boolean): string | undefined {
  if (isStopping) return "stopping: what is under way is finished first";
  const forSeconds = `for ${Math.round(silentMs / 1_000)} s`;
  switch (stage.kind) {
    case "sending":
      return silentMs < noticedMs ? undefined : `no answer from the service ${forSeconds}`;
    case "failing":
      return `service does not answer ${forSeconds}, trying again`;
    case "limited": {
      const leftMs = stage.untilMs - clock.now();
      return leftMs > 0 ? `the service asks to wait, ${Math.ceil(leftMs / 1_000)} s more` : undefined;
    }
    case "looking":
      return `looking for ${stage.rows} ${stage.rows === 1 ? "order" : "orders"} whose answer was lost`;
  }
}
