/** An equal order after the clock of the machine was set: the time since boot tells how old the first one is. */

import { describe, expect, test } from "vitest";
import { createServedHome, type ServedHome } from "../support/courier.ts";

const minuteMs = 60_000;
const create = "orders create --sender-name A --receiver-name B --item-name C --no-input";

async function homeWithOrder(): Promise<ServedHome> {
  const home = await createServedHome();
  expect((await home.courier(create)).exit).toBe(0);
  return home;
}

const held = (when: string) => ({
  exit: 2,
  stderr: expect.stringContaining(`error: the same order was sent ${when}, as 1000001; nothing was sent`),
});

describe("within ten minutes an equal order is held", () => {
  test.each([
    ["set forward", 11 * minuteMs, "just now"],
    ["set back", -60 * minuteMs, "just now"],
  ])("where the clock was %s", async (_how, byMs, when) => {
    const home = await homeWithOrder();
    home.clock.jump(byMs);
    expect(await home.courier(create)).toMatchObject(held(when));
  });

  test.each([11, -60])(
    "and the message has its real age, where the clock was set by %s min",
    async (minutes) => {
      const home = await homeWithOrder();
      home.clock.advance(5 * minuteMs);
      home.clock.jump(minutes * minuteMs);
      expect(await home.courier(create)).toMatchObject(held("5 min ago"));
    },
  );

  test("where the clock was set back, and the machine was started anew", async () => {
    const home = await homeWithOrder();
    home.clock.jump(-60 * minuteMs);
    home.clock.reboot();
    expect(await home.courier(create)).toMatchObject(held("just now"));
  });

  test("also after those minutes, where the clock was set back: one of the two clocks is wrong", async () => {
    const home = await homeWithOrder();
    home.clock.advance(11 * minuteMs);
    home.clock.jump(-5 * minuteMs);
    expect(await home.courier(create)).toMatchObject(held("11 min ago"));
  });

  test("where its row was imported", async () => {
    const home = await createServedHome();
    const stdin = JSON.stringify([
      { ref: "1", sender: { name: "A" }, receiver: { name: "B" }, item: { name: "C" } },
    ]);
    expect((await home.courier("orders import - --yes", { stdin })).exit).toBe(0);
    home.clock.jump(11 * minuteMs);
    expect(await home.courier(create)).toMatchObject(held("just now with the ref 1"));
  });
});

describe("after ten minutes an equal order is sent", () => {
  test("where the clock was not set, and where the machine was started anew meanwhile", async () => {
    const home = await homeWithOrder();
    home.clock.advance(11 * minuteMs);
    expect((await home.courier(create)).exit).toBe(0);
    home.clock.reboot();
    home.clock.advance(11 * minuteMs);
    expect((await home.courier(create)).exit).toBe(0);
  });
});
