/** `courier templates show`: one order template, whose JSON is an order file. */

import { defineCommand, document } from "../command/command.ts";
import { findTemplate, parseTemplateName } from "../config/templates.ts";
import { fields, line, styled } from "../terminal/blocks.ts";
import { draftRows } from "../terminal/draft-view.ts";

export const showTemplate = defineCommand({
  arguments: { name: { summary: "its name", parse: parseTemplateName, values: "template" } },
  options: {},
  examples: [
    { line: "templates show weekly", note: "every field of it" },
    { line: "templates show weekly --json > order.json", note: "as a file for orders create --file" },
  ],
  async run({ name }, context) {
    const draft = findTemplate(await context.config.read(), name);
    return document(draft, () => [line(styled("strong", name)), fields(...draftRows(draft))]);
  },
});
