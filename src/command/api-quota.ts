/** The care for `api_calls_remaining` (2.1 and 8): work that needs many calls says so first. */

import type { CourierService } from "../api/service.ts";
import { toCount } from "../api/service.ts";
import { usageError } from "../core/errors.ts";
import type { Context } from "./command.ts";
import { capitalised } from "./options.ts";

/** Fewer calls than this are not worth a question. */
const manyCalls = 50;

/**
 * Compares the calls that some work needs with what the account has left. Too few: asks, or stops with
 * exit 2 where nobody can be asked, unless `--yes`. What the service does not tell is not guessed. `what`
 * says how many calls they are.
 */
export async function checkBudget(
  calls: number,
  service: CourierService,
  context: Context,
  what = `this takes ${calls} calls`,
): Promise<void> {
  if (calls < manyCalls) return;
  const left = toCount((await service.profile()).api_calls_remaining);
  if (left === undefined) return;
  if (left >= calls) {
    context.messages.note(`${capitalised(what)}; ${left} are left.`);
    return;
  }
  const message = `${what}, but only ${left} are left`;
  if (context.globals.yes) return context.messages.warn(message);
  const prompts = await context.prompts();
  if (await prompts?.confirm(`${capitalised(message)}. Go on?`)) return;
  throw usageError(message, "ask for fewer, or add --yes to continue anyway");
}
