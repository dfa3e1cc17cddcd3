/** A terminal that does not know its size, as `script` and `docker run -t` give in a job: it says 0 by 0. */

import { expect, test } from "vitest";
import { createHome, createServedHome } from "../support/courier.ts";
import { openLiveScreen } from "../support/live-screen.ts";
import { keys } from "../support/terminal.ts";

test.each(["--help", "orders --help", "orders create --help", "orders list --account sandbox", "find x"])(
  "courier %s: the lines are those of 80 columns",
  async (words) => {
    const home = await createHome();
    const [unknown, usual] = [
      await home.courier(words, { terminal: 0 }),
      await home.courier(words, { terminal: 80 }),
    ];
    expect(unknown).toEqual(usual);
  },
);

test("a live screen shows its orders", async () => {
  const home = await createServedHome();
  const words = ["--sender-name", "店", "--receiver-name", "李四", "--item-name", "书", "--yes"];
  expect((await home.courier(["orders", "create", ...words])).exit).toBe(0);
  const screen = openLiveScreen(home, "find", { columns: 0, rows: 0 });
  await screen.until("李四");
  screen.type(keys.ctrlC);
  await screen.ended;
});
