/** Personal data: after logout and accounts remove, no name, phone or street is in any byte of the state directory. */

import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { takeLock } from "../../src/config/config-lock.ts";
import { interrupted } from "../../src/core/errors.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { applicationId, migrations } from "../../src/ledger/schema.ts";
import { openDatabase } from "../../src/sqlite/database.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { putConfig } from "../support/config-file.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { fc } from "../support/effort.ts";
import { openLiveScreen } from "../support/live-screen.ts";
import { createServedProcessHome, until } from "../support/process.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { canMount, mountDisk } from "../support/small-disk.ts";
import { beginRun, created, createLedger, findTexts, recordCreate } from "./opened.ts";

const key = "test-key-0123456789";
const personal = {
  senderName: "Zhangmarker San",
  receiverName: "李标记",
  phone: "13800138999",
  detail: "Markerstreet 77",
  item: "Markerbook",
  draft: "Draftmarker Li",
};
const texts = Object.values(personal);
const order = [
  ...["orders", "create", "--account", "shop", "--yes", "--json"],
  ...["--sender-name", personal.senderName, "--receiver-name", personal.receiverName],
  ...["--receiver-phone", personal.phone, "--receiver-detail", personal.detail],
  ...["--item-name", personal.item],
];

test("a command that ends while accounts remove waits for the config file leaves nothing", async () => {
  const home = await createShop();
  const release = await takeLock(path.join(home.configDir, "config.json"), "config file");
  const removing = home.courier("accounts remove shop --yes", { env: withoutKey });
  // A file may go between its listing and its reading.
  const find = () => findTexts(home.stateDir, texts).catch(() => undefined);
  await until("deleted", async () => (await find())?.length === 0);
  expect((await home.courier("orders list --account shop", { env: withoutKey })).exit).toBe(0);
  expect(await findTexts(home.stateDir, [personal.receiverName])).not.toEqual([]);
  release();
  const removed = await removing;
  expect(removed.exit, removed.stderr).toBe(0);
  expect(await findTexts(home.stateDir, texts)).toEqual([]);
});

describe("a run that changes the config file itself", () => {
  const saving = [...order, "--save-template", "book"];

  test("deletes nothing where the base URL was written by hand, with a slash at its end", async () => {
    const home = await createServedHome();
    const shop = { base_url: `${home.sandbox.baseUrl}/`, key };
    await putConfig(home, { current: "shop", accounts: { shop } });
    const { exit, stderr } = await home.courier(saving, { env: withoutKey });
    expect([exit, stderr]).toEqual([0, expect.not.stringContaining("logged out")]);
    expect(await findTexts(home.stateDir, [personal.receiverName])).not.toEqual([]);
  });

  test("deletes nothing with --base-url and a path at the account's service", async () => {
    const home = await createServedHome();
    const proxy = createServer((from, to) => {
      const url = new URL((from.url ?? "").replace(/^\/gate/, ""), home.sandbox.baseUrl);
      const { method, headers } = from;
      const sent = request(url, { method, headers: { ...headers, host: url.host } }, (answer) => {
        to.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(to);
      });
      from.pipe(sent);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void proxy.close());
    const base_url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    await putConfig(home, { current: "shop", accounts: { shop: { base_url, key } } });
    const ran = await home.courier([...saving, "--base-url", `${base_url}/gate`], { env: withoutKey });
    expect([ran.exit, ran.stderr]).toEqual([0, expect.not.stringContaining("logged out")]);
    expect(await findTexts(home.stateDir, [personal.receiverName])).not.toEqual([]);
  });
});

describe.each([
  ["logout", ["logout", "--account", "shop"]],
  ["accounts remove", ["accounts", "remove", "shop", "--yes"]],
])("courier %s", (_name, words) => {
  test("takes every name, phone and street off this machine, and no record of what was sent", async () => {
    const home = await createShop();
    await home.courier("orders list --account shop");
    await keepDraft(home);
    expect((await findTexts(home.stateDir, texts)).length).toBeGreaterThan(texts.length);

    const ran = await home.courier([...words, "--json"], { env: withoutKey });
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    expect(JSON.parse(ran.stdout)).toMatchObject({ details_deleted: true, details_kept: 0 });
    expect(await findTexts(home.stateDir, texts)).toEqual([]);

    const ledger = await createLedger(home.stateDir);
    const [run] = await ledger.listRuns({ limit: 9 });
    const operations = await ledger.listOperations(run?.number ?? 0);
    expect(operations).toMatchObject([{ kind: "create", state: "created", order: { id: "1000001" } }]);
    expect(operations[0]?.draft).toBeUndefined();
  });

  test("keeps what is in doubt, says so, and deletes it with --force", async () => {
    const home = await createShop();
    const ledger = await createLedger(home.stateDir);
    const customer = await ledger.findCustomer(home.sandbox.baseUrl, key);
    for (const number of [1, 2]) {
      const run = await beginRun(ledger, customer?.id ?? 0);
      await recordCreate(ledger, run, { content: `c${number}`, draft: { item: { name: "Doubtmarker" } } });
      await ledger.releaseRun(run.number, 2);
    }
    const all = [...texts, "Doubtmarker"];
    const ran = await home.courier([...words, "--json"], { env: withoutKey });
    expect(ran.exit).toBe(0);
    const [, hint = ""] =
      /^2 orders in doubt, or found since, keep their details, so that none is sent twice; to delete them too: courier (.*)\n$/.exec(
        ran.stderr,
      ) ?? [];
    expect(hint).not.toBe("");
    expect(JSON.parse(ran.stdout)).toMatchObject({ details_deleted: true, details_kept: 2 });
    const found = await findTexts(home.stateDir, all);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((each) => !each.endsWith("Doubtmarker"))).toEqual([]);

    const answers = hint.startsWith("ledger") ? " --yes --confirm shop" : "";
    const forced = await home.courier(`${hint}${answers} --json`, { env: withoutKey });
    expect(forced).toMatchObject({ exit: 0, stderr: "" });
    expect(JSON.parse(forced.stdout)).toMatchObject({ details_kept: 0 });
    expect(await findTexts(home.stateDir, all)).toEqual([]);
  });

  test("that is stopped while the ledger is locked is finished by the same command", async () => {
    const home = await createServedProcessHome();
    const env = unsetKey;
    const stdin = "process-key-0123456789";
    await home.courier(`login --base-url ${home.sandbox.baseUrl} --account shop`, { stdin, env });
    expect((await home.courier(order, { env })).exit).toBe(0);
    const lock = (await loadDriver()).open(ledgerPath(home.stateDir));
    lock.exec("BEGIN IMMEDIATE");
    const running = home.start(words, { env });
    await running.untilStderr(/waiting for another courier process/);
    process.kill(running.pid, "SIGTERM");
    const stopped = await running.ended;
    lock.exec("ROLLBACK");
    lock.close();
    expect([stopped.exit, stopped.stdout]).toEqual([143, ""]);
    expect(stopped.stderr).toContain(
      "error: stopped before the names and addresses of past orders were deleted\nhint: run the same command again\n",
    );
    expect(await findTexts(home.stateDir, [personal.phone])).not.toEqual([]);
    expect((await home.courier(words, { env })).exit).toBe(0);
    expect(await findTexts(home.stateDir, texts)).toEqual([]);
  });

  describe("while another command of the account is open", () => {
    const note =
      "the account shop was logged out meanwhile: what this run kept of its orders, and of a draft, was deleted";

    test("keeps nothing of what a board has shown, once that ends", async () => {
      const home = await createShop();
      const board = openLiveScreen(home, "track --account shop --status pending --watch --yes", {
        env: withoutKey,
      });
      await board.until("Watching 1 parcel");
      expect((await home.courier(words, { env: withoutKey })).exit).toBe(0);
      expect(await findTexts(home.stateDir, texts)).toEqual([]);
      board.type("q");
      const { exit, stderr } = await board.ended;
      expect(exit, stderr).toBe(0);
      expect(stderr).toContain(note);
      expect(await findTexts(home.stateDir, texts)).toEqual([]);
    });

    test.each(["orders cancel --status pending --last 1d", "undo 1", "orders create --repeat"])(
      "keeps nothing of %s, which stops at its question",
      async (other) => {
        const home = await createShop();
        const stopAfter = async () => {
          expect((await home.courier(words, { env: withoutKey })).exit).toBe(0);
          throw interrupted(130);
        };
        const prompts = { ...scriptedPrompts({}), confirm: stopAfter, choose: stopAfter };
        const ran = await home.courier(`${other} --account shop`, {
          terminal: 100,
          prompts,
          env: withoutKey,
        });
        expect(ran.exit, ran.stderr).toBe(130);
        expect(ran.stderr).toContain(note);
        expect(await findTexts(home.stateDir, texts)).toEqual([]);
      },
    );

    test("keeps nothing of a question, also where the account is one of another service by then", async () => {
      const [home, other] = [await createShop(), await createServedHome()];
      await home.courier("orders list --account shop");
      const stopAfter = async () => {
        expect((await home.courier(words, { env: withoutKey })).exit).toBe(0);
        const again = `login --base-url ${other.sandbox.baseUrl} --account shop`;
        expect((await home.courier(again, { stdin: key, env: withoutKey })).exit).toBe(0);
        const elsewhere = order.map((word) => word.replace(personal.receiverName, "Newmarker"));
        expect((await home.courier(elsewhere, { env: withoutKey })).exit).toBe(0);
        throw interrupted(130);
      };
      const prompts = { ...scriptedPrompts({}), confirm: stopAfter, choose: stopAfter };
      const ran = await home.courier("orders create --repeat --account shop", {
        ...{ terminal: 100, prompts, env: withoutKey },
      });
      expect(ran.exit, ran.stderr).toBe(130);
      expect(ran.stderr).toContain(note);
      expect(await findTexts(home.stateDir, [personal.receiverName])).toEqual([]);
      expect((await home.courier("log --account shop --json", { env: withoutKey })).stdout).toContain(
        "orders create",
      );
      expect(await findTexts(home.stateDir, ["Newmarker"]), "those of the other service").not.toEqual([]);
    });

    test("deletes nothing more where the config file is away when it ends: that is no logout", async () => {
      const home = await createShop();
      const board = openLiveScreen(home, "track --account shop --status pending --watch --yes", {
        env: withoutKey,
      });
      await board.until("Watching 1 parcel");
      await rename(home.configDir, `${home.configDir}-away`);
      board.type("q");
      const { exit, stderr } = await board.ended;
      expect([exit, stderr.includes("logged out")], stderr).toEqual([0, false]);
      expect(await findTexts(home.stateDir, [personal.phone])).not.toEqual([]);
    });

    test("deletes nothing where the account is logged in again before it ends", async () => {
      const home = await createShop();
      const board = openLiveScreen(home, "track --account shop --status pending --watch --yes", {
        env: withoutKey,
      });
      await board.until("Watching 1 parcel");
      expect((await home.courier(words, { env: withoutKey })).exit).toBe(0);
      await login(home, "shop");
      board.type("q");
      const { stderr } = await board.ended;
      expect(stderr).not.toContain("logged out");
    });
  });

  test("keeps a customer's orders as long as another account with a key has the same profile", async () => {
    const home = await createShop();
    await login(home, "till");
    expect((await home.courier(words, { env: withoutKey })).exit).toBe(0);
    expect(await findTexts(home.stateDir, [personal.phone])).not.toEqual([]);
    expect((await home.courier("logout --account till", { env: withoutKey })).exit).toBe(0);
    expect(await findTexts(home.stateDir, texts)).toEqual([]);
  });

  test.each(["COURIER_LEDGER", "the config file"])(
    "shows no password that is in the address of a shared ledger, in %s",
    async (place) => {
      const home = await createServedHome();
      const address = "postgres://me:Secretmarker1@127.0.0.1:1/db";
      const ledger = place === "COURIER_LEDGER" ? {} : { ledger: address };
      const shop = { base_url: home.sandbox.baseUrl, key, ...ledger };
      await putConfig(home, { current: "shop", accounts: { shop } });
      const env = { ...withoutKey, COURIER_LEDGER: ledger.ledger ? "" : address };
      const { exit, stdout, stderr } = await home.courier(words, { env });
      expect([exit, stdout + stderr]).toEqual([0, expect.not.stringContaining("Secretmarker1")]);
      expect(stderr).toContain("COURIER_LEDGER=ADDRESS courier ledger forget --account shop");
    },
  );

  test("makes no ledger where there is none", async () => {
    const home = await createServedHome();
    await home.courier(`login --no-verify --base-url ${home.sandbox.baseUrl} --account shop`, { stdin: key });
    const ran = await home.courier(words, { env: withoutKey });
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    expect(existsSync(home.stateDir)).toBe(false);
  });

  test("forgets the key where the ledger cannot be opened, and says what stays", async () => {
    const home = await createShop();
    await home.courier("orders list --account shop");
    const file = ledgerPath(home.stateDir);
    // Not cut to nothing: this process has mapped the file of shared memory, and would die of reading it.
    for (const each of [file, `${file}-wal`, `${file}-shm`]) await rm(each, { force: true });
    await writeFile(file, "not a database, but some text of somebody's");
    const ran = await home.courier(words, { env: withoutKey });
    expect(ran.exit).toBe(5);
    expect(ran.stderr).toContain("; then: courier ledger forget --account shop\n");
    expect(ran.stderr).toMatch(/^error: the names and addresses of past orders could not be deleted from /);
    expect(ran.stderr).toContain(file);
    expect(await readFile(path.join(home.configDir, "config.json"), "utf8")).not.toContain(key);
    expect(await findTexts(home.stateDir, texts), "the cache is gone").toEqual([]);
  });
});

describe.each([
  ["logout", "logout --account shop"],
  ["accounts remove", "accounts remove shop --yes"],
  ["ledger forget", "ledger forget --account shop --yes --confirm shop"],
])("courier %s, where files were moved to another disk and linked", (_name, words) => {
  test("deletes the mirror and the orders for the Tab key there", async () => {
    // Of processes that have ended: within one, files stay open until their statements are collected.
    const home = await createServedProcessHome();
    const env = unsetKey;
    const stdin = "process-key-0123456789";
    await home.courier(`login --base-url ${home.sandbox.baseUrl} --account shop`, { stdin, env });
    for (const each of [order, "sync --account shop"])
      expect((await home.courier(each, { env })).exit).toBe(0);
    const elsewhere = path.join(home.directory, "elsewhere");
    await mkdir(elsewhere);
    const directory = path.join(home.stateDir, "mirror");
    const files = (await readdir(directory)).map((name) => path.join(directory, name));
    for (const file of [...files, path.join(home.stateDir, "completion-orders.json")]) {
      const target = path.join(elsewhere, path.basename(file));
      await rename(file, target);
      await symlink(target, file);
    }
    expect((await findTexts(elsewhere, texts)).length).toBeGreaterThan(0);
    const { exit, stderr } = await home.courier(words, { env });
    expect(exit, stderr).toBe(0);
    expect(await findTexts(elsewhere, texts)).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
  });

  test.each(["mirror", "mirror/*.db", "completion-orders.json"])(
    "says what stays where %s is a link to nothing",
    async (what) => {
      const home = await createShop();
      expect((await home.courier("sync --account shop", { env: withoutKey })).exit).toBe(0);
      const [name = ""] = (await readdir(path.join(home.stateDir, "mirror"))).filter((each) =>
        each.endsWith(".db"),
      );
      const file = path.join(home.stateDir, what.replace("*.db", name));
      const target = path.join(home.directory, "gone", "moved");
      await rename(file, path.join(home.directory, "moved"));
      await symlink(target, file);
      const { exit, stderr } = await home.courier(words, { env: withoutKey });
      expect(exit, stderr).toBe(5);
      expect(stderr).toContain(
        `is a link to ${target}, where no ${what === "mirror" ? "directory" : "file"} is`,
      );
      expect(stderr).toContain("is a disk missing, or was the file moved?");
    },
  );
});

test.skipIf(!canMount())(
  "accounts remove on a full disk, and where a file cannot be deleted (needs root): words and steps that can be followed",
  async () => {
    const disk = await mountDisk("size=660k");
    const [state, filler] = [path.join(disk, "state"), path.join(disk, "filler")];
    const served = await createServedHome();
    await login(served, "shop");
    const env = { ...withoutKey, COURIER_STATE_DIR: state };
    expect((await served.courier(order, { env })).exit).toBe(0);
    await writeFile(filler, Buffer.alloc(660 * 1_024)).catch(() => {});
    const removed = await served.courier("accounts remove shop --yes", { env });
    expect(removed.exit, removed.stderr).toBe(5);
    expect(removed.stderr).toMatch(
      /: the disk (?:is|may be) full: .*\nhint: make room; then: courier ledger forget --account shop\n$/,
    );
    await rm(filler);
    const forgotten = await served.courier("ledger forget --account shop --yes --confirm shop", { env });
    expect(forgotten.exit, forgotten.stderr).toBe(0);
    expect(await findTexts(state, texts)).toEqual([]);

    const home = await createShop();
    const cache = path.join(home.stateDir, "completion-orders.json");
    await rm(cache, { force: true });
    await mkdir(path.join(cache, "x"), { recursive: true });
    const ran = await home.courier("logout --account shop", { env: withoutKey });
    expect(ran.stderr).toContain(`: it is a directory: ${cache}`);
    expect(ran.stderr).toContain("\nhint: once that is fixed: courier ledger forget --account shop\n");
  },
);

test("orders that were sent with COURIER_API_KEY alone go with their customer", async () => {
  const home = await createServedHome();
  const unnamed = order.filter((word) => word !== "--account" && word !== "shop");
  expect((await home.courier(unnamed)).exit).toBe(0);
  await login(home, "shop");
  expect((await findTexts(home.stateDir, texts)).length).toBeGreaterThan(texts.length - 1);
  expect((await home.courier("logout --account shop", { env: withoutKey })).exit).toBe(0);
  expect(await findTexts(home.stateDir, texts)).toEqual([]);
});

test("the same, for real processes", async () => {
  const home = await createServedProcessHome();
  const { COURIER_API_KEY: _key, COURIER_BASE_URL: _url, ...rest } = withoutKey;
  const env = { ...rest, ...unsetKey };
  const stdin = "process-key-0123456789";
  await home.courier(`login --base-url ${home.sandbox.baseUrl} --account shop`, { stdin, env });
  expect((await home.courier(order, { env })).exit).toBe(0);
  await home.courier("orders list --account shop", { env });
  expect(await findTexts(home.stateDir, [personal.phone])).not.toEqual([]);
  expect((await home.courier("logout --account shop", { env })).exit).toBe(0);
  expect(await findTexts(home.stateDir, texts)).toEqual([]);
});

test("pages that were split keep no copy, whatever was written in whatever order", async () => {
  const write = fc.record({ isOther: fc.boolean(), length: fc.nat({ max: 900 }), isSettled: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 100, maxLength: 200 }), async (writes) => {
      const ledger = await createLedger();
      const [mine, other] = await Promise.all(
        ["1", "2"].map((profileId) =>
          ledger.learnCustomer({ service: "s", key: profileId, profileId, account: profileId }),
        ),
      );
      const runs = await Promise.all([mine, other, mine].map((each) => beginRun(ledger, each?.id ?? 0)));
      for (const [index, { isOther, length, isSettled }] of writes.entries()) {
        const run = runs[isOther ? 1 : (index % 2) * 2];
        if (!run) continue;
        const text = `${isOther ? "Othermarker" : "Minemarker"}${"x".repeat(length)}`;
        await recordCreate(ledger, run, {
          content: `c${index}`,
          draft: { item: { name: text } },
          ...(isSettled ? { outcome: created(String(index)) } : {}),
        });
        await ledger.rememberOrders({ account: "a", service: "s" }, [{ id: `${index % 40}`, item: text }], 1);
      }
      await ledger.deletePersonalData(mine?.id ?? 0, true);
      await ledger.forgetOrders("a");
      await ledger.compact();
      expect(await findTexts(ledger.directory, ["Minemarker"])).toEqual([]);
      await ledger.deletePersonalData(other?.id ?? 0, true);
      await ledger.compact();
      expect(await findTexts(ledger.directory, ["Othermarker"])).toEqual([]);
    }),
    { numRuns: 5 },
  );
});

test("a refusal's own words go too: they may quote a phone", async () => {
  const ledger = await createLedger();
  const { id } = await ledger.learnCustomer({ service: "s", key, profileId: "1", account: "shop" });
  const rejection = { code: "INVALID", message: "Phonemarker is no phone", field: "receiver.phone" };
  const name = await recordCreate(ledger, await beginRun(ledger, id), {
    content: "c",
    draft: {},
    outcome: { state: "refused", rejection },
  });
  await ledger.deletePersonalData(id, false);
  await ledger.compact();
  expect(await findTexts(ledger.directory, ["Phonemarker"])).toEqual([]);
  expect((await ledger.findOperation(name))?.rejection).toEqual({ ...rejection, message: "" });
});

test("files that another process reads cannot be emptied, which is told", async () => {
  const { directory } = await createLedger();
  const options = {
    path: ledgerPath(directory),
    title: "ledger",
    applicationId,
    migrations,
    wait: { limitMs: () => 0 },
  };
  const [reader, writer] = [await openDatabase(options), await openDatabase(options)];
  onTestFinished(() => {
    reader.close();
    writer.close();
  });
  reader.exec("BEGIN");
  reader.sql("SELECT count(*) FROM runs").get();
  await expect(writer.compact()).rejects.toMatchObject({
    code: "database",
    message: expect.stringContaining(options.path),
  });
  reader.exec("COMMIT");
  await writer.compact();
});

const withoutKey = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };
/** The same for a real process. */
const unsetKey = { COURIER_API_KEY: undefined, COURIER_BASE_URL: undefined };

/** A home in which the account shop has sent one order. */
async function createShop(): Promise<ServedHome> {
  const home = await createServedHome();
  await mkdir(home.stateDir, { mode: 0o700 });
  await login(home, "shop");
  expect((await home.courier(order, { env: withoutKey })).exit).toBe(0);
  return home;
}

async function login(home: ServedHome, account: string): Promise<void> {
  const words = `login --base-url ${home.sandbox.baseUrl} --account ${account}`;
  expect((await home.courier(words, { stdin: key })).exit).toBe(0);
}

async function keepDraft({ stateDir, sandbox }: ServedHome): Promise<void> {
  const ledger = await openLedger(stateDir);
  const draft = { receiver: { name: personal.draft } };
  await ledger.keepDraft({ account: "shop", service: sandbox.baseUrl }, { draft, open: [] }, undefined);
  await ledger.close();
}
