/** Owns the proof that orders on disk survive parallel processes, killed ones, and their own number. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { firstStoredId } from "../../src/sandbox/choices.ts";
import { resetSandbox } from "../../src/sandbox/control.ts";
import { openLedger } from "../../src/sandbox/ledger.ts";
import { cancelAt } from "../../src/sandbox/moves.ts";
import type { OrderContent } from "../../src/sandbox/order.ts";
import { generateSeeds } from "../../src/sandbox/seeds.ts";
import { openStore } from "../../src/sandbox/store.ts";
import { createDirectory, draft, serve } from "./serving.ts";

const content: OrderContent = { createdMs: 0, serviceType: "standard", sender: {}, receiver: {}, item: {} };

function openAll(stateDir: string) {
  return openLedger(openStore(stateDir), generateSeeds(0, 0));
}

function readIds(stateDir: string): number[] {
  const { orders, total } = openAll(stateDir).list({ offset: 0, limit: 100_000 });
  expect(orders).toHaveLength(total);
  return orders.map(({ order }) => order.id);
}

/** Starts a writer and waits until it is ready to be told to go. */
async function startWriter(...words: string[]): Promise<{ child: ChildProcess; lines: () => string[] }> {
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
  return { child, lines: () => printed.split("\n").slice(1, -1) };
}

async function finish(
  writers: readonly { child: ChildProcess; lines: () => string[] }[],
): Promise<string[][]> {
  const ends = writers.map(({ child }) => once(child, "close"));
  for (const { child } of writers) child.stdin?.write("go\n");
  await Promise.all(ends);
  return writers.map(({ lines }) => lines());
}

describe("parallel processes", () => {
  test("create orders under ids of their own, and lose none", async () => {
    const stateDir = await createDirectory();
    const each = 400;
    const writers = await Promise.all([1, 2, 3].map(() => startWriter("create", stateDir, String(each))));
    const created = (await finish(writers)).flat().map((line) => line.split(" "));
    expect(created).toHaveLength(3 * each);
    const ledger = openAll(stateDir);
    for (const [id, name] of created) expect(ledger.find(Number(id))?.order.item.name).toBe(name);
    expect(readIds(stateDir).toSorted()).toEqual(created.map(([id]) => Number(id)).toSorted());
  });

  test("that cancel one order: exactly one wins", async () => {
    const stateDir = await createDirectory();
    const { id } = openAll(stateDir).create({ ...content, createdMs: Date.now() });
    const writers = await Promise.all([1, 2, 3].map(() => startWriter("cancel", stateDir, String(id))));
    const outcomes = (await finish(writers)).flat();
    expect(outcomes.toSorted()).toEqual(["NOT_CANCELLABLE", "NOT_CANCELLABLE", "cancelled"]);
    expect(openAll(stateDir).find(id)?.events).toHaveLength(1);
  });

  test.each([
    ["a stored", firstStoredId],
    ["a generated", 1],
  ])("that change %s order between another's look and its deed make that one look again", async (_, id) => {
    const ledger = openLedger(openStore(await createDirectory()), generateSeeds(1, 0));
    ledger.create(content);
    let looks = 0;
    const cancelLate = () =>
      ledger.change(id, (facts, events) => {
        const event = cancelAt(0)(facts, events);
        if (++looks === 1) ledger.change(id, cancelAt(0));
        return event;
      });
    expect(cancelLate).toThrow(expect.objectContaining({ code: "NOT_CANCELLABLE" }));
    expect(ledger.find(id)?.events).toHaveLength(1);
  });

  test("of which one is killed: what it had reported is there, and others go on", async () => {
    const stateDir = await createDirectory();
    const { child, lines } = await startWriter("create", stateDir, "1000000");
    child.stdin?.write("go\n");
    while (lines().length < 200) await once(child.stdout as NonNullable<typeof child.stdout>, "data");
    child.kill("SIGKILL");
    await once(child, "close");
    const reported = lines().map((line) => Number.parseInt(line, 10));
    const found = readIds(stateDir);
    expect(found).toEqual(expect.arrayContaining(reported));
    expect(openAll(stateDir).create(content).id).toBe(Math.max(...found) + 1);
  });

  test("see at once what another did", async () => {
    const here = await serve();
    const there = await serve({ stateDir: here.stateDir, clock: here.clock });
    const { id } = (await here.call("POST", "/api/v1/orders", draft)).json.data;
    expect((await there.call("GET", `/api/v1/orders/${id}`)).json.data.status).toBe("pending");
    await there.call("DELETE", `/api/v1/orders/${id}`);
    expect((await here.call("GET", `/api/v1/orders/${id}`)).json.data.status).toBe("cancelled");
    const second = (await there.call("POST", "/api/v1/orders", draft)).json.data.id;
    const third = (await here.call("POST", "/api/v1/orders", draft)).json.data.id;
    expect([second, third]).toEqual([id + 1, id + 2]);
    const { json } = await here.call("GET", "/api/v1/orders?status=pending");
    expect(json.data.map((order: { id: number }) => order.id)).toEqual([third, second]);
  });
});

describe("a list", () => {
  test("counts what others add and change, also where a directory is full and remembered", async () => {
    const stateDir = await createDirectory();
    const [here, there] = [openAll(stateDir), openAll(stateDir)];
    for (let count = 0; count < 1000; count++) there.create(content);
    const all = { offset: 0, limit: 1 };
    const cancelled = { ...all, matches: (_: unknown, events: readonly unknown[]) => events.length > 0 };
    expect([here.list(all).total, here.list(cancelled).total]).toEqual([1000, 0]);
    there.create(content);
    there.change(firstStoredId, cancelAt(0));
    expect([here.list(all).total, here.list(cancelled).total]).toEqual([1001, 1]);
  });
});

describe("a damaged file", () => {
  test("counts as an order that was never created; its id stays unused", async () => {
    const stateDir = await createDirectory();
    const ledger = openAll(stateDir);
    const [first, torn] = [ledger.create(content).id, ledger.create(content).id];
    await truncate(path.join(stateDir, "orders/1/000", `${torn}.json`), 20);
    expect(openAll(stateDir).find(torn)).toBeUndefined();
    expect(openAll(stateDir).change(torn, cancelAt(0))).toBe(false);
    expect(readIds(stateDir)).toEqual([first]);
    expect(openAll(stateDir).create(content).id).toBe(torn + 1);
    expect(readIds(stateDir)).toEqual([torn + 1, first]);
  });

  test("that was never finished is not even looked at", async () => {
    const stateDir = await createDirectory();
    const { id } = openAll(stateDir).create(content);
    await writeFile(path.join(stateDir, "drafts", "half"), '{"createdMs":17');
    expect(readIds(stateDir)).toEqual([id]);
  });
});

describe("orders on disk", () => {
  test("are there again in the next run, with everything that happened to them", async () => {
    const first = await serve();
    const { id } = (await first.call("POST", "/api/v1/orders", draft)).json.data;
    await first.call("DELETE", `/api/v1/orders/${id}`);
    const before = await first.call("GET", `/api/v1/orders/${id}`);
    await first.server.close();
    const second = await serve({ stateDir: first.stateDir });
    expect((await second.call("GET", `/api/v1/orders/${id}`)).text).toBe(before.text);
  });

  test.skipIf(process.platform === "win32")("are for their owner alone", async () => {
    const { call, stateDir } = await serve();
    const { id } = (await call("POST", "/api/v1/orders", draft)).json.data;
    await call("DELETE", `/api/v1/orders/${id}`);
    const paths = await readdir(stateDir, { recursive: true, withFileTypes: true });
    expect(paths.filter((entry) => entry.isFile())).toHaveLength(2);
    expect((await stat(stateDir)).mode & 0o777).toBe(0o700);
    for (const entry of paths) {
      const { mode } = await stat(path.join(entry.parentPath, entry.name));
      expect(mode & 0o777, entry.name).toBe(entry.isDirectory() ? 0o700 : 0o600);
    }
  });

  test("are not touched by later events", async () => {
    const stateDir = await createDirectory();
    const ledger = openAll(stateDir);
    const { id } = ledger.create(content);
    const file = path.join(stateDir, "orders/1/000", `${id}.json`);
    const before = await readFile(file);
    ledger.change(id, cancelAt(0));
    expect(await readFile(file)).toEqual(before);
  });
});

describe("the cost of creating an order", () => {
  test("does not grow with the orders: a fresh process looks at the last directory only", async () => {
    const stateDir = await createDirectory();
    const ledger = openAll(stateDir);
    for (let count = 0; count < 2100; count++) ledger.create(content);
    expect(await readdir(path.join(stateDir, "orders/1"))).toEqual(["000", "001", "002"]);
    // Whoever looked into one of these would stumble.
    for (const full of ["000", "001"]) {
      await rm(path.join(stateDir, "orders/1", full), { recursive: true });
      await writeFile(path.join(stateDir, "orders/1", full), "no directory");
    }
    expect(openAll(stateDir).create(content).id).toBe(firstStoredId + 2100);
  });

  test("a serving process knows the next id and looks at no directory at all", async () => {
    const stateDir = await createDirectory();
    const ledger = openAll(stateDir);
    const shard = path.join(stateDir, "orders/1/000");
    ledger.create(content);
    const { id } = ledger.create(content);
    await writeFile(path.join(shard, `${id + 50}.json`), "whoever looked would go on from here");
    expect(ledger.create(content).id).toBe(id + 1);
  });

  test("ids that others have taken meanwhile are passed over, many of them in one leap", async () => {
    const stateDir = await createDirectory();
    const [here, there] = [openAll(stateDir), openAll(stateDir)];
    here.create(content);
    here.create(content);
    for (let count = 0; count < 1500; count++) there.create(content);
    expect(here.create(content).id).toBe(firstStoredId + 1502);
  });

  test("an empty last directory, left by a killed process, does no harm", async () => {
    const stateDir = await createDirectory();
    const { id } = openAll(stateDir).create(content);
    await mkdir(path.join(stateDir, "orders/1/001"));
    expect(openAll(stateDir).create(content).id).toBe(id + 1);
  });
});

describe("a reset", () => {
  test("wipes everything, also under a server that runs", async () => {
    const { call, stateDir } = await serve();
    const { id } = (await call("POST", "/api/v1/orders", draft)).json.data;
    await call("DELETE", `/api/v1/orders/${id}`);
    await call("GET", "/api/v1/orders?status=cancelled");
    await resetSandbox(stateDir);
    expect(await readdir(stateDir)).toEqual([]);
    expect((await call("GET", "/api/v1/orders")).json.data).toEqual([]);
    expect((await call("GET", `/api/v1/orders/${id}`)).status).toBe(404);
    const again = (await call("POST", "/api/v1/orders", draft)).json.data;
    expect(again.id).toBe(id);
    expect((await call("GET", `/api/v1/orders/${id}`)).json.data.status).toBe("pending");
  });

  test("of nothing is no error", async () => {
    const directory = await createDirectory();
    await resetSandbox(path.join(directory, "nowhere"));
    expect(await readdir(directory)).toEqual([]);
  });
});
