/** A clock that is set between commands, and a list that loses orders: what it lacks is known, whatever the clock says. */

import { expect, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import { createUnfaithfulHome, type UnfaithfulHome } from "../support/unfaithful-service.ts";

const dayMs = 86_400_000;
type Ways = UnfaithfulHome["service"]["ways"];

const draftFor = (name: string, phone: string) => ({
  ...plainDraft,
  receiver: { ...plainDraft.receiver, name, phone },
});
const first = draftFor("王一", "13900139001");
const lost = draftFor("王二", "13900139002");
const later = draftFor("王三", "13900139003");

const days = [-30, -3, 0, 3, 30];
const clocks = days.flatMap((atFirst) => days.map((atLost) => [atFirst, atLost] as const));

/** `daysOff`: how far this machine's clock is off while the command runs; the service's is not. */
async function createAt(home: UnfaithfulHome, draft: object, daysOff: number, ways: Ways): Promise<number> {
  home.clock.jump(daysOff * dayMs);
  home.service.ways = { ...ways, dateSkewMs: -daysOff * dayMs };
  const { exit } = await home.courier("orders create --file - --json", { stdin: JSON.stringify(draft) });
  home.clock.jump(-daysOff * dayMs);
  home.clock.advance(5_000);
  return exit;
}

test.each([
  ["the service's clock", { hideDate: false, isRestarted: true }],
  ["the time since boot", { hideDate: true, isRestarted: false }],
])(
  "%s tells that the list lacks an order, and none is made twice",
  async (_clock, { hideDate, isRestarted }) => {
    for (const [atFirst, atLost] of clocks) {
      const home = await createUnfaithfulHome();
      const without = (...ids: readonly number[]): Ways => ({
        hideDate,
        omitFromList: ({ id }) => ids.includes(id),
      });
      expect(await createAt(home, first, atFirst, without())).toBe(0);
      if (isRestarted) home.clock.reboot();
      expect(await createAt(home, lost, atLost, { ...without(2), loss: () => "after" })).toBe(6);
      if (isRestarted) home.clock.reboot();
      expect(await createAt(home, later, 0, without(1, 2))).toBe(0);
      const exit = await createAt(home, lost, 0, without(1, 2));
      expect([exit, home.service.orders.length], `clock off by ${atFirst} and ${atLost} days`).toEqual([
        2, 3,
      ]);
    }
  },
);
