/** What comes in: stdin, arguments and environment; and how a run that has nothing more to do ends. */

import { cp, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { row, sheet } from "../support/imports.ts";
import { createProcessHome, createServedProcessHome } from "../support/process.ts";

const order = JSON.stringify({ sender: { name: "A" }, receiver: { name: "B" }, item: { name: "C" } });
const root = path.resolve(import.meta.dirname, "../..");

describe("stdin", () => {
  test.each([
    ["empty", 'exec "$@" < /dev/null'],
    ["closed", 'exec "$@" <&-'],
    ["blank", 'printf "\\n \\n" | "$@"'],
  ])("%s: a login and an order say what is missing, exit 2", async (_what, shell) => {
    const { sandbox, courier } = await createServedProcessHome();
    const [login, create] = await Promise.all([
      courier(`login --base-url ${sandbox.baseUrl}`, { shell }),
      courier("orders create --file -", { shell }),
    ]);
    expect(login).toMatchObject({ exit: 2, stdout: "" });
    expect(login.stderr).toContain("API key");
    expect(create).toMatchObject({ exit: 2, stdout: "" });
    expect(create.stderr).toContain("stdin");
    expect(sandbox.requests).toHaveLength(0);
  });

  test("- reads an order, in pieces and with a byte order mark", async () => {
    const { start } = await createServedProcessHome();
    const running = start("orders create --file - --json", { stdin: { open: true } });
    const bytes = Buffer.from(`\uFEFF${order.replace('"A"', '"张三"')}`);
    for (const byte of bytes) running.child.stdin?.write(Buffer.from([byte]));
    running.child.stdin?.end();
    expect(await running.ended).toMatchObject({ exit: 0 });
  });

  test("nothing is read where nothing is asked for, and an open stdin holds nothing up", async () => {
    const { start } = await createServedProcessHome({ seedOrders: 3 });
    const running = start("orders list --json", { stdin: { open: true } });
    expect(await running.ended).toMatchObject({ exit: 0 });
  });

  test("without a terminal nothing is asked: a cancellation needs --yes", async () => {
    const { sandbox, start } = await createServedProcessHome({ seedOrders: 3 });
    const running = start("orders cancel 3", { stdin: { open: true } });
    const ended = await running.ended;
    expect(ended).toMatchObject({ exit: 2, stdout: "" });
    expect(ended.stderr).toContain("--yes");
    expect(sandbox.requests.filter(({ method }) => method === "DELETE")).toHaveLength(0);
  });

  test("more than an order file could be", async () => {
    const { courier, sandbox } = await createServedProcessHome();
    const long = order.replace('"C"', JSON.stringify("x".repeat(900_000)));
    expect(await courier("orders create --file - --json", { stdin: long })).toMatchObject({ exit: 0 });
    expect(sandbox.requests.find(({ method }) => method === "POST")?.body.length).toBeGreaterThan(900_000);
  });
});

describe("arguments", () => {
  test("1,000 tracking numbers: each asked for once, all reported in their order", async () => {
    const { sandbox, courier } = await createServedProcessHome();
    const numbers = Array.from({ length: 1_000 }, (_, index) => `CR${index}`);
    const { exit, stdout } = await courier(["track", ...numbers, "--ndjson"]);
    expect(exit).toBe(3);
    const reported = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).tracking_number);
    expect(reported).toEqual(numbers);
    expect(sandbox.requests.filter(({ path }) => path.startsWith("/api/v1/tracking/"))).toHaveLength(1_000);
  });

  test("one very long one", async () => {
    const { courier } = await createServedProcessHome();
    const name = "长".repeat(30_000);
    const words = [
      "orders",
      "create",
      "--sender-name",
      name,
      "--receiver-name",
      "B",
      "--item-name",
      "C",
      "--dry-run",
    ];
    const { exit, stdout } = await courier([...words, "--json"]);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout).sender.name).toBe(name);
  });

  test("words that look like flags, after --", async () => {
    const { courier, sandbox } = await createServedProcessHome();
    const { exit } = await courier(["track", "--", "-n", "--all"]);
    expect(exit).toBe(3);
    const asked = sandbox.requests.map(({ path: asked }) => asked);
    expect(asked.filter((each) => each.includes("tracking"))).toEqual([
      "/api/v1/tracking/-n",
      "/api/v1/tracking/--all",
    ]);
  });

  test
    .runIf(process.platform === "linux")
    .each([
      "orders export -o",
      "orders import",
      "orders import orders.csv --yes --rejects",
      "orders create --file",
    ])("a file name that is not UTF-8, which would be another one's: %s", async (words) => {
    const { directory, start, sandbox } = await createServedProcessHome();
    await writeFile(path.join(directory, "orders.csv"), sheet(row("A-1")));
    await writeFile(path.join(directory, "\ufffd\ufffd\ufffd\ufffd.csv"), sheet(row("B-1")));
    const before = await readdir(directory);
    const shell = `"$@" "$(printf '\\266\\376\\324\\302.csv')"`;
    const { exit, stdout, stderr } = await start(words, { shell }).ended;
    expect([exit, stdout], stderr).toEqual([2, ""]);
    expect(stderr).toContain(
      "the name of the file “����.csv” is not UTF-8, and courier cannot tell it from others",
    );
    expect(await readdir(directory)).toEqual(before);
    expect(sandbox.requests).toEqual([]);
  });
});

describe("environment", () => {
  test("COURIER_API_KEY and COURIER_BASE_URL need no stored account, and store none", async () => {
    const { courier, directory } = await createServedProcessHome();
    expect(await courier("profile")).toMatchObject({ exit: 0, stderr: "" });
    expect((await readdir(directory)).sort()).toEqual(["tmp"]);
  });

  test("COURIER_ACCOUNT names a stored account, or the sandbox; a flag wins", async () => {
    const { courier, sandbox } = await createServedProcessHome();
    const bare = { COURIER_API_KEY: undefined, COURIER_BASE_URL: undefined };
    const login = `login --account shop --base-url ${sandbox.baseUrl}`;
    await courier(login, { env: bare, stdin: sandbox.apiKey });
    const asked = () => sandbox.requests.length;
    const before = asked();
    expect(await courier("profile", { env: { ...bare, COURIER_ACCOUNT: "shop" } })).toMatchObject({
      exit: 0,
    });
    expect(asked()).toBe(before + 1);
    expect(await courier("profile", { env: { ...bare, COURIER_ACCOUNT: "sandbox" } })).toMatchObject({
      exit: 0,
    });
    expect(asked()).toBe(before + 1);
    const flagged = { ...bare, COURIER_ACCOUNT: "sandbox" };
    expect(await courier("profile --account shop", { env: flagged })).toMatchObject({ exit: 0 });
    expect(asked()).toBe(before + 2);
    expect(await courier("profile", { env: { ...bare, COURIER_ACCOUNT: "nobody" } })).toMatchObject({
      exit: 4,
    });
  });

  test("variables that are set to nothing count as not set", async () => {
    const { courier } = await createProcessHome();
    const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "", COURIER_ACCOUNT: "" };
    expect(await courier("profile", { env })).toMatchObject({ exit: 4, stdout: "" });
  });

  // From another directory, the ledger would not know which orders were sent.
  test.each([
    ["COURIER_STATE_DIR", "orders create --file - --account sandbox"],
    ["COURIER_STATE_DIR", "log"],
    ["COURIER_STATE_DIR", "doctor"],
    ["COURIER_CONFIG_DIR", "login --no-verify --base-url https://service.invalid"],
  ])("a relative %s is refused, exit 2, and nothing is written: %s", async (variable, line) => {
    const { courier, directory } = await createProcessHome();
    const before = await readdir(directory);
    const { exit, stdout, stderr } = await courier(line, { env: { [variable]: "below/it" }, stdin: order });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toBe(
      `error: ${variable} is a relative path, which would be another directory wherever courier runs: below/it\n` +
        `hint: set it to the absolute path of the directory in use so far; a new ledger does not know which orders were sent\n`,
    );
    expect(await readdir(directory)).toEqual(before);
  });

  test("an error leaves stored keys out also where COURIER_STATE_DIR is relative", async () => {
    const { courier } = await createProcessHome();
    const key = "stored-key-0123456789";
    await courier("login --no-verify --base-url https://service.invalid", { stdin: key });
    const { exit, stderr } = await courier(`orders list --page ${key}`, { env: { COURIER_STATE_DIR: "s" } });
    expect(exit).toBe(2);
    expect(stderr).not.toContain(key);
  });

  test("FORCE_COLOR colours a pipe, NO_COLOR takes it away whatever its value, a pipe alone has none", async () => {
    const { courier } = await createServedProcessHome({ seedOrders: 3 });
    const isColourful = async (env: Record<string, string>) =>
      (await courier("orders list", { env })).stdout.includes("\u001b[");
    const FORCE_COLOR = "1";
    const environments = [{}, { FORCE_COLOR }, { FORCE_COLOR, NO_COLOR: "0" }, { FORCE_COLOR, NO_COLOR: "" }];
    expect(await Promise.all(environments.map(isColourful))).toEqual([false, true, false, true]);
  });

  test("a strange environment: no PATH, no language, another time zone", async () => {
    const { courier } = await createServedProcessHome({ seedOrders: 3 });
    const [plain, strange] = await Promise.all([
      courier("orders list"),
      courier("orders list", {
        env: { PATH: undefined, LANG: "xx_YY", LC_ALL: "zh_CN.GB18030", TZ: "Asia/Shanghai" },
      }),
    ]);
    expect(strange).toEqual(plain);
  });
});

describe("the end", () => {
  test.each([
    ["an answer", "orders list", 0],
    ["a refusal", "orders show 404", 1],
  ])("comes at once after %s, though the service keeps its connections", async (_what, words, exit) => {
    const { start } = await createServedProcessHome({ seedOrders: 3 });
    const running = start(words);
    let toldMs = 0;
    const note = () => {
      toldMs = Date.now();
    };
    running.child.stdout?.on("data", note);
    running.child.stderr?.on("data", note);
    expect(await running.ended).toMatchObject({ exit });
    expect(Date.now() - toldMs, "a connection is kept for four seconds").toBeLessThan(3_000);
  });

  test("leaves the sandbox's orders and nothing else", async () => {
    const { courier, directory, stateDir } = await createProcessHome({ COURIER_ACCOUNT: "sandbox" });
    expect(await courier("orders create --file -", { stdin: order })).toMatchObject({ exit: 0 });
    expect(await courier("orders list")).toMatchObject({ exit: 0 });
    expect((await readdir(directory)).sort()).toEqual(["state", "tmp"]);
    const names = await readdir(path.join(stateDir, "sandbox"));
    expect(names.filter((name) => !/^sandbox\.db(-wal|-shm)?$/.test(name))).toEqual([]);
    expect(names).toContain("sandbox.db");
    expect(await courier("sandbox reset --yes")).toMatchObject({ exit: 0 });
  });
});

// The demo runs the package, not an executable.
if (!process.env.COURIER_BIN)
  test("the demo passes and leaves nothing behind", async () => {
    const { program, directory, run } = await createProcessHome();
    const built = path.resolve(program.at(-1) ?? "", "../..");
    for (const part of ["bin", "dist", "package.json", "node_modules"])
      await cp(path.join(built, part), path.join(directory, "demo", part), { recursive: true });
    await cp(path.join(root, "examples"), path.join(directory, "demo/examples"), { recursive: true });
    await cp(path.join(root, "scripts/demo.mjs"), path.join(directory, "demo/scripts/demo.mjs"));
    const { exit, stdout, stderr } = await run([
      process.execPath,
      path.join(directory, "demo/scripts/demo.mjs"),
    ]);
    expect(exit, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/All steps passed\.\n$/);
    expect((await readdir(directory)).sort()).toEqual(["demo", "tmp"]);
  });
