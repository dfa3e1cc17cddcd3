/** `courier schema`: the JSON Schemas of order files and of what `--json` prints. */

import { defineCommand, document, type Output, rows } from "../command/command.ts";
import { quote } from "../command/options.ts";
import { usageError } from "../core/errors.ts";
import { suggest } from "../core/suggest.ts";
import { type SchemaRow, schemaNames, schemaTitle } from "../model/results.ts";
import { type Column, styled } from "../terminal/blocks.ts";

export const printSchema = defineCommand({
  description:
    "Without a NAME, lists all schemas. Editors complete and check an order file that names the schema in its\n" +
    'key "$schema"; courier ignores that key.',
  arguments: {
    names: {
      summary: "order, or a command's words joined by dashes",
      parse: (text: string) => text,
      isList: true as const,
      isOptional: true,
      usage: "[NAME]",
      candidates: schemaNames.map((name) => ({ value: name })),
    },
  },
  options: {},
  examples: [
    { line: "schema", note: "all schemas" },
    {
      line: "schema order > order.schema.json",
      note: 'then, in order.json: "$schema": "./order.schema.json"',
    },
    { line: "schema orders-list", note: "what courier orders list --json prints" },
  ],
  seeAlso: ["orders create"],
  async run({ names }): Promise<Output> {
    const [wanted, second] = names;
    if (second !== undefined) throw usageError(`one NAME is enough: ${quote(second)} is too much`);
    if (wanted === undefined) {
      const all = schemaNames.map((name): SchemaRow => ({ name, title: schemaTitle(name) }));
      return rows(all, schemaColumns, "No schemas");
    }
    const name = schemaNames.find((known) => known === wanted);
    if (name) {
      const { toJsonSchema } = await import("../model/json-schema.ts");
      return document(toJsonSchema(name), (value) => [{ kind: "json", value }]);
    }
    const nearest = suggest(wanted, schemaNames);
    throw usageError(
      `there is no schema named ${quote(wanted)}`,
      nearest ? `did you mean ${nearest}?` : "courier schema lists all schemas",
    );
  },
});

const schemaColumns: readonly Column<SchemaRow>[] = [
  { path: "name", title: "NAME", cell: ({ name }) => styled("strong", name) },
  { path: "title", title: "DESCRIBES", cell: ({ title }) => title, flexible: true },
];
