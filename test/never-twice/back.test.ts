/**
 * An order that was cancelled, and that the service shows in another state later: it is back, and counts again. One that
 * was cancelled elsewhere does not count any more.
 */

import { expect, test } from "vitest";
import { answerData, answerRaw, onePage, requestCount } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { createImportHome, errorOf, outcomes, row, sheet } from "../support/imports.ts";
import { readRuns } from "../support/ledger.ts";
import { plainDraft } from "../support/orders.ts";

const { receiver, item } = plainDraft;

function create(home: ServedHome, words = "") {
  return home.courier(`orders create --file - --json ${words}`, { stdin: JSON.stringify(plainDraft) });
}

/** The service has cancelled the order, and shows it as paid from then on. */
async function bringBack(home: ServedHome): Promise<void> {
  expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
  const order = { id: 1000001, status: "paid", receiver: { ...receiver, address: "" }, item };
  answerData(home, "GET /api/v1/orders/1000001", JSON.stringify(order));
  home.clock.advance(60_000);
}

test("an equal order is not sent, and one that is still cancelled stops nothing", async () => {
  const home = await createServedHome();
  await create(home);
  await bringBack(home);
  const again = await create(home);
  expect([again.exit, again.stdout]).toEqual([2, ""]);
  expect(errorOf(again)).toMatchObject({ code: "duplicate", message: expect.stringContaining("as 1000001") });
  expect(requestCount(home, "POST")).toBe(1);
  home.sandbox.faults.clear(); // cancelled after all
  expect((await create(home)).exit).toBe(0);
  expect(requestCount(home, "POST")).toBe(2);
});

test.each<[string, string | undefined, number?, string?]>([
  ["503", "", 503],
  ["503 for the profile", "", 503, "GET /api/v1/user/profile"],
  ["404", '{"success":false,"error":{"code":"NOT_FOUND","message":"?"}}', 404],
  ["a page", "<html>", 403],
  ["no state", '{"success":true,"data":{"id":1000001}}'],
])("an equal order is not sent while nothing tells whether it is back: %s", async (_, body, status, call) => {
  const home = await createServedHome();
  await create(home);
  expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
  answerRaw(home, call ?? "GET /api/v1/orders/1000001", body ?? "", { status: status ?? 200 });
  const again = await create(home);
  expect([again.exit, again.stdout]).toEqual([2, ""]);
  expect(errorOf(again)).toMatchObject({
    code: "duplicate",
    message: expect.stringMatching(
      /^the same order was sent .*, as 1000001, was cancelled since, and its state could not be read now: .*; nothing was sent$/,
    ),
    hint: "to ship it a second time, add --allow-duplicate",
  });
  expect((await create(home, "--allow-duplicate")).exit).toBe(0);
  expect(requestCount(home, "POST")).toBe(2);
});

test.each([
  ["any more", '{"success":false,"error":{"code":"NOT_FOUND","message":"?"}}', 404],
  ["a state of it", '{"success":true,"data":{"id":1000001}}', 200],
])("its ref is sent with --allow-duplicate where the service does not show %s", async (_, body, status) => {
  const home = await createServedHome();
  await create(home, "--ref A-1");
  expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
  answerRaw(home, "GET /api/v1/orders/1000001", body, { status });
  expect(errorOf(await create(home, "--ref A-1")).hint).toBe("to ship it again, add --allow-duplicate");
  const again = await create(home, "--ref A-1 --allow-duplicate");
  expect([again.exit, requestCount(home, "POST")], again.stderr).toEqual([0, 2]);
});

test("its ref is not sent, also with --allow-duplicate, where a page stands in its place", async () => {
  const home = await createServedHome();
  await create(home, "--ref A-1");
  expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
  answerRaw(home, "GET /api/v1/orders/1000001", "<html>", { status: 403 });
  const again = await create(home, "--ref A-1 --allow-duplicate");
  expect(again.exit, again.stdout).toBe(1);
  expect(errorOf(again).message).toContain("nothing was sent, and its state could not be read: ");
  expect(requestCount(home, "POST")).toBe(1);
});

test("its ref is shipped, also with --allow-duplicate", async () => {
  const home = await createServedHome();
  await create(home, "--ref A-1");
  await bringBack(home);
  for (const words of ["--ref A-1", "--ref A-1 --allow-duplicate"]) {
    const again = await create(home, words);
    expect(again.exit, again.stderr).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ id: 1000001, status: "paid" });
  }
  expect(requestCount(home, "POST")).toBe(1);
});

test("undo cancels it once more", async () => {
  const home = await createServedHome();
  await create(home);
  await bringBack(home);
  const planned = await home.courier("undo 1 --dry-run --json");
  expect(JSON.parse(planned.stdout)).toMatchObject([{ id: 1000001, outcome: "would_cancel" }]);
  const undone = await home.courier("undo 1 --yes --json");
  // The service refuses it as one that is not pending or paid: what it shows may be late.
  expect(undone.exit).toBe(5);
  expect(JSON.parse(undone.stdout)).toMatchObject([{ id: 1000001, status: "paid", outcome: "unknown" }]);
});

test("orders show records its state, and orders list, which may be late, does not", async () => {
  const home = await createServedHome();
  await create(home);
  await bringBack(home);
  answerData(home, "GET /api/v1/orders", '[{"id":1000001,"status":"paid"}]', onePage);
  const stateOf = async () => (await readRuns(home)).at(0)?.operations[0]?.orderState;
  for (const [words, state] of [
    ["orders list", "cancelled"],
    ["orders show 1000001", "paid"],
  ] as const) {
    expect((await home.courier(words)).exit).toBe(0);
    expect(await stateOf(), words).toBe(state);
  }
});

test("its row is shipped, where the list shows it before the import", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  await home.run();
  await bringBack(home);
  expect((await home.run()).report.map(({ outcome }) => outcome)).toEqual(["cancelled"]);
  answerData(home, "GET /api/v1/orders", '[{"id":1000001,"status":"paid"}]', onePage);
  expect((await home.run()).report.map(({ outcome }) => outcome)).toEqual(["shipped"]);
  expect(home.posts).toBe(1);
});

test.each([["orders show 1000001"], ["orders list"], [undefined]])(
  "a row whose order was cancelled on the courier's website is cancelled, seen by %s",
  async (words) => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五")));
    await home.run();
    await home.courier("orders list");
    const env = { COURIER_STATE_DIR: `${home.directory}/another machine` };
    expect((await home.courier("orders cancel 1000001 --yes", { env })).exit).toBe(0);
    if (words !== undefined) expect((await home.courier(words)).exit).toBe(0);
    const isRecorded = (await readRuns(home)).at(-1)?.operations[0]?.orderState === "cancelled";
    expect(isRecorded).toBe(words === "orders show 1000001");
    expect(outcomes((await home.run()).report)).toBe("cancelled shipped");
    expect(home.posts).toBe(2);
  },
);

test("an order that only a list calls cancelled holds its row as before", async () => {
  const home = await createImportHome(sheet(row("0001")));
  await home.run();
  await home.put(sheet(row("1")));
  expect(outcomes((await home.run()).report)).toBe("held");
  answerData(home, "GET /api/v1/orders", '[{"id":1000001,"status":"cancelled"}]', onePage);
  expect(outcomes((await home.run()).report)).toBe("held");
  expect(home.posts).toBe(1);
});
