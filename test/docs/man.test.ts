/** Every command has a manual page that man reads without a warning. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { renderManPages } from "../../scripts/man-page.ts";
import { program } from "../../src/cli/program.ts";
import { defineCommand, document } from "../../src/command/command.ts";
import { textOption } from "../../src/command/options.ts";
import { lacks } from "../support/tools.ts";

const pages = await renderManPages(program, "1.2.3");

test("pages are named as git names its own", () => {
  const names = pages.map(({ fileName }) => fileName);
  expect(names).toContain("courier.1");
  expect(names).toContain("courier-orders.1");
  expect(names).toContain("courier-orders-create.1");
  expect(new Set(names).size).toBe(names.length);
});

test("package.json names all of them, which is how npm puts them where man looks", () => {
  const { man } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, "../../package.json"), "utf8"));
  expect(man).toEqual(pages.map(({ fileName }) => `dist/man/${fileName}`).sort());
});

describe.skipIf(lacks("man", "groff"))("what man (needs man-db, groff) makes of a page", () => {
  test.each(pages.map((page) => [page.fileName, page.text]))("%s: no warning", async (_name, text) => {
    expect(await read(text)).toMatchObject({ warnings: "" });
  });

  test("a synopsis, its options, examples that can be copied, and where to read on", async () => {
    const page = pages.find(({ fileName }) => fileName === "courier-orders-create.1");
    const { screen } = await read(page?.text ?? "");
    await expect(screen).toMatchFileSnapshot("screens/courier-orders-create.txt");
  });

  test("text that roff would take for requests, escapes or quotes is shown as it is", async () => {
    const words = String.raw`.TH 'x' "y" \fBbold\n ~^${"`"} -`;
    const command = defineCommand({
      description: `Before\n\n${words}\n\n'after`,
      arguments: {},
      options: { thing: textOption("NAME", words) },
      examples: [{ line: words, note: words }],
      run: async () => document({}, () => []),
    });
    const commands = [{ name: "odd", summary: "Odd", load: async () => command }];
    const odd = (await renderManPages({ name: "courier", summary: "x", examples: [], commands }, "1")).at(-1);
    const { screen, warnings } = await read(odd?.text ?? "");
    expect(warnings).toBe("");
    expect(screen.split(words)).toHaveLength(5);
    expect(screen).toContain("'after");
  });
});

async function read(text: string): Promise<{ screen: string; warnings: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), "courier-man-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, "page.1");
  await writeFile(file, text);
  const env = { PATH: process.env.PATH, LC_ALL: "C.UTF-8", MANWIDTH: "80", HOME: folder };
  const { stdout, stderr } = spawnSync("man", ["--warnings", "-l", file], { env, encoding: "utf8" });
  return { screen: stdout, warnings: stderr };
}
