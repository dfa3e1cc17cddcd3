/** Saves a created order on request: its parties in the address book, the order as a template. */

import type { Context } from "../command/command.ts";
import { mayReplace } from "../command/replace.ts";
import { parseAlias, saveParties, useAsSender } from "../config/address-book.ts";
import { findSaved, savedMeanwhile } from "../config/saved-names.ts";
import { saveTemplate } from "../config/templates.ts";
import { CourierError } from "../core/errors.ts";
import type { Prompts } from "../core/prompts.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { describeParty } from "../forms/party-form.ts";
import type { Draft } from "../model/draft.ts";
import type { CreatedOrder } from "../model/interface.ts";
import { canonicalJson } from "../model/json.ts";

/** The template that an order becomes. */
export interface TemplateToSave {
  /** Flags of `orders create`, after a blank: a draft does not have them. */
  readonly flags: string;
  /** Before the order is sent: asks where another template has the name. Throws where courier cannot ask. */
  check(draft: Draft): Promise<void>;
  /** Runs after the order is created; a failure is only a warning. */
  save(draft: Draft): Promise<void>;
}

export function templateToSave(name: string, isAgreed: boolean, context: Context): TemplateToSave {
  /** Undefined while there is nothing to replace. */
  let isReplaced: boolean | undefined;
  /** The template of that name before the order was sent. */
  let known: Draft | undefined;
  return {
    flags: ` --save-template ${shellQuote(name)}${isAgreed ? " --replace" : ""}`,
    async check(draft) {
      if (isReplaced !== undefined) return;
      known = findSaved((await context.config.read()).templates, name);
      if (!known || canonicalJson(known) === canonicalJson(draft)) return;
      const template = `the template “${name}”`;
      isReplaced = await mayReplace({ existing: template, isAgreed }, context);
      if (!isReplaced) context.messages.note(`${template} stays as it was`);
    },
    async save(draft) {
      if (isReplaced === false) return;
      try {
        await saveTemplate(context.config, name, draft, { known, isAgreed });
        const use = context.nextCommand(`orders create --template ${name}`);
        context.messages.note(`${isReplaced ? "Replaced the" : "Saved as a"} template; use it with: ${use}`);
      } catch (error) {
        warnUnsaved("the template", error, context);
      }
    },
  };
}

function warnUnsaved(what: string, error: unknown, { messages }: Context): void {
  const reason = error instanceof Error ? error.message : String(error);
  messages.warnAlways(`the order was created, but ${what} could not be saved: ${reason}`);
}

/** Offers to save parties that the address book does not have. Declining, also by Ctrl-C, changes nothing. */
export async function offerToSave(
  order: CreatedOrder,
  draft: Draft,
  prompts: Prompts,
  context: Context,
): Promise<void> {
  try {
    const { addresses, default_sender } = await context.config.read();
    const taken = new Set(Object.keys(addresses));
    const saved = new Set(Object.values(addresses).map((party) => JSON.stringify(party)));
    const unsaved = [draft.sender, draft.receiver].filter(
      (party) => party?.name && !saved.has(JSON.stringify(party)),
    );
    if (unsaved.length === 0) return;
    const parcel = order.tracking_number ? `, parcel ${order.tracking_number}` : "";
    context.messages.note(`Order ${order.id.value}${parcel}`);
    for (const party of unsaved) {
      if (!party || !(await prompts.confirm(`Save ${describeParty(party)} in the address book?`))) continue;
      const check = (text: string) => checkAlias(text, taken);
      const suggestion = check(party.name ?? "") === true ? party.name : undefined;
      const alias = parseAlias(await prompts.text("Short name for it", { suggestion, check }));
      if (await saveParties(context.config, { [alias]: party }, {})) throw savedMeanwhile(`@${alias}`);
      taken.add(alias);
      const isUsual =
        party === draft.sender && !default_sender && (await prompts.confirm("Use it as the usual sender?"));
      if (isUsual) await useAsSender(context.config, alias);
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
