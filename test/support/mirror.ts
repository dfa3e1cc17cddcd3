/** A mirror that a test opens itself. */

import { type Mirror, type MirrorTools, openMirror as open } from "../../src/mirror/mirror.ts";
import type { MirrorOwner } from "../../src/mirror/mirror-path.ts";

export function openMirror(
  stateDirectory: string,
  owner: MirrorOwner,
  tools: Partial<MirrorTools> = {},
): Promise<Mirror> {
  return open(stateDirectory, owner, { nextCommand: (words) => `courier ${words}`, ...tools });
}
