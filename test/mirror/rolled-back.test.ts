/** A transaction of the mirror that was rolled back leaves nothing behind in memory. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Answer } from "../../src/mirror/mirror.ts";
import { type JsonObject, parseJson } from "../../src/model/json.ts";
import { countSpend } from "../../src/report/count-spend.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { openMirror } from "../support/mirror.ts";

const owner = { account: "shop", service: "https://courier.example.com", key: "" };
const all = { statuses: [], from: undefined, to: undefined, zone: "utc", hasInstant: () => true } as const;
const list = (text: string): Answer => {
  const value = parseJson(text) as JsonObject;
  return { id: (value.id as { value: string }).value, kind: "list", value };
};

/** `fail(true)`: what a record writes last fails, as where the disk is full for a moment. */
async function createMirror() {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-mirror-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const mirror = await openMirror(directory, owner);
  const other = (await loadDriver()).open(mirror.path);
  onTestFinished(() => {
    other.close();
    mirror.close();
  });
  const fail = (is: boolean) =>
    other.exec(
      is
        ? "CREATE TRIGGER full BEFORE INSERT ON figures BEGIN SELECT RAISE(ABORT, 'full'); END"
        : "DROP TRIGGER full",
    );
  return { mirror, fail };
}

test("a report has the fees of the orders, and no others", async () => {
  const { mirror, fail } = await createMirror();
  const one = list('{"id":1,"status":"paid","actual_fee":12.00,"estimated_fee":12.00}');
  fail(true);
  await expect(mirror.record([one], 1_000)).rejects.toThrow();
  fail(false);
  await mirror.record([list('{"id":2,"status":"paid","actual_fee":7.00}')], 2_000);
  await mirror.record([one], 3_000);
  const report = await countSpend(mirror, "state", all);
  expect(report.all.charged).toMatchObject({ orders: 2, sum: "19.00" });
});

test("an order has its own fields", async () => {
  const { mirror, fail } = await createMirror();
  const [one, two] = [1, 2].map((id) => list(`{"id":${id},"status":"paid","item_name":"mug"}`));
  fail(true);
  await expect(mirror.record([one as Answer, two as Answer], 1_000)).rejects.toThrow();
  fail(false);
  await mirror.record([list('{"id":3,"tracking_number":"CR3","order_no":"CO3"}')], 2_000);
  await mirror.record([one as Answer], 3_000);
  expect((await mirror.order("1"))?.fields).toMatchObject({ status: "paid", item_name: "mug" });
});
