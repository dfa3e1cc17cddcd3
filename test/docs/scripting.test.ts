/** docs/scripting.md says what commands print, docs/schemas/ what shape it has, and both are so. */

import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { program } from "../../src/cli/program.ts";
import { type Group, isGroup } from "../../src/command/command.ts";
import type { Json } from "../../src/model/json.ts";
import { stringifyJson } from "../../src/model/json.ts";
import { toJsonSchema } from "../../src/model/json-schema.ts";
import { type SchemaName, schemaNames } from "../../src/model/results.ts";
import { createHome, createServedHome } from "../support/courier.ts";
import { playExamples } from "../support/examples.ts";
import { createOrder } from "../support/orders.ts";

const docs = new URL("../../docs/", import.meta.url);
const page = readFileSync(new URL("scripting.md", docs), "utf8");
/** They print what the service or a shell decides. */
const withoutSchema = ["api", "completion"];
/** Needs a database: test/ledgers has its result. */
const withoutExample = ["order", "ledger-move"];

describe("docs/schemas", () => {
  test.each(schemaNames)("%s.schema.json is what the code's own schema says", async (name) => {
    const text = `${stringifyJson(toJsonSchema(name), 2)}\n`;
    await expect(text).toMatchFileSnapshot(`../../docs/schemas/${name}.schema.json`);
  });

  test("holds no other files", () => {
    const files = readdirSync(new URL("schemas/", docs));
    expect(files.sort()).toEqual(schemaNames.map((name) => `${name}.schema.json`).sort());
  });

  test("has a schema for every command that prints JSON, and for no other", () => {
    const commands = leaves(program, []).filter((name) => !withoutSchema.includes(name));
    const others = ["order", "error", "track-changes"];
    expect(schemaNames.filter((name) => !others.includes(name)).sort()).toEqual(commands.sort());
  });
});

describe("docs/scripting.md", () => {
  test("shows what each command prints, which is of its schema", async () => {
    const { page: played, examples } = await playExamples(page);
    await expect(played).toMatchFileSnapshot("../../docs/scripting.md");
    const shown = new Set<string>();
    for (const { line, form, from, documents } of examples) {
      if (form === "verbatim") continue;
      const name = from === "stderr" ? "error" : nameOf(line);
      shown.add(name);
      for (const document of documents) {
        const value = JSON.parse(document);
        expect(problems(name, form === "ndjson" && !isSingle(line) ? [value] : value), line).toEqual([]);
      }
    }
    expect([...shown].sort()).toEqual(schemaNames.filter((name) => !withoutExample.includes(name)).sort());
  });
});

describe("courier schema", () => {
  test("prints the schema of an order file, which examples/order.json is of", async () => {
    const home = await createHome();
    const { stdout } = await home.courier("schema order");
    const validate = new Ajv2020().compile(JSON.parse(stdout));
    const order = JSON.parse(readFileSync(new URL("../examples/order.json", docs), "utf8"));
    expect(validate(order)).toBe(true);
    expect(validate({ ...order, $schema: "./order.schema.json" })).toBe(true);
    expect(validate({ ...order, sender: { nmae: "张三" } })).toBe(false);
    expect(validate({ ...order, item: { weight: "2.50" } })).toBe(false);
    expect(validate({ ...order, item: { quantity: 1.5 } })).toBe(false);
  });

  test("says beside each field what it means", () => {
    const undescribed = fieldsOf(toJsonSchema("order") as unknown as Node)
      .filter(([, { description }]) => description === undefined)
      .map(([name]) => name);
    expect(undescribed).toEqual(["$schema"]);
  });

  test("an order file may name its schema, which is not sent", async () => {
    const home = await createHome({ COURIER_ACCOUNT: "sandbox" });
    const stdin = '{"$schema":"./order.schema.json","item":{"weight":2.50}}';
    const ran = await home.courier("orders create --file - --dry-run --json", { stdin });
    expect(ran).toMatchObject({ exit: 0, stdout: '{"item":{"weight":2.50}}\n' });
  });

  test("lists names, and knows what is meant by a misspelt one", async () => {
    const home = await createHome();
    const { stdout } = await home.courier("schema --ndjson");
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).name),
    ).toEqual(schemaNames);
    expect(await home.courier("schema order-list")).toMatchObject({
      exit: 2,
      stderr: "error: there is no schema named “order-list”\nhint: did you mean orders-list?\n",
    });
    expect(await home.courier("schema order track")).toMatchObject({ exit: 2 });
  });
});

test("the schema of changes is that of a watch, too", async () => {
  const home = await createServedHome();
  const { tracking_number } = await createOrder(home);
  const { exit, stdout } = await home.courier(`track ${tracking_number} --watch --until pending --json`);
  expect(exit).toBe(0);
  expect(problems("track-changes", JSON.parse(stdout))).toEqual([]);
});

interface Node {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
}

function fieldsOf(node: Node): [string, Node][] {
  return Object.entries(node.properties ?? {}).flatMap(([name, inner]) => [
    [name, inner],
    ...fieldsOf(inner),
  ]);
}

/** What is wrong with a value. Objects of courier's own must have no field that their schema does not name. */
function problems(name: SchemaName, value: unknown): ValidateFunction["errors"] | [] {
  const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(
    closed(toJsonSchema(name)) as object,
  );
  return validate(value) ? [] : validate.errors;
}

/** A schema that leaves nothing open but what the service decides, which says so itself. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, each]) => [key, closed(each ?? null)]));
  const isOwn = "properties" in schema && !("additionalProperties" in schema);
  return isOwn ? { ...inner, additionalProperties: false } : inner;
}

function nameOf(line: string): SchemaName {
  if (/^track .*--(changes|watch)/.test(line)) return "track-changes";
  const [first, second] = line.split(" ");
  const name = schemaNames.find((each) => each === `${first}-${second}` || each === first);
  if (name === undefined) throw new Error(`no schema for ${line}`);
  return name;
}

/** One document even as NDJSON. */
function isSingle(line: string): boolean {
  return /--check|^profile/.test(line);
}

function leaves(group: Group, path: readonly string[]): string[] {
  return group.commands.flatMap((entry) => {
    const below = [...path, entry.name];
    return isGroup(entry) ? leaves(entry, below) : [below.join("-")];
  });
}
