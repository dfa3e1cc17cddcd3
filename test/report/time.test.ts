/** `courier report time`: durations from created to delivered, where tracking is in the mirror. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { countTimes } from "../../src/report/count-times.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { openMirror } from "../support/mirror.ts";
import { createOrder } from "../support/orders.ts";

async function jsonOf(home: ServedHome, words: string) {
  const { exit, stdout } = await home.courier(`${words} --json`);
  expect(exit).toBe(0);
  return JSON.parse(stdout);
}

/** Its order is delivered after this many hours. */
async function deliver(home: ServedHome, hours: number): Promise<string> {
  const { tracking_number } = await createOrder(home);
  home.clock.advance(hours * 3_600_000);
  await home.sandbox.advance({ trackingNumber: tracking_number, to: "delivered" });
  return tracking_number;
}

test("p50 and p90 of the parcels that tracking shows as delivered, and what the others lack", async () => {
  const home = await createServedHome();
  const parcels: string[] = [];
  for (const hours of [1, 2, 3]) parcels.push(await deliver(home, hours));
  const { tracking_number: open } = await createOrder(home);
  await createOrder(home);
  await home.courier("sync");
  const untracked = await jsonOf(home, "report time");
  expect(untracked).toMatchObject({
    orders: 5,
    delivered: 0,
    p50_seconds: null,
    without_tracking: 5,
    rows: [],
  });
  const advised = await home.courier("report time --from 2026-01-01");
  expect(advised.stdout).toContain("No parcel of these orders is known to be delivered");
  expect(advised.stderr).toContain(
    "to add the tracking of 3 of 3 delivered orders (3 calls and those for the list): " +
      "courier track --status delivered --from 2026-01-01\n",
  );
  await home.courier(["track", ...parcels, open]);
  const before = home.sandbox.requests.length;
  const report = await jsonOf(home, "report time");
  expect(home.sandbox.requests.length).toBe(before);
  expect(report).toMatchObject({
    orders: 5,
    delivered: 3,
    p50_seconds: 2 * 3_600,
    p90_seconds: 3 * 3_600,
    without_tracking: 1,
    not_delivered: 1,
  });
  expect(report.rows).toHaveLength(1);
  expect(report.rows[0].key).toMatch(/ → /);
  const { stdout, stderr } = await home.courier("report time --by month");
  expect(stdout).toMatch(/2026-03 +3 +2 h +3 h/);
  expect(stderr).toContain("1 order has no tracking in the mirror");
  expect(stderr).not.toContain("courier track");
  expect(stderr).toContain("1 order has tracking that shows no delivery yet");
});

test("durations are those of the answers, by route, and others are counted by what they lack", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-report-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const mirror = await openMirror(directory, { account: "shop", service: "https://a.example.com", key: "" });
  onTestFinished(() => mirror.close());
  const at = (hours: number) => new Date(Date.UTC(2026, 2, 1, hours)).toISOString();
  const record = (id: string, created_at: string, city: string, tracking?: JsonObject) =>
    mirror.record(
      [
        { id, kind: "list", value: { created_at, sender: { city: "A" }, receiver: { city } } },
        ...(tracking ? [{ id, kind: "tracking" as const, value: tracking }] : []),
      ],
      1_000,
    );
  const moved = (...hours: number[]) => hours.map((each) => ({ occurred_at: at(each) }));
  for (let hours = 1; hours <= 10; hours++)
    await record(`1${hours}`, at(0), "B", { status: "delivered", records: moved(hours, 0) });
  await record("2", at(0), "C", { status: "delivered", records: moved(1, 7, 3) });
  await record("3", at(9), "C", { status: "delivered", records: moved(8) });
  await record("4", at(0), "C", { status: "completed", records: moved(8) });
  await record("5", at(0), "C", { status: "delivered", records: [{ occurred_at: "today" }] });
  await record("6", "soon", "C", { status: "delivered", records: moved(8) });
  await record("7", at(0), "C", { status: "in_transit", records: moved(8) });
  await record("8", at(0), "C");
  const everything = {
    statuses: [],
    from: undefined,
    to: undefined,
    zone: "local",
    hasInstant: () => true,
  } as const;
  const report = await countTimes(mirror, "route", everything);
  expect(report.groups).toEqual([
    { key: "A → B", delivered: 10, p50Ms: 5 * 3_600_000, p90Ms: 9 * 3_600_000 },
    { key: "A → C", delivered: 1, p50Ms: 7 * 3_600_000, p90Ms: 7 * 3_600_000 },
  ]);
  expect(report).toMatchObject({
    orders: 17,
    withoutTracking: 1,
    notDelivered: 1,
    withoutDeliveryTime: 4,
    undated: 1,
  });
});
