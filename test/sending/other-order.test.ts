/** A success that names another order, while the own one is still being made: it is not made twice. */

import { describe, expect, test } from "vitest";
import { withLedger } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const stdin = JSON.stringify(plainDraft);

test.each([
  ["orders create", "orders create --file - --json"],
  ["an import", "orders import - --yes --ndjson"],
  ["a raw call", "api POST orders --input - --json"],
])("%s: the order that comes 15 s later is found", async (_way, words) => {
  const home = await createUnfaithfulHome();
  const others = Array.from({ length: 24 }, (_, index) => ({
    ...plainDraft,
    receiver: { ...plainDraft.receiver, name: `收件人${index}`, phone: `139000${10_000 + index}` },
  }));
  for (const rows of [others, others.slice(0, 1)])
    await home.courier("orders import - --yes", { stdin: JSON.stringify(rows) });
  expect(home.service.orders).toHaveLength(24);
  home.service.ways = { answerWith: () => 24, commitDelayMs: 15_000 };
  const given = words.includes("import") ? `[${stdin}]` : stdin;
  let ran = await home.courier(words, { stdin: given });
  expect([0, 5, 6], ran.stderr).toContain(ran.exit);
  home.service.ways = {};
  // What its hint says, until the order is known; 2 names it.
  for (const minutes of [0, 1, 5, 20]) {
    if (ran.exit === 0 || ran.exit === 2) break;
    home.clock.advance(minutes * 60_000);
    ran = await home.courier(words, { stdin: given });
  }
  expect([0, 2], ran.stderr).toContain(ran.exit);
  home.clock.advance(60_000);
  expect(home.service.orders.filter(({ body }) => JSON.stringify(body) === stdin)).toHaveLength(1);
});

describe("an answer with the id of an order of another machine, which this machine has seen", () => {
  const other = {
    ...plainDraft,
    receiver: { ...plainDraft.receiver, name: "孔乙己", phone: "13700137000", detail: "鲁镇" },
  };
  const first = { ...plainDraft, receiver: { ...plainDraft.receiver, name: "王五", phone: "13600136000" } };
  const create = "orders create --file - --ref R2 --json --settle 10s";

  async function createSeenHome(words: (id: number) => string) {
    const home = await createUnfaithfulHome();
    await home.courier("orders create --file - --ref R1 --json", { stdin: JSON.stringify(first) });
    const { id } = home.service.foreign({ ...other, item: { name: "茶叶" } });
    const seen = await home.courier(words(id));
    expect(seen.exit, seen.stderr).toBe(0);
    home.service.ways = { answerWith: () => id, commitDelayMs: Number.MAX_SAFE_INTEGER };
    return { home, id };
  }

  test.each([
    ["orders list", () => "orders list --json"],
    ["orders list with a filter", () => "orders list --status pending --limit 1 --json"],
    ["orders show", (id: number) => `orders show ${id} --json`],
    ["sync", () => "sync --json"],
  ])("by %s: it is not the own one", async (_by, words) => {
    const { home } = await createSeenHome(words);
    const ran = await home.courier(create, { stdin });
    expect([5, 6], ran.stdout).toContain(ran.exit);
    expect(ran.stderr).toContain("existed before the request was sent");
  });

  test("or not: a repeated create compares what it shows, and does not call it shipped", async () => {
    const home = await createUnfaithfulHome();
    await home.courier("orders create --file - --ref R1 --json", { stdin: JSON.stringify(first) });
    const { id } = home.service.foreign({ ...other, item: { name: "茶叶" } });
    home.service.ways = { answerWith: () => id, commitDelayMs: Number.MAX_SAFE_INTEGER };
    const sent = await home.courier(create, { stdin });
    expect(sent.exit, sent.stderr).toBe(0);
    home.service.ways = {};
    const again = await home.courier(create, { stdin });
    expect(again.stdout).toBe("");
    expect(again.stderr).toContain(
      `the answer to 2.1 named order ${id}, but the service shows another receiver`,
    );
    expect(again.stderr).not.toContain("already shipped");
    expect(again.exit, again.stderr).toBe(2);
    // Nor does it send it again: the order may be its own, and may have been changed at the service since.
    home.clock.advance(20 * 60_000);
    for (let n = 0; n < 3; n++) {
      const later = await home.courier(create, { stdin });
      expect(later.stderr).toContain(`possible matches: ${id}; `);
    }
    expect(home.service.orders).toHaveLength(2);
    // Until a person decides.
    await home.courier("orders resolve 2.1 --not-created", {
      terminal: 80,
      prompts: scriptedPrompts({ confirms: [true] }),
    });
    expect((await home.courier(create, { stdin })).exit).toBe(0);
  });
});

test("an import that has reported a row with the order of a later row says so: exit 6", async () => {
  const home = await createUnfaithfulHome();
  const rows = ["孔一", "孔二", "孔三"].map((name, index) => ({
    ...plainDraft,
    receiver: { ...plainDraft.receiver, name, phone: `139000${10_000 + index}` },
  }));
  // The first row is never made; its answer names the order of the second row, whose own answer is lost.
  home.service.ways = {
    answerWith: (_request, n) =>
      n === 1 ? home.service.foreign(rows[1] as typeof plainDraft).id : undefined,
    commitDelayMs: (_request, n) => (n === 1 ? Number.MAX_SAFE_INTEGER : 0),
    loss: (_request, n) => (n === 2 ? "before" : "answered"),
  };
  const words = "orders import - --yes --json --concurrency 1 --settle 10s";
  const ran = await home.courier(words, { stdin: JSON.stringify(rows) });
  const log = JSON.parse((await home.courier("log show 1 --json")).stdout);
  expect(JSON.stringify(log)).toContain('"state":"unknown"');
  expect(ran.exit, ran.stderr).toBe(6);
  expect(ran.stderr).toContain("the report has row 1 with an order of another row");
  expect(ran.stderr).toContain("3 rows: 1 created, 1 found, 1 unknown");
});

test.each([
  ["created", false],
  ["shipped", true],
])(
  "and so where another process takes the order from a row that it reports as %s",
  async (outcome, isSent) => {
    const home = await createUnfaithfulHome();
    const rows = ["孔一", "孔二", "孔三"].map((name, index) => ({
      ...plainDraft,
      ref: `A-${index}`,
      receiver: { ...plainDraft.receiver, name, phone: `139000${10_000 + index}`, detail: `${index}号` },
      item: { ...plainDraft.item, name: `书${index}` },
    }));
    const [first, second, another] = rows;
    home.service.ways = {
      answerWith: (_request, n) =>
        n === 1 ? home.service.foreign(another as typeof plainDraft).id : undefined,
      commitDelayMs: (_request, n) => (n === 1 ? Number.MAX_SAFE_INTEGER : 0),
      before: async (n) => {
        if (n === 2)
          await withLedger(home.stateDir, (ledger) =>
            ledger.withdrawOrder({ run: 1, number: 1 }, "1", home.clock.now()),
          );
      },
    };
    const words = "orders import - --yes --json --concurrency 1";
    if (isSent) expect((await home.courier(words, { stdin: JSON.stringify([first]) })).exit).toBe(0);
    const ran = await home.courier(words, { stdin: JSON.stringify([first, second]) });
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { outcome, id: 1 },
      { outcome: "created", id: 2 },
    ]);
    expect(ran.exit, ran.stderr).toBe(6);
    expect(ran.stderr).toContain("the report has row 1 with an order of another row");
  },
);
