/** `courier sandbox advance`: moves a sandbox parcel on without waiting for time to pass. */

import { defineCommand, document } from "../command/command.ts";
import { parseTrackingNumber, textOption } from "../command/options.ts";
import type { Tracking } from "../model/interface.ts";
import { stateChoices, stateNames } from "../model/states.ts";
import { trackingView } from "../terminal/tracking-view.ts";

export const advanceSandboxParcel = defineCommand({
  arguments: {
    tracking: {
      summary: "the parcel's tracking number",
      parse: parseTrackingNumber,
      values: "sandbox parcel",
    },
  },
  options: {
    to: textOption("STATE", `the state to move on to: ${stateNames.join(", ")}`, {
      candidates: stateChoices,
    }),
  },
  examples: [
    { line: "sandbox advance CR1000001234 --to delivered", note: "as if days had passed" },
    { line: "sandbox advance CR1000001234", note: "one state on" },
  ],
  seeAlso: ["track"],
  async run({ tracking, to }, context) {
    const sandbox = await context.sandbox();
    return document((await sandbox.advance(tracking, to)) as Tracking, trackingView);
  },
});
