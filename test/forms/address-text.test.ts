/** The proof that a pasted address is only cut: nothing dropped, nothing invented, and mostly cut well. */

import { describe, expect, test } from "vitest";
import { readDivisions } from "../../src/forms/address-divisions.ts";
import {
  createAddressSplitter,
  cutAddress,
  splitAddress,
  understandAddress,
  understandParty,
} from "../../src/forms/address-text.ts";
import { normalizeForMatch } from "../../src/forms/normalize-for-match.ts";
import type { DraftParty } from "../../src/model/draft.ts";
import { partyFields } from "../../src/model/fields.ts";
import { effort, fc } from "../support/effort.ts";
import { addresses, addressLimits } from "./addresses.ts";
import { platformAddresses, westernAddresses } from "./form-addresses.ts";

const formAddresses = [...westernAddresses, ...platformAddresses];
const categories = [...new Set(addresses.map(({ category }) => category))];

describe.each(categories)("%s", (category) => {
  const cases = addresses.filter((one) => one.category === category);
  test.each(cases)("$text", async ({ text, party, isPhoneCertain }) => {
    const { form = party, leftOut = [] } = formAddresses.find((each) => each.text === text) ?? {};
    expect(await understandAddress(text)).toEqual({ party: form, isPhoneCertain, leftOut });
  });
});

describe.each([
  ["an address in lines or between commas", westernAddresses],
  ["postcodes, nicknames, and what a platform adds to a number", platformAddresses],
])("%s", (_what, cases) => {
  test.each(cases)("$text", async ({ text, form, leftOut = [] }) => {
    expect(await understandAddress(text)).toMatchObject({ party: form, leftOut });
  });
});

test("an import splits every text as it always did, or tells how it did, so that no row becomes another order", async () => {
  const splitter = await createAddressSplitter();
  const municipality = /^(?:北京|天津|上海|重庆)市?$/;
  const withCity = (party: DraftParty) =>
    municipality.test(party.province ?? "") && !party.city ? { ...party, city: party.province } : party;
  for (const { text, party, isPhoneCertain: isOne } of addresses) {
    const isPhoneCertain = isOne && !(await understandParty(text)).isOfTwo;
    expect(splitter.party(text)).toMatchObject({ party: withCity(party), isPhoneCertain });
  }
  const before = addresses.flatMap(({ text }) => splitter.party(text).former?.at(-1) ?? []);
  expect(before.map(({ city, district, phone }) => [city, district, phone].join(" ").trim())).toEqual([
    "深圳市 南山区 1801 138 0013",
    "深圳市 南山区 1801 138-0013-8000",
    "深圳市 南山区 1801 010-6552",
    "台州 市路桥区 13800138000",
    "广州 市从化区 13800138000",
    "南京市  13800138000",
    "南京 市江宁区 13800138000",
    "中山 市东区",
    "中山 市西区",
    "鞍山 市立山区",
    "阳泉 市郊区",
    "鞍山市 高新区",
    "鞍山 高新区",
    "北京市 通州区 13800138000",
    "北京市 通州区",
  ]);
  for (const { text, sheet } of formAddresses)
    expect(splitter.party(text)).toMatchObject({ party: withCity(sheet) });
});

describe("known limits, to be moved up when they are answered better", () => {
  test.fails.each(addressLimits)("$text", async ({ text, party }) => {
    expect((await understandAddress(text)).party).toEqual(party);
  });
});

test("the table is large, and no text is in it twice", () => {
  expect(addresses.length).toBeGreaterThanOrEqual(150);
  const texts = [...addresses, ...addressLimits].map(({ text }) => text);
  expect(new Set(texts).size).toBe(texts.length);
});

describe("every text", () => {
  const divisions = readDivisions();

  test("is in the parts, save white space, separators and labels", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { party, leftOut } = splitAddress(text, divisions);
        const kept = count([...Object.values(party), ...leftOut].join(""));
        for (const [character, times] of count(withoutLabels(text))) {
          expect([character, kept.get(character) ?? 0]).toEqual([
            character,
            expect.toSatisfy((n) => n >= times),
          ]);
        }
      }),
      { numRuns: effort(200, 1_500) },
    );
  });

  test("gives parts that are cut from it, none of them empty, and the phone and the name once", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { party } = splitAddress(text, divisions);
        const given = count(text);
        for (const [character, times] of count(Object.values(party).join(""))) {
          expect(given.get(character) ?? 0).toBeGreaterThanOrEqual(times);
        }
        for (const [field, part] of Object.entries(party)) {
          expect(partyFields).toContain(field);
          expect(part?.trim()).toBe(part);
          expect(part).not.toBe("");
          if (field !== "detail") expect(visible(text)).toContain(visible(part ?? ""));
        }
      }),
      { numRuns: effort(200, 1_500) },
    );
  });

  test("a labelled number that could be a postcode is in one piece", () => {
    const text =
      "陕西省西安市高新区科技二路72号 联系人：雷鸣 电话 010115 Berlin3800138000 广东省深圳市南山区科技园1号楼";
    const { pieces } = cutAddress(text, divisions);
    expect(pieces.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
  });

  test("is cut without gap or overlap, and drops separators only where they part something", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { pieces } = cutAddress(text, divisions);
        expect(pieces.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
        for (const [index, { kind, start, end }] of pieces.entries()) {
          expect(start).toBe(pieces[index - 1]?.end ?? 0);
          const piece = normalizeForMatch(text.slice(start, end));
          if (kind === "label") expect(piece).toMatch(start === 0 ? firstLabel : label);
          if (kind === "separator") {
            // Without a part next to it, no dash and no bracket is dropped.
            const neighbours = [pieces[index - 1]?.kind, pieces[index + 1]?.kind];
            const isNextToPart = neighbours.some(
              (one) => one !== undefined && !["rest", "label"].includes(one),
            );
            expect(piece).toMatch(
              isNextToPart ? /^[\s,;|/、。\-_:>~()[\]{}【】《》<"“”]+$/ : /^[\s,;|/、。]+$/,
            );
          }
        }
        const parts = pieces
          .map(({ kind }) => kind)
          .filter((kind) => !dropped.includes(kind) && kind !== "rest");
        expect(new Set(parts).size).toBe(parts.length);
      }),
      { numRuns: effort(400, 3_000) },
    );
  });

  test("keeps its detail in the order in which it was typed", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { detail = "" } = splitAddress(text, divisions).party;
        let position = 0;
        for (const character of detail.replace(/\s/g, "")) {
          const found = text.indexOf(character, position);
          expect(found).toBeGreaterThanOrEqual(position);
          position = found + character.length;
        }
      }),
    );
  });

  test("in lines keeps its telephone number as it is", () => {
    const numbers = fc.constantFrom(
      ...["+49 30 1234567", "+1 212 736 3100", "+44 20 7946 0958", "07700 900123", "+86 138-0013-8000"],
      ...["13800138000-1234", "(212) 736-3100", "+33 1 42 61 00 00", "13800138000转1234"],
    );
    const places = fc.constantFrom(
      ...westernAddresses.filter(({ sheet, form }) => !sheet.phone && !form.phone).map(({ text }) => text),
    );
    const gaps = fc.constantFrom("\n", "\r\n", ", ", "; ", "\t");
    fc.assert(
      fc.property(places, numbers, gaps, fc.boolean(), (place, number, gap, isFirst) => {
        const text = isFirst ? `${number}${gap}${place}` : `${place}${gap}${number}`;
        expect(splitAddress(text, divisions).party.phone).toBe(number);
      }),
    );
  });

  test("has its telephone number found, wherever it stands", () => {
    const places = fc.constantFrom(...addresses.filter(({ party }) => !party.phone).map(({ text }) => text));
    const mobiles = fc.stringMatching(/^1[3-9]\d{9}$/);
    fc.assert(
      fc.property(places, mobiles, fc.boolean(), (place, mobile, isFirst) => {
        if (/电话|[号\d]\d{5,}/.test(place)) return;
        const text = isFirst ? `${mobile} ${place}` : `${place}\n${mobile}`;
        const { party, isPhoneCertain } = splitAddress(text, divisions);
        expect([party.phone, isPhoneCertain]).toEqual([mobile, true]);
      }),
    );
  });
});

test.each([
  ["blanks", " ".repeat(200_000), {}],
  ["a line", "科技园1号楼 ".repeat(40_000).trim(), { detail: "科技园1号楼 ".repeat(40_000).trim() }],
])("a very long text is all detail: %s", async (_, text, party) => {
  expect(await understandAddress(text)).toEqual({ party, isPhoneCertain: false, leftOut: [] });
});

test.each([
  ["digits", "1".repeat(4_900)],
  ["numbers", "13800138000 ".repeat(400)],
  ["a number without end", `+${"2 ".repeat(2_400)}`],
  ["labels", "电话：收件人：".repeat(700)],
  ["provinces", "广东省".repeat(1_600)],
  ["short names", "广东 深圳 南山 ".repeat(500)],
  ["Latin words", "ab ".repeat(1_600)],
  ["names", "张三 ".repeat(1_600)],
  ["brackets", "(【".repeat(2_400)],
])("a long text takes no time: %s", (_, text) => {
  const divisions = readDivisions();
  const before = performance.now();
  cutAddress(text, divisions);
  expect(performance.now() - before).toBeLessThan(1_500);
});

const dropped: readonly string[] = ["separator", "label", "extra"];
const words =
  "收件|收货|寄件|发件|发货|联系|客户|买家|人|方|姓名|名字|名称|手机|号码|号|电话|固定|座机|固话|方式|详细|家庭|公司|单位|快递|邮寄|通讯|具体|街道|地址|所在|地区|地|省市|区域|省市区|信息|省份|城市|区县|省|市|区|收|寄|邮寄|发往|寄往|name|recipient|receiver|consignee|sender|attn|contact|telephone|tel|mobile|cell|phone|number|mob|address|addr";
const label = new RegExp(`^[【[(]? ?(?:(?:${words}) ?){1,4}\\.? ?[】\\])]? *:?$`, "i");

/** At the beginning of a text. */
const firstLabel = new RegExp(
  String.raw`${label.source}|^\s*(?:(?:ship(?:ping)?|delivery?|send|mail(?:ing)?) (?:address|to)|to) *:?$`,
  "i",
);

/** A line break is a blank in a field. */
function visible(text: string): string {
  return text.replace(/\p{Cf}/gu, "").replace(/\s+/g, " ");
}

/** What must be in the parts; where a label may stand, the text is no witness. */
function withoutLabels(text: string): string {
  const heading = /^\s*(?:(?:ship(?:ping)?|delivery?|send|mail(?:ing)?) (?:address|to)|to)(?= *[:\n])/i;
  const started = normalizeForMatch(text).replace(heading, (found) => " ".repeat(found.length));
  const blanked = started.replace(new RegExp(`(?:${words})+`, "gi"), (found) => " ".repeat(found.length));
  return text
    .split("")
    .filter((_, index) => blanked.charAt(index) !== " ")
    .join("")
    .replace(/[\s,，、。;；|｜/／:：＞>＜<~～_＿"＂“”\-－‐‑‒–—―−()（）[\]［］{}｛｝【】《》]/g, "");
}

function count(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const character of text.replace(/\s/g, "")) counts.set(character, (counts.get(character) ?? 0) + 1);
  return counts;
}

const tokens = fc.constantFrom(
  ...[
    "张三",
    "張三",
    "王先生",
    "欧阳小兰",
    "John Smith",
    "13800138000",
    "138-0013-8000",
    "0755-26650000转801",
  ],
  ...[
    "+852 9123 4567",
    "广东省",
    "广东",
    "深圳市",
    "深圳",
    "南山区",
    "南山",
    "北京市",
    "臺北市",
    "恩施州",
    "南京西路",
  ],
  ...[
    "Jane Miller",
    "12 High Street",
    "London",
    "10115 Berlin",
    "NY 10118",
    "Mr. John Smith",
    "jo@x.org",
    "UK",
    "Ship to:",
    ", ",
    ",",
  ],
  ...[
    "邮编 100020",
    "100020",
    "旺旺：小猪",
    "[昵称:小猪]",
    "nick: tb1",
    "【3位尾号 1234】",
    "转1234",
    "[1234]",
  ],
  ...[
    "科技园1号楼",
    "1-2-301",
    "A座",
    "收件人",
    "电话：",
    "地址:",
    "【姓名】",
    "省：",
    "Tel:",
    "收",
    "（收）",
    "-",
    "—",
    "(",
  ],
  ...[
    "）",
    " ",
    "\n",
    "\t",
    "，",
    "、",
    "；",
    "|",
    "/",
    "。",
    "　",
    "\u200b",
    "\u202d",
    "🎁",
    "市",
    "区",
    "路",
    "号",
    "1",
    "０",
  ],
);
const spliced = [...addresses, ...formAddresses];
/** Built from parts, real ones cut and spliced, and anything at all. */
const texts = fc.oneof(
  { weight: 4, arbitrary: fc.array(tokens, { maxLength: 14 }).map((list) => list.join("")) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...spliced), fc.constantFrom(...spliced), fc.nat(), fc.nat(), tokens)
      .map(([a, b, i, j, token]) => {
        const head = [...a.text].slice(0, i % ([...a.text].length + 1));
        const tail = [...b.text].slice(j % ([...b.text].length + 1));
        return [...head, token, ...tail].join("");
      }),
  },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
      .map((codes) => String.fromCharCode(...codes)),
  },
);
