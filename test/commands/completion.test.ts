/** `courier completion`, and what the Tab key is answered from what commands have seen. */

import { readFileSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { completeLine } from "../../src/cli/complete.ts";
import { schemaNames } from "../../src/model/results.ts";
import { createHome, createServedHome, type Home } from "../support/courier.ts";

const files = {
  bash: "bash-completion/completions/courier.bash",
  zsh: "zsh/site-functions/_courier",
  fish: "fish/vendor_completions.d/courier.fish",
  powershell: "powershell/courier.ps1",
};
const order = "orders create --sender-name a --receiver-name 李四 --item-name 书 --json";

describe.each(Object.entries(files))("courier completion %s", (shell, file) => {
  const script = readFileSync(new URL(`../../share/${file}`, import.meta.url), "utf8");

  test("prints the file in share/, at a terminal and in a pipe", async () => {
    const home = await createHome();
    expect(await home.courier(`completion ${shell}`)).toEqual({ exit: 0, stdout: script, stderr: "" });
    expect((await home.courier(`completion ${shell}`, { terminal: 40 })).stdout).toBe(script);
    const { stdout } = await home.courier(`completion ${shell} --json`);
    expect(JSON.parse(stdout)).toEqual({ shell, script });
  });

  test("evaluates nothing", () => {
    expect(script.replace(/^\s*#.*$/gm, "")).not.toMatch(
      /\beval\b|compgen|Invoke-Expression|\biex\b|_arguments/,
    );
  });
});

test("an unknown shell is a usage error that suggests the right one", async () => {
  const home = await createHome();
  const { exit, stderr, stdout } = await home.courier("completion fissh");
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
  expect(stderr).toContain("did you mean fish?");
});

test("the help says how to install it in each shell", async () => {
  const home = await createHome();
  const { stdout } = await home.courier("completion --help");
  for (const place of [
    "bash-completion/completions/courier",
    "~/.zfunc/_courier",
    "courier.fish",
    "$PROFILE",
  ])
    expect(stdout).toContain(place);
});

describe("orders are offered once a command has seen them", () => {
  test.each([
    ["orders create", async () => {}],
    ["orders list", (home: Home) => home.courier("orders list")],
    ["orders show", (home: Home) => home.courier("orders show 1000001")],
  ])("%s", async (name, see) => {
    const home = await createServedHome();
    const elsewhere = { COURIER_STATE_DIR: path.join(home.directory, "elsewhere") };
    await home.courier(order, name === "orders create" ? {} : { env: elsewhere });
    await see(home);
    const env = environment(home, home.sandbox.baseUrl);
    expect(await tab(env, "orders", "show", "")).toEqual(["1000001\tpending, to 李四, 书"]);
  });

  test("track tells the state, cancel reads it back", async () => {
    const home = await createServedHome();
    const { tracking_number } = JSON.parse((await home.courier(order)).stdout);
    const env = environment(home, home.sandbox.baseUrl);
    await home.courier(`track ${tracking_number}`);
    expect(await tab(env, "track", "")).toEqual([`${tracking_number}\tpending, to 李四, 书`]);
    await home.courier("orders cancel 1000001 --yes");
    expect(await tab(env, "orders", "show", "")).toEqual(["1000001\tcancelled, to 李四, 书"]);
  });

  test("the mirror, for orders that no command has seen lately, with no call", async () => {
    const home = await createServedHome({ seedOrders: 400 });
    const listed = JSON.parse((await home.courier("orders list --all --json")).stdout);
    await home.courier("sync");
    const env = environment(home, home.sandbox.baseUrl);
    const before = home.sandbox.requests.length;
    const old = listed.at(-1);
    const about = `${old.status}, to ${old.receiver.name}, ${old.item_name}`;
    expect(await tab(env, "track", old.tracking_number.slice(0, 9))).toContain(
      `${old.tracking_number}\t${about}`,
    );
    expect(await tab(env, "orders", "show", old.tracking_number.slice(0, 9))).toContain(
      `${old.tracking_number}\t${about}`,
    );
    const middle = listed.find(({ id }: { id: number }) => id === 123);
    expect(await tab(env, "orders", "show", "12")).toContain(
      `123\t${middle.status}, to ${middle.receiver.name}, ${middle.item_name}`,
    );
    expect((await tab(env, "orders", "cancel", "12"))[0]).toMatch(/^12\d?\t/);
    await rm(path.join(home.stateDir, "completion-orders.json"), { force: true });
    const [newest] = JSON.parse((await home.courier("find --limit 1 --json")).stdout);
    const [offered] = await tab(env, "orders", "show", "");
    expect(offered?.split("\t")[0]).toBe(String(newest.id));
    expect(home.sandbox.requests.length).toBe(before);
    const [file = ""] = await readdir(path.join(home.stateDir, "mirror"));
    await writeFile(path.join(home.stateDir, "mirror", file), "no database");
    await tab(env, "orders", "show", "");
  });

  test("import", async () => {
    const home = await createServedHome();
    const file = path.join(home.directory, "orders.csv");
    await writeFile(file, "ref,sender.name,receiver.name,item.name\nA1,a,王五,灯\n");
    await home.courier(["orders", "import", file, "--yes"]);
    const env = environment(home, home.sandbox.baseUrl);
    expect(await tab(env, "orders", "cancel", "")).toEqual(["1000001\tpending, to 王五, 灯"]);
  });

  test("only those of the account and the service that the line names", async () => {
    const home = await createServedHome();
    await home.courier(order);
    const env = environment(home, home.sandbox.baseUrl);
    expect(await tab(env, "--account", "sandbox", "orders", "show", "")).toEqual([]);
    expect(await tab(env, "orders", "show", "--base-url=http://127.0.0.1:9", "")).toEqual([]);
    expect(await tab(env, "--account=sandbox", "orders", "show", "")).toEqual([]);
  });

  test("until logout, accounts remove or sandbox reset", async () => {
    const home = await createServedHome();
    const login = () =>
      home.courier(`login --base-url ${home.sandbox.baseUrl} --account shop`, {
        stdin: "test-key-0123456789",
      });
    const seeOne = () => home.courier("orders list --account shop");
    const offered = () => tab(environment(home), "--account", "shop", "orders", "show", "");
    await home.courier(order);
    for (const end of ["logout --account shop", "accounts remove shop --yes"]) {
      await login();
      await seeOne();
      expect(await offered()).toHaveLength(1);
      await home.courier(end);
      await login();
      expect(await offered(), end).toEqual([]);
    }
    await home.courier(`--account sandbox ${order}`);
    expect(await tab(environment(home), "--account", "sandbox", "orders", "show", "")).toHaveLength(1);
    await home.courier("sandbox reset --yes");
    expect(await tab(environment(home), "--account", "sandbox", "orders", "show", "")).toEqual([]);
  });
});

describe("what is offered where", () => {
  test.each([
    [
      ["orders", ""],
      ["create", "list", "show", "cancel", "import", "write-back", "resolve", "export", "slips"],
    ],
    [
      ["help", "accounts", ""],
      ["list", "use", "move-key", "key-store", "remove"],
    ],
    [
      ["accounts", "use", ""],
      ["main", "sandbox"],
    ],
    [["accounts", "remove", ""], ["main"]],
    [["addresses", "show", ""], ["shop"]],
    [["orders", "create", "--receiver", ""], ["@shop"]],
    [["orders", "import", "--sender", "@"], ["@shop"]],
    [["orders", "create", "--template", ""], ["book"]],
    [["orders", "import", "x.csv", "--use-map", ""], ["taobao"]],
    [
      ["orders", "create", "--service-type", ""],
      ["standard", "express", "same_day"],
    ],
    [
      ["accounts", "key-store", ""],
      ["file", "keychain"],
    ],
    [["schema", ""], schemaNames],
    [["login", "--base-url", ""], ["https://api.example.com"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish", "powershell"],
    ],
    [
      ["accounts", "use", "main", ""],
      flags(
        "csv",
        "fields",
        "json",
        "ndjson",
        "account",
        "quiet",
        "noInput",
        "baseUrl",
        "debug",
        "timeout",
        "noColor",
        "help",
      ),
    ],
    [
      ["accounts", "use", "--", "-"],
      ["main", "sandbox"],
    ],
    [["orders", "show", "1", "2", "x"], []],
    [
      ["profile", "--fields", "id,"],
      ["id,name", "id,email", "id,balance", "id,api_calls_remaining"],
    ],
    [["orders", "create", "--item-name", ""], []],
    [["orders", "list", "--quiet=x"], []],
    [["orders", "list", "--nonsense=x"], []],
    [["nonsense", ""], []],
  ])("courier %j", async (words, values) => {
    const home = await createHome();
    const env = await knowing(home);
    expect((await tab(env, ...words)).map((line) => line.split("\t")[0])).toEqual(values);
  });

  test.each([
    [["orders", "import", ""]],
    [["orders", "create", "--file", ""]],
    [["orders", "create", "--file="]],
    [["orders", "export", "-o", ""]],
    [["addresses", "import", "ad"]],
  ])("files: courier %j", async (words) => {
    const home = await createHome();
    const answer = await completeLine(["zsh", String(words.length - 1), ...words], environment(home));
    expect(answer).toBe("files\n");
  });

  test("files of another shape than courier writes are no obstacle", async () => {
    const home = await createHome();
    await mkdir(home.configDir);
    for (const text of ["", "[]", "{", '{"accounts":3,"addresses":{"a":null},"templates":[]}']) {
      await writeFile(path.join(home.configDir, "config.json"), text);
      expect(await tab(environment(home), "accounts", "use", "")).toEqual([
        "sandbox\tembedded, on this machine",
      ]);
      expect(await tab(environment(home), "orders", "create", "--sender", "")).toEqual([]);
    }
  });

  test("a shell that is not known, and no words at all, are answered by nothing", async () => {
    const home = await createHome();
    expect(await completeLine([], environment(home))).toBe("");
    expect(await completeLine(["nushell", "0", ""], environment(home))).toBe("");
  });
});

describe("PowerShell reads what is put in, listed and explained", () => {
  test.each([
    [
      ["orders", "list", "--status", "p"],
      [
        "pending\tpending\tawaiting payment",
        "paid\tpaid\tpaid",
        "processing\tprocessing\tbeing processed",
        "picked\tpicked\tpicked up",
      ],
    ],
    [["orders", "list", "--status=pe"], ["--status=pending\tpending\tawaiting payment"]],
    [
      ["orders", "list", "--status=paid,p"],
      [
        "'--status=paid,pending'\tpaid,pending\tawaiting payment",
        "'--status=paid,processing'\tpaid,processing\tbeing processed",
        "'--status=paid,picked'\tpaid,picked\tpicked up",
      ],
    ],
    [["orders", "create", "--sender", "@"], ["'@shop'\t@shop\tO'Neil, a b"]],
    [["orders", "create", "--sender-city", ""], ["'a b'\ta b\ta b"]],
    [["orders", "create", "--sender-name", ""], ["'O''Neil'\tO'Neil\tO'Neil"]],
  ])("%j", async (words, lines) => {
    const home = await createHome();
    const env = await knowing(home);
    const encoded = Buffer.from(words.join("\0")).toString("base64");
    const answer = await completeLine(["powershell", String(words.length - 1), encoded], env);
    expect(answer).toBe(`${["words", ...lines].join("\n")}\n`);
  });
});

function flags(...keys: readonly string[]): string[] {
  return keys.map((key) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
}

/** What zsh is offered for the last of these words. */
async function tab(env: Record<string, string>, ...words: readonly string[]): Promise<string[]> {
  const answer = await completeLine(["zsh", String(words.length - 1), ...words], env);
  return answer
    .split("\n")
    .slice(1)
    .filter((line) => line !== "");
}

function environment(home: Home, baseUrl?: string): Record<string, string> {
  return {
    COURIER_CONFIG_DIR: home.configDir,
    COURIER_STATE_DIR: home.stateDir,
    ...(baseUrl ? { COURIER_BASE_URL: baseUrl, COURIER_API_KEY: "test-key-0123456789" } : {}),
  };
}

async function knowing(home: Home): Promise<Record<string, string>> {
  await mkdir(home.configDir);
  const config = {
    accounts: { main: { base_url: "https://api.example.com", key: "k" } },
    addresses: { shop: { name: "O'Neil", city: "a b" } },
    templates: { book: { item: { name: "书" } } },
    maps: { taobao: { Name: "receiver.name" } },
  };
  await writeFile(path.join(home.configDir, "config.json"), JSON.stringify(config));
  return environment(home);
}
