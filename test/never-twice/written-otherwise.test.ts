/** An order whose phone, or whose blanks, are written in another way is the same order. */

import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openLedgerFile } from "../../src/ledger/ledger.ts";
import type { Json } from "../../src/model/json.ts";
import { contentOf, contentsOf } from "../../src/model/same-order.ts";
import { createImportHome, errorOf, type ImportHome, outcomes, row, sheet } from "../support/imports.ts";

const spellings = [
  "139 0013 9000",
  "139-0013-9000",
  "+86 13900139000",
  "0086-139-0013-9000",
  "8613900139000",
  "(+86)139 0013 9000",
];

const draftWith = (phone: string) => ({
  sender: { name: "张三", phone: "13800138000" },
  receiver: { name: "李四", phone },
  item: { name: "茶叶" },
});

describe("a row without a ref", () => {
  test.each(spellings)("whose phone is written %s now is shipped by its order", async (phone) => {
    const home = await createImportHome(sheet(row("", "李四", "13900139000")));
    expect(outcomes((await home.run()).report)).toBe("created");
    await home.put(sheet(row("", "李四", phone)));
    const again = await home.run();
    expect([outcomes(again.report), home.posts], again.stderr).toEqual(["shipped", 1]);
  });

  test("in another file is held", async () => {
    const home = await createImportHome(sheet(row("", "李四", "139-0013-9000")));
    expect(outcomes((await home.run()).report)).toBe("created");
    const rows = [row("", "李四", "+86 139 0013 9000"), row("", "王五")];
    const again = await home.importFile(await home.put(sheet(...rows), "other.csv"));
    expect([outcomes(again.report), home.posts], again.stderr).toEqual(["held created", 2]);
  });

  test.each(["139 0013 9000", "13900139000"])(
    "that an earlier version recorded as it was written is known as %s",
    async (phone) => {
      const home = await createImportHome(sheet(row("", "李四", phone)));
      expect(outcomes((await home.run()).report)).toBe("created");
      await recordAsBefore(home);
      const again = await home.run();
      expect([outcomes(again.report), home.posts], again.stderr).toEqual(["shipped", 1]);
      const copy = await home.put(sheet(row("", "李四", phone), row("", "王五")), "copy.csv");
      const copied = await home.importFile(copy);
      expect([outcomes(copied.report), home.posts], copied.stderr).toEqual(["held created", 2]);
    },
  );
});

test("rows of an earlier version that only write their phones otherwise keep their orders", async () => {
  const home = await createImportHome(
    sheet(row("", "李四", "139 0013 9000"), row("", "李四", "13900139000")),
  );
  expect(outcomes((await home.run("--concurrency 1")).report)).toBe("created created");
  await recordAsBefore(home);
  const again = await home.run();
  expect(
    again.report.map(({ outcome, id }) => [outcome, id]),
    again.stderr,
  ).toEqual([
    ["shipped", 1000001],
    ["shipped", 1000002],
  ]);
  expect(home.posts).toBe(2);
});

describe("a sheet that is filled in place", () => {
  const phone = "139 0013 9000";
  const cellsOf = async ({ file }: ImportHome) =>
    (await readFile(file, "utf8")).split("\n").map((each) => each.split(",").slice(10, 13));

  test("keeps the number of a row of an earlier version below a new equal row", async () => {
    const home = await createImportHome(sheet(row("", "李四", phone)));
    expect(outcomes((await home.run("--in-place")).report)).toBe("created");
    await recordAsBefore(home);
    const [head = "", sent = ""] = (await readFile(home.file, "utf8")).split("\n");
    const [, before] = await cellsOf(home);
    await home.put([head, `${row("", "李四", phone)},,,,,`, sent, ""].join("\n"));
    const again = await home.run("--in-place");
    expect([outcomes(again.report), home.posts], again.stderr).toEqual(["created shipped", 2]);
    const [, first, second] = await cellsOf(home);
    expect(second).toEqual(before);
    expect(first?.[0]).toMatch(/^CR/);
    expect(first?.[0]).not.toBe(second?.[0]);
  });

  test("shows the cancelled order of an earlier version beside a row that another one holds", async () => {
    const plain = sheet(row("A-1", "李四", phone));
    const home = await createImportHome(plain);
    expect((await home.run("--in-place")).exit).toBe(0);
    await recordAsBefore(home);
    const [, [, orderNo] = []] = await cellsOf(home);
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    const env = { COURIER_STATE_DIR: `${home.directory}/another machine` };
    const other = await home.put(plain, "other.csv");
    expect(outcomes((await home.importFile(other, "", { env })).report)).toBe("created");
    await home.put(plain);
    expect(outcomes((await home.run("--in-place")).report)).toBe("held");
    expect((await cellsOf(home))[1]).toEqual(["", orderNo, "cancelled"]);
  });
});

test("a row with a ref whose phone is written otherwise is shipped, not changed", async () => {
  const home = await createImportHome(sheet(row("A-1", "李四", "13900139000")));
  expect(outcomes((await home.run()).report)).toBe("created");
  await home.put(sheet(row("A-1", "李四", "+86 139-0013-9000")));
  expect(outcomes((await home.run()).report)).toBe("shipped");
});

describe("a single order", () => {
  const create = (home: ImportHome, phone: string) =>
    home.courier("orders create --file - --json", { stdin: JSON.stringify(draftWith(phone)) });

  test.each(spellings)("with the phone %s is the one that was just sent", async (phone) => {
    const home = await createImportHome("");
    expect((await create(home, "13900139000")).exit).toBe(0);
    const again = await create(home, phone);
    expect([again.exit, errorOf(again).code, home.posts]).toEqual([2, "duplicate", 1]);
    expect(errorOf(again).message).toMatch(/^the same order was sent /);
  });

  test("that an earlier version recorded as it was written is known", async () => {
    const home = await createImportHome("");
    expect((await create(home, "139 0013 9000")).exit).toBe(0);
    await recordAsBefore(home);
    const again = await create(home, "139 0013 9000");
    expect([again.exit, errorOf(again).code, home.posts]).toEqual([2, "duplicate", 1]);
    expect(errorOf(again).message).toMatch(/^the same order was sent /);
  });

  test("with another phone is another order", async () => {
    const home = await createImportHome("");
    expect((await create(home, "13900139000")).exit).toBe(0);
    expect((await create(home, "+49 139 0013 9000")).exit).toBe(0);
  });
});

test("a row with a ref that an order of an earlier version covers stays shipped, and that order covers no second row", async () => {
  const home = await createImportHome(sheet(row("A-1", "李四", "139-0013-9000")));
  const made =
    "orders create --yes --sender-name 张三 --sender-phone 13800138000 --receiver-name 李四 --receiver-phone 139-0013-9000 --receiver-city 北京市 --receiver-detail 建国路88号 --item-name 茶叶 --item-weight 1.50 --item-quantity 1";
  expect((await home.courier(made)).exit).toBe(0);
  await recordAsBefore(home);
  for (const words of ["--skip-shipped", ""]) {
    const { report, stderr } = await home.run(words);
    expect([outcomes(report), home.posts], stderr).toEqual(["shipped", 1]);
    home.clock.advance(11 * 60_000);
  }
  const next = await home.put(sheet(row("B-1", "李四", "139-0013-9000")), "next.csv");
  const other = await home.importFile(next, "--skip-shipped");
  expect([outcomes(other.report), home.posts], other.stderr).toEqual(["created", 2]);
});

describe("a row that was refused", () => {
  const send = async (home: ImportHome, phone: string, ref: string) => {
    await home.put(sheet(row(ref, "李四", phone)));
    return home.run();
  };

  test.each(["A-1", ""])(
    "for how its phone is written is sent once that is corrected, with the ref “%s”",
    async (ref) => {
      const home = await createImportHome("");
      home.sandbox.faults.set([
        {
          ...{ method: "POST", path: "/api/v1/orders", kind: "refuse", times: 1 },
          ...{ status: 400, code: "INVALID_PARAMETER", message: "no" },
        },
      ]);
      expect(outcomes((await send(home, "139-0013-9000", ref)).report)).toBe("refused");
      expect(outcomes((await send(home, "139-0013-9000", ref)).report)).toBe("refused");
      const corrected = await send(home, "13900139000", ref);
      expect([outcomes(corrected.report), home.posts], corrected.stderr).toEqual(["created", 2]);
      expect(outcomes((await send(home, "139 0013 9000", ref)).report)).toBe("shipped");
    },
  );
});

describe("which numbers are the same", () => {
  const isSame = (one: string, other: string) => contentOf(draftWith(one)) === contentOf(draftWith(other));
  const mobile = fc.stringMatching(/^1[3-9]\d{9}$/);
  const landline = fc.stringMatching(/^(?:010|02\d)[2-9]\d{7}$/);
  const extension = fc.stringMatching(/^\d{1,6}$/);
  const gap = fc.constantFrom("", " ", "-", "  ", " - ", "(", ")", "‑");
  const gaps = fc.array(gap, { minLength: 14, maxLength: 14 });
  const before = fc.constantFrom("-", " - ", "转", " 转 ", " ext. ", "x", "#", ",", " 分机:", "[");
  const code = fc.constantFrom("", "+86 ", "0086-", "(+86)", "+86");
  const withCode = (country: string, number: string) =>
    country === "" ? number : `${country}${number.replace(/^0/, "")}`;

  test("what is written between the digits of a whole number, or before them for China, makes no difference", () => {
    fc.assert(
      fc.property(fc.oneof(mobile, landline), code, gaps, (number, country, between) => {
        const digits = withCode(country, "").length > 0 ? number.replace(/^0/, "") : number;
        const written = [...digits].map((digit, place) => `${digit}${between[place]}`).join("");
        expect(isSame(number, `${country}${written}`), `${number} ${country}${written}`).toBe(true);
      }),
    );
  });

  test("other digits, and another extension or none, are another number; how it is written makes no difference", () => {
    fc.assert(
      fc.property(
        fc.record({ one: mobile, other: mobile, country: code }),
        fc.record({ ext: extension, otherExt: extension, sign: before, otherSign: before }),
        ({ one, other, country }, { ext, otherExt, sign, otherSign }) => {
          const first = `${one}${sign}${ext}`;
          expect(isSame(one, other)).toBe(one === other);
          expect(isSame(first, one)).toBe(false);
          expect(isSame(first, `${one}${ext}`)).toBe(false);
          expect(isSame(first, `${withCode(country, one)}${otherSign}${ext}`), first).toBe(true);
          expect(isSame(first, `${one}${otherSign}${otherExt}`)).toBe(ext === otherExt);
        },
      ),
    );
  });

  test.each([
    ["0571-8765432-1", "0571-87654321"],
    ["4001234567-1", "40012345671"],
    ["8765432-1", "87654321"],
    ["13900139000", "+49 13900139000"],
    ["13900139000", "13900139000 13800138000"],
    ["139****9000", "13900139000"],
  ])("%s and %s are two", (one, other) => {
    expect(isSame(one, other)).toBe(false);
  });

  test.each([
    ["400-123-4567", "+86 400 123 4567"],
    ["(010)12345678", "+86 10 12345678"],
    ["0571-8888 8888-12", "+86 571 88888888 转12"],
    ["013900139000", "139 0013 9000"],
    ["13900139000-12", "13900139000转分机12"],
    ["13900139000-12", "13900139000分机号:12"],
    ["13900139000-12", "13900139000转接12"],
    ["13900139000-12", "13900139000，转12"],
    ["13900139000-12", "13900139000 转 12 号"],
    ["13900139000-12", "13900139000内线12"],
    ["13900139000-12", "13900139000 (ext. 12)"],
    ["010-88886666-12", "86-10-88886666转12"],
    ["0571-12345678", "86-571-12345678"],
    ["13900139000", "13900139000转"],
    ["+49 30 123456", "0049-30-123456"],
  ])("%s and %s are one", (one, other) => {
    expect(isSame(one, other)).toBe(true);
  });
});

describe("blanks", () => {
  const withTexts = ([name, detail]: readonly [string, string]) =>
    contentOf({ ...draftWith("13900139000"), receiver: { name, detail, phone: "13900139000" } });

  test.each([
    [
      ["张 三", "南京路 1号"],
      ["张三", "南京路1 号"],
    ],
    [
      ["Tom  Lee", " Via 1"],
      ["Tom Lee", "Via 1"],
    ],
  ] as const)("%s and %s are the same", (one, other) => {
    expect(withTexts(one)).toBe(withTexts(other));
  });

  test.each([
    [
      ["Tom Lee", "Via 1"],
      ["TomLee", "Via 1"],
    ],
    [
      ["张三", "南京路1 2号"],
      ["张三", "南京路12号"],
    ],
  ] as const)("%s and %s are not", (one, other) => {
    expect(withTexts(one)).not.toBe(withTexts(other));
  });

  test("a row without a ref that has them elsewhere now is shipped by its order", async () => {
    const home = await createImportHome(sheet(row("", "李 四")));
    expect(outcomes((await home.run()).report)).toBe("created");
    await home.put(sheet(row("", "李四")));
    const again = await home.run();
    expect([outcomes(again.report), home.posts], again.stderr).toEqual(["shipped", 1]);
  });
});

/** The ledger as a version wrote it that took phones as they are. */
async function recordAsBefore(home: ImportHome): Promise<void> {
  const updates = (await home.operations()).flatMap(({ run, number, draft }) => {
    const former = contentsOf(draft as unknown as Json).formerContent;
    return former === undefined
      ? []
      : `UPDATE operations SET content = '${former}' WHERE run = ${run} AND number = ${number}`;
  });
  const ledger = await openLedgerFile(home.stateDir);
  try {
    await ledger.transaction(() => ledger.exec(updates.join(";")));
  } finally {
    ledger.close();
  }
}

describe.each([
  ["浙江台州市路桥区路桥街道双水路1号", ["浙江", "台州", "市路桥区", "路桥街道双水路1号"]],
  ["廣東省廣州市天河區路口街18號", ["廣東省", "廣州", "市天河區", "路口街18號"]],
  ["广东省中山市东区起湾道88号", ["广东省", "中山", "市东区", "起湾道88号"]],
  ["辽宁省鞍山市立山区胜利路1号", ["辽宁省", "鞍山", "市立山区", "胜利路1号"]],
  ["山西省阳泉市郊区荫营镇1号", ["山西省", "阳泉", "市郊区", "荫营镇1号"]],
  ["四川省成都市双流县东升街道1号", ["四川省", "成都", "市双流县", "东升街道1号"]],
  ["广东省深圳市光明新区公明街道1号", ["广东省", "深圳", "市光明新区", "公明街道1号"]],
  [
    "辽宁省 鞍山市 立山区,辽宁省鞍山市立山区园林路1号",
    ["辽宁省", "鞍山市", "立山区", "辽宁省鞍山市立山区园林路1号"],
  ],
  ["辽宁省鞍山市立山区,立山区园林路1号", ["辽宁省", "鞍山", "市立山区", "立山区园林路1号"]],
  ["上海市 宝山区,上海 上海市 宝山区 人民路88号", ["上海", "上海市", "宝山区", "人民路88号"]],
  ["马鞍山市高新区科技路1号", ["", "鞍山市", "高新区", "马 科技路1号"]],
  ["马鞍山 高新区 科技路1号", ["", "鞍山", "高新区", "马 科技路1号"]],
  ["廊坊市燕郊镇北京市通州区对面3号", ["北京市", "北京市", "通州区", "廊坊市燕郊镇 对面3号"]],
  ["广东 深圳 南山,南山大道1号", ["广东", "深圳", "南山", "大道1号"]],
  ["广东 深圳 南山,南山区科技园1号", ["广东", "深圳", "南山", "区科技园1号"]],
  [
    "北京市市辖区朝阳区,北京市朝阳区建国路88号",
    ["北京市", "北京市", "朝阳区", "北京市市辖区朝阳区 建国路88号"],
  ],
])("a row whose address an earlier version split in another way (%s)", (text, asBefore) => {
  const titles = "ref,sender.name,receiver.name,receiver.phone,item.name";
  const place = ["province", "city", "district", "detail"].map((each) => `receiver.${each}`).join(",");
  const before = (ref: string) =>
    `${titles},${place}\n${ref},张三,李四,13900139000,书,${asBefore.join(",")}\n`;
  const columns = text.includes(",") ? ["收件人省市区", "收件人地址"] : ["收件人地址"];
  const today = (ref: string) =>
    `${titles},${columns}\n${ref},张三,李四,13900139000,书,${text}\n${ref && "A-2"},张三,王五,13700137000,书,${text}\n`;

  test.each(["", "A-1"])("is shipped by its order (ref %j)", async (ref) => {
    const home = await createImportHome(before(ref));
    expect(outcomes((await home.run()).report)).toBe("created");
    await home.put(today(ref));
    const words = ["orders", "import", home.file, "--yes", "--json"];
    if (columns.length === 1) words.push("--map", "收件人地址=receiver.address");
    const again = await home.courier(words);
    expect(
      JSON.parse(again.stdout).map(({ outcome }: { outcome: string }) => outcome),
      again.stderr,
    ).toEqual(["shipped", "created"]);
    expect(home.posts).toBe(2);
  });
});

describe.each([
  [
    "张三 广东省深圳市南山区科技园1号楼1801 138 0013 8000",
    ["1801 138 0013", "广东省", "深圳市", "南山区", "科技园1号楼 8000"],
  ],
  [
    "张三 浙江台州市路桥区路桥街道1号楼1801 138 0013 8000",
    ["1801 138 0013", "浙江", "台州市", "路桥区", "路桥街道1号楼 8000"],
  ],
  [
    "张三 浙江台州市路桥区路桥街道1号楼1801 138 0013 8000",
    ["1801 138 0013", "浙江", "台州", "市路桥区", "路桥街道1号楼 8000"],
  ],
])("a row whose text %s gave an earlier version %j", (text, asBefore) => {
  const fields = ["phone", "province", "city", "district", "detail"].map((each) => `receiver.${each}`);

  test.each(["", "A-1"])("is shipped by its order (ref %j)", async (ref) => {
    const before = `ref,sender.name,item.name,receiver.name,${fields}\n${ref},李四,书,张三,${asBefore}\n`;
    const home = await createImportHome(before);
    expect(outcomes((await home.run()).report)).toBe("created");
    await home.put(`ref,sender.name,item.name,receiver.text\n${ref},李四,书,${text}\n`);
    const again = await home.run();
    expect([outcomes(again.report), home.posts], again.stderr).toEqual(["shipped", 1]);
    const copy = await home.put(`sender.name,item.name,receiver.text\n李四,书,${text}\n`, "copy.csv");
    const copied = await home.importFile(copy);
    expect([outcomes(copied.report), home.posts], copied.stderr).toEqual([ref ? "held" : "shipped", 1]);
  });
});

test("an order is known by how an earlier version split it also after its sender was edited", async () => {
  const titles = "receiver.name,receiver.phone,item.name";
  const home = await createImportHome(
    `${titles},receiver.province,receiver.city,receiver.district,receiver.detail\n李四,13900139000,书,广东,深圳,南山,大道1号\n`,
  );
  expect((await home.courier("addresses add shop --name 张三 --phone 13800138000")).exit).toBe(0);
  expect(outcomes((await home.run("--sender @shop")).report)).toBe("created");
  home.clock.advance(24 * 3_600_000);
  expect((await home.courier("addresses edit shop --phone 13800138111")).exit).toBe(0);
  await home.put(`${titles},收件人省市区,收件人地址\n李四,13900139000,书,广东 深圳 南山,南山大道1号\n`);
  const again = await home.run("--sender @shop");
  expect([outcomes(again.report), home.posts], again.stderr).toEqual(["shipped", 1]);
});

test("an order in doubt is not sent again with its address cut otherwise; another address is another order", async () => {
  const home = await createImportHome("");
  const create = ["orders", "create", "--yes", "--json", "--sender-name", "张三", "--item-name", "书"];
  const to = ["--receiver-name", "李四", "--receiver-phone", "13900139000"];
  const address = (province: string, city: string, district: string, detail: string) =>
    Object.entries({ province, city, district, detail }).flatMap(([field, text]) =>
      text === "" ? [] : [`--receiver-${field}`, text],
    );
  home.sandbox.faults.add({ method: "POST", path: "/api/v1/orders", kind: "drop_before", times: 1 });
  const lost = await home.courier([...create, ...to, ...address("广东省", "广州", "市天河区", "路口街6号")]);
  expect(lost.exit, lost.stderr).toBe(6);
  for (const again of [
    [...to, ...address("广东省", "广州市", "天河区", "路口街6号")],
    [...to, ...address("", "", "", "广东省 广州市天河区 路口街6号")],
    ["--receiver-text", "李四 13900139000 广东省广州市天河区路口街6号"],
  ]) {
    const ran = await home.courier([...create, ...again]);
    expect([ran.exit, home.posts], ran.stderr).toEqual([2, 1]);
    expect(errorOf(ran).message).toMatch(/^the same order was sent .*, and may or may not have been created/);
  }
  const other = await home.courier([...create, ...to, ...address("广东省", "广州市", "天河区", "路口街7号")]);
  expect([other.exit, home.posts], other.stderr).toEqual([0, 2]);
});

describe("two rows of which one is today as an earlier version split the other", () => {
  const titles = "sender.name,receiver.name,receiver.phone,item.name,收件人省市区,收件人地址";
  const own = "南山大道1号";
  const short = "大道1号";
  const streets = (...each: readonly string[]) =>
    [titles, ...each.map((street) => `张三,李四,13900139000,书,广东 深圳 南山,${street}`), ""].join("\n");
  const orders = [
    [own, short],
    [short, own],
  ];
  const swapped = (each: readonly string[], texts: string) =>
    each[0] === own ? texts : texts.split(" ").reverse().join(" ");

  test.each(orders)("are sent once each (%s, %s)", async (...each) => {
    const home = await createImportHome(streets(...each));
    expect(outcomes((await home.run("--concurrency 1")).report)).toBe("created created");
    const again = await home.run();
    expect([outcomes(again.report), home.posts], again.stderr).toEqual(["shipped shipped", 2]);
    expect(again.report.map(({ id }) => id)).toEqual([1000001, 1000002]);
  });

  test.each(orders)("leave it to a person which one was sent (%s, %s)", async (...each) => {
    const home = await createImportHome(streets(short));
    expect(outcomes((await home.run()).report)).toBe("created");
    home.clock.advance(24 * 3_600_000);
    await home.put(streets(...each));
    for (const words of ["", "--skip-shipped"]) {
      const ran = await home.run(words);
      expect([outcomes(ran.report), home.posts], ran.stderr).toEqual([swapped(each, "held shipped"), 1]);
      expect(ran.report[each.indexOf(own)]?.error?.message).toContain("1000001");
    }
    const allowed = await home.run(`--allow-duplicate row:${each.indexOf(own) + 1}`);
    expect(outcomes(allowed.report), allowed.stderr).toBe(swapped(each, "created shipped"));
    expect([outcomes((await home.run()).report), home.posts]).toEqual(["shipped shipped", 2]);
  });

  test.each(orders)("are not mixed up in a copy with a row more (%s, %s)", async (...each) => {
    const home = await createImportHome(streets(...each));
    expect(outcomes((await home.run("--concurrency 1")).report)).toBe("created created");
    home.clock.advance(24 * 3_600_000);
    const copy = await home.put(streets(...each, "科技园7号"), "copy.csv");
    const ran = await home.importFile(copy, "--skip-shipped");
    expect([outcomes(ran.report), home.posts], ran.stderr).toEqual(["shipped shipped created", 3]);
    expect(ran.report.slice(0, 2).map(({ id }) => id)).toEqual([1000001, 1000002]);
  });

  test("leave it to a person in a copy, too", async () => {
    const home = await createImportHome(streets(short));
    expect(outcomes((await home.run()).report)).toBe("created");
    home.clock.advance(24 * 3_600_000);
    const copy = await home.put(streets(own, short, "科技园7号"), "copy.csv");
    const ran = await home.importFile(copy, "--skip-shipped");
    expect([outcomes(ran.report), home.posts], ran.stderr).toEqual(["held shipped created", 2]);
  });

  test.each(orders)("are shipped where an earlier version sent both (%s, %s)", async (...each) => {
    const home = await createImportHome(streets(short, short));
    expect(outcomes((await home.run()).report)).toBe("created created");
    await home.put(streets(...each));
    const again = await home.run();
    expect([outcomes(again.report), home.posts], again.stderr).toEqual(["shipped shipped", 2]);
    expect(new Set(again.report.map(({ id }) => id)).size).toBe(2);
  });

  test.each(orders)("are told apart by a number in the sheet (%s, %s)", async (...each) => {
    const home = await createImportHome(streets(short));
    expect((await home.run("--in-place")).exit).toBe(0);
    const [head, sent = ""] = (await readFile(home.file, "utf8")).split("\n");
    const added = `${sent.split(",").slice(0, 5)},${own},,,,,`;
    await home.put([head, ...each.map((street) => (street === own ? added : sent)), ""].join("\n"));
    const ran = await home.run();
    expect([outcomes(ran.report), home.posts], ran.stderr).toEqual([swapped(each, "created shipped"), 2]);
  });
});
