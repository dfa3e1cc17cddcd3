/** Equal orders at the same moment: one is made, the others are told. */

import { expect, test } from "vitest";
import { requestCount } from "../support/answers.ts";
import { createServedHome } from "../support/courier.ts";
import { effort } from "../support/effort.ts";
import { createProcessHome } from "../support/process.ts";

const order = (item: string) => ({
  stdin: JSON.stringify({ sender: { name: "A" }, receiver: { name: "B" }, item: { name: item } }),
});

test.each([
  [2, effort(40, 100)],
  [8, effort(20, 100)],
])(
  "of %i equal creates at once one is sent, %i times",
  async (count, rounds) => {
    const home = await createServedHome();
    for (let round = 1; round <= rounds; round++) {
      const words = (index: number) =>
        index % 2 === 0 ? "orders create --file - --json" : "api POST orders --input - --json";
      const runs = Array.from({ length: count }, (_, index) => home.courier(words(index), order(`${round}`)));
      const ran = await Promise.all(runs);
      expect(ran.map(({ exit }) => exit).sort()).toEqual([0, ...Array.from({ length: count - 1 }, () => 2)]);
      expect(ran.map(({ stderr }) => stderr).join("")).not.toContain("in doubt until now");
      expect(requestCount(home, "POST")).toBe(round);
    }
  },
  60_000,
);

test("the same with processes", async () => {
  const served = await createServedHome();
  const env = { COURIER_BASE_URL: served.sandbox.baseUrl, COURIER_API_KEY: served.sandbox.apiKey };
  const home = await createProcessHome(env);
  for (let round = 1; round <= 3; round++) {
    const runs = Array.from({ length: 8 }, () =>
      home.courier("orders create --file - --json", order(`${round}`)),
    );
    const exits = (await Promise.all(runs)).map(({ exit }) => exit).sort();
    expect(exits).toEqual([0, 2, 2, 2, 2, 2, 2, 2]);
    expect(requestCount(served, "POST")).toBe(round);
  }
});
