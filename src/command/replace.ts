/** Asks before a saved address or template is replaced; `--replace` answers in scripts. */

import { usageError } from "../core/errors.ts";
import type { Context } from "./command.ts";
import { capitalised, flagOf } from "./options.ts";

/** Throws where `--replace` was given without the option that saves something. */
export function ensureReplaces(isAgreed: boolean | undefined, name: string | undefined, key: string): void {
  if (isAgreed && name === undefined)
    throw usageError(`--replace needs ${flagOf(key)}`, `add ${flagOf(key)} NAME, or leave --replace out`);
}

export interface Replacement {
  /** What is replaced: `the template “weekly”`. */
  readonly existing: string;
  /** What goes with it, for the question and the hint: `the whole address (this removes: name)`. */
  readonly loss?: string | undefined;
  /** `--replace` was given. */
  readonly isAgreed: boolean;
}

/**
 * Whether it may be replaced. `--yes` does not say so: it is given for other questions. Throws a usage error, exit 2,
 * where courier cannot ask.
 */
export async function mayReplace(
  { existing, loss, isAgreed }: Replacement,
  context: Context,
): Promise<boolean> {
  if (isAgreed) return true;
  const prompts = context.globals.yes ? undefined : await context.prompts();
  if (prompts) return prompts.confirm(`${capitalised(existing)} exists already. Replace ${loss ?? "it"}?`);
  throw usageError(
    `${existing} exists already`,
    `add --replace to replace ${loss ?? "it"}; or choose another name`,
  );
}
