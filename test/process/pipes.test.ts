/** Readers that go away early, readers that are slow, and what belongs on which stream. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { row, sheet } from "../support/imports.ts";
import { createProcessHome, createServedProcessHome, type ProcessHome, until } from "../support/process.ts";
import { lacks } from "../support/tools.ts";

const manyOrders = 3_000;

describe("a stdin that cannot be read", () => {
  test.each([
    "orders import - --yes",
    "track -",
    "orders create --file - --yes",
    "api POST x --input - --yes",
  ])("a directory: %s", async (words) => {
    const { courier, sandbox } = await createServedProcessHome();
    const { exit, stderr } = await courier(words, { shell: '"$@" <.' });
    expect([exit, stderr]).toEqual([2, "error: cannot read stdin: it is a directory\n"]);
    expect(sandbox.requests).toEqual([]);
  });
});

describe("a reader that closes the pipe after one line", () => {
  test.skipIf(lacks("head")).each([
    ["human", ""],
    ["JSON", "--json"],
    ["NDJSON", "--ndjson"],
    ["CSV", "--csv"],
  ])("%s: done, exit 0, nothing on stderr (needs head)", async (_form, flag) => {
    const { sandbox, courier } = await createServedProcessHome({ seedOrders: manyOrders });
    const { stdout, stderr } = await courier(`orders list --all ${flag}`, {
      // JSON is one line: its reader stops after some bytes.
      shell: `{ "$@"; echo "exit $?" >&2; } | head -${flag === "--json" ? "c 1000" : "n 1"}`,
    });
    expect(stderr).toBe("exit 0\n");
    expect(stdout.length).toBeGreaterThan(20);
    expect(sandbox.requests.length, "it stops asking").toBeLessThan(manyOrders / 100);
  });

  test.each(["", "--json", "--ndjson", "--csv"])(
    "an import goes on without it, says so once, and has its own exit code: “%s”",
    async (flag) => {
      const { directory, sandbox, start } = await createServedProcessHome();
      const many = 400;
      await writeFile(
        path.join(directory, "o.csv"),
        sheet(
          row("A-refused", "李四", "12"),
          ...Array.from({ length: many - 1 }, (_, index) => row(`A-${index}`)),
        ),
      );
      const { stderr } = await start(`orders import o.csv --yes ${flag}`, {
        shell: `{ "$@"; echo "exit $?" >&2; } | head -c 20`,
      }).ended;
      const told =
        /^the reader of the report is gone; the import continues without it \(courier log show 1 has it\)$/gm;
      expect(stderr.match(told), stderr).toHaveLength(1);
      expect(stderr).toContain("1 of 400 rows was refused");
      expect(stderr).toMatch(/exit 3\n$/);
      expect(sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(many);
    },
  );

  test.skipIf(lacks("head"))("help, which is all there at once (needs head)", async () => {
    const { courier } = await createProcessHome();
    const { stdout, stderr } = await courier("--help", {
      shell: '{ "$@"; echo "exit $?" >&2; } | head -n 1',
    });
    expect(stderr).toBe("exit 0\n");
    expect(stdout.split("\n")).toHaveLength(2);
  });

  test.each([
    ["DELETE orders/999999", 1, /^error: the service refused/m],
    ["PUT orders/999999", 1, /^error: the service refused/m],
    ["POST orders --input wrong.json", 1, /^error: the service refused: sender/m],
    ["POST orders --input order.json", 0, /^the reader of the result is gone; order \d+ was created$/m],
    [
      "DELETE orders/1000001",
      0,
      /^the reader of the result is gone; the service answered DELETE orders\/1000001 with HTTP 200$/m,
    ],
  ])("a raw call that changes something keeps its outcome: %s", async (words, exit, told) => {
    const { courier, directory } = await createServedProcessHome();
    await writeFile(path.join(directory, "order.json"), await readFile("examples/order.json"));
    await writeFile(path.join(directory, "wrong.json"), "{}");
    await courier("api POST orders --input order.json");
    const { stderr } = await courier(`api ${words} --yes --allow-duplicate`, {
      shell: '{ "$@"; echo "exit $?" >&2; } | true',
    });
    expect(stderr).toMatch(told);
    expect(stderr).toMatch(new RegExp(`exit ${exit}\n$`));
  });

  test("a reader that was never there", async () => {
    const { courier } = await createServedProcessHome({ seedOrders: 300 });
    const { stderr } = await courier("orders list --all", { shell: '{ "$@"; echo "exit $?" >&2; } | true' });
    expect(stderr).toBe("exit 0\n");
  });

  test("a closed stderr does not stop the result", async () => {
    const { courier } = await createServedProcessHome({ seedOrders: 30 });
    const { exit, stdout } = await courier("orders list --ndjson", { shell: 'exec "$@" 2>&-' });
    expect(exit).toBe(0);
    expect(stdout.trimEnd().split("\n")).toHaveLength(10);
  });

  test("an error still has its exit code when nobody reads stderr", async () => {
    const { courier } = await createServedProcessHome();
    const { exit } = await courier("orders show 404", { shell: 'exec "$@" 2>&-' });
    expect(exit).toBe(1);
  });

  test("an order is created once, whether or not its result is read", async () => {
    const { sandbox, courier } = await createServedProcessHome();
    const words = "orders create --sender-name A --receiver-name B --item-name C --json";
    const { stderr } = await courier(words, { shell: '{ "$@"; echo "exit $?" >&2; } | true' });
    expect(stderr).toMatch(/exit 0\n$/);
    expect(sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

test("a reader that takes nothing holds a stopped run: it is said, and a second signal ends it", async () => {
  const home = await createServedProcessHome({ seedOrders: manyOrders });
  const running = home.start("orders list --all --ndjson");
  await running.untilStdout(/\n/);
  running.child.stdout?.pause();
  let [asked, lastAskedMs] = [0, Date.now()];
  await until(
    "the pipe is full: no page is asked for, for longer than a busy machine takes for one",
    async () => {
      const { length } = home.sandbox.requests;
      if (length !== asked) [asked, lastAskedMs] = [length, Date.now()];
      return Date.now() - lastAskedMs > 2_500;
    },
  );
  expect(asked, "it waits").toBeLessThan(manyOrders / 100);
  running.child.kill("SIGTERM");
  await running.untilStderr(
    /^stopping once the output so far is read; a second Ctrl-C or SIGTERM stops at once$/m,
  );
  running.child.kill("SIGTERM");
  running.child.stdout?.resume();
  expect((await running.ended).exit).toBe(143);
});

describe("a slow reader gets every byte", () => {
  /** An order's state and fee move on from one run to the next. */
  const lasting = "id,order_no,tracking_number,item_name,created_at,sender,receiver";

  async function listAll(home: ProcessHome, env: Record<string, string>, shell?: string) {
    const running = home.start(`orders list --all --ndjson --fields ${lasting}`, {
      env,
      ...(shell ? { shell } : {}),
    });
    return { running, stdout: running.child.stdout };
  }

  test.skipIf(lacks("cat"))(
    `${manyOrders} orders, from a served sandbox, through a socket and through a real pipe (needs cat)`,
    async () => {
      const home = await createProcessHome();
      const service = home.start(`sandbox serve --seed-orders ${manyOrders} --json`);
      const [, baseUrl = ""] = await service.untilStdout(/"base_url":"([^"]+)"/);
      const env = { COURIER_BASE_URL: baseUrl, COURIER_API_KEY: "sandbox-key" };

      const whole = await (await listAll(home, env)).running.ended;
      expect(whole).toMatchObject({ exit: 0, stderr: "" });
      expect(whole.stdout.trimEnd().split("\n")).toHaveLength(manyOrders);

      for (const shell of [undefined, '"$@" | cat']) {
        const { running, stdout } = await listAll(home, env, shell);
        await running.untilStdout(/\n/);
        stdout?.pause();
        await wait(200); // long enough for the rest to arrive, were it not held back
        expect(running.stdout.length).toBeLessThan(whole.stdout.length);
        stdout?.resume();
        expect(await running.ended).toEqual(whole);
      }
    },
  );
});

describe("streams", () => {
  test("the result is on stdout, all else on stderr", async () => {
    const { courier } = await createServedProcessHome({ seedOrders: 25 });
    const list = await courier("orders list --json");
    expect(JSON.parse(list.stdout)).toHaveLength(10);
    expect(list.stderr).toMatch(/^10 shown, more exist .*--all shows every one\n$/);
    expect(await courier("orders list --json --quiet")).toMatchObject({ stdout: list.stdout, stderr: "" });
  });

  test("an error leaves stdout empty and says one JSON line with an output flag", async () => {
    const { courier } = await createServedProcessHome();
    const human = await courier("orders show 404");
    expect(human).toMatchObject({ exit: 1, signal: null, stdout: "" });
    expect(human.stderr).toMatch(/^error: .*404.*\n(hint: .*\n)?$/);
    const json = await courier("orders show 404 --json");
    expect(json).toMatchObject({ exit: 1, stdout: "" });
    expect(json.stderr).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { exit: 1, status: 404 } });
  });

  test.each([
    ["a command line that is wrong", "orders list --limit 0", 2],
    ["a noun alone", "orders", 2],
    ["an unknown command", "ordres list", 2],
    ["help", "orders --help", 0],
    ["a version", "--version", 0],
  ])("%s", async (_what, words, exit) => {
    const { courier } = await createProcessHome();
    const ended = await courier(words);
    expect(ended.exit).toBe(exit);
    expect(exit === 0 ? ended.stderr : ended.stdout).toBe("");
    expect(exit === 0 ? ended.stdout : ended.stderr).not.toBe("");
  });

  test("no account: exit 4, and two ways on", async () => {
    const { courier } = await createProcessHome();
    const { exit, stdout, stderr } = await courier("profile");
    expect({ exit, stdout }).toEqual({ exit: 4, stdout: "" });
    expect(stderr).toContain("courier login");
    expect(stderr).toContain("--account sandbox");
  });

  test("nobody listens: exit 5", async () => {
    const { sandbox, courier } = await createServedProcessHome();
    await sandbox.close();
    const { exit, stderr } = await courier("profile --timeout 1");
    expect(exit).toBe(5);
    expect(stderr).toMatch(/^error: cannot reach 127\.0\.0\.1:\d+: the connection was refused\nhint: /);
  });
});

// A standalone executable takes no NODE_OPTIONS.
if (!process.env.COURIER_BIN)
  test("of the runtime's warnings, the one that SQLite is experimental stays off stderr", async () => {
    const { courier } = await createProcessHome({ COURIER_ACCOUNT: "sandbox" });
    const preload = (message: string) => {
      const script = `setImmediate(() => process.emitWarning("${message}", "ExperimentalWarning"))`;
      return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
    };
    const hidden = preload("SQLite is an experimental feature and might change at any time");
    expect(await courier("orders list --json", { env: hidden })).toMatchObject({ exit: 0, stderr: "" });
    const shown = await courier("orders list --json", { env: preload("Something else is experimental") });
    expect(shown).toMatchObject({ exit: 0 });
    expect(shown.stderr).toContain("ExperimentalWarning: Something else is experimental");
  });

describe.skipIf(process.platform === "win32" || lacks("mkfifo", "cat", "sleep"))(
  "a pipe with a name as --output (needs mkfifo, cat and sleep)",
  () => {
    test.each([
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const)("that nobody reads holds no signal up: %s", async (signal, exit) => {
      const home = await createServedProcessHome();
      await home.run(["mkfifo", "p"]);
      const running = home.start("orders export -o p", { limitMs: 10_000 });
      await running.untilStderr(/waiting for a reader of .*p\n/);
      process.kill(running.pid, signal);
      expect(await running.ended).toMatchObject({ exit, signal: null });
      expect(home.sandbox.requests).toEqual([]);
    });

    test("whose reader has paused holds no signal up", async () => {
      const home = await createServedProcessHome({ seedOrders: manyOrders });
      const shell = 'mkfifo p && { sleep 5 < p > sleep.txt 2>&1 & } && exec "$@"';
      const running = home.start("orders export -o p", { shell, limitMs: 10_000 });
      await until("it has read much", () => home.sandbox.requests.length >= 10);
      process.kill(running.pid, "SIGTERM");
      expect(await running.ended).toMatchObject({ exit: 143, signal: null });
    });

    test("gets all that it can take, whenever its reader comes", async () => {
      const home = await createServedProcessHome({ seedOrders: manyOrders });
      const shell = 'mkfifo p && { { sleep 0.5; cat; } < p > all.csv & } && "$@"; exit=$?; wait; exit $exit';
      const { exit, stderr } = await home.courier("orders export -o p", { shell });
      expect(exit, stderr).toBe(0);
      const text = await readFile(path.join(home.directory, "all.csv"), "utf8");
      expect(text.trimEnd().split("\n")).toHaveLength(manyOrders + 1);
    });
  },
);

describe.skipIf(process.platform === "win32" || lacks("mkfifo", "cat"))(
  "a pipe of the shell's as --output (needs mkfifo and cat)",
  () => {
    test.each(["/dev/stdout", "/dev/fd/7"])("gets all: %s", async (name) => {
      const home = await createServedProcessHome({ seedOrders: manyOrders });
      const shell = '{ "$@" 7>&1; echo $? > exit; } | cat > read';
      const read = (file: string) => readFile(path.join(home.directory, file), "utf8");
      const exported = await home.courier(`orders export -o ${name}`, { shell });
      expect([await read("exit"), exported.stderr]).toEqual(["0\n", `wrote ${manyOrders} rows to ${name}\n`]);
      expect((await read("read")).trimEnd().split("\n")).toHaveLength(manyOrders + 1);
      const slips = await home.courier(`orders slips --status paid -o ${name}`, { shell });
      expect(await read("exit"), slips.stderr).toBe("0\n");
      expect((await read("read")).trimEnd().split("\n").at(-1)).toMatch(/<\/html>$/);
    });

    test("whose reader is gone is an error, and nothing waits", async () => {
      const home = await createServedProcessHome();
      await home.run(["mkfifo", "closed"]);
      const shell = '{ read _ < closed; "$@" 7>&1; echo $? > exit; } | { exec <&-; echo > closed; }';
      const { stderr } = await home.courier("orders export -o /dev/fd/7", { shell });
      expect(stderr).toMatch(/^error: \/dev\/fd\/7 cannot be written: its reader is gone\n/);
      expect(await readFile(path.join(home.directory, "exit"), "utf8")).toBe("5\n");
    });
  },
);

test.skipIf(process.platform === "win32")(
  "a stdout that is open for reading only: exit 5 says so",
  async () => {
    const home = await createServedProcessHome();
    const { exit, stderr } = await home.courier("profile", { shell: 'exec "$@" 1< /dev/null' });
    expect([exit, stderr.split("\n")[0]]).toEqual([
      5,
      "error: the result cannot be written: it is not open for that",
    ]);
  },
);
