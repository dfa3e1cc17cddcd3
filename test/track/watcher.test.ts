/** The watch itself, on a clock that leaps: days of looks, all kinds of trouble, and every way to end. */

import { describe, expect, test } from "vitest";
import type { Tracking } from "../../src/model/interface.ts";
import { createWatch, type WatchEnd, type WatchEvent, type WatchOptions } from "../../src/track/watcher.ts";
import { createSimulatedClock } from "../support/simulated-clock.ts";

const start = "2026-03-01T08:00:00Z";
const hourMs = 3_600_000;

class Limited extends Error {
  constructor(readonly retryAfterMs: number) {
    super("too many calls");
  }
}

class Refused extends Error {}

/** A service whose parcels move at set hours; each look takes its time on the same clock. */
function createWorld(states: Record<string, readonly (readonly [atMs: number, state: string])[]>) {
  const clock = createSimulatedClock(start);
  const startMs = clock.now();
  const looks: { trackingNumber: string; atMs: number }[] = [];
  const polling = new Set<string>();
  let trouble: (trackingNumber: string, atMs: number) => Error | undefined = () => undefined;
  const quit = new AbortController();
  const ending = new AbortController();

  async function look(trackingNumber: string): Promise<Tracking> {
    const atMs = clock.now() - startMs;
    looks.push({ trackingNumber, atMs });
    if (polling.has(trackingNumber)) throw new TypeError("two looks at one parcel");
    polling.add(trackingNumber);
    await clock.sleep(80);
    polling.delete(trackingNumber);
    const error = trouble(trackingNumber, atMs);
    if (error) throw error;
    const state = states[trackingNumber]?.findLast(([sinceMs]) => sinceMs <= atMs)?.[1] ?? "pending";
    return { tracking_number: trackingNumber, status: state };
  }

  async function watch(options: Partial<WatchOptions> = {}) {
    const { board, events } = createWatch({
      trackingNumbers: Object.keys(states),
      pace: { intervalMs: 60_000, isFixed: false },
      goal: { kind: "final" },
      untilMs: undefined,
      concurrency: 4,
      poll: look,
      classifyError: (error) =>
        error instanceof TypeError
          ? undefined
          : {
              reason: (error as Error).message,
              isRefusal: error instanceof Refused,
              isLimit: error instanceof Limited,
              retryAfterMs: error instanceof Limited ? error.retryAfterMs : undefined,
            },
      checkKey: async () => true,
      clock,
      random: Math.random,
      signal: ending.signal,
      quit: quit.signal,
      ...options,
    });
    const seen: WatchEvent[] = [];
    const running = events();
    let end: WatchEnd | undefined;
    for (;;) {
      const next = await running.next();
      if (next.done) {
        end = next.value;
        break;
      }
      seen.push(next.value);
    }
    return { board, seen, end, elapsedMs: clock.now() - startMs };
  }

  return {
    clock,
    looks,
    quit,
    ending,
    watch,
    suffer(how: typeof trouble) {
      trouble = how;
    },
  };
}

const day: readonly (readonly [number, string])[] = [
  [0, "pending"],
  [2 * hourMs, "picked"],
  [9 * hourMs, "in_transit"],
  [30 * hourMs, "delivered"],
];

function moves(seen: readonly WatchEvent[], trackingNumber: string): string[] {
  return seen.flatMap((event) =>
    event.kind === "change" && event.change.tracking_number === trackingNumber
      ? [String(event.change.current)]
      : [],
  );
}

test("two hundred parcels for more than a day: each change is told once and soon, and it ends by itself", async () => {
  const parcels = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`P${index}`, day]));
  const world = createWorld(parcels);
  const { seen, end, elapsedMs, board } = await world.watch();
  expect(end).toBe("reached");
  for (const trackingNumber of Object.keys(parcels))
    expect(moves(seen, trackingNumber)).toEqual(["pending", "picked", "in_transit", "delivered"]);
  expect(elapsedMs).toBeLessThan(30 * hourMs + 15 * 60_000);
  expect(world.looks.length).toBe(board.polls());
  expect(world.looks.length, "ten minutes apart where nothing moves").toBeLessThan(200 * 31 * 8);
}, 60_000);

test("a parcel in its final state is looked at no more", async () => {
  const world = createWorld({ soon: [[0, "delivered"]], late: [[2 * hourMs, "delivered"]] });
  await world.watch();
  expect(world.looks.filter(({ trackingNumber }) => trackingNumber === "soon")).toHaveLength(1);
});

describe("trouble", () => {
  test("is told, leaves the last good state, and is over with the next good look", async () => {
    const world = createWorld({
      P: [
        [0, "picked"],
        [3 * hourMs, "delivered"],
      ],
    });
    world.suffer((_number, atMs) =>
      atMs > hourMs && atMs < 2 * hourMs ? new Error("no network") : undefined,
    );
    const { seen, end, board } = await world.watch();
    const kinds = seen.map(({ kind }) => kind);
    expect(kinds[0]).toBe("change");
    expect(new Set(kinds.slice(1, -2))).toEqual(new Set(["trouble"]));
    expect(kinds.slice(-2)).toEqual(["recovery", "change"]);
    expect(end).toBe("reached");
    expect(board.parcels()[0]?.stale).toBeUndefined();
  });

  test("while it lasts, since when and why stand on the board beside the last good state", async () => {
    const world = createWorld({ P: [[0, "picked"]] });
    world.suffer((_number, atMs) => (atMs > 0 ? new Error("no network") : undefined));
    const { board, end } = await world.watch({ untilMs: world.clock.elapsed() + hourMs });
    const [parcel] = board.parcels();
    expect(end).toBe("time");
    expect(parcel?.tracking?.status).toBe("picked");
    expect(parcel?.stale?.reason).toBe("no network");
    expect((parcel?.stale?.sinceMs ?? 0) - Date.parse(start)).toBeLessThan(5 * 60_000);
  });

  test("of a kind that is not forgiven ends the watch with it", async () => {
    const world = createWorld({ P: day });
    world.suffer((_number, atMs) => (atMs > hourMs ? new TypeError("key refused") : undefined));
    await expect(world.watch()).rejects.toThrow("key refused");
  });

  test("429 with Retry-After: nobody looks before that, then all go on", async () => {
    const world = createWorld(
      Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`P${index}`, day])),
    );
    let limitedMs: number | undefined;
    world.suffer((_number, atMs) => {
      if (limitedMs !== undefined || atMs < hourMs) return undefined;
      limitedMs = atMs;
      return new Limited(600_000);
    });
    const { end } = await world.watch();
    expect(end).toBe("reached");
    const rest = world.looks.filter(
      ({ atMs }) => atMs > (limitedMs ?? 0) + 80 && atMs < (limitedMs ?? 0) + 600_000,
    );
    expect(rest).toEqual([]);
  });

  test("for a whole day at random: every parcel still ends as it should, and no look is doubled", async () => {
    const world = createWorld(
      Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`P${index}`, day])),
    );
    let looks = 0;
    world.suffer(() => {
      looks += 1;
      if (looks % 3 === 0) return new Error("dropped");
      return looks % 50 === 0 ? new Limited(30_000) : undefined;
    });
    const { seen, end } = await world.watch();
    expect(end).toBe("reached");
    for (let index = 0; index < 25; index++) expect(moves(seen, `P${index}`).at(-1)).toBe("delivered");
  });
});

describe("every parcel refused", () => {
  const refusal = new Refused("no");

  /** Watches three parcels for a day, of which one has arrived by then, and counts how often the key is checked. */
  async function watchRefused(
    suffer: (trackingNumber: string, atMs: number) => Error | undefined,
    checkKey: () => Promise<boolean> = async () => true,
  ) {
    const world = createWorld({ A: [[0, "picked"]], B: [[0, "picked"]], done: [[0, "delivered"]] });
    world.suffer(suffer);
    const checks: number[] = [];
    const startMs = world.clock.now();
    const { end } = await world.watch({
      untilMs: 24 * hourMs,
      async checkKey() {
        checks.push(world.clock.now() - startMs);
        await world.clock.sleep(80);
        return checkKey();
      },
    });
    return { end, checks, looks: world.looks };
  }

  test("the key is checked once, after the first round, and the watch goes on where it is good", async () => {
    const { end, checks, looks } = await watchRefused((_number, atMs) =>
      atMs > hourMs ? refusal : undefined,
    );
    expect({ end, checks: checks.length }).toEqual({ end: "time", checks: 1 });
    expect(checks[0]).toBeLessThan(hourMs + 25 * 60_000);
    expect(looks.filter(({ atMs }) => atMs > 2 * hourMs).length).toBeGreaterThan(200);
  });

  test("it is checked again where a look has answered in between", async () => {
    const { checks } = await watchRefused((_number, atMs) =>
      Math.floor(atMs / hourMs) % 3 === 2 ? undefined : refusal,
    );
    expect(checks.length).toBe(8);
  });

  test("an answer to one parcel of many is enough", async () => {
    const { checks } = await watchRefused((number) => (number === "B" ? refusal : undefined));
    expect(checks).toEqual([]);
  });

  test("other trouble is no refusal, and what is refused later than that counts", async () => {
    const dropped = new Error("dropped");
    expect((await watchRefused(() => dropped)).checks).toEqual([]);
    expect((await watchRefused((number) => (number === "A" ? dropped : refusal))).checks).toEqual([]);
    const late = await watchRefused((_number, atMs) => (atMs < hourMs ? dropped : refusal));
    expect(late.checks).toHaveLength(1);
  });

  test("a check that finds nothing out is made again after the next round", async () => {
    let left = 3;
    const { checks } = await watchRefused(
      () => refusal,
      async () => --left === 0,
    );
    expect(checks).toHaveLength(3);
    expect(Math.min(...checks.slice(1).map((atMs, index) => atMs - (checks[index] ?? 0)))).toBeGreaterThan(
      50_000,
    );
  });

  test("what the check throws ends the watch, unless a look has answered meanwhile", async () => {
    const revoked = async () => {
      throw new Error("revoked");
    };
    await expect(watchRefused(() => refusal, revoked)).rejects.toThrow("revoked");
    const world = createWorld({ A: [[0, "picked"]] });
    world.suffer((_number, atMs) => (atMs < 30_000 ? refusal : undefined));
    const { end } = await world.watch({
      untilMs: world.clock.elapsed() + hourMs,
      async checkKey() {
        await world.clock.sleep(10 * 60_000);
        throw new Error("revoked");
      },
    });
    expect(end).toBe("time");
  });

  test("somebody who has seen enough does not wait for it", async () => {
    const world = createWorld({ A: [[0, "picked"]] });
    world.suffer(() => refusal);
    const { end, elapsedMs } = await world.watch({
      async checkKey() {
        world.clock.after(1_000, () => world.quit.abort());
        await world.clock.sleep(hourMs);
        return true;
      },
    });
    expect(end).toBe("quit");
    expect(elapsedMs).toBeLessThan(2_000);
  });
});

describe("a laptop", () => {
  test("that slept for eight hours looks at once when it wakes, without a burst", async () => {
    const world = createWorld(
      Object.fromEntries(
        Array.from({ length: 50 }, (_, index) => [`P${index}`, [[20 * hourMs, "delivered"]] as const]),
      ),
    );
    let wokenMs = 0;
    world.suffer((_number, atMs) => {
      if (wokenMs === 0 && atMs > hourMs) {
        world.clock.jump(8 * hourMs);
        wokenMs = atMs + 8 * hourMs;
      }
      return undefined;
    });
    await world.watch();
    const firstMinute = world.looks.filter(({ atMs }) => atMs >= wokenMs && atMs < wokenMs + 60_000);
    expect(firstMinute.length).toBeGreaterThanOrEqual(49);
    expect(firstMinute.length).toBeLessThanOrEqual(50);
    const starts = firstMinute.map(({ atMs }) => atMs);
    expect(starts.filter((atMs) => atMs < wokenMs + 1_000).length).toBeLessThanOrEqual(11);
  });

  test("whose clock is set back an hour goes on looking as before", async () => {
    const world = createWorld({ P: [[0, "picked"]] });
    let hasJumped = false;
    const starts: number[] = [];
    world.suffer((_number, atMs) => {
      starts.push(world.clock.elapsed());
      if (!hasJumped && atMs > hourMs) {
        hasJumped = true;
        world.clock.jump(-hourMs);
      }
      return undefined;
    });
    const { end } = await world.watch({
      untilMs: 3 * hourMs,
      pace: { intervalMs: 60_000, isFixed: true },
    });
    expect(end).toBe("time");
    expect(starts).toHaveLength(180);
    for (const [index, startMs] of starts.entries()) expect(startMs).toBe(index * 60_000 + 80);
  });

  test("whose clock is set ahead an hour ends no sooner, and does not end a rest that the service asked for", async () => {
    const world = createWorld({ P: [[0, "picked"]] });
    const starts: number[] = [];
    world.suffer(() => {
      starts.push(world.clock.elapsed());
      if (starts.length > 1) return undefined;
      world.clock.jump(hourMs);
      return new Limited(600_000);
    });
    const { end } = await world.watch({ untilMs: 1_000_000 });
    expect(end).toBe("time");
    expect(world.clock.elapsed()).toBe(1_000_000);
    expect(starts[1]).toBeGreaterThanOrEqual(600_000);
  });
});

describe("the end", () => {
  test("--for: on time, with what is open", async () => {
    const world = createWorld({ P: [[0, "picked"]] });
    const { end, elapsedMs } = await world.watch({ untilMs: world.clock.elapsed() + 2 * hourMs + 7 });
    expect(end).toBe("time");
    expect(elapsedMs).toBe(2 * hourMs + 7);
  });

  test("--until a state: as soon as every parcel has come to it or past it", async () => {
    const world = createWorld({
      fast: day,
      slow: [
        [0, "picked"],
        [40 * hourMs, "in_transit"],
      ],
    });
    const { end, elapsedMs } = await world.watch({ goal: { kind: "state", state: "in_transit" } });
    expect(end).toBe("reached");
    expect(elapsedMs).toBeGreaterThanOrEqual(40 * hourMs);
    expect(elapsedMs).toBeLessThan(40.5 * hourMs);
  });

  test("--until a state that one parcel will never come to: missed, once the others have", async () => {
    const world = createWorld({ lost: [[0, "cancelled"]], P: day });
    const { end, elapsedMs } = await world.watch({ goal: { kind: "state", state: "delivered" } });
    expect(end).toBe("missed");
    expect(elapsedMs).toBeGreaterThanOrEqual(30 * hourMs);
  });

  test("--until change: at the first one, which the present state is not", async () => {
    const world = createWorld({ a: day, b: [[0, "picked"]] });
    const { end, seen } = await world.watch({ goal: { kind: "change" } });
    expect(end).toBe("reached");
    expect(seen.at(-1)).toMatchObject({
      change: { tracking_number: "a", previous: "pending", current: "picked" },
    });
  });

  test("somebody has seen enough: at once, whatever is under way", async () => {
    const world = createWorld({ P: day });
    world.suffer((_number, atMs) => {
      if (atMs > hourMs) world.quit.abort();
      return undefined;
    });
    const { end } = await world.watch();
    expect(end).toBe("quit");
  });

  test("a signal: the watch throws its reason", async () => {
    const world = createWorld({ P: day });
    world.clock.after(hourMs, () => world.ending.abort(new Error("interrupted")));
    await expect(world.watch()).rejects.toThrow("interrupted");
  });
});

test("a reader that takes its time holds the looks up, and loses nothing", async () => {
  const world = createWorld({ P: day });
  const { board, events } = createWatch({
    trackingNumbers: ["P"],
    pace: { intervalMs: 60_000, isFixed: true },
    goal: { kind: "final" },
    untilMs: undefined,
    concurrency: 4,
    poll: async () => ({
      tracking_number: "P",
      status: board.polls() < 3 ? `step ${board.polls()}` : "delivered",
    }),
    classifyError: () => undefined,
    checkKey: async () => true,
    clock: world.clock,
    random: () => 0,
    signal: world.ending.signal,
    quit: world.quit.signal,
  });
  const states: unknown[] = [];
  for await (const event of events()) {
    if (event.kind === "change") states.push(event.change.current);
    await world.clock.sleep(5 * hourMs);
    expect(board.polls()).toBe(states.length);
  }
  expect(states).toEqual(["step 1", "step 2", "delivered"]);
});
