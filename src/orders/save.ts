/** What is kept of a created order on wish: its parties in the address book, itself as a template. */

import type { Context } from "../command/command.ts";
import { parseAlias, saveParties } from "../config/address-book.ts";
import { saveTemplate } from "../config/templates.ts";
import { CourierError } from "../core/errors.ts";
import type { Prompts } from "../core/prompts.ts";
import { describeParty } from "../forms/party-form.ts";
import type { Draft } from "../model/draft.ts";
import type { CreatedOrder } from "../model/interface.ts";

/** Saves a draft under a name, over an older template of that name; failing to do so is no failure. */
export async function keepAsTemplate(name: string, draft: Draft, context: Context): Promise<void> {
  try {
    await saveTemplate(context.config, name, draft);
    context.messages.note(
      `Saved as a template; use it with: ${context.nextCommand(`orders create --template ${name}`)}`,
    );
  } catch (error) {
    warnUnsaved("the template", error, context);
  }
}

function warnUnsaved(what: string, error: unknown, { messages }: Context): void {
  const reason = error instanceof Error ? error.message : String(error);
  messages.warn(`the order was created, but ${what} could not be saved: ${reason}`);
}

/** Offers to save parties that the address book does not have. Declining, also by Ctrl-C, changes nothing. */
export async function offerToSave(
  order: CreatedOrder,
  draft: Draft,
  prompts: Prompts,
  context: Context,
): Promise<void> {
  const { addresses } = await context.config.read();
  const taken = new Set(Object.keys(addresses));
  const saved = new Set(Object.values(addresses).map((party) => JSON.stringify(party)));
  const unsaved = [draft.sender, draft.receiver].filter(
    (party) => party?.name && !saved.has(JSON.stringify(party)),
  );
  if (unsaved.length === 0) return;
  const parcel = order.tracking_number ? `, parcel ${order.tracking_number}` : "";
  context.messages.note(`Order ${order.id.value}${parcel}`);
  try {
    for (const party of unsaved) {
      if (!party || !(await prompts.confirm(`Save ${describeParty(party)} in the address book?`))) continue;
      const check = (text: string) => checkAlias(text, taken);
      const suggestion = check(party.name ?? "") === true ? party.name : undefined;
      const alias = parseAlias(await prompts.text("Short name for it", { suggestion, check }));
      await saveParties(context.config, { [alias]: party });
      taken.add(alias);
    }
  } catch (error) {
    if (!(error instanceof CourierError)) throw error;
    if (error.exit !== 130) warnUnsaved("the address", error, context);
  }
}

function checkAlias(text: string, taken: ReadonlySet<string>): true | string {
  try {
    return taken.has(parseAlias(text)) ? `the address book has another @${parseAlias(text)}` : true;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
