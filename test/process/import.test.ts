/** An import as a process: signals, a service that goes away, many rows at once, processes that share them. */

import { cp, readdir, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { row, sheet } from "../support/imports.ts";
import { createServedProcessHome, until } from "../support/process.ts";
import { lacks } from "../support/tools.ts";
import { writeWorkbook } from "../support/workbooks.ts";

const post = { method: "POST", path: "/api/v1/orders" } as const;
const rowsOf = (count: number) => sheet(...Array.from({ length: count }, (_, index) => row(`A-${index}`)));

async function createHome(rows: number) {
  const home = await createServedProcessHome();
  await writeFile(path.join(home.directory, "orders.csv"), rowsOf(rows));
  const posts = () => home.sandbox.requests.filter(({ method }) => method === "POST").length;
  return { ...home, posts };
}

test.skipIf(process.platform !== "linux")(
  "beside an import that Ctrl-Z has stopped, another one says so",
  async () => {
    const home = await createHome(8);
    home.sandbox.faults.set([{ ...post, kind: "latency", ms: 300 }]);
    const stopped = home.start("orders import orders.csv --yes --ndjson --concurrency 2");
    await until("some are under way", () => home.posts() >= 2);
    process.kill(stopped.pid, "SIGSTOP");
    const other = home.start("orders import orders.csv --yes --ndjson");
    try {
      await other.untilStderr(
        new RegExp(
          `another courier process \\(pid ${stopped.pid}, stopped\\) is sending \\d rows? of this file`,
        ),
      );
    } finally {
      process.kill(stopped.pid, "SIGCONT");
    }
    const ends = await Promise.all([stopped.ended, other.ended]);
    expect(
      ends.map(({ exit }) => exit),
      ends[1].stderr,
    ).toEqual([0, 0]);
    expect(home.posts()).toBe(8);
  },
);

describe.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s", (signal, exit) => {
  test("once: what is under way is finished and reported, and the end says how to go on", async () => {
    const home = await createHome(60);
    home.sandbox.faults.set([{ ...post, kind: "latency", ms: 300 }]);
    const running = home.start("orders import orders.csv --yes --ndjson");
    await until("some are under way", () => home.posts() >= 6);
    const sent = home.posts();
    process.kill(running.pid, signal);
    const ended = await running.ended;
    expect(ended).toMatchObject({ exit, signal: null });
    const report = ended.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(report.length).toBeGreaterThanOrEqual(sent);
    expect(report.every(({ outcome }) => outcome === "created")).toBe(true);
    expect(home.posts()).toBe(report.length);
    const lines = ended.stderr.trimEnd().split("\n");
    expect(lines).toContain(
      signal === "SIGINT"
        ? "stopping after the requests in progress; press Ctrl-C again to stop now"
        : "stopping after the requests in progress",
    );
    expect(JSON.parse(lines.at(-1) ?? "").error).toMatchObject({
      message: `stopped: ${report.length} created, ${60 - report.length} not sent`,
      hint: "run the same command again: it continues where it stopped",
      exit,
    });
    home.sandbox.faults.clear();
    expect((await home.courier("orders import orders.csv --yes --ndjson")).exit).toBe(0);
    expect(home.posts()).toBe(60);
  });

  test("twice: it ends at once, only what was under way is in doubt, and the next run finds out what became of it", async () => {
    const home = await createHome(8);
    home.sandbox.faults.set([{ ...post, kind: "stall", times: 4 }]);
    const running = home.start("orders import orders.csv --yes --ndjson");
    const states = async () => {
      const { stdout } = await home.courier("log show 1 --ndjson");
      const operations = stdout.trimEnd().split("\n");
      return operations.map((line) => JSON.parse(line).state).join(" ");
    };
    const all = (state: string) => Array(4).fill(state).join(" ");
    await until("all are under way", () => home.posts() >= 4);
    await expect.poll(states, { timeout: 20_000 }).toBe(`${all("sending")} ${all("sending")}`);
    process.kill(running.pid, signal);
    await running.untilStderr(/stopping after the requests in progress/);
    await expect.poll(states, { timeout: 20_000 }).toBe(`${all("sending")} ${all("unsent")}`);
    process.kill(running.pid, signal);
    const ended = await running.ended;
    expect(ended).toMatchObject({ exit, signal: null });
    expect(JSON.parse(ended.stderr.trimEnd().split("\n").at(-1) ?? "").error).toMatchObject({
      message: "stopped at once: the requests in progress may or may not have taken effect",
      hint: "run the same command again: it continues where it stopped; courier log shows what was done",
      exit,
    });
    const again = await home.courier("orders import orders.csv --yes --ndjson --settle 1s");
    expect(again.exit).toBe(0);
    const { stdout } = await home.courier("orders list --all --ndjson");
    expect(stdout.trimEnd().split("\n")).toHaveLength(8);
  });

  test("while it looks for lost orders, it ends at once: reading harms nobody", async () => {
    const home = await createHome(2);
    home.sandbox.faults.set([
      { ...post, kind: "drop_after" },
      { method: "GET", path: "/api/v1/orders", kind: "stall", after: 1 },
    ]);
    const running = home.start("orders import orders.csv --yes --ndjson");
    const lists = () =>
      home.sandbox.requests.filter(({ path: target }) => target.startsWith("/api/v1/orders?"));
    await until("it looks, after it has compared with the list", () => lists().length >= 2);
    process.kill(running.pid, signal);
    const ended = await running.ended;
    expect(ended).toMatchObject({ exit, signal: null });
    expect(ended.stdout.match(/"outcome":"unknown"/g)).toHaveLength(2);
    home.sandbox.faults.clear();
    expect((await home.courier("orders import orders.csv --yes --ndjson")).exit).toBe(0);
    expect(home.posts()).toBe(2);
  });
});

test("sixty-four rows at once leave nothing on stderr but what is meant", async () => {
  const home = await createHome(200);
  const ran = await home.courier("orders import orders.csv --yes --ndjson --concurrency 64");
  expect(ran.exit).toBe(0);
  // A slow machine shows the progress, too.
  expect(ran.stderr.split("\n").filter((line) => line !== "" && !line.startsWith("["))).toEqual([
    expect.stringMatching(/^200 rows, account: /),
    "from 张三",
    expect.stringMatching(/^This takes 200 calls/),
    "200 rows: 200 created",
  ]);
});

test.skipIf(lacks("head"))(
  "a report that nobody reads any more does not end it: all rows are sent (needs head)",
  async () => {
    const home = await createHome(100);
    const shell = '"$@" | head -1';
    const ran = await home.start("orders import orders.csv --yes --ndjson", { shell }).ended;
    expect(ran.stdout.split("\n")).toHaveLength(2);
    expect(home.posts()).toBe(100);
    expect((await home.courier("orders import orders.csv --yes --ndjson")).exit).toBe(0);
    expect(home.posts()).toBe(100);
  },
);

describe("a process that is killed while it sends", () => {
  const importing = "orders import orders.csv --yes --ndjson --concurrency 2 --settle 1s";

  test("leaves nothing for good: the next one takes its rows over at once", async () => {
    const home = await createHome(8);
    home.sandbox.faults.set([{ ...post, kind: "stall", times: 2 }]);
    const running = home.start(importing);
    await until("two are under way", () => home.posts() >= 2);
    process.kill(running.pid, "SIGKILL");
    expect(await running.ended).toMatchObject({ signal: "SIGKILL" });
    const again = await home.courier(importing);
    expect(again.exit, again.stderr).toBe(0);
    expect(again.stdout.match(/"outcome":"(created|found)"/g)).toHaveLength(8);
    const { stdout } = await home.courier("orders list --all --ndjson");
    expect(stdout.trimEnd().split("\n")).toHaveLength(8);
  });

  test("while another one waits for it: that one takes its rows over", async () => {
    const home = await createHome(40);
    home.sandbox.faults.set([{ ...post, kind: "stall", times: 2 }]);
    const first = home.start(importing);
    await until("two are under way", () => home.posts() >= 2);
    const second = home.start(importing);
    await until("the second has sent others", () => home.posts() >= 3);
    process.kill(first.pid, "SIGKILL");
    const { exit, stdout, stderr } = await second.ended;
    expect(exit, stderr).toBe(0);
    expect(stdout.trimEnd().split("\n")).toHaveLength(40);
    const { stdout: listed } = await home.courier("orders list --all --ndjson");
    expect(listed.trimEnd().split("\n")).toHaveLength(40);
  });
});

test("three processes with one file share its rows, and each reports all of them", async () => {
  const home = await createHome(90);
  home.sandbox.faults.set([{ ...post, kind: "latency", ms: 5 }]);
  const all = await Promise.all([1, 2, 3].map(() => home.courier("orders import orders.csv --yes --ndjson")));
  for (const { exit, stderr } of all) expect(exit, stderr).toBe(0);
  for (const { stdout } of all) expect(stdout.trimEnd().split("\n")).toHaveLength(90);
  expect(home.posts()).toBe(90);
});

test("stopped at once by a second Ctrl-C, it leaves no draft of its rejects", async () => {
  const home = await createHome(8);
  home.sandbox.faults.set([{ ...post, kind: "stall" }]);
  const running = home.start("orders import orders.csv --yes --ndjson --rejects rejects.csv");
  await until("some are under way", () => home.posts() > 0);
  running.child.kill("SIGINT");
  await until("it stops", () => running.stderr.includes("stopping after"));
  running.child.kill("SIGINT");
  expect(await running.ended).toMatchObject({ exit: 130 });
  expect((await readdir(home.directory)).filter((name) => name.includes("rejects"))).toEqual([]);
});

test("rejects that cannot be written are told before anything is sent", async () => {
  const home = await createHome(2);
  const ran = await home.courier("orders import orders.csv --yes --rejects nowhere/rejects.csv");
  expect(ran.exit).toBe(2);
  expect(ran.stderr).toContain("cannot write the rejects to nowhere/rejects.csv: there is no such directory");
  expect(home.posts()).toBe(0);
});

test("stdin is imported without further flags, and no copy of it is kept", async () => {
  const home = await createHome(1);
  const stdin = rowsOf(3);
  const checked = await home.courier("orders import - --check --json", { stdin });
  expect([checked.exit, JSON.parse(checked.stdout).rows]).toEqual([0, 3]);
  const sent = await home.courier("orders import - --yes --json", { stdin });
  expect(sent.exit).toBe(0);
  const left = (await readdir(home.stateDir)).filter((name) => !name.startsWith("ledger.db"));
  expect(left.filter((name) => name !== "completion-orders.json")).toEqual([]);
  expect((await stat(path.join(home.stateDir, "ledger.db"))).mode & 0o777).toBe(0o600);
});

describe.skipIf(process.platform === "win32" || process.env.COURIER_BIN)(
  "while an update takes the files of the program away",
  () => {
    test.each([
      ["csv", ""],
      ["csv", "--csv"],
      ["xlsx", "--json"],
    ])("an import of a .%s goes on to its end, and writes the sheet (%s)", async (form, flags) => {
      const home = await createHome(60);
      home.sandbox.faults.set([{ ...post, kind: "latency", ms: 30 }]);
      const rows = rowsOf(60).trimEnd().split("\n");
      const workbook = { sheets: [{ name: "Orders", rows: rows.map((line) => line.split(",")) }] };
      await writeFile(path.join(home.directory, "orders.xlsx"), writeWorkbook(workbook));
      const [node = "", launcher = ""] = home.program;
      const installed = path.join(home.directory, "installed");
      await cp(path.dirname(path.dirname(launcher)), installed, { recursive: true });
      const shell = `shift 2; exec "${node}" "${installed}/bin/courier.cjs" "$@"`;
      const words = `orders import orders.${form} --yes --concurrency 2 --write-back new.${form} ${flags}`;
      const running = home.start(words, { shell });
      await until("some are sent", () => home.posts() >= 2);
      await rename(installed, `${installed}.old`);
      const { exit, stderr } = await running.ended;
      expect([exit, home.posts()], stderr).toEqual([0, 60]);
      expect(await stat(path.join(home.directory, `new.${form}`))).toMatchObject({
        size: expect.any(Number),
      });
    });
  },
);
