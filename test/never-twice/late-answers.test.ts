/** What changes at the service while a question stands: the answer is about what was shown. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { Prompts } from "../../src/core/prompts.ts";
import { createImportHome, type ImportHome, lostForNow, outcomes, row, sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import type { ShownOrder } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

type Home = Awaited<ReturnType<typeof createUnfaithfulHome>>;

/** Says yes to each question; a minute passes and something happens while the first one stands. */
function lateYes(home: Home, happen: () => void, confirms: readonly boolean[] = [true]) {
  const prompts = scriptedPrompts({ confirms });
  let isFirst = true;
  return {
    ...prompts,
    confirm: async (question: string) => {
      if (isFirst) {
        home.clock.advance(60_000);
        happen();
      }
      isFirst = false;
      return prompts.confirm(question);
    },
  } satisfies Prompts & { readonly asked: readonly string[] };
}

const pay = (shown: ShownOrder): ShownOrder => ({ ...shown, status: "paid" });
const sell = (shown: ShownOrder): ShownOrder => ({
  ...shown,
  receiver: { name: "王麻子", phone: "18611112222", address: "成都市人民南路四段11号" },
  item: { ...shown.item, name: "茶壶" },
});
const pack = (shown: ShownOrder): ShownOrder => ({ ...shown, item: { ...shown.item, name: "茶壶" } });

async function importTwo() {
  const home = await createUnfaithfulHome();
  const file = path.join(home.directory, "orders.csv");
  await writeFile(file, sheet(row("A-1"), row("A-2", "王五", "13700137000")));
  expect((await home.courier(`orders import ${file} --yes`)).exit).toBe(0);
  const showSecond = (rewrite: (shown: ShownOrder) => ShownOrder) => () => {
    home.service.ways = {
      ...home.service.ways,
      rewrite: (shown) => (String(shown.id) === "2" ? rewrite(shown) : shown),
    };
  };
  return { home, showSecond };
}

const states = (home: Home) => home.service.orders.map(({ status }) => status);

test.each([
  ["is paid", pay, "it is paid now"],
  ["is another customer's", sell, "it is for 王麻子 now"],
  ["has other goods", pack, "its goods are 茶壶 now"],
])("orders cancel leaves an order alone that %s now", async (_, rewrite, said) => {
  for (const name of ["2", "ref:A-2"]) {
    const { home, showSecond } = await importTwo();
    const prompts = lateYes(home, showSecond(rewrite));
    const ran = await home.courier(`orders cancel 1 ${name}`, { terminal: 120, prompts });
    expect([ran.exit, states(home)], ran.stderr).toEqual([3, ["cancelled", "pending"]]);
    expect(ran.stdout).toContain(said);
  }
});

test.each([
  ["is paid", pay, 3, "it has changed since it was asked about", "asks about what has changed"],
  ["is another customer's", sell, 6, "the service shows another", "see whose order it is"],
])("undo leaves an order alone that %s now", async (_, rewrite, exit, said, hint) => {
  const { home, showSecond } = await importTwo();
  const ran = await home.courier("undo 1", { terminal: 120, prompts: lateYes(home, showSecond(rewrite)) });
  expect([ran.exit, states(home)], ran.stderr).toEqual([exit, ["cancelled", "pending"]]);
  expect(ran.stdout).toContain(said);
  expect(ran.stderr).toContain("1 of 2 orders of run 1 cancelled; not cancelled: 2");
  expect(ran.stderr).toContain(hint);
});

test("undo and cancel go on where nothing has changed", async () => {
  const { home } = await importTwo();
  expect(
    (await home.courier("orders cancel 1", { terminal: 120, prompts: lateYes(home, () => {}) })).exit,
  ).toBe(0);
  expect((await home.courier("undo 1", { terminal: 120, prompts: lateYes(home, () => {}) })).exit).toBe(0);
  expect(states(home)).toEqual(["cancelled", "cancelled"]);
});

/** An order is made and its answer lost; the list shows it only once `show` is called. */
async function loseOne() {
  const home = await createUnfaithfulHome();
  home.service.ways = { ...home.service.ways, loss: () => "after", listLagMs: 3_600_000_000 };
  const stdin = JSON.stringify(plainDraft);
  expect((await home.courier("orders create --file - --yes --json", { stdin })).exit).toBe(6);
  const show = () => {
    home.service.ways = {};
  };
  return { home, show };
}

test("resolve --not-created looks again before it records", async () => {
  const { home, show } = await loseOne();
  const ran = await home.courier("orders resolve 1.1 --not-created", {
    terminal: 120,
    prompts: lateYes(home, show),
  });
  expect(ran.exit, ran.stderr).toBe(2);
  expect(ran.stderr).toContain("1.1 is not in doubt: it is found (order 1)");
  const { home: other } = await loseOne();
  const prompts = lateYes(other, () => {});
  expect((await other.courier("orders resolve 1.1 --not-created", { terminal: 120, prompts })).exit).toBe(0);
  expect(prompts.asked).toHaveLength(1);
});

test("resolve --not-created asks again where the list cannot be read any more", async () => {
  const { home } = await loseOne();
  const fail = () => {
    home.service.ways = {
      ...home.service.ways,
      refuseList: { status: 400, code: "BUSY", message: "no list" },
    };
  };
  const prompts = lateYes(home, fail, [true, false]);
  const ran = await home.courier("orders resolve 1.1 --not-created", { terminal: 120, prompts });
  expect([ran.exit, prompts.asked.length], ran.stderr).toEqual([130, 2]);
  expect(ran.stderr).toContain("the orders of the service could not be compared");
  expect(JSON.parse((await home.courier("orders resolve 1.1 --json")).stdout)).toMatchObject({
    state: "unknown",
  });
  // Who has seen that it cannot be read may decide.
  const again = lateYes(home, () => {}, [true, false]);
  expect(
    (await home.courier("orders resolve 1.1 --not-created", { terminal: 120, prompts: again })).exit,
  ).toBe(0);
  expect(again.asked).toHaveLength(1);
});

test("a create asks once more where the order that was in doubt is found now", async () => {
  const { home, show } = await loseOne();
  home.service.ways = { listLagMs: 3_600_000_000 };
  const file = path.join(home.directory, "order.json");
  await writeFile(file, JSON.stringify(plainDraft));
  const prompts = {
    ...lateYes(home, show, [true, false]),
    choose: async (_: string, choices: readonly { readonly label: string; readonly value: unknown }[]) =>
      choices[0]?.value as never,
  };
  const ran = await home.courier(`orders create --file ${file}`, { terminal: 120, prompts });
  expect(prompts.asked.join("\n"), ran.stderr).toMatch(
    /may or may not have been created[\s\S]*as 1\. Send it again\?/,
  );
  expect(home.service.orders).toHaveLength(1);
});

/** Imports at a terminal; the person answers yes after `ms`, when `meanwhile` has happened. */
async function importAsked(
  home: ImportHome,
  words: string[],
  ms: number,
  meanwhile: () => unknown = () => {},
) {
  const asked: string[] = [];
  const prompts = {
    ...scriptedPrompts({}),
    async confirm(question: string) {
      asked.push(question);
      home.clock.advance(ms);
      await meanwhile();
      return true;
    },
  };
  const ran = await home.courier(["orders", "import", home.file, ...words], { terminal: 120, prompts });
  return { ...ran, asked };
}

async function importInDoubt() {
  const home = await createImportHome(sheet(row("A-1")));
  home.sandbox.faults.set(lostForNow("drop_after"));
  expect(outcomes((await home.run()).report)).toBe("unknown");
  return home;
}

test.each([1_000, 6_000])(
  "an order that an import has found is not sent again by a flag (answer after %i ms)",
  async (ms) => {
    const home = await importInDoubt();
    home.sandbox.faults.clear();
    await home.put(sheet(row("A-1"), row("A-2", "王五", "13700137001")));
    const { stderr, asked } = await importAsked(home, ["--allow-duplicate", "A-1"], ms);
    expect(asked).toEqual(["Create 1 order with the account (environment)?"]);
    expect(await home.receivers(), stderr).toEqual(["李四", "王五"]);
  },
);

test("nor one that another process has found while the question stood", async () => {
  const home = await importInDoubt();
  const old = await home.put(sheet(row("A-1")), "old.csv");
  await home.put(sheet(row("A-1"), row("A-2", "王五", "13700137001")));
  const { stderr, asked } = await importAsked(home, ["--allow-duplicate", "A-1"], 6_000, async () => {
    home.sandbox.faults.clear();
    expect(outcomes((await home.importFile(old)).report)).toMatch(/found|shipped/);
  });
  expect(asked).toEqual([
    "Create 1 order with the account (environment), and up to 1 more, now in doubt, if they were not created?",
  ]);
  expect(await home.receivers(), stderr).toEqual(["李四", "王五"]);
});

test.each([1_000, 6_000])(
  "a row that was shown as held is not sent where the list is refused now (answer after %i ms)",
  async (ms) => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "13700137001")));
    const elsewhere = await home.put(sheet(row("X-1")), "elsewhere.csv");
    const env = { COURIER_STATE_DIR: `${home.directory}/another machine` };
    expect((await home.importFile(elsewhere, "", { env })).exit).toBe(0);
    const { exit, stderr, asked } = await importAsked(home, [], ms, () =>
      home.sandbox.faults.set([{ kind: "status", status: 403, method: "GET", path: "/api/v1/orders" }]),
    );
    expect(asked).toEqual(["Create 1 order with the account (environment)?"]);
    expect(stderr).toContain("1 row is held and not sent: row 1 (A-1): equals order 1000001");
    expect([exit, await home.receivers()], stderr).toEqual([3, ["李四", "王五"]]);
  },
);
