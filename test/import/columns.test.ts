/** Headers of spreadsheets: dotted, English and Chinese names, pairs of the user's own, and mistakes. */

import { describe, expect, test } from "vitest";
import { guessColumns, mapColumns, parseMapping } from "../../src/import/columns/columns.ts";
import { findHeader } from "../../src/import/columns/header-row.ts";
import { columnPaths } from "../../src/import/columns/title-words.ts";
import { readGood } from "../sheets/input-text.ts";
import { fc } from "../support/effort.ts";

const none = new Map<string, string>();
const pathsOf = (...headers: string[]) => mapColumns(headers, none).paths;

test("every dotted name is its own field", () => {
  for (const path of columnPaths) expect(pathsOf(path)).toEqual([path]);
});

test.each([
  ["寄件人姓名", "sender.name"],
  ["收件人电话", "receiver.phone"],
  ["收件人手机号", "receiver.phone"],
  ["发件人（省份）", "sender.province"],
  ["收货人详细地址", "receiver.detail"],
  ["物品名称", "item.name"],
  ["重量", "item.weight"],
  ["件数", "item.quantity"],
  ["服务类型", "service_type"],
  ["商家订单号", "ref"],
  ["Receiver Name", "receiver.name"],
  ["receiver_phone", "receiver.phone"],
  ["RECIPIENT: City", "receiver.city"],
  [" Ship to address ", "receiver.detail"],
  ["From Name", "sender.name"],
  ["Qty", "item.quantity"],
  ["Declared value", "item.value"],
  ["Order Ref", "ref"],
  ["Order No", "ref"],
  ["Order Number", "ref"],
  ["order_no", "ref"],
  ["Order #", "ref"],
  ["订单号", "ref"],
  ["Service level", "service_type"],
  ["Post to name", "receiver.name"],
  ["Shipping Address", "receiver.detail"],
  ["Delivery phone number", "receiver.phone"],
  ["收方姓名", "receiver.name"],
  ["寄方联系方式", "sender.phone"],
  ["收件人手机/电话", "receiver.phone"],
  ["*收件人姓名（必填）", "receiver.name"],
  ["\uFEFF收件人\n电话(选填)", "receiver.phone"],
  ["重量(kg)", "item.weight"],
  ["收货信息", "receiver.text"],
])("%s is %s", (header, field) => {
  expect(pathsOf(header)).toEqual([field]);
});

test("a whole Chinese sheet becomes orders", async () => {
  const [row] = await readGood(
    "订单号,寄件人姓名,寄件人电话,收件人姓名,收件人电话,收件人城市,收件人地址,物品名称,重量,数量\n" +
      "A-1,张三,13800138000,李四,13900139000,北京市,建国路88号,茶叶,1.50,2\n",
  );
  expect(row?.ref).toBe("A-1");
  expect(JSON.parse(JSON.stringify(row?.draft))).toMatchObject({
    sender: { name: "张三", phone: "13800138000" },
    receiver: { name: "李四", phone: "13900139000", city: "北京市", detail: "建国路88号" },
  });
  expect(row?.draft.item?.weight?.value).toBe("1.50");
  expect(row?.draft.item?.quantity?.value).toBe("2");
});

describe("pairs of the user's own", () => {
  test("come before known names", () => {
    const map = mapColumns(
      ["Name", "Notes"],
      new Map([
        ["Notes", "item.description"],
        ["Name", "receiver.name"],
      ]),
    );
    expect(map.paths).toEqual(["receiver.name", "item.description"]);
    expect(map.unused).toEqual([]);
  });

  test("name a column that is there", () => {
    expect(() => mapColumns(["a", "b"], new Map([["c", "ref"]]))).toThrow(
      "--map: the file has no column “c”",
    );
  });

  test("may hold equals signs in the column's name", () => {
    expect(parseMapping("a=b = receiver.name")).toEqual({ header: "a=b", path: "receiver.name" });
  });

  test.each(["", "=ref", "a", "a=receiver", "a=sender.nam"])("%j is refused", (text) => {
    expect(() => parseMapping(text)).toThrow(/--map takes a column and a field/);
  });

  test("a column without a field is left out", () => {
    expect(parseMapping("Notes=")).toEqual({ header: "Notes", path: "" });
  });

  test("a misspelt field gets a suggestion", () => {
    expect(() => parseMapping("a=reciever.name")).toThrow(
      expect.objectContaining({ hint: "did you mean receiver.name?" }),
    );
  });
});

test("columns that are no field are left out, and said", () => {
  expect(mapColumns(["ref", "Colour", "", "error", "Notes"], none)).toEqual({
    paths: ["ref", undefined, undefined, undefined, undefined],
    unused: ["Colour", "Notes"],
  });
});

test.each(["Shipping", "重量(g)", "Billing Nane", "Shipping Country", "Delivery Date"])(
  "%s is no field, and none is guessed",
  (header) => {
    expect(pathsOf(header, "Item Name")).toEqual([undefined, "item.name"]);
  },
);

test("a dotted name that is misspelt is refused with a suggestion", () => {
  expect(() => pathsOf("reciever.name")).toThrow(
    expect.objectContaining({ exit: 2, hint: expect.stringContaining("reciever.name=receiver.name") }),
  );
});

test.each(["Recipent Name", "Reciever Name"])(
  "%s is refused where no other column is the receiver's name",
  (header) => {
    expect(() => pathsOf(header, "Item Name")).toThrow(
      expect.objectContaining({ exit: 2, hint: expect.stringContaining(`--map "${header}=receiver.name"`) }),
    );
    expect(pathsOf(header, "Recipient Name")).toEqual([undefined, "receiver.name"]);
  },
);

test.each(["City", "Address", "手机号", "详细地址", "姓名"])(
  "%s may be of the sender or the receiver",
  (header) => {
    const given = new Map([[header, ""]]);
    expect(() => pathsOf(header, "Item Name")).toThrow(/: sender or receiver\?/);
    expect(mapColumns([header, "Item Name"], given).paths).toEqual([undefined, "item.name"]);
    const receivers = ["Receiver City", "Receiver Address", "Receiver Phone", "Receiver Name"];
    expect(() => pathsOf(header, ...receivers)).not.toThrow();
  },
);

test("orders that exist are not ordered once more, unless it is said", () => {
  const exported = ["id", "order_no", "tracking_number", "sender.name", "receiver.name", "item.name"];
  expect(() => mapColumns(exported, none)).toThrow(
    expect.objectContaining({ exit: 2, hint: expect.stringContaining('--map "tracking_number="') }),
  );
  const { paths } = mapColumns(exported, new Map([["tracking_number", ""]]));
  expect(paths).toEqual([undefined, "ref", undefined, "sender.name", "receiver.name", "item.name"]);
});

test("a column that is called ref is the one, whatever other numbers there are", () => {
  expect(mapColumns(["Order No", "ref"], none)).toEqual({ paths: [undefined, "ref"], unused: ["Order No"] });
  expect(() => pathsOf("Order No", "订单号")).toThrow(/both match ref/);
});

test("two columns of one field are refused with a way out", () => {
  expect(() => pathsOf("收件人", "receiver.name")).toThrow(
    expect.objectContaining({
      exit: 2,
      hint: expect.stringMatching(/^choose one: --map "收件人=receiver.name"/),
    }),
  );
});

test("two columns of one name cannot be told apart by a flag: the file has to", () => {
  const given = new Map([["Goods", "item.name"]]);
  const told = {
    message: "two columns have the name Goods",
    hint: "rename one of them in the file",
  };
  expect(() => mapColumns(["Goods", "receiver.name", "Goods "], given)).toThrow(
    expect.objectContaining(told),
  );
  expect(() => pathsOf("item.name", "物品", "item.name")).toThrow(
    expect.objectContaining({ ...told, message: "two columns have the name item.name" }),
  );
});

test("a duplicate is settled by --map, or by leaving one out", () => {
  const headers = ["收件人", "receiver.name"];
  const chosen = mapColumns(headers, new Map([["收件人", "receiver.name"]]));
  expect(chosen).toEqual({ paths: ["receiver.name", undefined], unused: ["receiver.name"] });
  const leftOut = mapColumns(headers, new Map([["收件人", ""]]));
  expect(leftOut).toEqual({ paths: [undefined, "receiver.name"], unused: ["收件人"] });
  const map = new Map([
    ["收件人", "receiver.name"],
    ["Buyer", "receiver.name"],
  ]);
  expect(() => mapColumns(["收件人", "Buyer"], map)).toThrow(/both match receiver.name/);
});

test("no header makes it stumble, and each column has a place", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (headers) => {
      try {
        expect(mapColumns(headers, none).paths).toHaveLength(headers.length);
      } catch (error) {
        expect(error).toMatchObject({ exit: 2 });
      }
    }),
  );
});

test("the guesses for a header, given as --map, leave no doubt", () => {
  const names = fc.constantFrom(
    "Name",
    "姓名",
    "City",
    "reciever.name",
    "收件人",
    "receiver.address",
    "x",
    "ref",
  );
  fc.assert(
    fc.property(fc.uniqueArray(names), (headers) => {
      const { doubts, map } = guessColumns(headers, none);
      const given = new Map(doubts.flatMap(({ guesses }) => [...guesses]));
      expect(mapColumns(headers, given)).toEqual(map);
    }),
  );
});

test("a long cell of brackets below a header is read at once", () => {
  const rows = [
    ["receiver.name", "receiver.city", "item.name"],
    ["李四", "北京市", "(".repeat(1_000_000)],
    ["市".repeat(1_000_000), "", "1"],
  ];
  const began = performance.now();
  const found = findHeader(
    rows.map((cells, at) => ({ cells, line: at + 1 })),
    { mapping: new Map() },
  );
  expect(found.index).toBe(0);
  expect(performance.now() - began).toBeLessThan(5_000);
});
