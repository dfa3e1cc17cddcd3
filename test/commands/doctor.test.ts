/** The tests of `courier doctor`: what passes, warns and fails, what to do, and what is never told. */

import { existsSync } from "node:fs";
import { appendFile, chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Context } from "../../src/command/command.ts";
import { checkLedger } from "../../src/doctor/ledger.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { freePort, listen, listenHttp } from "../api/wire.ts";
import { beginRun, recordCreate } from "../ledger/opened.ts";
import { createAuthority } from "../support/certificates.ts";
import { createHome, createServedHome, type Home, type RunOptions } from "../support/courier.ts";
import { createProcessHome } from "../support/process.ts";
import { canMount, mountDisk } from "../support/small-disk.ts";
import { asUser } from "../support/unprivileged.ts";

const names =
  "node config state ledger account mirror proxy certificates dns tcp tls service clock completion".split(
    " ",
  );
const key = "doctor-key-0123456789";
const newLedger = "; a new ledger does not know which orders were sent";

interface Check {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
  readonly advice: string | null;
}

async function diagnose(home: Home, env: Record<string, string> = {}, options: RunOptions = {}) {
  const ran = await home.courier("doctor --json", { ...options, env: { HOME: home.directory, ...env } });
  const checks: Check[] = JSON.parse(ran.stdout);
  expect(checks.map(({ check }) => check)).toEqual(names);
  const by = Object.fromEntries(checks.map((check) => [check.check, check]));
  const statuses = Object.fromEntries(checks.map(({ check, status }) => [check, status]));
  return { ...ran, by, statuses };
}

/** No name has so long a part, so that none is asked for. */
const unknownHost = `${"a".repeat(64)}.invalid`;

const remote = (url: string) => ({ COURIER_API_KEY: key, COURIER_BASE_URL: url });

test("everything in order: exit 0, one call, and nothing of the holder", async () => {
  const home = await createServedHome();
  const { exit, stderr, statuses, stdout } = await diagnose(home);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  expect(statuses).toMatchObject({
    account: "ok",
    proxy: "ok",
    dns: "ok",
    tcp: "ok",
    tls: "skip",
    service: "ok",
    clock: "ok",
  });
  expect(stdout).not.toMatch(/Sandbox Account|sandbox@example|1000\.00|test-key/);
  expect(stdout).not.toContain(home.directory);
});

test("the embedded sandbox needs no network", async () => {
  const { exit, statuses, by } = await diagnose(await createHome({ COURIER_ACCOUNT: "sandbox" }));
  expect(exit).toBe(0);
  expect(statuses).toMatchObject({ account: "ok", dns: "skip", tcp: "skip", tls: "skip", service: "ok" });
  expect(by.account?.detail).toBe("sandbox, inside courier, needs no key");
});

test("no account: the way to one, exit 4", async () => {
  const { exit, by, statuses, stderr } = await diagnose(await createHome());
  expect(exit).toBe(4);
  expect(JSON.parse(stderr)).toEqual({
    error: { code: "checks_failed", message: "1 check failed: account", exit: 4 },
  });
  expect(by.account?.advice).toContain("courier login");
  expect(statuses).toMatchObject({ account: "fail", service: "skip", clock: "skip" });
});

test.each(["ACCOUNT_OF 张三 (zhang.san@example.com) IS BLOCKED", `ZHANG${"X".repeat(60)}`])(
  "a code that does not look like one may name the holder, and is left out: %s",
  async (code) => {
    const { url } = await listenHttp((_request, response) =>
      response.writeHead(403).end(JSON.stringify({ success: false, error: { code, message: "blocked" } })),
    );
    const { by } = await diagnose(await createHome(), remote(url.origin));
    expect(by.service?.detail).toMatch(/^it refuses the (?:call|key) \(HTTP 403\)$/);
  },
);

test.each([
  [403, "FORBIDDEN", 1, "it refuses the call (HTTP 403, FORBIDDEN)"],
  [429, "RATE_LIMITED", 5, "rate limited (HTTP 429, RATE_LIMITED)"],
] as const)(
  "a service that answers %i: the code is among those of the help",
  async (status, code, exit, detail) => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ kind: "refuse", path: /profile/, status, code, message: "no" }]);
    const result = await diagnose(home);
    expect([result.exit, result.by.service?.detail]).toEqual([exit, detail]);
    expect((await home.courier("doctor --help")).stdout).toMatch(new RegExp(`^ +${exit} +\\w`, "m"));
  },
);

test("a refused key: exit 4, and the clock is compared all the same", async () => {
  const { url } = await listenHttp((_request, response) =>
    response
      .writeHead(401, { date: "Sun, 01 Mar 2026 08:10:00 GMT" })
      .end('{"success":false,"error":{"code":"BAD_KEY","message":"Zhang San, your key is wrong"}}'),
  );
  const { exit, by, stdout } = await diagnose(await createHome(), remote(url.origin));
  expect(exit).toBe(4);
  expect(by.service).toMatchObject({ status: "fail", detail: "it refuses the key (HTTP 401, BAD_KEY)" });
  expect(by.service?.advice).toContain("courier login");
  expect(by.clock).toMatchObject({ status: "warn", detail: "10 min behind the service's" });
  expect(stdout).not.toContain("Zhang San");
});

test.each([
  [200, "<html>Zhang San</html>", 70, "its answer breaks the interface"],
  [302, "", 5, "redirects"],
  [503, "busy", 5, "it is failing"],
])("an answer with %i and %j", async (status, body, exit, told) => {
  let calls = 0;
  const { url } = await listenHttp((_request, response) => {
    calls += 1;
    response.writeHead(status).end(body);
  });
  const ran = await diagnose(await createHome(), remote(url.origin));
  expect(ran.exit).toBe(exit);
  expect(ran.by.service?.detail).toContain(told);
  expect(ran.stdout).not.toContain("Zhang");
  expect(calls).toBe(1);
});

describe("the way to the service", () => {
  test("a name that nobody knows", async () => {
    const { exit, by, statuses } = await diagnose(await createHome(), remote(`https://${unknownHost}`));
    expect(exit).toBe(5);
    expect(by.dns).toMatchObject({ status: "fail", detail: `${unknownHost}: no such host` });
    expect(by.dns?.advice).toContain("base URL");
    expect(statuses).toMatchObject({ tcp: "skip", tls: "skip", service: "skip", clock: "skip" });
  });

  test("a port at which nothing listens", async () => {
    const { exit, by } = await diagnose(await createHome(), remote(`http://127.0.0.1:${await freePort()}`));
    expect(exit).toBe(5);
    expect(by.tcp).toMatchObject({ status: "fail", detail: "127.0.0.1: the connection was refused" });
  });

  test("a certificate that nobody vouches for", async () => {
    const { key: privateKey, certificate } = createAuthority(["127.0.0.1"]);
    const server = createSecureServer({ key: privateKey, cert: certificate });
    server.on("tlsClientError", () => {});
    const { port } = await listen(server);
    const { exit, by } = await diagnose(await createHome(), remote(`https://127.0.0.1:${port}`));
    expect(exit).toBe(5);
    expect(by.tls).toMatchObject({ status: "fail", detail: "127.0.0.1: its certificate cannot be verified" });
    expect(by.tls?.advice).toContain("NODE_EXTRA_CA_CERTS");
  });

  test.each([
    ["for another host", "service.test", [-24, 24], /^check the host in the base URL /],
    ["expired", "127.0.0.1", [-48, -24], /^check this machine's clock; /],
  ] as const)("a certificate of a trusted authority that is %s", async (fault, name, lifetime, advice) => {
    const { key: privateKey, certificate, authority } = createAuthority([name], lifetime);
    const server = createSecureServer({ key: privateKey, cert: certificate });
    server.on("tlsClientError", () => {});
    const { port } = await listen(server);
    const home = await createProcessHome(remote(`https://127.0.0.1:${port}`));
    const trusted = path.join(home.directory, "authority.pem");
    await writeFile(trusted, authority);
    const ran = await home.courier("doctor --json", { env: { NODE_EXTRA_CA_CERTS: trusted } });
    const tls = (JSON.parse(ran.stdout) as Check[]).find(({ check }) => check === "tls");
    expect(tls).toMatchObject({ status: "fail", detail: expect.stringContaining(fault) });
    expect(tls?.advice).toMatch(advice);
  });

  test("a certificate of a private authority that is trusted", async () => {
    const { key: privateKey, certificate, authority } = createAuthority(["127.0.0.1"]);
    const server = createSecureServer({ key: privateKey, cert: certificate }, (_request, response) => {
      response.end('{"success":true,"data":{"api_calls_remaining":0}}');
    });
    const { port } = await listen(server);
    const home = await createProcessHome(remote(`https://127.0.0.1:${port}`));
    const trusted = path.join(home.directory, "authority.pem");
    await writeFile(trusted, authority);
    const ran = await home.courier("doctor --ndjson", { env: { NODE_EXTRA_CA_CERTS: trusted } });
    const checks: Check[] = ran.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const by = Object.fromEntries(checks.map((check) => [check.check, check]));
    expect(ran.exit).toBe(0);
    expect(by.certificates?.detail).toContain("~/authority.pem");
    expect(by.tls).toMatchObject({
      status: "ok",
      detail: expect.stringMatching(/^127\.0\.0\.1: TLSv1\.\d, /),
    });
    expect(by.service).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("no API calls are left"),
    });
  });

  test("behind a proxy, the proxy is what is probed, and its password is not told", async () => {
    const seen: string[] = [];
    const proxy = createServer((request, response) => {
      seen.push(request.url ?? "");
      response.end('{"success":true,"data":{"api_calls_remaining":5}}');
    });
    const { port } = await listen(proxy);
    const home = await createHome();
    await home.courier("login --no-verify --allow-http --base-url http://service.test", { stdin: key });
    const env = { HTTP_PROXY: `http://shop:hush@127.0.0.1:${port}` };
    const { exit, by, stdout } = await diagnose(home, env);
    expect(exit).toBe(0);
    expect(by.proxy?.detail).toBe(
      `http://127.0.0.1:${port} (with a name and password), from the environment`,
    );
    expect(by.tcp?.detail).toBe(`the proxy 127.0.0.1: port ${port}`);
    expect(by.tls).toMatchObject({ status: "skip" });
    expect(by.service).toMatchObject({ status: "ok" });
    expect(seen).toEqual(["http://service.test/api/v1/user/profile"]);
    expect(stdout).not.toMatch(/hush|shop/);
  });

  test("a proxy that is no URL, and one that NO_PROXY switches off", async () => {
    const home = await createHome();
    const wrong = await diagnose(home, { ...remote(`https://${unknownHost}`), HTTPS_PROXY: "hush@where" });
    expect(wrong.by.proxy).toMatchObject({ status: "fail", detail: "HTTPS_PROXY is not the URL of a proxy" });
    expect(wrong).toMatchObject({ exit: 2, stdout: expect.not.stringContaining("hush") });
    const off = { HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: ".invalid" };
    const direct = await diagnose(home, { ...remote(`https://${unknownHost}`), ...off });
    expect(direct.by.proxy?.detail).toBe("none: NO_PROXY names the service");
    expect(direct.by.dns).toMatchObject({ status: "fail" });
  });
});

describe("files", () => {
  test("a key that others can read", async () => {
    const home = await createServedHome();
    await home.courier("login --no-verify --base-url https://api.example.com", { stdin: key });
    await chmod(path.join(home.configDir, "config.json"), 0o644);
    const { exit, by, stdout } = await diagnose(home);
    expect(exit).toBe(0);
    expect(by.config).toEqual({
      check: "config",
      status: "warn",
      detail: "others on this machine can read ~/config/config.json (mode 0644), which may hold keys",
      advice: "chmod 600 ~/config/config.json",
      duration_ms: null,
    });
    expect(by.account?.detail).toMatch(/^default, .*, key in COURIER_API_KEY$/);
    expect(stdout).not.toContain(key);
    await chmod(path.join(home.configDir, "config.json"), 0o600);
    await chmod(home.configDir, 0o755);
    expect((await diagnose(home)).by.config).toMatchObject({ status: "warn", advice: "chmod 700 ~/config" });
  });

  test("a config file that is corrupt: exit 2, and it is left as it is", async () => {
    const home = await createHome();
    await mkdir(home.configDir, { mode: 0o700 });
    await writeFile(path.join(home.configDir, "config.json"), '{"accounts": ');
    const { exit, by, stdout } = await diagnose(home);
    expect(exit).toBe(2);
    expect(by.config).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("not valid JSON, line 1"),
    });
    expect(by.config?.advice).toContain("left as it is");
    expect(by.account).toMatchObject({ status: "skip", detail: "config failed" });
    expect(stdout).not.toContain(home.directory);
  });

  test("a home that is as good as new: directories of directories are made when they are needed", async () => {
    const home = await createServedHome();
    const unmade = (name: string) => path.join(home.directory, "none", "of", "these", name);
    const { exit, by } = await diagnose(home, {
      COURIER_CONFIG_DIR: unmade("config"),
      COURIER_STATE_DIR: unmade("state"),
    });
    expect(exit).toBe(0);
    expect(by.config?.detail).toBe("~/none/of/these/config, made when it is first needed");
    expect(by.state?.detail).toBe("~/none/of/these/state, made when it is first needed");
  });

  test.each([
    ["COURIER_CONFIG_DIR", "config", ""],
    ["COURIER_STATE_DIR", "state", newLedger],
  ])("%s below a file: exit 2", async (variable, check, warning) => {
    const home = await createHome({ COURIER_ACCOUNT: "sandbox" });
    const file = path.join(home.directory, "file");
    await writeFile(file, "");
    const { exit, by } = await diagnose(home, { [variable]: path.join(file, "below") });
    expect(exit).toBe(2);
    expect(by[check]).toMatchObject({
      status: "fail",
      detail: "~/file/below cannot be used as a directory: a part of its path is no directory",
      advice: `choose another place with ${variable}${warning}`,
    });
  });

  test("NODE_EXTRA_CA_CERTS that is not there, and checks of certificates switched off", async () => {
    const home = await createServedHome();
    const missing = await diagnose(home, { NODE_EXTRA_CA_CERTS: "/nowhere.pem" });
    expect(missing).toMatchObject({ exit: 2, statuses: { certificates: "fail", service: "ok" } });
    const off = await diagnose(home, { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    expect(off).toMatchObject({ exit: 0, statuses: { certificates: "warn" } });
  });
});

describe("the mirror", () => {
  async function homeWithMirror() {
    const home = await createServedHome({ seedOrders: 5 });
    expect((await home.courier("sync --fetch-details 2")).exit).toBe(0);
    const directory = path.join(home.stateDir, "mirror");
    const [name = ""] = (await readdir(directory)).filter((each) => each.endsWith(".db"));
    return { ...home, name, file: path.join(directory, name) };
  }

  test("none yet, and none is made", async () => {
    const home = await createServedHome();
    const { exit, by } = await diagnose(home);
    expect(exit).toBe(0);
    expect(by.mirror).toMatchObject({
      status: "ok",
      detail: "none yet; courier sync makes it",
      advice: null,
    });
    expect(existsSync(home.stateDir)).toBe(false);
  });

  test("where it is, its size, its age, and which orders have no phone", async () => {
    const home = await homeWithMirror();
    home.clock.advance(2 * 3_600_000);
    const { exit, by } = await diagnose(home);
    expect(exit).toBe(0);
    expect(by.mirror).toMatchObject({ status: "ok", advice: null });
    expect(by.mirror?.detail.replace(/\d+ kB/, "9 kB")).toBe(
      `~/state/mirror/${home.name}, 9 kB, 5 orders, synced 2 h ago; ` +
        "3 orders have no phone: courier sync --fetch-details 3 looks them up, one call each",
    );
    expect((await home.courier("sync --fetch-details 3")).exit).toBe(0);
    expect((await diagnose(home)).by.mirror?.detail).toMatch(/, 5 orders, synced just now$/);
  });

  test("an old one, and one that no sync has completed, are warnings", async () => {
    const home = await homeWithMirror();
    home.clock.advance(8 * 86_400_000);
    const old = await diagnose(home);
    expect(old.exit).toBe(0);
    expect(old.by.mirror).toMatchObject({ status: "warn", advice: "bring it up to date: courier sync" });
    expect(old.by.mirror?.detail).toContain(", synced 8 d ago");
    const begun = await createServedHome({ seedOrders: 5 });
    begun.sandbox.faults.set([{ kind: "refuse", path: /orders/, status: 403, code: "NO", message: "no" }]);
    expect((await begun.courier("sync")).exit).toBe(1);
    const { by } = await diagnose(begun);
    expect(by.mirror).toMatchObject({ status: "warn", advice: "bring it up to date: courier sync" });
    expect(by.mirror?.detail).toMatch(/, 0 orders, no sync completed$/);
  });

  test("damage: exit 5, and the remedy is a new copy", async () => {
    const home = await homeWithMirror();
    const connection = (await loadDriver()).open(home.file);
    connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    connection.close();
    const bytes = await readFile(home.file);
    bytes.fill(0xa5, 3 * 4096, 9 * 4096);
    await writeFile(home.file, bytes);
    const inside = await diagnose(home);
    expect(inside.exit).toBe(5);
    expect(inside.by.mirror).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("damaged"),
      advice: expect.stringContaining("courier sync --rebuild"),
    });
    await writeFile(home.file, "dear diary, ".repeat(1_000));
    const { exit, by, stdout } = await diagnose(home);
    expect([exit, by.mirror?.status]).toEqual([5, "fail"]);
    expect(by.mirror?.advice).toContain("courier sync --rebuild");
    expect(stdout).not.toContain(home.directory);
    expect((await home.courier("sync --rebuild")).exit).toBe(0);
    expect((await diagnose(home)).by.mirror?.status).toBe("ok");
  });

  test("one whose log alone is left is damaged, too, as it is for a sync", async () => {
    const home = await homeWithMirror();
    await rm(home.file);
    await writeFile(`${home.file}-wal`, "left");
    expect((await home.courier("sync")).exit).toBe(5);
    const { exit, by } = await diagnose(home);
    expect([exit, by.mirror?.status]).toEqual([5, "fail"]);
    expect(by.mirror?.detail).toContain("its file is missing");
    expect((await home.courier("sync --rebuild")).exit).toBe(0);
    expect((await diagnose(home)).by.mirror?.status).toBe("ok");
  });
});

describe("the ledger", () => {
  const order = "orders create --sender-name a --receiver-name b --item-name c";
  const file = (home: Home) => path.join(home.stateDir, "ledger.db");

  test("none yet, and none is made", async () => {
    const home = await createServedHome();
    const { exit, by } = await diagnose(home);
    expect(exit).toBe(0);
    expect(by.ledger).toMatchObject({ status: "ok", detail: expect.stringMatching(/^none yet; /) });
    expect(existsSync(home.stateDir)).toBe(false);
  });

  test("where it is, its size, and what it is kept with", async () => {
    const home = await createServedHome();
    await home.courier(order);
    const { exit, by } = await diagnose(home);
    expect(exit).toBe(0);
    expect(by.ledger).toMatchObject({ status: "ok", advice: null });
    expect(by.ledger?.detail).toMatch(
      /^~\/state\/ledger\.db, \d+ kB, SQLite 3\.\d+\.\d+ \(\S+\), 0 operations in doubt$/,
    );
  });

  test("operations in doubt are a warning, with the way to them", async () => {
    const home = await createServedHome();
    const ledger = await openLedger(home.stateDir);
    const { id } = await ledger.learnCustomer({ service: "s", key: "k", profileId: "1", account: "shop" });
    const run = await beginRun(ledger, id);
    await recordCreate(ledger, run, { content: "c", draft: { receiver: { name: "Zhang San" } } });
    await ledger.releaseRun(run.number, 2);
    await ledger.close();
    const { exit, by, stdout } = await diagnose(home);
    expect(exit).toBe(0);
    expect(by.ledger).toMatchObject({
      status: "warn",
      advice:
        "to settle them: courier orders resolve for orders, courier orders cancel ID again for cancels; all of them: courier log --unknown",
    });
    expect(by.ledger?.detail).toMatch(/, 1 operation in doubt$/);
    expect(stdout).not.toContain("Zhang");
  });

  test("a file that is none: exit 5, the remedy, and it is left as it is", async () => {
    const home = await createServedHome();
    await mkdir(home.stateDir, { mode: 0o700 });
    await writeFile(file(home), "dear diary, ".repeat(100));
    const { exit, by, stdout } = await diagnose(home);
    expect(exit).toBe(5);
    expect(by.ledger).toMatchObject({
      status: "fail",
      detail: "the ledger cannot be used: it is not an SQLite file, or damaged: ~/state/ledger.db",
      advice: expect.stringContaining("restore it from a backup"),
    });
    expect(stdout).not.toContain(home.directory);
    expect(await readFile(file(home), "utf8")).toBe("dear diary, ".repeat(100));
  });

  test.each(["ledger.db", "ledger.db-wal"])("%s may only be read: no order could be sent", async (name) => {
    const home = await createServedHome();
    await home.courier(order);
    // A copy: what has written the other one may still take away its files.
    const copy = `${home.stateDir}-copy`;
    await cp(home.stateDir, copy, { recursive: true });
    const files = ["ledger.db", "ledger.db-wal"].map((each) => path.join(copy, each));
    for (const each of files) await writeFile(each, "", { flag: "a" });
    await chmod(path.join(copy, name), 0o444);
    await asUser([home.directory, copy, ...files], async () => {
      const { exit, by } = await diagnose(home, { COURIER_STATE_DIR: copy });
      expect(exit).toBe(5);
      expect(by.ledger).toMatchObject({
        status: "fail",
        detail: expect.stringMatching(/^the ledger cannot be used: it cannot be (written to|opened): /),
        advice: expect.stringContaining("let your user write to it, to its -wal and -shm files"),
      });
    });
  });

  test.skipIf(!canMount())("its disk is full (needs root): no order could be sent", async () => {
    const home = await createServedHome();
    await home.courier(order);
    const disk = await mountDisk("size=512k");
    await cp(file(home), path.join(disk, "ledger.db"));
    const other = await openLedger(disk); // SQLite's files beside it exist: it can be read
    await other.findCustomer("s", "k");
    await appendFile(path.join(disk, "filler"), Buffer.alloc(512 * 1_024)).catch(() => {});
    const { exit, by } = await diagnose(home, { COURIER_STATE_DIR: disk });
    await rm(path.join(disk, "filler"));
    await other.close();
    expect(exit).toBe(5);
    expect(by.ledger).toMatchObject({ status: "fail", detail: expect.stringContaining("disk") });
    expect(by.ledger?.advice).toMatch(/^make room/);
  });

  test("the check writes nothing that another run could notice", async () => {
    const home = await createServedHome();
    await home.courier(order);
    const before = await home.courier("log --json");
    expect((await diagnose(home)).by.ledger).toMatchObject({ status: "ok" });
    expect(await home.courier("log --json")).toEqual(before);
  });

  test("emptied", async () => {
    const home = await createServedHome();
    await home.courier(order);
    // Another file: a connection that is not collected yet would write its pages into the old one.
    await Promise.all(["", "-wal", "-shm"].map((end) => rm(`${file(home)}${end}`, { force: true })));
    await writeFile(file(home), "", { mode: 0o600 });
    const { exit, by } = await diagnose(home);
    expect(exit).toBe(5);
    expect(by.ledger).toMatchObject({
      status: "fail",
      detail: "the ledger cannot be used: it is empty, so all that it held is lost: ~/state/ledger.db",
      advice: expect.stringContaining("a new ledger does not know which orders were sent"),
    });
  });

  test("damage inside of it", async () => {
    const home = await createServedHome();
    const ledger = await openLedger(home.stateDir);
    await ledger.learnCustomer({ service: "s", key: "k", profileId: "1", account: "shop" });
    await ledger.compact();
    await ledger.close();
    const bytes = await readFile(file(home));
    bytes.fill(0xa5, 3 * 4096, 9 * 4096);
    await writeFile(file(home), bytes);
    const { exit, by } = await diagnose(home);
    expect(exit).toBe(5);
    expect(by.ledger).toMatchObject({ status: "fail", detail: expect.stringContaining("damaged") });
  });

  test.each([
    [0x6969, "on a network file system (NFS)"],
    [0x65735546, "may be on a network file system (FUSE)"],
  ])("a file system of type %i is a warning", async (type, told) => {
    const { stateDir } = await createServedHome();
    const machine = { stateDirectory: stateDir, platform: "linux x64", env: {} };
    const sharesLedger = async () => false;
    const context = { machine, sharesLedger, ledger: () => openLedger(stateDir) } as unknown as Context;
    const finding = await checkLedger(context, async () => ({ type }));
    expect(finding).toMatchObject({
      status: "warn",
      detail: expect.stringContaining(told),
      advice: `SQLite needs a local disk: choose one with COURIER_STATE_DIR${newLedger}`,
    });
  });
});

describe("completion", () => {
  test.each([
    ["/bin/bash", ".local/share/bash-completion/completions/courier", ".bashrc"],
    ["/usr/bin/zsh", ".zfunc/_courier", ".zshrc"],
    ["/usr/bin/fish", ".config/fish/completions/courier.fish", undefined],
  ])("%s", async (shell, file, startUp) => {
    const home = await createServedHome();
    const before = await diagnose(home, { SHELL: shell });
    expect(before.by.completion).toMatchObject({
      status: "warn",
      advice: `courier completion ${path.basename(shell)} --install`,
    });
    const full = path.join(home.directory, file);
    await mkdir(path.dirname(full), { recursive: true });
    await writeFile(full, "");
    const env = { SHELL: shell, XDG_DATA_DIRS: path.join(home.directory, "none") };
    if (startUp !== undefined) {
      const name = path.basename(shell);
      expect((await diagnose(home, env)).by.completion).toMatchObject({
        check: "completion",
        status: "warn",
        detail: `${name}: ~/${file} is there, and courier finds no line that reads it`,
        advice: `courier completion ${name} --install`,
      });
      await writeFile(path.join(home.directory, startUp), `. ~/${file}\n`);
    }
    const after = await diagnose(home, env);
    expect(after.by.completion).toMatchObject({ status: "ok", detail: `${path.basename(shell)}: ~/${file}` });
  });

  test("a shell that is not known", async () => {
    const { by } = await diagnose(await createServedHome(), { SHELL: "/bin/tcsh" });
    expect(by.completion).toMatchObject({ status: "skip" });
  });
});

test("a person sees a line for each check, and what to do below", async () => {
  const home = await createHome({ HOME: "/home/zhang", SHELL: "/bin/zsh" });
  const { stdout } = await home.courier("doctor --no-color", { terminal: 60 });
  expect(
    stdout.split("\n").filter((line) => line.startsWith("account") || line.includes("courier login")),
  ).toEqual([
    "account       fail  no account is set up here, and no base",
    "              do    run courier login, or try without any",
  ]);
});

test.skipIf(!canMount())(
  "a state directory on a disk that cannot be written to (needs root): the way out keeps its ledger",
  async () => {
    const home = await createServedHome();
    const state = await mountDisk("size=100k,ro");
    const { stdout } = await home.courier("doctor --json", { env: { COURIER_STATE_DIR: state } });
    expect(stdout).toContain(`${state} must be a directory that your user can write to`);
    expect(stdout).not.toContain("another place");
  },
);
