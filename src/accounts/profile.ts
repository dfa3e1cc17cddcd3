/** `courier profile`: the account's profile at the service (specification, 2.1 and 4.1). */

import { defineCommand, document } from "../command/command.ts";
import { type Profile, profileSchema } from "../model/interface.ts";
import { fieldNames } from "../model/schema.ts";
import { type Block, fields, otherFields, show, styled } from "../terminal/blocks.ts";

export const showProfile = defineCommand({
  arguments: {},
  options: {},
  examples: [
    { line: "profile", note: "who am I, and what is left" },
    { line: "profile --json | jq .api_calls_remaining", note: "the remaining calls, for a script" },
  ],
  exits: [4],
  seeAlso: ["login", "accounts list"],
  async run(_input, context) {
    const service = await context.service();
    return document(await service.profile(), profileView);
  },
});

/** Balance and counts are shown as they came: the interface names no currency. */
export function profileView(profile: Profile): readonly Block[] {
  return [
    fields(
      ["Name", styled("strong", profile.name)],
      ["E-mail", show(profile.email)],
      ["Account id", show(profile.id)],
      ["Balance", show(profile.balance)],
      ["API calls left", show(profile.api_calls_remaining)],
    ),
    ...otherFields(profile, fieldNames(profileSchema)),
  ];
}
