/** Where an order comes from: file, template, the last order, address book, text and flags, in this precedence. */

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ctrlC, enter, personWho, type Step } from "../support/answering.ts";
import { answerData, sentBodies } from "../support/answers.ts";
import { createHome, createServedHome, type Home } from "../support/courier.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const create = ["orders", "create"];
const parties = ["--sender-name", "店", "--receiver-name", "李明", "--receiver-phone", "13900004466"];
const shown = [...create, "--dry-run", "--json"];

/** A home with an address book, and `weekly` as a template. */
async function furnishedHome(): Promise<Home> {
  const home = await createHome();
  const config = {
    addresses: {
      shop: { name: "店", phone: "13800138000", city: "深圳市" },
      li: { name: "李四", phone: "13900139000" },
    },
    templates: {
      weekly: {
        sender: { name: "T" },
        receiver: { name: "R" },
        item: { name: "书" },
        service_type: "standard",
      },
    },
  };
  await mkdir(home.configDir, { recursive: true });
  await writeFile(
    path.join(home.configDir, "config.json"),
    JSON.stringify(config).replace('"书"', '"书","weight":2.50'),
  );
  return home;
}

async function draftOf(home: Home, words: readonly string[], stdin?: string) {
  const { exit, stdout, stderr } = await home.courier(
    [...shown, ...words],
    stdin === undefined ? {} : { stdin },
  );
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
  return stdout.trimEnd();
}

describe("a draft is put together", () => {
  test("from the address book", async () => {
    expect(await draftOf(await furnishedHome(), ["--sender", "@shop", "--receiver", "@li"])).toBe(
      '{"sender":{"name":"店","phone":"13800138000","city":"深圳市"},"receiver":{"name":"李四","phone":"13900139000"}}',
    );
  });

  test("from a template, numbers as they were", async () => {
    expect(await draftOf(await furnishedHome(), ["--template", "weekly"])).toBe(
      '{"sender":{"name":"T"},"receiver":{"name":"R"},"item":{"name":"书","weight":2.50},"service_type":"standard"}',
    );
  });

  test("the address book over the template, a flag over both", async () => {
    const words = [
      "--template",
      "weekly",
      "--sender",
      "@shop",
      "--sender-phone",
      "1",
      "--item-weight",
      "0.10",
    ];
    expect(JSON.parse(await draftOf(await furnishedHome(), words))).toEqual({
      sender: { name: "店", phone: "1", city: "深圳市" },
      receiver: { name: "R" },
      item: { name: "书", weight: 0.1 },
      service_type: "standard",
    });
  });

  test("a party from the address book takes the place of the whole party in the file", async () => {
    const file = '{"sender":{"name":"F","district":"X"},"receiver":{"name":"G"},"item":{"quantity":1}}';
    const words = ["--file", "-", "--sender", "@li", "--service-type", "express"];
    expect(await draftOf(await furnishedHome(), words, file)).toBe(
      '{"sender":{"name":"李四","phone":"13900139000"},"receiver":{"name":"G"},"item":{"quantity":1},"service_type":"express"}',
    );
  });

  test("from a text, with flags over what was understood", async () => {
    const words = ["--receiver-text", "李四 13900139000", "--yes", "--receiver-name", "王五"];
    const { receiver } = JSON.parse(await draftOf(await furnishedHome(), words));
    expect(receiver.name).toBe("王五");
    expect(JSON.stringify(receiver)).toContain("13900139000");
  });

  test("from the last order of the account", async () => {
    const home = await createServedHome();
    await home.courier("orders create --sender-name A --receiver-name B --item-name C --item-weight 2.50");
    await home.courier("orders create --sender-name D --receiver-name E --item-name F --item-value 1.00");
    expect(await draftOf(home, ["--repeat", "--item-quantity", "2"])).toBe(
      '{"sender":{"name":"D"},"receiver":{"name":"E"},"item":{"name":"F","value":1.00,"quantity":2}}',
    );
  });
});

describe("the default sender", () => {
  async function home() {
    const furnished = await furnishedHome();
    await furnished.courier("addresses add me --name 我 --default");
    return furnished;
  }

  test("sends an order that names none", async () => {
    expect(await draftOf(await home(), ["--receiver", "@li"])).toContain('"sender":{"name":"我"}');
  });

  test.each([
    ["a saved sender", ["--sender", "@shop"], "店"],
    ["a single flag", ["--sender-name", "X"], "X"],
    ["a template", ["--template", "weekly"], "T"],
    ["a text", ["--sender-text", "李四 13900139000", "--yes"], undefined],
  ])("gives way to %s, whole", async (_what, words, name) => {
    const { sender } = JSON.parse(await draftOf(await home(), words));
    expect(sender.name).not.toBe("我");
    if (name) expect(sender.name).toBe(name);
  });

  test("that was forgotten is none", async () => {
    const furnished = await home();
    await furnished.courier("addresses remove me --yes");
    expect(await draftOf(furnished, ["--receiver", "@li"])).not.toContain("sender");
  });
});

describe("a text", () => {
  const words = [
    ...create,
    "--sender-text",
    "张三 13800138000 深圳市",
    "--receiver-name",
    "B",
    "--item-name",
    "C",
  ];

  test("is shown on stderr as it was understood, and used with --yes", async () => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier([...words, "--yes"]);
    expect(exit).toBe(0);
    expect(stdout).not.toContain("understood");
    expect(stderr).toContain("the sender was understood as:\n");
    const { sender } = JSON.parse(sentBodies(home)[0] ?? "");
    for (const [name, value] of Object.entries(sender))
      expect(stderr).toMatch(new RegExp(`^ +${name}:? +${String(value)}$`, "m"));
  });

  test("is not used where nobody can agree", async () => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier(words);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain("hint: add --yes to accept it");
    expect(home.sandbox.requests).toEqual([]);
  });

  test("needs nobody's word for --dry-run, which sends nothing", async () => {
    const { courier } = await createHome();
    const text = "李四 13900139000 上海市浦东新区世纪大道1号";
    const words = ["orders", "create", "--receiver-text", text, "--dry-run", "--json"];
    const { exit, stdout } = await courier(words);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout).receiver).toEqual({
      name: "李四",
      phone: "13900139000",
      province: "上海市",
      city: "上海市",
      district: "浦东新区",
      detail: "世纪大道1号",
    });
  });

  test("is asked about at a terminal; a no leads to its fields, with what was understood", async () => {
    const home = await createServedHome();
    const person = personWho(["Use …", false], ["Sender name", "李四"], ["Sender phone", ctrlC]);
    expect((await home.courier(words, { terminal: 80, prompts: person })).exit).toBe(130);
    expect(person.left).toEqual([]);
    const agreeing = personWho(["Use …", true], ["Receiver phone", ctrlC]);
    expect((await home.courier(words, { terminal: 80, prompts: agreeing })).exit).toBe(130);
    expect(agreeing.left).toEqual([]);
    expect(home.sandbox.requests).toEqual([]);
  });
});

describe("what cannot be: exit 2, nothing is asked or sent", () => {
  test.each([
    [["--file", "a.json", "--template", "weekly"], "--file and --template exclude each other", "choose one"],
    [["--template", "weekly", "--repeat"], "--template and --repeat exclude each other", "choose one"],
    [
      ["--file", "-", "--template", "x", "--repeat"],
      "--file and --template and --repeat exclude",
      "choose one",
    ],
    [["--sender", "@shop", "--sender-text", "x"], "--sender and --sender-text exclude each other", ""],
    [["--receiver", "@li", "--receiver-text", "x"], "--receiver and --receiver-text exclude each other", ""],
    [["--sender", "@shp"], "the address book has no @shp", "did you mean @shop?"],
    [
      ["--receiver", "@nobody"],
      "the address book has no @nobody",
      "save it: courier addresses add nobody; see what it has: courier addresses list",
    ],
    [["--receiver", "@__proto__"], "not a usable name for an address: @__proto__", ""],
    [["--receiver", "@constructor"], "the address book has no @constructor", ""],
    [["--sender", "shop"], "--sender takes a name from the address book such as @shop", "--sender-name"],
    [["--sender", "@"], "not a usable name for an address: @", "use up to 64 letters"],
    [["--template", "wekly"], "there is no template named wekly", "did you mean weekly?"],
    [["--template", "monthly report"], "there is no template named monthly report", "templates: weekly"],
    [["--template", "constructor"], "there is no template named constructor", ""],
    [["--repeat", "--account", "sandbox"], "with the account sandbox yet, so none can be repeated", ""],
    [["--file", "none.json"], "cannot read none.json: there is no such file", ""],
    [["--file", ""], "the name of a file to read is empty", "is a shell variable not set?"],
    [["--save-template", "a b"], "not a usable name", ""],
  ])("%j", async (words, message, hint) => {
    const home = await furnishedHome();
    const person = personWho();
    const { exit, stdout, stderr } = await home.courier([...create, ...words], {
      terminal: 80,
      prompts: person,
    });
    expect({ exit, stdout, asked: person.asked }).toEqual({ exit: 2, stdout: "", asked: [] });
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });

  test("with no template saved, the way to make one is said", async () => {
    const { stderr } = await (await createHome()).courier("orders create --template weekly");
    expect(stderr).toContain("none yet; to make one: courier orders create --save-template NAME");
  });
});

describe("--like", () => {
  async function homeWithOrder() {
    const home = await createServedHome({ seedOrders: 3 });
    const words = [...create, ...parties, "--receiver-detail", "世纪大道 100 号", "--item-name", "书"];
    const { stdout } = await home.courier([
      ...words,
      "--item-weight",
      "2.50",
      "--ref",
      "A-17",
      "--yes",
      "--json",
    ]);
    return { home, order: JSON.parse(stdout) as { id: number; order_no: string } };
  }

  test("an order of this machine is repeated as it was sent: a ref without a call, others are read", async () => {
    const { home, order } = await homeWithOrder();
    const before = home.sandbox.requests.length;
    for (const name of [String(order.id), order.order_no, "ref:A-17"])
      expect(await draftOf(home, ["--like", name, "--item-quantity", "2"])).toBe(
        '{"sender":{"name":"店"},"receiver":{"name":"李明","phone":"13900004466","detail":"世纪大道 100 号"},' +
          '"item":{"name":"书","weight":2.50,"quantity":2}}',
      );
    const read = home.sandbox.requests.slice(before).map(({ method, path }) => `${method} ${path}`);
    const call = `GET /api/v1/orders/${order.id}`;
    expect(read).toEqual([call, call]);
  });

  test("an order that the service does not show now is repeated as it was sent, and a warning says so", async () => {
    const { home, order } = await homeWithOrder();
    home.sandbox.faults.set([{ method: "GET", kind: "refuse", status: 503, code: "BUSY", message: "later" }]);
    const { exit, stdout, stderr } = await home.courier([...shown, "--like", order.order_no]);
    expect(exit, stderr).toBe(0);
    expect(JSON.parse(stdout).receiver.name).toBe("李明");
    expect(stderr).toContain(`warning: order ${order.id} was not compared with the service: `);
  });

  test("of another order the address is split, and shown", async () => {
    const { home } = await homeWithOrder();
    const { stdout, stderr, exit } = await home.courier([...shown, "--like", "1"]);
    expect(exit).toBe(0);
    const { receiver, item } = JSON.parse(stdout);
    expect(receiver).toMatchObject({ name: expect.any(String), phone: expect.any(String) });
    expect(item).toMatchObject({ name: expect.any(String) });
    expect(stderr).toContain("the receiver was understood as:");
  });

  describe("of an order that was corrected at the service since this machine read it", () => {
    const place = { province: "上海市", city: "上海市", district: "浦东新区", detail: "世纪大道1号" };
    const corrected = { name: "赵六", phone: "13800138000", ...place };
    const old = { name: "王伟", phone: "13900139000", city: "深圳市", detail: "科技园路1号" };
    const homeWithCorrected = async () => {
      const home = await createUnfaithfulHome();
      home.service.foreign({ sender: { name: "店" }, receiver: old, item: { name: "书" } });
      expect((await home.courier("sync --fetch-details 1")).exit).toBe(0);
      home.service.ways = { rewrite: (order) => ({ ...order, receiver: corrected }) };
      home.clock.advance(3_900_000);
      return home;
    };

    test.each(["--version", "sync"])("the whole receiver is the one of now: after %s", async (words) => {
      const home = await homeWithCorrected();
      expect((await home.courier(words)).exit).toBe(0);
      expect((await home.courier([...create, "--like", "1", "--yes"])).exit).toBe(0);
      expect(home.service.orders.at(-1)?.body.receiver).toEqual(corrected);
    });

    test("and is no longer shown, the whole receiver is the one of the last reading, and a warning says so", async () => {
      const home = await homeWithCorrected();
      expect((await home.courier("sync")).exit).toBe(0);
      home.service.ways = { detailLagMs: 86_400_000 };
      const { exit, stdout, stderr } = await home.courier([...shown, "--like", "1"]);
      expect(exit, stderr).toBe(0);
      expect(JSON.parse(stdout).receiver).toEqual(old);
      expect(stderr).toContain(
        "warning: the service no longer shows order 1: it is taken as it was shown 1 h ago\n",
      );
    });

    test("one that was never read and is no longer shown is no order to start from", async () => {
      const home = await createUnfaithfulHome({ detailLagMs: 86_400_000 });
      home.service.foreign({ sender: { name: "店" }, receiver: old, item: { name: "书" } });
      expect((await home.courier("sync")).exit).toBe(0);
      expect((await home.courier([...shown, "--like", "1"])).exit).toBe(1);
    });
  });

  describe("of an order that this machine did not send", () => {
    const homeThatShows = async (receiver: object) => {
      const home = await createServedHome();
      const order = { id: 7, receiver, sender: { name: "店" }, item: { name: "书" } };
      answerData(home, "GET /api/v1/orders/7", JSON.stringify(order));
      return home;
    };
    const sentLike = async (party: object) => {
      const home = await homeThatShows(party);
      const { exit, stderr } = await home.courier([...create, "--like", "7", "--yes"]);
      expect({ exit, stderr }).toMatchObject({ exit: 0 });
      return { receiver: JSON.parse(sentBodies(home)[0] ?? "").receiver, stderr };
    };
    const address = "广东省深圳市南山区科技园路1号";

    test("a phone that the service hides is asked for, and not sent", async () => {
      const home = await homeThatShows({ name: "李明", phone: "139****4466", address });
      const ran = await home.courier([...create, "--like", "7", "--yes"]);
      expect(ran.exit).toBe(2);
      expect(ran.stderr).toContain("receiver.phone “139****4466” is only a part of the phone");
      expect(ran.stderr).toContain("hint: give it with --receiver-phone");
      const given = [...create, "--like", "7", "--receiver-phone", "13900004466", "--yes"];
      expect((await home.courier(given)).exit).toBe(0);
      expect(sentBodies(home).map((body) => JSON.parse(body).receiver.phone)).toEqual(["13900004466"]);
    });

    test("nor is one sent from a file, a flag or the address book", async () => {
      const home = await createServedHome();
      const whole =
        '{"sender":{"name":"店"},"receiver":{"name":"李明","phone":"1390000＊466"},"item":{"name":"书"}}';
      const fromFile = await home.courier([...create, "--file", "-", "--yes"], { stdin: whole });
      expect(fromFile.exit).toBe(2);
      expect(fromFile.stderr).toContain("receiver.phone in stdin “1390000＊466” is only a part of the phone");
      const flags = [...parties, "--receiver-phone", "139****4466"];
      const fromFlag = await home.courier([...create, ...flags, "--item-name", "书", "--yes"]);
      expect(fromFlag.exit).toBe(2);
      expect(fromFlag.stderr).toContain("--receiver-phone “139****4466” is only a part of the phone");
      const added = await home.courier("addresses add li --name 李明 --phone 139****4466");
      expect(added.exit).toBe(2);
      expect(added.stderr).toContain("is only a part of the phone");
      expect(sentBodies(home)).toEqual([]);
    });

    const cutBy = (dots: string) => ({ name: "李明", phone: "13900004466", address: `深圳市科技${dots}` });

    test.each([
      ["phone", { name: "李明", phone: "139••••4466", address }, "--receiver-phone", "13900004466"],
      ["name", { name: "李*", phone: "13900004466", address }, "--receiver-name", "李*"],
      [
        "street address",
        { name: "李明", phone: "13900004466", address: "深圳市科技园路×××" },
        "--receiver-detail",
        "科技园路1号",
      ],
      ["street address", cutBy("..."), "--receiver-detail", "科技园路1号"],
      ["street address", cutBy("．．．"), "--receiver-detail", "科技园路1号"],
      ["street address", cutBy("‥"), "--receiver-detail", "科技园路1号"],
    ])("a %s that it hides is not sent, unless it is given", async (label, receiver, flag, value) => {
      const home = await homeThatShows(receiver);
      const words = [...create, "--like", "7", "--yes"];
      const { exit, stderr } = await home.courier(words);
      expect({ exit, bodies: sentBodies(home) }).toEqual({ exit: 2, bodies: [] });
      expect(stderr).toContain(
        `is only a part of the ${label}: the rest is hidden\nhint: give it with ${flag}\n`,
      );
      expect((await home.courier([...words, flag, value])).exit).toBe(0);
      expect(sentBodies(home)[0]).toContain(value);
    });

    test.each(["手**", "手…", "手*", "手..."])(
      "goods shown as %s are not sent by a script, unless they are given",
      async (name) => {
        const home = await createServedHome();
        const receiver = { name: "李明", phone: "13900004466", address };
        const order = { id: 7, receiver, sender: { name: "店" }, item: { name } };
        answerData(home, "GET /api/v1/orders/7", JSON.stringify(order));
        const words = [...create, "--like", "7", "--yes"];
        const { exit, stderr } = await home.courier(words);
        expect({ exit, bodies: sentBodies(home) }, stderr).toEqual({ exit: 2, bodies: [] });
        expect(stderr).toContain(
          `item.name “${name}” may be only a part of the goods' name: the rest looks hidden\nhint: give it with --item-name\n`,
        );
        expect((await home.courier([...words, "--item-name", name])).exit).toBe(0);
      },
    );

    test.each([{}, { address: null }, { address: "" }, { address: "北京市" }])(
      "a street address that it leaves out is not sent without one: %j",
      async (left) => {
        const home = await homeThatShows({ name: "李明", phone: "13900004466", ...left });
        const words = [...create, "--like", "7", "--yes"];
        const { exit, stderr } = await home.courier(words);
        expect({ exit, bodies: sentBodies(home) }, stderr).toEqual({ exit: 2, bodies: [] });
        expect(stderr).toContain(
          "receiver.detail is not shown by the service\nhint: give it with --receiver-detail\n",
        );
        expect((await home.courier([...words, "--receiver-detail", "科技园路1号"])).exit).toBe(0);
        const person = personWho(
          ...(left.address ? [["Use …", true] as Step] : []),
          ["Receiver street address", "科技园路2号"],
          ["What now?", "Send this order"],
          ["Save 店 …", false],
          ["Save 李明 …", false],
        );
        const typed = await home.courier([...create, "--like", "7"], { terminal: 80, prompts: person });
        expect(typed.exit, typed.stderr).toBe(0);
        expect(typed.stderr).toContain("The service does not show the receiver's street address\n");
        const sent = sentBodies(home).map((body) => JSON.parse(body).receiver.detail);
        expect(sent).toEqual(["科技园路1号", "科技园路2号"]);
      },
    );

    test.each([
      ["receiver.phone", { receiver: { name: "李明", address } }, "--receiver-phone", "13900004466"],
      ["receiver.name", { receiver: { phone: "13900004466", address } }, "--receiver-name", "李明"],
      ["item.name", { item: { quantity: 1 } }, "--item-name", "书"],
    ])("a %s that it leaves out is not sent without one by a script", async (field, left, flag, value) => {
      const home = await createServedHome();
      const receiver = { name: "李明", phone: "13900004466", address };
      const order = { id: 7, receiver, sender: { name: "店" }, item: { name: "书" }, ...left };
      answerData(home, "GET /api/v1/orders/7", JSON.stringify(order));
      const words = [...create, "--like", "7", "--yes"];
      const { exit, stderr } = await home.courier(words);
      expect({ exit, bodies: sentBodies(home) }, stderr).toEqual({ exit: 2, bodies: [] });
      expect(stderr).toContain(`${field} is not shown by the service\nhint: give it with ${flag}\n`);
      expect((await home.courier([...words, flag, value])).exit).toBe(0);
    });

    test("a name and an address that it hides are asked for at a terminal, and nothing else", async () => {
      const home = await homeThatShows({ name: "李*", phone: "13900004466", address: "深圳市科技园路***" });
      const person = personWho(
        ["Use …", true],
        ["Receiver name", "李明"],
        ["Receiver street address", "科技园路1号"],
        ["What now?", "Send this order"],
        ["Save 店 …", false],
        ["Save 李明 …", false],
      );
      const ran = await home.courier([...create, "--like", "7"], { terminal: 80, prompts: person });
      expect(ran).toMatchObject({ exit: 0 });
      expect(ran.stderr).toContain("The service shows only a part of the receiver's name: 李*");
      expect(JSON.parse(sentBodies(home)[0] ?? "").receiver).toEqual({
        name: "李明",
        phone: "13900004466",
        city: "深圳市",
        detail: "科技园路1号",
      });
    });

    test("a name with such a character is sent as it was typed", async () => {
      const home = await createServedHome();
      const words = [
        ...create,
        "--sender-name",
        "A×B",
        "--receiver-name",
        "李*",
        "--item-name",
        "书",
        "--yes",
      ];
      const { stdout } = await home.courier([...words, "--json"]);
      home.clock.advance(3_600_000);
      expect((await home.courier([...create, "--like", `${JSON.parse(stdout).id}`, "--yes"])).exit).toBe(0);
      expect(sentBodies(home).map((body) => JSON.parse(body).receiver.name)).toEqual(["李*", "李*"]);
    });

    const phone: Step = ["Receiver phone", "13900004466"];
    const others = ["province", "city", "district", "street"];
    test.each<[address: string, isRight: boolean, asked: readonly Step[]]>([
      ["right", true, [phone]],
      [
        "wrong",
        false,
        [["Receiver name", enter], phone, ...others.map((n): Step => [`Receiver ${n}…`, enter])],
      ],
    ])(
      "at a terminal a hidden phone is asked for, and where the address is %s",
      async (_, isRight, asked) => {
        const home = await homeThatShows({ name: "李明", phone: "139****4466", address });
        const review: readonly Step[] = [
          ["What now?", "Send this order"],
          ["Save 店 …", false],
          ["Save 李明 …", false],
        ];
        const person = personWho(["Use …", isRight], ...asked, ...review);
        const ran = await home.courier([...create, "--like", "7"], { terminal: 80, prompts: person });
        expect(ran).toMatchObject({ exit: 0 });
        expect(ran.stderr).toContain("The service shows only a part of the receiver's phone: 139****4466");
        expect(JSON.parse(sentBodies(home)[0] ?? "").receiver).toMatchObject({
          name: "李明",
          phone: "13900004466",
        });
      },
    );

    test.each([
      "深圳科技有限公司",
      "Li 李",
      "李四（前台）",
      "王小明 收",
      "Maria Lopez",
      "O'Brien",
      "Shop 24",
      "店长",
      "北京路便利店",
    ])("the name %s stays as the service shows it", async (name) => {
      const { receiver } = await sentLike({ name, phone: "13900139001", address });
      expect(receiver).toEqual({
        name,
        phone: "13900139001",
        province: "广东省",
        city: "深圳市",
        district: "南山区",
        detail: "科技园路1号",
      });
    });

    test.each(["0755-26650000 转 8", "+44 20 7946 0958", "(0755) 2665 0000"])(
      "the phone %s stays as the service shows it",
      async (phone) => {
        const home = await homeThatShows({ name: "李四", phone, address });
        const { receiver } = JSON.parse(await draftOf(home, ["--like", "7"]));
        expect(receiver).toMatchObject({ name: "李四", phone, detail: "科技园路1号" });
      },
    );

    test.each([
      ["李四路12号 13800138000", { detail: "李四路12号 13800138000" }],
      ["12 High Street, London W1U 3BW", { detail: "12 High Street, London W1U 3BW" }],
      [
        "北京市朝阳区建国路88号（王五代收） 518000 -",
        {
          province: "北京市",
          city: "北京市",
          district: "朝阳区",
          detail: "建国路88号（王五代收） 518000 -",
        },
      ],
      [
        "广东省 深圳市，南山区-101，收货人：张三。",
        { province: "广东省", city: "深圳市", district: "南山区", detail: "-101，收货人：张三。" },
      ],
    ])("the address %s is split into places and all that is left", async (written, parts) => {
      const { receiver, stderr } = await sentLike({ name: "李四", phone: "13900139001", address: written });
      expect(receiver).toEqual({ name: "李四", phone: "13900139001", ...parts });
      expect(stderr).toContain(`  detail: ${parts.detail}\n`);
    });

    test("a sender without a name is warned of", async () => {
      const home = await createServedHome();
      const receiver = { name: "李明", phone: "13900004466", address };
      const order = { id: 7, receiver, sender: { phone: "13900139001", address }, item: { name: "书" } };
      answerData(home, "GET /api/v1/orders/7", JSON.stringify(order));
      const { exit, stderr } = await home.courier([...create, "--like", "7", "--yes"]);
      expect(exit, stderr).toBe(0);
      expect(JSON.parse(sentBodies(home)[0] ?? "").sender).not.toHaveProperty("name");
      expect(stderr).toContain("warning: the sender has no name\n");
    });
  });

  test("without --yes a script is told that an address needs a confirmation, and an unknown order is exit 1", async () => {
    const { home } = await homeWithOrder();
    expect(await home.courier([...create, "--like", "1"])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("cannot ask you to confirm"),
    });
    expect((await home.courier([...create, "--like", "99999"])).exit).toBe(1);
    const both = await home.courier([...create, "--like", "1", "--repeat"]);
    expect(both.stderr).toContain("--repeat and --like exclude each other");
  });

  test("the same ref and the same order are still asked about: nothing is sent twice unasked", async () => {
    const { home, order } = await homeWithOrder();
    const again = await home.courier([...create, "--like", String(order.id), "--yes"]);
    expect(again).toMatchObject({ exit: 2, stdout: "" });
    expect(again.stderr).toContain("--allow-duplicate");
  });
});

describe("a text without a name", () => {
  const words = ["orders", "create", "--sender-name", "A", "--item-name", "书"];
  const text = ["--receiver-text", "13900139000 北京市朝阳区建国路88号"];

  test("of very many letters is refused in a moment", async () => {
    const home = await createServedHome();
    const long = ["--receiver-text", "a".repeat(400_000)];
    const { exit, stderr } = await home.courier([...words, ...long, "--yes"]);
    expect(exit).toBe(2);
    expect(stderr).toContain("error: no name was found in the text of the receiver\n");
  });

  test("is not sent with --yes, unless a flag names the receiver", async () => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier([...words, ...text, "--yes"]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(
      "error: no name was found in the text of the receiver\nhint: give it with --receiver-name, or put it first in the text\n",
    );
    expect(home.sandbox.requests).toEqual([]);
    expect((await home.courier([...words, ...text, "--receiver-name", "李四", "--yes"])).exit).toBe(0);
  });

  test("is warned of where it is only shown", async () => {
    const home = await createServedHome();
    const { exit, stderr } = await home.courier([...words, ...text, "--dry-run"]);
    expect(exit).toBe(0);
    expect(stderr).toContain("warning: no name was found in the text of the receiver\n");
  });
});

describe("a text that may be of two people", () => {
  const words = ["orders", "create", "--sender-name", "A", "--item-name", "书", "--receiver-text"];
  const li = "李四 13900139000 北京市朝阳区建国路88号";
  const landline = `${li} 010-62881234`;
  const uncertain = "the telephone number in the text of the receiver is not certain\n";
  const ofTwo = "the text of the receiver names both a receiver and a sender\n";
  const ofTwoPlaces = "the text of the receiver names two places\n";

  test.each([
    ["labels of both", `收件人：${li}\n寄件人：张三 13800138000 广东省深圳市`, ofTwo],
    ["labels of both and one number", "收：李四 北京市建国路88号\n寄：张三 13800138000", ofTwo],
    ["two numbers", `${li}\n张三 13800138000 广东省深圳市`, uncertain],
    ["a mobile and a landline", landline, uncertain],
    ["a number that is hidden in part", "李四 139****9000 北京市朝阳区", uncertain],
    ["two places", "李四 13900139000 三河市燕郊镇 北京市通州区对面3号", ofTwoPlaces],
    ["a landmark in front", "北京市朝阳区法院 李四 13900139000 河北省廊坊市三河市1号", ofTwoPlaces],
  ])("is not sent with --yes: %s", async (_what, text, said) => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier([...words, text, "--yes"]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`error: ${said}`);
    expect(home.sandbox.requests).toEqual([]);
  });

  test.each([
    ["whose number a flag gives", landline, ["--receiver-phone", "13900139000"]],
    ["with one extension", "李四 13900139000-1234 北京市朝阳区建国路88号", []],
    ["with labels of one person", `寄往：北京市 收件人：${li.slice(0, 14)} 邮寄地址：朝阳区建国路88号`, []],
  ])("is sent %s", async (_what, text, flags) => {
    const home = await createServedHome();
    const ran = await home.courier([...words, text, ...flags, "--yes"]);
    expect(ran.exit, ran.stderr).toBe(0);
  });

  test("is warned of at a terminal, where a person sees its parts and agrees", async () => {
    const home = await createServedHome();
    const prompts = personWho(
      ["Use 李四 13900139000 北京市 朝阳区?", true],
      ["What now?", "Quit without sending"],
    );
    const { stderr } = await home.courier([...words, landline], { terminal: 80, prompts });
    expect(stderr).toContain(uncertain);
    expect(prompts.left).toEqual([]);
  });
});

test("a room before the phone in a text is no part of the phone", async () => {
  const home = await createServedHome();
  const words = ["orders", "create", "--sender-name", "A", "--item-name", "书", "--yes", "--receiver-text"];
  const ran = await home.courier([...words, "张三 深圳市南山区科技园1号楼1801 138 0013 8000"]);
  expect(ran.exit, ran.stderr).toBe(0);
  expect(sentBodies(home).map((body) => JSON.parse(body).receiver)).toMatchObject([
    { phone: "138 0013 8000", detail: "科技园1号楼1801" },
  ]);
});

describe("a text that is split by its lines and commas", () => {
  test("gives name, street and city, and shows what no field holds", async () => {
    const home = await createServedHome();
    const text = "nick: jm77\nJane Miller\n12 High Street\nLondon W1U 3BW\n+44 20 7946 0958";
    const words = ["orders", "create", "--sender-name", "A", "--item-name", "B", "--receiver-text", text];
    const { stdout, stderr } = await home.courier([...words, "--dry-run", "--json"]);
    expect(JSON.parse(stdout).receiver).toEqual({
      name: "Jane Miller",
      phone: "+44 20 7946 0958",
      city: "London W1U 3BW",
      detail: "12 High Street",
    });
    expect(stderr).toContain("  left out: nick: jm77\n");
  });
});
