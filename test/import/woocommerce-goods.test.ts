/** WooCommerce, a row an order: pieces that were refunded are not sent, whatever form line_items has. */
import { describe, expect, test } from "vitest";
import { createImportHome, outcomes } from "../support/imports.ts";

const header =
  "order_id,order_number,status,billing_first_name,billing_phone,shipping_first_name,shipping_last_name,shipping_address_1,shipping_city,shipping_state,line_items";
const order = (items: string, ref = "43") =>
  `${ref},${ref},processing,,+1 555 010 0000,Ann,Example,1 Main St,Springfield,IL,"${items.replaceAll('"', '""')}"`;

async function importOrder(items: string, ref?: string) {
  const home = await createImportHome([header, order(items, ref), ""].join("\n"));
  const party = ["--name", "张三", "--phone", "13800138000", "--city", "深圳市", "--detail", "科技园路1号"];
  await home.courier(["addresses", "add", "shop", ...party]);
  const ran = await home.run("--sender @shop");
  return { home, ran, posts: home.posts, operations: await home.operations() };
}

test("an order whose goods were all refunded is not sent, as with a row an item", async () => {
  const { ran, posts } = await importOrder("id:1|name:Green tea|quantity:2|refunded:9.00|refunded_qty:-2");
  expect(posts, ran.stderr).toBe(0);
});

test("an order without goods is not sent with an empty item name and no word about it", async () => {
  const { operations } = await importOrder("[]");
  expect(operations.map(({ draft }) => draft?.item?.name)).not.toContain("");
});

test("the JSON form leaves out refunded pieces, too", async () => {
  const { operations } = await importOrder(
    '[{"id":1,"name":"Tea","quantity":2,"refunded_qty":-2},{"id":2,"name":"Cup","quantity":3,"refunded_qty":-1}]',
  );
  const { item } = operations[0]?.draft ?? {};
  expect([item?.name, item?.quantity?.value]).toEqual(["Cup", "2"]);
});

test("qty counts in the JSON form as in the other one", async () => {
  const { operations } = await importOrder('[{"name":"Cup","qty":3}]');
  expect(operations[0]?.draft?.item?.quantity?.value).toBe("3");
});

describe("pieces in a list that are written as in a cell", () => {
  const list = '[{"name":"Tea","quantity":"2.0"},{"name":"Cup","quantity":1}]';

  test("are added up", async () => {
    const { operations } = await importOrder(list);
    expect(operations[0]?.draft?.item?.quantity?.value).toBe("3");
  });

  test.each(["43", ""])(
    "and that an earlier version did not send: the order is known, ref “%s”",
    async (ref) => {
      const { home } = await importOrder('[{"name":"Tea"},{"name":"Cup"}]', ref);
      await home.put([header, order(list, ref), ""].join("\n"));
      const again = await home.run("--sender @shop");
      expect([outcomes(again.report), home.posts], again.stderr).toEqual([
        ref === "" ? "held" : "shipped",
        1,
      ]);
    },
  );

  test("are not sent where only some goods have them, and a warning says so", async () => {
    const { ran, operations } = await importOrder('[{"name":"Tea","quantity":2},{"name":"Cup"}]');
    expect(operations[0]?.draft?.item).toEqual({ name: "Tea; Cup" });
    expect(ran.stderr).toContain("warning: 1 row sent without a number of pieces");
  });
});

test("goods of a JSON list under another key are a mistake of the row", async () => {
  const { ran, posts } = await importOrder('[{"name":"Tea","quantity":1},{"title":"Cup","quantity":3}]');
  expect([ran.exit, posts], ran.stderr).toEqual([2, 0]);
  expect(ran.stderr).toContain("has goods without the key “name”");
});
