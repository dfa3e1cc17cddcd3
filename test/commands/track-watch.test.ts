/** `courier track --watch` in pipes: what is printed when, how it ends, and what failed looks do to it. */

import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { answerData, answerRaw, requestCount, showCallsLeft } from "../support/answers.ts";
import { createServedHome, type Ran, type ServedHome } from "../support/courier.ts";
import { createOrder } from "../support/orders.ts";
import type { WireFault } from "../support/wire-faults.ts";

const day = 24 * 3_600_000;

async function homeWithParcels(count: number) {
  const home = await createServedHome();
  const numbers: string[] = [];
  for (let index = 0; index < count; index++) numbers.push((await createOrder(home)).tracking_number);
  return { home, numbers, first: numbers[0] ?? "" };
}

function items(stdout: string): Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function states(stdout: string): unknown[] {
  return items(stdout).map(({ current }) => current);
}

const way = [
  "pending",
  "paid",
  "processing",
  "picked",
  "in_transit",
  "in_transit",
  "delivering",
  "delivered",
];

describe("from the present state to the last", () => {
  test("NDJSON: one object a change, the first with the present state", async () => {
    const { home, first } = await homeWithParcels(1);
    const { exit, stdout, stderr } = await home.courier(`track ${first} --watch --ndjson`);
    expect(exit).toBe(0);
    expect(states(stdout)).toEqual(way);
    const [present, second] = items(stdout);
    expect(Object.keys(present ?? {})).toEqual([
      "tracking_number",
      "previous",
      "current",
      "current_location",
      "estimated_delivery",
      "record",
      "records",
      "observed_at",
    ]);
    expect(present).toMatchObject({ tracking_number: first, previous: null, current: "pending" });
    expect(second).toMatchObject({ previous: "pending", record: { description: "订单已付款" } });
    expect(stderr).toMatch(/^Watched 1 parcel for \d+ h( \d+ min)?: 7 changes, \d+ calls\n$/);
  });

  test("in a pipe: one line a change", async () => {
    const { home, first } = await homeWithParcels(1);
    const { exit, stdout } = await home.courier(`track ${first} --watch`);
    const lines = stdout.trimEnd().split("\n");
    expect(exit).toBe(0);
    expect(lines).toHaveLength(way.length);
    expect(lines[0]).toBe(
      `2026-03-01T08:00:00.000Z  ${first}  pending  深圳市  订单已创建，等待付款 (2026-03-01T08:00:00.000Z)`,
    );
    expect(lines[1]).toMatch(
      new RegExp(`^2026-03-01T08:.*Z {2}${first} {2}pending -> paid {2}深圳市 {2}订单已付款`),
    );
  });

  test("JSON: one array, whole when the watch is over", async () => {
    const { home, first } = await homeWithParcels(1);
    const { stdout } = await home.courier(`track ${first} --watch --json`);
    expect((JSON.parse(stdout) as { current: string }[]).map(({ current }) => current)).toEqual(way);
  });

  test("several parcels: each change once; a number given twice is watched once", async () => {
    const { home, numbers } = await homeWithParcels(3);
    const { exit, stdout } = await home.courier(`track ${numbers.join(" ")} ${numbers[0]} --watch --ndjson`);
    expect(exit).toBe(0);
    for (const number of numbers) {
      const own = items(stdout).filter(({ tracking_number }) => tracking_number === number);
      expect(own.map(({ current }) => current)).toEqual(way);
    }
  });

  test("a parcel that has arrived already: its state, and the end", async () => {
    const { home, first } = await homeWithParcels(1);
    await home.sandbox.advance({ trackingNumber: first, to: "delivered" });
    const before = requestCount(home, "GET", `/api/v1/tracking/${first}`);
    const { exit, stdout } = await home.courier(`track ${first} --watch --ndjson`);
    expect({ exit, states: states(stdout) }).toEqual({ exit: 0, states: ["delivered"] });
    expect(requestCount(home, "GET", `/api/v1/tracking/${first}`) - before).toBe(1);
  });

  test("several records between two looks are all in `records`", async () => {
    const { home, first } = await homeWithParcels(1);
    const { stdout } = await home.courier(`track ${first} --watch --interval 1d --yes --ndjson`);
    const [, second] = items(stdout) as { records: { description: string }[]; record: unknown }[];
    expect(second?.records.length).toBeGreaterThan(2);
    expect(second?.record).toEqual(second?.records[0]);
    const { stdout: lines } = await home.courier(`track ${first} --watch --interval 1d --yes`);
    expect(lines).toMatch(/delivered/);
  });
});

describe("the end", () => {
  test("--until a state: exit 0 as soon as the parcel has come to it", async () => {
    const { home, first } = await homeWithParcels(1);
    const { exit, stdout } = await home.courier(`track ${first} --watch --until picked --ndjson`);
    expect({ exit, states: states(stdout) }).toEqual({ exit: 0, states: way.slice(0, 4) });
  });

  test("--until change: exit 0 at the first", async () => {
    const { home, numbers } = await homeWithParcels(2);
    const { exit, stdout } = await home.courier(`track ${numbers.join(" ")} --watch --until change --ndjson`);
    expect(exit).toBe(0);
    expect(states(stdout).slice(0, 3)).toEqual(["pending", "pending", "paid"]);
  });

  test("--for: exit 7, and what is still open", async () => {
    const { home, numbers } = await homeWithParcels(2);
    await home.courier(`orders cancel 1000002 --yes`);
    const startMs = home.clock.now();
    const { exit, stderr } = await home.courier(`track ${numbers.join(" ")} --watch --for 1h30m`);
    expect(exit).toBe(7);
    expect(stderr).toContain("error: time is up (1 h 30 min): 1 of 2 parcels not there yet\n");
    expect(home.clock.now() - startMs).toBe(90 * 60_000);
  });

  test("--until a state that a cancelled parcel never comes to: exit 7, and which", async () => {
    const { home, numbers } = await homeWithParcels(2);
    await home.courier(`orders cancel 1000001 --yes`);
    const { exit, stdout, stderr } = await home.courier(
      `track ${numbers.join(" ")} --watch --until delivered --ndjson`,
    );
    expect(exit).toBe(7);
    expect(states(stdout).at(-1)).toBe("delivered");
    const error = stderr.trimEnd().split("\n").at(-1) ?? "";
    expect(JSON.parse(error).error).toMatchObject({
      code: "not_reached",
      message: `${numbers[0]} will not reach delivered: it is cancelled`,
      exit: 7,
    });
  });

  test.each([
    ["at_pickup_point", "known are pending, "],
    ["delivred", "did you mean delivered?"],
  ])("--until %s, which is unknown: waited for as written, with a word about it", async (state, next) => {
    const { home } = await homeWithParcels(0);
    answerData(home, "GET /api/v1/tracking/T1", `{"tracking_number":"T1","status":"${state}"}`);
    const { exit, stderr } = await home.courier(`track T1 --watch --until ${state}`);
    expect(exit).toBe(0);
    expect(stderr).toContain(`warning: unknown state “${state}”; ${next}`);
    expect(stderr).toContain("waiting for it exactly as typed\n");
  });

  test.each([
    [130, "interrupted"],
    [143, "terminated"],
  ] as const)("a signal: exit %d, with whole lines and a summary", async (exit, word) => {
    const { interrupted } = await import("../../src/core/errors.ts");
    const { home, first } = await homeWithParcels(1);
    const ending = new AbortController();
    home.sandbox.faults.set([{ kind: "latency", ms: 0, path: "/api/v1/tracking/.+" }]);
    const running = home.courier(`track ${first} --watch --ndjson`, { signal: ending.signal });
    while (requestCount(home, "GET", `/api/v1/tracking/${first}`) < 5) await turn();
    ending.abort(interrupted(exit));
    const ended = await running;
    expect(ended.exit).toBe(exit);
    expect(states(ended.stdout)[0]).toBe("pending");
    expect(ended.stderr).toMatch(new RegExp(`Watched 1 parcel for .*\n.*"code":"${word}"`));
  });
});

describe("a check that fails keeps the last known state", () => {
  /** Lets time pass for calls that have stalled, and for no others. */
  async function endure(home: ServedHome, isStall: boolean, running: Promise<Ran>): Promise<Ran> {
    let ended: Ran | undefined;
    running.then((ran) => {
      ended = ran;
    });
    for (let passed = 0; isStall && !ended; ) {
      await turn();
      const fired = home.sandbox.faults.counts()[0]?.fired ?? 0;
      if (fired === passed) continue;
      passed = fired;
      home.clock.advance(30_001);
    }
    return running;
  }

  const faults: readonly WireFault[] = [
    { kind: "status", status: 500 },
    { kind: "status", status: 503, headers: { "retry-after": "90" } },
    { kind: "refuse", status: 404, code: "NOT_FOUND", message: "no such parcel" },
    { kind: "refuse", status: 403, code: "FORBIDDEN", message: "not now" },
    { kind: "rate_limit", retryAfter: "120" },
    { kind: "rate_limit" },
    { kind: "redirect", location: "https://elsewhere.example" },
    { kind: "garbage", content: "html" },
    { kind: "garbage", content: "binary" },
    { kind: "wrong_shape" },
    { kind: "huge_body", bytes: 20_000_000 },
    { kind: "raw", bytes: "nonsense" },
    { kind: "drop_before" },
    { kind: "drop_after" },
    { kind: "drop_mid_body" },
    { kind: "truncate" },
    { kind: "stall" },
    { kind: "stall_body" },
  ];

  test.each(faults)("$kind $status $retryAfter: told once, and over when it is over", async (fault) => {
    const { home, first } = await homeWithParcels(1);
    home.sandbox.faults.set([{ ...fault, path: "/api/v1/tracking/.+", after: 2, times: 3 }]);
    const { exit, stdout, stderr } = await endure(
      home,
      fault.kind.startsWith("stall"),
      home.courier(`track ${first} --watch --until picked --ndjson`),
    );
    expect({ exit, last: states(stdout).at(-1) }).toEqual({ exit: 0, last: "picked" });
    expect(way.filter((state) => states(stdout).includes(state))).toEqual(states(stdout));
    const [trouble, recovery, summary, ...others] = stderr.trimEnd().split("\n");
    const pause = "retryAfter" in fault ? " in 2 min" : "headers" in fault ? " in 90 s" : "";
    expect(trouble).toMatch(new RegExp(`^${first}: .+; the watch goes on${pause}$`));
    expect(recovery).toBe("All parcels can be tracked again");
    expect(summary).toMatch(/^Watched 1 parcel for .*: \d changes, \d+ calls$/);
    expect(others).toEqual([]);
  });

  test("each failed look is one request: the watch is the retry", async () => {
    const { home, first } = await homeWithParcels(1);
    home.sandbox.faults.set([{ kind: "status", status: 503, path: "/api/v1/tracking/.+", after: 1 }]);
    const { exit } = await home.courier(`track ${first} --watch --interval 60s --for 10m`);
    expect(exit).toBe(7);
    expect(requestCount(home, "GET", `/api/v1/tracking/${first}`)).toBeLessThanOrEqual(11);
  });

  test("a refused key ends the watch: exit 4", async () => {
    const { home, first } = await homeWithParcels(1);
    const refused = { kind: "refuse", status: 401, code: "UNAUTHORIZED", message: "no such key" } as const;
    home.sandbox.faults.set([{ ...refused, path: "/api/v1/tracking/.+", after: 3 }]);
    const { exit, stdout, stderr } = await home.courier(`track ${first} --watch --ndjson`);
    expect(exit).toBe(4);
    expect(states(stdout)[0]).toBe("pending");
    expect(stderr).toContain('"code":"key_refused"');
  });

  describe("a key that was revoked, refused under another status than 401", () => {
    const revoked = { kind: "refuse", status: 200, code: "UNAUTHORIZED", message: "key revoked" } as const;
    const profilePath = "/api/v1/user/profile";
    const trackingPath = "/api/v1/tracking/.+";

    test("no parcel and no profile: exit 4, in the service's own words", async () => {
      const { home, numbers } = await homeWithParcels(3);
      home.sandbox.faults.set([
        { ...revoked, path: trackingPath, after: 6 },
        { ...revoked, path: profilePath, after: 1 },
      ]);
      const before = requestCount(home, "GET", profilePath);
      const { exit, stdout, stderr } = await home.courier(`track ${numbers.join(" ")} --watch`);
      expect(exit).toBe(4);
      expect(stdout.match(/pending/g)).toHaveLength(3);
      expect(stderr).toContain(
        "error: every parcel and the profile are refused, so the key is probably not valid: " +
          "the service refused: key revoked (UNAUTHORIZED)\nhint: correct COURIER_API_KEY where it is set, or what the account",
      );
      const asked = requestCount(home, "GET", profilePath) - before;
      expect(asked, "for the calls that are left, and for the key").toBe(2);
    });

    test("a profile that is refused with 401: exit 4, as for any key", async () => {
      const { home, first } = await homeWithParcels(1);
      home.sandbox.faults.set([
        { ...revoked, path: trackingPath },
        { ...revoked, status: 401, path: profilePath },
      ]);
      const { exit, stderr } = await home.courier(`track ${first} --watch --ndjson`);
      expect(exit).toBe(4);
      expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "").error).toMatchObject({
        code: "key_refused",
        message: "the service refused the key: key revoked (UNAUTHORIZED)",
        status: 401,
      });
    });

    test("a profile that is answered: the watch goes on, and asks once", async () => {
      const { home, first } = await homeWithParcels(1);
      home.sandbox.faults.set([{ ...revoked, path: trackingPath, times: 5 }]);
      const { exit, stdout } = await home.courier(
        `track ${first} --watch --interval 10s --until paid --ndjson`,
      );
      expect({ exit, last: states(stdout).at(-1) }).toEqual({ exit: 0, last: "paid" });
      const elsewhere = await home.courier("track CR000000000000 --watch --interval 10s --for 9m");
      expect(elsewhere.exit).toBe(7);
    });

    test.each([
      ["cannot be had", { kind: "status", status: 503 }],
      ["is not had in time", { kind: "rate_limit" }],
    ] as const)("a profile that %s proves nothing: the watch goes on", async (_what, fault) => {
      const { home, first } = await homeWithParcels(1);
      home.sandbox.faults.set([
        { ...revoked, path: trackingPath, times: 5 },
        { ...fault, path: profilePath },
      ]);
      expect((await home.courier(`track ${first} --watch --until paid`)).exit).toBe(0);
    });

    test("one look without a watch is a plain refusal: exit 1", async () => {
      const { home, first } = await homeWithParcels(1);
      home.sandbox.faults.set([{ ...revoked, path: trackingPath }]);
      const { exit, stderr } = await home.courier(`track ${first}`);
      expect(exit).toBe(1);
      expect(stderr).toBe("error: the service refused: key revoked (UNAUTHORIZED)\n");
    });
  });

  test("one unknown number among others: told, and the others are watched to their end", async () => {
    const { home, first } = await homeWithParcels(1);
    const { exit, stdout, stderr } = await home.courier(
      `track ${first} CR000000000000 --watch --for 5d --ndjson`,
    );
    expect(exit).toBe(7);
    expect(states(stdout)).toEqual(way);
    expect(stderr).toContain("CR000000000000: the service refused: ");
  });

  test("a parcel that fails in two ways in turn: each is told once, until it is over", async () => {
    const { home, first } = await homeWithParcels(1);
    for (let index = 0; index < 6; index++)
      answerRaw(home, "GET /api/v1/tracking/.*", "oops", { status: index % 2 ? 500 : 501, times: 1 });
    const { stderr } = await home.courier(`track ${first} --watch --interval 1m --for 10m`);
    expect(stderr.match(/the watch goes on/g)).toHaveLength(2);
    expect(stderr.match(/can be tracked again/g)).toHaveLength(1);
  });

  test("trouble of many parcels for one reason is one complaint", async () => {
    const { home, numbers } = await homeWithParcels(5);
    home.sandbox.faults.set([{ kind: "drop_before", path: "/api/v1/tracking/.+", after: 5, times: 10 }]);
    const { stderr } = await home.courier(`track ${numbers.join(" ")} --watch --for 2h`);
    expect(stderr.match(/the watch goes on/g)).toHaveLength(1);
    expect(stderr.match(/can be tracked again/g)).toHaveLength(1);
  });
});

describe("what is wrong on the command line: exit 2, nothing sent", () => {
  test.each([
    ["track T1 --until delivered", "--until needs --watch"],
    ["track T1 --bell", "--bell needs --watch"],
    ["track T1 --watch --records", "--records and --watch exclude each other"],
    [
      "track T1 --watch --interval 0.5s",
      "--interval takes a time such as 90s, 10m or 2h, from 1 s to 1 d, not “0.5s”",
    ],
    ["track T1 --watch --for soon", "--for takes a time such as"],
    ["track", "no tracking number given"],
    ["track T1 --all-active", "tracking numbers and --all-active exclude each other"],
    ["track --status paid --all-active", "--status and --all-active exclude each other"],
    ["track T1 --from 2026-01-01", "--from, --to and --last choose among your own orders"],
    ["track --all-active --from 2026-02-01 --to 2026-01-01", "is after"],
  ])("%s", async (line, message) => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier(line);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(home.sandbox.requests).toEqual([]);
  });
});

describe("the calls that are left", () => {
  test("a watch that would use them up stops with exit 2, or goes on with --yes and says so", async () => {
    const { home, first } = await homeWithParcels(1);
    showCallsLeft(home, 100);
    const before = requestCount(home, "GET", `/api/v1/tracking/${first}`);
    const refused = await home.courier(`track ${first} --watch --interval 10s`);
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain(
      "watching 1 parcel takes about 361 calls in an hour, but only 100 are left",
    );
    expect(requestCount(home, "GET", `/api/v1/tracking/${first}`)).toBe(before);
    const bold = await home.courier(`track ${first} --watch --interval 10s --for 1m --yes`);
    expect(bold.exit).toBe(7);
    const short = await home.courier(`track ${first} --watch --interval 10s --for 10m`);
    expect(short.stderr).toContain("Watching 1 parcel takes about 61 calls in 10 min; 100 are left.");
  });

  test("a profile that cannot be had changes nothing", async () => {
    const { home, first } = await homeWithParcels(1);
    answerRaw(home, "GET /api/v1/user/profile", "nonsense", { status: 500 });
    expect((await home.courier(`track ${first} --watch --until paid`)).exit).toBe(0);
  });

  test("two parcels for a day take few calls", async () => {
    const { home, numbers } = await homeWithParcels(2);
    const before = home.sandbox.requests.length;
    await home.courier(`track ${numbers.join(" ")} --watch --for 1d`);
    expect(home.sandbox.requests.length - before).toBeLessThan(2 * (day / 600_000) + day / 600_000 + 60);
  });
});

describe("movements that one answer lacks", () => {
  const records = [
    { location: "武汉", description: "left", occurred_at: "2026-03-01T06:00:00Z" },
    { location: "深圳", description: "taken", occurred_at: "2026-03-01T01:00:00Z" },
  ];

  /** The second answer has these movements. */
  async function homeWith(fewer: unknown, last: string) {
    const home = await createServedHome();
    const answer = (shown: unknown, status: string, times?: number) => {
      const data = { tracking_number: "CR1", status, current_location: "武汉", records: shown };
      const body = JSON.stringify({ success: true, data });
      answerRaw(home, "GET /api/v1/tracking/CR1", body, times === undefined ? {} : { times });
    };
    answer(records, "in_transit", 1);
    answer(fewer, "in_transit", 1);
    answer(records, "in_transit", 1);
    answer(records, last);
    return home;
  }

  test.each([[[]], [null], [records.slice(1)]])("are not new when they are back (%j)", async (fewer) => {
    const home = await homeWith(fewer, "delivered");
    const { exit, stdout, stderr } = await home.courier("track CR1 --watch --interval 60s --ndjson");
    expect(exit, stderr).toBe(0);
    expect(items(stdout)).toMatchObject([
      { previous: null, current: "in_transit", records },
      { previous: "in_transit", current: "delivered", records: [] },
    ]);
  });

  test("do not end --until change", async () => {
    const home = await homeWith([], "in_transit");
    const { exit, stdout } = await home.courier("track CR1 --watch --until change --for 2h --ndjson");
    expect([exit, items(stdout).length]).toEqual([7, 1]);
  });
});
