/** The jobs of examples/ run as they stand there: each line of the crontab, and each command of the workflow. */

import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { placeInputs } from "../support/examples.ts";
import { createServedProcessHome } from "../support/process.ts";
import { lacks } from "../support/tools.ts";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const crontab = read("examples/crontab");
const workflow = read("examples/github-actions.yml");

/** A home with the example's files and `courier` on the path, which has no other account than that of `env`. */
async function createJobHome() {
  const home = await createServedProcessHome();
  await placeInputs(home.directory);
  const bin = path.join(home.directory, "bin");
  await mkdir(bin);
  await writeFile(
    path.join(bin, "courier"),
    `#!/bin/sh\nexec ${home.program.map((word) => `'${word}'`).join(" ")} "$@"\n`,
  );
  await chmod(path.join(bin, "courier"), 0o755);
  const searchPath = `${bin}:${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
  const run = (command: string, env: Record<string, string | undefined> = {}) =>
    home.run(["/bin/sh", "-ec", command], { env: { PATH: searchPath, TZ: "UTC", ...env } });
  return { ...home, run };
}

const createOrder = "courier orders create --file order.json --yes";

test.skipIf(lacks("sh", "flock"))(
  "examples/crontab prints what is new, and nothing where nothing is (needs flock)",
  async () => {
    const { run } = await createJobHome();
    const commands = crontab
      .split("\n")
      .flatMap((line) => /^(?:[\d*]\S* +){5}(courier .*|flock .*)$/.exec(line)?.[1] ?? []);
    expect(commands.map((command) => /courier \w+/.exec(command)?.[0])).toEqual([
      "courier track",
      "courier sync",
      "courier late",
    ]);
    for (const command of commands) expect(command).not.toContain("%"); // a line break to cron
    await run(createOrder);
    const printed: string[] = [];
    for (const command of [...commands, ...commands]) {
      const ran = await run(command);
      expect(ran, command).toMatchObject({ exit: 0, stderr: "" });
      printed.push(ran.stdout);
    }
    expect(printed[0]).toContain("pending");
    expect(printed.slice(1)).toEqual(["", "", "", "", ""]);
  },
);

test("docs/cron.md shows examples/crontab", () => {
  expect(read("docs/cron.md")).toContain(`\`\`\`crontab\n${crontab}\`\`\`\n`);
});

/** The commands of the steps by their names; those of `uses:` run at GitHub only. */
function stepsOf(text: string): ReadonlyMap<string, string> {
  const steps = text.split(/^ {6}- /m).slice(1);
  return new Map(
    steps.flatMap((step) => {
      const name = /^name: (.*)$/m.exec(step)?.[1];
      const block = /^ {8}run: \|\n((?: {10}.*\n)+)/m.exec(step)?.[1]?.replace(/^ {10}/gm, "");
      const command = block ?? /^ {8}run: (.*)$/m.exec(step)?.[1];
      return name !== undefined && command !== undefined ? [[name, command] as const] : [];
    }),
  );
}

test.skipIf(lacks("sh", "jq"))(
  "examples/github-actions.yml ships once, keeps what shipped, and stops without a ledger (needs jq)",
  async () => {
    const { run, stateDir, sandbox } = await createJobHome();
    const steps = stepsOf(workflow);
    expect([...steps.keys()]).toEqual(["Install", "Stop without a ledger", "Ship", "Late orders", "Summary"]);
    const step = (name: string, env = {}) => run(steps.get(name) ?? expect.fail(name), env);
    expect((await step("Stop without a ledger", { FIRST_RUN: "" })).exit).toBe(1);
    expect((await step("Stop without a ledger", { FIRST_RUN: "true" })).exit).toBe(0);
    for (const summary of ["3 created", "3 shipped"]) {
      expect(await step("Ship")).toMatchObject({ exit: 0, stdout: "" });
      expect((await step("Summary")).stdout.trim()).toBe(summary);
      expect(existsSync(path.join(stateDir, "ledger.db"))).toBe(true);
      expect((await step("Stop without a ledger", { FIRST_RUN: "" })).exit).toBe(0);
    }
    expect(await step("Late orders")).toMatchObject({ exit: 0 });
    expect(sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(3);
  },
);

test("the workflow keeps the state directory that it names, one run at a time", () => {
  const [, place = ""] = /COURIER_STATE_DIR: \$\{\{ github\.workspace \}\}\/(.*)/.exec(workflow) ?? [];
  const paths = [...workflow.matchAll(/^ +path: (.*)$/gm)].map(([, each]) => each);
  expect(paths).toEqual([place, place]);
  expect(workflow).toMatch(/concurrency:\n {2}group: .*\n {2}cancel-in-progress: false/);
});
