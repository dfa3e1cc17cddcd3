/** `npx --package ./courier-cli-VERSION.tgz courier install`: one command installs the package for good, without a network. */

import { cpSync, existsSync, readdirSync, realpathSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createProcessHome } from "../support/process.ts";

/** A person who has the packed package, an empty home and an empty prefix of npm. */
async function createPerson() {
  const home = await createProcessHome();
  const at = (name: string) => path.join(home.directory, name);
  const [, program = ""] = home.program;
  for (const part of ["bin", "dist", "package.json"])
    cpSync(path.join(program, "../..", part), at(`sources/${part}`), { recursive: true });
  await mkdir(at("sources/dist/man"), { recursive: true });
  await writeFile(at("sources/dist/man/courier.1"), ".TH courier\n");
  const env = {
    HOME: at("home"),
    SHELL: "/bin/bash",
    PATH: [at("prefix/bin"), process.env.PATH].join(path.delimiter),
    npm_config_prefix: at("prefix"),
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
  };
  await mkdir(at("home"));
  const run = (words: string, more = {}) => home.run(words.split(" "), { env: { ...env, ...more } });
  await run(`npm pack --ignore-scripts --pack-destination ${home.directory} ${at("sources")}`);
  const tarball = at(readdirSync(home.directory).find((name) => name.endsWith(".tgz")) ?? "");
  const npx = (words: string, more = {}) => run(`npx --yes --package ${tarball} courier ${words}`, more);
  return { ...home, at, run, npx };
}

const script = "home/.local/share/bash-completion/completions/courier";

test("one command installs courier, its completions and manual pages; two remove them", async () => {
  const { at, npx, run } = await createPerson();
  await mkdir(path.dirname(at(script)), { recursive: true });
  await writeFile(at(script), "another program's\n");
  const half = await npx("install bash");
  expect(half).toMatchObject({ exit: 2, stderr: expect.stringContaining("courier is installed; try again") });
  await rm(at(script));

  // Again, as to repair or to update, with another courier first in PATH.
  await writeFile(at("prefix/lib/node_modules/courier-cli/dist/main.cjs"), "broken(");
  await mkdir(at("other"));
  await writeFile(at("other/courier"), "#!/bin/sh\n", { mode: 0o755 });
  const installed = await npx("install bash --yes", {
    PATH: [at("other"), process.env.PATH].join(path.delimiter),
  });
  expect(installed.exit, installed.stderr).toBe(0);
  expect(installed.stdout).toContain(`Installed courier in ${at("prefix/bin")}\n`);
  expect(installed.stdout).toContain(`PATH has another courier first, in ${at("other")}\n`);
  const { version } = JSON.parse(await readFile(at("sources/package.json"), "utf8"));
  expect(await run("courier --version")).toMatchObject({ exit: 0, stdout: `${version}\n`, stderr: "" });
  expect(await readFile(at(script), "utf8")).toContain("courier __complete");
  // A directory of its own, not a link into npx's cache.
  const root = path.join(realpathSync(at("prefix")), "lib/node_modules/courier-cli");
  expect(realpathSync(at("prefix/share/man/man1/courier.1"))).toBe(path.join(root, "dist/man/courier.1"));

  await run("courier completion --remove");
  expect(await run("npm uninstall --global courier-cli")).toMatchObject({ exit: 0 });
  expect(readdirSync(at("prefix"), { recursive: true }).join("\n")).not.toContain("courier");
  expect(existsSync(at(script))).toBe(false);
});

test("where npm may not write, its error is shown, and nothing is changed", async () => {
  const { at, npx } = await createPerson();
  expect(await npx("install --help")).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^Usage: npx /),
  });
  expect(existsSync(at("prefix"))).toBe(false);
  await mkdir(at("prefix"));
  await writeFile(at("prefix/lib"), "");
  const { exit, stdout, stderr } = await npx("install bash --yes");
  expect(exit).toBeGreaterThan(0);
  expect(stdout).not.toContain("Installed");
  expect(stderr).toContain("npm error");
  expect(stderr).toContain("error: npm did not install courier");
  expect(existsSync(at(script))).toBe(false);
});

test("without npx, install is no command", async () => {
  const { courier } = await createProcessHome();
  expect(await courier("install")).toMatchObject({ exit: 2 });
});
