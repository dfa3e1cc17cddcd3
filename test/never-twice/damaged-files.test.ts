/** Files that courier cannot read or write: whatever sends or cancels an order stops before anything leaves. */

import { execFileSync } from "node:child_process";
import { appendFile, chmod, cp, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { migrations } from "../../src/ledger/schema.ts";
import { type Connection, loadDriver } from "../../src/sqlite/driver.ts";
import { personWho } from "../support/answering.ts";
import { configPath, putConfig } from "../support/config-file.ts";
import { createServedHome, type Ran, type RunOptions, type ServedHome } from "../support/courier.ts";
import { row, sheet } from "../support/imports.ts";
import { canMount, mountDisk } from "../support/small-disk.ts";
import { asUser } from "../support/unprivileged.ts";

const order = JSON.stringify({ sender: { name: "A" }, receiver: { name: "B" }, item: { name: "C" } });
const flags = "orders create --sender-name A --receiver-name B --item-name C";

/** Reviews the order and sends it. */
const atTerminal = () => ({
  terminal: 80,
  prompts: personWho(
    ["What now?", "Send this order"],
    ["Save A in the address book?", false],
    ["Save B in the address book?", false],
  ),
});

/** Every command that makes or cancels an order. The first run of the ledger has created order 1000001. */
const ways: Readonly<Record<string, readonly [words: string, options?: () => RunOptions]>> = {
  "create from flags": [`${flags} --json`],
  "create from a file, as a known duplicate": [
    "orders create --file - --allow-duplicate --json",
    () => ({ stdin: order }),
  ],
  "create at a terminal": ["orders create --file ORDER", atTerminal],
  "create as the last one": ["orders create --repeat --allow-duplicate --json"],
  import: ["orders import FILE --yes --json"],
  "import from stdin": ["orders import - --yes --ndjson", () => ({ stdin: sheet(row("A-1"), row("A-2")) })],
  undo: ["undo 1 --yes --json"],
  cancel: ["orders cancel 1000001 --yes --json"],
  "a raw POST": ["api POST orders --input -", () => ({ stdin: order })],
  "a raw POST, as a known duplicate": [
    "api POST /api/v1/orders --input - --allow-duplicate",
    () => ({ stdin: order }),
  ],
  "a raw DELETE": ["api DELETE orders/1000001"],
};

/** A home that has created order 1000001, whose ledger no process has open. */
async function usedHome(): Promise<ServedHome> {
  const home = await createServedHome();
  await putConfig(home, { accounts: {}, addresses: { shop: { name: "x" } } });
  await chmod(home.configDir, 0o700);
  const first = await home.courier("orders create --sender-name 1 --receiver-name 1 --item-name 1 --json");
  expect(first.exit, first.stderr).toBe(0);
  const kept = path.join(home.directory, "kept.db");
  const copy = await openFile(ledgerPath(home.stateDir));
  copy.exec(`VACUUM INTO '${kept}'`);
  copy.close();
  await rm(home.stateDir, { recursive: true });
  await mkdir(home.stateDir, { mode: 0o700 });
  await cp(kept, ledgerPath(home.stateDir));
  await changeLedger(home.stateDir, "PRAGMA journal_mode = WAL");
  await writeFile(path.join(home.directory, "orders.csv"), sheet(row("A-1"), row("A-2")));
  await writeFile(path.join(home.directory, "order.json"), order);
  return home;
}

async function putReadOnly(file: string): Promise<void> {
  await rm(file, { force: true });
  await writeFile(file, "", { mode: 0o400 });
}

async function openFile(file: string): Promise<Connection> {
  return (await loadDriver()).open(file);
}

async function changeLedger(stateDir: string, sql: string): Promise<void> {
  const connection = await openFile(ledgerPath(stateDir));
  connection.exec(sql);
  connection.close();
}

function inHome(words: string, { directory }: ServedHome): string {
  return words.replace("FILE", `${directory}/orders.csv`).replace("ORDER", `${directory}/order.json`);
}

/** Runs every way, and expects of each what `check` does; nothing that changes an order reaches the service. */
async function expectNothingSent(
  home: ServedHome,
  check: (ran: Ran, way: string) => void,
  {
    env = {},
    prepare = async () => {},
  }: { env?: Record<string, string>; prepare?: () => Promise<unknown> } = {},
): Promise<void> {
  const before = home.sandbox.requests.length;
  for (const [way, [words, options]] of Object.entries(ways)) {
    await prepare();
    const ran = await home.courier(inHome(words, home), { ...options?.(), env: { NO_COLOR: "1", ...env } });
    check(ran, way);
    const sent = home.sandbox.requests.slice(before).filter(({ method }) => method !== "GET");
    expect(sent, way).toEqual([]);
  }
}

const refusedBy =
  (exit: number, told: RegExp, place: string) =>
  ({ exit: found, stdout, stderr }: Ran, way: string) => {
    expect([found, stdout], `${way}: ${stderr}`).toEqual([exit, ""]);
    expect(stderr, way).toMatch(told);
    expect(stderr, way).toContain(place);
    expect(stderr, way).toMatch(/"hint":"|\nhint: /);
    expect(stderr, way).not.toMatch(/made a mistake|internal error|^\s+at /m);
  };

test("the ways are ways: with files that are whole each of them changes an order", async () => {
  for (const [way, [words, options]] of Object.entries(ways)) {
    const home = await usedHome();
    const ran = await home.courier(inHome(words, home), options?.());
    expect(ran.exit, `${way}: ${ran.stderr}`).toBe(0);
    expect(home.sandbox.requests.filter(({ method }) => method !== "GET").length, way).toBeGreaterThan(1);
  }
});

describe("the ledger", () => {
  const damages: Readonly<
    Record<string, readonly [damage: (state: string) => Promise<unknown>, told: RegExp]>
  > = {
    "is a directory": [
      async (state) => {
        await rm(ledgerPath(state));
        await mkdir(ledgerPath(state));
      },
      /the ledger cannot be (used|kept)/,
    ],
    "is no database": [
      (state) => writeFile(ledgerPath(state), "dear diary, ".repeat(500)),
      /it is not an SQLite file, or damaged/,
    ],
    "is emptied": [(state) => truncate(ledgerPath(state), 0), /it is empty/],
    "is cut off": [(state) => truncate(ledgerPath(state), 5_000), /it is damaged/],
    "has damaged pages": [
      async (state) => {
        const bytes = await readFile(ledgerPath(state));
        bytes.fill(0xa5, 4_096);
        await writeFile(ledgerPath(state), bytes);
      },
      /it is damaged/,
    ],
    "is another program's": [
      (state) => changeLedger(state, "PRAGMA application_id = 7"),
      /it is not a courier file/,
    ],
    "is of a later version": [
      (state) => changeLedger(state, `PRAGMA user_version = ${migrations.length + 1}`),
      /it has version \d+, but this courier supports versions up to/,
    ],
    "has a file in the place of its directory": [
      async (state) => {
        await rm(state, { recursive: true });
        await writeFile(state, "");
      },
      /a part of its path is no directory/,
    ],
  };

  test.each(Object.entries(damages))("%s: exit 5, and it is left as it is", async (_what, [damage, told]) => {
    const home = await usedHome();
    await damage(home.stateDir);
    const text = () => readFile(ledgerPath(home.stateDir), "latin1").catch(() => "");
    const before = await text();
    await expectNothingSent(home, refusedBy(5, told, home.stateDir));
    expect((await text()) === before).toBe(true);
  });

  const modes: Readonly<Record<string, readonly [close: (state: string) => Promise<unknown>, told: RegExp]>> =
    {
      "is in a directory that may only be read": [
        (state) => chmod(state, 0o500),
        /permission denied|it cannot be (opened|written to)/,
      ],
      "is in a directory that may not be entered": [(state) => chmod(state, 0), /permission denied/],
      "may only be read": [(state) => chmod(ledgerPath(state), 0o400), /it cannot be written to/],
      "may not be read": [(state) => chmod(ledgerPath(state), 0), /it cannot be opened/],
      "has a lock file that may only be read": [
        (state) => putReadOnly(`${ledgerPath(state)}-shm`),
        /it cannot be (opened|written to)/,
      ],
      "has a log that may only be read": [
        (state) => putReadOnly(`${ledgerPath(state)}-wal`),
        /it cannot be (opened|written to)/,
      ],
    };

  test.each(Object.entries(modes))("%s: exit 5", async (_what, [close, told]) => {
    const home = await usedHome();
    await close(home.stateDir);
    const prepare = () => close(home.stateDir);
    await asUser(await pathsOf(home), () =>
      expectNothingSent(home, refusedBy(5, told, home.stateDir), { prepare }),
    );
  });

  test("is yet to be made in a directory that may only be read: exit 5; 2 where an earlier run is meant", async () => {
    const home = await usedHome();
    await rm(ledgerPath(home.stateDir));
    await chmod(home.stateDir, 0o500);
    await asUser(await pathsOf(home), () =>
      expectNothingSent(home, (ran, way) => {
        if (way === "undo") expect([ran.exit, ran.stdout], way).toEqual([2, ""]);
        else refusedBy(5, /permission denied/, home.stateDir)(ran, way);
      }),
    );
  });

  describe.skipIf(!canMount())("on a disk (needs root)", () => {
    async function onDisk(options: string) {
      const home = await usedHome();
      const disk = await mountDisk(options);
      await cp(ledgerPath(home.stateDir), ledgerPath(disk));
      return { home, disk };
    }

    test("that is full: exit 5", async () => {
      const { home, disk } = await onDisk("size=512k");
      const fill = () => appendFile(path.join(disk, "filler"), Buffer.alloc(512 * 1_024)).catch(() => {});
      await expectNothingSent(home, refusedBy(5, /the disk (is|may be) full/, disk), {
        env: { COURIER_STATE_DIR: disk },
        prepare: fill,
      });
    });

    test("that may only be read: exit 5", async () => {
      const { home, disk } = await onDisk("size=4m");
      execFileSync("mount", ["-o", "remount,ro", disk]);
      await expectNothingSent(home, refusedBy(5, /its disk is read-only/, disk), {
        env: { COURIER_STATE_DIR: disk },
      });
    });
  });
});

describe("the config file", () => {
  const damages: Readonly<
    Record<string, readonly [damage: (home: ServedHome) => Promise<unknown>, told: RegExp]>
  > = {
    "is no JSON": [(home) => putConfig(home, '{"accounts":'), /is not valid JSON/],
    "is of another shape": [(home) => putConfig(home, '{"accounts":[]}'), /is corrupt/],
    "is of a later version": [(home) => putConfig(home, '{"version":99}'), /is of version 99/],
    "is a directory": [
      async (home) => {
        await rm(configPath(home));
        await mkdir(configPath(home));
      },
      /it is a directory/,
    ],
    "may not be read": [(home) => chmod(configPath(home), 0), /permission denied/],
    "is in a directory that may not be entered": [(home) => chmod(home.configDir, 0), /permission denied/],
  };

  test.each(Object.entries(damages))("%s: exit 2", async (_what, [damage, told]) => {
    const home = await usedHome();
    await damage(home);
    await asUser(await pathsOf(home), () => expectNothingSent(home, refusedBy(2, told, configPath(home))));
  });
});

/** What the user of `asUser` has to own. */
async function pathsOf({ directory, configDir, stateDir }: ServedHome): Promise<readonly string[]> {
  const below = async (folder: string) => (await readdir(folder)).map((name) => path.join(folder, name));
  return [
    directory,
    path.join(directory, "orders.csv"),
    path.join(directory, "order.json"),
    configDir,
    stateDir,
    ...(await below(configDir)),
    ...(await below(stateDir)),
  ];
}
