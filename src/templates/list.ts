/** `courier templates list`: the order templates of this machine. */

import { defineCommand, rows } from "../command/command.ts";
import type { TemplateRow } from "../model/results.ts";
import { type Column, show, styled } from "../terminal/blocks.ts";

export const listTemplates = defineCommand({
  arguments: {},
  options: {},
  hasRows: true,
  examples: [{ line: "templates list", note: "every saved template" }],
  async run(_input, context) {
    const { templates } = await context.config.read();
    const list = Object.entries(templates).map(([template, draft]): TemplateRow => ({ template, ...draft }));
    const empty = "There are no templates; orders create --save-template NAME makes one";
    return rows(each(list), templateColumns, empty);
  },
});

async function* each(list: readonly TemplateRow[]): AsyncGenerator<TemplateRow, void> {
  yield* list;
}

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
