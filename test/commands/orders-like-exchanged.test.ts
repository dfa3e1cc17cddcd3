/** `orders create --like` of an order whose number the answer to another create had. */

import { expect, test } from "vitest";
import { answerData, onePage, sentBodies } from "../support/answers.ts";
import { createImportHome, row, sheet } from "../support/imports.ts";

interface Shown {
  readonly id: number;
  readonly order_no: string;
  readonly receiver: object;
  readonly item: { readonly name: string };
}

/** The answers to the rows of 李四 and 王五 were exchanged: each number has the other one's data. */
async function homeWithExchanged() {
  const other = row("A-2", "王五", "13700137001").replace("建国路88号", "南路2号");
  const home = await createImportHome(sheet(row("A-1"), other));
  expect((await home.run("--concurrency 1")).exit).toBe(0);
  const read = async (id: number): Promise<Shown> =>
    JSON.parse((await home.courier(`orders show ${id} --json`)).stdout);
  const [one, two] = [await read(1000001), await read(1000002)];
  const mix = (own: Shown, { receiver, item }: Shown) => ({ ...own, receiver, item });
  const shown = [mix(two, one), mix(one, two)];
  for (const each of shown) answerData(home, `GET /api/v1/orders/${each.id}`, JSON.stringify(each));
  const listed = shown.map(({ item, ...each }) => ({ ...each, item_name: item.name }));
  answerData(home, "GET /api/v1/orders", JSON.stringify(listed), onePage.replace('items":1', 'items":2'));
  home.clock.advance(3_600_000);
  return { ...home, number: one.order_no };
}

test.each(["1000001", "its number"])(
  "%s: nothing is sent, and the hint names what was sent",
  async (name) => {
    const home = await homeWithExchanged();
    const like = name === "its number" ? home.number : name;
    const { exit, stderr } = await home.courier(`orders create --like ${like} --yes`);
    expect(exit, stderr).toBe(2);
    expect(stderr).toContain("the answer to 1.1 named order 1000001, but the service shows ");
    expect(stderr).toContain("王五");
    expect(stderr).toContain("hint: start from what was sent: courier orders create --like 1.1\n");
    // What is certain was recorded: the order is not the create's any more.
    const again = await home.courier(`orders create --like ${like} --yes`);
    expect(again.exit, again.stderr).toBe(2);
    expect(again.stderr).toContain("1.1 is in doubt: courier orders resolve 1.1");
    expect(sentBodies(home)).toHaveLength(2);
    const { stdout } = await home.courier("orders create --like 1.1 --dry-run --json");
    expect(JSON.parse(stdout).receiver.name).toBe("李四");
  },
);

test("its ref means what was sent with it", async () => {
  const home = await homeWithExchanged();
  const { stdout } = await home.courier("orders create --like ref:A-1 --dry-run --json");
  expect(JSON.parse(stdout).receiver.name).toBe("李四");
});
