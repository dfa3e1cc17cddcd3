/** `orders create --ref`: the same ref is the same order, as in an import, whichever command sent it. */

import { describe, expect, test } from "vitest";
import { answerData, requestCount } from "../support/answers.ts";
import { createServedHome, type RunOptions, type ServedHome } from "../support/courier.ts";
import { createImportHome, errorOf, lostForNow, row, sheet } from "../support/imports.ts";
import { readRuns } from "../support/ledger.ts";
import { plainDraft } from "../support/orders.ts";
import { until } from "../support/process.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

const post = { method: "POST", path: "/api/v1/orders" } as const;

function create(
  home: ServedHome,
  ref: string,
  words = "",
  draft: object = plainDraft,
  options: RunOptions = {},
) {
  const line = `orders create --file - --json --ref ${ref} ${words}`;
  return home.courier(line, { stdin: JSON.stringify(draft), ...options });
}

const other = { ...plainDraft, receiver: { ...plainDraft.receiver, detail: "建国路89号" } };

describe("the same ref again", () => {
  test("with the same content is the same order: exit 0, and nothing is sent, however late", async () => {
    const home = await createServedHome();
    const first = await create(home, "A-1");
    expect(first.exit).toBe(0);
    expect((await readRuns(home))[0]?.operations[0]).toMatchObject({ state: "created", ref: "A-1" });
    for (const words of ["", "--allow-duplicate"]) {
      home.clock.advance(7 * 86_400_000);
      const again = await create(home, "A-1", words);
      expect(again.exit, again.stderr).toBe(0);
      const { id, order_no, tracking_number } = JSON.parse(first.stdout);
      expect(JSON.parse(again.stdout)).toMatchObject({ id, order_no, tracking_number });
      expect(again.stderr).toContain(
        "already shipped: the order with the ref A-1 is 1000001; nothing was sent\n",
      );
    }
    expect(requestCount(home, "POST")).toBe(1);
  });

  test("for people, it is not called created", async () => {
    const home = await createServedHome();
    await create(home, "A-1");
    const words = "orders create --file - --ref A-1";
    const { stdout } = await home.courier(words, { stdin: JSON.stringify(plainDraft) });
    expect(stdout).toMatch(/^Already shipped\nOrder +1000001\n/);
  });

  test("with other content is an error that names the fields: exit 2", async () => {
    const home = await createServedHome();
    await create(home, "A-1");
    for (const words of ["", "--allow-duplicate"]) {
      const { exit, stdout, stderr } = await create(home, "A-1", words, other);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
      expect(errorOf({ stderr })).toMatchObject({
        code: "changed",
        message:
          "the order with the ref A-1, 1000001, was sent with another receiver.detail; nothing was sent",
        hint: "give a new order a ref of its own",
      });
    }
    expect(requestCount(home, "POST")).toBe(1);
  });

  test("of an order that was cancelled is sent with --allow-duplicate only", async () => {
    const home = await createServedHome();
    await create(home, "A-1");
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    const { exit, stderr } = await create(home, "A-1");
    expect(exit).toBe(2);
    expect(errorOf({ stderr })).toMatchObject({
      code: "duplicate",
      message: "the order with the ref A-1, 1000001, was cancelled; nothing was sent",
      hint: "to ship it again, add --allow-duplicate",
    });
    expect(requestCount(home, "POST")).toBe(1);
    const sent = await create(home, "A-1", "--allow-duplicate");
    expect([sent.exit, JSON.parse(sent.stdout).id]).toEqual([0, 1000002]);
    expect(JSON.parse((await create(home, "A-1", "--allow-duplicate")).stdout).id).toBe(1000002);
    expect(requestCount(home, "POST")).toBe(2);
  });

  test("of an order that was cancelled elsewhere is no shipped one", async () => {
    const home = await createServedHome();
    await create(home, "A-1");
    home.sandbox.faults.clear();
    await fetch(`${home.sandbox.baseUrl}/api/v1/orders/1000001`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${home.sandbox.apiKey}` },
    });
    const { exit, stderr } = await create(home, "A-1");
    expect(exit).toBe(2);
    expect(errorOf({ stderr }).message).toContain("was cancelled; nothing was sent");
  });

  test("after a refusal sends it", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([
      { ...post, kind: "refuse", status: 400, code: "INVALID_PARAMETER", message: "no", times: 1 },
    ]);
    expect((await create(home, "A-1")).exit).toBe(1);
    expect((await create(home, "A-1")).exit).toBe(0);
    expect(requestCount(home, "POST")).toBe(2);
  });

  test("while it is in doubt: found, it is shipped; until then exit 2 says why", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([
      { ...post, kind: "drop_after", times: 1 },
      { method: "GET", path: "/api/v1/orders", kind: "status", status: 503 },
    ]);
    expect((await create(home, "A-1")).exit).toBe(6);
    const early = await create(home, "A-1");
    expect(early.exit).toBe(2);
    expect(errorOf(early)).toMatchObject({
      code: "duplicate",
      message: expect.stringMatching(
        /may or may not have been created; nothing was sent; the check failed: /,
      ),
    });
    home.sandbox.faults.clear();
    const found = await create(home, "A-1");
    expect(found.exit, found.stderr).toBe(0);
    expect(JSON.parse(found.stdout).id).toBe(1000001);
    expect(requestCount(home, "POST")).toBe(1);
  });

  test.each(["", "--allow-duplicate"])("at once from eight processes makes one order %s", async (words) => {
    const home = await createServedHome();
    const ran = await Promise.all(Array.from({ length: 8 }, () => create(home, "A-1", words)));
    for (const { stderr, exit } of ran)
      if (exit === 2) expect(errorOf({ stderr }).hint).not.toContain("--allow-duplicate");
    for (const { exit } of ran) expect([0, 2]).toContain(exit);
    expect(requestCount(home, "POST")).toBe(1);
  });

  test("while the first one is being sent is not sent with --allow-duplicate either", async () => {
    const home = await createServedHome();
    await create(home, "B-1"); // the customer is known from here on
    home.sandbox.faults.add({ kind: "stall", method: "POST", times: 1 });
    const running = [create(home, "A-1"), create(home, "A-1", "--allow-duplicate")];
    const second = await Promise.race(running);
    expect([second.exit, errorOf(second).code]).toEqual([2, "duplicate"]);
    home.clock.advance(31_000);
    await Promise.all(running);
    expect(requestCount(home, "POST")).toBe(2);
  });
});

describe("another ref", () => {
  test("is another order, of the same content, too", async () => {
    const home = await createServedHome();
    expect([(await create(home, "A-1")).exit, (await create(home, "A-2")).exit]).toEqual([0, 0]);
    expect(requestCount(home, "POST")).toBe(2);
  });

  test("is not sent while an equal order is in doubt, whatever the flag", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set(lostForNow("drop_before"));
    expect((await create(home, "A-1")).exit).toBe(6);
    home.sandbox.faults.clear();
    for (const words of ["", "--allow-duplicate"]) {
      const again = await create(home, "B-2", words);
      expect([again.exit, errorOf(again).code], words).toEqual([2, "duplicate"]);
      expect(errorOf(again).message).toMatch(
        /^the same order was sent .* with the ref A-1, and may or may not have been created; nothing was sent/,
      );
    }
    // Repeated without the ref, the order of the ref would be another one.
    const bare = await home.courier("orders create --repeat --yes --json");
    expect(errorOf(bare).hint).toMatch(/^if it is that order, add --ref A-1; if not: .*--like 1\.1 /);
    expect(requestCount(home, "POST")).toBe(1);
    expect((await home.courier("orders resolve 1.1 --not-created --yes")).exit).toBe(0);
    expect((await create(home, "B-2")).exit).toBe(0);
  });

  test("is sent once a doubt was settled, and the first answer told of it", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect((await create(home, "A-1")).exit).toBe(6);
    home.sandbox.faults.clear();
    const first = await create(home, "B-2");
    expect([first.exit, errorOf(first).message]).toEqual([2, expect.stringContaining("in doubt until now")]);
    expect((await create(home, "B-2")).exit).toBe(0);
    expect(requestCount(home, "POST")).toBe(2);
  });

  test("is not called standing where the order that was found has been cancelled", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect((await create(home, "A-1")).exit).toBe(6);
    home.sandbox.faults.clear();
    const env = { COURIER_STATE_DIR: `${home.directory}/another machine` };
    expect((await home.courier("orders cancel 1000001 --yes", { env })).exit).toBe(0);
    const first = await create(home, "B-2");
    expect([first.exit, errorOf(first).message]).toEqual([
      2,
      expect.stringContaining(
        "as 1000001, and was cancelled since; nothing was sent: it was in doubt until now",
      ),
    ]);
  });

  test("is sent while another process sends an equal order", async () => {
    const home = await createServedHome();
    await create(home, "C-1"); // the customer is known from here on
    home.sandbox.faults.add({ kind: "stall", method: "POST", times: 1 });
    const running = create(home, "A-1");
    await until("A-1 is sent", () => requestCount(home, "POST") === 2);
    const ran = await create(home, "B-2");
    expect(ran.exit, ran.stderr).toBe(0);
    home.clock.advance(31_000);
    await running;
  });

  test("of an order that was just sent without one is a duplicate", async () => {
    const home = await createServedHome();
    const stdin = JSON.stringify(plainDraft);
    expect((await home.courier("orders create --file - --json", { stdin })).exit).toBe(0);
    const { exit, stderr } = await create(home, "A-1");
    expect(exit).toBe(2);
    expect(errorOf({ stderr }).code).toBe("duplicate");
    expect((await create(home, "A-1", "--allow-duplicate")).exit).toBe(0);
  });
});

test("--ref with the ref: of other commands is refused: it would be another order", async () => {
  const home = await createServedHome();
  expect((await create(home, "A-1")).exit).toBe(0);
  const again = await create(home, "ref:A-1");
  expect([again.exit, requestCount(home, "POST")], again.stderr).toEqual([2, 1]);
  expect(errorOf(again)).toMatchObject({
    message: "--ref takes a ref alone, without “ref:”",
    hint: expect.stringContaining("give --ref A-1"),
  });
});

describe("an import and a create know each other's refs", () => {
  const words =
    "orders create --sender-name 张三 --sender-phone 13800138000 --receiver-name 李四 --receiver-phone 13900139000 " +
    "--receiver-city 北京市 --receiver-detail 建国路88号 --item-name 茶叶 --item-weight 1.5 --item-quantity 1 --json";

  test("created, then imported: shipped", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    const created = await home.courier(`${words} --ref A-1`);
    expect(created.exit, created.stderr).toBe(0);
    const { exit, report } = await home.run();
    expect([exit, report[0]?.outcome, report[0]?.id, home.posts]).toEqual([0, "shipped", 1000001, 1]);
  });

  test("imported, then created: shipped", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    expect((await home.run()).exit).toBe(0);
    const { exit, stdout } = await home.courier(`${words} --ref A-1`);
    expect([exit, JSON.parse(stdout).id, home.posts]).toEqual([0, 1000001, 1]);
  });

  test.each([
    ["000001", "1"],
    ["1", "000001"],
    ["1", "1.0"],
    ["1.10", "1.1"],
    ["3/4", "46085"],
  ])(
    "the ref %s, which a program may have written as %s, names no second order, however late",
    async (one, other) => {
      const imported = await createImportHome(sheet(row(one)));
      expect((await imported.run()).exit).toBe(0);
      imported.clock.advance(30 * 86_400_000);
      const created = await imported.courier(`${words} --ref ${other}`);
      expect([created.exit, imported.posts], created.stderr).toEqual([2, 1]);
      expect(errorOf(created)).toMatchObject({
        code: "duplicate",
        message: `the same order was sent 30 d ago with the ref ${one}, as 1000001; nothing was sent`,
        hint: expect.stringContaining("--allow-duplicate"),
      });
      const allowed = await imported.courier(`${words} --ref ${other} --allow-duplicate`);
      expect([allowed.exit, imported.posts], allowed.stderr).toEqual([0, 2]);
      const again = await imported.courier(`${words} --ref ${other}`);
      expect([again.exit, JSON.parse(again.stdout).id, imported.posts], again.stderr).toEqual([
        0, 1000002, 2,
      ]);
    },
  );

  test("a rewritten ref with other content is another order, and so is one whose order was cancelled", async () => {
    const home = await createImportHome(
      sheet(row("01", "王五").replace("建国路88号", "古翠路9号"), row("02")),
    );
    expect((await home.run()).exit).toBe(0);
    expect((await home.courier(`${words} --ref 1`)).exit).toBe(0);
    expect((await home.courier("orders cancel 1000002 1000003 --yes")).exit).toBe(0);
    const { exit, stderr } = await home.courier(`${words} --ref 2`);
    expect([exit, home.posts], stderr).toEqual([0, 4]);
  });

  test("an order for the same receiver with a rewritten ref holds it, whatever the goods are", async () => {
    const home = await createImportHome(sheet(row("111")));
    expect((await home.run()).exit).toBe(0);
    await home.put(sheet(row("00111").replace("茶叶", "绿茶")));
    expect((await home.run()).report[0]?.outcome).toBe("held");
    const other = words.replace("茶叶", "绿茶");
    const created = await home.courier(`${other} --ref 00111`);
    expect([created.exit, home.posts], created.stderr).toEqual([2, 1]);
    expect(errorOf(created)).toMatchObject({
      code: "duplicate",
      message: "another order (李四, 茶叶) was sent just now with the ref 111, as 1000001; nothing was sent",
      hint: "if this is not that order, corrected, add --allow-duplicate",
    });
    const allowed = await home.courier(`${other} --ref 00111 --allow-duplicate`);
    expect([allowed.exit, home.posts], allowed.stderr).toEqual([0, 2]);
    const another = await home.courier(
      `${other.replace("建国路88号", "古翠路9号").replace("李四", "王五")} --ref 0111`,
    );
    expect([another.exit, home.posts], another.stderr).toEqual([0, 3]);
  });

  test("an order in doubt with a rewritten ref holds it", async () => {
    const home = await createImportHome(sheet(row("000001")));
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect((await home.run()).exit).toBe(6);
    const { exit, stderr } = await home.courier(`${words} --ref 1 --allow-duplicate`);
    expect([exit, errorOf({ stderr }).code, home.posts]).toEqual([2, "duplicate", 1]);
  });
});

test("at a terminal, the order is reviewed, and then not sent again", async () => {
  const home = await createServedHome();
  await create(home, "A-1");
  const prompts = { ...scriptedPrompts({}), choose: async () => "send" as never };
  const flags = Object.entries({
    sender: plainDraft.sender,
    receiver: plainDraft.receiver,
    item: plainDraft.item,
  }).flatMap(([part, fields]) =>
    Object.entries(fields).flatMap(([field, value]) => [`--${part}-${field}`, String(value)]),
  );
  const line = ["orders", "create", "--ref", "A-1", "--service-type", "express", ...flags];
  const { exit, stdout } = await home.courier(line, { terminal: 100, prompts });
  expect(exit).toBe(0);
  expect(stdout).toContain("Already shipped");
  expect(requestCount(home, "POST")).toBe(1);
});

test.each([
  ["", "--ref is empty"],
  ["#N/A", "--ref"],
])("a ref that is no ref is refused before anything is sent: “%s”", async (ref, message) => {
  const home = await createServedHome();
  const words = ["orders", "create", "--file", "-", "--ref", ref];
  const { exit, stderr } = await home.courier(words, { stdin: JSON.stringify(plainDraft) });
  expect(exit).toBe(2);
  expect(stderr).toContain(message);
  expect(home.sandbox.requests).toEqual([]);
});

test.each(["CR\\u00001", "CR\\ud8001", '\\"CR1'])(
  "a number is kept as the service gave it: %s",
  async (number) => {
    const home = await createServedHome();
    const data = `{"id":1,"order_no":"O${number}","tracking_number":"${number}","status":"pending","estimated_fee":1}`;
    answerData(home, "POST /api/v1/orders", data);
    expect((await create(home, "A-1")).exit).toBe(0);
    const [run] = await readRuns(home);
    const { order_no, tracking_number } = JSON.parse(data);
    expect(run?.operations[0]?.order).toMatchObject({ order_no, tracking_number });
  },
);

test.each(["cancelled\\u0000x", "cancelled\\ud800"])(
  "a state is no other one for a part of it: %s",
  async (state) => {
    const home = await createServedHome();
    const data = `{"id":1,"order_no":"O1","tracking_number":"CR1","status":"${state}","estimated_fee":1}`;
    answerData(home, "POST /api/v1/orders", data);
    expect((await create(home, "A-1")).exit).toBe(0);
    const [run] = await readRuns(home);
    expect(run?.operations[0]).toMatchObject({ state: "created", orderState: state });
  },
);

test.each(["track ref:A-1", "track 1", "track ref:A-1 --watch"])(
  "%s: half a character is in no address",
  async (words) => {
    const home = await createServedHome();
    const data =
      '{"id":1,"order_no":"O1","tracking_number":"CR\\ud800","status":"pending","estimated_fee":1}';
    answerData(home, "POST /api/v1/orders", data);
    answerData(home, "GET /api/v1/orders/1", data);
    await create(home, "A-1");
    const { exit, stderr } = await home.courier(words);
    expect(stderr).toContain("the tracking number CR\\ud800 is damaged: no address has half a character");
    expect(exit).toBe(1);
  },
);

test.each([
  "orders show ref:W1",
  "orders cancel ref:W1 --yes",
  "orders slips ref:W1 --output slips.html",
  "orders create --like ref:W1 --dry-run",
  "track ref:W1",
])("%s says that an order of the ref is in doubt, also where an earlier one was cancelled", async (words) => {
  const home = await createServedHome();
  const expectDoubt = async (operation: string) => {
    const ran = await home.courier(words);
    expect(ran.exit, ran.stderr).toBe(6);
    expect(ran.stderr).toContain(
      "the order with the ref “W1” is in doubt: it may or may not have been created",
    );
    expect(ran.stderr).toContain(`courier orders resolve ${operation}`);
  };
  home.sandbox.faults.set(lostForNow("drop_after"));
  await create(home, "W1");
  home.sandbox.faults.clear();
  await expectDoubt("1.1");
  expect((await home.courier("orders resolve 1.1 --as 1000001 --yes")).exit).toBe(0);
  expect((await home.courier("orders cancel ref:W1 --yes")).exit).toBe(0);
  home.sandbox.faults.set(lostForNow("drop_after"));
  expect((await create(home, "W1", "--allow-duplicate")).exit).toBe(6);
  home.sandbox.faults.clear();
  const [open] = JSON.parse((await home.courier("orders resolve --json")).stdout);
  await expectDoubt(open.operation);
});

describe("where the service does not show the order of a ref", () => {
  const get = { method: "GET", path: "/api/v1/orders/1000001" } as const;

  test.each([404, 410, 403])(
    "HTTP %s is no refusal of the order: it is shipped, as the ledger has it",
    async (status) => {
      const home = await createServedHome();
      const first = await create(home, "A-1");
      home.sandbox.faults.set([{ ...get, kind: "refuse", status, code: "GONE", message: "no" }]);
      const again = await create(home, "A-1");
      expect(again.exit, again.stderr).toBe(0);
      const { id, tracking_number, estimated_fee } = JSON.parse(first.stdout);
      expect(JSON.parse(again.stdout)).toMatchObject({ id, tracking_number, estimated_fee });
      expect(again.stderr).toContain(
        "already shipped: the order with the ref A-1 is 1000001; nothing was sent",
      );
      expect(again.stderr).toContain("the service does not show order 1000001 now");
      expect(requestCount(home, "POST")).toBe(1);
    },
  );

  test("a failure names the order, and that nothing was sent", async () => {
    const home = await createServedHome();
    await create(home, "A-1");
    home.sandbox.faults.set([{ ...get, kind: "status", status: 503 }]);
    const { exit, stderr } = await create(home, "A-1");
    expect(exit).toBe(5);
    expect(errorOf({ stderr }).message).toMatch(
      /^the order with the ref A-1 is 1000001; nothing was sent, and /,
    );
    expect(requestCount(home, "POST")).toBe(1);
  });
});
