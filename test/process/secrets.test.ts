/** Where a key may be seen: in its file, for its owner alone, and nowhere else. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { linesOfEveryCommand } from "../support/every-command.ts";
import { echo, expectNoKey, filesBelow, marker } from "../support/marker.ts";
import { createServedProcessHome, type ServedProcessHome, until } from "../support/process.ts";
import { startSilentBus } from "../support/secret-service.ts";
import { lacks } from "../support/tools.ts";

const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);

/** A sandbox that takes the marker as its key, and an environment that does not give it away. */
async function createMarkedHome(): Promise<ServedProcessHome & { login(): string }> {
  const home = await createServedProcessHome({ apiKey: marker, seedOrders: 3 });
  return { ...home, login: () => `login --base-url ${home.sandbox.baseUrl}` };
}

const noKey = { COURIER_API_KEY: undefined, COURIER_BASE_URL: undefined };

test.each(["022", "000", "077"])(
  "login makes a file of mode 600 in a directory of mode 700, umask %s",
  async (umask) => {
    const { courier, login, configDir, configFile } = await createMarkedHome();
    const shell = `umask ${umask}; exec "$@"`;
    expect(await courier(login(), { shell, env: noKey, stdin: `${marker}\n` })).toMatchObject({ exit: 0 });
    expect([await modeOf(configDir), await modeOf(configFile)]).toEqual(["700", "600"]);
    expect((await readdir(configDir)).sort()).toEqual(["config.json", "config.lock.db"]);

    await chmod(configFile, 0o644);
    const again = `${login()} --account other`;
    expect(await courier(again, { shell, env: noKey, stdin: marker })).toMatchObject({ exit: 0 });
    expect(await modeOf(configFile), "mended at the next write").toBe("600");
  },
);

test("login makes every missing directory for its owner alone", async () => {
  const { courier, login, directory } = await createMarkedHome();
  const env = { ...noKey, COURIER_CONFIG_DIR: path.join(directory, "a/b/c") };
  expect(await courier(login(), { shell: 'umask 000; exec "$@"', env, stdin: marker })).toMatchObject({
    exit: 0,
  });
  for (const below of ["a", "a/b", "a/b/c"]) expect(await modeOf(path.join(directory, below))).toBe("700");
});

describe("the key in no argument list", () => {
  const hasProc = existsSync("/proc/self/cmdline");

  test.skipIf(!hasProc || lacks("ps"))(
    "not while a login asks the service, nor in a child (needs /proc and ps)",
    async () => {
      const { sandbox, start, login } = await createMarkedHome();
      sandbox.faults.add({ kind: "stall" });
      const running = start(login(), { env: noKey, stdin: marker });
      await until("asked", () => sandbox.requests.length > 0);
      expect(sandbox.requests[0]?.headers.authorization).toBe(`Bearer ${marker}`);
      const commandLine = await readFile(`/proc/${running.pid}/cmdline`, "latin1");
      expect(commandLine).toContain("login");
      expectNoKey(commandLine, "cmdline");
      expectNoKey(await readFile(`/proc/${running.pid}/environ`, "latin1"), "environ");
      expect(await readFile(`/proc/${running.pid}/task/${running.pid}/children`, "utf8")).toBe("");
      const listed = execFileSync("ps", ["-ww", "-eo", "args"], { encoding: "utf8" });
      expect(listed).toContain(sandbox.baseUrl);
      expectNoKey(listed, "ps");
      process.kill(running.pid, "SIGTERM");
      expect(await running.ended).toMatchObject({ exit: 143 });
    },
  );

  test.skipIf(!hasProc)("nor while any command waits for the service (needs /proc)", async () => {
    const { sandbox, courier, start, login, directory } = await createMarkedHome();
    expect(await courier(`${login()} --account shop`, { env: noKey, stdin: marker })).toMatchObject({
      exit: 0,
    });
    sandbox.faults.add({ kind: "stall" });
    const at = { baseUrl: sandbox.baseUrl, apiKey: marker, id: "1", trackingNumber: "T1", run: 1, directory };
    const lines = [...linesOfEveryCommand(at).values()].map(([first]) => first);
    let asked = 0;
    for (const { words, stdin = "", isEndless } of lines.filter((each) => each !== undefined)) {
      const before = sandbox.requests.length;
      const running = start(words, { env: noKey, stdin });
      let isOver = Boolean(isEndless);
      running.ended.finally(() => {
        isOver = true;
      });
      await until("asked, or over", () => isOver || sandbox.requests.length > before);
      if (sandbox.requests.length > before) {
        asked += 1;
        for (const file of ["cmdline", "environ"])
          expectNoKey(await readFile(`/proc/${running.pid}/${file}`, "latin1"), `${words.join(" ")} ${file}`);
      }
      if (!isOver || isEndless) process.kill(running.pid, "SIGTERM");
      await running.ended;
    }
    expect(asked, "commands that call the service").toBeGreaterThan(7);
  });

  test.skipIf(!hasProc)("nor in what is started to ask a key ring, or a command (needs /proc)", async () => {
    const { sandbox, start, directory } = await createMarkedHome();
    const base = ["login", "--account", "shop", "--base-url", sandbox.baseUrl];
    const script = path.join(directory, "waiting.mjs");
    await writeFile(script, "setTimeout(() => {}, 60_000);");
    const silentBus = await startSilentBus();
    for (const more of [
      ["--key-store", "keychain"],
      ["--key-command", `'${process.execPath}' '${script}'`],
    ]) {
      const env = { COURIER_API_KEY: marker, ...silentBus };
      const running = start([...base, ...more], { env, stdin: marker });
      const listed = `/proc/${running.pid}/task/${running.pid}/children`;
      let children = "";
      await until("a child", async () => {
        children = (await readFile(listed, "utf8")).trim();
        return children !== "" && !(await readFile(`/proc/${children}/cmdline`, "latin1")).includes("login");
      });
      for (const file of ["cmdline", "environ"])
        expectNoKey(await readFile(`/proc/${children}/${file}`, "latin1"), `${more[0]} ${file}`);
      process.kill(running.pid, "SIGTERM");
      expect(await running.ended).toMatchObject({ exit: 143 });
      await until("the child ended", () => !existsSync(`/proc/${children}`));
    }
  });

  test.each([["--api-key", marker], ["--key", marker], [`--api-key=${marker}`], ["--token", marker]])(
    "an attempt to give it there is refused, with a hint, and not repeated: %s",
    async (...words) => {
      const { courier, login, sandbox, configFile } = await createMarkedHome();
      const ended = await courier([...login().split(" "), ...words], { env: noKey });
      expect(ended).toMatchObject({ exit: 2, stdout: "" });
      expect(ended.stderr).toMatch(/stdin|< key\.txt|COURIER_API_KEY/);
      expectNoKey(ended.stderr, "stderr");
      expect(sandbox.requests).toHaveLength(0);
      expect(existsSync(configFile)).toBe(false);
    },
  );
});

test("the key in no output and no file but config.json, whatever is done", async () => {
  const home = await createMarkedHome();
  const { sandbox, courier, login, configFile } = home;
  const outputs: string[] = [];
  const run = async (
    words: string,
    exit: number,
    stdin = "",
    env: Record<string, string | undefined> = noKey,
  ) => {
    const ended = await courier(words, { env, stdin });
    expect(ended.exit, words + ended.stderr).toBe(exit);
    outputs.push(`${words}\n${ended.stdout}${ended.stderr}`);
  };
  const order = JSON.stringify({ sender: { name: "A" }, receiver: { name: "B" }, item: { name: "C" } });

  await run(`${login()} --debug`, 0, marker);
  for (const flags of ["--debug", "--debug --json"]) {
    await run(`profile ${flags}`, 0);
    await run(`orders create --file - --allow-duplicate ${flags}`, 0, order);
    await run(`orders show 404 ${flags}`, 1);
  }
  await run("accounts list --debug", 0);
  await run("profile --debug", 0, "", {}); // from the environment

  // A service that repeats what it was sent, in every way that it can.
  for (const flags of ["--debug", "--debug --json"]) {
    for (const fault of [
      { kind: "refuse", status: 400, code: marker, message: echo, details: { field: echo, value: [echo] } },
      { kind: "status", status: 500, body: echo },
      { kind: "garbage" },
      { kind: "redirect", location: `https://elsewhere.test/?key=${encodeURIComponent(marker)}` },
      { kind: "raw", bytes: `${echo}\r\n\r\n` },
      { kind: "wrong_shape", data: echo },
    ] as const) {
      sandbox.faults.set([fault]);
      const exits = { refuse: 1, status: 5, garbage: 70, redirect: 5, raw: 5, wrong_shape: 70 };
      await run(`profile --timeout 0.3 ${flags}`, exits[fault.kind]);
    }
  }
  sandbox.faults.clear();

  for (const output of outputs) expectNoKey(output, output);
  const files = await filesBelow(home.directory);
  expect(files.map(({ file }) => file)).toContain(configFile);
  for (const { file, text } of files) if (file !== configFile) expectNoKey(text, file);

  await run("logout --debug", 0);
  for (const { file, text } of await filesBelow(home.directory)) expectNoKey(text, file);
});

test.each([
  ["SIGQUIT", 131],
  ["SIGABRT", 143],
  ["SIGXCPU", 143],
] as const)("the key in no core dump: %s ends a run in order", async (signal, exit) => {
  const { directory, sandbox, start } = await createServedProcessHome({ apiKey: marker });
  sandbox.faults.add({ kind: "stall" });
  const running = start("profile", { shell: 'ulimit -c "$(ulimit -H -c)"; exec "$@"' });
  await until("asked", () => sandbox.requests.length > 0);
  process.kill(running.pid, signal);
  expect(await running.ended).toMatchObject({
    exit,
    signal: null,
    stderr: expect.stringMatching(/^error: /),
  });
  expect((await readdir(directory)).filter((name) => name.startsWith("core"))).toEqual([]);
});

test("a config that is corrupt is not quoted, since it may hold a key", async () => {
  const { courier, configDir, configFile } = await createMarkedHome();
  await mkdir(configDir);
  for (const text of [
    `{"accounts": {"a": {"key": "Secr3tInside" "x"`,
    `{"accounts": {"a": {"key": ["Secr3tInside"]}}}`,
  ]) {
    await writeFile(configFile, text);
    for (const flags of ["", "--json --debug"]) {
      const ended = await courier(`accounts list ${flags}`, { env: noKey });
      expect(ended.exit).toBe(2);
      expect(ended.stderr).toContain(configFile);
      expect(ended.stdout + ended.stderr).not.toContain("Secr3t");
      expect(await readFile(configFile, "utf8")).toBe(text);
    }
  }
});
