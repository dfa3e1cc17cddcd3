/** Which questions the form asks, what becomes of the answers, what is kept after each. */

import { describe, expect, test } from "vitest";
import {
  askPart,
  changePart,
  correctField,
  type FormTools,
  fillDraft,
  type Part,
} from "../../src/forms/order-form.ts";
import { describeParty, findWays, type KnownParty, looksLikeAddress } from "../../src/forms/party-form.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { PartyField } from "../../src/model/fields.ts";
import { jsonNumber, parseJson, stringifyJson } from "../../src/model/json.ts";
import {
  ctrlCAfter,
  enter,
  esc,
  escAfter,
  itemSteps,
  type Person,
  partySteps,
  paste,
  personWho,
  type Step,
  shortForm,
} from "../support/answering.ts";

const shop: KnownParty = { alias: "shop", party: { name: "张三", phone: "13800138000", city: "深圳市" } };
const recent: KnownParty = { party: { name: "Wang Wu", phone: "13700137000", city: "Shanghai" } };

function toolsOf(prompts: Person) {
  const kept: { draft: string; open: readonly Part[] }[] = [];
  const shown: string[] = [];
  const tools: FormTools = {
    prompts,
    knownParties: async () => [shop, recent],
    understand: async (text) => ({
      party: { name: "李四", detail: text.replaceAll("\n", " ") },
      leftOut: [],
    }),
    show: async (title, party) => void shown.push(`${title} ${JSON.stringify(party)}`),
    keep: (draft, open) => kept.push({ draft: stringifyJson(draft), open }),
  };
  return { tools, kept, shown };
}

const none = new Set<string>();
const draft = (text: string) => parseJson(text) as Draft;

describe("fillDraft", () => {
  test("asks for every field in the interface's order; what is left out is absent", async () => {
    const person = personWho(...shortForm());
    const filled = await fillDraft({}, none, toolsOf(person).tools);
    expect(stringifyJson(filled)).toBe(
      '{"sender":{"name":"张三"},"receiver":{"name":"李四"},"item":{"name":"书"}}',
    );
    expect(person.left).toEqual([]);
  });

  test("blanks around an answer go, and blanks alone leave the field out", async () => {
    const person = personWho(
      ["Sender", "new address"],
      ...partySteps("Sender", ["  张 三 ", "   ", "\u3000广东省\u3000"]),
    );
    const given = new Set(["receiver", "item", "service_type"]);
    expect(await fillDraft({}, given, toolsOf(person).tools)).toEqual({
      sender: { name: "张 三", province: "广东省" },
    });
  });

  test("numbers stay as typed", async () => {
    const person = personWho(...itemSteps(["书", enter, "2.50", " 2999.00 ", "10000000000000000001"]));
    const filled = await fillDraft(
      {},
      new Set(["sender", "receiver", "service_type"]),
      toolsOf(person).tools,
    );
    expect(stringifyJson(filled)).toBe(
      '{"item":{"name":"书","weight":2.50,"value":2999.00,"quantity":10000000000000000001}}',
    );
  });

  test.each([
    ["Item weight", "2,5", "a number such as 2.50, or Enter to leave it out"],
    ["Item weight", "2.5kg", "a number such as 2.50, or Enter to leave it out"],
    ["Declared value", "1e3", "a number such as 2.50, or Enter to leave it out"],
    ["Declared value", ".5", "a number such as 2.50, or Enter to leave it out"],
    ["Number of pieces", "1.5", "a whole number, or Enter to leave it out"],
    ["Number of pieces", "two", "a number such as 2.50, or Enter to leave it out"],
  ])("%s does not take %s", async (question, wrong, complaint) => {
    const steps = itemSteps().flatMap((step) =>
      step[0] === question ? [[question, wrong] as const, step] : [step],
    );
    const person = personWho(...steps);
    const filled = await fillDraft(
      {},
      new Set(["sender", "receiver", "service_type"]),
      toolsOf(person).tools,
    );
    expect(person.complaints).toEqual([complaint]);
    expect(filled).toEqual({ item: {} });
  });

  test("does not ask for what was given, fields or whole parts", async () => {
    const person = personWho(
      ["Receiver phone", "139"],
      ["Receiver province", enter],
      ["Receiver city", enter],
      ["Receiver district", enter],
      ["Receiver street address", enter],
      ["Item description", enter],
      ["Declared value", "1"],
      ["Number of pieces", enter],
      ["Service level", "same_day"],
    );
    const start = draft('{"sender":{"name":"A"},"receiver":{"name":"B"},"item":{"name":"C","weight":0.10}}');
    const given = new Set(["sender", "receiver.name", "item.name", "item.weight"]);
    expect(stringifyJson(await fillDraft(start, given, toolsOf(person).tools))).toBe(
      '{"sender":{"name":"A"},"receiver":{"name":"B","phone":"139"},"item":{"name":"C","weight":0.10,"value":1},"service_type":"same_day"}',
    );
  });

  test("offers the three known service levels, and to leave it to the service", async () => {
    const person = personWho(["Service level", enter]);
    expect(await fillDraft({}, new Set(["sender", "receiver", "item"]), toolsOf(person).tools)).toEqual({});
    expect(person.offered).toEqual(["let the service choose", "standard", "express", "same_day"]);
  });

  test("tells of the draft and of the open parts after every answer", async () => {
    const person = personWho(...shortForm());
    const { tools, kept } = toolsOf(person);
    await fillDraft({}, none, tools);
    expect(kept[0]).toEqual({
      draft: '{"sender":{"name":"张三"}}',
      open: ["sender", "receiver", "item", "service_type"],
    });
    expect(kept.find(({ draft: text }) => text.includes("李四"))?.open).toEqual([
      "receiver",
      "item",
      "service_type",
    ]);
    expect(kept.at(-1)).toEqual({
      draft: '{"sender":{"name":"张三"},"receiver":{"name":"李四"},"item":{"name":"书"}}',
      open: [],
    });
    expect(kept).toHaveLength(6 + 1 + 6 + 1 + 5 + 1 + 1);
  });
});

describe("a party", () => {
  const given = new Set(["receiver", "item", "service_type"]);

  test("that is known is taken whole, and asked nothing more about", async () => {
    const person = personWho(["Sender", "@shop 张三 13800138000 深圳市"]);
    expect(await fillDraft({}, given, toolsOf(person).tools)).toEqual({ sender: shop.party });
    expect(person.offered).toEqual([
      "new address",
      "paste an address as text",
      "@shop 张三 13800138000 深圳市",
      "Wang Wu 13700137000 Shanghai",
    ]);
  });

  test.each([
    ["138001", "@shop 张三 13800138000 深圳市"],
    ["SHO", "@shop 张三 13800138000 深圳市"],
    ["@shop", "@shop 张三 13800138000 深圳市"],
    ["深圳", "@shop 张三 13800138000 深圳市"],
    [" shanghai ", "Wang Wu 13700137000 Shanghai"],
  ])("is found by typing %s, and comes first", (term, label) => {
    expect(findWays(term, [shop, recent]).map((choice) => choice.label)).toEqual([
      label,
      `new address for “${term.trim()}”`,
      "paste an address as text",
    ]);
  });

  test("that is not found starts a new address with the name that was typed", async () => {
    const person = personWho(
      ["Sender", "Wu Li > new address for “Wu Li”"],
      ["Sender phone", "139"],
      ...partySteps("Sender").slice(2),
    );
    expect(await fillDraft({}, given, toolsOf(person).tools)).toEqual({
      sender: { name: "Wu Li", phone: "139" },
    });
  });

  test("that is pasted into the list, or typed there, is split and stands in one block", async () => {
    for (const answer of [
      paste("李四\n北京市建国路88号"),
      "李四 北京市建国路88号 > split this address into its fields",
    ]) {
      const person = personWho(["Sender", answer], ["Is this sender right?", "right"]);
      const { tools, shown } = toolsOf(person);
      const { sender } = await fillDraft({}, given, tools);
      expect(sender).toEqual({ name: "李四", detail: "李四 北京市建国路88号" });
      expect(shown).toEqual([`Sender ${JSON.stringify(sender)}`]);
      expect(person.left).toEqual([]);
    }
  });

  test.each<[string, readonly Step[], object]>([
    ["the name", [["Sender name", paste("李四\n北京市建国路88号")]], {}],
    ["the name, as a line with digits and a place", [["Sender name", "李四 北京市建国路88号"]], {}],
    [
      "a later field: what was answered before it stays",
      [
        ["Sender name", "张三"],
        ["Sender phone", "139"],
        ["Sender province", paste("李四\n北京市建国路88号")],
      ],
      { phone: "139" },
    ],
  ])("that is pasted at %s is split there", async (_where, steps, before) => {
    const person = personWho(["Sender", "new address"], ...steps, ["Is this sender right?", "right"]);
    expect(await fillDraft({}, given, toolsOf(person).tools)).toEqual({
      sender: { ...before, name: "李四", detail: "李四 北京市建国路88号" },
    });
  });

  test("that is pasted never changes a field that was given", async () => {
    const person = personWho(
      ["Sender phone", paste("李四\n13900139000\n北京市建国路88号")],
      ["Is this sender right?", "right"],
    );
    const start = draft('{"sender":{"name":"A"}}');
    const filled = await fillDraft(start, new Set([...given, "sender.name"]), toolsOf(person).tools);
    expect(filled.sender).toEqual({ name: "A", detail: "李四 13900139000 北京市建国路88号" });
  });

  test.each<[string, readonly Step[], object]>([
    ["confirmed", [["Sender street address", enter]], { name: "李四", detail: "李四 北京市建国路88号" }],
    [
      "replaced by another paste",
      [
        ...["street address", "district", "city", "province"].map((name): Step => [`Sender ${name}`, esc]),
        ["Sender name", paste("王五\n上海市世纪大道100号")],
        ["Is this sender right?", "right"],
      ],
      { name: "李四", detail: "王五 上海市世纪大道100号" },
    ],
  ])("that is pasted, left and %s keeps a field that was given", async (_how, steps, pasted) => {
    const person = personWho(
      ["Sender name", paste("李四\n北京市建国路88号")],
      ["Is this sender right?", "right"],
      ["Item name", esc],
      ...steps,
      ...itemSteps(["书"]),
    );
    const start = draft('{"sender":{"phone":"139"}}');
    const fixed = new Set(["sender.phone", "receiver", "service_type"]);
    const filled = await fillDraft(start, fixed, toolsOf(person).tools);
    expect(person.left).toEqual([]);
    expect(filled.sender).toEqual({ phone: "139", ...pasted });
  });

  test("that is pasted shows what it has of the fields that were given", async () => {
    const person = personWho(
      ["Sender name", paste("王五 13700137000 上海市世纪大道1号")],
      ["Is this sender right?", "right"],
    );
    const shown: unknown[] = [];
    const tools: FormTools = {
      ...toolsOf(person).tools,
      understand: async () => ({
        party: { name: "王五", phone: "13700137000", city: "上海市", detail: "世纪大道1号" },
        leftOut: ["200120"],
      }),
      show: async (_title, party, leftOut) => void shown.push(party, leftOut),
    };
    const fixed = new Set(["sender.phone", "sender.city", "receiver", "item", "service_type"]);
    await fillDraft(draft('{"sender":{"phone":"139","city":"上海市"}}'), fixed, tools);
    const party = { name: "王五", phone: "139", city: "上海市", detail: "世纪大道1号" };
    expect(shown).toEqual([party, ["200120", "13700137000"]]);
  });

  test("that is pasted stands in the lines to be edited, each part to be edited or emptied", async () => {
    const person = personWho(
      ["Sender", "paste an address as text"],
      ["Sender: paste the address, then an empty line", "李四\n北京市建国路88号"],
      ["Is this sender right?", "edit its fields"],
      ["Sender name", enter],
      ["Sender phone", "139"],
      ["Sender province", enter],
      ["Sender city", enter],
      ["Sender district", enter],
      ["Sender street address", "建国路88号"],
    );
    expect(await fillDraft({}, given, toolsOf(person).tools)).toEqual({
      sender: { name: "李四", phone: "139", detail: "建国路88号" },
    });
    expect(person.found).toMatchObject({
      "Sender name": "李四",
      "Sender street address": "李四 北京市建国路88号",
    });
  });

  describe("whose fields were answered keeps them where its street address is pasted in two lines", () => {
    const whole = { name: "王五", phone: "139", province: "广东省", city: "深圳市", district: "南山区" };
    const street = "科技园路1号\nA座 502";

    test.each<[string, readonly Step[], object]>([
      ["each with Enter alone", partySteps("Sender").slice(0, 5), whole],
      [
        "one emptied, after its own answer",
        [
          ["Sender name", enter],
          ["Sender phone", "138"],
          ["Sender province", esc],
          ["Sender phone", ""],
          ...partySteps("Sender").slice(2, 5),
        ],
        { ...whole, phone: undefined },
      ],
      ["before Esc went back to the address", [...partySteps("Sender"), ["Receiver", esc]], whole],
    ])("%s", async (_how, steps, kept) => {
      const person = personWho(
        ...steps,
        ["Sender street address", paste(street)],
        ["Is this sender right?", "right"],
        ["Receiver", "@shop 张三 13800138000 深圳市"],
      );
      const tools: FormTools = {
        ...toolsOf(person).tools,
        understand: async (text) => ({ party: { detail: text.replaceAll("\n", " ") }, leftOut: [] }),
      };
      const start = draft(JSON.stringify({ sender: { ...whole, detail: "建国路88号" } }));
      const { sender } = await fillDraft(start, new Set(["item", "service_type"]), tools);
      expect(sender).toEqual({ ...kept, detail: "科技园路1号 A座 502" });
    });
  });

  test("that is pasted over the name, after Esc went back there, gets nothing of the one that was typed", async () => {
    const person = personWho(
      ["Sender", "new address"],
      ...partySteps("Sender", ["王五", "139"]).slice(0, 2),
      ["Sender province", esc],
      ["Sender phone", esc],
      ["Sender name", paste("上海市世纪大道100号\n李四")],
      ["Is this sender right?", "right"],
      ["Receiver", "@shop 张三 13800138000 深圳市"],
    );
    const understand = async () => ({ party: { name: "李四", detail: "世纪大道100号" }, leftOut: [] });
    const tools = { ...toolsOf(person).tools, understand };
    const { sender } = await fillDraft({}, new Set(["item", "service_type"]), tools);
    expect(sender).toEqual({ name: "李四", detail: "世纪大道100号" });
  });

  test("that was typed is no answer to the filter in which Esc, later, leaves the list", async () => {
    const typed = ["王五", "139", "广东省", "深圳市", "南山区", "科技园路1号"];
    const person = personWho(
      ["Sender", "new address"],
      ...partySteps("Sender", typed),
      ["Item name", esc],
      ...partySteps("Sender")
        .reverse()
        .map(([question]): Step => [question, esc]),
      ["Sender", escAfter("李")], // nothing is before it
      ["Sender street address", enter],
      ...itemSteps(["书"]),
    );
    const filled = await fillDraft({}, new Set(["receiver", "service_type"]), toolsOf(person).tools);
    expect(person.left).toEqual([]);
    expect(Object.values(filled.sender ?? {})).toEqual(typed);
  });

  test.each<[string, readonly Step[]]>([
    ["the filter of its list", [["Receiver", ctrlCAfter("李")]]],
    ["an address in the filter of its list", [["Receiver", ctrlCAfter("李四 北京市建国路88号")]]],
    [
      "an address that is pasted in its place",
      [
        ["Receiver", "paste an address as text"],
        ["Receiver: paste the address, then an empty line", ctrlCAfter("李四")],
      ],
    ],
  ])("that is changed is still in the draft after Ctrl-C in %s", async (_where, steps) => {
    const start = draft('{"receiver":{"name":"王五","phone":"139","detail":"科技园路1号"}}');
    const { tools, kept } = toolsOf(personWho(...steps));
    await expect(changePart("receiver", start, tools)).rejects.toMatchObject({ exit: 130 });
    expect(kept).toEqual([]);
  });

  test("is described by what it has", () => {
    expect(describeParty({ phone: "139", district: "朝阳区" }, "li")).toBe("@li 139 朝阳区");
    expect(describeParty({})).toBe("");
  });
});

describe("looksLikeAddress", () => {
  test.each<[boolean, string, PartyField]>([
    [true, "张三 13800138000 广东省深圳市南山区科技园1号楼", "name"],
    [true, "王五 13700137000", "name"],
    [true, "John Smith, 221B Baker Street, London NW1 6XE", "name"],
    [true, "John Smith\n221B Baker Street\nLondon", "detail"],
    [true, "北京市朝阳区建国路88号 13900139000", "detail"],
    [false, "北京市朝阳区建国路88号", "detail"],
    [false, "13800138000", "phone"],
    [false, "张三", "name"],
    [false, "John Smith 2", "name"],
    [false, "Smith, Jones", "name"],
    [false, "11\n11\n11", "detail"],
    [false, "建国路88号\n".repeat(300), "detail"],
  ])("%s: %j at the %s", (expected, text, field) => {
    expect(looksLikeAddress(text, field)).toBe(expected);
  });
});

describe("Esc", () => {
  test("goes to the field before, with what was typed, through the parts to the first list", async () => {
    const person = personWho(
      ["Sender", "new address"],
      ["Sender name", "张三"],
      ["Sender phone", escAfter("138")],
      ["Sender name", "张三丰"],
      ...partySteps("Sender").slice(1),
      ["Receiver", esc],
      ["Sender street address", esc],
      ["Sender district", "南山区"],
      ["Sender street address", enter],
      ["Receiver", "new address"],
      ["Receiver name", esc],
      ["Receiver", "Wang Wu 13700137000 Shanghai"],
      ["Item name", "书"],
      ["Item description", esc],
      ["Item name", esc],
      ["Receiver", "@shop 张三 13800138000 深圳市"],
      ...itemSteps([enter, enter, "2.50"]),
      ["Service level", esc],
      ["Number of pieces", "1"],
      ["Service level", "express"],
    );
    const filled = await fillDraft({}, none, toolsOf(person).tools);
    expect(person.left).toEqual([]);
    expect(person.found["Sender phone"]).toBe("138");
    expect(stringifyJson(filled)).toBe(
      '{"sender":{"name":"张三丰","phone":"138","district":"南山区"},' +
        '"receiver":{"name":"张三","phone":"13800138000","city":"深圳市"},' +
        '"item":{"name":"书","weight":2.50,"quantity":1},"service_type":"express"}',
    );
  });

  test("goes from the block of a pasted address to the list, which offers to edit its fields", async () => {
    const person = personWho(
      ["Sender", paste("李四\n北京市建国路88号")],
      ["Is this sender right?", esc],
      ["Sender", "edit its fields"],
      ...partySteps("Sender"),
    );
    const filled = await fillDraft({}, new Set(["receiver", "item", "service_type"]), toolsOf(person).tools);
    expect(filled.sender).toMatchObject({ name: "李四" });
  });

  test("goes back past what was given, and stays at the first question", async () => {
    const person = personWho(
      ["Sender", esc],
      ["Sender", "@shop 张三 13800138000 深圳市"],
      ["Service level", esc],
      ["Sender", enter],
      ["Service level", enter],
    );
    const filled = await fillDraft({}, new Set(["receiver", "item"]), toolsOf(person).tools);
    expect(filled).toEqual({ sender: shop.party });
    expect(person.left).toEqual([]);
  });

  test("goes to a default sender that was not asked for", async () => {
    const person = personWho(
      ["Receiver", esc],
      ["Sender", "Wang Wu 13700137000 Shanghai"],
      ["Receiver", "@shop 张三 13800138000 深圳市"],
    );
    const start = { sender: shop.party };
    const filled = await fillDraft(
      start,
      new Set(["sender", "item", "service_type"]),
      toolsOf(person).tools,
      { isSenderUsual: true },
    );
    expect(filled).toEqual({ sender: recent.party, receiver: shop.party });
  });

  test("leaves a part that is changed as it was", async () => {
    const person = personWho(["Item name", "纸"], ["Item description", esc], ["Item name", esc]);
    const start = draft('{"item":{"name":"书"}}');
    const { tools, kept } = toolsOf(person);
    expect(await changePart("item", start, tools)).toEqual(start);
    expect(kept.at(-1)?.draft).toBe(stringifyJson(start));
  });
});

describe("the usual sender", () => {
  test("comes first in the list of senders, and not in that of receivers", async () => {
    const person = personWho(["Sender", enter], ["Receiver", enter], ...partySteps("Receiver"));
    const tools: FormTools = { ...toolsOf(person).tools, usualSender: async () => recent };
    const filled = await fillDraft({}, new Set(["item", "service_type"]), tools);
    expect(filled).toEqual({ sender: recent.party, receiver: {} });
  });
});

describe("askPart", () => {
  test("starts from what is there, and an emptied line leaves the field out", async () => {
    const start = draft('{"sender":{"name":"A"},"item":{"name":"书","weight":2.50,"quantity":1}}');
    const person = personWho(...itemSteps([enter, "旧", enter, enter, ""]));
    const { tools } = toolsOf(person);
    expect(stringifyJson((await askPart("item", start, none, tools)).draft)).toBe(
      '{"sender":{"name":"A"},"item":{"name":"书","weight":2.50,"description":"旧"}}',
    );
    expect(person.found).toMatchObject({ "Item weight": "2.50", "Number of pieces": "1" });
  });
});

describe("correctField", () => {
  const start = draft(
    '{"sender":{"name":"A","phone":"12"},"receiver":{"name":"B"},"item":{"weight":-1},"service_type":"express"}',
  );

  test.each([
    ["sender.phone", "Sender phone", "12", "13800138000", { sender: { name: "A", phone: "13800138000" } }],
    ["sender.phone", "Sender phone", "12", "", { sender: { name: "A" } }],
    ["receiver.detail", "Receiver street address", "", "1号", { receiver: { name: "B", detail: "1号" } }],
    ["item.weight", "Item weight", "-1", "1.0", { item: { weight: jsonNumber("1.0") } }],
    ["item.name", "Item name", "", "书", { item: { weight: jsonNumber("-1"), name: "书" } }],
  ])("%s: asks %s alone, starting from %s", async (path, question, initial, answer, change) => {
    const person = personWho([question, answer]);
    expect(await correctField(start, path, toolsOf(person).tools)).toEqual({ ...start, ...change });
    expect(person.found[question]).toBe(initial);
  });

  test("asks for the service level again", async () => {
    const person = personWho(["Service level", "standard"]);
    expect(await correctField(start, "service_type", toolsOf(person).tools)).toEqual({
      ...start,
      service_type: "standard",
    });
  });

  test.each(["", "sender", "sender.fax", "order.name", "items[0].weight", "name"])(
    "%s is no field: nothing is asked",
    async (path) => {
      const person = personWho();
      expect(await correctField(start, path, toolsOf(person).tools)).toBeUndefined();
      expect(person.asked).toEqual([]);
    },
  );
});
