/** courier orders import: a row whose order was in doubt when its run was undone. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createImportHome, type ImportHome, outcomes, row, sheet } from "../support/imports.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

/** The order of the second row is in doubt, the first one is cancelled, and their run is undone. */
async function createUndoneHome(kind: "drop_before" | "drop_after") {
  const home = await createImportHome(sheet(row("A-0", "王五", "13900139001"), row("A-1")));
  home.sandbox.faults.set([
    { kind, method: "POST", path: "/api/v1/orders", times: 1, after: 1 },
    { kind: "status", status: 503, method: "GET", path: "/api/v1/orders" },
  ]);
  expect(outcomes((await home.run("--concurrency 1")).report)).toBe("created unknown");
  const undo = await home.courier("undo 1 --yes");
  expect(undo.stdout).toContain("it is not sent again; once its order is found, orders cancel");
  home.sandbox.faults.clear();
  return home;
}

test("is not sent again once it is certain that there is no order, unless a flag or a person says so", async () => {
  const home = await createUndoneHome("drop_before");
  const again = await home.run("--settle 1s");
  expect([again.exit, outcomes(again.report)], again.stderr).toEqual([0, "cancelled cancelled"]);
  expect(again.report[1]?.error?.message).toBe(
    "no order was made, and its run was undone: --allow-duplicate row:2 sends it",
  );
  const sheetAfter = await home.run(`--write-back ${home.directory}/out.csv`);
  expect(outcomes(sheetAfter.report), sheetAfter.stderr).toBe("cancelled cancelled");
  const create = await home.courier(
    "orders create --ref A-1 --sender-name 张三 --receiver-name 李四 --item-name 茶叶 --yes",
  );
  expect([create.exit, create.stderr]).toEqual([
    2,
    "error: no order with the ref A-1 was made, and its run was undone; nothing was sent\n" +
      "hint: to ship it again, add --allow-duplicate\n",
  ]);
  expect(home.posts).toBe(2);
  const sent = await home.run("--allow-duplicate row:2");
  expect(outcomes(sent.report), sent.stderr).toBe("cancelled created");
  expect(outcomes((await home.run()).report)).toBe("cancelled shipped");
});

test("is not offered by the question what to send", async () => {
  const home = await createUndoneHome("drop_before");
  await home.put(sheet(row("A-0", "王五", "13900139001"), row("A-1"), row("A-2", "赵六", "13900139002")));
  const prompts = scriptedPrompts({ confirms: [false, true] });
  const words = ["orders", "import", home.file, "--settle", "1h"];
  const ran = await home.courier(words, { terminal: 100, prompts });
  expect(prompts.asked, ran.stderr).toEqual([
    "1 order of this file was undone. Ship it again?",
    "Create 1 order with the account (environment)?",
  ]);
  expect(home.posts).toBe(3);
});

test("another undo says that no order was made, and the next import does not send it either", async () => {
  const home = await createUndoneHome("drop_before");
  await home.clock.sleep(3_600_000);
  const undo = await home.courier("undo 1 --yes");
  expect(undo.stderr).toContain("1 order in doubt was not created: not sent again unless you ask for it\n");
  const again = await home.run();
  expect([again.exit, outcomes(again.report), home.posts]).toEqual([0, "cancelled cancelled", 2]);
});

test("a person who records that no order was made lets the next import send it", async () => {
  const home = await createUndoneHome("drop_before");
  const { exit, stderr } = await home.courier("orders resolve 1.2 --not-created --yes");
  expect(exit).toBe(0);
  expect(stderr).toContain("the run of 1.2 (to ");
  expect(stderr.replaceAll(/\s+/g, " ")).toContain(
    " was undone, but the next import of its row sends it again now",
  );
  expect(outcomes((await home.run()).report)).toBe("cancelled created");
});

test("is named where its order was made: the hint cancels it", async () => {
  const home = await createUndoneHome("drop_after");
  const found = await home.run();
  expect([found.exit, outcomes(found.report)], found.stderr).toEqual([0, "cancelled found"]);
  expect(found.stderr).toContain(
    "warning: 1 order of an undone run was made, and found later; to cancel it: courier orders cancel 1000002\n",
  );
  expect((await home.courier("orders cancel 1000002 --yes")).exit).toBe(0);
  const again = await home.run();
  expect(outcomes(again.report)).toBe("cancelled cancelled");
  expect(again.stderr).not.toContain("undone run");
});

test("is named alone: the hint leaves an order that a person kept", async () => {
  const home = await createUnfaithfulHome();
  const file = path.join(home.directory, "orders.csv");
  const names = ["王一", "王二", "王三"];
  await writeFile(file, sheet(...names.map((name, index) => row(`A-${index}`, name, `1390013900${index}`))));
  home.service.ways = {
    loss: (_request, number) => (number === 2 ? "answered" : "after"),
    omitFromList: ({ body }) => body.receiver.name === "王三",
  };
  const words = `orders import ${file} --yes --concurrency 1`;
  expect((await home.courier(words)).exit).toBe(6);
  const prompts = scriptedPrompts({ confirms: [true, false] });
  await home.courier("undo 1", { terminal: 160, prompts });
  expect(prompts.asked[1]).toBe("1 order of it was found after the answer was lost: 1. Cancel these too?");
  home.service.ways = {};
  home.clock.advance(60_000);
  const { stderr } = await home.courier(words);
  const hint = /to cancel it: courier (.*)$/m.exec(stderr)?.[1];
  expect(hint, stderr).toBe("orders cancel 3");
  expect((await home.courier(`${hint} --yes`)).exit).toBe(0);
  expect(home.service.orders.map(({ status }) => status)).toEqual(["pending", "cancelled", "cancelled"]);
});

describe("a yes to ship the undone orders again", () => {
  /** Imports the home's file at a terminal, where a person answers. */
  async function importAsked(home: ImportHome, ...confirms: readonly boolean[]) {
    const prompts = scriptedPrompts({ confirms });
    const ran = await home.courier(["orders", "import", home.file], { terminal: 100, prompts });
    return { ...ran, asked: prompts.asked };
  }
  const question = "1 order of this file was undone. Ship it again?";
  const create = "Create 1 order with the account (environment)?";

  test("does not ship one that was cancelled by itself: by an earlier command, after the import, or on the website", async () => {
    const home = await createImportHome(sheet(row("A-0", "王五", "13900139001")));
    expect(outcomes((await home.run()).report)).toBe("created");
    expect((await home.courier("orders cancel ref:A-0 --yes")).exit).toBe(0);
    const names = ["李四", "赵六", "孙七"];
    const others = names.map((name, index) => row(`A-${index + 1}`, name, `1390013900${index + 2}`));
    await home.put(sheet(row("A-0", "王五", "13900139001"), ...others));
    expect(outcomes((await home.run("--concurrency 1")).report)).toBe("cancelled created created created");
    expect((await home.courier("orders cancel ref:A-2 --yes")).exit).toBe(0);
    const { baseUrl, apiKey } = home.sandbox;
    const headers = { authorization: `Bearer ${apiKey}` };
    await fetch(`${baseUrl}/api/v1/orders/1000004`, { method: "DELETE", headers });
    const run = (await home.operations()).at(-1)?.run;
    expect((await home.courier(`undo ${run} --yes`)).exit).toBe(0);
    const { asked, exit, stderr } = await importAsked(home, true, true);
    expect(asked, stderr).toEqual([question, create]);
    expect(exit).toBe(0);
    const refs = (await home.operations()).map(({ ref }) => ref);
    expect(refs.sort()).toEqual(["A-0", "A-1", "A-1", "A-2", "A-3"]);
    expect((await importAsked(home)).asked).toEqual([]);
  });

  test("ships as many of equal rows without a ref as were undone", async () => {
    const equal = row("", "王五", "13900139001");
    const home = await createImportHome(sheet(equal, equal));
    await home.run("--concurrency 1");
    expect((await home.courier("orders cancel 1000002 --yes")).exit).toBe(0);
    expect((await home.courier("undo 1 --yes")).exit).toBe(0);
    const { asked, stderr } = await importAsked(home, true, true);
    expect(asked, stderr).toEqual([question, create]);
    expect(home.posts).toBe(3);
    const again = await importAsked(home);
    expect([again.asked, home.posts], again.stderr).toEqual([[], 3]);
  });

  test("does not ship one that is cancelled while the question stands", async () => {
    const first = row("A-0", "王五", "13900139001");
    const home = await createImportHome(sheet(first));
    expect(outcomes((await home.run()).report)).toBe("created");
    await home.put(sheet(first, row("A-1")));
    expect(outcomes((await home.run()).report)).toBe("shipped created");
    expect((await home.courier("undo 1 --yes")).exit).toBe(0);
    const prompts = scriptedPrompts({ confirms: [true, true] });
    const asking = {
      ...prompts,
      async confirm(asked: string) {
        if (asked === question) expect((await home.courier("orders cancel ref:A-1 --yes")).exit).toBe(0);
        return prompts.confirm(asked);
      },
    };
    const words = ["orders", "import", home.file];
    const ran = await home.courier(words, { terminal: 100, prompts: asking });
    expect(prompts.asked.at(-1), ran.stderr).toBe(create);
    expect((await home.operations()).map(({ ref }) => ref).sort()).toEqual(["A-0", "A-0", "A-1"]);
  });
});
