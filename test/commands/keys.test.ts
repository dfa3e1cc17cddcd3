/** Where keys are kept: the config file, the key ring, a command; and that they never change their place unasked. */

import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Prompts } from "../../src/core/prompts.ts";
import { configPath, putConfig, readConfigText } from "../support/config-file.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { plainDraft } from "../support/orders.ts";
import { createServedProcessHome, until } from "../support/process.ts";
import { running } from "../support/running.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { canMount, holdFile } from "../support/small-disk.ts";
import { asUser } from "../support/unprivileged.ts";

const nothing = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };

/** One line as the user of a machine with nothing in its environment. */
function run(home: ServedHome, words: string | readonly string[], stdin = "") {
  return home.courier(words, { env: nothing, stdin });
}

function login(home: ServedHome, words = "") {
  return run(home, `login --base-url ${home.sandbox.baseUrl} ${words}`, home.sandbox.apiKey);
}

async function accountsOf(home: ServedHome) {
  return JSON.parse(await readConfigText(home)).accounts;
}

async function expectKeyOnlyIn(home: ServedHome, place: "file" | "keychain" | "nowhere") {
  const [text, ring] = [await readConfigText(home), [...home.keyRing.entries.values()]];
  expect(text.includes(home.sandbox.apiKey), "in the file").toBe(place === "file");
  expect(ring).toEqual(place === "keychain" ? [home.sandbox.apiKey] : []);
}

describe("login --key-store keychain", () => {
  test("keeps the key in the key ring alone, says so before, and every call finds it there", async () => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await login(home, "--key-store keychain --json");
    expect(exit).toBe(0);
    expect(stderr).toBe("The key of the account default will be kept in the operating system's key ring\n");
    expect(JSON.parse(stdout)).toMatchObject({ account: "default", key_kept_in: "keychain" });
    await expectKeyOnlyIn(home, "keychain");
    expect(await accountsOf(home)).toEqual({
      default: { base_url: home.sandbox.baseUrl, key_store: "keychain", key_mark: expect.any(String) },
    });
    expect(await run(home, "profile")).toMatchObject({ exit: 0, stderr: "" });
    const [row] = JSON.parse((await run(home, "accounts list --json")).stdout);
    expect(row).toMatchObject({ key: "keychain", key_store: "keychain" });
  });

  test("the entry names account, service and config file, so that no other one's account gets its key", async () => {
    const home = await createServedHome();
    await login(home, "--key-store keychain --account shop");
    expect([...home.keyRing.entries.keys()]).toEqual([
      `courier-cli: shop ${home.sandbox.baseUrl} ${configPath(home)}`,
    ]);
    const accounts = await accountsOf(home);
    const moved = { ...accounts.shop, base_url: "https://evil.example.com" };
    await putConfig(home, { accounts: { shop: moved } });
    const { exit, stderr } = await run(home, "profile --account shop");
    expect(exit).toBe(4);
    expect(stderr).toContain("the key ring has no key for the account shop");
  });

  test.each(["get", "set"] as const)(
    "a key ring that refuses to %s stores nothing, in no other place either",
    async (action) => {
      const home = await createServedHome();
      home.keyRing.refuse(action);
      const { exit, stdout, stderr } = await login(home, "--key-store keychain");
      expect({ exit, stdout }).toEqual({ exit: 4, stdout: "" });
      expect(stderr).toContain("error: the key ring is locked\nhint: unlock it");
      await expect(readConfigText(home)).rejects.toThrow("ENOENT");
      expect(home.keyRing.entries.size).toBe(0);
    },
  );

  test("a file that cannot be written leaves no key in the key ring", async () => {
    const home = await createServedHome();
    await putConfig(home, "{ broken");
    expect(await login(home, "--key-store keychain")).toMatchObject({ exit: 2, stdout: "" });
    expect(home.keyRing.entries.size).toBe(0);
  });

  test("a key ring that refuses later is an error with a way on, never a call without the key", async () => {
    const home = await createServedHome();
    await login(home, "--key-store keychain");
    const before = home.sandbox.requests.length;
    home.keyRing.refuse("get");
    for (const words of ["profile", "orders list --json", "track A1"]) {
      const { exit, stdout, stderr } = await run(home, words);
      expect({ exit, stdout }).toEqual({ exit: 4, stdout: "" });
      expect(stderr).toContain("the key ring is locked");
    }
    expect(home.sandbox.requests).toHaveLength(before);
    expect((await run(home, "accounts list")).exit, "needs no key").toBe(0);
  });
});

describe("a login with another key that fails leaves the account the key that it had", () => {
  const loginAgain = (home: ServedHome) =>
    run(home, `login --no-verify --base-url ${home.sandbox.baseUrl}`, "another-customers-key");

  /** What the key ring does once it has taken a key. */
  function afterSet({ keyRing }: ServedHome, act: () => void): void {
    const { set } = keyRing;
    keyRing.set = async (...given) => {
      await set(...given);
      act();
    };
  }

  test.skipIf(!canMount())("where the config file cannot be replaced (needs root)", async () => {
    const home = await createServedHome();
    await login(home, "--key-store keychain");
    const release = holdFile(configPath(home));
    expect(await loginAgain(home)).toMatchObject({ exit: 2, stdout: "" });
    release();
    await expectKeyOnlyIn(home, "keychain");
    expect((await run(home, "profile")).exit).toBe(0);
  });

  test("where the key ring locks once it has taken the new one", async () => {
    const home = await createServedHome();
    await login(home, "--key-store keychain");
    afterSet(home, () => home.keyRing.refuse("get"));
    expect(await loginAgain(home)).toMatchObject({ exit: 4, stdout: "" });
    await expectKeyOnlyIn(home, "keychain");
  });

  test("or says that the key ring may now hold the new one", async () => {
    const home = await createServedHome();
    await login(home, "--key-store keychain");
    afterSet(home, () => {
      home.keyRing.get = async () => undefined;
      home.keyRing.refuse("set");
    });
    const { exit, stderr } = await loginAgain(home);
    expect(exit).toBe(4);
    expect(stderr).toContain(
      "does not give it back; the key ring may now hold this key for the account default\nhint: keep the key",
    );
  });
});

describe("the place of a key stays as it is until it is said otherwise", () => {
  test("logging in again leaves it, --key-store moves it, and no copy stays behind", async () => {
    const home = await createServedHome();
    await login(home, "--key-store keychain");
    await login(home);
    await expectKeyOnlyIn(home, "keychain");
    await login(home, "--key-store file");
    await expectKeyOnlyIn(home, "file");
    await login(home);
    await expectKeyOnlyIn(home, "file");
    await login(home, "--key-store keychain");
    await expectKeyOnlyIn(home, "keychain");
    await run(home, [
      ...`login --no-verify --base-url ${home.sandbox.baseUrl} --key-command`.split(" "),
      `${process.execPath} -p 12345670+8`,
    ]);
    await expectKeyOnlyIn(home, "nowhere");
  });

  test("a key ring that does not let go of the key fails no login to elsewhere, which says how to delete it", async () => {
    const home = await createServedHome();
    const left =
      "warning: the key ring may still hold the key that the account default had: the key ring is locked";
    await login(home, "--key-store keychain");
    const [entry] = home.keyRing.entries.keys();
    home.keyRing.refuse("delete");
    const filed = await login(home, "--key-store file");
    expect([filed.exit, filed.stdout]).toEqual([0, expect.stringContaining("Logged in")]);
    const [, words = ""] = /; once the key ring can be used, run courier (.*)\n/.exec(filed.stderr) ?? [];
    expect(filed.stderr).toContain(left);
    home.keyRing.refuse("nothing");
    expect((await run(home, words)).exit).toBe(0);
    await expectKeyOnlyIn(home, "file");

    await login(home, "--key-store keychain");
    home.keyRing.refuse("delete");
    const elsewhere = await run(home, "login --no-verify --base-url https://other.example.com", "other-key");
    expect([elsewhere.exit, elsewhere.stderr]).toEqual([0, expect.stringContaining(left)]);
    expect(elsewhere.stderr).toContain(`; once the key ring can be used, delete its entry ${entry}\n`);
  });

  test("another base URL takes the old one's key out of the key ring", async () => {
    const home = await createServedHome();
    await login(home, "--key-store keychain");
    await run(home, "login --no-verify --base-url https://other.example.com", "other-key");
    expect([...home.keyRing.entries]).toEqual([
      [`courier-cli: default https://other.example.com ${configPath(home)}`, "other-key"],
    ]);
  });

  test.each(["get", "set", "delete"] as const)(
    "accounts key-store refuses a key ring that refuses to %s a test entry",
    async (action) => {
      const home = await createServedHome();
      home.keyRing.refuse(action);
      const { exit, stdout, stderr } = await run(home, "accounts key-store keychain");
      expect({ exit, stdout }).toEqual({ exit: 4, stdout: "" });
      expect(stderr).toContain("error: the key ring is locked\nhint: unlock it");
      await expect(readConfigText(home)).rejects.toThrow("ENOENT");
    },
  );

  test("accounts key-store sets it for accounts to come", async () => {
    const home = await createServedHome();
    const set = await run(home, "accounts key-store keychain");
    expect(set).toEqual({
      exit: 0,
      stdout: "From now on, logins keep keys in the operating system's key ring\n",
      stderr: "",
    });
    expect(home.keyRing.entries.size).toBe(0);
    await login(home);
    await expectKeyOnlyIn(home, "keychain");
    expect((await run(home, "accounts key-store file --json")).stdout).toBe('{"key_store":"file"}\n');
    await login(home);
    await expectKeyOnlyIn(home, "keychain");
    await login(home, "--account second");
    expect((await accountsOf(home)).second.key).toBe(home.sandbox.apiKey);
    const wrong = await run(home, "accounts key-store vault");
    expect(wrong).toMatchObject({ exit: 2, stdout: "" });
    expect(wrong.stderr).toContain("the place for keys is file or keychain, not “vault”");
  });
});

describe("accounts move-key", () => {
  test("there and back, the key in one place at a time", async () => {
    const home = await createServedHome();
    await login(home);
    expect(await run(home, "accounts move-key default --to keychain")).toEqual({
      exit: 0,
      stdout: "The key of the account default is now in the operating system's key ring, and nowhere else\n",
      stderr: "",
    });
    await expectKeyOnlyIn(home, "keychain");
    expect((await run(home, "profile")).exit).toBe(0);
    const back = await run(home, "accounts move-key default --to file --json");
    expect(back.stdout).toBe('{"account":"default","from":"keychain","key_store":"file","moved":true}\n');
    await expectKeyOnlyIn(home, "file");
    expect((await run(home, "profile")).exit).toBe(0);
    const again = await run(home, "accounts move-key default --to file");
    expect(again.stdout).toContain("was in");
  });

  test.each([
    ["set", "file", "keychain"],
    ["get", "file", "keychain"],
    ["get", "keychain", "file"],
  ] as const)("a key ring that refuses to %s leaves the key in the %s", async (action, from, to) => {
    const home = await createServedHome();
    await login(home, `--key-store ${from}`);
    home.keyRing.refuse(action);
    expect(await run(home, `accounts move-key default --to ${to}`)).toMatchObject({ exit: 4, stdout: "" });
    home.keyRing.refuse("nothing");
    await expectKeyOnlyIn(home, from);
    expect((await run(home, "profile")).exit).toBe(0);
  });

  test.each(["file", "keychain"] as const)(
    "a move that was killed left the key in both places: running it again to the %s leaves it in one",
    async (to) => {
      const home = await createServedHome();
      await login(home, "--key-store keychain");
      const entries = [...home.keyRing.entries];
      await run(home, "accounts move-key default --to file");
      for (const [name, key] of entries) home.keyRing.entries.set(name, key);
      expect((await run(home, `accounts move-key default --to ${to}`)).exit).toBe(0);
      await expectKeyOnlyIn(home, to);
    },
  );

  test("a copy that the key ring does not let go of is told, and gone after a second run", async () => {
    const home = await createServedHome();
    await login(home, "--key-store keychain");
    home.keyRing.refuse("delete");
    const { exit, stderr } = await run(home, "accounts move-key default --to file");
    expect(exit).toBe(4);
    expect(stderr).toContain("the key ring may still hold a copy: the key ring is locked");
    expect((await run(home, "profile")).exit).toBe(0);
    home.keyRing.refuse("nothing");
    expect((await run(home, "accounts move-key default --to file")).exit).toBe(0);
    await expectKeyOnlyIn(home, "file");
  });

  test.each([
    ["accounts move-key nobody --to file", "there is no account named nobody", 4],
    ["accounts move-key sandbox --to file", "the account sandbox has no key to move", 2],
    ["accounts move-key default", "the new place is missing", 2],
    ["accounts move-key default --to cloud", "--to is file or keychain, not “cloud”", 2],
    ["accounts move-key keyless --to keychain", "no key is stored for the account keyless", 4],
    ["accounts move-key asked --to keychain", "which comes from a command: pass show x", 2],
  ])("%s: %s", async (words, message, exit) => {
    const home = await createServedHome();
    const base_url = home.sandbox.baseUrl;
    await putConfig(home, {
      accounts: { keyless: { base_url }, asked: { base_url, key_command: "pass show x" } },
    });
    const before = await readConfigText(home);
    const ended = await run(home, words);
    expect({ exit: ended.exit, stdout: ended.stdout }).toEqual({ exit, stdout: "" });
    expect(ended.stderr).toContain(message);
    expect(await readConfigText(home)).toBe(before);
  });
});

describe("forgetting", () => {
  test.each(["logout", "accounts remove default --yes"])("%s empties the key ring too", async (words) => {
    const home = await createServedHome();
    await login(home, "--key-store keychain");
    expect(await run(home, words)).toMatchObject({ exit: 0, stderr: "" });
    await expectKeyOnlyIn(home, "nowhere");
  });

  test("logout says nothing is forgotten while the key ring keeps it; remove goes on, and says so", async () => {
    const home = await createServedHome();
    await login(home, "--key-store keychain");
    home.keyRing.refuse("delete");
    expect(await run(home, "logout")).toMatchObject({ exit: 4, stdout: "" });
    expect((await accountsOf(home)).default.key_store).toBe("keychain");
    const removed = await run(home, "accounts remove default --yes");
    expect(removed.exit).toBe(0);
    expect(removed.stderr).toContain(
      "warning: the key of the account default is still in the key ring: the key ring is locked",
    );
    expect(await accountsOf(home)).toEqual({});
  });
});

describe("login --key-command", () => {
  const words = (home: ServedHome, command: string, more: readonly string[] = []) => [
    "login",
    "--base-url",
    home.sandbox.baseUrl,
    "--key-command",
    command,
    ...more,
  ];
  const node = (script: string) => `'${process.execPath}' -e "${script}"`;
  /** The key itself is not in the command's text, as in any command that fetches it. */
  const printing = ({ sandbox }: ServedHome) =>
    node(`console.log('  ' + Buffer.from('${Buffer.from(sandbox.apiKey).toString("hex")}', 'hex'))`);

  test("does not show at login a token that someone wrote into the command", async () => {
    const home = await createServedHome();
    const command = `${printing(home)} -- --token=hvs.CAESIJ4kQ1x8Zt7w2pLm90`;
    const { exit, stdout, stderr } = await run(home, words(home, command));
    expect(exit, stderr).toBe(0);
    expect(stderr).toMatch(/each call asks: .*\[redacted\]\n/);
    expect(stdout + stderr).not.toContain("CAESIJ4k");
  });

  test("asks it at login and at every call, trims what it prints, and stores no key", async () => {
    const home = await createServedHome();
    const command = printing(home);
    const { exit, stdout, stderr } = await run(home, words(home, command, ["--json"]));
    expect(exit, stderr).toBe(0);
    expect(stderr).toContain("The key of the account default will not be kept; each call asks: ");
    expect(JSON.parse(stdout)).toMatchObject({ key_kept_in: "command", verified: true });
    expect(await accountsOf(home)).toEqual({
      default: { base_url: home.sandbox.baseUrl, key_command: command },
    });
    expect(await run(home, "profile")).toMatchObject({ exit: 0, stderr: "" });
    const [row] = JSON.parse((await run(home, "accounts list --json")).stdout);
    expect(row).toMatchObject({ key: expect.stringContaining("console.log"), key_store: "command" });
    expect((await run(home, "accounts list")).stdout).toContain("from: ");
    expect((await run(home, "logout")).exit).toBe(0);
    expect((await run(home, "profile")).stderr).toContain("no key is stored for the account default");
  });

  test("needs no shell: what a shell would run or fill in is text", async () => {
    const home = await createServedHome();
    const script = node("process.stderr.write(process.argv.slice(1).join('|'))");
    const { exit, stderr } = await run(home, words(home, `${script} '$HOME' ; touch a\\ b "x y" $(id)`));
    expect(exit).toBe(4);
    expect(stderr).toContain("$HOME|;|touch|a b|x y|$(id)");
  });

  test("may ask at the terminal: it has ended before the form has the keyboard", async () => {
    const home = await createServedHome();
    const mark = path.join(home.directory, "asked");
    const hex = Buffer.from(home.sandbox.apiKey).toString("hex");
    const command = node(
      `require('node:fs').writeFileSync('${mark}', ''); console.log(String(Buffer.from('${hex}', 'hex')))`,
    );
    const account = { base_url: home.sandbox.baseUrl, key_command: command };
    await putConfig(home, { current: "default", accounts: { default: account } });
    const file = path.join(home.directory, "order.json");
    await writeFile(file, JSON.stringify(plainDraft));
    const asked: boolean[] = [];
    const prompts: Prompts = {
      ...scriptedPrompts({ choices: ["Quit"] }),
      together(questions) {
        asked.push(existsSync(mark));
        return questions();
      },
    };
    const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };
    await home.courier(["orders", "create", "--file", file], { terminal: 80, prompts, env });
    expect(asked).toEqual([true]);
  });

  test("COURIER_API_KEY comes before it, and is not in its environment", async () => {
    const home = await createServedHome();
    const script = node("process.stderr.write(String(process.env.COURIER_API_KEY)); process.exit(3)");
    await putConfig(home, {
      current: "a",
      accounts: { a: { base_url: home.sandbox.baseUrl, key_command: script } },
    });
    expect((await home.courier("profile", { env: { COURIER_BASE_URL: "" } })).exit).toBe(0);
    const { exit, stderr } = await home.courier(words(home, script, ["--account", "b"]));
    expect(exit).toBe(4);
    expect(stderr).toContain("undefined");
    expect(stderr).not.toContain(home.sandbox.apiKey);
  });

  test.each([
    [
      node("console.error('gpg: no secret key'); process.exit(2)"),
      4,
      /failed \(2\), saying “gpg: no secret key”/,
    ],
    ["no-such-program-here show x", 2, /cannot be started: no-such-program-here: there is no such program/],
    ["/etc/passwd/x", 2, /cannot be started: \/etc\/passwd\/x: a part of its path is no directory/],
    ["/etc/passwd", 2, /cannot be started: \/etc\/passwd: permission denied/],
    ["x".repeat(300), 2, /cannot be started: the name is too long/],
    [`echo ${"x".repeat(200_000)}`, 2, /cannot be started: echo: what it is given is too long/],
    [node("process.kill(process.pid, 'SIGTERM')"), 4, /failed \(SIGTERM\)/],
    [node("console.log('x'.repeat(1e6))"), 4, /printed far more than a key/],
    [node("console.log('first' + '-line\\nuser: me')"), 4, /has blanks, line breaks or non-ASCII/],
    [node(""), 4, /what the key command of the account default prints is empty/],
    ["pass 'show", 2, /a quote that is not closed/],
    [" ", 2, /the key command is empty/],
    ["", 2, /the key command is empty/],
  ])("%s: exit %i, nothing stored, and what to do", async (command, expected, message) => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await run(home, words(home, command));
    expect({ exit, stdout }).toEqual({ exit: expected, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^hint: .*$/m);
    expect(stderr).not.toContain("first-line");
    await expect(readConfigText(home)).rejects.toThrow("ENOENT");
    expect(home.sandbox.requests).toEqual([]);
  });

  test("a script whose first line names a program that is missing is not called missing itself", async () => {
    const home = await createServedHome();
    const script = path.join(home.directory, "key.sh");
    await writeFile(script, "#!/no/such/shell\necho key\n");
    await chmod(script, 0o700);
    const reason = "it is there, but the program that its first line (#!) names is missing";
    const { exit, stderr } = await run(home, words(home, script));
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`cannot be started: ${script}: ${reason}\n`)]);
    const env = { PATH: `${home.directory}${path.delimiter}${process.env.PATH}` };
    const found = await home.courier(words(home, "key.sh"), { env });
    expect(found.stderr).toContain(reason);
  });

  test("its stderr is shown as it comes, sanitised; --quiet leaves it to the error", async () => {
    const home = await createServedHome();
    const command = node("console.error('Touch\\u001b[2J your key'); console.error('no'); process.exit(1)");
    const loud = await run(home, words(home, command));
    expect(loud.stderr).toMatch(/^Touch.*your key\nno\nerror: /m);
    expect(loud.stderr).not.toContain("\u001b");
    const quiet = await run(home, words(home, command, ["--quiet"]));
    expect(quiet.stderr).toMatch(/^error: .*saying “no”/);
  });

  test("that prints the key, complains with it and fails does not show it", async () => {
    const home = await createServedHome();
    const half = home.sandbox.apiKey.slice(0, 9);
    const rest = home.sandbox.apiKey.slice(9);
    const script = `const k = '${half}' + '${rest}'; console.log(k); console.error('bad key ' + k + ' ' + btoa(k)); process.exit(2)`;
    for (const more of [[], ["--quiet"], ["--json"]]) {
      const { exit, stderr } = await home.courier(words(home, node(script), more), {
        env: { COURIER_API_KEY: "" },
      });
      expect(exit).toBe(4);
      expect(stderr).toContain("bad key [redacted] [redacted]");
      expect(stderr).not.toContain(home.sandbox.apiKey);
    }
  });

  test.each(["test-key-0123456789", "Sk_live-51H8x", "eyJhbGciOiJI.UzI1NiIs.InR5cCI6"])(
    "that fails and prints %s on stderr alone shows its words, and nothing that may be a key",
    async (apiKey) => {
      const home = await createServedHome({ apiKey });
      const hex = Buffer.from(apiKey).toString("hex");
      const script = `console.error('token ' + Buffer.from('${hex}', 'hex') + ' has expired, hex ${hex}'); process.exit(2)`;
      const command = node(script);
      for (const more of [[], ["--quiet"], ["--json"], ["--debug"]]) {
        const { exit, stderr } = await run(home, words(home, command, more));
        expect(exit).toBe(4);
        expect(stderr).toContain("failed (2), saying “token [redacted] has expired, hex [redacted]”");
        expect(stderr).not.toContain(apiKey);
        expect(stderr).not.toContain(hex);
      }
    },
  );

  test("that floods stderr is shown in part", async () => {
    const home = await createServedHome();
    const script =
      "for (let n = 0; n < 5000; n++) console.error(n + ' x'.repeat(1000)); process.exitCode = 2";
    const { exit, stderr } = await run(home, words(home, node(script)));
    expect(exit).toBe(4);
    expect(stderr).toContain("(what else the key command says is not shown)");
    expect(stderr).toMatch(/failed \(2\), saying “4999( x)+ ?…”/);
    expect(stderr.length).toBeLessThan(150_000);
  });

  test.runIf(process.platform === "linux").each([
    ["", "sleep 300 & echo $$ $!"],
    [", also of one that hears of no request to end", `trap "" TERM; sleep 300 & echo $$ $!`],
  ])("that takes too long is ended with what it has started%s (processes by /proc)", async (_what, line) => {
    const home = await createServedHome();
    const file = path.join(home.directory, "pids");
    let isOver = false;
    const command = `sh -c '${line} > "${file}.new"; mv "${file}.new" "${file}"; wait'`;
    const ending = run(home, words(home, command)).finally(() => {
      isOver = true;
    });
    const pids = () => readFile(file, "utf8").catch(() => "");
    await until("it runs", async () => (await pids()) !== "");
    const started = (await pids()).trim().split(" ");
    home.clock.advance(59_999);
    expect(running(started)).toEqual(started);
    await until("the login has ended", () => {
      home.clock.advance(1_000);
      return isOver;
    });
    const { exit, stderr } = await ending;
    expect(exit).toBe(4);
    expect(stderr).toContain("the key command of the account default did not end within 60 seconds");
    expect(stderr.match(/^Waiting .*$/gm)).toEqual([
      "Waiting for the key command of the account default, at most 60 seconds",
    ]);
    await until("all have ended", () => running(started).length === 0);
  });

  test.each([
    [10_000, ["Waiting for the key command of the account default, at most 60 seconds"]],
    [9_999, null],
  ])("that runs for %d ms says so, or not yet", async (elapsedMs, said) => {
    const home = await createServedHome();
    const [began, go] = [path.join(home.directory, "began"), path.join(home.directory, "go")];
    const command = `sh -c ': > "${began}"; until [ -s "${go}" ]; do sleep 0.01; done; cat "${go}"'`;
    const ending = run(home, words(home, command));
    await until("it runs", () => existsSync(began));
    home.clock.advance(elapsedMs);
    await writeFile(go, home.sandbox.apiKey);
    const { exit, stderr } = await ending;
    expect(exit).toBe(0);
    expect(stderr.match(/^Waiting .*$/gm)).toEqual(said);
  });

  const key = "Sk_live-51H8x";

  test.each([`echo ${key}`, "echo 'Sk_live'-\"51H8x\""])(
    "that contains the key is refused, not shown and not stored: %s",
    async (command) => {
      const home = await createServedHome({ apiKey: key });
      for (const more of [["--json"], ["--debug", "--account", "shop"], ["--no-verify"]]) {
        const { exit, stdout, stderr } = await run(home, words(home, command, more));
        expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
        expect(stderr).toContain("contains the key that it prints");
        expect(stderr).not.toMatch(/Sk_live|51H8x|will not be kept/);
        if (more[0] === "--json") expect(JSON.parse(stderr).error.code).toBe("key_on_command_line");
      }
      await expect(readConfigText(home)).rejects.toThrow("ENOENT");
      expect(home.sandbox.requests).toEqual([]);
    },
  );

  test.each([
    [`printf '${key}\\nuser: me'`, 4, "has blanks, line breaks"],
    [node(`console.log('${key}'); process.exit(1)`), 4, "failed (1)"],
    [`echo '${key}`, 2, "a quote that is not closed"],
  ])("that fails is not shown, for it may contain the key: %s", async (command, expected, message) => {
    const home = await createServedHome({ apiKey: key });
    const { exit, stdout, stderr } = await run(home, words(home, command, ["--account", "shop"]));
    expect({ exit, stdout }).toEqual({ exit: expected, stdout: "" });
    expect(stderr).toMatch(/^error: .*the key command of the account shop/);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain(key);
    await expect(readConfigText(home)).rejects.toThrow("ENOENT");
  });

  test("that contains the key and is stored already is refused at every use, with the way out", async () => {
    const home = await createServedHome({ apiKey: key });
    const base_url = home.sandbox.baseUrl;
    await putConfig(home, { accounts: { shop: { base_url, key_command: `echo ${key}` } } });
    for (const line of ["profile", "orders list --debug", "doctor"]) {
      const { stdout, stderr } = await run(home, `${line} --account shop`);
      expect(stdout + stderr).toContain(
        "the key command of the account shop contains the key that it prints",
      );
      expect(stdout + stderr).toContain("courier login --account shop --key-command 'pass show courier'");
      expect(stdout + stderr).not.toContain("Sk_live");
    }
    expect(await run(home, "profile --account shop")).toMatchObject({ exit: 2, stdout: "" });
    expect(home.sandbox.requests).toEqual([]);
  });

  test.each(["a stored key", "COURIER_API_KEY"])("that contains %s is refused and not run", async (place) => {
    const home = await createServedHome();
    const stored = place === "a stored key" ? { key } : {};
    await putConfig(home, { accounts: { shop: { base_url: home.sandbox.baseUrl, ...stored } } });
    const env = { COURIER_API_KEY: place === "a stored key" ? "" : key };
    for (const command of [key, `echo ${key}`]) {
      const line = words(home, command, ["--account", "second", "--json"]);
      const { exit, stdout, stderr } = await home.courier(line, { env });
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
      const { code, message } = JSON.parse(stderr.split("\n").at(-2) ?? "").error;
      expect(code).toBe("key_on_command_line");
      expect(message).toBe(
        "the key command of the account second contains an API key, where others could read it",
      );
      expect(stderr).not.toContain(key);
    }
  });

  test("that is one word and no program is not shown: it may be the key itself", async () => {
    const home = await createServedHome();
    const { exit, stderr } = await run(home, words(home, key));
    expect(exit).toBe(2);
    expect(stderr).toContain(
      "the key command of the account default cannot be started: there is no such program",
    );
    expect(stderr).not.toContain(key);
  });

  test.each(["", "console.log('two' + ' words')", "console.log('short')", "process.exit(1)"])(
    "that gives no key is key_command, exit 4, at login and at every use: %j",
    async (script) => {
      const home = await createServedHome();
      const base_url = home.sandbox.baseUrl;
      await putConfig(home, { accounts: { shop: { base_url, key_command: node(script) } } });
      for (const line of [
        words(home, node(script), ["--json"]),
        "profile --account shop --json".split(" "),
      ]) {
        const { exit, stdout, stderr } = await run(home, line);
        expect({ exit, stdout }).toEqual({ exit: 4, stdout: "" });
        expect(JSON.parse(stderr.split("\n").at(-2) ?? "").error.code).toBe("key_command");
      }
    },
  );

  test("may contain other words that it prints", async () => {
    const home = await createServedHome();
    const script = node("console.log(process.argv[1] + ' is not in the store')");
    const { exit, stderr } = await run(home, words(home, `${script} courier-shop`));
    expect(exit).toBe(4);
    expect(stderr).toContain("has blanks");
  });

  test.each([
    ["cannot be started", "no-such-program-here show", 2],
    ["fails", node("process.exit(1)"), 4],
  ])(
    "that %s for one of two accounts: the hint can be followed as it is written",
    async (_what, command, expected) => {
      const home = await createServedHome();
      const base_url = home.sandbox.baseUrl;
      const stored = {
        good: { base_url, key: home.sandbox.apiKey },
        shop: { base_url, key_command: command },
      };
      await putConfig(home, { current: "good", accounts: stored });
      const failed = await run(home, "profile --account shop");
      expect(failed.exit).toBe(expected);
      const hinted = "courier login --account shop --key-command ";
      expect(failed.stderr).toContain(`${hinted}'pass show courier'`);
      const login = [...hinted.trim().split(" ").slice(1), printing(home)];
      const { exit, stderr } = await run(home, login);
      expect(exit, stderr).toBe(0);
      expect(stderr).toContain(`The base URL of the account is still ${base_url}`);
      expect(await accountsOf(home)).toEqual({
        good: stored.good,
        shop: { base_url, key_command: printing(home) },
      });
    },
  );

  test("a program named by a relative path is stored by its whole path, and no other one runs elsewhere", async () => {
    const { sandbox, courier, directory, configFile } = await createServedProcessHome();
    const env = { COURIER_API_KEY: undefined, COURIER_BASE_URL: undefined };
    const [shop, other] = [path.join(directory, "my shop"), path.join(directory, "other")];
    for (const place of [shop, other]) await mkdir(place);
    const script = (line: string) => `#!/bin/sh\n${line}\n`;
    await writeFile(path.join(shop, "k.sh"), script(`test "$1" = "a b" && echo ${sandbox.apiKey}`), {
      mode: 0o700,
    });
    await writeFile(path.join(other, "k.sh"), script("touch harm"), { mode: 0o700 });
    const words = ["login", "--base-url", sandbox.baseUrl, "--key-command", "./k.sh 'a b'"];
    const { exit, stderr } = await courier(words, { cwd: shop, env });
    expect(exit, stderr).toBe(0);
    const whole = path.join(await realpath(shop), "k.sh");
    expect(stderr).toContain(`each call asks: "${whole}" "a b"\n`);
    expect(JSON.parse(await readFile(configFile, "utf8")).accounts.default.key_command).toBe(
      `"${whole}" "a b"`,
    );
    expect(await courier("profile", { cwd: other, env })).toMatchObject({ exit: 0, stderr: "" });
    expect(await readdir(other)).toEqual(["k.sh"]);
  });

  test("warns of an argument that is a file of this directory, and of no other word", async () => {
    const { sandbox, courier, directory } = await createServedProcessHome();
    await writeFile(path.join(directory, "k.sh"), `echo ${sandbox.apiKey}`);
    const words = ["login", "--base-url", sandbox.baseUrl, "--key-command", "sh k.sh config"];
    const { exit, stderr } = await courier(words, { cwd: directory, env: { COURIER_API_KEY: undefined } });
    expect(exit, stderr).toBe(0);
    expect(stderr.match(/^warning: .*/gm)).toEqual([
      "warning: the key command finds k.sh only from this directory: log in again, with the whole path of k.sh",
    ]);
  });

  test("a relative path that an older version stored is refused before it runs, and the error says what to type", async () => {
    const home = await createServedHome();
    const stored = { base_url: home.sandbox.baseUrl, key_command: "./bin/k.sh --secret-word" };
    await putConfig(home, { current: "shop", accounts: { shop: stored } });
    const { exit, stdout, stderr } = await run(home, "profile");
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toBe(
      "error: the key command of the account shop has a relative path, which is another program in each directory: ./bin/k.sh\n" +
        "hint: give its whole path, and its arguments: courier login --account shop --key-command '/path/to/program'\n",
    );
    expect(home.sandbox.requests).toEqual([]);
  });

  test("excludes --key-store", async () => {
    const home = await createServedHome();
    const { exit, stderr } = await run(home, words(home, "x", ["--key-store", "file"]));
    expect(exit).toBe(2);
    expect(stderr).toContain("--key-store and --key-command exclude each other");
  });
});

describe("files that others could read", () => {
  test("are closed at login, which says so", async () => {
    const home = await createServedHome();
    await login(home);
    await chmod(configPath(home), 0o644);
    const { exit, stderr } = await login(home, "--account second");
    expect(exit).toBe(0);
    expect(stderr).toContain(`warning: others on this machine could read ${configPath(home)} (mode 644)`);
    expect((await stat(configPath(home))).mode & 0o777).toBe(0o600);
    expect((await login(home)).stderr).not.toContain("warning");
  });

  test.skipIf(process.getuid?.() !== 0)(
    "that cannot be closed are named, and no key is written (needs root)",
    async () => {
      const home = await createServedHome();
      await login(home);
      await chmod(configPath(home), 0o644);
      const places = [home.directory, home.configDir, path.join(home.configDir, "config.lock.db")];
      await asUser(places, async () => {
        const { exit, stderr } = await login(home, "--account second");
        expect(exit).toBe(2);
        expect(stderr).toContain(
          `the key was not written, since others can read ${configPath(home)}, and its permissions cannot be changed: `,
        );
      });
    },
  );

  test("are closed even by a login that fails", async () => {
    const home = await createServedHome();
    await login(home);
    await chmod(configPath(home), 0o640);
    const failed = await run(home, `login --base-url ${home.sandbox.baseUrl}`, "wrong-key");
    expect(failed.exit).toBe(4);
    expect((await stat(configPath(home))).mode & 0o777).toBe(0o600);
  });
});

test.each([
  [{ key_store: "vault" }, "accounts.shop.key_store should be a word: file or keychain"],
  [{ key_command: 7 }, "accounts.shop.key_command should be a string"],
  [{ key: "k-123456", key_command: "x" }, "gives the account shop more than one key: key and key_command"],
  [{ key: "k-123456", key_store: "keychain" }, "more than one key: key and key_store (keychain)"],
])("a file edited to %j names the field", async (fields, message) => {
  const home = await createServedHome();
  await putConfig(home, { current: "shop", accounts: { shop: { base_url: "https://a.test", ...fields } } });
  const before = await readConfigText(home);
  const { exit, stdout, stderr } = await run(home, "profile");
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("k-123456");
  expect(await readConfigText(home)).toBe(before);
});
