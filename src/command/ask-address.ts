/** The questions for the fields of one address. */

import { type Prompts, WentBack } from "../core/prompts.ts";
import { askParty } from "../forms/party-form.ts";
import type { DraftParty } from "../model/draft.ts";
import { partyView } from "../terminal/draft-view.ts";
import type { Context } from "./command.ts";

/** With an address already there, its fields are the starting point. */
export async function askAddress(
  existing: DraftParty | undefined,
  prompts: Prompts,
  context: Context,
): Promise<DraftParty> {
  const tools = {
    prompts,
    knownParties: async () => [],
    understand: context.understandAddress,
    show: (title: string, party: DraftParty, leftOut: readonly string[]) =>
      context.display(partyView(title, party, leftOut)),
  };
  const questions = { title: "Address", fixed: new Set<string>(), tools, keep: () => {} };
  for (;;) {
    try {
      return (await askParty(existing, questions)).party;
    } catch (error) {
      if (!(error instanceof WentBack)) throw error; // nothing is before the first question
    }
  }
}
