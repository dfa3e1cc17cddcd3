/** Ctrl-C, termination and what no run can catch: prompt, one error line, the right exit code, and the truth about a lost order. */

import { connect, createServer } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { applicationId, migrations } from "../../src/ledger/schema.ts";
import { openDatabase } from "../../src/sqlite/database.ts";
import {
  createProcessHome,
  createServedProcessHome,
  type Running,
  until,
  untilRead,
} from "../support/process.ts";
import { running } from "../support/running.ts";

const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGQUIT", 131],
  ["SIGHUP", 129],
] as const;

const promptMs = 1_500;

/** Sends a signal and waits for the end, which must come at once. */
async function stop(running: Running, signal: NodeJS.Signals) {
  const sentMs = Date.now();
  process.kill(running.pid, signal);
  const ended = await running.ended;
  expect(Date.now() - sentMs, "time to the end in ms").toBeLessThan(promptMs);
  return ended;
}

describe.each(signals)("%s", (signal, exit) => {
  test.each([
    ["no answer", { kind: "stall" }],
    ["half an answer", { kind: "stall_body" }],
  ] as const)(`ends a read that has %s: exit ${exit}`, async (_what, fault) => {
    const { sandbox, start } = await createServedProcessHome();
    sandbox.faults.add(fault);
    const running = start("profile");
    await until("asked", () => sandbox.requests.length > 0);
    const ended = await stop(running, signal);
    expect(ended).toMatchObject({ exit, signal: null, stdout: "" });
    expect(ended.stderr).toMatch(/^error: .+\n$/);
    expect(sandbox.requests).toHaveLength(1);
  });

  test(`tells in JSON too: exit ${exit}`, async () => {
    const { sandbox, start } = await createServedProcessHome();
    sandbox.faults.add({ kind: "stall" });
    const running = start("orders list --all --ndjson");
    await until("asked", () => sandbox.requests.length > 0);
    const ended = await stop(running, signal);
    expect(ended).toMatchObject({ exit, stdout: "" });
    expect(JSON.parse(ended.stderr)).toMatchObject({ error: { exit } });
  });

  test("ends a call to a host that never ends the handshake of TLS", async () => {
    let asked = 0;
    const silent = createServer(() => {
      asked += 1;
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as { readonly port: number };
    const { start } = await createServedProcessHome();
    const running = start(`profile --base-url https://127.0.0.1:${port}`);
    await until("asked", () => asked > 0);
    expect(await stop(running, signal)).toMatchObject({ exit, stdout: "" });
  });

  test("ends a wait between two tries", async () => {
    const { sandbox, start } = await createServedProcessHome();
    sandbox.faults.add({ kind: "rate_limit", retryAfter: "20" });
    const running = start("profile");
    await until("asked", () => sandbox.requests.length > 0);
    expect(await stop(running, signal)).toMatchObject({ exit, stdout: "" });
  });

  test("while an order is being sent, says that it may exist and how to check", async () => {
    const { sandbox, start } = await createServedProcessHome();
    sandbox.faults.add({ kind: "stall", method: "POST" });
    const words = "orders create --sender-name A --receiver-name B --item-name C";
    const running = start(words);
    await until("sent", () => sandbox.requests.length > 1);
    const ended = await stop(running, signal);
    expect(ended).toMatchObject({ exit, stdout: "" });
    expect(ended.stderr).toMatch(
      /^error: .*may or may not have been created\nhint: .*courier orders list --from \d{4}-\d\d-\d\d --all; then decide: courier orders resolve 1\.1 .*\n$/,
    );
    expect(sandbox.requests.map(({ method }) => method)).toEqual(["GET", "POST"]);
  });

  test("while an order waits after HTTP 429, says that none was created: it is sent again at once", async () => {
    const { sandbox, start } = await createServedProcessHome();
    sandbox.faults.add({ kind: "rate_limit", method: "POST", retryAfter: "20" });
    const words = "orders create --sender-name A --receiver-name B --item-name C";
    const running = start(words);
    await until("refused", () => sandbox.requests.length > 1);
    const ended = await stop(running, signal);
    expect(ended).toMatchObject({ exit, stdout: "" });
    expect(ended.stderr).toMatch(
      /^error: stopped before the order was sent again: none was created\nhint: run the same command again: it sends the order\n$/m,
    );
    sandbox.faults.set([]);
    expect(await start(words).ended).toMatchObject({ exit: 0 });
    expect(sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(2);
  });

  test("while a raw POST waits after HTTP 429, says how it was answered", async () => {
    const { sandbox, start } = await createServedProcessHome();
    sandbox.faults.add({ kind: "rate_limit", method: "POST", retryAfter: "20" });
    const running = start("api POST orders -f item.name=Book --debug");
    await running.untilStderr(/next try in/);
    const ended = await stop(running, signal);
    expect(ended.exit).toBe(exit);
    expect(ended.stderr).toMatch(
      /^error: stopped after this answer to POST orders: rate limited by the service: .*\n/m,
    );
  });

  test("while a lost order is looked for, says the same", async () => {
    const { sandbox, start } = await createServedProcessHome();
    sandbox.faults.set([
      { kind: "drop_after", method: "POST" },
      { kind: "stall", path: "/api/v1/orders" },
    ]);
    const running = start("orders create --sender-name A --receiver-name B --item-name C --json");
    await until("looked for", () => sandbox.requests.length > 2);
    const ended = await stop(running, signal);
    expect(ended).toMatchObject({ exit, stdout: "" });
    const error = JSON.parse(ended.stderr.trimEnd().split("\n").at(-1) ?? "").error;
    expect(error.exit).toBe(exit);
    expect(error.message).toContain("may or may not have been created");
    expect(error.hint).toContain("courier orders list --from");
  });

  test("stops a served sandbox: exit 0, and its port is free", async () => {
    const { start } = await createProcessHome();
    const running = start("sandbox serve --json");
    const [, port = ""] = await running.untilStdout(/"base_url":"http:\/\/127\.0\.0\.1:(\d+)"/);
    const client = connect(Number(port), "127.0.0.1"); // an idle client does not hold it
    client.on("error", () => {});
    await new Promise((resolve) => client.once("connect", resolve));
    expect(await stop(running, signal)).toMatchObject({ exit: 0, signal: null, stderr: "" });
    client.destroy();
    await expect(canConnect(Number(port))).resolves.toBe(false);

    const again = start(`sandbox serve --port ${port} --json`);
    await again.untilStdout(/base_url/);
    await stop(again, signal);
  });
});

test.each(signals)("%s does not hide an order that was just created", async (signal) => {
  const { sandbox, start, stateDir } = await createServedProcessHome();
  sandbox.faults.add({ kind: "latency", ms: 200, method: "POST" });
  const running = start("orders create --sender-name A --receiver-name B --item-name C --json");
  await until("sent", () => sandbox.requests.length > 1);
  const other = await openDatabase({
    path: ledgerPath(stateDir),
    title: "ledger",
    applicationId,
    migrations,
  });
  other.exec("BEGIN IMMEDIATE"); // as another run that writes
  await running.untilStderr(/The service says/);
  process.kill(running.pid, signal);
  other.exec("ROLLBACK");
  other.close();
  const { stdout } = await running.ended;
  expect(sandbox.requests.map(({ method }) => method)).toEqual(["GET", "POST"]);
  expect(JSON.parse(stdout)).toMatchObject({ status: "pending" });
});

test.each(signals)(
  "%s ends the wait for a ledger that another process keeps locked: exit %i",
  async (signal, exit) => {
    const { sandbox, start, stateDir } = await createServedProcessHome();
    const other = await openDatabase({
      path: ledgerPath(stateDir),
      title: "ledger",
      applicationId,
      migrations,
    });
    other.exec("BEGIN IMMEDIATE");
    const running = start("orders create --sender-name A --receiver-name B --item-name C");
    await running.untilStderr(/waiting for another courier process that is writing to .*ledger\.db/);
    const ended = await stop(running, signal);
    other.close();
    expect(ended).toMatchObject({ exit, signal: null, stdout: "" });
    expect(sandbox.requests.filter(({ method }) => method === "POST")).toEqual([]);
  },
);

test.each([
  ["files", ">> out.txt 2>&1"],
  ["nothing", "> /dev/null 2>&1"],
])("SIGHUP does not end what reads nothing and writes to %s, as nohup leaves it", async (_what, files) => {
  const { sandbox, start } = await createServedProcessHome();
  sandbox.faults.add({ kind: "latency", ms: 300 });
  const running = start("profile", { shell: `exec "$@" < /dev/null ${files}` });
  await until("asked", () => sandbox.requests.length > 0);
  process.kill(running.pid, "SIGHUP");
  expect(await running.ended).toMatchObject({ exit: 0, signal: null });
});

test("a second Ctrl-C ends at once what the first could not", async () => {
  const { start } = await createServedProcessHome({ seedOrders: 5_000 });
  const running = start("orders list --all --ndjson");
  await running.untilStdout(/\n/);
  running.child.stdout?.pause(); // what is written from now on waits for a reader
  let isOver = false;
  running.child.once("exit", () => {
    isOver = true;
  });
  let sentMs = 0;
  await until("ended", () => {
    // A signal may be lost in the one before it, and one during the end itself is the system's to answer.
    if (!isOver && Date.now() - sentMs > 2_000) {
      process.kill(running.pid, "SIGINT");
      sentMs = Date.now();
    }
    return isOver;
  });
  running.child.stdout?.resume();
  const { exit, signal, stderr } = await running.ended;
  expect({ exit, signal }).toEqual({ exit: 130, signal: null });
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stderr, "it changed nothing").not.toContain("stopped at once");
});

test.each(["api DELETE orders/1000001 --json", "api PUT orders/1000001 --json"])(
  "a raw call that a signal cuts off may have taken effect: %s",
  async (words) => {
    const { sandbox, start, courier } = await createServedProcessHome();
    await courier("orders create --sender-name A --receiver-name B --item-name C --yes");
    sandbox.faults.add({ kind: "stall" });
    const running = start(words);
    const method = words.split(" ")[1];
    await until("sent", () => sandbox.requests.some((each) => each.method === method));
    process.kill(running.pid, "SIGINT");
    const { exit, stderr } = await running.ended;
    expect([exit, JSON.parse(stderr).error], stderr).toMatchObject([
      130,
      {
        code: "outcome_unknown",
        message: `stopped while ${method} orders/1000001 was being sent: it may or may not have taken effect`,
      },
    ]);
  },
);

test("a sandbox that answers many calls at once says nothing of it", async () => {
  const { start } = await createProcessHome();
  const running = start("sandbox serve --latency 300 --json");
  const { base_url } = JSON.parse((await running.untilStdout(/\{.*\}/))[0]) as { base_url: string };
  const answers = await Promise.all(Array.from({ length: 16 }, () => fetch(`${base_url}/api/v1/orders`)));
  expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(401));
  running.child.kill("SIGINT");
  expect((await running.ended).stderr).not.toMatch(/warning/i);
});

test("a second Ctrl-C during an undo says that it stopped at once, and what to do", async () => {
  const { sandbox, start, courier } = await createServedProcessHome();
  await courier("orders create --sender-name A --receiver-name B --item-name C --yes");
  sandbox.faults.add({ kind: "stall", method: "DELETE" });
  const running = start("undo 1 --yes");
  await until("sent", () => sandbox.requests.some(({ method }) => method === "DELETE"));
  process.kill(running.pid, "SIGINT");
  await running.untilStderr(/stopping after the requests in progress/);
  process.kill(running.pid, "SIGINT");
  const { exit, stderr } = await running.ended;
  expect(exit).toBe(130);
  expect(stderr).toMatch(
    /\nerror: stopped at once: the requests in progress may or may not have taken effect\nhint: run the same command again.*; courier log shows what was done\n$/,
  );
});

test.each(["orders show 1000001", "orders cancel 1000001 --yes"])(
  "a cancel that was stopped is settled by %s, which shows that the order is cancelled",
  async (line) => {
    const home = await createServedProcessHome();
    await home.courier("orders create --sender-name A --receiver-name B --item-name C --yes");
    home.sandbox.faults.set([{ kind: "stall", method: "DELETE" }]);
    const running = home.start("orders cancel 1000001 --yes");
    await until("it is sent", () => home.sandbox.requests.some(({ method }) => method === "DELETE"));
    process.kill(running.pid, "SIGINT");
    await running.ended;
    home.sandbox.faults.clear();
    const another = { env: { COURIER_STATE_DIR: path.join(home.directory, "another") } };
    expect((await home.courier("orders cancel 1000001 --yes", another)).exit).toBe(0);
    await home.courier("orders list --all"); // what the list shows is known to the Tab key from now on
    const doubts = async () => (await home.courier("log --unknown --ndjson")).stdout;
    expect((await home.courier(line)).exit).toBe(0);
    expect(await doubts()).toBe("");
  },
);

test.each(signals)("%s ends the wait for a key that nobody pipes in: exit %i", async (signal, exit) => {
  const { start } = await createProcessHome();
  const running = start("login --base-url https://service.invalid", { stdin: { open: true } });
  await untilRead(running);
  expect(await stop(running, signal)).toMatchObject({ exit, signal: null, stdout: "" });
});

/** Runs until it is ended, and hears of no request to end. */
const slowKeyCommand = `sh -c 'trap "" INT TERM; echo begun >&2; exec sleep 20'`;

test.each(signals)("%s ends a login while its key command runs: exit %i", async (signal, exit) => {
  const { start } = await createProcessHome();
  const login = ["login", "--base-url", "https://service.invalid", "--key-command", slowKeyCommand];
  const running = start(login);
  await running.untilStderr(/^begun$/m);
  expect(await stop(running, signal)).toMatchObject({ exit, signal: null, stdout: "" });
});

test.runIf(process.platform === "linux")(
  "a signal ends what a key command has started, too (processes by /proc)",
  async () => {
    const { start } = await createProcessHome();
    const command = `sh -c 'trap "" INT TERM; sleep 300 & echo "begun $!" >&2; wait'`;
    const login = start(["login", "--base-url", "https://service.invalid", "--key-command", command]);
    const [, pid = ""] = await login.untilStderr(/^begun (\d+)$/m);
    expect(running([pid])).toEqual([pid]);
    expect(await stop(login, "SIGINT")).toMatchObject({ exit: 130 });
    await until("it has ended", () => running([pid]).length === 0);
  },
);

test.each(signals)("%s stops a served sandbox whose clients are stuck: exit 0", async (signal) => {
  const { start } = await createProcessHome();
  const running = start("sandbox serve --latency 600000 --json");
  const [, port = ""] = await running.untilStdout(/"base_url":"http:\/\/127\.0\.0\.1:(\d+)"/);
  const requests = [
    "GET /api/v1/orders HTTP/1.1\r\nhost: x\r\n\r\n",
    "POST /api/v1/orders HTTP/1.1\r\nhost: x\r\n",
  ];
  for (const text of requests) {
    const client = connect(Number(port), "127.0.0.1");
    client.on("error", () => {});
    await new Promise<void>((resolve) => client.write(text, () => resolve()));
    onTestFinished(() => void client.destroy());
  }
  expect(await stop(running, signal)).toMatchObject({ exit: 0, signal: null, stderr: "" });
});

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const client = connect(port, "127.0.0.1");
    client.on("connect", () => {
      client.destroy();
      resolve(true);
    });
    client.on("error", () => resolve(false));
  });
}

test("an order whose sending was killed is looked for before an equal one is sent", async () => {
  const { sandbox, start, courier } = await createServedProcessHome();
  sandbox.faults.add({ kind: "stall", method: "POST" });
  const words = "orders create --sender-name A --receiver-name B --item-name C";
  const running = start(words);
  await until("sent", () => sandbox.requests.some(({ method }) => method === "POST"));
  process.kill(running.pid, "SIGKILL");
  expect(await running.ended).toMatchObject({ signal: "SIGKILL" });
  sandbox.faults.clear();
  const again = await courier(words);
  expect(again.exit).toBe(2);
  expect(again.stderr).toMatch(/the same order was sent .*, as 1000001; nothing was sent/);
  expect(sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  expect((await courier(`${words} --allow-duplicate`)).exit).toBe(0);
});

/** Throws in the middle of a run, from outside all that it waits for. */
const thrower = `process.on("SIGUSR2", () => {
  throw new Error("boom " + process.env.COURIER_API_KEY + " \\u001b[2J");
})`;

// The standalone executable imports nothing that an environment names.
const forms: [string, string, RegExp][] = [
  ["human", "", /^error: internal error: boom \[redacted\] \S*\[2J\nhint: run it again with --debug/],
  ["JSON", "--json", /^\{"error":\{"code":"bug","message":"internal error: boom \[redacted\] /],
];

if (!process.env.COURIER_BIN)
  test.each(forms)(
    "what no run can catch is told like any other mistake, the key masked: %s",
    async (_form, flag, told) => {
      const home = await createServedProcessHome();
      home.sandbox.faults.set([{ kind: "stall" }]);
      const options = `--import data:text/javascript,${encodeURIComponent(thrower)}`;
      const running = home.start(`orders list ${flag}`, { env: { NODE_OPTIONS: options } });
      await until("it waits for an answer", () => home.sandbox.requests.length > 0);
      running.child.kill("SIGUSR2");
      const { exit, stdout, stderr } = await running.ended;
      expect([exit, stdout]).toEqual([70, ""]);
      expect(stderr).toMatch(told);
      expect(stderr).not.toContain("\u001b");
    },
  );
