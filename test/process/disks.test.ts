/** Disks that are full, limited or read-only: what was there stays whole, and the error says why. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { row, sheet } from "../support/imports.ts";
import { createProcessHome, createServedProcessHome, until } from "../support/process.ts";
import { canMount, mountDisk } from "../support/small-disk.ts";

const login = (name: string) => `login --no-verify --base-url https://service.invalid --account ${name}`;
const longKey = (name: string) => `key-of-${name}-${"k".repeat(700)}`;
const order = JSON.stringify({ sender: { name: "A" }, receiver: { name: "B" }, item: { name: "C" } });

async function accountNames(configFile: string): Promise<readonly string[]> {
  const { accounts } = JSON.parse(await readFile(configFile, "utf8"));
  for (const [name, { key }] of Object.entries<{ key: string }>(accounts)) expect(key).toBe(longKey(name));
  return Object.keys(accounts);
}

describe.skipIf(!canMount())("a disk of 32 KB (needs root)", () => {
  test("completion --install says to make room: exit 5", async () => {
    const disk = await mountDisk("size=32k");
    await writeFile(path.join(disk, "filler"), Buffer.alloc(32_768)).catch(() => undefined);
    const { courier } = await createProcessHome({ XDG_CONFIG_HOME: disk, SHELL: "/usr/bin/fish" });
    const { exit, stderr } = await courier("completion fish --install");
    expect(exit, stderr).toBe(5);
    expect(stderr).toContain("the disk is full\nhint: make room, then run the same command again\n");
  });

  test("completion --install adds nothing to a start-up file in part, and --remove needs no room", async () => {
    const disk = await mountDisk("size=32k");
    const startUp = path.join(disk, ".zshrc");
    const text = "# mine\n".repeat(580); // the line does not fit into its last 4,096 bytes
    await writeFile(startUp, text);
    const { courier } = await createProcessHome({ HOME: disk, PATH: process.env.PATH });
    const zsh = (word: string) => courier(`completion zsh ${word} --yes`);
    const fill = () => appendFile(path.join(disk, "filler"), Buffer.alloc(32_768)).catch(() => undefined);
    expect((await zsh("--install")).exit).toBe(0);
    expect(await readFile(startUp, "utf8")).not.toBe(text);
    await fill();
    expect((await zsh("--remove")).exit).toBe(0);
    expect(await readFile(startUp, "utf8")).toBe(text);
    await rm(path.join(disk, "filler"));
    expect((await zsh("--install")).exit).toBe(0);
    await writeFile(startUp, text);
    await fill();
    const { exit, stderr } = await zsh("--install"); // the script has its room, and the line has none
    expect(exit, stderr).toBe(5);
    expect(await readFile(startUp, "utf8")).toBe(text);
    await rm(path.join(disk, ".zfunc"), { recursive: true });
    await fill();
    expect((await zsh("--install")).exit).toBe(5);
    expect(existsSync(path.join(disk, ".zfunc/_courier"))).toBe(false);
  });

  test("logins until it is full: every one that was told to be stored is, and the others left nothing", async () => {
    const disk = await mountDisk("size=32k");
    const config = path.join(disk, "config");
    const { courier } = await createProcessHome({ COURIER_CONFIG_DIR: config });
    const stored: string[] = [];
    let refusals = 0;
    for (let number = 1; refusals < 3; number++) {
      const name = `a${number}`;
      const { exit, stdout, stderr } = await courier(login(name), { stdin: longKey(name) });
      if (exit === 0) {
        stored.push(name);
        continue;
      }
      refusals += 1;
      expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
      expect(stderr).toMatch(
        /error: cannot write the config file .*: the disk is full\nhint: make room, then run the same command again\n/,
      );
      expect(await accountNames(path.join(config, "config.json"))).toEqual(stored);
      expect((await readdir(config)).sort()).toEqual(["config.json", "config.lock.db"]);
    }
    expect(stored.length).toBeGreaterThan(3);
    expect(await courier(`logout --account a1`), "a smaller file fits").toMatchObject({ exit: 0 });
  });

  test("whatever changes the config file says to make room, exit 5, and can be run again then", async () => {
    const disk = await mountDisk("size=32k");
    const { courier, directory, configFile } = await createProcessHome({
      COURIER_CONFIG_DIR: path.join(disk, "config"),
    });
    const [book, orders] = ["book.csv", "orders.csv"].map((name) => path.join(directory, name));
    await writeFile(book ?? "", "alias,name\nli,李四\n");
    await writeFile(orders ?? "", "sender.name,To,item.name\nA,B,C\n");
    expect(await courier(login("a1"), { stdin: longKey("a1") })).toMatchObject({ exit: 0 });
    await writeFile(path.join(disk, "filler"), Buffer.alloc(32_768)).catch(() => undefined);
    const lines = [
      "addresses add zhang --name 张三",
      `addresses import ${book} --yes`,
      `orders import ${orders} --map To=receiver.name --save-map spring --yes --account sandbox`,
      "accounts use sandbox",
      "logout --account a1",
      "accounts remove a1 --yes",
    ];
    const file = path.join(disk, "config", path.basename(configFile));
    for (const words of lines)
      expect(await courier(`${words} --json`), words).toMatchObject({
        exit: 5,
        stdout: "",
        stderr: expect.stringContaining(
          `{"error":{"code":"file","message":"cannot write the config file ${file}: the disk is full",` +
            '"hint":"make room, then run the same command again","exit":5}}',
        ),
      });
    await rm(path.join(disk, "filler"));
    for (const words of lines.slice(0, 4)) expect(await courier(words), words).toMatchObject({ exit: 0 });
  });

  test.each([
    ["state", "COURIER_STATE_DIR"],
    ["config", "COURIER_CONFIG_DIR"],
  ])("courier doctor says that the disk of the %s directory has no room", async (name, variable) => {
    const disk = await mountDisk("size=32k");
    const { courier } = await createServedProcessHome();
    const env = { [variable]: path.join(disk, "files") };
    const find = async () => {
      const checks = JSON.parse((await courier("doctor --json", { env })).stdout) as { check: string }[];
      return checks.find(({ check }) => check === name);
    };
    expect(await find()).toMatchObject({
      status: "warn",
      detail: `the disk of ${disk}/files has only 32 kB left`,
      advice: "make room on it",
    });
    await writeFile(path.join(disk, "filler"), Buffer.alloc(32_768));
    expect(await find()).toMatchObject({ status: "warn", detail: `the disk of ${disk}/files is full` });
  });

  test("without room for the ledger nothing is sent: exit 5; what only reads works", async () => {
    const disk = await mountDisk("size=8k");
    await writeFile(path.join(disk, "filler"), Buffer.alloc(8_192));
    const { sandbox, courier, directory } = await createServedProcessHome();
    const env = { COURIER_STATE_DIR: path.join(disk, "state") };
    expect(await courier("orders list --json", { env })).toMatchObject({ exit: 0 });
    const file = path.join(directory, "sheet.csv");
    await writeFile(file, "sender.name,receiver.name,item.name\nA,B,C\n");
    for (const words of ["orders create --file - --json", `orders import ${file} --yes`]) {
      const { exit, stdout, stderr } = await courier(words, { env, stdin: order });
      expect({ exit, stdout }, stderr).toEqual({ exit: 5, stdout: "" });
      expect(stderr).toMatch(/the ledger cannot be (used|kept).*the disk (is|may be) full.*make room/s);
    }
    expect(sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(0);
  });

  test("a disk that fills up in the middle of an import: what was sent is recorded or reported, and the rest ships later", async () => {
    const disk = await mountDisk("size=512k");
    const { sandbox, courier, directory } = await createServedProcessHome();
    const env = { COURIER_STATE_DIR: path.join(disk, "state") };
    const file = path.join(directory, "sheet.csv");
    const rows = 2_000;
    await writeFile(
      file,
      sheet(...Array.from({ length: rows }, (_, index) => row(`A-${index}`, `名${index}`))),
    );
    const words = ["orders", "import", file, "--yes", "--ndjson"];
    const posts = () => sandbox.requests.filter(({ method }) => method === "POST").length;
    const full = await courier(words, { env });
    expect([5, 6], full.stderr).toContain(full.exit);
    expect(full.stderr).toMatch(/the ledger cannot be used: the disk (is|may be) full/);
    expect(full.stderr).toMatch(/\n.*hint.*make room, then run the same command again/);
    expect(full.stderr).not.toMatch(/internal error|^\s+at /m);
    expect(posts()).toBeGreaterThan(0);
    expect(posts()).toBeLessThan(rows);
    const reported = [...full.stdout.matchAll(/"outcome":"(created|found|unknown)"/g)].length;
    expect(reported, "each one that left").toBeGreaterThanOrEqual(posts());
    execFileSync("mount", ["-o", "remount,size=64m", disk]);
    const logged = (await courier("log show 1 --ndjson", { env })).stdout;
    const recorded = new Set([...logged.matchAll(/"id":(\d+)/g)].map(([, id]) => id));
    const created = [...full.stdout.matchAll(/"outcome":"created","id":(\d+)/g)].map(([, id]) => id ?? "");
    const unrecorded = created.filter((id) => !recorded.has(id));
    expect(unrecorded.length).toBeGreaterThan(0);
    expect(full.stderr).toMatch(
      /; \d+ created orders? (was|were) not recorded \(the next run looks for them\): /,
    );
    const named = /not recorded [^:]*: ([\d, ]+)/.exec(full.stderr)?.[1]?.split(", ");
    expect(named).toEqual(unrecorded);
    const rest = await courier(words, { env, limitMs: 300_000 });
    expect(rest.exit, rest.stderr.slice(-600)).toBe(0);
    expect(rest.stdout.trimEnd().split("\n")).toHaveLength(rows);
    const listed = await courier("orders list --all --ndjson", { env, limitMs: 300_000 });
    expect(listed.stdout.trimEnd().split("\n")).toHaveLength(rows);
  }, 300_000);

  test("Ctrl-C while the disk fills up names the orders that were not recorded", async () => {
    const disk = await mountDisk("size=512k");
    const { sandbox, start, directory } = await createServedProcessHome();
    sandbox.faults.set([{ method: "POST", path: "/api/v1/orders", kind: "latency", ms: 2_000 }]);
    const file = path.join(directory, "sheet.csv");
    await writeFile(file, sheet(...Array.from({ length: 9 }, (_, index) => row(`A-${index}`))));
    const env = { COURIER_STATE_DIR: path.join(disk, "state") };
    const words = ["orders", "import", file, "--yes", "--write-back", path.join(directory, "filled.csv")];
    const running = start(words, { env });
    const posts = () => sandbox.requests.filter(({ method }) => method === "POST").length;
    await until("four are sent", () => posts() === 4);
    await writeFile(path.join(disk, "filler"), Buffer.alloc(524_288)).catch(() => {});
    process.kill(running.pid, "SIGINT");
    const { exit, stderr } = await running.ended;
    expect(exit, stderr).toBe(130);
    expect(stderr).toMatch(
      /stopped: .*; .*the disk (is|may be) full.*; 4 created orders were not recorded \(the next run looks for them\): \d/,
    );
    expect(stderr).toMatch(/^hint: make room, then run the same command again/m);
    expect(stderr).toContain("warning: the sheet lacks the numbers of 4 created orders, which the ledger");
  });

  test("rejects that do not fit on a disk are all in the report, and no part of them is left", async () => {
    const disk = await mountDisk("size=8k");
    const { courier, directory } = await createServedProcessHome();
    const file = path.join(directory, "sheet.csv");
    await writeFile(
      file,
      sheet(...Array.from({ length: 200 }, (_, index) => row(`A-${index}`, "王五", "12"))),
    );
    const words = [
      "orders",
      "import",
      file,
      "--yes",
      "--keep-going",
      "--ndjson",
      "--rejects",
      path.join(disk, "rejects.csv"),
    ];
    const { exit, stdout, stderr } = await courier(words);
    expect([exit, stdout.match(/"refused"/g)?.length]).toEqual([3, 200]);
    expect(stderr).toMatch(
      /warning: cannot write the rejects to .*: the disk is full; the report names the rows/,
    );
    expect(stderr).not.toContain("--rejects FILE");
    expect(await readdir(disk)).toEqual([]);
  });

  test("a disk that is full when the ledger is opened again", async () => {
    const disk = await mountDisk("size=512k");
    const { sandbox, courier } = await createServedProcessHome();
    const env = { COURIER_STATE_DIR: path.join(disk, "state") };
    const create = () => courier("orders create --file - --allow-duplicate", { env, stdin: order });
    expect(await create()).toMatchObject({ exit: 0 });
    await writeFile(path.join(disk, "filler"), Buffer.alloc(512 * 1_024)).catch(() => undefined);
    const { exit, stderr } = await create();
    expect(exit).toBe(5);
    expect(stderr).toMatch(
      /^error: the ledger cannot be used: the disk may be full: .*\nhint: make room, then run/,
    );
    expect(sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

describe.skipIf(!canMount())("a disk that has no place for further files (needs root)", () => {
  test.each([2, 3, 4])("of %i files: says so, and to make room; nothing is sent", async (files) => {
    const disk = await mountDisk(`size=4m,nr_inodes=${files}`);
    const { sandbox, courier } = await createServedProcessHome();
    const env = { COURIER_STATE_DIR: path.join(disk, "state") };
    const { exit, stderr } = await courier("orders create --file -", { env, stdin: order });
    expect(exit, stderr).toBe(5);
    expect(stderr).toMatch(/(?:no place for further files|the disk is full).*\nhint: .*make room/);
    expect(sandbox.requests.filter(({ method }) => method === "POST")).toEqual([]);
    execFileSync("mount", ["-o", "remount,nr_inodes=100", disk]);
    expect(await courier("orders create --file -", { env, stdin: order })).toMatchObject({ exit: 0 });
  });
});

test.skipIf(!canMount())("a search takes little room for the orders of an import (needs root)", async () => {
  const disk = await mountDisk("size=3m");
  const { courier, directory } = await createServedProcessHome();
  const env = { COURIER_STATE_DIR: path.join(disk, "state") };
  const file = path.join(directory, "orders.json");
  await writeFile(
    file,
    JSON.stringify(
      Array.from({ length: 60 }, (_, n) => ({ ...JSON.parse(order), item: { name: `Parcel ${n}` } })),
    ),
  );
  const imported = await courier(`orders import ${file} --yes --json`, { env });
  expect(imported.exit, imported.stderr).toBe(0);
  const found = await courier("find Parcel --json", { env });
  expect(found.exit, found.stderr).toBe(0);
  expect(await courier("orders create --file -", { env, stdin: order })).toMatchObject({ exit: 0 });
});

describe.skipIf(!canMount())("a read-only home (needs root)", () => {
  test("what only reads works; what writes says where it cannot, exit 2", async () => {
    const home = await mountDisk("size=64k,ro");
    const nowhere = { HOME: home, COURIER_CONFIG_DIR: undefined, COURIER_STATE_DIR: undefined };
    const { sandbox, courier } = await createServedProcessHome({ seedOrders: 3 });
    for (const words of ["accounts list", "profile", "orders list --json", "orders show 1 --json"]) {
      const { exit, stderr } = await courier(words, { env: nowhere });
      expect(exit, `${words}: ${stderr}`).not.toBe(2);
      expect(stderr).not.toMatch(/mistake|^\s+at /m);
    }
    const { exit, stdout, stderr } = await courier(login("a1"), { env: nowhere, stdin: longKey("a1") });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toMatch(
      /error: .*the config file.*\nhint: choose another place with COURIER_CONFIG_DIR\n/,
    );
    expect(stderr).toContain(home);
    const created = await courier("orders create --file - --json", { env: nowhere, stdin: order });
    const posts = sandbox.requests.filter(({ method }) => method === "POST").length;
    expect(created.exit, created.stderr).toBe(posts === 0 ? 5 : 0);
    expect(existsSync(path.join(home, ".config"))).toBe(false);
  });
});

describe.skipIf(!canMount())("a ledger on a disk that has become read-only (needs root)", () => {
  test.each(["log", "log show 1", "undo 1 --dry-run", "orders create --file -"])(
    "%s leads to no empty ledger, exit 5",
    async (words) => {
      const disk = await mountDisk("size=1m");
      const { sandbox, courier } = await createServedProcessHome();
      const env = { COURIER_STATE_DIR: path.join(disk, "state") };
      expect(await courier("orders create --file -", { env, stdin: order })).toMatchObject({ exit: 0 });
      const sent = sandbox.requests.length;
      execFileSync("mount", ["-o", "remount,ro", disk]);
      const { exit, stdout, stderr } = await courier(words, { env, stdin: order });
      expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
      expect(stderr).toBe(
        `error: the ledger cannot be used: its disk is read-only: ${disk}/state/ledger.db\n` +
          "hint: make the disk writable: SQLite writes beside a file that it reads, too\n",
      );
      expect(sandbox.requests).toHaveLength(sent);
    },
  );
});
