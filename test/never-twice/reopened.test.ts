/** `orders resolve --as` of the wrong order, taken back with `--reopen`: what was known of the create before must be known again. */
import { expect, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import type { ShownOrder } from "../support/shown-order.ts";
import { knownHome, minuteMs } from "./known-home.ts";

const mask = (shown: ShownOrder): ShownOrder => ({
  ...shown,
  receiver: { ...shown.receiver, name: "李**", phone: "139****9003", address: "北京市STREET" },
});

test.each([
  { what: "control: decided rightly at once", isMistaken: false },
  { what: "the wrong order first, taken back, then decided rightly", isMistaken: true },
])("possible matches are kept: $what", async ({ isMistaken }) => {
  const { home, run } = await knownHome();
  // Row A-3 makes order 4, the single create order 5; both answers are lost, and the service hides names.
  home.service.ways = { loss: () => "after", rewrite: mask };
  const first = await run();
  expect(first.report[3].error.message).toContain("possible matches: 4");
  const other = {
    ...plainDraft,
    receiver: { ...plainDraft.receiver, name: "赵明", phone: "13611112222", detail: "南京东路5号" },
  };
  const single = await home.courier("orders create --file - --yes", { stdin: JSON.stringify(other) });
  expect([single.exit, home.service.orders.length], single.stderr).toEqual([6, 5]);
  // Someone cancels order 4 on the website, and the service shows it no more.
  home.service.ways = { omitFromList: ({ id }) => id === 4 };
  const yes = () => scriptedPrompts({ confirms: [true, true, true] });
  const resolve = async (words: string) => {
    const ran = await home.courier(`orders resolve ${words}`, { terminal: 100, prompts: yes() });
    expect(ran.exit, ran.stderr).toBe(0);
  };
  const names = JSON.parse((await home.courier("orders resolve --json")).stdout).map(
    ({ operation }: { operation: string }) => operation,
  );
  const [row, create] = names;
  if (isMistaken) {
    await resolve(`${row} --as 5`);
    await resolve(`${row} --reopen`);
  }
  await resolve(`${create} --as 5`);
  home.service.ways = {
    omitFromList: ({ id }) => id === 4,
    refuseDetail: { status: 404, code: "NOT_FOUND" },
  };
  for (const minutes of [1, 20, 60]) {
    home.clock.advance(minutes * minuteMs);
    await run();
    expect(home.service.orders.length, "orders at the service").toBe(5);
  }
});

/** A person has changed receiver and goods of order 4 at the service. */
const changed = (shown: ShownOrder): ShownOrder =>
  String((shown as { id?: unknown }).id) === "4"
    ? ({
        ...shown,
        receiver: {
          ...shown.receiver,
          name: "钱多多",
          phone: "13711113333",
          address: "上海市南京东路5号",
          city: "上海市",
        },
        item: { ...shown.item, name: "陶瓷杯" },
        item_name: "陶瓷杯",
      } as ShownOrder)
    : shown;

test.each([
  { what: "control: decided rightly at once", isMistaken: false },
  { what: "the wrong order first, taken back, then decided rightly", isMistaken: true },
])("the order of its first answer stays possible: $what", async ({ isMistaken }) => {
  const { home, run } = await knownHome();
  expect((await run()).exit).toBe(0); // row A-3 is order 4
  home.service.ways = { rewrite: changed };
  const yes = () => scriptedPrompts({ confirms: [true, true, true] });
  const resolve = async (words: string) => {
    const ran = await home.courier(`orders resolve ${words}`, { terminal: 100, prompts: yes() });
    expect(ran.exit, ran.stderr).toBe(0);
  };
  await resolve("ref:A-3 --reopen");
  home.service.ways = { rewrite: changed, loss: () => "after", refuseList: { status: 503 } };
  const other = {
    ...plainDraft,
    receiver: { ...plainDraft.receiver, name: "赵明", phone: "13611112222", detail: "南京东路5号" },
  };
  const single = await home.courier("orders create --file - --yes", { stdin: JSON.stringify(other) });
  expect([single.exit, home.service.orders.length], single.stderr).toEqual([6, 5]);
  home.service.ways = { rewrite: changed };
  const listed = JSON.parse((await home.courier("orders resolve --json")).stdout) as { operation: string }[];
  const [row, create] = listed.map(({ operation }) => operation);
  if (isMistaken) {
    await resolve(`${row} --as 5`);
    await resolve(`${row} --reopen`);
  }
  await resolve(`${create} --as 5`);
  for (const minutes of [1, 20, 60]) {
    home.clock.advance(minutes * minuteMs);
    await run();
    expect(home.service.orders.length, "orders at the service").toBe(5);
  }
});
