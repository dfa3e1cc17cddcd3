/** `courier templates`: the order templates of this machine are listed, shown and removed. */

import { confirmOrStop, defineCommand, document, rows } from "../command/command.ts";
import { findTemplate, parseTemplateName, removeTemplate } from "../config/templates.ts";
import type { TemplateRow } from "../model/results.ts";
import { type Column, fields, line, show, styled } from "../terminal/blocks.ts";
import { draftRows } from "../terminal/draft-view.ts";

export const listTemplates = defineCommand({
  arguments: {},
  options: {},
  examples: [{ line: "templates list", note: "every saved template" }],
  seeAlso: ["orders create", "templates show"],
  async run(_input, context) {
    const { templates } = await context.config.read();
    const list = Object.entries(templates).map(([template, draft]): TemplateRow => ({ template, ...draft }));
    const empty = "There are no templates; orders create --save-template NAME makes one";
    return rows(list, templateColumns, empty);
  },
});

const templateColumns: readonly Column<TemplateRow>[] = [
  { path: "template", title: "TEMPLATE", cell: ({ template }) => styled("strong", template) },
  { path: "sender.name", title: "FROM", cell: ({ sender }) => show(sender?.name), flexible: true },
  { path: "receiver.name", title: "TO", cell: ({ receiver }) => show(receiver?.name), flexible: true },
  {
    path: "receiver.city",
    title: "TO CITY",
    cell: ({ receiver }) => show(receiver?.city),
    flexible: true,
    spare: 1,
  },
  { path: "item.name", title: "ITEM", cell: ({ item }) => show(item?.name), flexible: true },
  { path: "service_type", title: "SERVICE", cell: ({ service_type }) => show(service_type), spare: 2 },
];

export const showTemplate = defineCommand({
  arguments: { name: { summary: "the template's name", parse: parseTemplateName, values: "template" } },
  options: {},
  examples: [
    { line: "templates show weekly", note: "every field of it" },
    { line: "templates show weekly --json > order.json", note: "as a file for orders create --file" },
  ],
  seeAlso: ["orders create", "templates list"],
  async run({ name }, context) {
    const draft = findTemplate(await context.config.read(), name);
    return document(draft, () => [line(styled("strong", name)), fields(...draftRows(draft))]);
  },
});

export const removeSavedTemplate = defineCommand({
  arguments: { name: { summary: "the template's name", parse: parseTemplateName, values: "template" } },
  options: {},
  confirms: true,
  examples: [{ line: "templates remove weekly", note: "asks first; --yes does not" }],
  seeAlso: ["templates list"],
  async run({ name }, context) {
    const known = findTemplate(await context.config.read(), name);
    await confirmOrStop(context, `Forget the template ${name}?`);
    await removeTemplate(context.config, name, known);
    return document({ template: name, removed: true }, () => [line(`The template ${name} is forgotten`)]);
  },
});
