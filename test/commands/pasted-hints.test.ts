/** Commands in hints, pasted into a shell as they are: paths with blanks, and names that a shell would act on. */

import { execFileSync } from "node:child_process";
import { chmod, mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { putConfig } from "../support/config-file.ts";
import { createHome, createServedHome } from "../support/courier.ts";
import { createImportHome, errorOf } from "../support/imports.ts";
import { lacks } from "../support/tools.ts";
import { paste, wordsOf } from "../support/words-of.ts";

interface Check {
  readonly check: string;
  readonly status: string;
  readonly advice: string | null;
}

describe("a directory with a blank in its name, as macOS has it", () => {
  async function macHome() {
    const home = await createHome();
    const configDir = path.join(home.directory, "Library/Application Support/it's courier");
    const env = { HOME: home.directory, COURIER_CONFIG_DIR: configDir, SHELL: "/bin/zsh" };
    const courier: typeof home.courier = (words, options) => home.courier(words, { ...options, env });
    return { ...home, configDir, configFile: path.join(configDir, "config.json"), courier };
  }

  test("the doctor's chmod closes the directory and the file", async () => {
    const home = await macHome();
    await home.courier("addresses add shop --name x");
    await chmod(home.configFile, 0o644);
    await chmod(home.configDir, 0o755);
    for (let step = 0; step < 2; step++) {
      const { stdout } = await home.courier("doctor --account sandbox --json");
      const config = (JSON.parse(stdout) as Check[]).find(({ check }) => check === "config");
      expect(config?.advice).toMatch(/^chmod [67]00 ~\/["']/);
      paste(config?.advice ?? "", home.directory);
    }
    expect((await stat(home.configDir)).mode & 0o777).toBe(0o700);
    expect((await stat(home.configFile)).mode & 0o777).toBe(0o600);
  });

  test("a login's chmod lets the next login pass", async () => {
    const home = await macHome();
    await mkdir(home.configDir, { recursive: true });
    await chmod(home.configDir, 0o777);
    const login = () =>
      home.courier("login --no-verify --base-url https://service.invalid", { stdin: "key-0123456789" });
    const { exit, stderr } = await login();
    expect(exit).toBe(2);
    const [, line = ""] = /close it with: (chmod .*), or keep the key elsewhere/.exec(stderr) ?? [];
    paste(line, home.directory);
    expect(await login()).toMatchObject({ exit: 0 });
  });
});

describe("a name with characters that no terminal shows", () => {
  const lineOf = async (name: string) => {
    const home = await createImportHome("");
    const file = await home.put("客户,送货地点,货名\n李四,北京市朝阳区建国路88号,茶\n", name);
    const { stderr } = await home.courier(["orders", "import", file]);
    return { file, line: /run: (courier orders import .*?)(?:;|$)/m.exec(stderr)?.[1] ?? "" };
  };

  describe.each(["bash", "zsh"])("%s", (shell) => {
    test.skipIf(lacks(shell)).each(["a\nb.csv", 'a\tb\'s "c\\n".csv', "👩\u200d🔧\u202ea.csv"])(
      `%j is read by ${shell} as it is (needs ${shell})`,
      async (name) => {
        const { file, line } = await lineOf(name);
        const script = `courier() { printf '%s\\0' "$@"; }; ${line}`;
        const env = { PATH: process.env.PATH, LC_ALL: "C.UTF-8" };
        const words = execFileSync(shell, ["-c", script], { env, encoding: "utf8" }).split("\0");
        expect(words.slice(0, 4), line).toEqual(["orders", "import", file, "--map"]);
      },
    );
  });
});

describe("a name from a file or a flag", () => {
  const name = "my $(touch x) shop";

  test("an account without a key: its login", async () => {
    const home = await createHome();
    await putConfig(home, { accounts: { [name]: { base_url: "https://service.invalid" } } });
    const ran = await home.courier(["profile", "--json", "--account", name]);
    const [, line = ""] = /run (courier login .*), or/.exec(errorOf(ran).hint) ?? [];
    expect(wordsOf(line, home.directory)).toEqual(["login", "--account", name]);
  });

  test("the account and the base URL of the next command", async () => {
    const home = await createServedHome();
    await putConfig(home, {
      accounts: { [name]: { base_url: home.sandbox.baseUrl, key: "test-key-0123456789" } },
    });
    const flags = ["--account", name, "--base-url", home.sandbox.baseUrl];
    const order = "orders create --sender-name a --receiver-name b --item-name c".split(" ");
    const { stdout, exit, stderr } = await home.courier([...order, ...flags]);
    expect(exit, stderr).toBe(0);
    const [, line = ""] = /See it +(courier .*)$/m.exec(stdout) ?? [];
    expect(wordsOf(line, home.directory)).toEqual(["orders", "show", expect.any(String), ...flags]);
  });

  test("a tracking number of the service", async () => {
    const home = await createServedHome({ seedOrders: 1 });
    const number = "SF1; echo `id` $HOME";
    const data = { id: 1, tracking_number: number, status: "in_transit" };
    home.sandbox.faults.set([{ kind: "wrong_shape", path: "/api/v1/orders/1", data: data as never }]);
    const { stdout } = await home.courier("orders show 1");
    const [, line = ""] = /(courier track .*?) *$/m.exec(stdout) ?? [];
    expect(wordsOf(line, home.directory)).toEqual(["track", number]);
  });

  test.each(["-", "--all-active", "--exec=touch x", "CR1\u0000", "CR1\ud800"])(
    "the order's id in place of a tracking number that is none for a shell: %j",
    async (number) => {
      const home = await createServedHome({ seedOrders: 1 });
      const data = { id: 1000002, tracking_number: number, status: "in_transit" };
      home.sandbox.faults.set([
        { kind: "wrong_shape", path: "/api/v1/orders/1000002", data },
        { kind: "wrong_shape", method: "POST", processed: true, data },
      ]);
      const create = "orders create --sender-name a --receiver-name b --item-name c";
      for (const words of [create, "orders show 1000002"]) {
        const { stdout, stderr } = await home.courier(words);
        const [, line = ""] = /(courier track .*?) *$/m.exec(stdout) ?? [];
        expect(line, stdout + stderr).toBe("courier track 1000002");
      }
    },
  );

  test("a column", async () => {
    const column = 'Ship "Name" $1';
    const home = await createImportHome(`ref,"${column.replaceAll('"', '""')}",To,item.name\nA-1,x,y,z\n`);
    const map = ["--map", `${column}=receiver.name`, "--map", "To=receiver.name"];
    const ran = await home.courier(["orders", "import", home.file, "--check", "--json", ...map]);
    const [, line = ""] = /choose one: (--map .*); --map/.exec(errorOf(ran).hint) ?? [];
    expect(wordsOf(`courier ${line}`, home.directory)).toEqual(["--map", `${column}=receiver.name`]);
  });

  test("a workbook's file", async () => {
    const home = await createHome();
    const ran = await home.courier(["orders", "export", "-o", "my orders.ods"]);
    const [, line = ""] = /^hint: use (-o .*)$/m.exec(ran.stderr) ?? [];
    expect(wordsOf(`courier ${line}`, home.directory)).toEqual(["-o", "my orders.xlsx"]);
  });
});
