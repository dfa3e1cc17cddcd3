/** A sync as a process that is killed: the next one ends with a mirror that has what the service has. */

import { expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { createServedProcessHome, until } from "../support/process.ts";

test.each([2, 6])(
  "killed after %i requests, a first and a later sync are finished by the next",
  async (most) => {
    // Orders change their states by this clock: none changes between the two answers that are compared.
    const atMs = Date.now();
    const clock = { ...systemClock(), now: () => atMs };
    const home = await createServedProcessHome({ seedOrders: 700, clock });
    const states = async (words: string) =>
      (JSON.parse((await home.courier(words)).stdout) as { id: number; status: string }[])
        .map(({ id, status }) => `${id} ${status}`)
        .sort();
    for (let time = 0; time < 2; time++) {
      const before = home.sandbox.requests.length;
      home.sandbox.faults.set([{ kind: "latency", ms: 40 }]);
      const running = home.start("sync");
      let hasEnded = false;
      running.ended.then(() => {
        hasEnded = true;
      });
      await until("some pages are read", () => hasEnded || home.sandbox.requests.length - before >= most);
      if (!hasEnded) process.kill(running.pid, "SIGKILL");
      await running.ended;
      home.sandbox.faults.clear();
      const killed = home.sandbox.requests.length;
      expect(await home.courier("sync")).toMatchObject({ exit: 0 });
      // The profile and the whole list; later, one list for each state that changes and the new orders.
      expect(home.sandbox.requests.length - killed).toBeLessThanOrEqual(1 + (time === 0 ? 7 : 8 + 7));
      expect(await states("find --all --json")).toEqual(await states("orders list --all --json"));
    }
  },
);
