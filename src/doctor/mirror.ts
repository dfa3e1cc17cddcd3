/** The doctor's check of the mirror: its file, how old it is, and what it lacks. */

import type { Context } from "../command/command.ts";
import { mirrorOwnerOf } from "../command/mirror-owner.ts";
import { hideHome } from "../command/runtime-info.ts";
import type { ActiveAccount } from "../config/accounts.ts";
import { CourierError } from "../core/errors.ts";
import { formatRelative } from "../core/time.ts";
import { byCount, counted } from "../core/wording.ts";
import { type MirrorFacts, openMirror, remakeMirror } from "../mirror/mirror.ts";
import { hasMirror, mirrorFiles } from "../mirror/mirror-files.ts";
import { mirrorPath } from "../mirror/mirror-path.ts";
import type { CheckResult } from "./check-result.ts";

/** Orders of today and their states are missing in an older one. */
const oldMs = 7 * 86_400_000;

type MirrorContext = Pick<Context, "clock" | "machine" | "nextCommand" | "signal">;

/** Damage and files of another kind are failures; a mirror that is old or not complete is a warning. */
export async function checkMirror(account: ActiveAccount, context: MirrorContext): Promise<CheckResult> {
  const { clock, machine, nextCommand, signal } = context;
  const { stateDirectory } = machine;
  const owner = mirrorOwnerOf(account);
  try {
    if (!hasMirror(stateDirectory, owner)) {
      mirrorFiles(stateDirectory); // throws where they cannot be listed
      return { check: "mirror", status: "ok", detail: `none yet; ${nextCommand("sync")} makes it` };
    }
    const mirror = await openMirror(stateDirectory, owner, { clock, signal, nextCommand });
    try {
      const { sizeBytes, integrity } = await mirror.inspect();
      const name = hideHome(mirrorPath(stateDirectory, owner), machine);
      if (integrity !== undefined && integrity !== "ok") {
        return {
          check: "mirror",
          status: "fail",
          detail: `${name} is damaged: ${integrity}`,
          advice: remakeMirror(nextCommand),
          exit: 5,
        };
      }
      const size = `${Math.ceil(sizeBytes / 1_000)} kB${integrity === undefined ? ", too large to check quickly" : ""}`;
      return describe(`${name}, ${size}`, await mirror.facts(), context);
    } finally {
      mirror.close();
    }
  } catch (error) {
    if (!(error instanceof CourierError)) throw error;
    const { message, hint, exit } = error;
    const advice = hint === undefined ? undefined : hideHome(hint, machine);
    return { check: "mirror", status: "fail", detail: hideHome(message, machine), advice, exit };
  }
}

function describe(
  file: string,
  { orders, notShown, withoutPhone, syncedAtMs }: MirrorFacts,
  { clock, nextCommand }: MirrorContext,
): CheckResult {
  const age =
    syncedAtMs === undefined ? "no sync completed" : `synced ${formatRelative(syncedAtMs, clock.now())}`;
  const gone = notShown === 0 ? "" : `, ${notShown} of them no longer shown by the service`;
  const lack = `${counted(withoutPhone, "order")} ${byCount(withoutPhone, "has", "have")} no phone`;
  const fetch = nextCommand(`sync --fetch-details ${withoutPhone}`);
  const details = withoutPhone === 0 ? "" : `; ${lack}: ${fetch} looks them up, one call each`;
  const detail = `${file}, ${counted(orders, "order")}${gone}, ${age}${details}`;
  if (syncedAtMs !== undefined && clock.now() - syncedAtMs <= oldMs)
    return { check: "mirror", status: "ok", detail };
  return { check: "mirror", status: "warn", detail, advice: `bring it up to date: ${nextCommand("sync")}` };
}
