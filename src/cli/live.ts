/** A live result at a terminal: when it is redrawn, and what its keys do. */

import type { LiveOutput, ScreenControls } from "../command/command.ts";
import type { Clock } from "../core/clock.ts";
import type { CourierError } from "../core/errors.ts";
import type { Block } from "../terminal/blocks.ts";
import {
  afterContinueMs,
  createKeys,
  ctrlBackslash,
  ctrlC,
  ctrlZ,
  type Key,
  noPasteMarks,
  pasteMarks,
} from "../terminal/keypress.ts";
import { createLiveRegion } from "../terminal/live-region.ts";
import type { Progress } from "../terminal/progress.ts";
import { render, type View } from "../terminal/render.ts";
import { sanitise } from "../terminal/sanitise.ts";
import { PipeClosed } from "../terminal/streams.ts";
import type { LineMemory } from "../terminal/table.ts";
import { wrapToWidth } from "../terminal/width.ts";
import type { Host } from "./host.ts";

export interface LiveScreen {
  /** Runs a result to its end. Gives back the error that it ended with, if any; rejects as it does. */
  show(output: LiveOutput): Promise<CourierError | undefined>;
  /** Erases the screen's lines before other output; they come back below it. */
  clear(): void;
}

export interface LiveOptions {
  readonly clock: Clock;
  readonly view: View;
  readonly progress: Progress;
  /** Masks the key. */
  readonly redact: (text: string) => string;
}

/** Times on the screen are updated. */
const tickMs = 1_000;
/** At most one redraw in this time, however many events come. */
const restMs = 200;
/** Lines of a table; most of them are drawn again a second later. */
const remembered = 1_000;
/** A process that its shell cannot stop continues after this time. */
const stopMs = 250;

export function createLiveScreen(host: Host, { clock, view, progress, redact }: LiveOptions): LiveScreen {
  const { stdout, stdin, signal, job } = host;
  const region = createLiveRegion(stdout);
  const memory: LineMemory = new Map();
  let redraw = () => {};
  /** Another command has the terminal. */
  let isAway = false;
  /** The terminal may be the shell's. */
  let isStopped = false;

  async function show(output: LiveOutput): Promise<CourierError | undefined> {
    const meter = progress.meter(); // nothing else is drawn in place meanwhile
    const opened = stdin.isTTY === true ? undefined : await job.openKeys?.();
    const quitKey = stdin.isTTY === true || opened ? "q" : "Ctrl-C";
    const painter = createPainter(() => paint(output, quitKey));
    redraw = painter.now;
    const keyboard = opened ?? stdin;
    const keys = createKeys(keyboard, (key, isPasted) => {
      if (key === ctrlC) job.interrupt?.();
      else if (key === ctrlBackslash) job.quit?.();
      else if (key === ctrlZ) suspend();
      else if (isPasted && output.controls?.caret() === undefined)
        return; // a text, and no line to type in
      else if (output.controls) press(key, output.controls);
      else if (key === "q" || key === "Q") output.quit();
    });
    let cancelResume = () => {};
    /** Another command that was stopped still says and records what became of its request. */
    let away: Promise<void> | undefined;

    let marksPastes = false;
    function take(): void {
      keys.take();
      if (quitKey !== "q") return;
      marksPastes = true;
      stdout.write(pasteMarks);
    }

    function releaseKeys(): void {
      if (marksPastes) stdout.write(noPasteMarks);
      marksPastes = false;
      keys.release();
    }

    function release(): void {
      releaseKeys();
      region.release();
    }

    function press(key: Key, controls: ScreenControls): void {
      if (isAway) return;
      const work = controls.press(key);
      if (work) away = giveWay(work);
      else if (controls.isPaced) painter.now();
    }

    /** The screen comes back below what the work has written. */
    async function giveWay(work: () => Promise<void>): Promise<void> {
      isAway = true;
      region.clear();
      release();
      await work();
      isAway = false;
      resume();
    }

    function suspend(): void {
      release();
      isStopped = true;
      cancelResume = clock.after(stopMs, resumeSoon);
      job.stop();
    }

    function resumeSoon(): void {
      isStopped = true;
      setTimeout(resume, afterContinueMs);
    }

    function resume(): void {
      cancelResume();
      isStopped = false;
      if (signal.aborted || isAway || painter.hasEnded()) return;
      region.forget();
      take();
      painter.now();
    }

    // A second signal ends the process at once, and then it is too late.
    signal.addEventListener("abort", release, { once: true });
    stdout.on("resize", painter.now);
    stdout.on("close", output.quit);
    const detach = [job.onContinue(resumeSoon), job.onExit?.(release)];
    try {
      if (!signal.aborted) take();
      painter.now();
      const { isPaced } = output.controls ?? { isPaced: true };
      return await drain(output, isPaced ? painter.soon : painter.now);
    } finally {
      await away;
      painter.end();
      cancelResume();
      for (const each of detach) each?.();
      stdout.off("resize", painter.now);
      stdout.off("close", output.quit);
      signal.removeEventListener("abort", release);
      releaseKeys();
      opened?.destroy();
      await painter.idle();
      const nowMs = clock.now();
      const last = await lines(await output.screen(nowMs, undefined));
      const summary = output.summary(nowMs);
      const said = summary === "" ? [] : wrapToWidth(sanitise(redact(summary)), width());
      region.finish([...last, ...said]);
      redraw = () => {};
      meter.end();
    }
  }

  async function drain({ events }: LiveOutput, redrawSoon: () => void): Promise<CourierError | undefined> {
    try {
      for (;;) {
        const next = await events.next();
        if (stdout.destroyed) throw new PipeClosed();
        if (next.done) return next.value ?? undefined;
        redrawSoon();
      }
    } finally {
      await events.return(undefined);
    }
  }

  async function paint({ screen, controls }: LiveOutput, quitKey: string): Promise<() => unknown> {
    const blocks = await screen(clock.now(), { lines: (stdout.rows || 24) - 1, columns: width(), quitKey });
    const caret = controls?.caret();
    const shown = await lines(blocks);
    return () => isAway || isStopped || region.show(shown, caret);
  }

  async function lines(blocks: readonly Block[]): Promise<string[]> {
    if (memory.size > remembered) memory.clear();
    const text = await render(blocks, { ...view, width: width(), nowMs: clock.now(), memory });
    return redact(text).split("\n").slice(0, -1);
  }

  function width(): number {
    return stdout.columns || 80;
  }

  /** Draws one picture at a time, the newest last, and one every second. */
  function createPainter(make: () => Promise<() => unknown>) {
    let isWanted = false;
    let hasEnded = false;
    let drawing: Promise<void> | undefined;
    let drawnMs = Number.NEGATIVE_INFINITY;
    let cancel = () => {};

    async function draw(): Promise<void> {
      do {
        isWanted = false;
        drawnMs = clock.elapsed();
        const put = await make();
        if (!hasEnded) put();
      } while (isWanted && !hasEnded);
      drawing = undefined;
      if (hasEnded) return;
      cancel();
      cancel = clock.after(tickMs, now);
    }

    function now(): void {
      isWanted = true;
      if (!hasEnded) drawing ??= draw();
    }

    return {
      now,
      soon() {
        const waitMs = drawnMs + restMs - clock.elapsed();
        if (waitMs <= 0) return now();
        cancel();
        cancel = clock.after(waitMs, now);
      },
      end() {
        hasEnded = true;
        cancel();
      },
      hasEnded: () => hasEnded,
      idle: async () => drawing,
    };
  }

  return {
    show,
    clear() {
      region.clear();
      redraw();
    },
  };
}
