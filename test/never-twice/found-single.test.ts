/** A single create was in doubt, and a person learnt of its order: the row of the same parcel is not sent unasked. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { row, sheet } from "../support/imports.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const sent = row("A-1");
const draft = {
  sender: { name: "张三", phone: "13800138000" },
  receiver: { name: "李四", phone: "13900139000", city: "北京市", detail: "建国路88号" },
  item: { name: "茶叶", weight: 1.5, quantity: 1 },
};

test.each([
  ["orders resolve", "as it was sent", sent],
  ["orders resolve", "with other pieces", sent.replace(/,1$/, ",7")],
  ["the same create", "as it was sent", sent],
  ["the same create", "with other pieces", sent.replace(/,1$/, ",7")],
])("%s told of it, and the row is %s", async (how, _what, line) => {
  const home = await createUnfaithfulHome({ loss: () => "after", refuseList: { status: 503 } });
  const create = () => home.courier("orders create --file - --yes --json", { stdin: JSON.stringify(draft) });
  expect((await create()).exit).toBe(6);
  home.service.ways = {};
  const file = path.join(home.directory, "orders.csv");
  await writeFile(file, sheet(line));
  const send = (...words: string[]) => home.courier(["orders", "import", file, "--yes", ...words]);
  home.clock.advance(1_000_000);
  const told =
    how === "orders resolve" ? await home.courier("orders resolve 1.1 --as 1 --yes") : await create();
  expect(told.exit, told.stderr).toBe(how === "orders resolve" ? 0 : 2);
  const held = await send();
  expect([held.exit, home.service.orders.length], held.stderr).toEqual([3, 1]);
  expect(held.stderr).toContain("operation 1.1, which is order 1");
  expect((await send("--allow-duplicate", "A-1")).exit).toBe(0);
  expect(home.service.orders).toHaveLength(2);
});
