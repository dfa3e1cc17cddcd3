import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createTransport, type Transport } from "../../src/api/transport.ts";
import { run } from "../../src/cli/run.ts";
import { interrupted } from "../../src/core/errors.ts";
import type { Prompts } from "../../src/core/prompts.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import type { Draft } from "../../src/model/draft.ts";
import { parseJson } from "../../src/model/json.ts";
import { reviewView } from "../../src/orders/review.ts";
import { render } from "../../src/terminal/render.ts";
import { plainPaint } from "../../src/terminal/style.ts";
import {
  ctrlC,
  ctrlCAfter,
  enter,
  esc,
  itemSteps,
  partySteps,
  personWho,
  type Step,
  shortDraft,
  shortForm,
} from "../support/answering.ts";
import { answerData, answerRaw, requestCount, sentBodies } from "../support/answers.ts";
import { putConfig } from "../support/config-file.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { fc } from "../support/effort.ts";
import { Capture, inputStream, noJob } from "../support/streams.ts";

const send: Step = ["What now?", "Send this order"];
const declined: readonly Step[] = [
  ["Save 张三…", false],
  ["Save 李四…", false],
];

const refusal = (field: string) =>
  `{"success":false,"error":{"code":"INVALID_PARAMETER","message":"不行","details":{"field":"${field}"}}}`;

async function compose(
  home: ServedHome,
  steps: readonly Step[],
  words: string | readonly string[] = "orders create",
) {
  const person = personWho(...steps);
  const ran = await home.courier(words, { terminal: 80, prompts: person, env: { NO_COLOR: "1" } });
  return { ...ran, person, bodies: bodiesOf(home) };
}

function bodiesOf({ sandbox }: ServedHome) {
  return sandbox.requests.filter(({ method }) => method === "POST").map(({ body }) => body);
}

/** Something happens while each create is on its way. */
async function transportWhere(meanwhile: () => Promise<unknown>): Promise<Transport> {
  const real = await createTransport({}, 5_000);
  return {
    close: () => real.close(),
    async send(request) {
      if (request.method === "POST") await meanwhile();
      return real.send(request);
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The draft that would be offered next; undefined where there is none. */
async function draftOf(home: ServedHome) {
  const ledger = await openLedger(home.stateDir);
  const owner = { account: "(environment)", service: home.sandbox.baseUrl };
  return ledger
    .findDrafts(owner)
    .then(([newest]) => newest)
    .finally(() => ledger.close());
}

test("a refused field that courier does not ask for is named with its value", async () => {
  const home = await createServedHome();
  const body = refusal("receiver.zip").replace('"field"', `"value":"${"9".repeat(2_000)}","field"`);
  answerRaw(home, "POST /api/v1/orders", body, { status: 400, times: 1 });
  const { exit, stderr } = await compose(home, [...shortForm(), send, ["What now?", "Quit without sending"]]);
  expect(exit).toBe(130);
  const shown = stderr.replace(/\s+/g, " ");
  expect(shown).toContain("The refused field is receiver.zip: ");
  expect(shown).not.toContain("9".repeat(1_100));
});

test("says afterwards how to create the same without questions, quoted for the shell", async () => {
  const home = await createServedHome();
  const { stderr } = await compose(
    home,
    [
      ...shortForm("O'Neil", "李四", "-book"),
      send,
      ["Save O'Neil in the address book?", false],
      ["Save 李四 in the address book?", false],
    ],
    "orders create --ref A#1",
  );
  expect(stderr).toContain(
    'Same without questions: courier orders create --ref "A#1" --sender-name "O\'Neil" --receiver-name "李四" --item-name=-book --yes\n',
  );
});

test("Esc at the review goes back to the last question, and from there to those before", async () => {
  const home = await createServedHome();
  const { person, bodies } = await compose(home, [
    ...shortForm(),
    ["What now?", esc],
    ["Service level", esc],
    ["Number of pieces", "3"],
    ["Service level", enter],
    send,
    ...declined,
  ]);
  expect(person.left).toEqual([]);
  expect(JSON.parse(bodies[0] ?? "").item).toEqual({ name: "书", quantity: 3 });
});

test.each([
  ["item.name", "Item name", "books"],
  ["receiver.name", "Receiver name", "李四四"],
])("a refused %s is not taken again unchanged", async (field, question, better) => {
  const home = await createServedHome();
  answerRaw(home, "POST /api/v1/orders", refusal(field), { status: 400, times: 1 });
  const again: readonly Step[] = [send, [question, enter], [question, better], send];
  const { person, bodies } = await compose(home, [
    ...shortForm(),
    ...again,
    ["Save 张三…", false],
    ["Save 李四…", false],
  ]);
  expect(person.complaints).toEqual(["the service refused this; change it, or Esc to go back"]);
  expect(bodies).toHaveLength(2);
  expect(bodies[1]).toContain(better);
});

test("form, review, and what was created", async () => {
  const home = await createServedHome();
  const { exit, stdout, stderr, bodies, person } = await compose(home, [...shortForm(), send, ...declined]);
  expect(exit).toBe(0);
  expect(person.left).toEqual([]);
  expect(bodies).toEqual([JSON.stringify(shortDraft)]);
  expect(stdout).toMatch(/^Order created\nOrder +1000001\n/);
  expect(stderr).toContain("You will review everything before it is sent");
  expect(stderr).toContain(
    `\nSender         张三\nReceiver       李四\nItem           书\nService level  the service chooses\nGoes to        ${home.sandbox.baseUrl} with the key in COURIER_API_KEY\n`,
  );
});

test("the review names the key in COURIER_API_KEY, also beside a stored account", async () => {
  const home = await createServedHome();
  const shop = { base_url: home.sandbox.baseUrl, key: "key-of-shop-01" };
  await putConfig(home, { current: "shop", accounts: { shop } });
  const { stderr } = await compose(home, [...shortForm(), send, ...declined]);
  expect(stderr).toContain(`\nGoes to        ${shop.base_url} with the key in COURIER_API_KEY\n`);
});

test("a whole order from a file is not asked for, but reviewed", async () => {
  const home = await createServedHome();
  const words = ["--sender-name", "张三", "--receiver-name", "李四", "--item-name", "书"];
  const created = await home.courier(["orders", "create", ...words]);
  expect(created.exit).toBe(0);
  const { exit, bodies } = await compose(
    home,
    [send, ["The same order was sent…", true], ...declined],
    "orders create --repeat",
  );
  expect(exit).toBe(0);
  expect(bodies[1]).toBe(bodies[0]);
});

describe("the review", () => {
  const whole = ["张三", "13800138000", "广东省", "深圳市", "南山区", "1号"];
  const form = (receiver: readonly string[], item: readonly string[]): Step[] => [
    ["Sender", "new address"],
    ...partySteps("Sender", whole),
    ["Receiver", "new address"],
    ...partySteps("Receiver", receiver),
    ...itemSteps(item),
    ["Service level", enter],
  ];

  test("names what is missing, and starts at the change of that part", async () => {
    const home = await createServedHome();
    const { stderr, person, bodies } = await compose(home, [
      ...form(whole.slice(0, 5), [""]),
      ["What now?", enter],
      ["Receiver", "edit its fields"],
      ...partySteps("Receiver", [...whole.slice(0, 5), "2号"]),
      ["What now?", enter],
      ...itemSteps(["书"]),
      ["What now?", enter],
      ["Save 张三…", false],
      ["Save 张三…", false],
    ]);
    expect(person.left).toEqual([]);
    expect(stderr).toContain("\nThe receiver has no street address\nThe item has no name\n");
    expect(stderr.split("The item has no name")).toHaveLength(3);
    expect(bodies).toHaveLength(1);
  });

  test.each([
    [["书", "", "2.5"], "The service names no unit for weight: it goes as typed\n"],
    [["书", "", "2.5", "30"], "The service names no unit for weight and value: they go as typed\n"],
  ])("says that numbers have no unit: %j", async (item, said) => {
    const home = await createServedHome();
    const { stderr } = await compose(home, [...form(whole, item), ["What now?", "Quit without sending"]]);
    expect(stderr).toContain(said);
    expect(stderr).not.toContain(" has no ");
  });

  test("leads to each part and back", async () => {
    const home = await createServedHome();
    const { bodies } = await compose(home, [
      ...shortForm(),
      ["What now?", "Change the sender"],
      ["Sender", enter],
      ...partySteps("Sender", ["张三", "13800138000"]),
      ["What now?", "Change the receiver"],
      ["Receiver", enter],
      ...partySteps("Receiver", [enter, enter, enter, "北京市"]),
      ["What now?", "Change the item"],
      ...itemSteps([enter, enter, "2.50"]),
      ["What now?", "Change the service level"],
      ["Service level", "express"],
      send,
      ...declined,
    ]);
    expect(bodies).toEqual([
      '{"sender":{"name":"张三","phone":"13800138000"},"receiver":{"name":"李四","city":"北京市"},"item":{"name":"书","weight":2.50},"service_type":"express"}',
    ]);
  });

  test("a party can be changed for a saved one, or for a pasted one", async () => {
    const home = await createServedHome();
    await home.courier("addresses add li --name 李四 --city 北京市");
    const { bodies, person } = await compose(home, [
      ...shortForm(),
      ["What now?", "Change the receiver"],
      ["Receiver", "@li 李四 北京市"],
      ["What now?", "Change the sender"],
      ["Sender", "paste an address as text"],
      ["Sender: paste the address, then an empty line", "王五 13700137000 北京市朝阳区建国路88号"],
      ["Is this sender right?", enter],
      send,
      ["Save 王五…", false],
    ]);
    expect(person.left).toEqual([]);
    expect(JSON.parse(bodies[0] ?? "")).toEqual({
      // A municipality is its own city.
      sender: {
        name: "王五",
        phone: "13700137000",
        province: "北京市",
        city: "北京市",
        district: "朝阳区",
        detail: "建国路88号",
      },
      receiver: { name: "李四", city: "北京市" },
      item: { name: "书" },
    });
  });

  test("a party without anything is asked for from the start when it is changed", async () => {
    const home = await createServedHome();
    const { bodies } = await compose(home, [
      ["Sender", "new address"],
      ...partySteps("Sender"),
      ...shortForm().slice(7),
      ["What now?", "Change the sender"],
      ["Sender", "new address"],
      ...partySteps("Sender", ["张三"]),
      send,
      ...declined,
    ]);
    expect(JSON.parse(bodies[0] ?? "")).toEqual(shortDraft);
  });

  test("keeps a draft, and the result says so", async () => {
    const home = await createServedHome();
    const ran = await compose(home, [...shortForm(), ["What now?", "Keep as a draft and quit"]]);
    expect(ran).toMatchObject({ exit: 0, bodies: [] });
    expect(ran.stdout).toBe("The draft is kept; courier orders create continues it\n");
    expect(await draftOf(home)).toMatchObject({ draft: shortDraft, open: [] });
  });

  test("of several is offered by its --ref, or in a list", async () => {
    const home = await createServedHome();
    const keep: Step = ["What now?", "Keep as a draft and quit"];
    const pass: Step[] = [
      ["Continue with it?", false],
      ["Delete this draft?", enter],
    ];
    await compose(home, [...shortForm(), keep], "orders create --ref A-1");
    await compose(home, [...pass, ...shortForm(), keep], "orders create --ref A-2");
    const named = await compose(
      home,
      [
        ["Continue with it?", enter],
        ["What now?", "Keep as a draft and quit"],
      ],
      "orders create --ref A-1",
    );
    expect(named.exit, named.stderr).toBe(0);
    expect(await draftOf(home)).toMatchObject({ ref: "A-1" }); // the newest now
    const listed = await compose(home, [
      ...pass,
      ["Which order?", "The draft 李四, 书, ref A-2"],
      send,
      ...declined,
    ]);
    expect(listed.exit, listed.stderr).toBe(0);
    const { stdout } = await home.courier("log show 1 --json");
    expect(JSON.parse(stdout)).toMatchObject([{ ref: "A-2" }]);
    expect(await draftOf(home)).toMatchObject({ ref: "A-1" });
  });

  test("whose ref is taken names the command that continues it with another one", async () => {
    const home = await createServedHome();
    const words = [
      "orders",
      "create",
      "--ref",
      "A-1",
      "--sender-name",
      "店",
      "--receiver-name",
      "李",
      "--item-name",
      "书",
    ];
    expect((await home.courier([...words, "--yes"])).exit).toBe(0);
    const ran = await compose(home, [...shortForm(), send], "orders create --ref A-1");
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain("your draft is kept; courier orders create --ref NEW continues it");
  });

  test("names the flags that a draft does not have", async () => {
    const home = await createServedHome();
    const words = "orders create --save-template weekly --replace";
    const kept = await compose(home, [...shortForm(), ["What now?", "Keep as a draft and quit"]], words);
    expect(kept.stdout).toBe(`The draft is kept; courier ${words} continues it\n`);
    const again = await compose(
      home,
      [
        ["Continue with it?", enter],
        ["What now?", ctrlC],
      ],
      words,
    );
    expect(again.stderr).toContain(`your draft is kept; courier ${words} continues it`);
    await compose(home, [["Continue with it?", enter], send, ...declined], words);
    expect((await home.courier("templates list")).stdout).toContain("weekly");
  });

  test.each([
    ["Keep as a draft and quit", false],
    ["Send this order", true],
  ])("a list that is refused meanwhile is no part of the question: %s", async (answer, isSaid) => {
    const home = await createServedHome();
    answerRaw(home, "GET /api/v1/orders", '{"success":false,"error":{"code":"NO","message":"no"}}', {
      status: 403,
    });
    const person = personWho(...shortForm(), ["What now?", answer], ...(isSaid ? declined : []));
    const prompts: typeof person = {
      ...person,
      async choose(question, choices) {
        while (question === "What now?" && requestCount(home, "GET", "/api/v1/orders") === 0) await turn();
        for (let turns = 0; turns < 200; turns += 1) await turn();
        return person.choose(question, choices);
      },
    };
    const ran = await home.courier("orders create", { terminal: 80, prompts, env: { NO_COLOR: "1" } });
    expect(ran.exit, ran.stderr).toBe(0);
    expect(ran.stderr.includes("Orders made elsewhere were not compared: ")).toBe(isSaid);
  });

  test("quits", async () => {
    const home = await createServedHome();
    const ran = await compose(home, [...shortForm(), ["What now?", "Quit without sending"]]);
    expect(ran).toMatchObject({ exit: 130, stdout: "", bodies: [] });
    expect(ran.stderr).toContain("error: nothing was sent, and the draft was dropped\n");
    expect(await draftOf(home)).toBeUndefined();
  });
});

describe("a refusal", () => {
  test.each([
    ["sender.phone", "Sender phone", "13800138000"],
    ["receiver.detail", "Receiver street address", "1号"],
    ["item.value", "Declared value", "5"],
    ["service_type", "Service level", "standard"],
  ])("of %s asks for it alone, and reviews again", async (field, question, answer) => {
    const home = await createServedHome();
    answerRaw(home, "POST /api/v1/orders", refusal(field), { status: 400, times: 1 });
    const { exit, bodies, stderr } = await compose(home, [
      ...shortForm(),
      send,
      [question, answer],
      send,
      ...declined,
    ]);
    expect(exit).toBe(0);
    expect(stderr).toContain("不行");
    expect(bodies[0]).toBe(JSON.stringify(shortDraft));
    expect(bodies[1]).toContain(answer);
  });

  test.each(["order.secret", "sender", ""])(
    "of %s, which is no field, goes back to the review",
    async (field) => {
      const home = await createServedHome();
      answerRaw(home, "POST /api/v1/orders", refusal(field), { status: 400, times: 1 });
      const { bodies, exit } = await compose(home, [...shortForm(), send, send, ...declined]);
      expect({ exit, count: bodies.length }).toEqual({ exit: 0, count: 2 });
    },
  );

  test("keeps the draft when it ends there", async () => {
    const home = await createServedHome();
    answerRaw(home, "POST /api/v1/orders", refusal("sender.phone"), { status: 400 });
    const ran = await compose(home, [...shortForm(), send, ["Sender phone", ctrlC]]);
    expect(ran.exit).toBe(130);
    expect(ran.stderr).toContain("hint: your draft is kept");
    const again = await compose(home, [
      ["Continue with it?", enter],
      ["What now?", "Quit without sending"],
    ]);
    expect(again.stderr).toContain("An unfinished order:");
  });
});

describe("a service that cannot be asked", () => {
  test("refuses the key: exit 4, the draft is kept", async () => {
    const home = await createServedHome();
    const person = personWho(...shortForm(), send);
    const env = { COURIER_API_KEY: "wrong-key" };
    const { exit, stderr } = await home.courier("orders create", { terminal: 80, prompts: person, env });
    expect(exit).toBe(4);
    expect(stderr).toContain("your draft is kept; courier orders create continues it");
  });

  test("is not there: exit 5, the draft is kept", async () => {
    const home = await createServedHome();
    await home.sandbox.close();
    const ran = await compose(home, [...shortForm(), send]);
    expect(ran.exit).toBe(5);
    expect(ran.stderr).toContain("your draft is kept");
    expect(await draftOf(home)).toBeDefined();
  });

  test("loses its answer: exit 6, and the order is no draft any more", async () => {
    const home = await createServedHome();
    await compose(home, [...shortForm(), ["What now?", "Keep as a draft and quit"]]);
    home.sandbox.faults.add({ kind: "drop_before", method: "POST" });
    const ran = await compose(home, [["Continue with it?", true], send]);
    expect(ran.exit).toBe(6);
    expect(ran.stderr).not.toContain("draft is kept");
    expect(ran.stderr).toContain("courier orders list --from");
    expect(await draftOf(home)).toBeUndefined();
  });
});

describe("an unfinished draft", () => {
  async function homeWithDraft() {
    const home = await createServedHome();
    const ran = await compose(home, [
      ["Sender", "new address"],
      ["Sender name", "张三"],
      ["Sender phone", ctrlC],
    ]);
    expect(ran).toMatchObject({ exit: 130, stdout: "", bodies: [] });
    return home;
  }

  test("goes on with the part where it stopped", async () => {
    const home = await homeWithDraft();
    const { exit, person } = await compose(home, [
      ["Continue with it?", enter],
      ...partySteps("Sender"),
      ...shortForm().slice(7),
      send,
      ...declined,
    ]);
    expect(exit).toBe(0);
    expect(person.found["Sender name"]).toBe("张三");
    expect(await draftOf(home)).toBeUndefined();
  });

  test("has what was typed in the line when it was interrupted, and that is asked for again", async () => {
    const home = await createServedHome();
    await compose(home, [
      ["Sender", "new address"],
      ["Sender name", "张三"],
      ["Sender phone", ctrlCAfter("138")],
    ]);
    expect(await draftOf(home)).toMatchObject({ draft: { sender: { name: "张三", phone: "138" } } });
    const { bodies, person } = await compose(home, [
      ["Continue with it?", enter],
      ...partySteps("Sender", [enter, "13800138000"]),
      ...shortForm().slice(7),
      send,
      ...declined,
    ]);
    expect(person.found["Sender phone"]).toBe("138");
    expect(JSON.parse(bodies[0] ?? "").sender).toEqual({ name: "张三", phone: "13800138000" });
  });

  test("has a line that is not valid yet, which is checked when it is gone on with", async () => {
    const home = await createServedHome();
    const { stderr } = await compose(home, [
      ...shortForm().slice(0, 14),
      ...itemSteps(["书", enter, ctrlCAfter("2,5")]).slice(0, 3),
    ]);
    expect(stderr).toContain("hint: your draft is kept");
    const { bodies, person } = await compose(home, [
      ["Continue with it?", enter],
      ...itemSteps([enter, enter, enter]).slice(0, 3),
      ["Item weight", "2.5"],
      ...itemSteps().slice(3),
      ["Service level", enter],
      send,
      ...declined,
    ]);
    expect(person.complaints).toEqual(["a number such as 2.50, or Enter to leave it out"]);
    expect(bodies).toEqual([
      '{"sender":{"name":"张三"},"receiver":{"name":"李四"},"item":{"name":"书","weight":2.5}}',
    ]);
  });

  test.each<[string, readonly Step[], readonly Step[]]>([
    [
      "a party that is changed in the review",
      [
        ["What now?", "Change the sender"],
        ["Sender", "edit its fields"],
        ["Sender name", enter],
        ["Sender phone", ctrlCAfter("1380")],
      ],
      partySteps("Sender", [enter, "13800138000"]),
    ],
    [
      "an item that is changed in the review",
      [
        ["What now?", "Change the item"],
        ["Item name", enter],
        ["Item description", enter],
        ["Item weight", ctrlCAfter("2,")],
      ],
      itemSteps([enter, enter, "2.5"]),
    ],
  ])("has the half of a field of %s, and asks for it before the next review", async (_what, first, again) => {
    const home = await createServedHome();
    await compose(home, [...shortForm(), ...first]);
    const { bodies, person } = await compose(home, [
      ["Continue with it?", enter],
      ...again,
      send,
      ...declined,
    ]);
    expect(person.left).toEqual([]);
    expect(bodies[0]).toMatch(/"phone":"13800138000"|"weight":2\.5\b/);
  });

  test("has the half of a refused field that is corrected", async () => {
    const home = await createServedHome();
    answerRaw(home, "POST /api/v1/orders", refusal("item.value"), { status: 400, times: 1 });
    await compose(home, [...shortForm(), send, ["Declared value", ctrlCAfter("5,")]]);
    const { bodies, person } = await compose(home, [
      ["Continue with it?", enter],
      ...itemSteps([enter, enter, enter, "5"]),
      send,
      ...declined,
    ]);
    expect(person.found["Declared value"]).toBe("5,");
    expect(bodies[1]).toContain('"value":5}');
  });

  test.each([
    ["Wu Li", "Sender name"],
    ["王五 13700137000 北京市朝阳区建国路88号", "Sender street address"],
  ])("has what was typed into the list: %s", async (typed, question) => {
    const home = await createServedHome();
    const { stderr } = await compose(home, [["Sender", ctrlCAfter(typed)]]);
    expect(stderr).toContain("hint: your draft is kept");
    const { person } = await compose(home, [
      ["Continue with it?", enter],
      ...partySteps("Sender"),
      ["Receiver", ctrlC],
    ]);
    expect(person.found[question]).toBe(typed);
  });

  const pasteQuestion = "Sender: paste the address, then an empty line";

  test("has an address that was pasted and split, though none of its fields was answered yet", async () => {
    const home = await createServedHome();
    const { stderr } = await compose(home, [
      ["Sender", "paste an address as text"],
      [pasteQuestion, "王五 13700137000\n北京市朝阳区建国路88号"],
      ["Is this sender right?", ctrlC],
    ]);
    expect(stderr).toContain("hint: your draft is kept");
    const { person } = await compose(home, [
      ["Continue with it?", enter],
      ...partySteps("Sender"),
      ["Receiver", ctrlC],
    ]);
    expect(person.left).toEqual([]);
    expect(person.found).toMatchObject({
      "Sender name": "王五",
      "Sender phone": "13700137000",
      "Sender district": "朝阳区",
      "Sender street address": "建国路88号",
    });
  });

  test("has an address whose paste was interrupted, in one line", async () => {
    const home = await createServedHome();
    const { stderr } = await compose(home, [
      ["Sender", "paste an address as text"],
      [pasteQuestion, ctrlCAfter("王五 13700137000\n北京市朝阳区建")],
    ]);
    expect(stderr).toContain("hint: your draft is kept");
    const { person } = await compose(home, [
      ["Continue with it?", enter],
      ...partySteps("Sender"),
      ["Receiver", ctrlC],
    ]);
    expect(person.left).toEqual([]);
    expect(person.found["Sender street address"]).toBe("王五 13700137000 北京市朝阳区建");
  });

  test.each([
    ["--sender-text", ["--sender-text", "张三 13800138000 广东省深圳市南山区科技园路1号"]],
    ["--like", ["--like", "1"]],
  ])("has the fields that were typed after a no to what %s was split into", async (_flag, words) => {
    const home = await createServedHome({ seedOrders: 1 });
    const isLike = words.includes("--like");
    const { stderr, exit } = await compose(
      home,
      [
        ["Use …", false],
        ...(isLike ? [["Use …", true] as const] : []),
        ...partySteps("Sender", ["王小明", "13700137000"]).slice(0, 3),
        ["Sender city", ctrlCAfter("杭")],
      ],
      ["orders", "create", ...words],
    );
    expect(exit).toBe(130);
    expect(stderr).toContain("hint: your draft is kept");
    const { person } = await compose(home, [
      ["Continue with it?", enter],
      ...partySteps("Sender").slice(0, 5),
      ["Sender street address", ctrlC],
    ]);
    expect(person.left).toEqual([]);
    expect(person.found).toMatchObject({
      "Sender name": "王小明",
      "Sender phone": "13700137000",
      "Sender city": "杭",
    });
  });

  test("has an address that was pasted in place of another, and asks for its fields before the review", async () => {
    const home = await createServedHome();
    await compose(home, [
      ...shortForm(),
      ["What now?", "Change the sender"],
      ["Sender", "paste an address as text"],
      [pasteQuestion, "王五 13700137000"],
      ["Is this sender right?", ctrlC],
    ]);
    const { bodies, person } = await compose(home, [
      ["Continue with it?", enter],
      ...partySteps("Sender"),
      send,
      ["Save 王五…", false],
      ["Save 李四…", false],
    ]);
    expect(person.left).toEqual([]);
    expect(JSON.parse(bodies[0] ?? "").sender).toEqual({ name: "王五", phone: "13700137000" });
  });

  test("at the review says nothing of the comparison that it breaks off", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ kind: "stall", method: "GET", path: "/api/v1/orders" }]);
    const { exit, stderr } = await compose(home, [...shortForm(), ["What now?", ctrlC]]);
    expect(exit).toBe(130);
    expect(stderr).not.toContain("not compared");
    expect(stderr).toMatch(/\nerror: interrupted\nhint: .*\n$/);
  });

  test("has the ref of its order, which is sent once although the command that goes on has none", async () => {
    const home = await createServedHome();
    await compose(home, [...shortForm(), ["What now?", ctrlC]], ["orders", "create", "--ref", "A 9"]);
    const resumed = await compose(home, [["Continue with it?", enter], send, ...declined]);
    expect(resumed.stderr).toMatch(/An unfinished order:[^?]*\nRef +A 9\n[^?]*\nRef +A 9\n/);
    expect(resumed).toMatchObject({ exit: 0, bodies: [expect.anything()] });
    home.clock.advance(3_600_000); // after ten minutes a script sends an equal order without a ref
    const flags = ["--sender-name", "张三", "--receiver-name", "李四", "--item-name", "书", "--ref", "A 9"];
    const { exit, stdout } = await home.courier(["orders", "create", ...flags, "--json"]);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout).id).toBe(JSON.parse((await home.courier("orders list --json")).stdout)[0].id);
    expect(bodiesOf(home)).toHaveLength(1);
  });

  test("takes the ref that the command gives in place of its own", async () => {
    const home = await createServedHome();
    await compose(home, [...shortForm(), ["What now?", ctrlC]], "orders create --ref A-9");
    const steps: Step[] = [["Continue with it?", true], send, ...declined];
    const { stderr } = await compose(home, steps, "orders create --ref B-1");
    expect(stderr).toContain("Continued, it gets the ref B-1 in place of A-9");
    const { stdout } = await home.courier("log show 1 --json");
    expect(JSON.parse(stdout)).toMatchObject([{ ref: "B-1" }]);
  });

  test("is forgotten when it is not wanted", async () => {
    const home = await homeWithDraft();
    await compose(home, [
      ["Continue with it?", false],
      ["Delete this draft?", true],
      ["Sender", ctrlC],
    ]);
    expect(await draftOf(home)).toBeUndefined();
  });

  test("stays while another order is begun and sent", async () => {
    const home = await homeWithDraft();
    const kept = await draftOf(home);
    const another = [["Continue with it?", false] as const, ["Delete this draft?", enter] as const];
    const { exit } = await compose(home, [...another, ...shortForm(), send, ...declined]);
    expect(exit).toBe(0);
    expect(await draftOf(home)).toEqual(kept);
  });

  test.each([
    [9, false],
    [10, true],
  ])("the next beside %i others: the oldest is deleted and shown: %s", async (count, isFull) => {
    const home = await createServedHome();
    const ledger = await openLedger(home.stateDir);
    const owner = { account: "(environment)", service: home.sandbox.baseUrl };
    for (let number = 1; number <= count; number++)
      await ledger.keepDraft(owner, { draft: { item: { name: `draft-${number}-` } }, open: [] }, undefined);
    await ledger.close();
    const another = [["Continue with it?", false] as const, ["Delete this draft?", enter] as const];
    const { exit, stderr } = await compose(home, [
      ...another,
      ["Which order?", enter],
      ...shortForm(),
      ["What now?", "Keep as a draft and quit"],
    ]);
    expect(exit, stderr).toBe(0);
    expect(stderr.includes("At most 10 drafts are kept, so the oldest was deleted:\n")).toBe(isFull);
    expect(stderr.includes("draft-1-")).toBe(isFull);
    expect(stderr.includes("courier orders create offers the others, the newest first\n")).toBe(isFull);
  });

  test("is not touched by an order that comes from flags, sent or dropped", async () => {
    const home = await homeWithDraft();
    const kept = await draftOf(home);
    const flags = "orders create --sender-name A --receiver-name B --item-name C";
    expect((await home.courier(flags)).exit).toBe(0);
    expect(await draftOf(home)).toEqual(kept);
    await compose(
      home,
      [
        ...partySteps("Sender").slice(1),
        ...partySteps("Receiver").slice(1),
        ...itemSteps().slice(1),
        ["Service level", enter],
        ["What now?", "Quit without sending"],
      ],
      flags,
    );
    expect(await draftOf(home)).toEqual(kept);
  });

  test.each<[string, string, number, readonly Step[] | undefined]>([
    ["sent by the same command", "", 0, [send]],
    ["sent with --yes", " --yes", 0, undefined],
    ["sent with a ref", " --yes --ref A-1", 0, undefined],
    ["sent with a lost answer, so it is in doubt", " --yes", 6, undefined],
    ["in doubt after a review", "", 6, [send]],
  ])("of a file is none any more once its order is %s", async (_what, words, exit, steps) => {
    const home = await createServedHome();
    const file = `${home.directory}/order.json`;
    await writeFile(file, JSON.stringify(shortDraft));
    const line = `orders create --file ${file}`;
    for (const _time of [1, 2]) expect((await compose(home, [["What now?", ctrlC]], line)).exit).toBe(130);
    await compose(home, [["What now?", ctrlC]], `${line} --ref Z-9`);
    if (exit === 6) home.sandbox.faults.set([{ method: "POST", kind: "drop_before" }]);
    const ran = await (steps ? compose(home, steps, line + words) : home.courier(line + words));
    expect(ran.exit, ran.stderr).toBe(exit);
    const { stderr } = await compose(home, [["Continue with it?", ctrlC]]);
    expect(stderr).toContain("Z-9"); // the draft with the ref of another order stays
    const ledger = await openLedger(home.stateDir);
    const owner = { account: "(environment)", service: home.sandbox.baseUrl };
    const refs = (await ledger.findDrafts(owner)).map(({ ref }) => ref);
    await ledger.close();
    expect(refs).toEqual(["Z-9"]);
  });

  test("is offered though there is a default sender", async () => {
    const home = await homeWithDraft();
    await home.courier("addresses add shop --name 店 --default");
    const { stderr } = await compose(home, [["Continue with it?", ctrlC]]);
    expect(stderr).toContain("An unfinished order:");
    expect(await draftOf(home)).toBeDefined();
  });

  test("is not lost when an order from flags is left unfinished", async () => {
    const home = await homeWithDraft();
    const flags = "orders create --sender-name A --receiver-name B --item-name C";
    const { exit, person } = await compose(home, [["Sender phone", ctrlC]], flags);
    expect({ exit, left: person.left }).toEqual({ exit: 130, left: [] });
    const again = await compose(home, [
      ["Continue with it?", false],
      ["Delete this draft?", true],
      ["Continue with it?", true],
      ["Sender name", ctrlC],
    ]);
    expect(again.person.left).toEqual([]);
    expect(again.stderr).toMatch(
      /^An unfinished order \(1 more is kept\):\n[\s\S]*Sender +A\n[\s\S]*^An unfinished order:\n[\s\S]*Sender +张三\n/m,
    );
  });

  test("of one account is not offered in another", async () => {
    const home = await homeWithDraft();
    await compose(home, [["Sender", ctrlC]], "orders create --account sandbox");
  });
});

describe("an equal order within a day", () => {
  const words = "orders create --sender-name 张三 --receiver-name 李四 --item-name 书";
  const unwarned = { exit: 0, stderr: "The service says: order created\n" };

  test("is asked about, with when and which; no goes back to the review", async () => {
    const home = await createServedHome();
    await home.courier(words);
    home.clock.advance(3_600_000);
    const question = "The same order was sent 1 h ago, as 1000001. Send it again?";
    const { exit, bodies, person } = await compose(home, [
      ...shortForm(),
      send,
      [question, false],
      send,
      [question, true],
      ...declined,
    ]);
    expect(person.left).toEqual([]);
    expect({ exit, count: bodies.length }).toEqual({ exit: 0, count: 2 });
  });

  test("in doubt is asked about with the order that may be it", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([
      { method: "POST", kind: "drop_after", times: 1 },
      { method: "GET", path: "/api/v1/orders", kind: "status", status: 503, times: 20 },
    ]);
    expect((await home.courier(`${words} --no-input`)).exit).toBe(6);
    home.sandbox.faults.clear();
    const order = { id: 1000001, status: "pending", receiver: { name: "李四" }, item: { name: "书" } };
    answerData(home, "GET /api/v1/orders/1000001", JSON.stringify({ ...order, sender: { name: "王五" } }));
    const question = "The same order was sent just now, and may or may not have been created. Send it again?";
    const { stderr, bodies } = await compose(home, [
      ...shortForm(),
      send,
      [question, false],
      ["What now?", ctrlC],
    ]);
    expect([stderr, bodies.length]).toEqual([expect.stringContaining("these orders may be it: 1000001"), 1]);
  });

  test("is asked about too where another machine has made it; no goes back to the review", async () => {
    const home = await createServedHome();
    await home.courier(words, { env: { COURIER_STATE_DIR: `${home.directory}/another machine` } });
    const question = "An equal order, 1000001, exists, which this ledger does not know. Send it again?";
    const { exit, bodies, person } = await compose(home, [
      ...shortForm(),
      send,
      [question, false],
      send,
      [question, true],
      ...declined,
    ]);
    expect(person.left).toEqual([]);
    expect({ exit, count: bodies.length }).toEqual({ exit: 0, count: 2 });
  });

  describe("of another machine, where the review stands for an hour", () => {
    const onOtherMachine = (home: ServedHome) =>
      home.courier(words, { env: { COURIER_STATE_DIR: `${home.directory}/another machine` } });
    const question: Step = ["An equal order, 1000001, exists…", false];
    const quit: Step = ["What now?", "Quit without sending"];

    async function composeSlowly(home: ServedHome, steps: readonly Step[], meanwhile = async () => {}) {
      const person = personWho(...shortForm(), ...steps);
      const prompts: typeof person = {
        ...person,
        async choose(question, choices, options) {
          if (question === "What now?") {
            for (let turns = 0; turns < 200 || requestCount(home, "GET", "/api/v1/orders") === 0; turns += 1)
              await turn();
            home.clock.advance(3_600_000);
            await meanwhile();
          }
          return person.choose(question, choices, options);
        },
      };
      await home.courier("orders create", { terminal: 80, prompts });
      expect(person.left).toEqual([]);
      expect(bodiesOf(home)).toHaveLength(1);
    }

    test("is asked about where it was made since the list was read", async () => {
      const home = await createServedHome();
      const meanwhile = async () => {
        if (bodiesOf(home).length === 0) await onOtherMachine(home);
      };
      await composeSlowly(home, [send, question, quit], meanwhile);
    });

    test("is asked about each time, also after a no, and where it is days old", async () => {
      const home = await createServedHome();
      await onOtherMachine(home);
      home.clock.advance(5 * 86_400_000);
      await composeSlowly(home, [send, question, send, question, quit]);
    });

    test("is asked about where the list that had shown it is refused now", async () => {
      const home = await createServedHome();
      await onOtherMachine(home);
      await composeSlowly(home, [send, question, quit], async () =>
        answerRaw(home, "GET /api/v1/orders", '{"success":false,"error":{"code":"NO","message":"no"}}', {
          status: 403,
        }),
      );
    });
  });

  test("is not asked about with --allow-duplicate, after a day, or when it differs", async () => {
    const home = await createServedHome();
    await home.courier(words);
    const form = [...shortForm(), send, ...declined];
    expect((await compose(home, form, "orders create --allow-duplicate")).exit).toBe(0);
    home.clock.advance(86_400_000);
    expect((await compose(home, form)).exit).toBe(0);
    expect((await compose(home, [...shortForm("张三", "李四", "纸"), send, ...declined])).exit).toBe(0);
  });

  test.each([
    ["in a pipe", words, {}],
    ["with --yes at a terminal", `${words} --yes`, { terminal: 80 }],
    ["as JSON at a terminal", `${words} --json`, { terminal: 80 }],
  ])("is refused for ten minutes where nobody can be asked: %s", async (_where, line, options) => {
    const home = await createServedHome();
    expect((await home.courier(words)).exit).toBe(0);
    home.clock.advance(599_000);
    const { exit, stdout, stderr } = await home.courier(line, options);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain("the same order was sent 9 min ago, as 1000001; nothing was sent");
    expect(stderr).toContain("to ship it a second time, add --allow-duplicate");
    expect(requestCount(home, "POST")).toBe(1);

    const allowed = await home.courier(`${line} --allow-duplicate`, options);
    expect(allowed.exit).toBe(0);
    expect(allowed.stderr).not.toContain("same order");
    expect(requestCount(home, "POST")).toBe(2);
  });

  test("is only pointed out after ten minutes, and not after a day", async () => {
    const home = await createServedHome();
    await home.courier(words);
    home.clock.advance(600_000);
    const again = await home.courier(words);
    expect(again.exit).toBe(0);
    expect(again.stderr).toMatch(/^warning: the same order was sent 10 min ago, as 1000001\n/);
    home.clock.advance(86_400_000);
    expect(await home.courier(words)).toMatchObject(unwarned);
  });

  test("does not count once it is cancelled; a look-up that is refused is no proof that it is gone", async () => {
    const home = await createServedHome();
    await home.courier(words);
    await home.courier("orders cancel 1000001 --yes");
    expect(await home.courier(words)).toMatchObject(unwarned);
    const twice: Step = ["The same order was sent…", false];
    const end: Step = ["What now?", "Quit without sending"];
    expect((await compose(home, [...shortForm(), send, twice, end])).exit).toBe(130);
    home.sandbox.faults.set([{ method: "GET", path: "/api/v1/orders/1000002", kind: "status", status: 404 }]);
    expect((await home.courier(words)).exit).toBe(2);
  });

  test("in doubt is refused until it is known what became of it, whatever the flags", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ method: "POST", kind: "drop_before" }]);
    expect((await home.courier(words)).exit).toBe(6);
    home.sandbox.faults.clear();
    home.clock.advance(600_000);
    const { exit, stderr } = await home.courier(words);
    expect(exit).toBe(2);
    expect(stderr).toMatch(
      /the same order was sent .* ago, and may or may not have been created; nothing was sent/,
    );
    expect(stderr).toContain("run the same command again after 08:15:");
    expect(stderr).toContain("look for the order: courier orders list --from 2026-02-28 --all");
    expect((await home.courier(`${words} --allow-duplicate`)).exit).toBe(2);
    expect(requestCount(home, "POST")).toBe(1);
    home.clock.advance(600_000);
    expect((await home.courier(words)).exit).toBe(0);
    expect(requestCount(home, "POST")).toBe(2);
  });

  test("in doubt and typed into the form: the hint names what sends the same order", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ method: "POST", kind: "drop_before" }]);
    const { exit, stderr } = await compose(home, [...shortForm(), send]);
    expect(exit, stderr).toBe(6);
    const [, hinted = ""] =
      /hint: run courier (.*?) after [\d:]+, when the outcome can be proved; or/.exec(stderr) ?? [];
    expect(hinted).toBe("orders create --like 1.1");
    home.sandbox.faults.clear();
    expect((await home.courier(`${hinted} --yes`)).exit).toBe(2);
    const later = ["--sender-name", "店", "--receiver-name", "另一人", "--item-name", "金表"];
    expect((await home.courier(["orders", "create", ...later, "--yes"])).exit).toBe(0);
    home.clock.advance(1_200_000);
    const sent = await home.courier(`${hinted} --yes`);
    expect(sent.exit, sent.stderr).toBe(0);
    const [first, , third, ...others] = sentBodies(home);
    expect([third, others]).toEqual([first, []]);
  });

  test("an order with its ref and other content says whose order is in doubt", async () => {
    const home = await createServedHome();
    const to = (name: string) => ["--sender-name", "店", "--receiver-name", name, "--item-name", "钟"];
    const create = (name: string) => home.courier(["orders", "create", ...to(name), "--ref", "X-1", "--yes"]);
    home.sandbox.faults.set([{ method: "POST", kind: "drop_before" }]);
    expect((await create("周一")).exit).toBe(6);
    home.sandbox.faults.clear();
    const other = await create("吴二");
    expect(other.exit).toBe(2);
    expect(other.stderr).toContain(
      "another order (周一, 钟) was sent just now with the ref X-1, and may or may not have been created",
    );
  });

  test("does not count where the first one was refused or never sent", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([
      { method: "POST", kind: "refuse", status: 400, code: "INVALID_PARAMETER", message: "no" },
    ]);
    expect((await home.courier(words)).exit).not.toBe(0);
    home.sandbox.faults.clear();
    expect(await home.courier(words)).toMatchObject(unwarned);
  });
});

describe("after an order", () => {
  test("its new parties can be saved, under names that are free", async () => {
    const home = await createServedHome();
    await home.courier("addresses add 李四 --name other");
    const { exit, person, stdout } = await compose(home, [
      ...shortForm("John Smith"),
      send,
      ["Save John Smith…", true],
      ["Short name for it", "John Smith"],
      ["Short name for it", "john"],
      ["Use it as the usual sender?", true],
      ["Save 李四…", true],
      ["Short name for it", "李四"],
      ["Short name for it", "li"],
    ]);
    expect({ exit, left: person.left }).toEqual({ exit: 0, left: [] });
    expect(stdout).toContain("Order created");
    expect(person.complaints).toEqual([
      "not a usable name for an address: John Smith",
      "the address book has another @李四",
    ]);
    const shown = JSON.parse((await home.courier("addresses list --json")).stdout);
    expect(shown.map(({ alias, name }: { alias: string; name: string }) => [alias, name])).toEqual([
      ["李四", "other"],
      ["john", "John Smith"],
      ["li", "李四"],
    ]);
    expect(person.found["Short name for it"]).toBe("");
    expect(JSON.parse((await home.courier("addresses show john --json")).stdout).default).toBe(true);
  });

  test("parties that are saved, or have no name, are not offered", async () => {
    const home = await createServedHome();
    await home.courier("addresses add shop --name 张三");
    const { exit } = await compose(home, [
      ["Sender", "张三 > @shop 张三"],
      ["Receiver", "new address"],
      ...partySteps("Receiver", ["", "13900139000"]),
      ...shortForm().slice(14),
      send,
    ]);
    expect(exit).toBe(0);
  });

  test("Ctrl-C at the offer leaves the order created", async () => {
    const home = await createServedHome();
    const { exit, stdout } = await compose(home, [...shortForm(), send, ["Save 张三…", ctrlC]]);
    expect(exit).toBe(0);
    expect(stdout).toContain("Order created");
  });

  test("a config file that cannot be read by now leaves the order created", async () => {
    const home = await createServedHome();
    await home.courier("addresses add shop --name A");
    const transport = await transportWhere(() =>
      writeFile(path.join(home.configDir, "config.json"), '{"version":99}'),
    );
    const prompts = personWho(...shortForm(), send);
    const { exit, stdout, stderr } = await home.courier("orders create", {
      terminal: 80,
      prompts,
      transport,
    });
    expect(exit).toBe(0);
    expect(stdout).toContain("Order created");
    expect(stderr).toContain(
      "warning: the order was created, but the address could not be saved: the config",
    );
  });

  test("recently used parties are found again", async () => {
    const home = await createServedHome();
    await compose(home, [...shortForm(), send, ...declined]);
    const { person } = await compose(home, [
      ["Sender", "张 > 张三"],
      ["Receiver", ctrlC],
    ]);
    expect(person.offered).toEqual(["张三", "new address for “张”", "paste an address as text"]);
  });

  test("--save-template keeps it for --template", async () => {
    const home = await createServedHome();
    const words = [
      "--sender-name",
      "张三",
      "--receiver-name",
      "李四",
      "--item-name",
      "书",
      "--item-weight",
      "2.50",
    ];
    const { exit, stderr } = await home.courier(["orders", "create", ...words, "--save-template", "weekly"]);
    expect(exit).toBe(0);
    expect(stderr).toContain("courier orders create --template weekly");
    const { stdout } = await home.courier("orders create --template weekly --dry-run --json");
    expect(stdout).toBe(
      '{"sender":{"name":"张三"},"receiver":{"name":"李四"},"item":{"name":"书","weight":2.50}}\n',
    );
  });

  describe("--save-template over a template", () => {
    const words = "orders create --sender-name A --receiver-name B --save-template weekly --item-name";
    const question = "The template “weekly” exists already. Replace it?";
    const steps = [
      ...partySteps("Sender").slice(1),
      ...partySteps("Receiver").slice(1),
      ...itemSteps().slice(1),
    ];
    const form: readonly Step[] = [...steps, ["Service level", "let the service choose"]];

    async function homeWithTemplate() {
      const home = await createServedHome();
      expect((await home.courier(`${words} C`)).exit).toBe(0);
      return home;
    }

    async function itemOf(home: ServedHome) {
      return JSON.parse((await home.courier("templates show weekly --json")).stdout).item.name;
    }

    test.each([
      ["in a pipe", `${words} D`, {}],
      ["with --yes", `${words} D --yes`, { terminal: 80 }],
      ["as JSON at a terminal", `${words} D --json`, { terminal: 80 }],
    ])("%s: exit 2 before anything is sent", async (_where, line, options) => {
      const home = await homeWithTemplate();
      const { exit, stdout, stderr } = await home.courier(line, options);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
      expect(stderr).toContain("the template “weekly” exists already");
      expect(stderr).toContain("add --replace to replace it; or choose another name");
      expect(requestCount(home, "POST")).toBe(1);
      expect(await itemOf(home)).toBe("C");
    });

    test("--replace replaces it, and says so", async () => {
      const home = await homeWithTemplate();
      const { exit, stderr } = await home.courier(`${words} D --replace`);
      expect(exit).toBe(0);
      expect(stderr).toContain(
        "Replaced the template; use it with: courier orders create --template weekly\n",
      );
      expect(await itemOf(home)).toBe("D");
    });

    test.each([
      ["", "E", "could not be saved: another courier process has saved the template “weekly” meanwhile"],
      ["--replace", "D", "Replaced the template"],
    ])(
      "one that another process saves meanwhile stays, but for --replace: “%s”",
      async (flag, left, said) => {
        const home = await createServedHome();
        if (flag) await home.courier(`${words} C`);
        const transport = await transportWhere(() => home.courier(`${words} E ${flag}`));
        const { exit, stderr } = await home.courier(`${words} D ${flag}`, { transport });
        expect(exit).toBe(0);
        expect(stderr).toContain(said);
        expect(await itemOf(home)).toBe(left);
      },
    );

    test("one that another process changes after the yes stays", async () => {
      const home = await homeWithTemplate();
      const transport = await transportWhere(() => home.courier(`${words} E --replace`));
      const prompts = personWho(...form, send, [question, true], ["Save A…", false], ["Save B…", false]);
      const { exit, stderr } = await home.courier(`${words} D`, { terminal: 80, prompts, transport });
      expect(exit).toBe(0);
      expect(stderr).toContain("the template could not be saved");
      expect(await itemOf(home)).toBe("E");
    });

    test("nothing is asked for the same order again", async () => {
      const home = await homeWithTemplate();
      const { exit } = await home.courier(
        "orders create --template weekly --save-template weekly --allow-duplicate",
      );
      expect(exit).toBe(0);
    });

    test("at a terminal it asks before the order is sent", async () => {
      const home = await homeWithTemplate();
      const { exit, person, bodies, stderr } = await compose(
        home,
        [...form, send, [question, true], ["Save A…", false], ["Save B…", false]],
        `${words} D`,
      );
      expect(exit).toBe(0);
      expect(person.left).toEqual([]);
      expect([bodies.length, await itemOf(home)]).toEqual([2, "D"]);
      expect(stderr).toContain("Replaced the template");
    });

    test("a no sends the order and leaves the template, also when the order is refused first", async () => {
      const home = await homeWithTemplate();
      answerRaw(home, "POST /api/v1/orders", refusal("item.value"), { status: 400, times: 1 });
      const { exit, bodies, stderr } = await compose(
        home,
        [
          ...form,
          send,
          [question, enter],
          ["Declared value", "5"],
          send,
          ["Save A…", false],
          ["Save B…", false],
        ],
        `${words} D`,
      );
      expect([exit, bodies.length, await itemOf(home)]).toEqual([0, 3, "C"]);
      expect(stderr).toContain("the template “weekly” stays as it was");
      expect(stderr).not.toContain("--template weekly");
    });

    test("Ctrl-C at the question sends nothing and keeps the draft", async () => {
      const home = await homeWithTemplate();
      const { exit, stderr, bodies } = await compose(home, [...form, send, [question, ctrlC]], `${words} D`);
      expect([exit, bodies.length, await itemOf(home)]).toEqual([130, 1, "C"]);
      expect(stderr).toContain("your draft is kept");
    });

    test("--replace alone is refused before anything is sent", async () => {
      const home = await createServedHome();
      const ran = await home.courier(
        "orders create --sender-name A --receiver-name B --item-name C --replace",
      );
      expect(ran).toMatchObject({ exit: 2, stdout: "" });
      expect(ran.stderr).toContain("--replace needs --save-template");
      expect(requestCount(home, "POST")).toBe(0);
    });
  });

  test("a template name that cannot be is refused before anything is sent", async () => {
    const home = await createServedHome();
    const words = ["orders", "create", "--sender-name", "A", "--receiver-name", "B", "--item-name", "C"];
    const { exit, stdout, stderr } = await home.courier([...words, "--save-template", "my order"]);
    expect(stderr).toContain("not a usable name for a template: my order");
    expect({ exit, stdout, posts: requestCount(home, "POST") }).toEqual({ exit: 2, stdout: "", posts: 0 });
  });

  test.each(["", "--quiet"])(
    "files that cannot be written do not hide that it was created: “%s”",
    async (flag) => {
      const home = await createServedHome();
      const words = `orders create --sender-name A --receiver-name B --item-name C --save-template weekly ${flag}`;
      // Nobody, not even root, can make a directory there.
      const { exit, stdout, stderr } = await home.courier(words, {
        env: { COURIER_CONFIG_DIR: "/sys/courier" },
      });
      expect(exit).toBe(0);
      expect(stdout).toContain("Order created");
      expect(stderr).toContain("warning: the order was created, but the template could not be saved");
    },
  );
});

describe("where nobody can be asked", () => {
  test.each([
    ["no terminal", "", undefined],
    ["--no-input", " --no-input", 80],
    ["--json", " --json", 80],
    ["--ndjson", " --ndjson", 80],
  ])("%s: exit 2 with the flags named, nothing is asked or sent", async (_what, flag, terminal) => {
    const home = await createServedHome();
    const person = personWho();
    const options = { prompts: person, ...(terminal ? { terminal } : {}) };
    const ran = await home.courier(`orders create --item-name 书${flag}`, options);
    expect(ran).toMatchObject({ exit: 2, stdout: "" });
    expect(ran.stderr).toContain("the order has no sender, no receiver");
    expect(ran.stderr).toContain("--sender-name … --receiver-name …");
    expect(person.asked).toEqual([]);
    expect(home.sandbox.requests).toEqual([]);
  });

  test("--yes at a terminal sends as given, or names what is missing", async () => {
    const home = await createServedHome();
    const person = personWho();
    const options = { prompts: person, terminal: 80 };
    expect((await home.courier("orders create --yes", options)).exit).toBe(2);
    const words = "orders create --yes --sender-name A --receiver-name B --item-name C";
    expect((await home.courier(words, options)).exit).toBe(0);
    expect(person.asked).toEqual([]);
  });
});

/** Someone who answers anything with anything, and a witness of what stood on the screen when it was sent. */
test("whatever is answered, no order leaves that was not on the screen when “send” was chosen", async () => {
  const home = await createServedHome();
  const texts = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("", "张三", "13800138000", "12", "2.50", "-1", "1e5", "0", " ") },
    fc.string({ unit: "grapheme", maxLength: 12 }),
  );
  const answers = fc.array(fc.record({ text: texts, index: fc.nat(9), yes: fc.boolean() }), {
    minLength: 10,
    maxLength: 70,
  });
  let [runs, sent] = [0, 0];
  await fc.assert(
    fc.asyncProperty(answers, fc.boolean(), fc.nat(6), async (script, refuses, faultAt) => {
      runs += 1;
      home.sandbox.faults.clear();
      if (refuses)
        home.sandbox.faults.add({ kind: "status", status: 400, method: "POST", after: faultAt, times: 1 });
      const before = home.sandbox.requests.length;
      const stderr = new Capture(10_000);
      const reviewed: string[] = [];
      const left = [...script];
      let permission: string | undefined;
      const next = () => {
        // A request between two questions is one too many unless it was just permitted.
        const answer = left.shift();
        if (!answer) throw interrupted(130);
        return answer;
      };
      const choose = <T>(choices: readonly { value: T; label: string }[]): T => {
        const chosen = choices[next().index % choices.length];
        if (!chosen) throw new Error("an empty list");
        return chosen.value;
      };
      const prompts: Prompts = {
        async text(_question, { initial, suggestion, check } = {}) {
          for (;;) {
            const { text, yes } = next();
            const answer = yes ? (initial ?? suggestion ?? "") : text;
            if ((check?.(answer) ?? true) === true) return answer;
          }
        },
        lines: async () => next().text,
        secret: async () => next().text,
        confirm: async () => next().yes,
        search: async (_question, find) => choose(find(left[0]?.yes ? "" : (left[0]?.text ?? ""))),
        together: (questions) => questions(),
        async choose(_question, choices) {
          permission = undefined;
          const value = choose(choices);
          if (value === "send") {
            permission = stderr.text;
            reviewed.push(permission);
          }
          return value;
        },
      };
      await run({
        argv: ["orders", "create"],
        env: {
          COURIER_CONFIG_DIR: home.configDir,
          COURIER_STATE_DIR: home.stateDir,
          COURIER_API_KEY: home.sandbox.apiKey,
          COURIER_BASE_URL: home.sandbox.baseUrl,
          NO_COLOR: "1",
        },
        stdin: inputStream(undefined),
        stdout: new Capture(10_000),
        stderr,
        openKeyRing: async () => home.keyRing,
        signal: new AbortController().signal,
        job: noJob,
        clock: home.clock,
        random: () => 0.5,
        prompts,
      });
      const posts = home.sandbox.requests.slice(before).filter(({ method }) => method === "POST");
      // Each permission is worth one order at most: an equal one may have been declined.
      let from = 0;
      for (const { body } of posts) {
        const review = await reviewOf(body, home);
        const index = reviewed.findIndex((screen, place) => place >= from && showsLast(screen, review));
        expect(index, `no review showed ${body}`).toBeGreaterThanOrEqual(from);
        from = index + 1;
      }
      sent += posts.length;
    }),
    { numRuns: 60 },
  );
  expect({ runs: runs > 0, sent: sent > 0 }).toEqual({ runs: true, sent: true });
}, 60_000);

/** Only remarks stand below it. */
function showsLast(screen: string, review: string): boolean {
  const start = screen.lastIndexOf(review);
  return start !== -1 && !screen.slice(start + review.length).includes("Goes to");
}

async function reviewOf(body: string, { sandbox }: ServedHome): Promise<string> {
  const account = {
    kind: "remote",
    name: "(environment)",
    baseUrl: sandbox.baseUrl,
    key: { place: "given", apiKey: "" },
  } as const;
  const view = { width: 10_000, paint: plainPaint, nowMs: 0 };
  return render(reviewView(parseJson(body) as Draft, undefined, account), view);
}
