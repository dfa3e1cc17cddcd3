/** Files under parallel and killed runs, and places where none can be. */

import { execFileSync } from "node:child_process";
import { existsSync, watch } from "node:fs";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { row, sheet } from "../support/imports.ts";
import { createProcessHome, createServedProcessHome, untilRead } from "../support/process.ts";
import { canMount } from "../support/small-disk.ts";
import { lacks } from "../support/tools.ts";

const unverified = "login --no-verify --base-url https://service.invalid";
const order = JSON.stringify({ sender: { name: "A" }, receiver: { name: "B" }, item: { name: "C" } });

async function readAccounts(configFile: string): Promise<Record<string, { key?: string }>> {
  return JSON.parse(await readFile(configFile, "utf8")).accounts;
}

describe("parallel runs", () => {
  test("30 logins to different accounts lose none, and leave no temporary file and nothing in the lock file", async () => {
    const { courier, configDir, configFile } = await createProcessHome();
    const names = Array.from({ length: 30 }, (_, index) => `account-${index}`);
    const ended = await Promise.all(
      names.map((name) => courier(`${unverified} --account ${name}`, { stdin: `key-of-${name}` })),
    );
    expect(ended.map(({ exit, stderr }) => (exit === 0 ? 0 : stderr))).toEqual(names.map(() => 0));
    const accounts = await readAccounts(configFile);
    expect(Object.keys(accounts).sort()).toEqual([...names].sort());
    for (const name of names) expect(accounts[name]?.key).toBe(`key-of-${name}`);
    expect((await readdir(configDir)).sort()).toEqual(["config.json", "config.lock.db"]);
    expect((await stat(path.join(configDir, "config.lock.db"))).size).toBe(0);
  });

  test("logins, logouts and changes of one account never leave half a file", async () => {
    const { courier, configDir, configFile } = await createProcessHome();
    await courier(unverified, { stdin: "first-key" });
    const lines = [
      unverified,
      "logout --account default",
      "accounts use sandbox",
      "accounts list --json",
      "accounts use default",
    ];
    const ended = await Promise.all(
      [...lines, ...lines].map((line) => courier(line, { stdin: "second-key" })),
    );
    for (const { exit, stderr } of ended) expect(exit, stderr).toBe(0);
    expect(Object.keys(await readAccounts(configFile))).toEqual(["default"]);
    expect((await readdir(configDir)).sort()).toEqual(["config.json", "config.lock.db"]);
  });

  test("10 different orders, created at once in one sandbox, are 10 orders, and every run sees them", async () => {
    const { courier } = await createProcessHome({ COURIER_ACCOUNT: "sandbox" });
    const ended = await Promise.all(
      Array.from({ length: 10 }, (_, number) =>
        courier(`orders create --file - --json --item-quantity ${number + 1}`, { stdin: order }),
      ),
    );
    for (const { exit, stderr } of ended) expect(exit, stderr).toBe(0);
    const created = ended.map(({ stdout }) => JSON.parse(stdout));
    for (const key of ["id", "order_no", "tracking_number"])
      expect(new Set(created.map((each) => each[key])).size, key).toBe(10);
    const listed = JSON.parse((await courier("orders list --all --json")).stdout);
    expect(new Set(listed.map(({ id }: { id: number }) => id))).toEqual(new Set(created.map(({ id }) => id)));
  });
});

describe("a login that is killed", () => {
  test("at any change of its files leaves a whole config behind", async () => {
    const { start, courier, configDir, configFile } = await createProcessHome();
    expect(await courier(unverified, { stdin: "kept-key" })).toMatchObject({ exit: 0 });
    let killed = 0;
    // On a busy machine, some end before the change is seen.
    for (let runs = 1; killed < 4 && runs <= 30; runs++) {
      const changes = 1 + (runs % 6);
      const running = start(`${unverified} --account a${runs}`, { stdin: `key-of-a${runs}` });
      let seen = 0;
      const watcher = watch(configDir, () => {
        seen += 1;
        if (seen === changes) process.kill(running.pid, "SIGKILL");
      });
      const { signal, exit } = await running.ended;
      watcher.close();
      expect(signal === "SIGKILL" || exit === 0).toBe(true);
      if (signal === "SIGKILL") killed += 1;
      const accounts = await readAccounts(configFile);
      expect(accounts.default?.key).toBe("kept-key");
      for (const [name, { key }] of Object.entries(accounts))
        if (name !== "default") expect(key).toBe(`key-of-${name}`);
      for (const name of await readdir(configDir))
        expect((await stat(path.join(configDir, name))).mode & 0o077, name).toBe(0);
    }
    expect(killed).toBeGreaterThan(2);
    expect(await courier(`${unverified} --account last`, { stdin: "last-key" })).toMatchObject({ exit: 0 });
    expect(await courier("accounts list")).toMatchObject({ exit: 0, stderr: "" });
  });

  test("before it has written anything leaves nothing", async () => {
    const { start, courier, configFile } = await createProcessHome();
    const running = start(unverified, { stdin: { open: true } });
    await untilRead(running);
    process.kill(running.pid, "SIGKILL");
    expect(await running.ended).toMatchObject({ signal: "SIGKILL" });
    expect(existsSync(configFile)).toBe(false);
    expect(await courier("accounts list")).toMatchObject({ exit: 0 });
  });
});

const gone =
  "error: the current directory does not exist any more\n" +
  "hint: change to one that does, then run the same command again\n";

// The standalone executable does not start there: its runtime says so.
const goneForBun = /^error: The current working directory was deleted, .*\n$/;

describe("places where no file can be", () => {
  test.each([
    "orders export -o x.csv",
    "orders import ../orders.csv --check",
    "orders import ../orders.csv --yes",
    "log --import f.csv",
  ])("a current directory that was deleted: %s", async (words) => {
    const { courier, directory, program, sandbox } = await createServedProcessHome();
    await writeFile(path.join(directory, "orders.csv"), sheet(row("A-1")));
    const shell = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
    const { exit, stderr } = await courier(words, { shell });
    expect([exit, stderr]).toEqual(program.length > 1 ? [2, gone] : [1, expect.stringMatching(goneForBun)]);
    expect(sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  const nowhere = { COURIER_CONFIG_DIR: undefined, COURIER_STATE_DIR: undefined };

  test("a home that does not exist yet is made at the first write, and not before", async () => {
    const { courier, directory } = await createProcessHome();
    const home = path.join(directory, "not/yet");
    const env = { ...nowhere, HOME: home };
    expect(await courier("accounts list", { env })).toMatchObject({ exit: 0, stderr: "" });
    expect(existsSync(home)).toBe(false);
    expect(await courier(unverified, { env, stdin: "some-key" })).toMatchObject({ exit: 0 });
    expect((await courier("accounts list --json", { env })).stdout).toContain(home);
  });

  test("a HOME that is longer than a path may be: a clear error", async () => {
    const { courier } = await createProcessHome({ ...nowhere, HOME: "/x".repeat(2_500) });
    const { exit, stderr } = await courier("accounts list");
    // The standalone executable's runtime reads it, and the system refuses it.
    const refusal = /^error: .*(?:\bHOME\b|the name is too long)/;
    expect([exit, stderr], stderr).toEqual([2, expect.stringMatching(refusal)]);
  });

  test("an empty HOME: a clear error, and no key in the present directory", async () => {
    const { courier, directory } = await createProcessHome();
    const cwd = path.join(directory, "work");
    await mkdir(cwd);
    const { exit, stdout, stderr } = await courier(unverified, {
      env: { ...nowhere, HOME: "" },
      cwd,
      stdin: "some-key",
    });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toMatch(/^error: .*\bHOME\b.*\nhint: .*COURIER_CONFIG_DIR/);
    expect(await readdir(cwd)).toEqual([]);
  });

  // The standard: a relative path in one of these variables is invalid, and is to be ignored.
  test("relative XDG directories are ignored (Linux)", async ({ skip }) => {
    skip(process.platform !== "linux", "XDG directories are those of Linux");
    const { courier, directory } = await createProcessHome();
    const cwd = path.join(directory, "work");
    await mkdir(cwd);
    const xdg = { XDG_CONFIG_HOME: "xdg/config", XDG_DATA_HOME: "xdg/data", XDG_STATE_HOME: "xdg/state" };
    const env = { ...nowhere, ...xdg, SHELL: "/bin/bash" };
    const order = "orders create --sender-name a --receiver-name b --item-name c --account sandbox --json";
    for (const line of ["addresses add shop --name x", order])
      expect(await courier(line, { env, cwd })).toMatchObject({ exit: 0 });
    expect(await readdir(cwd)).toEqual([]);
    expect(await readdir(path.join(directory, ".config/courier"))).toContain("config.json");
    expect(await readdir(path.join(directory, ".local/share/courier"))).toContain("ledger.db");
    const { stdout } = await courier("completion bash --install", { env, cwd });
    expect(stdout).toContain("~/.local/share/bash-completion/completions/courier");
    expect(await readdir(cwd)).toEqual([]);
  });

  test.skipIf(process.getuid?.() !== 0 || lacks("setpriv"))(
    "a user that the system does not know, without HOME: a clear error, and work where both directories are named (needs root and setpriv)",
    async () => {
      const home = await createProcessHome({ HOME: undefined });
      await chmod(home.directory, 0o755);
      const unknownUser = ["setpriv", "--reuid", "4242", "--regid", "4242", "--clear-groups", "--"];
      const list = [...unknownUser, ...home.program, "accounts", "list", "--json"];
      const ran = await home.run(list, { env: nowhere });
      expect([ran.exit, ran.stdout], ran.stderr).toEqual([2, ""]);
      expect(JSON.parse(ran.stderr).error.message).toContain("HOME is not an absolute path");
      for (const directory of [home.configDir, home.stateDir]) await mkdir(directory, { recursive: true });
      for (const directory of [home.configDir, home.stateDir]) await chown(directory, 4242, 4242);
      const listed = await home.run(list);
      expect([listed.exit, JSON.parse(listed.stdout)], listed.stderr).toMatchObject([
        0,
        [{ account: "sandbox" }],
      ]);
    },
  );

  test("HOME does not matter where both directories are named", async () => {
    const { courier } = await createProcessHome({ HOME: "" });
    expect(await courier(unverified, { stdin: "some-key" })).toMatchObject({ exit: 0 });
    expect(await courier("accounts list")).toMatchObject({ exit: 0, stderr: "" });
  });

  // Whoever may write everywhere cannot make a directory below a file either.
  test.each([
    ["login", unverified],
    ["logout", "logout --account shop"],
    ["accounts list", "accounts list"],
    ["profile", "profile"],
  ])("a config directory that cannot be: %s fails clearly, exit 2", async (_what, line) => {
    const { courier, directory } = await createProcessHome();
    await writeFile(path.join(directory, "file"), "in the way");
    const config = path.join(directory, "file/config");
    const { exit, stdout, stderr } = await courier(line, {
      env: { COURIER_CONFIG_DIR: config },
      stdin: "some-key",
    });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toMatch(/^(The key[^\n]*\n)?error: .*a part of its path is no directory/);
    expect(stderr).toContain(config);
    expect(await readFile(path.join(directory, "file"), "utf8")).toBe("in the way");
  });

  test("a state directory that cannot be never hides what became of a real order", async () => {
    const { sandbox, courier, directory } = await createServedProcessHome({ seedOrders: 3 });
    await writeFile(path.join(directory, "file"), "in the way");
    const env = { COURIER_STATE_DIR: path.join(directory, "file/state") };
    expect(await courier("profile", { env })).toMatchObject({ exit: 0 });
    expect(await courier("orders list --json", { env })).toMatchObject({ exit: 0 });
    const { exit } = await courier("orders create --file - --json", { env, stdin: order });
    const posts = sandbox.requests.filter(({ method }) => method === "POST");
    expect([exit, posts.length], "nothing is sent that cannot be recorded").toEqual([5, 0]);
  });

  test.each([
    ["orders list", 2],
    ["orders create --file -", 5],
    ["sandbox reset --yes", 2],
  ])(
    "a sandbox that has nowhere to keep its orders: %s fails clearly, exit %i, with no order in doubt",
    async (line, expected) => {
      const { courier, directory } = await createProcessHome({ COURIER_ACCOUNT: "sandbox" });
      await writeFile(path.join(directory, "file"), "in the way");
      const env = { COURIER_STATE_DIR: path.join(directory, "file/state") };
      const { exit, stdout, stderr } = await courier(line, { env, stdin: order });
      expect(stdout).toBe("");
      expect(stderr).toContain(path.join(directory, "file/state"));
      expect(exit, stderr).toBe(expected);
    },
  );

  // Node's own way to make directories never comes to an end there.
  test.each([
    ["accounts use sandbox", 2, "COURIER_CONFIG_DIR"],
    ["login --no-verify --base-url https://service.invalid", 2, "COURIER_CONFIG_DIR"],
    ["orders create --file - --account sandbox", 5, "COURIER_STATE_DIR"],
    ["orders list --account sandbox", 2, "COURIER_STATE_DIR"],
  ])(
    "a directory that the system never makes (needs /proc): %s says so, exit %i",
    async (line, expected, name) => {
      const place = process.platform === "linux" ? "/proc/courier/place" : "/dev/null/courier";
      const { courier } = await createProcessHome();
      const { exit, stdout, stderr } = await courier(line, { env: { [name]: place }, stdin: order });
      expect({ exit, stdout }).toEqual({ exit: expected, stdout: "" });
      expect(stderr).toMatch(/error: the .* cannot (be kept|keep its orders) (in|at) \/(proc|dev)\/.*\n/);
      expect(stderr).toContain(name);
    },
  );

  test("with a state directory that the system never makes no order is sent", async () => {
    const { courier, sandbox } = await createServedProcessHome();
    const env = { COURIER_STATE_DIR: process.platform === "linux" ? "/proc/courier" : "/dev/null/courier" };
    const { exit, stdout, stderr } = await courier("orders create --file - --json", { env, stdin: order });
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
    expect(JSON.parse(stderr).error.message).toMatch(/^the ledger cannot be kept at /);
    expect(sandbox.requests).toEqual([]);
  });

  const isRoot = process.getuid?.() === 0;
  /** Without the right of root to write everywhere. */
  const shell = isRoot
    ? 'exec setpriv --bounding-set=-dac_override --inh-caps=-dac_override "$@"'
    : 'exec "$@"';

  test("a lock that may only be read stops an import that saves its columns (needs setpriv where root runs it)", async ({
    skip,
  }) => {
    skip(isRoot && lacks("setpriv"), "root may write everywhere");
    const { courier, sandbox, configDir } = await createServedProcessHome();
    await mkdir(configDir, { mode: 0o700 });
    const lock = path.join(configDir, "config.lock.db");
    await writeFile(lock, "", { mode: 0o400 });
    const words = "orders import - --yes --map to=receiver.name --save-map shop";
    const stdin = "sender.name,to,item.name\nA,B,C\n";
    const { exit, stdout, stderr } = await courier(words, { shell, stdin });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toMatch(
      /error: cannot lock the config file .*: permission denied: .*\nhint: .*check the permissions/,
    );
    expect(stderr).toContain(lock);
    expect(sandbox.requests).toEqual([]);
  });

  test("a file whose group cannot be kept gives its rights to no other group (needs root, and setpriv)", async ({
    skip,
  }) => {
    skip(!isRoot || lacks("setpriv"), "only root may give a file to a group that it is not in");
    const { courier, directory } = await createServedProcessHome();
    const output = path.join(directory, "all.csv");
    for (const [mode, expected] of [
      [0o660, 0o600],
      [0o664, 0o644],
      [0o604, 0o600],
    ] as const) {
      await writeFile(output, "");
      await chown(output, 0, 4_242);
      await chmod(output, mode);
      const shell = 'exec setpriv --bounding-set=-chown --inh-caps=-chown "$@"';
      expect((await courier(`orders export -o ${output}`, { shell })).exit).toBe(0);
      const { gid, mode: now } = await stat(output);
      expect([gid, (now & 0o777).toString(8)]).toEqual([process.getgid?.(), expected.toString(8)]);
    }
  });

  describe.skipIf(!isRoot || lacks("setpriv", "setfacl", "getfacl"))(
    "a file whose owner or group cannot be kept, with an access list (needs root, setpriv and acl)",
    () => {
      const [writer, team, other, third] = [4_242, 4_243, 4_244, 4_245];
      const as = ["setpriv", "--reuid", `${writer}`, "--regid", `${writer}`, "--groups", `${team}`, "--"];

      /** A sheet in a directory of the writer, who has shipped its order. */
      async function createForeignFile(owner: number, mode: number, ...entries: readonly string[]) {
        const home = await createServedProcessHome();
        const place = path.join(home.directory, "place");
        const file = path.join(place, "y.csv");
        for (const made of [place, home.configDir, home.stateDir]) {
          await mkdir(made);
          await chown(made, writer, writer);
        }
        await chmod(home.directory, 0o755);
        const sent = path.join(home.directory, "sent.csv");
        for (const each of [file, sent]) await writeFile(each, sheet(row("A-1")));
        const asWriter = (...words: readonly string[]) => home.run([...as, ...home.program, ...words]);
        expect(await asWriter("orders", "import", sent, "--yes")).toMatchObject({ exit: 0 });
        await chown(file, owner, other);
        await chmod(file, mode);
        for (const entry of entries) execFileSync("setfacl", ["-m", entry, file]);
        const writeBack = (before: readonly string[] = []) =>
          home.run([...before, ...as, ...home.program, "orders", "write-back", file, "--in-place"]);
        const exportTo = () => asWriter("orders", "export", "-o", file);
        return { file, writeBack, exportTo };
      }

      const getList = (file: string) =>
        execFileSync("getfacl", ["-c", "-E", "-n", "-p", file]).toString().trim().split("\n");

      test("of another user, who keeps the rights of an owner", async () => {
        const { file, writeBack } = await createForeignFile(other, 0o600, `u:${writer}:rw`);
        expect(await writeBack()).toMatchObject({ exit: 0, stderr: expect.not.stringContaining("warning") });
        expect((await stat(file)).uid).toBe(writer);
        expect(getList(file)).toEqual([
          "user::rw-",
          `user:${writer}:rw-`,
          `user:${other}:rw-`,
          "group::---",
          "mask::rw-",
          "other::---",
        ]);
      });

      test("of this user's own: named people keep their rights, and another group gets none", async () => {
        const entries = [`u:${third}:rwx`, `g:${team}:rw`, "m::rw"];
        const { file, writeBack } = await createForeignFile(writer, 0o640, ...entries);
        expect(await writeBack()).toMatchObject({ exit: 0, stderr: expect.not.stringContaining("warning") });
        expect((await stat(file)).gid).toBe(writer);
        expect(getList(file)).toEqual([
          "user::rw-",
          `user:${third}:rw-`,
          "group::---",
          `group:${team}:rw-`,
          `group:${other}:r--`,
          "mask::rw-",
          "other::---",
        ]);
      });

      // The system lets no one link to the file of another user that he may not write.
      test("of another user, that may only be read: nor does its copy give rights to another group", async () => {
        const { file, writeBack } = await createForeignFile(other, 0o600, `u:${writer}:r`);
        expect(await writeBack()).toMatchObject({ exit: 0, stderr: expect.not.stringContaining("warning") });
        for (const each of [file, `${file}.bak`])
          expect(getList(each)).toEqual(expect.arrayContaining(["group::---", "other::---"]));
        expect(await readFile(`${file}.bak`, "utf8")).toBe(sheet(row("A-1")));
      });

      test("without a list, of another user, who is not locked out", async () => {
        const { file, exportTo } = await createForeignFile(other, 0o600);
        await writeFile(file, "");
        expect(await exportTo()).toMatchObject({ exit: 0 });
        expect(getList(file)).toContain(`user:${other}:rw-`);
        expect((await stat(file)).mode & 0o007).toBe(0);
      });

      test("without a list, of another user, that all may read: no list is made", async () => {
        const { file, exportTo } = await createForeignFile(other, 0o444);
        expect(await exportTo()).toMatchObject({ exit: 0 });
        expect(getList(file)).toEqual(["user::r--", "group::r--", "other::r--"]);
      });

      test.skipIf(!canMount())("on a machine without these tools: warnings say who lost what", async () => {
        const { file, writeBack } = await createForeignFile(other, 0o600, `u:${writer}:rw`, `u:${third}:r`);
        const hide = "for tool in getfacl setfacl; do mount --bind /bin/false $(which $tool); done";
        const { exit, stderr } = await writeBack(["unshare", "-m", "sh", "-c", `${hide}; exec "$@"`, "sh"]);
        expect(exit, stderr).toBe(0);
        expect(stderr).toContain(
          `warning: ${file} belongs to this user now, and its former owner ${other} may no longer read it, ` +
            `since only root may give a file away; as root, run: chown ${other} ${file}\n`,
        );
        expect(stderr).toContain(
          `warning: ${file} has lost its access list, so that people whom it named may no longer read it; ` +
            "name them again with setfacl, which is in the package acl\n",
        );
        expect(getList(file)).toEqual(["user::rw-", "group::---", "other::---"]);
      });
    },
  );

  test("a directory that may only be read (needs setpriv where root runs it)", async ({ skip }) => {
    skip(isRoot && lacks("setpriv"), "root may write everywhere");
    const { courier, directory } = await createProcessHome();
    const place = path.join(directory, "read-only");
    await mkdir(place, { mode: 0o555 });
    const env = { COURIER_CONFIG_DIR: place, COURIER_STATE_DIR: place };
    for (const line of ["accounts use sandbox", "addresses add li --name x"]) {
      const { exit, stderr } = await courier(line, { env, shell });
      expect(exit).toBe(2);
      expect(stderr).toContain(
        `the config file cannot be kept in ${place}: permission denied\n` +
          "hint: choose another place with COURIER_CONFIG_DIR\n",
      );
    }
    const { exit, stderr } = await courier("orders create --file - --account sandbox", {
      env,
      shell,
      stdin: order,
    });
    expect(exit).toBe(5);
    expect(stderr).toContain(
      `the ledger cannot be kept at ${place}/ledger.db: permission denied\n` +
        `hint: let your user write in ${place}, or choose another place with COURIER_STATE_DIR; a new ledger`,
    );
  });

  test("directories that do not exist in one that may only be read: the hint names the one that does (needs setpriv where root runs it)", async ({
    skip,
  }) => {
    skip(isRoot && lacks("setpriv"), "root may write everywhere");
    const { courier, directory } = await createServedProcessHome();
    const place = path.join(directory, "read-only");
    await mkdir(place, { mode: 0o555 });
    for (const [line, state, end] of [
      ["orders create --file -", path.join(place, "courier", "state"), ", or choose"],
      ["sync", place, "\n"],
    ] as const) {
      const { exit, stderr } = await courier(line, {
        env: { COURIER_STATE_DIR: state },
        shell,
        stdin: order,
      });
      expect(exit).toBe(5);
      expect(stderr).toContain(`permission denied\nhint: let your user write in ${place}${end}`);
    }
  });

  test("a ledger in a directory that may only be read: no hint leads to an empty one (needs setpriv where root runs it)", async ({
    skip,
  }) => {
    skip(isRoot && lacks("setpriv"), "root may write everywhere");
    const { courier, sandbox, stateDir } = await createServedProcessHome();
    expect(await courier("orders create --file -", { stdin: order })).toMatchObject({ exit: 0 });
    await chmod(stateDir, 0o555);
    onTestFinished(() => chmod(stateDir, 0o700));
    const unusable =
      `the ledger cannot be used: permission denied in its directory: ${stateDir}/ledger.db\n` +
      `hint: let your user write in ${stateDir}: SQLite writes beside a file that it reads, too\n`;
    for (const line of ["log", "undo 1 --yes", "orders create --file - --allow-duplicate"]) {
      const { exit, stdout, stderr } = await courier(line, { shell, stdin: order });
      expect({ exit, stdout, stderr }).toEqual({ exit: 5, stdout: "", stderr: `error: ${unusable}` });
    }
    expect(sandbox.requests.filter(({ method }) => method !== "GET")).toHaveLength(1);
    for (const line of ["orders list", "orders show 1000001", "profile"])
      expect(await courier(line, { shell })).toMatchObject({ exit: 0, stderr: "" });
  });

  test("a ledger that could only be read, and may be written again: the error names the files beside it (needs setpriv where root runs it)", async ({
    skip,
  }) => {
    skip(isRoot && lacks("setpriv"), "root may write everywhere");
    const { courier, sandbox, stateDir } = await createServedProcessHome();
    const ledger = path.join(stateDir, "ledger.db");
    const create = () => courier("orders create --file - --allow-duplicate", { shell, stdin: order });
    expect(await create()).toMatchObject({ exit: 0 });
    await chmod(ledger, 0o400);
    expect(await courier("log", { shell })).toMatchObject({ exit: 0, stderr: "" });
    await chmod(ledger, 0o600);
    expect(await create()).toEqual({
      exit: 5,
      signal: null,
      stdout: "",
      stderr:
        `error: the ledger cannot be used: it cannot be written to: ${ledger}\n` +
        "hint: let your user write to it, to its -wal and -shm files, and in its directory\n",
    });
    expect(sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    for (const name of ["ledger.db-wal", "ledger.db-shm"]) await chmod(path.join(stateDir, name), 0o600);
    expect(await create()).toMatchObject({ exit: 0 });
  });

  test.each([
    ...["", "--json", "--ndjson", "--csv", "--all --ndjson"].map((form) => `orders list ${form}`),
    ...["--version", "--help", "orders list --help", "completion bash", "schema order", "api GET /profile"],
  ])("a result that cannot be written is exit 5, and why: %s (needs /dev/full)", async (line) => {
    const { courier } = await createServedProcessHome({ seedOrders: 3 });
    const ended = await courier(line, { shell: 'exec "$@" > /dev/full' });
    expect(ended.exit, ended.stderr).toBe(5);
    expect(ended.stderr).toContain("the result cannot be written: the disk is full");
    expect(ended.stderr).not.toMatch(/mistake|^\s+at /m);
  });

  const onlyRead = "no order was made or cancelled: run the same command again once it can be written";

  test("a file that cannot be written to its end is exit 5, and why (needs /dev/full)", async () => {
    const { courier } = await createServedProcessHome({ seedOrders: 3 });
    const ended = await courier("orders export --output /dev/full --csv");
    expect(ended).toMatchObject({ exit: 5, stdout: "" });
    expect(ended.stderr).toContain("/dev/full cannot be written: the disk is full");
    expect(ended.stderr).toContain(onlyRead);
  });

  test("what to do about it fits what the command does (needs /dev/full)", async () => {
    const { courier } = await createServedProcessHome({ seedOrders: 3 });
    const shell = 'exec "$@" > /dev/full';
    for (const line of ["orders list", "orders export", "--help", "api GET /user/profile"])
      expect((await courier(line, { shell })).stderr).toContain(onlyRead);
    expect((await courier("addresses add li --name x")).exit).toBe(0);
    expect((await courier("addresses remove li --yes", { shell })).stderr).toContain(
      "no order was made or cancelled: what it changes on this machine, such as a removal, is done; else run",
    );
    for (const line of ["orders cancel 3 --yes", "api DELETE /orders/2"])
      expect((await courier(line, { shell })).stderr).toContain(
        "before you run it again, see what was done: courier log",
      );
  });

  test("a cancel says where it did not reach all orders (needs /dev/full)", async () => {
    const { courier, sandbox } = await createServedProcessHome();
    const file = Array.from({ length: 20 }, (_, index) => row(`A-${index}`));
    expect((await courier("orders import - --yes", { stdin: sheet(...file) })).exit).toBe(0);
    const cancels = () => sandbox.requests.filter(({ method }) => method === "DELETE").length;
    const shell = 'exec "$@" > /dev/full';
    const goesOn = "the same command again cancels the orders that were not reached";
    const words = "orders cancel --status pending --yes --ndjson";
    const first = await courier(words, { shell });
    expect([first.exit, cancels() < 20, first.stderr.includes(goesOn)], first.stderr).toEqual([
      5,
      true,
      true,
    ]);
    expect((await courier(words)).exit).toBe(0);
    expect(cancels()).toBe(20);
    const undone = await courier("undo 1 --yes --json", { shell });
    expect(undone.exit).toBe(5);
    expect(undone.stderr).not.toContain("it continues where it stopped");
  });
});

test("with room for few open files a run ends in plain words, and ships nothing twice", async () => {
  const home = await createServedProcessHome();
  const file = path.join(home.directory, "orders.csv");
  const words = ["orders", "import", file, "--yes", "--in-place"];
  const said = new Set<string>();
  const limits = Array.from({ length: 13 }, (_, index) => 20 + index);
  const posts = () => home.sandbox.requests.filter(({ method }) => method === "POST");
  for (const limit of limits) {
    await writeFile(file, sheet(row(`A-${limit}`)));
    const before = posts().length;
    const ran = await home.courier(words, { shell: `ulimit -n ${limit}; exec "$@"` });
    if (ran.exit === 0) continue;
    expect(ran.stderr).not.toContain("internal error");
    expect([2, 5], ran.stderr).toContain(ran.exit);
    said.add(ran.stderr);
    if (posts().length > before && !(await readFile(file, "utf8")).includes("Courier tracking number"))
      expect(ran.stderr).toMatch(/the sheet was not written back: .*too many files are open/);
    expect(await home.courier(words)).toMatchObject({ exit: 0 });
  }
  // The executable is one file: it ran in full at each of these limits.
  if (!process.env.COURIER_BIN) expect([...said].join("\n")).toContain("too many files are open");
  expect(posts()).toHaveLength(limits.length);
});

test("where SQLite, the network or a config file meets the limit of open files, the error says so", async () => {
  const home = await createServedProcessHome();
  const create = "orders create --sender-name A --receiver-name B --item-name C --allow-duplicate";
  const login = `login --base-url ${home.sandbox.baseUrl}`;
  const env = { COURIER_API_KEY: undefined, COURIER_BASE_URL: undefined };
  expect(await home.courier(login, { env, stdin: home.sandbox.apiKey })).toMatchObject({ exit: 0 });
  expect(await home.courier(create, { env })).toMatchObject({ exit: 0 });
  let failed = 0;
  for (let limit = 20; limit < 26; limit++) {
    for (const words of [create, "log", "doctor", "accounts use default"]) {
      const ran = await home.courier(words, { env, shell: `ulimit -n ${limit}; exec "$@"` });
      if (ran.exit === 0) continue;
      failed += 1;
      const said = `${ran.stdout}${ran.stderr}`;
      expect(said, `${words} with ${limit}`).toContain("too many files are open");
      expect(said).toContain("more may be open after: ulimit -n 1024");
      expect(said).not.toMatch(/let your user|COURIER_\w+_DIR|permissions|network|missing|internal error/);
    }
  }
  // The executable is one file, and needs fewer.
  if (!process.env.COURIER_BIN) expect(failed).toBeGreaterThan(5);
});

test("where a limit on file sizes is met, the error says so, and how to allow more", async () => {
  const home = await createServedProcessHome();
  const [file, config] = [path.join(home.directory, "orders.csv"), home.configFile];
  await writeFile(file, sheet(...Array.from({ length: 3_000 }, (_, index) => row(`A-${index}`))));
  await mkdir(path.dirname(config));
  const addresses = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`a${index}`, { name: `名${index}` }]),
  );
  await writeFile(config, JSON.stringify({ version: 1, addresses }));
  const create = "orders create --sender-name A --receiver-name B --item-name C --allow-duplicate";
  const lines = [create, "log", "addresses add zhang --name 张三", `orders import ${file} --yes`];
  const ignoreSignal = "trap '' XFSZ"; // as Node.js does by itself
  const kinds = new Set<string>();
  // Blocks of 512 bytes.
  for (const limit of [0, 2, 32, 400])
    for (const words of lines) {
      const ran = await home.courier(words, { shell: `${ignoreSignal}; ulimit -f ${limit}; exec "$@"` });
      if (ran.exit === 0) continue;
      expect([5, 6], `${words} with ${limit}: ${ran.stderr}`).toContain(ran.exit);
      expect(ran.stderr, `${words} with ${limit}`).toContain(
        "the limit on file sizes is reached (ulimit -f)",
      );
      expect(ran.stderr).toMatch(
        /^hint: allow larger files: ulimit -f unlimited, then run the same command again/m,
      );
      expect(ran.stderr).not.toMatch(/disk|let your user|internal error/);
      kinds.add(words);
    }
  expect(kinds).toEqual(new Set(lines));
  expect(await readdir(home.stateDir)).not.toContainEqual(expect.stringContaining(".part-"));
});

test.each([
  ["orders export -o a.json", "--output"],
  ["report spend --html a.json --json", "--html"],
])(
  "a file that the shell has opened for stdout is not written over: courier %s > a.json",
  async (words, flag) => {
    const home = await createServedProcessHome({ seedOrders: 2 });
    const { exit, stderr } = await home.courier(words, { shell: 'exec "$@" > a.json' });
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`${flag} a.json is the same file as stdout`)]);
  },
);

test("a link to nothing stays one: what it names is written", async () => {
  const home = await createServedProcessHome({ seedOrders: 2 });
  await symlink("real.csv", path.join(home.directory, "link.csv"));
  expect(await home.courier("orders export -o link.csv")).toMatchObject({ exit: 0 });
  expect((await lstat(path.join(home.directory, "link.csv"))).isSymbolicLink()).toBe(true);
  expect((await readFile(path.join(home.directory, "real.csv"), "utf8")).split("\n").length).toBeGreaterThan(
    2,
  );
  await symlink("missing/real.csv", path.join(home.directory, "away.csv"));
  const { exit, stderr } = await home.courier("orders export -o away.csv");
  expect([exit, stderr]).toEqual([2, expect.stringContaining("there is no such directory")]);
});

describe("a path that the system and a reader take for two files", () => {
  const content = sheet(row("A-1"));

  async function createHome() {
    const home = await createServedProcessHome({ seedOrders: 2 });
    const at = (name: string) => path.join(home.directory, name);
    await mkdir(at("real/deep"), { recursive: true });
    await symlink("real/deep", at("link"));
    for (const name of ["in.csv", "real/in.csv"]) await writeFile(at(name), content);
    return { ...home, at };
  }

  test.each([
    "missing/../in.csv",
    "in.csv/",
    "in.csv/.",
    "in.csv/x/..",
    "link/../in.csv",
    "in.csv/../in.csv",
  ])("%s is neither read nor written", async (name) => {
    const home = await createHome();
    const commands = [
      `orders import in.csv --yes --write-back ${name}`,
      `orders import in.csv --yes --rejects ${name}`,
      `orders write-back in.csv -o ${name}`,
      `orders export -o ${name}`,
      `report spend --html ${name}`,
      `orders import ${name} --yes`,
      `orders import ${name} --yes --in-place`,
    ];
    for (const words of commands) {
      const { exit, stderr } = await home.courier(words);
      expect([exit, stderr], words).toEqual([
        2,
        expect.stringMatching(
          /names a directory, and not a file|has \.\. behind a link, or behind what|a part of its path is no directory/,
        ),
      ]);
    }
    expect(home.sandbox.requests.filter(({ method }) => method === "POST")).toEqual([]);
    for (const each of ["in.csv", "real/in.csv"]) expect(await readFile(home.at(each), "utf8")).toBe(content);
    expect((await readdir(home.directory)).filter((each) => each.startsWith("in.csv"))).toEqual(["in.csv"]);
  });

  test("courier's own files are not written over on such a way either", async () => {
    const home = await createHome();
    expect(await home.courier("orders import in.csv --yes")).toMatchObject({ exit: 0 });
    const ledger = path.join(home.stateDir, "ledger.db");
    for (const name of [`${home.stateDir}/x/../ledger.db`, `${ledger}/`, ledger])
      expect((await home.courier(`orders export -o ${name}`)).exit, name).toBe(2);
    expect(await home.courier("log")).toMatchObject({ exit: 0 });
  });

  test("an ordinary .. is none", async () => {
    const home = await createHome();
    expect(
      await home.courier("orders import real/../in.csv --yes --write-back real/deep/../out.csv"),
    ).toMatchObject({ exit: 0 });
    expect(await readFile(home.at("real/out.csv"), "utf8")).toContain("A-1");
  });
});

test("slips of a list do not take its place", async () => {
  const home = await createServedProcessHome({ seedOrders: 2 });
  const list = path.join(home.directory, "pick.txt");
  const { stdout } = await home.courier("orders list --json");
  const before = `${JSON.parse(stdout)[0].id}\n`;
  await writeFile(list, before);
  const { exit, stderr } = await home.courier("orders slips - -o pick.txt", {
    shell: 'exec "$@" < pick.txt',
  });
  expect([exit, stderr]).toEqual([2, expect.stringContaining("is the same file as stdin")]);
  expect(await readFile(list, "utf8")).toBe(before);
});

test.each([
  "orders export -o loop.csv",
  "orders import in.csv --yes --write-back loop.csv",
  "orders import in.csv --yes --rejects loop.csv",
])("links in a circle are not written over: %s", async (words) => {
  const home = await createServedProcessHome({ seedOrders: 2 });
  const link = path.join(home.directory, "loop.csv");
  await symlink("loop.csv", link);
  await writeFile(path.join(home.directory, "in.csv"), "sender.name,receiver.name,item.name\nA,B,C\n");
  const { exit, stderr } = await home.courier(words);
  expect([exit, stderr]).toEqual([2, expect.stringContaining("its links lead in a circle")]);
  expect(await readlink(link)).toBe("loop.csv");
  expect(home.sandbox.requests.filter(({ method }) => method === "POST")).toEqual([]);
});
