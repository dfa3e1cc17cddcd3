/** Order templates: drafts by name, used as `--template weekly`. */

import { usageError } from "../core/errors.ts";
import { suggest } from "../core/suggest.ts";
import type { Draft } from "../model/draft.ts";
import { ensureKnown, findSaved, parseSavedName } from "./saved-names.ts";
import type { Config, ConfigStore } from "./store.ts";

/** A template's name. Throws a usage error. */
export function parseTemplateName(text: string): string {
  return parseSavedName(text, "a template");
}

/** The template of a name. Throws a usage error that names the nearest one. */
export function findTemplate(config: Config, name: string): Draft {
  if (name === "") throw usageError("the name of the template is empty", "is a shell variable not set?");
  const found = findSaved(config.templates, name);
  if (found) return found;
  const nearest = suggest(name, Object.keys(config.templates));
  const known =
    Object.keys(config.templates).join(", ") ||
    "none yet; to make one: courier orders create --save-template NAME";
  throw usageError(
    `there is no template named ${name}`,
    nearest ? `did you mean ${nearest}?` : `templates: ${known}`,
  );
}

/** Saves a template. Without `isAgreed`, it throws where another process has saved one of that name since `known`. */
export async function saveTemplate(
  store: ConfigStore,
  name: string,
  draft: Draft,
  { known, isAgreed }: { readonly known: Draft | undefined; readonly isAgreed: boolean },
): Promise<void> {
  await store.update((config) => {
    if (!isAgreed) ensureKnown(`the template “${name}”`, findSaved(config.templates, name), known, draft);
    return { ...config, templates: { ...config.templates, [name]: draft } };
  });
}

/** Forgets a template. Throws where it is no longer `known`, and a usage error for an unknown name. */
export async function removeTemplate(store: ConfigStore, name: string, known: Draft): Promise<void> {
  await store.update((config) => {
    ensureKnown(`the template “${name}”`, findTemplate(config, name), known);
    const { [name]: _removed, ...templates } = config.templates;
    return { ...config, templates };
  });
}
