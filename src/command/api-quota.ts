/** The API quota (`api_calls_remaining`, 2.1 and 8): a warning or a question before work with many calls. */

import type { CourierService } from "../api/service.ts";
import { toCount } from "../api/service.ts";
import { usageError } from "../core/errors.ts";
import { byCount, counted } from "../core/wording.ts";
import type { Context } from "./command.ts";
import { capitalised } from "./options.ts";

/** Fewer calls than this are not worth a question. */
const manyCalls = 50;

/**
 * Compares the calls that some work needs with the account's quota. Where they are too few, asks, or without a
 * terminal stops with exit 2, unless `--yes`. Does nothing where the service gives no quota. `planned`: how many of the
 * calls that are left other runs are about to make.
 */
export async function checkApiQuota(
  calls: number,
  service: CourierService,
  context: Context,
  { what = `this takes ${counted(calls, "call")}`, planned = 0 } = {},
): Promise<void> {
  if (calls < manyCalls) return;
  const left = toCount((await service.profile()).api_calls_remaining);
  if (left === undefined) return;
  const others = planned === 0 ? "" : `, and other runs are about to make ${planned} of them`;
  const areLeft = `${left} ${byCount(left, "is", "are")} left${others}`;
  if (left - planned >= calls) return context.messages.note(`${capitalised(what)}; ${areLeft}.`);
  const message = `${what}, but only ${areLeft}`;
  if (context.globals.yes) return context.messages.warn(message);
  const prompts = await context.prompts();
  if (await prompts?.confirm(`${capitalised(message)}. Continue?`)) return;
  throw usageError(message, "ask for fewer, or add --yes to continue anyway");
}
