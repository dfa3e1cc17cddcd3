/** A mirror of many orders, each with what was sent and with its line in the list, made without a service. */

import { systemClock } from "../src/core/clock.ts";
import { openMirror } from "../src/mirror/mirror.ts";
import type { MirrorOwner } from "../src/mirror/mirror-path.ts";
import type { JsonObject } from "../src/model/json.ts";
import { generateSeeds } from "../src/sandbox/seeds.ts";
import { listView } from "../src/sandbox/views.ts";

const atOnce = 2_000;

export async function fillMirror(stateDirectory: string, owner: MirrorOwner, orders: number): Promise<void> {
  const nowMs = Date.now();
  const seeds = generateSeeds(orders, nowMs);
  const mirror = await openMirror(stateDirectory, owner, {
    clock: systemClock(),
    nextCommand: (words) => `courier ${words}`,
  });
  for (let first = 1; first <= orders; first += atOnce) {
    const ids = Array.from({ length: Math.min(atOnce, orders - first + 1) }, (_, index) => first + index);
    const answers = ids.flatMap((id) => {
      const known = seeds.find(id);
      if (!known) throw new Error(`no order ${id}`);
      const { sender, receiver, item } = known.order;
      const draft: JsonObject = { sender, receiver, item };
      return [
        { id: String(id), kind: "list", value: listView(known, nowMs) } as const,
        { id: String(id), kind: "draft", value: draft, ref: `A-${id}` } as const,
      ];
    });
    await mirror.record(answers, nowMs);
  }
  await mirror.noteSync({ atMs: nowMs, through: new Date(nowMs).toISOString().slice(0, 10) });
  mirror.close();
}
