/** `courier sandbox reset`: deletes all orders of the sandbox. */

import { confirmOrStop, defineCommand, document } from "../command/command.ts";
import { line } from "../terminal/blocks.ts";

export const resetSandboxState = defineCommand({
  arguments: {},
  options: {},
  confirms: true,
  examples: [{ line: "sandbox reset --yes", note: "start from nothing" }],
  seeAlso: ["sandbox serve", "sandbox advance"],
  async run(_input, context) {
    await confirmOrStop(context, "Wipe all orders of the sandbox?");
    await (await context.sandbox()).reset();
    return document({ reset: true }, () => [line("The sandbox is empty")]);
  },
});
