/** An undo that is killed again and again, against a service that loses answers. */

import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { createRandom } from "../../src/sandbox/random.ts";
import { seed } from "../support/effort.ts";
import { readRuns, recordRun, stateAtService } from "../support/ledger.ts";
import { createServedProcessHome, until } from "../support/process.ts";

/** Each order ends cancelled, and each request was recorded before it left. */
export async function undoUnderKills(orderCount: number, kills: number): Promise<void> {
  const home = { ...(await createServedProcessHome()), clock: systemClock() };
  const random = createRandom(seed);
  const { number, orders } = await recordRun(
    home,
    Array.from({ length: orderCount }, () => "created" as const),
  );
  const deletes = () => home.sandbox.requests.filter(({ method }) => method === "DELETE");
  home.sandbox.faults.set([
    { kind: "latency", ms: 5 },
    { kind: "drop_after", probability: 0.05, seed },
    { kind: "drop_before", probability: 0.05, seed: seed + 1 },
    { kind: "status", status: 503, processed: true, probability: 0.03, seed: seed + 2 },
  ]);

  const words = `undo ${number} --yes --ndjson`;
  for (let killed = 0; killed < kills; killed++) {
    const before = deletes().length;
    const running = home.start(words);
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    running.ended.then(end, end);
    await until("cancelling, or over", () => isOver || deletes().length > before);
    await wait(random() * 250);
    running.child.kill("SIGKILL");
    await running.ended;
  }
  const sentByKilled = deletes().length;
  expect(sentByKilled).toBeGreaterThan(0);

  let exit: number | null = null;
  for (let runs = 0; exit !== 0 && runs < 5; runs++) ({ exit } = await home.courier(words));
  expect(exit).toBe(0);
  home.sandbox.faults.clear();

  const states = await Promise.all(orders.map((order) => stateAtService(home, order?.id ?? "")));
  expect(new Set(states)).toEqual(new Set(["cancelled"]));
  const runs = await readRuns(home);
  expect(new Set(runs[0]?.operations.map(({ orderState }) => orderState))).toEqual(new Set(["cancelled"]));
  const cancels = runs.slice(1).flatMap(({ operations }) => operations);
  expect(new Set(cancels.map(({ state }) => state))).toEqual(new Set(["cancelled"]));
  const recorded = new Set(cancels.map(({ order }) => order?.id));
  const sent = new Set(deletes().map(({ path }) => path.split("/").at(-1)));
  expect([...sent].filter((id) => !recorded.has(id))).toEqual([]);
  // What a killed run had cancelled and recorded is not sent again.
  expect(cancels.length).toBeLessThan(orderCount + kills * 8);

  const killed = JSON.parse((await home.courier("log --json --all")).stdout) as { outcome: string }[];
  expect(killed.filter(({ outcome }) => outcome === "killed").length).toBeGreaterThan(0);
}
