/** The file of an import as the system gives it: pipes with a name, and a copy that no end leaves behind. */

import { closeSync, createWriteStream, openSync, readdirSync, readlinkSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { row, sheet } from "../support/imports.ts";
import { createServedProcessHome, until } from "../support/process.ts";
import { lacks } from "../support/tools.ts";

const post = { method: "POST", path: "/api/v1/orders" } as const;
const rows = sheet(row("A-1"), row("A-2"), row("A-3"));

async function createHome() {
  const home = await createServedProcessHome();
  await writeFile(path.join(home.directory, "orders.csv"), rows);
  return home;
}

/** Whether the process has the file open. */
function isReading(pid: number, file: string): boolean {
  const directory = `/proc/${pid}/fd`;
  return readdirSync(directory).some((name) => {
    try {
      return readlinkSync(path.join(directory, name)) === file;
    } catch {
      return false; // closed meanwhile
    }
  });
}

describe("a file that the shell adds the output to", () => {
  test.each([
    ["orders import orders.csv --yes --csv", ">> orders.csv", "orders.csv"],
    ["orders import orders.csv --yes", "2>> orders.csv", "orders.csv"],
    ["orders import - --yes --csv", "< orders.csv >> orders.csv", "the file at stdin"],
    ["orders write-back orders.csv -o done.csv --json", ">> orders.csv", "orders.csv"],
    ["orders create --file order.json --json", ">> order.json", "order.json"],
    ["addresses import orders.csv --json", ">> orders.csv", "orders.csv"],
  ])("is not read, and nothing is sent: courier %s %s", async (words, redirection, name) => {
    const home = await createHome();
    await writeFile(path.join(home.directory, "order.json"), "{}");
    const { exit, stderr } = await home.courier(words, { shell: `exec "$@" ${redirection}` });
    const said = stderr || (await readFile(path.join(home.directory, "orders.csv"), "utf8"));
    expect([exit, said]).toEqual([
      2,
      expect.stringContaining(`${name} is read, and the shell adds what is printed to it`),
    ]);
    expect(home.sandbox.requests.filter(({ method }) => method === "POST")).toEqual([]);
    if (stderr !== "") expect(await readFile(path.join(home.directory, "orders.csv"), "utf8")).toBe(rows);
  });
});

describe.skipIf(process.platform !== "linux" || lacks("mkfifo", "cat"))(
  "a pipe with a name (needs mkfifo)",
  () => {
    /** One of its threads waits in the system for the other end of a pipe. */
    async function isOpening(pid: number): Promise<boolean> {
      const tasks = await readdir(`/proc/${pid}/task`);
      const places = await Promise.all(
        tasks.map((task) => readFile(`/proc/${pid}/task/${task}/wchan`, "utf8")),
      );
      return places.includes("wait_for_partner");
    }

    test("is imported as stdin is: without further flags, read once", async () => {
      const home = await createHome();
      const shell = 'mkfifo p && { cat orders.csv > p & } && exec "$@"';
      const words = "orders import p --json";
      const sent = await home.courier(`${words} --yes`, { shell });
      expect([sent.exit, JSON.parse(sent.stdout).length], sent.stderr).toEqual([0, 3]);
      const again = await home.courier(`${words} --yes`, { shell: shell.replace("mkfifo p", "true") });
      expect([again.exit, again.stdout.match(/"shipped"/g)?.length], again.stderr).toEqual([0, 3]);
    });

    test.skipIf(lacks("bash"))(
      "of a shell's own, for the output of a command, is too (needs bash)",
      async () => {
        const home = await createHome();
        const line = 'exec "$@" <(cat orders.csv)';
        const checked = await home.run(
          ["bash", "-c", line, "bash", ...home.program, ..."orders import --check --json".split(" ")],
          {},
        );
        expect(checked.exit, checked.stderr).toBe(0);
        expect(JSON.parse(checked.stdout)).toMatchObject({ rows: 3, to_send: 3 });
      },
    );

    const words = [
      "orders import p --yes",
      "addresses import p",
      "orders create --file p --yes",
      "api POST orders --input p",
    ];
    test.each(words)("that nobody writes to holds no signal up: %s", async (line) => {
      const home = await createHome();
      await home.run(["mkfifo", "p"]);
      const running = home.start(line, { limitMs: 10_000 });
      await until("it waits for a writer", () => isOpening(running.pid));
      process.kill(running.pid, "SIGTERM");
      expect(await running.ended).toMatchObject({ exit: 143, signal: null });
    });

    test.each(words)("whose writer has paused holds no signal up: %s", async (line) => {
      const home = await createHome();
      await home.run(["mkfifo", "p"]);
      const running = home.start(line, { limitMs: 10_000 });
      const writer = createWriteStream(path.join(home.directory, "p"));
      await new Promise((resolve) => writer.write("ref,", resolve));
      process.kill(running.pid, "SIGTERM");
      const ended = await running.ended;
      writer.on("error", () => {}).destroy();
      expect(ended).toMatchObject({ exit: 143, signal: null });
    });
  },
);

/** As on a disk that hangs, a read of it ends at no signal. Where it can be read, it has nothing to say most of the time. */
const kernelLog = "/proc/kmsg";

function canReadKernelLog(): boolean {
  try {
    closeSync(openSync(kernelLog, "r"));
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!canReadKernelLog())("a read that hangs holds no signal up (needs root)", () => {
  test.each([
    `orders import ${kernelLog} --yes`,
    `addresses import ${kernelLog}`,
    `orders create --file ${kernelLog} --yes`,
    `api POST orders --input ${kernelLog}`,
  ])("%s", async (line) => {
    const home = await createHome();
    const running = home.start(line, { limitMs: 10_000 });
    await until("it reads", () => isReading(running.pid, kernelLog));
    process.kill(running.pid, "SIGTERM");
    const { exit, signal, stderr } = await running.ended;
    expect([143, "SIGTERM"], stderr).toContain(exit ?? signal); // it may come before the read
    expect(stderr).toContain("terminated");
    expect(home.sandbox.requests).toEqual([]);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("nor does a second %s at once", async (name, code) => {
    const home = await createHome();
    const running = home.start(`orders import ${kernelLog} --yes`, { limitMs: 10_000 });
    await until("it reads", () => isReading(running.pid, kernelLog));
    process.kill(running.pid, name);
    await new Promise((resolve) => setTimeout(resolve, 100));
    running.child.kill(name); // it may have ended by then
    const { exit, signal, stderr } = await running.ended;
    expect([code, name], stderr).toContain(exit ?? signal);
  });
});

test("a run that is killed while it sends leaves no copy of the orders behind", async () => {
  const home = await createHome();
  home.sandbox.faults.set([{ ...post, kind: "stall" }]);
  const running = home.start("orders import orders.csv --yes");
  await until("sent", () => home.sandbox.requests.some(({ method }) => method === "POST"));
  process.kill(running.pid, "SIGKILL");
  expect(await running.ended).toMatchObject({ signal: "SIGKILL" });
  expect((await readdir(home.stateDir)).filter((name) => name.startsWith("input-"))).toEqual([]);
  expect(await readdir(home.tmpDir)).toEqual([]);
});

test.each([
  ["stdin", "orders.csv"],
  ["stdout", "report.txt"],
  ["stderr", "errors.txt"],
])("--rejects that a shell has opened as %s: exit 2, and nothing is sent", async (stream, rejects) => {
  const home = await createHome();
  const shell = 'exec "$@" < orders.csv > report.txt 2> errors.txt';
  const { exit } = await home.courier(`orders import - --yes --rejects ${rejects}`, { shell });
  const told = await readFile(path.join(home.directory, "errors.txt"), "utf8");
  expect([exit, home.sandbox.requests], told).toEqual([2, []]);
  expect(told).toContain(`error: --rejects ${rejects} is the same file as ${stream}\n`);
  expect(await readdir(home.directory)).not.toContain(`${rejects}.old`);
});
