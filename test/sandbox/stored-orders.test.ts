/** Stored orders survive parallel processes and killed ones, and a reset deletes all of them. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { advanceParcel, resetSandbox } from "../../src/sandbox/control.ts";
import { firstStoredId } from "../../src/sandbox/defaults.ts";
import { trackingNumberOf } from "../../src/sandbox/numbers.ts";
import type { OrderContent } from "../../src/sandbox/order.ts";
import { createOrdersRepository, type OrdersRepository } from "../../src/sandbox/orders-repository.ts";
import { generateSeeds } from "../../src/sandbox/seeds.ts";
import { openStoredOrders } from "../../src/sandbox/stored-orders.ts";
import { cancelAt } from "../../src/sandbox/transitions.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { createHandClock } from "../support/hand-clock.ts";
import { apiKey, createDirectory, draft, type Serving, serve, startOfTime } from "./serving.ts";

const content: OrderContent = { createdMs: 0, serviceType: "standard", sender: {}, receiver: {}, item: {} };
const orders = "/api/v1/orders";

async function openAll(stateDir: string, seedOrders = 0): Promise<OrdersRepository> {
  const stored = await openStoredOrders({ stateDir });
  onTestFinished(() => stored.close());
  return createOrdersRepository(stored, generateSeeds(seedOrders, 0));
}

async function readIds(stateDir: string): Promise<number[]> {
  const all = await openAll(stateDir);
  const listing = await all.list({ offset: 0, limit: 100_000 });
  expect(listing.orders).toHaveLength(listing.total);
  return listing.orders.map(({ order }) => order.id);
}

/** Runs SQL on the file, as another program could. */
async function runSql(stateDir: string, sql: string): Promise<void> {
  const connection = (await loadDriver()).open(path.join(stateDir, "sandbox.db"));
  connection.exec(sql);
  connection.close();
}

interface Writer {
  readonly child: ChildProcess;
  /** What it has printed since it was ready. */
  readonly lines: () => string[];
  /** Waits until it has printed so many lines. */
  readonly print: (count: number) => Promise<void>;
}

/** Starts a writer and waits until it is ready to be told to go. */
async function startWriter(...words: string[]): Promise<Writer> {
  const script = fileURLToPath(new URL("writer.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", script, ...words], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  while (!printed.includes("ready\n")) await once(child.stdout, "data");
  const lines = () => printed.split("\n").slice(1, -1);
  const print = async (count: number) => {
    while (lines().length < count) await once(child.stdout, "data");
  };
  return { child, lines, print };
}

async function finish(writers: readonly Writer[]): Promise<string[][]> {
  const ends = writers.map(({ child }) => once(child, "close"));
  for (const { child } of writers) child.stdin?.write("go\n");
  await Promise.all(ends);
  return writers.map(({ lines }) => lines());
}

async function kill({ child }: Writer): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "close");
}

describe("parallel processes", () => {
  test("create orders under ids of their own, and lose none", async () => {
    const stateDir = await createDirectory();
    const each = 400;
    const writers = await Promise.all([1, 2, 3].map(() => startWriter("create", stateDir, String(each))));
    const created = (await finish(writers)).flat().map((line) => line.split(" "));
    expect(created).toHaveLength(3 * each);
    const all = await openAll(stateDir);
    for (const [id, name] of created) expect((await all.find(Number(id)))?.order.item.name).toBe(name);
    expect((await readIds(stateDir)).toSorted()).toEqual(created.map(([id]) => Number(id)).toSorted());
  });

  test("that cancel one order: exactly one wins", async () => {
    const stateDir = await createDirectory();
    const all = await openAll(stateDir);
    const { id } = await all.create({ ...content, createdMs: Date.now() });
    const writers = await Promise.all([1, 2, 3].map(() => startWriter("cancel", stateDir, String(id))));
    const outcomes = (await finish(writers)).flat();
    expect(outcomes.toSorted()).toEqual(["NOT_CANCELLABLE", "NOT_CANCELLABLE", "cancelled"]);
    expect((await all.find(id))?.events).toHaveLength(1);
  });

  test("of which one is killed: what it had reported is there, and others go on", async () => {
    const stateDir = await createDirectory();
    const writer = await startWriter("create", stateDir, "1000000");
    writer.child.stdin?.write("go\n");
    await writer.print(200);
    await kill(writer);
    const reported = writer.lines().map((line) => Number.parseInt(line, 10));
    const found = await readIds(stateDir);
    expect(found).toEqual(expect.arrayContaining(reported));
    expect((await (await openAll(stateDir)).create(content)).id).toBe(Math.max(...found) + 1);
  });

  test("of which one serves and is killed amid creates: every order that it answered is there, once", async () => {
    const stateDir = await createDirectory();
    const writer = await startWriter("serve", stateDir, apiKey);
    writer.child.stdin?.write("go\n");
    await writer.print(1);
    const [baseUrl = ""] = writer.lines();
    const answered: number[] = [];
    async function createUntilKilled(): Promise<void> {
      const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
      for (;;) {
        const sent = fetch(baseUrl + orders, { method: "POST", headers, body: JSON.stringify(draft) });
        const answer = await sent.then((response) => response.json()).catch(() => undefined);
        if (answer === undefined) return;
        answered.push((answer as { data: { id: number } }).data.id);
        if (answered.length === 300) await kill(writer);
      }
    }
    await Promise.all(Array.from({ length: 16 }, createUntilKilled));
    expect(new Set(answered).size).toBe(answered.length);
    expect(await readIds(stateDir)).toEqual(expect.arrayContaining(answered));
  });

  test("see at once what another did", async () => {
    const here = await serve();
    const there = await serve({ stateDir: here.stateDir, clock: here.clock });
    const { id } = (await here.call("POST", orders, draft)).json.data;
    expect((await there.call("GET", `${orders}/${id}`)).json.data.status).toBe("pending");
    await there.call("DELETE", `${orders}/${id}`);
    expect((await here.call("GET", `${orders}/${id}`)).json.data.status).toBe("cancelled");
    const second = (await there.call("POST", orders, draft)).json.data.id;
    const third = (await here.call("POST", orders, draft)).json.data.id;
    expect([second, third]).toEqual([id + 1, id + 2]);
    const { json } = await here.call("GET", `${orders}?status=pending`);
    expect(json.data.map((order: { id: number }) => order.id)).toEqual([third, second]);
  });
});

describe("requests at once to one server", () => {
  test("create orders under ids of their own, in any mixture with others", async () => {
    const { call } = await serve();
    const first = (await call("POST", orders, draft)).json.data.id;
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        if (index % 4 === 1) return call("GET", `${orders}?status=pending`);
        if (index % 4 === 3) return call("GET", `${orders}/${first}`);
        return call("POST", orders, draft);
      }),
    );
    expect(replies.filter(({ json }) => !json.success)).toEqual([]);
    const ids = replies.filter(({ status }) => status === 201).map(({ json }) => json.data.id);
    expect(ids.toSorted()).toEqual(Array.from({ length: 100 }, (_, index) => first + 1 + index));
  });

  test.each([
    ["a stored", firstStoredId],
    ["a generated", 1],
  ])("cancel %s order exactly once", async (_, id) => {
    const { call } = await serve({ seedOrders: 1 });
    await call("POST", orders, draft);
    const replies = await Promise.all([1, 2, 3].map(() => call("DELETE", `${orders}/${id}`)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });

  test("whose orders cannot be committed are refused, every one, and the next is taken", async () => {
    const { call, stateDir } = await serve();
    await runSql(
      stateDir,
      "CREATE TRIGGER full BEFORE INSERT ON orders BEGIN SELECT RAISE(FAIL, 'full'); END",
    );
    const replies = await Promise.all([1, 2, 3].map(() => call("POST", orders, draft)));
    expect(replies.map(({ json }) => json.error?.code)).toEqual(Array(3).fill("INTERNAL"));
    await runSql(stateDir, "DROP TRIGGER full");
    expect((await call("POST", orders, draft)).json.data.id).toBe(firstStoredId);
    expect((await call("GET", orders)).json.pagination.total_items).toBe(1);
  });
});

test("a filtered list counts what others add and change, however it was read before", async () => {
  const stateDir = await createDirectory();
  const [here, there] = [await openAll(stateDir), await openAll(stateDir)];
  const add = (count: number) => Promise.all(Array.from({ length: count }, () => there.create(content)));
  const counts = async () => {
    const all = await here.list({ offset: 0, limit: 1 });
    const isCancelled = (_: unknown, events: readonly unknown[]) => events.length > 0;
    const cancelled = await here.list({ offset: 0, limit: 1, matches: isCancelled });
    return [all.total, cancelled.total, cancelled.orders[0]?.order.id];
  };
  await add(10_001); // more than are read at a time
  expect(await counts()).toEqual([10_001, 0, undefined]);
  await add(1);
  await there.change(firstStoredId, cancelAt(0));
  expect(await counts()).toEqual([10_002, 1, firstStoredId]);
  await there.change(firstStoredId + 10_001, cancelAt(0));
  expect(await counts()).toEqual([10_002, 2, firstStoredId + 10_001]);
});

test("a page may begin among the stored orders and end among the generated ones", async () => {
  const all = await openAll(await createDirectory(), 3);
  for (let count = 0; count < 3; count++) await all.create(content);
  for (const matches of [undefined, () => true]) {
    const { total, orders: page } = await all.list({ offset: 2, limit: 2, matches });
    expect([total, page.map(({ order }) => order.id)]).toEqual([6, [firstStoredId, 3]]);
    expect((await all.list({ offset: 4, limit: 9, matches })).orders.map(({ order }) => order.id)).toEqual([
      2, 1,
    ]);
    expect((await all.list({ offset: 6, limit: 9, matches })).orders).toEqual([]);
  }
});

describe("a file that cannot be used", () => {
  const clock = createHandClock(startOfTime);
  const users = {
    serve: (stateDir: string) => serve({ stateDir }),
    advance: (stateDir: string) => advanceParcel({ stateDir, clock, trackingNumber: trackingNumberOf(1) }),
    reset: (stateDir: string) => resetSandbox({ stateDir }),
  };
  const damaged = /^delete it, with its -wal and -shm files/;

  test.each([
    ["is damaged", async (file: string) => truncate(file, 4096), "it is damaged", damaged],
    [
      "is no database",
      async (file: string) => writeFile(file, "x".repeat(5000)),
      "it is not an SQLite file",
      damaged,
    ],
    [
      "is another program's",
      async (file: string) => runSql(path.dirname(file), "PRAGMA application_id = 7"),
      "it is not a courier file",
      /^the file was left as it is: move it away$/,
    ],
    [
      "is of a later version",
      async (file: string) => runSql(path.dirname(file), "PRAGMA user_version = 99"),
      "it has version 99",
      /^the file was left as it is: update courier$/,
    ],
  ])(
    "because it %s is refused with its path, by a reset too, and stays as it is",
    async (_, spoil, reason, hint) => {
      const stateDir = await createDirectory();
      const file = path.join(stateDir, "sandbox.db");
      await finish([await startWriter("create", stateDir, "10")]);
      await spoil(file);
      const before = await readFile(file);
      for (const use of Object.values(users)) {
        const failure = await use(stateDir).then(String, (error) => error);
        expect(failure).toMatchObject({ code: "database", exit: 5, hint: expect.stringMatching(hint) });
        expect(failure.message).toContain(reason);
        expect(failure.message).toContain(file);
      }
      expect(await readFile(file)).toEqual(before);
    },
  );

  test("because its log alone is left is refused, by a reset too", async () => {
    const stateDir = await createDirectory();
    await writeFile(path.join(stateDir, "sandbox.db-wal"), "left");
    for (const use of Object.values(users)) {
      const failure = await use(stateDir).then(String, (error) => error);
      expect(failure).toMatchObject({ code: "database", hint: expect.stringMatching(damaged) });
      expect(failure.message).toContain("its file is missing");
    }
    expect(await readdir(stateDir)).toEqual(["sandbox.db-wal"]);
  });

  test("can be deleted, and the sandbox begins anew", async () => {
    const stateDir = await createDirectory();
    const file = path.join(stateDir, "sandbox.db");
    await writeFile(file, "no database at all");
    await expect(serve({ stateDir })).rejects.toMatchObject({ code: "database" });
    await rm(file);
    const { call } = await serve({ stateDir });
    expect((await call("POST", orders, draft)).json.data.id).toBe(firstStoredId);
  });
});

describe("orders on disk", () => {
  test("are there again in the next run, with everything that happened to them", async () => {
    const first = await serve();
    const { id } = (await first.call("POST", orders, draft)).json.data;
    await first.call("DELETE", `${orders}/${id}`);
    const before = await first.call("GET", `${orders}/${id}`);
    await first.server.close();
    const second = await serve({ stateDir: first.stateDir });
    expect((await second.call("GET", `${orders}/${id}`)).text).toBe(before.text);
  });

  test.skipIf(process.platform === "win32")("are for their owner alone", async () => {
    const { call, stateDir } = await serve();
    await call("POST", orders, draft);
    expect((await stat(stateDir)).mode & 0o777).toBe(0o700);
    const names = await readdir(stateDir);
    expect(names.toSorted()).toEqual(["sandbox.db", "sandbox.db-shm", "sandbox.db-wal"]);
    for (const name of names) expect((await stat(path.join(stateDir, name))).mode & 0o777, name).toBe(0o600);
  });
});

describe("the profile's id", () => {
  const idOf = async ({ call }: Serving) => (await call("GET", "/api/v1/user/profile")).json.data.id;

  test("stays, and is another one in another sandbox", async () => {
    const [first, other] = [await serve({ random: () => 0.25 }), await serve({ random: () => 0.75 })];
    const again = await serve({ stateDir: first.stateDir, random: () => 0.5 });
    expect([await idOf(first), await idOf(again), await idOf(other)]).toEqual([
      32_500_000, 32_500_000, 77_500_000,
    ]);
    expect(await again.server.profileId()).toBe("32500000");
  });

  test.each([0, 0.999_999_999_999])(
    "has eight digits and changes with each reset, also where chance gives %d",
    async (drawn) => {
      const serving = await serve({ random: () => drawn });
      const before = await idOf(serving);
      await resetSandbox({ stateDir: serving.stateDir, random: () => drawn });
      const after = await idOf(serving);
      expect(await serving.server.profileId()).toBe(String(after));
      expect(after).not.toBe(before);
      for (const id of [before, after]) expect(String(id)).toMatch(/^[1-9]\d{7}$/);
    },
  );
});

describe("a reset", () => {
  test("deletes everything, also under a server that runs, and from the disk", async () => {
    const { call, stateDir } = await serve();
    const { id } = (await call("POST", orders, draft)).json.data;
    await call("DELETE", `${orders}/${id}`);
    expect((await call("GET", `${orders}?status=cancelled`)).json.data).toHaveLength(1);
    await resetSandbox({ stateDir });
    for (const name of await readdir(stateDir)) {
      expect(await readFile(path.join(stateDir, name), "utf8"), name).not.toContain(draft.sender.detail);
    }
    expect((await call("GET", orders)).json.data).toEqual([]);
    expect((await call("GET", `${orders}?status=cancelled`)).json.data).toEqual([]);
    expect((await call("GET", `${orders}/${id}`)).status).toBe(404);
    const again = (await call("POST", orders, draft)).json.data;
    expect(again.id).toBe(id);
    expect((await call("GET", `${orders}/${id}`)).json.data.status).toBe("pending");
    expect((await call("GET", `${orders}?status=cancelled`)).json.data).toEqual([]);
  });

  test("of nothing is no error and makes nothing", async () => {
    const directory = await createDirectory();
    await resetSandbox({ stateDir: path.join(directory, "nowhere") });
    await mkdir(path.join(directory, "empty"));
    await resetSandbox({ stateDir: path.join(directory, "empty") });
    expect(await readdir(directory, { recursive: true })).toEqual(["empty"]);
  });
});
