/** What differs on Windows: the built program as processes there, with its paths, files, kills and encodings. */

import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createEncoder } from "../../src/sheets/encode-text.ts";
import { createTwoCustomers, firstKey, secondKey } from "../support/customers.ts";
import { row, sheet } from "../support/imports.ts";
import { createProcessHome, createServedProcessHome, until } from "../support/process.ts";

const importing = ["orders", "import", "orders.csv", "--yes", "--ndjson"];
const rowsOf = (count: number) => sheet(...Array.from({ length: count }, (_, index) => row(`A-${index}`)));
const utf16 = (text: string) => createEncoder("utf-16le")(`\ufeff${text}`);
const gb18030 = createEncoder("gb18030");

function lines(text: string): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line !== "");
}

async function createHome(rows: number) {
  const home = await createServedProcessHome();
  await writeFile(path.join(home.directory, "orders.csv"), rowsOf(rows));
  const posts = () => home.sandbox.requests.filter(({ method }) => method === "POST").length;
  const orders = async () => lines((await home.courier("orders list --all --ndjson")).stdout);
  return { ...home, posts, orders };
}

test("login keeps the key in a folder of the user, and logout takes the files away", async () => {
  const served = await createServedProcessHome();
  const home = await createProcessHome({ COURIER_CONFIG_DIR: undefined, COURIER_STATE_DIR: undefined });
  const env = { APPDATA: `${home.directory}\\Roaming`, LOCALAPPDATA: `${home.directory}\\Local` };
  const stdin = "process-key-0123456789\r\n";
  const ran = await home.courier(["login", "--base-url", served.sandbox.baseUrl], { env, stdin });
  expect(ran.exit, ran.stderr).toBe(0);
  expect(await readdir(`${env.APPDATA}\\courier\\Config`)).toContain("config.json");
  const sent = await home.courier("orders list --json", { env });
  expect(sent.exit, sent.stderr).toBe(0);
  const synced = await home.courier("sync", { env });
  expect(synced.exit, synced.stderr).toBe(0);
  const mirrors = `${env.LOCALAPPDATA}\\courier\\Data\\mirror`;
  expect(await readdir(mirrors)).not.toEqual([]);
  const left = await home.courier("logout", { env });
  expect(left.exit, left.stderr).toBe(0);
  expect(await readdir(mirrors)).toEqual([]);
});

// Each drive would have a ledger of its own, which knows nothing of what the other one has.
test.each(["\\courier", "/data/courier", "C:courier"])(
  "a state directory that depends on the current drive is refused: %s",
  async (state) => {
    const home = await createServedProcessHome();
    const { exit, stderr } = await home.courier("log", { env: { COURIER_STATE_DIR: state } });
    expect(exit, stderr).toBe(2);
    expect(stderr).toContain("COURIER_STATE_DIR is a relative path");
  },
);

test("an order file in UTF-16 with Windows' ends of lines, given by a path with a drive letter", async () => {
  const home = await createHome(0);
  const file = path.join(home.directory, "新订单.json");
  const order = await readFile("examples/order.json", "utf8");
  const text = order.replace(/"name": "[^"]*"/, '"name": "王小明"').replaceAll("\n", "\r\n");
  await writeFile(file, utf16(text));
  expect(file).toMatch(/^[A-Z]:\\/i);
  const ran = await home.courier(["orders", "create", "--file", file, "--json", "--yes"]);
  expect(ran.exit, ran.stderr).toBe(0);
  const { id } = JSON.parse(ran.stdout);
  const shown = JSON.parse((await home.courier(["orders", "show", String(id), "--json"])).stdout);
  expect(JSON.stringify(shown)).toContain("王小明");
});

test.each([
  ["GB18030 with CRLF", "gb18030"],
  ["UTF-16 with a mark and CRLF", "utf16"],
] as const)("an import of %s, its rejects beside it, and the file filled in", async (_, encoding) => {
  const home = await createHome(0);
  const text = [row("A-1"), row("A-2", "王五", "12"), row("A-3")].join("\r\n");
  const bytes = encoding === "utf16" ? utf16(sheet(text)) : gb18030(sheet(text));
  await writeFile(path.join(home.directory, "orders.csv"), bytes);
  const ran = await home.courier([...importing, "--rejects", `${home.directory}\\wrong.csv`]);
  expect(ran.exit, ran.stderr).toBe(3);
  expect(home.posts()).toBe(3);
  expect(await readFile(`${home.directory}\\wrong.csv`, "utf8")).toContain("王五");
  const again = await home.courier(importing);
  expect(again.exit, again.stderr).toBe(3);
  expect(await home.orders()).toHaveLength(2);
});

test("an import that is killed again and again sends each row once", async () => {
  const home = await createHome(48); // each kill leaves up to a dozen rows in doubt
  home.sandbox.faults.set([{ method: "POST", path: "/api/v1/orders", kind: "latency", ms: 150 }]);
  for (const sent of [3, 9, 15]) {
    const running = home.start(importing);
    await until(`${sent} are sent`, () => home.posts() >= sent);
    process.kill(running.pid, "SIGKILL");
    await running.ended;
  }
  home.sandbox.faults.clear();
  const last = await home.courier([...importing, "--settle", "1s"]);
  expect(last.exit, last.stderr).toBe(0);
  const refs = (await home.orders()).map((text) => JSON.parse(text).id);
  expect(new Set(refs).size).toBe(48);
  expect(refs).toHaveLength(48);
});

test("two imports of one file at once share its rows", async () => {
  const home = await createHome(30);
  const ran = await Promise.all([home.courier(importing), home.courier(importing)]);
  for (const { exit, stderr } of ran) expect(exit, stderr).toBe(0);
  expect(await home.orders()).toHaveLength(30);
  expect(home.posts()).toBe(30);
});

test("eight processes that save an address at once lose none", async () => {
  const home = await createProcessHome();
  const names = Array.from({ length: 8 }, (_, index) => `shop-${index}`);
  const ran = await Promise.all(
    names.map((name) => home.courier(["addresses", "add", name, "--name", "张三", "--phone", "13800138000"])),
  );
  for (const { exit, stderr } of ran) expect(exit, stderr).toBe(0);
  const listed = JSON.parse((await home.courier("addresses list --json")).stdout);
  expect(listed.map(({ alias }: { alias: string }) => alias).sort()).toEqual(names);
});

test("a key command is a path with backslashes", async () => {
  const home = await createHome(0);
  const script = path.join(home.directory, "key file.cjs");
  await writeFile(script, 'console.log("process-key-0123456789")');
  const env = { COURIER_API_KEY: undefined, COURIER_BASE_URL: undefined };
  const login = ["login", "--base-url", home.sandbox.baseUrl, "--key-command"];
  const ran = await home.courier([...login, `${process.execPath} "${script}"`], { env });
  expect(ran.exit, ran.stderr).toBe(0);
  const asked = await home.courier("orders list --json", { env });
  expect(asked, asked.stderr).toMatchObject({ exit: 0, stdout: "[]\n" });
});

test("a key command that is a batch file is refused with the way out", async () => {
  const home = await createHome(0);
  await writeFile(path.join(home.directory, "key.cmd"), "@echo process-key-0123456789\r\n");
  const env = { COURIER_API_KEY: undefined, COURIER_BASE_URL: undefined };
  const words = ["login", "--base-url", home.sandbox.baseUrl, "--key-command", `${home.directory}\\key.cmd`];
  const ran = await home.courier(words, { env });
  expect(ran.exit).toBe(2);
  expect(ran.stderr).toContain("cmd.exe /d /c");
});

test("the mirror is filled, searched, begun anew and taken away", async () => {
  const home = await createHome(5);
  expect((await home.courier(importing)).exit).toBe(0);
  for (const words of ["sync", "sync --rebuild"]) {
    const ran = await home.courier(words);
    expect(ran.exit, ran.stderr).toBe(0);
    const found = await home.courier(["find", "李", "--json"]);
    expect(JSON.parse(found.stdout)).toHaveLength(5);
  }
});

test("the mirror of another customer is begun anew, at once or with the command of the hint", async () => {
  const { baseUrl } = await createTwoCustomers();
  const home = await createProcessHome();
  const login = async (key: string) => {
    const ran = await home.courier(`login --base-url ${baseUrl} --allow-http`, { stdin: key });
    expect(ran.exit, ran.stderr).toBe(0);
  };
  await login(firstKey);
  const sent = await home.courier([
    "orders",
    "create",
    "--file",
    path.resolve("examples/order.json"),
    "--yes",
  ]);
  expect(sent.exit, sent.stderr).toBe(0);
  expect((await home.courier("sync")).exit).toBe(0);
  await login(secondKey);
  const found = await home.courier("find --json");
  if (found.exit === 5) {
    expect(JSON.parse(found.stderr).error).toMatchObject({
      message: expect.stringMatching(/^the mirror cannot be deleted: another program is using it/),
      hint: "begin it anew: courier sync --rebuild",
    });
    expect((await home.courier("sync --rebuild")).exit).toBe(0);
    expect((await home.courier("find --json")).stdout).toBe("[]\n");
    return;
  }
  expect(found.exit, found.stderr).toBe(0);
  expect(found.stdout).toBe("[]\n");
});

test("the sandbox inside the program is begun anew", async () => {
  const home = await createProcessHome({ COURIER_ACCOUNT: "sandbox" });
  const created = await home.courier([
    "orders",
    "create",
    "--file",
    path.resolve("examples/order.json"),
    "--yes",
  ]);
  expect(created.exit, created.stderr).toBe(0);
  const reset = await home.courier("sandbox reset --yes");
  expect(reset.exit, reset.stderr).toBe(0);
  expect((await home.courier("orders list --json")).stdout).toBe("[]\n");
});

test("folders whose paths are longer than Windows' old limit", async () => {
  const home = await createHome(3);
  const deep = path.join(home.directory, ...Array.from({ length: 6 }, () => "仓".repeat(45)));
  expect(deep.length).toBeGreaterThan(300);
  await mkdir(deep, { recursive: true });
  await writeFile(path.join(deep, "orders.csv"), rowsOf(3));
  const env = { COURIER_STATE_DIR: path.join(deep, "state"), COURIER_CONFIG_DIR: path.join(deep, "config") };
  const words = ["orders", "import", path.join(deep, "orders.csv"), "--yes", "--ndjson"];
  const ran = await home.courier(words, { env });
  expect(ran.exit, ran.stderr).toBe(0);
  expect(home.posts()).toBe(3);
  expect(await readdir(path.join(deep, "state"))).toContain("ledger.db");
});

test("a key ring whose file does not load is not called missing", async () => {
  const home = await createHome(0);
  const file = path.join(home.directory, "broken.node");
  await writeFile(file, "no program");
  const ran = await home.courier(["login", "--base-url", home.sandbox.baseUrl, "--key-store", "keychain"], {
    env: { COURIER_API_KEY: undefined, NAPI_RS_NATIVE_LIBRARY_PATH: file },
    stdin: "process-key-0123456789",
  });
  expect(ran.exit).toBe(4);
  expect(ran.stderr).toMatch(/^error: the key ring cannot be used here: @napi-rs\/keyring does not load: /m);
});

test("doctor names no modes, and the ledger's driver", async () => {
  const home = await createProcessHome({ COURIER_ACCOUNT: "sandbox" });
  await home.courier("addresses add shop --name A --phone 13800138000");
  const { stdout } = await home.courier("doctor --json");
  const checks = JSON.parse(stdout);
  const detail = (name: string) => checks.find(({ check }: { check: string }) => check === name)?.detail;
  expect(detail("config")).not.toContain("mode");
  expect(detail("ledger")).toMatch(/node:sqlite|@photostructure\/sqlite/);
  expect(detail("node")).toContain("win32");
});

test("a result goes to NUL, and into a file", async () => {
  const home = await createHome(2);
  expect((await home.courier(importing)).exit).toBe(0);
  const file = path.join(home.directory, "out.csv");
  for (const target of ["NUL", file]) {
    const ran = await home.run([
      "cmd.exe",
      "/d",
      "/c",
      home.program.join(" "),
      "orders",
      "list",
      "--csv",
      ">",
      target,
    ]);
    expect(ran, ran.stderr).toMatchObject({ exit: 0, stdout: "" });
  }
  expect(lines(await readFile(file, "utf8"))).toHaveLength(3);
  expect((await stat(file)).size).toBeGreaterThan(0);
});
