/** Days of `--from`, `--to` and `--last`: of the local zone or of UTC, whatever days the service counts by. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answerData } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { createOrder } from "../support/orders.ts";

const { TZ } = process.env;

beforeEach(() => {
  process.env.TZ = "Asia/Shanghai";
});

afterEach(() => {
  process.env.TZ = TZ;
});

/** The service answers each list with orders of these times, numbered from 1, whatever it is asked for. */
async function serveTimes(times: readonly (string | null)[]): Promise<ServedHome> {
  const home = await createServedHome();
  const orders = times.map((created_at, index) => ({
    id: index + 1,
    tracking_number: `CR${index + 1}`,
    created_at,
  }));
  const paging = { current_page: 1, total_pages: 1, total_items: times.length, per_page: 100 };
  answerData(home, "GET /api/v1/orders", JSON.stringify(orders), `"pagination":${JSON.stringify(paging)}`);
  return home;
}

function idsIn(stdout: string): number[] {
  return JSON.parse(stdout).map(({ id }: { id: number }) => id);
}

function askedDates({ sandbox }: ServedHome): (string | null)[][] {
  return sandbox.requests.map(({ path }) => {
    const query = new URLSearchParams(path.split("?")[1]);
    return [query.get("date_from"), query.get("date_to")];
  });
}

const aroundADay = [
  "2026-02-28T15:59:59Z", // the last second of 28 February in Shanghai
  "2026-02-28T16:00:00Z",
  "2026-03-01T15:59:59.999Z",
  "2026-03-01T16:00:00Z",
  "2026-03-02T02:00:00+10:00", // 16:00 UTC
];

describe.each([["orders list --json"], ["orders list --all --json"], ["orders export --json"]])(
  "courier %s",
  (words) => {
    test("takes days of the local zone, and asks the service for one more on each side", async () => {
      const home = await serveTimes(aroundADay);
      const { exit, stdout, stderr } = await home.courier(`${words} --from 2026-03-01 --to 2026-03-01`);
      expect(exit).toBe(0);
      expect(idsIn(stdout)).toEqual([2, 3]);
      expect(stderr).toBe("days of Asia/Shanghai\n");
      expect(askedDates(home)).toEqual([["2026-02-28", "2026-03-02"]]);
    });

    test("--utc takes days of UTC", async () => {
      const home = await serveTimes(aroundADay);
      const { stdout, stderr } = await home.courier(`${words} --from 2026-03-01 --to 2026-03-01 --utc`);
      expect(idsIn(stdout)).toEqual([3, 4, 5]);
      expect(stderr).toBe("days of UTC\n");
      expect(askedDates(home)).toEqual([["2026-02-28", "2026-03-02"]]);
    });

    test("keeps orders whose time cannot be read, and counts them", async () => {
      const home = await serveTimes([
        "2026-03-01T00:00:00Z",
        null,
        "2020-01-01 12:00:00",
        "2020-01-01T12:00:00Z",
      ]);
      const { exit, stdout, stderr } = await home.courier(`${words} --from 2026-03-01`);
      expect(exit).toBe(0);
      expect(idsIn(stdout)).toEqual([1, 2, 3]);
      expect(stderr).toContain("warning: 2 orders are kept although their created_at cannot be read\n");
    });
  },
);

test("slips and track choose orders by local days too", async () => {
  const home = await createServedHome();
  await createOrder(home); // 16:00 in Shanghai
  home.clock.advance(9 * 3_600_000);
  const { id, tracking_number } = await createOrder(home); // 01:00 of the next day
  const slips = await home.courier("orders slips --from 2026-03-02 --json");
  expect(idsIn(slips.stdout)).toEqual([id]);
  const tracked = await home.courier("track --all-active --from today --json");
  expect(JSON.parse(tracked.stdout)).toMatchObject([{ tracking_number }]);
});

test("find takes the same words for days", async () => {
  const home = await createServedHome();
  const { id: first } = await createOrder(home);
  home.clock.advance(9 * 3_600_000);
  const { id: second } = await createOrder(home);
  await home.courier("sync");
  const idsOf = async (words: string) => idsIn((await home.courier(`find ${words} --json`)).stdout);
  expect(await idsOf("--from 2026-03-02")).toEqual([second]);
  expect(await idsOf("--to yesterday")).toEqual([first]);
  expect(await idsOf("--to 2026-02-28 --utc")).toEqual([]);
  expect(await idsOf("--last 1d --status pending,paid --status cancelled")).toEqual([second]);
  expect((await home.courier("find --last 2d")).stderr).toContain("days of Asia/Shanghai\n");
});

describe("words for days, on 1 March 2026", () => {
  test.each([
    ["--from today", "2026-02-28", null],
    ["--from yesterday", "2026-02-27", null],
    ["--to yesterday", null, "2026-03-01"],
    ["--from 7d --to 1d", "2026-02-21", "2026-03-01"],
    ["--from 2026-11", "2026-10-31", null],
    ["--to 2026-11", null, "2026-12-01"],
    ["--from 2024-02 --to 2024-02", "2024-01-31", "2024-03-01"],
    ["--last 1d", "2026-02-28", "2026-03-02"],
    ["--last 7d", "2026-02-22", "2026-03-02"],
    ["--to 9999-12-31", null, null],
    ["--from 0000-01-01", null, null],
  ])("%s", async (words, from, to) => {
    const home = await createServedHome();
    expect((await home.courier(`orders list ${words}`)).exit).toBe(0);
    expect(askedDates(home)).toEqual([[from, to]]);
  });

  test("today is the local zone's, or with --utc that of UTC", async () => {
    const home = await createServedHome();
    home.clock.advance(9 * 3_600_000); // 01:00 of 2 March in Shanghai
    await home.courier("orders list --from today");
    await home.courier("orders list --from today --utc");
    process.env.TZ = "America/Los_Angeles";
    home.clock.advance(10 * 3_600_000); // 03:00 UTC of 2 March, 19:00 of 1 March in Los Angeles
    await home.courier("orders list --last 1d");
    expect(askedDates(home)).toEqual([
      ["2026-03-01", null],
      ["2026-02-28", null],
      ["2026-02-28", "2026-03-02"],
    ]);
  });

  test.each([
    [
      "--from 2026-02-30",
      "--from takes a day such as 2026-01-31, 2026-01, today, yesterday or 7d, not “2026-02-30”",
    ],
    ["--to 2026-13", "--to takes a day such as 2026-01-31, 2026-01, today, yesterday or 7d, not “2026-13”"],
    ["--last 0d", "--last takes a number of days such as 7d, not “0d”"],
    ["--last 2026-01", "--last takes a number of days such as 7d, not “2026-01”"],
    ["--from today --to yesterday", "--from today (2026-03-01) is after --to yesterday (2026-02-28)"],
    ["--last 7d --to today", "--last and --to exclude each other"],
    ["--utc", "--utc changes what --from, --to and --last mean, and none of them is given"],
  ])("%s: exit 2, nothing sent", async (words, message) => {
    const home = await createServedHome();
    for (const command of ["orders list", "orders export", "orders slips", "find"]) {
      const { exit, stderr } = await home.courier(`${command} ${words}`);
      expect(exit).toBe(2);
      expect(stderr).toContain(`error: ${message}\n`);
    }
    expect(home.sandbox.requests).toEqual([]);
  });
});

describe("days of 23 and 25 hours, and zones far from UTC", () => {
  test.each([
    // Spring: 8 March 2026 has 23 hours in New York.
    [
      "America/New_York",
      "2026-03-08",
      ["2026-03-08T04:59:59Z", "2026-03-08T05:00:00Z", "2026-03-09T03:59:59Z", "2026-03-09T04:00:00Z"],
    ],
    // Autumn: 1 November 2026 has 25 hours in New York.
    [
      "America/New_York",
      "2026-11-01",
      ["2026-11-01T03:59:59Z", "2026-11-01T04:00:00Z", "2026-11-02T04:59:59Z", "2026-11-02T05:00:00Z"],
    ],
    // 6 September 2026 has no midnight in Santiago: it begins at 01:00.
    [
      "America/Santiago",
      "2026-09-06",
      ["2026-09-06T03:59:59Z", "2026-09-06T04:00:00Z", "2026-09-07T02:59:59Z", "2026-09-07T03:00:00Z"],
    ],
    [
      "Pacific/Kiritimati",
      "2026-03-01",
      ["2026-02-28T09:59:59Z", "2026-02-28T10:00:00Z", "2026-03-01T09:59:59Z", "2026-03-01T10:00:00Z"],
    ],
    [
      "Pacific/Pago_Pago",
      "2026-03-01",
      ["2026-03-01T10:59:59Z", "2026-03-01T11:00:00Z", "2026-03-02T10:59:59Z", "2026-03-02T11:00:00Z"],
    ],
  ])("%s, %s", async (zone, day, times) => {
    process.env.TZ = zone;
    const home = await serveTimes(times);
    const { stdout, stderr } = await home.courier(`orders list --from ${day} --to ${day} --json`);
    expect(idsIn(stdout)).toEqual([2, 3]);
    expect(stderr).toBe(`days of ${zone}\n`);
  });

  test("a zone without a name is named by its offset", async () => {
    process.env.TZ = "CST-8";
    const { courier } = await serveTimes(["2026-02-28T15:59:59Z", "2026-02-28T16:00:00Z"]);
    const { stdout, stderr } = await courier("orders list --from today --json");
    expect(idsIn(stdout)).toEqual([2]);
    expect(stderr).toBe("days of UTC+08:00\n");
  });
});
