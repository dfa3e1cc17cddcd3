/** Copies a state directory, as a backup does. */

import { cp, rm } from "node:fs/promises";
import { systemCode } from "../../src/core/errors.ts";

/** Replaces what was there. A database that was just closed may take its log away meanwhile. */
export async function copyState(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await rm(to, { recursive: true, force: true });
      return await cp(from, to, { recursive: true });
    } catch (error) {
      if (systemCode(error) !== "ENOENT" || tries === 3) throw error;
    }
  }
}
