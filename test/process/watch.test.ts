/** A watch as a process in a pipe: what it tells is there at once, readers may be slow or leave, signals end it. */

import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { row, sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import { createServedProcessHome, type ServedProcessHome, until } from "../support/process.ts";
import { lacks } from "../support/tools.ts";

async function homeWithParcel(): Promise<{ home: ServedProcessHome; number: string }> {
  const home = await createServedProcessHome();
  const { baseUrl, apiKey } = home.sandbox;
  const answer = await fetch(`${baseUrl}/api/v1/orders`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(plainDraft),
  });
  const { data } = (await answer.json()) as { data: { tracking_number: string } };
  return { home, number: data.tracking_number };
}

const watch = (number: string, more = "") => `track ${number} --watch --interval 1s --yes ${more}`;

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("each change is readable as soon as it is seen; %s: exit %d", async (signal, exit) => {
  const { home, number } = await homeWithParcel();
  const running = home.start(watch(number, "--ndjson"));
  await running.untilStdout(/"current":"pending".*\n/);
  await home.sandbox.advance({ trackingNumber: number, to: "picked" });
  await running.untilStdout(/"previous":"pending","current":"picked".*\n/);
  running.child.kill(signal);
  const ended = await running.ended;
  expect(ended.exit).toBe(exit);
  expect(ended.stdout.trimEnd().split("\n")).toHaveLength(2);
});

test("a reader that takes its time misses nothing", async () => {
  const { home, number } = await homeWithParcel();
  // Longer than a pipe holds, so that the watch has to wait for its reader.
  const body = (step: string) =>
    JSON.stringify({
      success: true,
      data: { tracking_number: number, status: step, current_location: "长".repeat(60_000) },
    });
  const rule = {
    kind: "status",
    status: 200,
    contentType: "application/json",
    path: "/api/v1/tracking/.+",
  } as const;
  home.sandbox.faults.set([
    { ...rule, body: body("picked"), times: 1 },
    { ...rule, body: body("in_transit"), times: 1 },
    { ...rule, body: body("delivered") },
  ]);
  const running = home.start(watch(number, "--ndjson"));
  running.child.stdout?.pause();
  while (home.sandbox.requests.filter(({ path }) => path.includes("tracking")).length < 2) await wait(5);
  running.child.stdout?.resume();
  const { exit, stdout } = await running.ended;
  expect(exit).toBe(0);
  const states = stdout
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { current: string }).current);
  expect(states).toEqual(["picked", "in_transit", "delivered"]);
});

test.skipIf(lacks("head")).each([
  ["human", "", "-n 1"],
  ["NDJSON", "--ndjson", "-n 1"],
  ["JSON", "--json", "-c 20"], // which is one line
])(
  "a reader that leaves ends the watch at the next change: exit 0, and no complaint (%s; needs head)",
  async (_form, flag, some) => {
    const { home, number } = await homeWithParcel();
    const running = home.start(watch(number, `--quiet ${flag}`), {
      shell: `{ "$@"; echo "exit $?" >&2; } | { head ${some} >/dev/null; echo gone >&2; }`,
    });
    await running.untilStderr(/gone/);
    await home.sandbox.advance({ trackingNumber: number, to: "picked" });
    expect((await running.ended).stderr).toBe("gone\nexit 0\n");
  },
);

/** A command that starts another one, which hears of no request to end; both note their ids. */
const deaf = `trap "" TERM INT; echo $$ > leader; sh -c 'trap "" TERM INT; echo $$ > child; while :; do sleep 0.1; done' & wait`;

async function startDeaf() {
  const { home, number } = await homeWithParcel();
  const running = home.start([...watch(number, "--ndjson").split(" ").filter(Boolean), "--exec", deaf]);
  await running.untilStdout(/"current":"pending".*\n/);
  await home.sandbox.advance({ trackingNumber: number, to: "picked" });
  const read = (name: string) => readFile(path.join(home.directory, name), "utf8").catch(() => "");
  await until("the command runs", async () => /\n/.test(await read("child")));
  const pids = [Number(await read("leader")), Number(await read("child"))];
  return { home, running, isAlive: () => pids.some((pid) => isRunning(pid)) };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test.each([
  ["SIGINT", 130],
  ["SIGHUP", 129],
] as const)("%s ends the command of --exec with all that it has started", async (signal, code) => {
  const { home, number } = await homeWithParcel();
  const command = "sleep 100 & echo $! > child; wait";
  const running = home.start([...watch(number, "--ndjson").split(" ").filter(Boolean), "--exec", command]);
  await running.untilStdout(/"current":"pending".*\n/);
  await home.sandbox.advance({ trackingNumber: number, to: "picked" });
  const read = () => readFile(path.join(home.directory, "child"), "utf8").catch(() => "");
  await until("the command runs", async () => /\n/.test(await read()));
  const pid = Number(await read());
  running.child.kill(signal);
  const { exit } = await running.ended;
  expect(exit).toBe(code);
  await until("ended", () => !isRunning(pid));
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGQUIT", 131],
] as const)("one %s is enough to end a command that hears of no signal", async (signal, code) => {
  const { running, isAlive } = await startDeaf();
  running.child.kill(signal);
  const ended = await running.ended;
  expect({ exit: ended.exit, signal: ended.signal }).toEqual({ exit: code, signal: null });
  expect(ended.stderr).toContain(`"exit":${code}`);
  await until("ended", () => !isAlive());
});

test("a second Ctrl-C ends a watch at once, and a command that hears of no signal with it: exit 130", async () => {
  const { running, isAlive } = await startDeaf();
  running.child.kill("SIGINT");
  await wait(100);
  expect(isAlive()).toBe(true);
  const sentMs = performance.now();
  running.child.kill("SIGINT");
  const { exit, signal } = await running.ended;
  expect({ exit, signal }).toEqual({ exit: 130, signal: null });
  expect(performance.now() - sentMs).toBeLessThan(1_000);
  await until("ended", () => !isAlive());
});

test("a second Ctrl-C ends an import that waits for an answer: exit 130", async () => {
  const home = await createServedProcessHome();
  home.sandbox.faults.add({ kind: "stall", method: "POST" });
  await writeFile(path.join(home.directory, "o.csv"), sheet(row("A-1"), row("A-2")));
  const running = home.start("orders import o.csv --yes");
  await until("sent", () => home.sandbox.requests.some(({ method }) => method === "POST"));
  running.child.kill("SIGINT");
  await wait(100);
  expect(running.child.exitCode).toBeNull();
  running.child.kill("SIGINT");
  expect(await running.ended).toMatchObject({ exit: 130, signal: null });
});
