/** What `courier completion --install` leaves works in a new shell, and harms none once courier is gone. */

import { cpSync, existsSync, symlinkSync } from "node:fs";
import { mkdir, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createProcessHome } from "../support/process.ts";
import { createShellHome, installByCommand, prompt, shellNames } from "../support/shells.ts";
import { keys } from "../support/terminal.ts";
import { lacks } from "../support/tools.ts";

const config = { addresses: { shop: { city: "new york" } } };

/** Where a shell looks for a program that is missing: systems suggest packages there, which takes seconds. */
const missingHooks = {
  bash: [".bashrc", "command_not_found_handle() { echo asked >> ~/asked; }"],
  zsh: [".zshrc", "command_not_found_handler() { echo asked >> ~/asked; }"],
  fish: [".config/fish/config.fish", "function fish_command_not_found; echo asked >> ~/asked; end"],
} as const;

describe.each(shellNames)("%s", (shell) => {
  test.skipIf(lacks(shell))(`completes in a new shell (needs ${shell})`, async () => {
    const home = await createShellHome(shell, { config }, installByCommand);
    expect(await home.wordsOf("courier ord\tli\t")).toEqual(["orders", "list"]);
    const words = await home.wordsOf("courier orders create --sender-city n\t");
    expect(words).toEqual(["orders", "create", "--sender-city", "new york"]);
  });

  test.skipIf(lacks(shell))(
    `says and looks for nothing once courier is uninstalled (needs ${shell})`,
    async () => {
      const home = await createShellHome(shell, {}, installByCommand);
      const [file, hook] = missingHooks[shell];
      const startUp = path.join(home.directory, file);
      await writeFile(startUp, `${await readFile(startUp, "utf8")}${hook}\n`);
      await rm(path.join(home.directory, "bin/courier"));
      const terminal = await home.start();
      terminal.type("courier ord\t\t");
      terminal.type(`${keys.clear}echo lo""ts\r`);
      await terminal.until(() => /^lots\nready>/m.test(terminal.screen()));
      expect(terminal.screen().trimEnd().split("\n")).toEqual([
        `${prompt}echo lo""ts`,
        "lots",
        prompt.trimEnd(),
      ]);
      expect(existsSync(path.join(home.directory, "asked"))).toBe(false);
    },
  );
});

/** The program as npm 12 installs it below a prefix: one link, and no manual pages. */
async function createPrefix() {
  const home = await createProcessHome();
  const prefix = path.join(home.directory, "prefix");
  const [, program = ""] = home.program;
  const parts = "lib/node_modules/courier-cli";
  for (const part of ["bin", "dist", "package.json"])
    cpSync(path.join(program, "../..", part), path.join(prefix, parts, part), { recursive: true });
  const pages = ["courier.1", "courier-track.1"];
  await mkdir(path.join(prefix, parts, "dist/man"), { recursive: true });
  for (const page of await readdir(path.join(prefix, parts, "dist/man")))
    await rm(path.join(prefix, parts, "dist/man", page));
  for (const page of pages) await writeFile(path.join(prefix, parts, "dist/man", page), `.TH ${page}\n`);
  await mkdir(path.join(prefix, "bin"));
  symlinkSync(`../${parts}/bin/courier.cjs`, path.join(prefix, "bin/courier"));
  const env = { PATH: `${path.join(prefix, "bin")}:${process.env.PATH}` };
  const manual = path.join(prefix, "share/man/man1");
  const courier = (words: string) =>
    home.run([process.execPath, path.join(prefix, "bin/courier"), ...words.split(" ")], { env });
  return { ...home, prefix, parts, pages, manual, courier };
}

describe("the manual pages", () => {
  test("are linked as npm linked them, again after an update, and deleted", async () => {
    const { manual, pages, prefix, parts, courier } = await createPrefix();
    const installed = await courier("completion bash --install");
    expect(installed.exit, installed.stderr).toBe(0);
    expect(installed.stdout).toContain("man   ~/prefix/share/man/man1\n");
    expect((await readdir(manual)).sort()).toEqual([...pages].sort());
    expect(await realpath(path.join(manual, "courier.1"))).toBe(
      await realpath(path.join(prefix, parts, "dist/man/courier.1")),
    );
    await rm(path.join(prefix, parts, "dist/man/courier-track.1"));
    await writeFile(path.join(prefix, parts, "dist/man/courier-find.1"), "");
    expect(await courier("completion bash --install")).toMatchObject({ exit: 0 });
    expect(existsSync(path.join(manual, "courier-find.1"))).toBe(true);
    const removed = await courier("completion --remove");
    expect(removed.stdout).toContain("man   ~/prefix/share/man/man1\n");
    expect(await readdir(manual)).toEqual([]);
  });

  test("of another package stay", async () => {
    const { manual, courier } = await createPrefix();
    await mkdir(manual, { recursive: true });
    await writeFile(path.join(manual, "courier.1"), "another courier");
    expect(await courier("completion bash --install")).toMatchObject({ exit: 0 });
    expect(await courier("completion --remove")).toMatchObject({ exit: 0 });
    expect(await readdir(manual)).toEqual(["courier.1"]);
  });

  test("that cannot be linked are a note: the scripts are installed", async () => {
    const { prefix, courier, directory } = await createPrefix();
    await writeFile(path.join(prefix, "share"), "");
    const ran = await courier("completion bash --install");
    expect(ran).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining("manual pages could not be linked"),
    });
    expect(existsSync(path.join(directory, ".local/share/bash-completion/completions/courier"))).toBe(true);
  });
});
