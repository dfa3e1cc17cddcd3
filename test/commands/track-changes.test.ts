/** `courier track --changes`: what is new since its last run, each change at least once, and otherwise nothing. */

import { readFile, rm, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { mirrorFiles } from "../../src/mirror/mirror-files.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { answerData, answerRaw } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { deadPid } from "../support/dead-process.ts";
import { createOrder, plainDraft } from "../support/orders.ts";
import { Capture } from "../support/streams.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const nothing = { exit: 0, stdout: "", stderr: "" };

async function homeWithParcels(count: number, seedOrders = 0) {
  const home = await createServedHome({ seedOrders });
  const numbers: string[] = [];
  for (let index = 0; index < count; index++) numbers.push((await createOrder(home)).tracking_number);
  return { home, numbers, first: numbers[0] ?? "" };
}

interface Reported {
  readonly tracking_number: string;
  readonly previous?: string | null;
  readonly current?: string | null;
  readonly records?: readonly { description: string }[];
  readonly error?: { code: string };
}

async function changes(home: ServedHome, words = ""): Promise<readonly Reported[]> {
  const { exit, stdout, stderr } = await home.courier(`track --changes ${words} --json`);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  return JSON.parse(stdout);
}

test("the first check reports the present state and says so; then only what is new; else nothing at all", async () => {
  const { home, numbers, first } = await homeWithParcels(2);
  const begun = await home.courier("track --changes");
  expect({ ...begun, stdout: "" }).toEqual(nothing);
  expect(begun.stdout.split("\n").filter((line) => line.startsWith("CR"))).toEqual(
    numbers.toReversed().map((number) => `${number}  pending  深圳市  (first check)`),
  );
  expect(await home.courier("track --changes")).toEqual(nothing);
  expect(await home.courier("track --changes --ndjson")).toEqual(nothing);
  expect(await changes(home)).toEqual([]);

  await home.sandbox.advance({ trackingNumber: first, to: "processing" });
  const { stdout } = await home.courier("track --changes");
  expect(stdout.split("\n")[0]).toMatch(new RegExp(`^${first} {2}pending -> processing {2}`));
  expect(stdout.trimEnd().split("\n")).toHaveLength(3); // paid and processing
  expect(await home.courier("track --changes")).toEqual(nothing);
});

test("NDJSON and JSON have the changes, with the new movements", async () => {
  const { home, first } = await homeWithParcels(2);
  expect((await changes(home)).map(({ previous }) => previous)).toEqual([null, null]);
  await home.sandbox.advance({ trackingNumber: first, to: "paid" });
  const [change, ...others] = await changes(home);
  expect(others).toEqual([]);
  expect(change).toMatchObject({ tracking_number: first, previous: "pending", current: "paid" });
  expect(change?.records?.map(({ description }) => description)).toEqual(["订单已付款"]);
});

async function damageAnswers({ stateDir }: ServedHome): Promise<void> {
  const [file = ""] = mirrorFiles(stateDir);
  const connection = (await loadDriver()).open(file);
  const { page } =
    connection.prepare("SELECT rootpage AS page FROM sqlite_master WHERE name = 'answers'").get() ?? {};
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  connection.close();
  const bytes = await readFile(file);
  bytes.fill(0xa5, (Number(page) - 1) * 4096, Number(page) * 4096);
  await writeFile(file, bytes);
}

test("another look at a parcel does not take its change away", async () => {
  const { home, first } = await homeWithParcels(1);
  await changes(home);
  await home.sandbox.advance({ trackingNumber: first, to: "delivered" });
  await home.courier(`track ${first}`);
  await home.courier("sync");
  expect(await changes(home)).toMatchObject([{ previous: "pending", current: "delivered" }]);
  expect(await changes(home)).toEqual([]);
});

test.each(["a mirror", "one with damaged answers"])(
  "%s that is made anew keeps what was reported",
  async (which) => {
    const { home, first } = await homeWithParcels(1);
    await changes(home);
    if (which !== "a mirror") await damageAnswers(home);
    await home.sandbox.advance({ trackingNumber: first, to: "delivered" });
    expect(await home.courier("sync --rebuild")).toMatchObject({ exit: 0, stderr: "" });
    expect(await changes(home)).toMatchObject([{ previous: "pending", current: "delivered" }]);
    expect(await changes(home)).toEqual([]);
  },
);

test.each([true, false])(
  "an order that was deleted at the service is told once: reported before, %s",
  async (wasReported) => {
    const home = await createUnfaithfulHome();
    for (let index = 0; index < 3; index++) home.service.foreign(plainDraft);
    expect((await home.courier("sync")).exit).toBe(0);
    if (wasReported) expect((await home.courier("track --changes")).exit).toBe(0);
    const [deleted] = (home.service.orders as unknown[]).splice(1, 1) as [{ trackingNumber: string }];
    home.clock.advance(86_400_000);
    expect((await home.courier("sync")).stdout).toContain("1 order is no longer shown by the service");
    const { exit, stdout } = await home.courier("track --changes");
    expect(exit).toBe(wasReported ? 3 : 0);
    expect(stdout.includes(deleted.trackingNumber)).toBe(wasReported);
    expect(await home.courier("track --changes")).toEqual(nothing);
  },
);

test("so is one that was deleted before the mirror was made anew", async () => {
  const home = await createUnfaithfulHome();
  for (let index = 0; index < 3; index++) home.service.foreign(plainDraft);
  await home.courier("sync");
  await home.courier("track --changes");
  (home.service.orders as unknown[]).splice(1, 1);
  home.clock.advance(86_400_000);
  expect((await home.courier("sync --rebuild")).exit).toBe(0);
  expect((await home.courier("track --changes")).exit).toBe(3);
  expect(await home.courier("track --changes")).toEqual(nothing);
});

test("a parcel whose order the service no longer shows is reported as long as it shows the parcel", async () => {
  const { home, first } = await homeWithParcels(1);
  await changes(home);
  await home.sandbox.advance({ trackingNumber: first, to: "delivered" });
  const isGone = { kind: "refuse", status: 404, code: "NOT_FOUND", message: "none" } as const;
  home.sandbox.faults.set([{ ...isGone, path: /\/orders\/\d+$/ }]);
  await home.courier("orders show 1000001");
  expect(JSON.parse((await home.courier("find --all --json")).stdout)).toMatchObject([
    { not_shown_since: expect.any(String) },
  ]);
  expect(await changes(home)).toMatchObject([{ previous: "pending", current: "delivered" }]);
});

test("without numbers: the orders that are not settled, from the ledger and the mirror, and no other call", async () => {
  const { home, numbers } = await homeWithParcels(3, 20);
  await home.courier("orders cancel 1000001 --yes");
  await home.courier("sync");
  const listed = JSON.parse((await home.courier("orders list --all --json")).stdout) as {
    tracking_number: string;
    status: string;
  }[];
  const open = listed.filter(({ status }) => !["delivered", "completed", "cancelled"].includes(status));
  expect(open.length).toBeGreaterThan(3);
  const before = home.sandbox.requests.length;
  const reported = (await changes(home)).map(({ tracking_number }) => tracking_number);
  expect(reported.toSorted()).toEqual(open.map(({ tracking_number }) => tracking_number).toSorted());
  expect(reported).toEqual(expect.arrayContaining(numbers.slice(1)));
  expect(home.sandbox.requests.length - before).toBe(open.length);
});

/** The tracking answer of a parcel with these movements, newest first. */
function showParcel(home: ServedHome, number: string, status: string | null, steps: readonly number[]): void {
  const records = steps.map((step) => ({
    location: `城${step}`,
    description: `第${step}步`,
    occurred_at: `2026-03-01T0${step}:00:00Z`,
  }));
  const facts = { tracking_number: number, status, current_location: `城${steps[0]}`, records };
  home.sandbox.faults.clear();
  answerData(home, `GET /api/v1/tracking/${number}`, JSON.stringify(facts));
}

test("movements that were reported are not new after an answer that had only the newest one", async () => {
  const { home, first } = await homeWithParcels(1);
  showParcel(home, first, "in_transit", [3, 2, 1]);
  await changes(home);
  showParcel(home, first, "in_transit", [4]);
  expect((await changes(home)).map(({ records }) => records?.length)).toEqual([1]);
  showParcel(home, first, "in_transit", [4, 3, 2, 1]);
  expect(await home.courier("track --changes")).toEqual(nothing);
});

test("what comes after an answer without a state is no first check, and has all new movements", async () => {
  const { home, first } = await homeWithParcels(1);
  showParcel(home, first, null, [1]);
  expect((await home.courier("track --changes")).stdout).toContain("(first check)");
  showParcel(home, first, "in_transit", [4, 3, 2, 1]);
  const { stdout } = await home.courier("track --changes");
  expect(stdout).toMatch(new RegExp(`^${first}  in_transit  城4\n`));
  expect(stdout.match(/第\d步/g)).toEqual(["第4步", "第3步", "第2步"]);
});

test("a parcel that has arrived is reported once more, and looked at no longer", async () => {
  const { home, first } = await homeWithParcels(1);
  await changes(home);
  await home.sandbox.advance({ trackingNumber: first, to: "delivered" });
  expect(await changes(home)).toMatchObject([{ current: "delivered" }]);
  const before = home.sandbox.requests.length;
  expect(await changes(home)).toEqual([]);
  expect(home.sandbox.requests.length).toBe(before);
});

test("numbers and other names choose the parcels, also ones of orders that this machine does not know", async () => {
  const { home, numbers } = await homeWithParcels(2, 5);
  const [order] = JSON.parse((await home.courier("orders list --limit 5 --json")).stdout).slice(-1);
  const words = `${numbers[0]} ${order.id}`;
  const first = await changes(home, words);
  expect(first.map(({ tracking_number }) => tracking_number)).toEqual([numbers[0], order.tracking_number]);
  expect(await changes(home, words)).toEqual([]);
  expect(await changes(home, `${numbers[0]} ${numbers[0]}`)).toEqual([]);
  const piped = await home.courier("track --changes - --json", { stdin: "" });
  expect(piped).toEqual({ exit: 0, stdout: "[]\n", stderr: "" });
});

test("a look that failed is told, and its change is reported the next time", async () => {
  const { home, numbers } = await homeWithParcels(2);
  await changes(home);
  for (const number of numbers) await home.sandbox.advance({ trackingNumber: number, to: "paid" });
  home.sandbox.faults.set([
    { method: "GET", path: `/api/v1/tracking/${numbers[0]}`, kind: "status", status: 500, body: "oops" },
  ]);
  const failed = await home.courier("track --changes");
  expect(failed.exit).toBe(5);
  expect(failed.stdout).toContain(`${numbers[0]}  the service is failing`);
  expect(failed.stdout).toContain(`${numbers[1]}  pending -> paid`);
  expect(failed.stderr).toContain("1 of 2 tracking numbers got no answer");
  home.sandbox.faults.set([]);
  expect(await changes(home)).toMatchObject([{ tracking_number: numbers[0], current: "paid" }]);
});

test.each([
  ["no data", 200, 70, '{"success":true,"data":null}'],
  ["HTTP 500", 500, 5, "oops"],
])(
  "new parcels that tracking answers with %s keep no change of others back",
  async (_what, status, exit, body) => {
    const { home, numbers } = await homeWithParcels(2);
    await changes(home);
    for (const number of numbers) await home.sandbox.advance({ trackingNumber: number, to: "paid" });
    for (let count = 0; count < 5; count++) {
      const { tracking_number } = await createOrder(home);
      answerRaw(home, `GET /api/v1/tracking/${tracking_number}`, body, { status });
    }
    const ran = await home.courier("track --changes");
    expect(ran.exit).toBe(exit);
    for (const number of numbers) expect(ran.stdout).toContain(`${number}  pending -> paid`);
    expect(await home.courier("track --changes")).toMatchObject({
      exit,
      stdout: expect.not.stringContaining("paid"),
    });
  },
);

test("a parcel whose number the service writes in other letters is the same one", async () => {
  const { home, first } = await homeWithParcels(1);
  await changes(home);
  const { stdout } = await home.courier(`api tracking/${first}`);
  const moved = stdout
    .replace(/"status":"[a-z_]+"/, '"status":"in_transit"')
    .replace(first, first.toLowerCase());
  answerRaw(home, `GET /api/v1/tracking/${first}`, moved, { times: 1 });
  expect(await changes(home)).toMatchObject([{ tracking_number: first, previous: "pending" }]);
  expect(await changes(home)).toMatchObject([{ tracking_number: first, previous: "in_transit" }]);
  expect(await home.courier("track --changes")).toEqual(nothing);
});

test.each(["", "--json", "--ndjson"])("a broken pipe loses no change %s", async (form) => {
  const { home, first } = await homeWithParcels(1);
  await changes(home);
  await home.sandbox.advance({ trackingNumber: first, to: "paid" });
  class Broken extends Capture {
    override _write(_chunk: unknown, _encoding: string, done: (error?: Error | null) => void): void {
      done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    }
  }
  await home.courier(`track --changes ${form}`, { stdout: new Broken() });
  expect(await changes(home)).toMatchObject([{ previous: "pending", current: "paid" }]);
});

test("of two runs at once, exactly one reports a change, and the next one nothing", async () => {
  const { home, numbers } = await homeWithParcels(4);
  const first = (await Promise.all([changes(home), changes(home)])).flat();
  expect(first.map(({ tracking_number }) => tracking_number).toSorted()).toEqual(numbers.toSorted());
  for (const number of numbers) await home.sandbox.advance({ trackingNumber: number, to: "paid" });
  const told = (await Promise.all([changes(home), changes(home), changes(home)])).flat();
  expect(told.map(({ tracking_number }) => tracking_number).toSorted()).toEqual(numbers.toSorted());
  expect(await changes(home)).toEqual([]);
});

/** Keeps a run where it writes until `fail` or `goOn` is called. */
class Stuck extends Capture {
  #begin = () => {};
  fail = () => {};
  goOn = () => {};
  readonly isWriting = new Promise<void>((resolve) => {
    this.#begin = resolve;
  });
  /** No room for more, so that the run waits. */
  override write(text: unknown): boolean {
    super.write(text);
    return false;
  }
  override _write(_chunk: unknown, _encoding: string, done: (error?: Error | null) => void): void {
    this.goOn = () => {
      done();
      this.emit("drain");
    };
    this.fail = () => done(Object.assign(new Error("write ENOSPC"), { code: "ENOSPC" }));
    this.#begin();
  }
}

test("a change that a run is writing is no other's, and the next run's where the writing fails", async () => {
  const { home, first } = await homeWithParcels(1);
  await changes(home);
  await home.sandbox.advance({ trackingNumber: first, to: "paid" });
  const stdout = new Stuck();
  const writing = home.courier("track --changes", { stdout });
  await stdout.isWriting;
  expect(await changes(home)).toEqual([]);
  stdout.fail();
  expect((await writing).exit).not.toBe(0);
  expect(await changes(home)).toMatchObject([{ previous: "pending", current: "paid" }]);
  expect(await changes(home)).toEqual([]);
});

test("a change that a killed run was writing is the next run's", async () => {
  const { home, first } = await homeWithParcels(1);
  await changes(home);
  await home.sandbox.advance({ trackingNumber: first, to: "paid" });
  const stdout = new Stuck();
  const writing = home.courier("track --changes", { stdout });
  await stdout.isWriting;
  const [file = ""] = mirrorFiles(home.stateDir);
  const database = (await loadDriver()).open(file);
  database
    .prepare("UPDATE facts SET value = replace(value, ?, ?) WHERE name = ?")
    .run(`"pid":${process.pid}`, `"pid":${deadPid()}`, `reporting ${first}`);
  database.close();
  expect(await changes(home)).toMatchObject([{ previous: "pending", current: "paid" }]);
  stdout.fail();
  await writing;
});

test.each([
  [
    "is the error",
    "goOn",
    /^error: (the mirror was removed or replaced while courier was using it: .*)\nhint: .*\n$/,
  ],
  [
    "is a warning after another error",
    "fail",
    /^error: (?!the mirror).*\nhint: .*\nwarning: cleanup failed: the mirror was removed or replaced while courier was using it: .*\n$/,
  ],
] as const)("a mirror that is removed meanwhile, as by a logout, %s, once", async (_what, end, said) => {
  const { home } = await homeWithParcels(1);
  const stdout = new Stuck();
  const writing = home.courier("track --changes", { stdout });
  await stdout.isWriting;
  for (const file of mirrorFiles(home.stateDir)) await rm(file);
  stdout[end]();
  const { exit, stderr } = await writing;
  expect(exit).toBe(5);
  expect(stderr).toMatch(said);
});

test("many parcels without news are silent too, although they take many calls", async () => {
  const { home } = await homeWithParcels(0);
  for (let index = 0; index < 51; index++)
    await createOrder(home, { ...plainDraft, item: { name: `书 ${index}` } });
  await home.courier("track --changes");
  expect(await home.courier("track --changes")).toEqual(nothing);
});

test("a machine that knows no order says how to read them", async () => {
  const home = await createServedHome({ seedOrders: 2 });
  const { exit, stdout, stderr } = await home.courier("track --changes");
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
  expect(stderr).toBe("this machine knows no orders; read them with: courier sync\n");
});

test.each([
  ["--watch", "--changes and --watch exclude each other"],
  ["--records", "--changes and --records exclude each other"],
])("%s does not go with it", async (flag, message) => {
  const home = await createServedHome();
  const { exit, stderr } = await home.courier(`track CR1 --changes ${flag}`);
  expect(exit).toBe(2);
  expect(stderr).toContain(message);
});

describe("two parcels whose numbers differ in a hyphen only", () => {
  const numbers = ["CR1000-1", "CR10001"] as const;

  async function homeWithAlike() {
    const home = await createServedHome();
    const show = (number: string, status: string) => {
      const data = { tracking_number: number, status, current_location: "武汉", records: [] };
      answerData(home, `GET /api/v1/tracking/${number}$`, JSON.stringify(data));
    };
    for (const number of numbers) show(number, "in_transit");
    return { home, show };
  }

  test("are both reported", async () => {
    const { home } = await homeWithAlike();
    const reported = await changes(home, numbers.join(" "));
    expect(reported.map(({ tracking_number }) => tracking_number)).toEqual(numbers);
  });

  test("keep their own states, one reported after the other", async () => {
    const { home, show } = await homeWithAlike();
    for (const number of numbers) await changes(home, number);
    expect(await changes(home, numbers[1])).toEqual([]);
    home.sandbox.faults.clear();
    show(numbers[0], "in_transit");
    show(numbers[1], "delivered");
    expect(await changes(home, numbers.join(" "))).toMatchObject([
      { tracking_number: "CR10001", previous: "in_transit", current: "delivered" },
    ]);
  });
});
