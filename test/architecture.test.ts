/** The proof that src/ keeps the rules of docs/architecture.md, and that each rule notices a breach. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  findBreaches,
  findIdleOwners,
  findSmallFiles,
  layers,
  owners,
  type SourceFile,
  smallFiles,
} from "./support/architecture.ts";

describe("src/", () => {
  const files = readSources();

  test("keeps the rules", () => {
    expect(describeBreaches(files)).toEqual([]);
  });

  test("has the entries from which eager imports are followed", () => {
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(["src/main.ts", "src/cli/run.ts", "src/cli/complete.ts"]));
  });

  test("has a reason for each small file with one user, and no reason without such a file", () => {
    expect(findSmallFiles(files)).toEqual(Object.keys(smallFiles));
  });

  test("imports every package in the table of owners", () => {
    expect(findIdleOwners(files)).toEqual([]);
  });
});

describe("what keeps the rules is let through", () => {
  test("each layer may import all layers below it and its own folder", () => {
    const folders = layers.flat().filter((folder) => folder !== "main.ts");
    const low = folders.map((folder) => file(`src/${folder}/low.ts`, "export const a = 1;"));
    const high = layers.flatMap((row, index) =>
      row.flatMap((folder) =>
        [folder, ...layers.slice(0, index).flat()].map((target) =>
          file(
            `src/${folder}/${target}-user.ts`,
            `import { a } from "../${target}/low.ts";`,
            "export const b = a;",
          ),
        ),
      ),
    );
    const nested = file("src/core/deep/one.ts", 'import { a } from "../low.ts";', "export const b = a;");
    const withoutEntry = high.filter(({ path }) => !path.startsWith("src/main.ts/"));
    expect(describeBreaches([...low, ...withoutEntry, nested])).toEqual([]);
  });

  test("a package in its owner, by a path inside it or on demand", () => {
    const files = Object.entries(owners)
      .filter(([name]) => name !== "conf")
      .map(([name, path]) => file(path, `import { a } from "${name}/deep";`, "export const b = a;"));
    expect(describeBreaches(files)).toEqual([]);
    const text = 'export const loadConf = async () => (await import("conf")).default;';
    expect(describeBreaches([file("src/config/whole-file.ts", text)])).toEqual([]);
  });

  test("lazy packages behind a dynamic import, or behind imports of types only", () => {
    const files = [
      file(
        "src/main.ts",
        'import type { B } from "./api/transport.ts";',
        'const { b } = await import("./api/transport.ts");',
        "b(process.argv as unknown as B);",
      ),
      file(
        "src/api/transport.ts",
        'import { request } from "undici";',
        "export const b = request;",
        "export type B = 1;",
      ),
    ];
    expect(describeBreaches(files)).toEqual([]);
  });

  test("what looks like a breach but stands in a comment, a string, a pattern or a member's name", () => {
    const quiet = file(
      "src/api/quiet.ts",
      "// process.exit(1); export default 1; it's",
      '/* import { a } from "nowhere"; " */',
      "export const quoted = \"process.exit(1) // 'import' from\" + 'export default \\' process';",
      `export const template = \`process.exit(1) \${quoted.replace(/\`process'"/g, \`}\${"process"}\`)} import "x"\`;`,
      "export const pattern = /['\"`/]process.exit\\(\\//g, half = quoted.length / 2 / 1;",
      "export interface Facts {",
      "  process: string;",
      "  readonly exit?: number;",
      "}",
      "export const member = (facts: Facts) => facts.process + facts.exit + { process: 1 }.process;",
      "export function from(text: string) {",
      '  let count = text.split(" from ").length;',
      "  return count++;",
      "}",
      "export const known = new Set([1]);",
      "export const lines = `",
      "process.exit(1)",
      "`;",
    );
    expect(describeBreaches([quiet])).toEqual([]);
  });
});

describe("a planted breach is found", () => {
  const plants = [
    plant(
      "layers at src/core/a.ts:2: core imports model",
      file("src/core/a.ts", 'import { b } from "../model/b.ts";'),
    ),
    plant(
      "layers at src/api/a.ts:2: api imports terminal",
      file("src/api/a.ts", 'import { b } from "../terminal/b.ts";'),
    ),
    plant(
      "layers at src/sheets/a.ts:2: sheets imports api",
      file("src/sheets/a.ts", 'import type { B } from "../api/b.ts";'),
    ),
    plant(
      "layers at src/forms/a.ts:2: forms imports cli",
      file("src/forms/a.ts", 'export * from "../cli/b.ts";', "const c = 1;"),
    ),
    plant(
      "layers at src/orders/x/a.ts:3: orders imports cli",
      file("src/orders/x/a.ts", "const lazy = () =>", '  import("../../cli/b.ts");'),
    ),
    plant(
      "layers at src/cli/a.ts:2: cli imports main.ts",
      file("src/cli/a.ts", 'import { b } from "../main.ts";'),
    ),
    plant(
      "layers at src/cli/a.ts:2: cli imports test/b.ts",
      file("src/cli/a.ts", 'import { b } from "../../test/b.ts";'),
    ),
    plant("layers at src/extra/a.ts:1: extra belongs to no layer", file("src/extra/a.ts", "const a = 1;")),
    plant(
      "package owner at src/api/a.ts:2: zod belongs to src/model/schema.ts",
      file("src/api/a.ts", 'import { z } from "zod/mini";'),
    ),
    plant(
      "package owner at src/api/a.ts:2: undici belongs to src/api/transport.ts",
      file("src/api/a.ts", 'import type { Agent } from "undici";'),
    ),
    plant(
      "package owner at src/api/a.ts:2: left-pad belongs to no file",
      file("src/api/a.ts", 'const pad = () => import("left-pad");'),
    ),
    plant(
      "package owner at src/api/a.ts:4: @inquirer/core belongs to no file",
      file("src/api/a.ts", "import {", "  a,", '} from "@inquirer/core";'),
    ),
    plant("file name at src/api/index.ts:1: index.ts owns nothing", file("src/api/index.ts", "const a = 1;")),
    plant(
      "file name at src/core/string-utils/utils.ts:1: utils.ts owns nothing",
      file("src/core/string-utils/utils.ts", "const a = 1;"),
    ),
    plant(
      "file name at src/core/helpers/a.ts:1: helpers owns nothing",
      file("src/core/helpers/a.ts", "const a = 1;"),
    ),
    plant("load effect at src/api/a.ts:2: imports nothing by name", file("src/api/a.ts", 'import "./b.ts";')),
    plant(
      "load effect at src/api/a.ts:1: ExpressionStatement",
      file("src/api/a.ts", "const start = () => 1;", "start(1);"),
    ),
    plant(
      "load effect at src/api/a.ts:1: IfStatement",
      file("src/api/a.ts", "if (Math.PI) {", "  Math.max();", "}"),
    ),
    plant("load effect at src/api/a.ts:1: a", file("src/api/a.ts", "export const a = await Promise;")),
    plant("module state at src/api/a.ts:1: a", file("src/api/a.ts", "let a = 1;")),
    plant("module state at src/api/a.ts:1: a", file("src/api/a.ts", "export var a = 1;")),
    plant("module state at src/api/a.ts:1: a", file("src/api/a.ts", "const a = new Map<string, number>();")),
    plant(
      "cycle at src/api/a.ts:2: src/api/a.ts → src/api/b.ts → src/api/c.ts → src/api/a.ts",
      file("src/api/c.ts", 'import { a } from "./a.ts";'),
      file("src/api/b.ts", 'import type { C } from "./c.ts";'),
      file("src/api/a.ts", 'const b = () => import("./b.ts");'),
    ),
    plant(
      "cycle at src/api/a.ts:2: src/api/a.ts → src/api/a.ts",
      file("src/api/a.ts", 'import { a } from "./a.ts";'),
    ),
    plant("header at src/api/a.ts:1: does not open with a sentence on what it is", {
      path: "src/api/a.ts",
      text: "const a = 1;\n",
    }),
    plant("header at src/api/a.ts:1: does not open with a sentence on what it is", {
      path: "src/api/a.ts",
      text: `// a.\n/** An example. */`,
    }),
    plant("header at src/api/a.ts:1: does not open with a sentence on what it is", {
      path: "src/api/a.ts",
      text: "/** */\n// a.",
    }),
    plant(
      "lazy package at src/api/transport.ts:2: src/main.ts → src/cli/a.ts → src/api/transport.ts → undici",
      file("src/main.ts", 'import { a } from "./cli/a.ts";'),
      file("src/cli/a.ts", 'export { b } from "../api/transport.ts";', "export const a = 1;"),
      file("src/api/transport.ts", 'import { b } from "undici";'),
    ),
    plant(
      "lazy package at src/terminal/theme.ts:2: src/cli/run.ts → src/terminal/theme.ts → chalk",
      file("src/cli/run.ts", 'import { a } from "../terminal/theme.ts";'),
      file("src/terminal/theme.ts", 'import { a } from "chalk";'),
    ),
    plant(
      "lazy package at src/model/schema.ts:2: src/cli/complete.ts → src/model/schema.ts → zod",
      file("src/cli/complete.ts", 'import { a } from "../model/schema.ts";'),
      file("src/model/schema.ts", 'import { a } from "zod/mini";'),
    ),
  ];

  test.each(plants)("$breach", ({ breach, files }) => {
    expect(describeBreaches(files)).toEqual([breach]);
  });
});

function plant(breach: string, ...files: SourceFile[]) {
  return { breach, files };
}

function file(path: string, ...lines: string[]): SourceFile {
  return { path, text: ["/** An example. */", ...lines, ""].join("\n") };
}

function readSources(): SourceFile[] {
  const root = fileURLToPath(new URL("..", import.meta.url));
  return readdirSync(`${root}src`, { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .map((path) => ({ path, text: readFileSync(`${root}${path}`, "utf8") }));
}

function describeBreaches(files: readonly SourceFile[]): string[] {
  return findBreaches(files).map(({ rule, file, line, detail }) => `${rule} at ${file}:${line}: ${detail}`);
}
