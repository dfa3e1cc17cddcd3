/** Machines that share a ledger: each is a home of its own, and the database a real one. */

import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createServedHome } from "../support/courier.ts";
import { outcomes, row, sheet } from "../support/imports.ts";
import { breakAtCommit } from "../support/lost-commit.ts";
import { postgresPrograms, servePostgres, startPostgres } from "../support/postgres.ts";
import { createProcessHome, createServedProcessHome, type ProcessHome, until } from "../support/process.ts";

const rows = sheet(row("A-1"), row("A-2"), row("A-3"));
const order = {
  sender: { name: "张三", phone: "13800138000" },
  receiver: { name: "李四", phone: "13900139000" },
  item: { name: "手机" },
};

describe.skipIf(postgresPrograms === undefined)("a ledger that machines share (needs PostgreSQL)", () => {
  const server = servePostgres();

  /** Machines with one service and one database between them. */
  async function createMachines(names: readonly string[] = ["one", "two"]) {
    const { sandbox } = await createServedProcessHome();
    const database = await server.createDatabase();
    const name = database.slice(database.lastIndexOf("/") + 1);
    const env = {
      COURIER_BASE_URL: sandbox.baseUrl,
      COURIER_API_KEY: "process-key-0123456789",
      COURIER_SETTLE: "1s",
      COURIER_LEDGER: database,
    };
    const homes: ProcessHome[] = [];
    for (const _ of names) homes.push(await createProcessHome(env));
    for (const { directory } of homes) await writeFile(path.join(directory, "orders.csv"), rows);
    const posts = () =>
      sandbox.requests.filter(({ method, path }) => method === "POST" && path === "/api/v1/orders").length;
    const query = (text: string) => server.query(`SET search_path = courier; ${text}`, name);
    return { homes: homes as [ProcessHome, ProcessHome], sandbox, database, posts, query };
  }

  const importing = "orders import orders.csv --yes --json";

  test("what one has sent, the other one does not send again", async () => {
    const { homes, posts } = await createMachines();
    const [one, two] = homes;
    const sent = await one.courier(importing);
    expect([sent.exit, outcomes(JSON.parse(sent.stdout))], sent.stderr).toEqual([
      0,
      "created created created",
    ]);
    const again = await two.courier(importing);
    expect([again.exit, outcomes(JSON.parse(again.stdout))], again.stderr).toEqual([
      0,
      "shipped shipped shipped",
    ]);
    expect(posts()).toBe(3);

    const create = { stdin: JSON.stringify(order) };
    expect((await one.courier("orders create --file - --json", create)).exit).toBe(0);
    const equal = await two.courier("orders create --file - --json", create);
    expect(equal.exit, equal.stdout).not.toBe(0);
    expect(equal.stderr).toContain("the same order was sent");
    expect(posts()).toBe(4);
  });

  test("two that import the same file at once share its rows", async () => {
    const { homes, posts } = await createMachines();
    const ran = await Promise.all(homes.map((home) => home.courier(importing)));
    const all = ran.map(({ stdout }) => outcomes(JSON.parse(stdout))).join(" ");
    expect(all.match(/created/g)).toHaveLength(3);
    expect(posts()).toBe(3);
    for (const home of homes) {
      const last = await home.courier(importing);
      expect([last.exit, outcomes(JSON.parse(last.stdout))]).toEqual([0, "shipped shipped shipped"]);
    }
    expect(posts()).toBe(3);
  });

  test("they share them also where the database's transactions see one moment by default", async () => {
    const { homes, database, posts } = await createMachines();
    const name = database.slice(database.lastIndexOf("/") + 1);
    await server.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'repeatable read'`);
    const ran = await Promise.all(homes.map((home) => home.courier(importing)));
    expect(
      ran.map(({ exit }) => exit),
      ran.map(({ stderr }) => stderr).join(""),
    ).toEqual([0, 0]);
    expect(posts()).toBe(3);
  });

  /** The machine that sent the first row is another one, whose process tells nothing here. */
  async function leaveRowBehind(silentMs: number, words = importing, stdin = "") {
    const made = await createMachines();
    const [one] = made.homes;
    made.sandbox.faults.set([{ method: "POST", path: "/api/v1/orders", kind: "stall", times: 1 }]);
    const running = one.start(words, { stdin });
    await until("a request has left", () => made.posts() > 0);
    running.child.kill("SIGKILL");
    await running.ended;
    await made.query(
      `UPDATE runs SET place = 'elsewhere - 1', beat_at = ${clockMs} - ${silentMs} WHERE ended_at IS NULL`,
    );
    return made;
  }

  test("a row that a machine is sending is not sent by another one, however long its answer takes", async () => {
    const { homes, posts } = await leaveRowBehind(20_000);
    const before = posts();
    const waiting = homes[1].start(importing);
    await waiting.untilStderr(/another courier process \(pid \d+ on elsewhere\) is sending 3 rows/);
    waiting.child.kill("SIGINT");
    expect((await waiting.ended).exit).toBe(130);
    expect(posts()).toBe(before);
  });

  test("nor by one whose clock is set an hour ahead while it looks", async () => {
    const create = "orders create --file - --json";
    const stdin = JSON.stringify(order);
    const { sandbox, database, posts } = await leaveRowBehind(20_000, create, stdin);
    const home = await createServedHome();
    const { now } = home.clock;
    const isLooking = () => sandbox.requests.length > 2; // after the profile and the order of the other one
    Object.assign(home.clock, { now: () => now() + (isLooking() ? 3_600_000 : 0) });
    const ran = await home.courier(create, {
      stdin,
      env: {
        COURIER_BASE_URL: sandbox.baseUrl,
        COURIER_API_KEY: "process-key-0123456789",
        COURIER_SETTLE: "1s",
        COURIER_LEDGER: database,
      },
    });
    expect([ran.exit, ran.stderr]).toEqual([2, expect.stringContaining("is being sent by another courier")]);
    expect(posts()).toBe(1);
  });

  test("nor after the database's clock was set ahead: another sign of life is waited for", async () => {
    const made = await createMachines();
    const [one, two] = made.homes;
    const create = "orders create --file - --json";
    const stdin = JSON.stringify(order);
    made.sandbox.faults.set([{ method: "POST", path: "/api/v1/orders", kind: "latency", ms: 15_000 }]);
    const running = one.start(create, { stdin });
    await until("a request has left", () => made.posts() > 0);
    await made.query("UPDATE runs SET place = 'elsewhere - 1', beat_at = beat_at - 600000");
    const other = await two.courier(create, { stdin });
    expect([other.exit, other.stderr]).toEqual([
      2,
      expect.stringContaining("is being sent by another courier"),
    ]);
    expect((await running.ended).exit).toBe(0);
    expect(made.posts()).toBe(1);
  });

  test.each(["undo 1 --yes", "orders resolve 1.1 --not-created --yes"])(
    "nor by %s after the database's clock was set ahead: the run is not taken over",
    async (words) => {
      const made = await createMachines();
      const [one, two] = made.homes;
      made.sandbox.faults.set([{ method: "POST", path: "/api/v1/orders", kind: "latency", ms: 15_000 }]);
      const running = one.start("orders create --file - --json", { stdin: JSON.stringify(order) });
      await until("a request has left", () => made.posts() > 0);
      await made.query("UPDATE runs SET place = 'elsewhere - 1', beat_at = beat_at - 600000");
      const other = await two.courier(words);
      expect([other.exit, other.stderr]).toEqual([2, expect.stringContaining("run 1 is still running")]);
      expect((await running.ended).exit).toBe(0);
      expect(made.posts()).toBe(1);
    },
  );

  test("a script's undo of what a silent machine was sending says when it will be known", async () => {
    const { homes, posts } = await leaveRowBehind(60_000);
    const before = posts();
    const refused = await homes[1].courier("undo 1 --yes");
    expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining("may still be sending")]);
    expect(refused.stderr).toMatch(
      /if none comes, it counts as ended in 1 min \d+ s, and the same command works then/,
    );
    expect(posts()).toBe(before);
  });

  test("a machine that has been silent for minutes has ended: what it was sending is looked up, then sent once", async () => {
    const { homes, posts, query } = await leaveRowBehind(200_000);
    const ran = await homes[1].courier(importing);
    expect([0, 3, 6], ran.stderr).toContain(ran.exit);
    expect(ran.stderr).toMatch(
      /^Waiting 10 s for a sign of life of run 1 on elsewhere, which seems to have ended…$/m,
    );
    const last = await homes[1].courier(importing);
    expect([last.exit, outcomes(JSON.parse(last.stdout))], last.stderr).toEqual([
      0,
      "shipped shipped shipped",
    ]);
    const [made] = await query(
      "SELECT count(DISTINCT order_id) AS n FROM operations WHERE order_id IS NOT NULL",
    );
    expect(made?.n).toBe("3");
    expect(posts()).toBeLessThanOrEqual(4);
  });

  test("nothing is sent without the database, and the same command sends it later", async () => {
    const own = await startPostgres();
    try {
      const { sandbox } = await createServedProcessHome();
      const home = await createProcessHome({
        COURIER_BASE_URL: sandbox.baseUrl,
        COURIER_API_KEY: "process-key-0123456789",
        COURIER_LEDGER: await own.createDatabase(),
      });
      const create = { stdin: JSON.stringify(order) };
      await own.query("ALTER SYSTEM SET default_transaction_read_only = on");
      await own.query("SELECT pg_reload_conf()");
      const refused = await home.courier("orders create --file -", create);
      expect([refused.exit, refused.stderr]).toEqual([5, expect.stringContaining("it is read-only")]);
      await own.query("ALTER SYSTEM RESET default_transaction_read_only");
      await own.query("SELECT pg_reload_conf()");
      expect(sandbox.requests.filter(({ method }) => method === "POST")).toEqual([]);
      const sent = await home.courier("orders create --file -", create);
      expect(sent.exit, sent.stderr).toBe(0);
      await own.stop("immediate");
      const waiting = home.start("orders create --file - --allow-duplicate", create);
      await waiting.untilStderr(/waiting for postgres:\/\/courier@127/);
      await own.start();
      const later = await waiting.ended;
      expect(later.exit, later.stderr).toBe(0);
      expect(sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(2);
    } finally {
      await own.remove();
    }
  });

  test("a run whose end cannot be recorded ends, and its rows are looked up by the next one", async () => {
    const own = await startPostgres();
    try {
      const { sandbox } = await createServedProcessHome();
      const home = await createProcessHome({
        COURIER_BASE_URL: sandbox.baseUrl,
        COURIER_API_KEY: "process-key-0123456789",
        COURIER_SETTLE: "1s",
        COURIER_LEDGER: await own.createDatabase(),
      });
      await writeFile(path.join(home.directory, "orders.csv"), rows);
      sandbox.faults.set([{ method: "POST", path: "/api/v1/orders", kind: "latency", ms: 2_000 }]);
      const running = home.start(importing);
      await until("a request has left", () => sandbox.requests.some(({ method }) => method === "POST"));
      await own.stop("immediate");
      running.child.kill("SIGINT");
      const { exit, stderr } = await running.ended;
      expect(exit, stderr).not.toBe(0);
      expect(stderr).toContain("the end of this run could not be recorded");
      await own.start();
      sandbox.faults.set([]);
      const next = await home.courier(importing);
      expect([0, 3, 6], next.stderr).toContain(next.exit);
      const last = await home.courier(importing);
      expect([last.exit, outcomes(JSON.parse(last.stdout))], last.stderr).toEqual([
        0,
        "shipped shipped shipped",
      ]);
      const { data } = (await (
        await fetch(`${sandbox.baseUrl}/api/v1/orders`, {
          headers: { authorization: "Bearer process-key-0123456789" },
        })
      ).json()) as { data: readonly unknown[] };
      expect(data).toHaveLength(3);
    } finally {
      await own.remove();
    }
  });

  test.each([
    ["the file", "INSERT INTO files"],
    ["what is to be sent", "INSERT INTO operations"],
  ])(
    "after a power failure before %s was on the disk, it is recorded anew: the server's numbers for transactions come again",
    async (_what, text) => {
      const own = await startPostgres();
      onTestFinished(() => own.remove());
      const address = await own.createDatabase();
      const name = address.slice(address.lastIndexOf("/") + 1);
      const way = await breakAtCommit(address, text, async () => {
        await own.stop("immediate");
        await own.start();
        for (let other = 0; other < 8; other++) await own.query("SELECT txid_current()", name);
      });
      const { sandbox, ...home } = await createServedProcessHome();
      await writeFile(path.join(home.directory, "orders.csv"), sheet(row(""), row("", "王五")));
      const env = { COURIER_LEDGER: way.address };
      const first = await home.courier(importing, { env });
      expect([first.exit, way.isWhole], first.stderr).toEqual([0, false]);
      const again = await home.courier(importing, { env });
      expect([again.exit, outcomes(JSON.parse(again.stdout))], again.stderr).toEqual([0, "shipped shipped"]);
      const posts = sandbox.requests.filter(
        ({ method, path }) => method === "POST" && path === "/api/v1/orders",
      );
      expect(posts).toHaveLength(2);
      const log = await home.courier("log --json", { env });
      expect(JSON.parse(log.stdout)[1]).toMatchObject({ created: 2 });
    },
  );

  test("a run that has sent orders ends with exit code 6 where the tables are gone, as while a backup is read back", async () => {
    const { sandbox, ...home } = await createServedProcessHome();
    const address = await server.createDatabase();
    const env = { COURIER_LEDGER: address, COURIER_SETTLE: "1s" };
    const file = path.join(home.directory, "orders.csv");
    const names = ["王五", "赵六", "孙七", "周八", "吴九", "郑十"];
    await writeFile(
      file,
      sheet(...names.map((name, index) => row(`N-${index}`, name, `1370013700${index}`))),
    );
    sandbox.faults.set([{ method: "POST", path: "/api/v1/orders", kind: "latency", ms: 500 }]);
    const posts = () =>
      sandbox.requests.filter(({ method, path }) => method === "POST" && path === "/api/v1/orders").length;
    const running = home.start(`${importing} --concurrency 1`, { env });
    await until("a request was answered", () => posts() >= 3);
    await server.query("DROP SCHEMA courier CASCADE", new URL(address).pathname.slice(1));
    const { exit, stdout, stderr } = await running.ended;
    expect(exit, stderr).toBe(6);
    expect(stderr).toContain("the ledger has lost what was recorded");
    for (let id = 1000001; id < 1000000 + posts(); id++) expect(stdout + stderr).toContain(String(id));
  });

  test.each(["before the run began", "in the middle of the run"])(
    "a database that comes back as it was %s has lost what was sent: the run ends, and nothing is sent twice",
    async (when) => {
      const own = await startPostgres();
      onTestFinished(() => own.remove());
      const { sandbox, ...home } = await createServedProcessHome();
      const env = { COURIER_LEDGER: await own.createDatabase(), COURIER_SETTLE: "1s" };
      const file = path.join(home.directory, "orders.csv");
      await writeFile(file, sheet(row("H-1")));
      expect((await home.courier(importing, { env })).exit).toBe(0);
      const posts = () =>
        sandbox.requests.filter(({ method, path }) => method === "POST" && path === "/api/v1/orders").length;
      sandbox.faults.set([{ method: "POST", path: "/api/v1/orders", kind: "latency", ms: 700 }]);
      const names = ["王五", "赵六", "孙七", "周八", "吴九", "郑十", "钱一", "冯二"];
      await writeFile(
        file,
        sheet(...names.map((name, index) => row(`N-${index}`, name, `1370013700${index}`))),
      );
      let restore = when.startsWith("before") ? await own.copyData() : undefined;
      const running = home.start(`${importing} --concurrency 1 --write-back done.csv`, { env });
      await until("a request was answered", () => posts() >= 3);
      restore ??= await own.copyData();
      const sent = posts() + 2;
      await until("further ones were", () => posts() >= sent);
      await restore();
      const { exit, stdout, stderr } = await running.ended;
      expect(exit, stderr).toBe(6);
      expect(stderr).toContain("the ledger has lost what was recorded");
      const { data } = (await (
        await fetch(`${sandbox.baseUrl}/api/v1/orders?limit=100`, {
          headers: { authorization: "Bearer process-key-0123456789" },
        })
      ).json()) as { data: readonly { id: number; receiver: { name: string } }[] };
      for (const { id, receiver } of data)
        if (receiver.name !== "李四") expect(stdout + stderr).toContain(String(id));
      sandbox.faults.set([]);
      const next = await home.courier(importing, { env });
      expect([0, 3, 6], next.stderr).toContain(next.exit);
      expect(posts()).toBe(names.length + 1);
    },
  );

  /** `replace` puts a copy from before in the place of the database, as another server would take over: away for a second. */
  async function createMachinesWithCopy() {
    const { homes, sandbox, database, posts } = await createMachines();
    const name = database.slice(database.lastIndexOf("/") + 1);
    const stdin = JSON.stringify({ ...order, item: { name: "书" } });
    const first = await homes[1].courier("orders create --file - --json", { stdin });
    expect(first.exit, first.stderr).toBe(0);
    await server.query(`CREATE DATABASE ${name}_before TEMPLATE ${name}`);
    const replace = async () => {
      await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
      await server.query(`ALTER DATABASE ${name} RENAME TO ${name}_gone`);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await server.query(`ALTER DATABASE ${name}_before RENAME TO ${name}`);
    };
    const looks = () => sandbox.requests.filter(({ method }) => method === "GET").length;
    return { homes, sandbox, posts, looks, replace };
  }

  describe("a database that is away for a moment and comes back as it was before", () => {
    test("ends an import that has sent rows: the error names what it does not know", async () => {
      const { homes, sandbox, posts, replace } = await createMachinesWithCopy();
      sandbox.faults.set([{ method: "POST", path: "/api/v1/orders", kind: "latency", ms: 500 }]);
      const running = homes[0].start(`${importing} --concurrency 1`);
      await until("a row was sent", () => posts() >= 2);
      await replace();
      const { exit, stderr } = await running.ended;
      expect(stderr).toContain('"code":"ledger_lost"');
      expect(exit, stderr).toBe(6);
    });

    test("sends nothing after a wait that the service asked for", async () => {
      const { homes, sandbox, posts, replace } = await createMachinesWithCopy();
      sandbox.faults.set([{ method: "POST", path: "/api/v1/orders", kind: "rate_limit", retryAfter: "4" }]);
      const running = homes[0].start("orders create --file - --json --ref T-1", {
        stdin: JSON.stringify(order),
      });
      await until("it was refused", () => posts() === 2);
      await replace();
      sandbox.faults.set([]);
      const { exit, stderr } = await running.ended;
      expect([exit, posts()], stderr).toEqual([5, 2]);
      expect(stderr).toContain('"code":"ledger_lost"');
    });

    const slowList = { method: "GET", path: "/api/v1/orders", kind: "latency", ms: 1_500 } as const;
    const lostAnswers = { method: "POST", path: "/api/v1/orders", kind: "drop_after" } as const;

    test("while an import looks for orders: their rows are in doubt, not unsent", async () => {
      const { homes, sandbox, posts, looks, replace } = await createMachinesWithCopy();
      sandbox.faults.set([lostAnswers, slowList]);
      const before = looks();
      const running = homes[0].start(`${importing} --concurrency 3`);
      await until("all were sent, and a list is read", () => posts() === 4 && looks() > before + 1);
      await replace();
      sandbox.faults.set([]);
      const { exit, stdout, stderr } = await running.ended;
      expect(stderr).toContain('"code":"ledger_lost"');
      expect([exit, outcomes(JSON.parse(stdout))], stderr).toEqual([6, "unknown unknown unknown"]);
      expect(stdout).toContain("in doubt, and the ledger is lost: look for its order in the list");
    });

    test.each([
      "undo 2 --yes --json",
      "orders resolve 2.1 --not-created --yes --json",
      "orders resolve 2.1 --as 1000002 --yes --json",
    ])("while %s asks the service: nothing is said to be done", async (words) => {
      const { homes, sandbox, posts, looks, replace } = await createMachinesWithCopy();
      const before = looks();
      sandbox.faults.set([lostAnswers, { ...slowList, ms: 5_000 }]);
      const killed = homes[0].start(`${importing} --concurrency 3`);
      await until("all were sent, and a list is read", () => posts() === 4 && looks() > before + 1);
      killed.child.kill("SIGKILL");
      await killed.ended;
      sandbox.faults.set([{ method: "GET", kind: "latency", ms: 1_500 }]);
      const { length } = sandbox.requests;
      const running = homes[0].start(words);
      await until("the service was asked", () => sandbox.requests.length > length);
      await replace();
      sandbox.faults.set([]);
      const { exit, stdout, stderr } = await running.ended;
      expect([exit, stdout], stderr).toEqual([5, ""]);
      expect(stderr).toContain('"code":"ledger_lost"');
    });

    test("while the answer to orders create gets lost: no word says that a list was read", async () => {
      const { homes, sandbox, posts, replace } = await createMachinesWithCopy();
      sandbox.faults.set([{ method: "POST", path: "/api/v1/orders", kind: "stall_body" }]);
      const running = homes[0].start("orders create --file - --json --timeout 4", {
        stdin: JSON.stringify(order),
      });
      await until("it was sent", () => posts() === 2);
      await replace();
      sandbox.faults.set([]);
      const { exit, stderr } = await running.ended;
      expect(exit, stderr).toBe(6);
      expect(stderr).toContain("and the check failed too: the ledger has lost what was recorded");
      expect(stderr).not.toContain("not listed");
    });
  });

  test("times are the database's, whatever the clock of the machine says", async () => {
    const { database, query } = await createMachines([]);
    const home = await createServedHome(); // its clock is months behind
    const ran = await home.courier("orders create --file - --json", {
      stdin: JSON.stringify(order),
      env: { COURIER_LEDGER: database },
    });
    expect(ran.exit, ran.stderr).toBe(0);
    const [row] = await query(`SELECT ${clockMs} - sent_at AS ago, state FROM operations`);
    expect(row?.state).toBe("created");
    expect(Number(row?.ago)).toBeGreaterThanOrEqual(-1_000);
    expect(Number(row?.ago)).toBeLessThan(60_000);
  });

  test("a machine whose clock is wrong sends, although the way to the database takes parts of a millisecond", async () => {
    const { database } = await createMachines([]);
    const home = await createServedHome(); // its clock is months behind
    Object.assign(home.clock, { elapsed: () => performance.now() }); // as real clocks read it
    const ran = await home.courier("orders create --file - --json", {
      stdin: JSON.stringify(order),
      env: { COURIER_LEDGER: database },
    });
    expect(ran.exit, ran.stderr).toBe(0);
  });

  test("a search does not wait long for a database that is away, and says what may be missing", async () => {
    const { homes } = await createMachines();
    const [home] = homes;
    const ran = await home.courier("find 李", {
      env: { COURIER_LEDGER: "postgres://courier@127.0.0.1:1/away" },
      limitMs: 15_000,
    });
    expect([ran.exit, ran.stdout], ran.stderr).toEqual([0, ""]);
    expect(ran.stderr).toContain("The shared ledger does not answer");
  });

  test("a ledger of a later version is left alone", async () => {
    const { homes, query, posts } = await createMachines();
    expect((await homes[0].courier("orders create --file -", { stdin: JSON.stringify(order) })).exit).toBe(0);
    await query("UPDATE version SET number = 99");
    const ran = await homes[1].courier("orders create --file -", { stdin: JSON.stringify(order) });
    expect([ran.exit, ran.stderr]).toEqual([5, expect.stringContaining("it has version 99")]);
    expect(ran.stderr).toContain("update courier");
    expect(posts()).toBe(1);
  });
});

describe("a database that takes connections and never answers", () => {
  test("a search ends soon, and Ctrl-C ends what waits for it", async () => {
    const silent = createServer((socket) => socket.on("error", () => {}).resume());
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const home = await createServedProcessHome();
    // Less than the ten seconds that a connection may take.
    const options = { env: { COURIER_LEDGER: `postgres://courier@127.0.0.1:${port}/x` }, limitMs: 8_000 };
    const found = await home.courier("find 李", options);
    expect([found.exit, found.stdout], found.stderr).toEqual([0, ""]);
    expect(found.stderr).toContain("The shared ledger does not answer");

    const connected = once(silent, "connection");
    const waiting = home.start("ledger status", options);
    await connected;
    waiting.child.kill("SIGINT");
    expect((await waiting.ended).exit).toBe(130);
  });
});

test("something else than a database that never stops talking is left, and said to be none", async () => {
  const flood = createServer((socket) => {
    const pump = () => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536, "N")));
    };
    socket.on("error", () => {}).on("drain", pump);
    socket.once("data", pump);
  });
  await new Promise<void>((resolve) => flood.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void flood.close());
  const { port } = flood.address() as AddressInfo;
  const home = await createServedProcessHome();
  const env = { COURIER_LEDGER: `postgres://courier@127.0.0.1:${port}/x` };
  const { exit, stderr } = await home.courier("log", { env, limitMs: 20_000 });
  expect([exit, stderr]).toEqual([
    5,
    `error: the ledger cannot be used: no PostgreSQL answers at postgres://courier@127.0.0.1:${port}/x\nhint: check the host and the port\n`,
  ]);
});

const clockMs = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";

describe("the address of a shared ledger", () => {
  test.each([
    ["postgres://shop:hunter2@db.example.com/ledger", "contains a password"],
    ["postgres://shop%3Ahunter2@db.example.com/ledger", "contains a password"],
    ["postgres:///shop:hunter2@db.example.com/ledger", "contains a password"],
    ["postgres:/shop:hunter2@db.example.com/ledger", "is not the address of a PostgreSQL database"],
    ["host=db.example.com password=hunter2", "is not the address of a PostgreSQL database"],
    ["mysql://shop@db.example.com/ledger", "is not the address of a PostgreSQL database"],
    ["postgres://shop@db.example.com/ledger?sslmode=prefer", "sslmode in COURIER_LEDGER is prefer"],
    ["postgres://shop@db.example.com/ledger?sslmodus=require", "does not know: sslmodus"],
  ])("%s is refused before anything is sent", async (address, reason) => {
    const home = await createServedProcessHome();
    const ran = await home.courier("orders create --file -", {
      stdin: JSON.stringify(order),
      env: { COURIER_LEDGER: address },
    });
    expect([ran.exit, ran.stderr]).toEqual([2, expect.stringContaining(reason)]);
    expect(ran.stderr).not.toContain("hunter2");
    expect(home.sandbox.requests.filter(({ method }) => method === "POST")).toEqual([]);
  });
});
