/** How late lists are is learned by the service's clock: setting ours back makes no late list a prompt one. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { row, sheet } from "../support/imports.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const second = 1_000;
const minute = 60 * second;

test.each([
  ["names its boots, as Linux does", true],
  ["does not name its boots", false],
])("an order that was made is not sent again, where the system %s", async (_, namesBoots) => {
  const home = await createUnfaithfulHome({ listLagMs: 14 * minute });
  const { clock, service } = home;
  if (!namesBoots) Object.assign(clock, { sinceBoot: () => undefined });
  const file = path.join(home.directory, "orders.csv");
  const words = ["orders", "import", file, "--yes", "--json"];
  const known = Array.from({ length: 24 }, (_, index) =>
    row(`A-${index}`, `王五${index}`, `137001370${10 + index}`),
  );
  await writeFile(file, sheet(...known));
  expect((await home.courier(words)).exit).toBe(0);

  // Ten minutes later the time server sets the clock back; then the list shows the orders.
  clock.advance(10 * minute);
  home.setOwnClock(-(13 * minute + 55 * second));
  clock.advance(4 * minute + 5 * second);
  expect((await home.courier(words)).exit).toBe(0);

  service.ways = { listLagMs: 14 * minute, loss: (_request, n) => (n === 25 ? "after" : "answered") };
  await writeFile(file, sheet(...known, row("B-1", "赵六", "13700137001")));
  const lost = await home.courier(words);
  expect([lost.exit, service.orders.length], lost.stderr).toEqual([6, 25]);
  clock.advance(2 * minute);
  const again = await home.courier(words);
  expect(service.orders.length, again.stderr).toBe(25);
});
