/** The address book: parties by alias, used as `--sender @shop`. */

import { type CourierError, usageError } from "../core/errors.ts";
import { suggest } from "../core/suggest.ts";
import type { DraftParty } from "../model/draft.ts";
import type { TextProblem } from "../model/text-problem.ts";
import { ensureKnown, findSaved, parseSavedName, savedMeanwhile } from "./saved-names.ts";
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

export type Addresses = Config["addresses"];

/**
 * Saves parties, replacing those of the same alias that are in `known`. Where another process has saved or changed one of
 * these aliases since, saves nothing, and returns the addresses of now.
 */
export async function saveParties(
  store: ConfigStore,
  parties: Readonly<Record<string, DraftParty>>,
  known: Addresses,
  defaultSender?: string,
): Promise<Addresses | undefined> {
  let changed: Addresses | undefined;
  await store.update((config) => {
    const { addresses } = config;
    const isAsKnown = (alias: string) =>
      JSON.stringify(findSaved(addresses, alias)) === JSON.stringify(findSaved(known, alias));
    changed = Object.keys(parties).every(isAsKnown) ? undefined : addresses;
    if (changed) return config;
    return {
      ...config,
      addresses: { ...addresses, ...parties },
      ...(defaultSender === undefined ? {} : { default_sender: defaultSender }),
    };
  });
  return changed;
}

/**
 * Changes these fields of a party, whatever the others are by now; a field without a text is removed. Throws where the
 * alias is another person's by now, by name: the fields are not that person's.
 */
export async function changeParty(
  store: ConfigStore,
  alias: string,
  known: DraftParty,
  changes: DraftParty,
): Promise<DraftParty> {
  let party: DraftParty = {};
  await store.update((config) => {
    const now = findParty(config, alias);
    if (now.name !== known.name) throw savedMeanwhile(`@${alias}`);
    const fields = Object.entries({ ...now, ...changes });
    party = Object.fromEntries(fields.filter(([, text]) => text));
    return { ...config, addresses: { ...config.addresses, [alias]: party } };
  });
  return party;
}

/** Makes a party the default sender. Throws a usage error for an unknown alias. */
export async function useAsSender(store: ConfigStore, alias: string): Promise<DraftParty> {
  let party: DraftParty = {};
  await store.update((config) => {
    party = findParty(config, alias);
    return { ...config, default_sender: alias };
  });
  return party;
}

/** Forgets a party. Throws where it is no longer `known`, and a usage error for an unknown alias. */
export async function removeParty(store: ConfigStore, alias: string, known: DraftParty): Promise<void> {
  await store.update((config) => {
    ensureKnown(`@${alias}`, findParty(config, alias), known);
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
