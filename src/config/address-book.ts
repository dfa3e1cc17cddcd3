/** The address book: parties by alias, used as `--sender @shop`. */

import { type CourierError, usageError } from "../core/errors.ts";
import { suggest } from "../core/suggest.ts";
import type { DraftParty } from "../model/draft.ts";
import type { TextProblem } from "../model/text-problem.ts";
import { findSaved, parseSavedName } from "./saved-names.ts";
import type { Config, ConfigStore } from "./store.ts";

/** An alias, with or without its `@`. */
export function parseAlias(text: string): string {
  return parseSavedName(text.replace(/^@/, ""), "an address", text);
}

/** The party saved under an alias. Throws a usage error that names the nearest alias. */
export function findParty(config: Config, alias: string, isToRemove = false): DraftParty {
  const party = findSaved(config.addresses, alias);
  if (party) return party;
  const saved = Object.keys(config.addresses);
  const nearest = suggest(alias, saved);
  if (isToRemove && !nearest)
    throw usageError(
      `the address book has no @${alias}`,
      saved.length > 0 ? `it has: ${saved.map((each) => `@${each}`).join(", ")}` : "it is empty",
    );
  const others = saved.length > 0 ? "; see what it has: courier addresses list" : "";
  throw usageError(
    `the address book has no @${alias}`,
    nearest ? `did you mean @${nearest}?` : `save it: courier addresses add ${alias}${others}`,
  );
}

/** The error for a saved party with a damaged text. */
export function savedTextError({ path, value, message }: TextProblem, alias: string): CourierError {
  return usageError(
    `${path} of ${alias} “${value}” ${message}`,
    `enter it again: courier addresses edit ${alias.replace(/^@/, "")}`,
  );
}

/** Saves parties, replacing those of the same alias; `isDefault` makes the last of them the default sender. */
export async function saveParties(
  store: ConfigStore,
  parties: Readonly<Record<string, DraftParty>>,
  defaultSender?: string,
): Promise<void> {
  await store.update((config) => ({
    ...config,
    addresses: { ...config.addresses, ...parties },
    ...(defaultSender === undefined ? {} : { default_sender: defaultSender }),
  }));
}

/** Forgets a party. Throws a usage error for an unknown alias. */
export async function removeParty(store: ConfigStore, alias: string): Promise<void> {
  await store.update((config) => {
    findParty(config, alias);
    const { [alias]: _removed, ...addresses } = config.addresses;
    const default_sender = config.default_sender === alias ? undefined : config.default_sender;
    return { ...config, addresses, default_sender };
  });
}

/** The default sender, where one is set and still saved. */
export function defaultSender(config: Config): DraftParty | undefined {
  const alias = config.default_sender;
  return alias ? findSaved(config.addresses, alias) : undefined;
}
