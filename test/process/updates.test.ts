/** An update, by npm or a system's packages, has some of the program's files in place and others not yet. */

import { existsSync } from "node:fs";
import { cp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createServedProcessHome, type ServedProcessHome, until } from "../support/process.ts";

/** A copy of the program that may be changed. */
async function installCopy(home: ServedProcessHome) {
  const root = path.join(path.dirname(home.program.at(-1) ?? ""), "..");
  const copy = path.join(home.directory, "courier-cli");
  for (const part of ["dist", "bin"])
    await cp(path.join(root, part), path.join(copy, part), { recursive: true });
  await symlink(path.join(root, "node_modules"), path.join(copy, "node_modules"));
  return {
    dist: path.join(copy, "dist"),
    run: (words: string) =>
      home.run([process.execPath, path.join(copy, "bin/courier.cjs"), ...words.split(" ").filter(Boolean)]),
  };
}

test.each([
  ["with run.cjs away for a moment, as npm does it", true, "module.exports = {};"],
  ["before run.cjs, as dpkg does it", false, "module.exports = {};"],
  ["and only half of it yet", false, undefined],
])("a part of another version is not loaded into a run: %s", async (_how, isAway, text) => {
  const home = await createServedProcessHome({ latencyMs: 700, seedOrders: 3 });
  const { dist, run } = await installCopy(home);
  expect((await run("sync")).exit).toBe(0);
  const before = home.sandbox.requests.length;
  const loaded = path.join(home.directory, "loaded");
  const running = run("orders show 1");
  await until("it asks", () => home.sandbox.requests.length > before);
  if (isAway) await rm(path.join(dist, "run.cjs"));
  const part = path.join(dist, "account-mirror.cjs");
  const half = (await readFile(part, "utf8")).slice(0, -20);
  await rm(part);
  await writeFile(part, `require("node:fs").writeFileSync(${JSON.stringify(loaded)}, "");${text ?? half}`);
  await running;
  expect(existsSync(loaded)).toBe(false);
});

test.each([0, 3_000])("a start while main.cjs has %d bytes says so, with exit code 5", async (size) => {
  const { dist, run } = await installCopy(await createServedProcessHome());
  const main = path.join(dist, "main.cjs");
  const part = (await readFile(main)).subarray(0, size);
  await rm(main);
  await writeFile(main, part);
  expect(await run("orders list")).toMatchObject({
    exit: 5,
    stdout: "",
    stderr: "error: the files of courier were removed or are being replaced\n",
  });
});

test.each([
  ["main.cjs", "orders list"],
  ["run.cjs", "orders list"],
  ["complete.cjs", ""],
  ["root-help.cjs", "help"],
])("a start without %s says so, with exit code 5", async (missing, words) => {
  const { dist, run } = await installCopy(await createServedProcessHome());
  await rm(path.join(dist, missing));
  const { exit, stdout, stderr } = await run(words);
  expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
  expect(stderr).toMatch(/^error: the files of courier were removed or (?:replaced|are being replaced)/);
  expect(stderr).not.toContain("node:internal");
});
