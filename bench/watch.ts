/** The bench of a watch: its share of a core, its memory over a thousand rounds, its requests, what it redraws. */

import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { spawn } from "@lydell/node-pty";
import type { Tracking } from "../src/model/interface.ts";
import { createLiveRegion } from "../src/terminal/live-region.ts";
import { render } from "../src/terminal/render.ts";
import { plainPaint } from "../src/terminal/style.ts";
import type { LineMemory } from "../src/terminal/table.ts";
import { boardScreen, type Seen } from "../src/track/board.ts";
import { createWatch } from "../src/track/watcher.ts";
import { createSimulatedClock } from "../test/support/simulated-clock.ts";
import { Capture } from "../test/support/streams.ts";
import { program, report } from "./measure.ts";

const parcels = 500;
const intervalMs = 10_000;
const rounds = 1_000;
/** The first part is left out: the runtime still compiles. */
const warmUpMs = 60_000;
const measuredMs = 60_000;
const ticksPerSecond = 100;

const trackingNumbers = Array.from({ length: parcels }, (_, index) => `CR${String(index).padStart(12, "0")}`);

const tracking = {
  status: "in_transit",
  current_location: "北京市转运中心",
  estimated_delivery: "2026-03-02T08:00:00Z",
  records: ["快件已到达", "快件已发出", "快递员已取件", "订单处理中", "订单已付款", "订单已创建"].map(
    (description, hour) => ({
      location: "北京市",
      description,
      occurred_at: `2026-03-01T0${6 - hour}:00:00Z`,
    }),
  ),
};

interface ParcelService extends AsyncDisposable {
  readonly baseUrl: string;
  /** How often it was asked. */
  asked(): number;
}

export async function benchWatch(directory: string): Promise<void> {
  await benchProcessor(directory);
  await benchMemory();
}

/** The built program in a pseudo-terminal, against a served sandbox, on the machine's own clock. */
async function benchProcessor(directory: string): Promise<void> {
  await using served = await serveParcels();
  const list = path.join(directory, "numbers.txt");
  await writeFile(list, trackingNumbers.join("\n"));
  const words = `exec "$0" "$1" track - --watch --interval 10s --yes < "$2"`;
  const terminal = spawn("/bin/sh", ["-c", words, process.execPath, program, list], {
    cols: 80,
    rows: 40,
    env: {
      PATH: process.env.PATH ?? "",
      TERM: "xterm-256color",
      COURIER_CONFIG_DIR: path.join(directory, "config"),
      COURIER_STATE_DIR: path.join(directory, "state"),
      COURIER_BASE_URL: served.baseUrl,
      COURIER_API_KEY: "bench-key",
    },
  });
  let output = "";
  terminal.onData((data) => {
    output += data;
  });
  await wait(warmUpMs);
  const before = { ticks: await ticksOf(terminal.pid), asked: served.asked(), bytes: output.length };
  await wait(measuredMs);
  const ticks = (await ticksOf(terminal.pid)) - before.ticks;
  const asked = served.asked() - before.asked;
  const bytes = output.length - before.bytes;
  terminal.write("q");
  await new Promise<void>((resolve) => terminal.onExit(() => resolve()));
  const share = ticks / ticksPerSecond / (measuredMs / 1_000);
  const percent = `${(share * 100).toFixed(1)} %`;
  report(
    "watch: share of a core",
    share,
    "below 0.05",
    `${percent}, ${parcels} parcels every ${intervalMs / 1_000} s`,
  );
  const intervals = measuredMs / intervalMs;
  const ratio = asked / intervals / parcels;
  report("watch: looks / parcels", ratio, "at most 1.00", `${Math.round(asked / intervals)} an interval`);
  const aSecond = Math.round(bytes / (measuredMs / 1_000));
  report(
    "watch: redrawn",
    bytes / (60 * 40 * 80),
    "below 0.50",
    `${aSecond} bytes a second of a 40 x 80 screen`,
  );
}

/** Every parcel stands still: nothing is as dear as what is asked for in vain. */
async function serveParcels(): Promise<ParcelService> {
  let asked = 0;
  const server = createServer((request, response) => {
    const trackingNumber = request.url?.split("/").at(-1);
    asked += 1;
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ success: true, data: { tracking_number: trackingNumber, ...tracking } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** User and system time of a process and its threads, in ticks; NaN where the system does not tell. */
async function ticksOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")).split(") ")[1]?.split(" ");
  return Number(fields?.[11]) + Number(fields?.[12]);
}

/** A thousand rounds on a clock that leaps, with a board drawn in each; the heap after the first ones and the last. */
async function benchMemory(): Promise<void> {
  const collect = globalThis.gc;
  if (!collect) throw new Error("run with --expose-gc");
  const clock = createSimulatedClock("2026-03-01T08:00:00Z");
  const startMs = clock.now();
  const screen = new Capture(80, 40);
  const region = createLiveRegion(screen);
  const memory: LineMemory = new Map();
  const quit = new AbortController();
  const seen: Seen = {
    goal: { kind: "final" },
    news: [],
    changes: 0,
    otherCalls: 0,
    left: undefined,
    orders: new Map(),
    describeWait: undefined,
  };
  const heaps: number[] = [];
  let round = 0;
  let mostInInterval = 0;
  let looksBefore = 0;

  const { board, events } = createWatch({
    trackingNumbers,
    pace: { intervalMs, isFixed: true },
    goal: seen.goal,
    untilMs: undefined,
    concurrency: 4,
    // Each look changes something, so that all there is to keep is kept.
    poll: async () => ({ ...tracking, current_location: `第${round}站` }) as Tracking,
    classifyError: () => undefined,
    checkKey: async () => true,
    clock,
    random: () => 0.5,
    signal: new AbortController().signal,
    quit: quit.signal,
  });
  for await (const _event of events()) {
    const nowRound = Math.floor((clock.now() - startMs) / intervalMs);
    if (nowRound === round) continue;
    round = nowRound;
    mostInInterval = Math.max(mostInInterval, board.polls() - looksBefore);
    looksBefore = board.polls();
    if (memory.size > rounds) memory.clear();
    const blocks = boardScreen(board, seen, clock.now(), { lines: 39, columns: 80, quitKey: "q" });
    const view = { width: 80, paint: plainPaint, nowMs: clock.now(), memory };
    region.show((await render(blocks, view)).split("\n").slice(0, -1));
    screen.forget();
    if (round % 100 === 0) {
      collect();
      heaps.push(process.memoryUsage().heapUsed / 1_048_576);
    }
    if (round >= rounds) quit.abort();
  }
  const [first = Number.NaN, last = Number.NaN] = [heaps[0], heaps.at(-1)];
  const figures = `${first.toFixed(1)} MB after 100 rounds, ${last.toFixed(1)} MB after ${round}`;
  report("watch: heap, last / first", last / first, "at most 1.10", figures);
  report("watch: looks in an interval", mostInInterval / parcels, "at most 1.00", `${board.polls()} in all`);
}
