/** `courier report spend`: sums of fees from the mirror, exact, and without a call. */

import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { unnamedAccount } from "../../src/config/accounts.ts";
import type { Answer } from "../../src/mirror/mirror.ts";
import { mirrorFiles } from "../../src/mirror/mirror-files.ts";
import { type JsonObject, parseJson } from "../../src/model/json.ts";
import { countSpend } from "../../src/report/count-spend.ts";
import { drawReport } from "../../src/report/report-page.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { answerData, onePage } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { effort, fc } from "../support/effort.ts";
import { openMirror } from "../support/mirror.ts";

const owner = { account: "shop", service: "https://courier.example.com", key: "" };

async function createMirror() {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-report-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const mirror = await openMirror(directory, owner);
  onTestFinished(() => mirror.close());
  return mirror;
}

const everything = {
  statuses: [],
  from: undefined,
  to: undefined,
  zone: "local",
  hasInstant: () => true,
} as const;

interface Listed {
  readonly status: string;
  readonly payment_status: string;
  readonly actual_fee: number;
  readonly created_at: string;
  readonly receiver: { readonly city: string };
}

async function jsonOf(home: ServedHome, words: string) {
  const { exit, stdout } = await home.courier(`${words} --json`);
  expect(exit).toBe(0);
  return JSON.parse(stdout);
}

/** A decimal as a fraction: what arithmetic on paper does, written down a second time. */
function fraction(text: string): { readonly top: bigint; readonly bottom: bigint } {
  const [, sign, whole, part = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e(-?\d+))?$/.exec(text) ?? [];
  const [up, down] = [BigInt(Math.max(0, Number(exponent))), BigInt(Math.max(0, -Number(exponent)))];
  const top = BigInt(`${whole}${part}`) * 10n ** up;
  return { top: sign ? -top : top, bottom: 10n ** (BigInt(part.length) + down) };
}

function add(texts: readonly string[]) {
  return texts
    .map(fraction)
    .reduce(
      (sum, { top, bottom }) => ({ top: sum.top * bottom + top * sum.bottom, bottom: sum.bottom * bottom }),
      { top: 0n, bottom: 1n },
    );
}

function isEqual(text: string, { top, bottom }: ReturnType<typeof fraction>, by = 1n): boolean {
  const found = fraction(text);
  return found.top * bottom * by === top * found.bottom;
}

/** At least two decimals, and at most half of the last one away. */
function isRounded(text: string, sum: ReturnType<typeof fraction>, count: number): boolean {
  const { top, bottom } = fraction(text);
  const difference = top * BigInt(count) * sum.bottom - sum.top * bottom;
  const size = difference < 0n ? -difference : difference;
  return bottom >= 100n && 2n * size <= BigInt(count) * sum.bottom;
}

const fees = fc.oneof(
  fc.constantFrom("12.5", "12.50", "0", "-3.1", "1.25e1", "99999999999999999999.123456789012345678901", "7"),
  fc.tuple(fc.nat(500), fc.nat(99)).map(([whole, part]) => `${whole}.${String(part).padStart(2, "0")}`),
);
const orders = fc.record({
  status: fc.constantFrom("paid", "delivered", "cancelled", undefined),
  city: fc.constantFrom("上海市", "北京市", undefined),
  created: fc.option(fc.integer({ min: 0, max: 200 }), { nil: undefined }),
  actual: fc.option(fees, { nil: undefined }),
  estimated: fc.option(fees, { nil: undefined }),
});

test("a report equals the arithmetic on paper, for each grouping", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(orders, { maxLength: 30 }), async (generated) => {
      const mirror = await createMirror();
      const dateOf = (day: number) => new Date(Date.UTC(2026, 0, 1 + day, 12)).toISOString();
      const answers = generated.map(({ status, city, created, actual, estimated }, index): Answer => {
        const parts = [
          `"id":${index + 1}`,
          ...(status === undefined ? [] : [`"status":"${status}"`]),
          ...(city === undefined ? [] : [`"receiver":{"city":"${city}"}`]),
          ...(created === undefined ? [`"created_at":"soon"`] : [`"created_at":"${dateOf(created)}"`]),
          ...(actual === undefined ? [] : [`"actual_fee":${actual}`]),
          ...(estimated === undefined ? [] : [`"estimated_fee":${estimated}`]),
        ];
        const value = parseJson(`{${parts.join(",")}}`) as JsonObject;
        return { id: String(index + 1), kind: "detail", value };
      });
      // In two halves, and the first ones twice: figures are replaced, not added.
      const half = Math.floor(answers.length / 2);
      for (const part of [answers.slice(half), answers.slice(0, half), answers.slice(0, 3)])
        await mirror.record(part, 1_000);
      const counted = generated.filter(({ status }) => status !== "cancelled");
      const keys = {
        city: ({ city }: (typeof generated)[number]) => city ?? null,
        month: ({ created }: (typeof generated)[number]) =>
          created === undefined ? null : dateOf(created).slice(0, 7),
      } as const;
      for (const by of ["city", "month"] as const) {
        const report = await countSpend(mirror, by, everything);
        expect(report.all.orders).toBe(counted.length);
        expect(report.cancelled.orders).toBe(generated.length - counted.length);
        expect(report.undated).toBe(generated.filter(({ created }) => created === undefined).length);
        expect(report.groups.reduce((sum, group) => sum + group.orders, 0)).toBe(counted.length);
        for (const group of report.groups) {
          const own = counted.filter((order) => keys[by](order) === group.key);
          expect(group.orders).toBe(own.length);
          for (const [name, amount] of [
            ["actual", group.charged],
            ["estimated", group.estimated],
          ] as const) {
            const texts = own.flatMap((order) => order[name] ?? []);
            expect(amount.orders).toBe(texts.length);
            if (texts.length === 0) {
              expect(amount).toEqual({ orders: 0, sum: null, mean: null, median: null });
              continue;
            }
            expect(isEqual(amount.sum ?? "", add(texts))).toBe(true);
            const sorted = texts.toSorted((a, b) => {
              const difference = add([a, b.startsWith("-") ? b.slice(1) : `-${b}`]).top;
              return difference < 0n ? -1 : difference > 0n ? 1 : 0;
            });
            const at = (index: number) => sorted[Math.floor(index)] ?? "";
            const middle = add([at((sorted.length - 1) / 2), at(sorted.length / 2)]);
            expect(isEqual(amount.median ?? "", middle, 2n)).toBe(true);
            expect(isRounded(amount.mean ?? "", add(texts), texts.length)).toBe(true);
          }
        }
      }
    }),
    { numRuns: effort(20, 300) },
  );
});

test("the report of a synced account is that of its list, and makes no call", async () => {
  const home = await createServedHome({ seedOrders: 60 });
  await home.courier("sync");
  const listed: Listed[] = await jsonOf(home, "orders list --all");
  const before = home.sandbox.requests.length;
  const report = await jsonOf(home, "report spend --by city");
  expect(home.sandbox.requests.length).toBe(before);
  const counted = listed.filter(({ status }) => status !== "cancelled");
  const cents = (of: readonly Listed[]) =>
    of.reduce((sum, { actual_fee }) => sum + Math.round(actual_fee * 100), 0);
  expect(report).toMatchObject({ orders: counted.length, mirror_orders: 60, without_fee: 0 });
  expect(Math.round(report.charged.sum * 100)).toBe(cents(counted));
  expect(report.cancelled.orders).toBe(60 - counted.length);
  const cities = [...new Set(counted.map(({ receiver }) => receiver.city))];
  expect(report.rows.map(({ key }: { key: string }) => key).sort()).toEqual(cities.sort());
  for (const { key, orders, charged } of report.rows) {
    const own = counted.filter(({ receiver }) => receiver.city === key);
    expect([orders, Math.round(charged.sum * 100)]).toEqual([own.length, cents(own)]);
  }
  const unpaid = counted.filter(({ payment_status }) => payment_status !== "paid").length;
  const { stderr } = await home.courier("report spend");
  expect(unpaid).toBeGreaterThan(0);
  expect(stderr).toContain(`${unpaid} orders are counted whose payment_status is not paid`);
  expect(stderr).toContain("from 60 orders of the mirror, synced just now");
  expect(stderr).toMatch(/\d+ cancelled orders are left out: charged/);
});

test("--status cancelled asks for them, and --from and --to are days of the local zone", async () => {
  const home = await createServedHome();
  const mirror = await ownMirror(home);
  const order = (id: string, created_at: string, status: string, fee: string): Answer => ({
    id,
    kind: "list",
    value: parseJson(
      `{"id":${id},"status":"${status}","created_at":"${created_at}","actual_fee":${fee}}`,
    ) as JsonObject,
  });
  await mirror.record(
    [
      order("1", "2026-09-30T15:59:59Z", "paid", "1"),
      order("2", "2026-09-30T16:00:00Z", "paid", "12.5"),
      order("3", "2026-10-31T15:59:59Z", "paid", "12.50"),
      order("4", "2026-10-31T16:00:00Z", "paid", "8"),
      order("5", "2026-10-15T16:00:00Z", "cancelled", "2.10"),
      order("6", "some day", "paid", "5"),
    ],
    1_000,
  );
  mirror.close();
  const zone = process.env.TZ;
  onTestFinished(() => {
    process.env.TZ = zone;
  });
  process.env.TZ = "Asia/Shanghai";
  const { stdout, stderr } = await home.courier("report spend --from 2026-10-01 --to 2026-10-31 --json");
  const report = JSON.parse(stdout);
  expect(stdout).toContain('"sum":25.00');
  expect(report.rows.map(({ key, orders }: { key: string; orders: number }) => [key, orders])).toEqual([
    ["2026-10", 2],
  ]);
  expect(report).toMatchObject({ orders: 2, without_created_at: 1, cancelled: { orders: 1 } });
  expect(stderr).toContain("1 order has no readable created_at and cannot be counted by date");
  const cancelled = await jsonOf(home, "report spend --status cancelled");
  expect(cancelled).toMatchObject({ orders: 1, cancelled: { orders: 0 } });
  const days = await jsonOf(home, "report spend --by day --from 2026-10-31");
  expect(days.rows.map(({ key }: { key: string }) => key)).toEqual(["2026-10-31", "2026-11-01"]);
  const utc = await jsonOf(home, "report spend --by day --from 2026-10-31 --to 2026-10-31 --utc");
  expect(utc.rows).toMatchObject([{ key: "2026-10-31", orders: 2 }]);
  expect((await home.courier("report spend --from 2026-10 --to 2026-10")).stderr).toContain(
    "days of Asia/Shanghai",
  );
  const weeks = await jsonOf(home, "report spend --by week --from 2026-10-31");
  expect(weeks.rows.map(({ key }: { key: string }) => key)).toEqual(["2026-W44"]);
});

test.each(["\\u0000", "\\ud800"])("a state with %s at its end is not cancelled", async (end) => {
  const mirror = await createMirror();
  for (const [id, status] of [`cancelled${end}`, "cancelled"].entries()) {
    const value = parseJson(`{"id":${id},"status":"${status}","actual_fee":1}`) as JsonObject;
    await mirror.record([{ id: String(id), kind: "detail", value }], 1_000);
  }
  const { all, cancelled } = await countSpend(mirror, "month", everything);
  expect([all.orders, cancelled.orders]).toEqual([1, 1]);
});

/** The mirror of a home's account, as courier names its file. */
async function ownMirror(home: ServedHome) {
  await home.courier("find x");
  const { stateDir, sandbox } = home;
  const own = { account: unnamedAccount, service: sandbox.baseUrl, key: "test-key-0123456789" };
  const [file] = mirrorFiles(stateDir).filter((name) => name.endsWith(".db"));
  const mirror = await openMirror(stateDir, own);
  expect(mirror.path).toBe(file);
  return mirror;
}

test("a mirror of an earlier version is counted in full", async () => {
  const home = await createServedHome({ seedOrders: 30 });
  await home.courier("sync");
  const expected = await jsonOf(home, "report spend --by state");
  const [file = ""] = mirrorFiles(home.stateDir).filter((name) => name.endsWith(".db"));
  const connection = (await loadDriver()).open(file);
  connection.exec(
    "DROP TABLE figures; DROP TABLE texts; DROP INDEX orders_not_shown; ALTER TABLE orders DROP COLUMN not_shown_since; PRAGMA user_version = 1",
  );
  connection.close();
  expect(await jsonOf(home, "report spend --by state")).toEqual(expected);
  expect(await jsonOf(home, "report spend --by state")).toEqual(expected);
  expect(expected.orders + expected.cancelled.orders).toBe(30);
});

test("CSV and --fields have the rows", async () => {
  const home = await createServedHome({ seedOrders: 20 });
  await home.courier("sync");
  const { rows } = await jsonOf(home, "report spend --by state");
  const csv = (await home.courier("report spend --by state --csv")).stdout.trim().split("\n");
  expect(csv[0]).toMatch(/^key,orders,charged\.orders,charged\.sum,/);
  expect(csv).toHaveLength(rows.length + 1);
  const chosen = await home.courier("report spend --by state --json --fields key,orders");
  expect(JSON.parse(chosen.stdout)).toEqual(
    rows.map(({ key, orders }: { key: string; orders: number }) => ({ key, orders })),
  );
});

test("an empty mirror says what to do, and a wrong --by names the groups", async () => {
  const home = await createServedHome();
  const empty = await home.courier("report spend");
  expect(empty.stdout).toContain("No orders");
  expect(empty.stderr).toContain("the mirror is empty; read all of them with: courier sync");
  const wrong = await home.courier("report spend --by year");
  expect(wrong.exit).toBe(2);
  expect(wrong.stderr).toContain("--by takes one of month, week, day");
});

test.each([
  ["spend", "r.pdf", "use --html r.html; a browser prints it to a PDF file"],
  ["time", "r.PDF", "use --html r.html; a browser prints it to a PDF file"],
  ["spend", "r.xlsx", "use --html r.html"],
  ["time", "r.csv", "use --html r.html"],
])("report %s --html %s is refused: a page is no such file", async (report, file, hint) => {
  const home = await createServedHome();
  const { exit, stdout, stderr } = await home.courier(["report", report, "--html", file]);
  expect([exit, stdout]).toEqual([2, ""]);
  expect(stderr).toBe(`error: cannot write ${path.extname(file)} files\nhint: ${hint}\n`);
});

test("--html writes one page that loads nothing, with texts escaped", async () => {
  const home = await createServedHome();
  const mirror = await ownMirror(home);
  const city = "<script>alert(1)</script>\u202e";
  await mirror.record(
    [
      {
        id: "1",
        kind: "list",
        value: { actual_fee: "12.50", receiver: { city }, created_at: "2026-02-01T00:00:00Z" },
      },
    ],
    1_000,
  );
  mirror.close();
  const file = path.join(home.directory, "spend.html");
  const { exit, stdout, stderr } = await home.courier(["report", "spend", "--by", "city", "--html", file]);
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: expect.stringContaining(`wrote the report to ${file}`),
  });
  expect(stdout).toContain("12.50");
  const page = await readFile(file, "utf8");
  expect(page).toContain("<svg");
  expect(page).toContain("12.50 (1 order)");
  expect(page).toContain("&#60;script&#62;");
  expect(page).not.toMatch(/<script|https?:|src=|url\(|\u202e/);
  expect((await stat(file)).size).toBeLessThan(200_000);
});

test("the largest page is below 200 KB", () => {
  const name = (index: number) => `${index}${"市".repeat(60)}`;
  const rows = Array.from({ length: 5_000 }, (_, index) => index);
  const page = drawReport({
    title: "Spend by city",
    notes: [],
    chart: {
      title: "Charged fees",
      isTimeline: false,
      unit: 1,
      bars: rows.map((index) => ({
        label: name(index),
        size: 5_000 - index,
        text: `${index}.00 (12 orders)`,
      })),
      scale: String,
    },
    table: { titles: ["city"], rows: rows.map((index) => [name(index), ...Array(10).fill("1234567.89")]) },
  });
  expect(Buffer.byteLength(page)).toBeLessThan(200_000);
  expect(page).toContain("are drawn; --csv has all of them");
});

test("fees of any size are drawn", async () => {
  const home = await createServedHome();
  const order = (id: number, fee: string) =>
    `{"id":${id},"status":"paid","actual_fee":${fee},"created_at":"2026-02-02T08:00:00Z","receiver":{"city":"C${id}"}}`;
  answerData(
    home,
    "GET /api/v1/orders",
    `[${order(2, "1e308")},${order(1, "1")}]`,
    onePage.replace('"total_items":1', '"total_items":2'),
  );
  expect((await home.courier("sync")).exit).toBe(0);
  const { exit, stdout, stderr } = await home.courier("report spend --by city");
  expect(exit, stderr).toBe(0);
  expect(stdout).toMatch(/C2 .*#{20}\n/);
});

test("a fee with more digits than any has counts as none, and is said", async () => {
  const home = await createServedHome();
  const order = (id: number, fee: string) =>
    `{"id":${id},"status":"paid","payment_status":"paid","actual_fee":${fee},"created_at":"2026-02-02T08:00:00Z"}`;
  const orders = [`12.${"3".repeat(1_000)}`, `1${"0".repeat(1_000)}`, "2.50"].map((fee, id) =>
    order(id + 1, fee),
  );
  answerData(
    home,
    "GET /api/v1/orders",
    `[${orders}]`,
    onePage.replace('"total_items":1', '"total_items":3'),
  );
  expect((await home.courier("sync")).exit).toBe(0);
  const { exit, stdout, stderr } = await home.courier("report spend");
  expect(exit, stderr).toBe(0);
  expect(stdout).not.toMatch(/333|000/);
  expect(stdout).toContain("2.50");
  expect(stderr).toContain("2 orders have no fee, neither charged nor estimated");
});
