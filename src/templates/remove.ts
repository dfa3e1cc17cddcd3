/** `courier templates remove`: forgets an order template. */

import { confirmOrStop, defineCommand, document } from "../command/command.ts";
import { findTemplate, parseTemplateName, removeTemplate } from "../config/templates.ts";
import { line } from "../terminal/blocks.ts";

export const removeSavedTemplate = defineCommand({
  arguments: { name: { summary: "its name", parse: parseTemplateName, values: "template" } },
  options: {},
  confirms: true,
  examples: [{ line: "templates remove weekly", note: "asks first; --yes does not" }],
  async run({ name }, context) {
    findTemplate(await context.config.read(), name);
    await confirmOrStop(context, `Forget the template ${name}?`);
    await removeTemplate(context.config, name);
    return document({ template: name, removed: true }, () => [line(`The template ${name} is forgotten`)]);
  },
});
