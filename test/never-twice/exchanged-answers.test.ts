/** Answers of two requests that were exchanged, or that went to the next request: each order stays its own create's. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { answerData, answerRaw, onePage, requestCount } from "../support/answers.ts";
import { createServedHome } from "../support/courier.ts";
import { createImportHome, type ImportHome, row, sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import type { Rewriting } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";
import type { Ways } from "../support/unfaithful-ways.ts";

/** From now on, each of the first two orders is shown with the data of the other. */
async function exchange(home: ImportHome): Promise<readonly string[]> {
  const read = async (id: number) => JSON.parse((await home.courier(`orders show ${id} --json`)).stdout);
  const [one, two] = [await read(1000001), await read(1000002)];
  const mix = (own: typeof one, data: typeof one) => ({ ...own, receiver: data.receiver, item: data.item });
  const shown = [mix(two, one), mix(one, two)];
  for (const each of shown) answerData(home, `GET /api/v1/orders/${each.id}`, JSON.stringify(each));
  const listed = shown.map(({ item, ...each }) => ({ ...each, item_name: item.name }));
  const pages = onePage.replace('"total_items":1', '"total_items":2');
  answerData(home, "GET /api/v1/orders", JSON.stringify(listed), pages);
  return [one.tracking_number, two.tracking_number];
}

describe("two rows of one import, sent at the same time", () => {
  const other = row("A-2", "王五", "13700137001").replace("建国路88号", "南路2号");
  test.each([
    ["other receivers", row("A-1"), other],
    ["one receiver, other goods", row("A-1"), row("A-2").replace("茶叶", "台灯")],
    ["one phone", row("A-1"), row("A-2", "王五").replace("建国路88号", "南路2号").replace(/,1$/, ",3")],
  ])("%s: the next import gives each row its own order", async (_what, one, two) => {
    const home = await createImportHome(sheet(one, two));
    expect((await home.run("--concurrency 1")).exit).toBe(0);
    const numbers = await exchange(home);
    const ran = await home.run("--in-place");
    expect(ran.stderr).toContain("the answer to 1.1 named order 1000001, but the service shows ");
    expect(
      ran.report.map(({ ref, outcome, id }) => [ref, outcome, id]),
      ran.stderr,
    ).toEqual([
      ["A-1", "found", 1000002],
      ["A-2", "found", 1000001],
    ]);
    const text = await readFile(home.file, "utf8");
    expect(text).toMatch(new RegExp(`^A-1,.*,${numbers[1]},`, "m"));
    expect(text).toMatch(new RegExp(`^A-2,.*,${numbers[0]},`, "m"));
    expect(home.posts).toBe(2);
  });

  test("one receiver, another number of pieces: cancel and undo leave the order alone", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2").replace(/,1$/, ",3")));
    expect((await home.run("--concurrency 1")).exit).toBe(0);
    await exchange(home);
    const cancelled = await home.courier("orders cancel ref:A-1 --yes");
    expect([cancelled.exit, requestCount(home, "DELETE")], cancelled.stderr).toEqual([3, 0]);
    expect(cancelled.stderr).toContain("the service shows the data of 1.2");
    const undone = await home.courier("undo 1 --yes --json");
    expect([undone.exit, requestCount(home, "DELETE")], undone.stderr).toEqual([3, 0]);
  });
});

describe("cancel of an order that an answer named in place of another one", () => {
  const other = row("A-2", "王五", "13700137001").replace("建国路88号", "南路2号");
  const numberOf = async (home: ImportHome, field: string) =>
    JSON.parse((await home.courier("orders show 1000001 --json")).stdout)[field];

  test.each([
    ["tracking_number", "name it by its id to cancel it"],
    ["order_no", "name it by its id to cancel it"],
    ["id", "the same command again cancels it"],
  ])("by its %s: nothing is sent, and its create is in doubt", async (field, choice) => {
    const home = await createImportHome(sheet(row("A-1"), other));
    expect((await home.run("--concurrency 1")).exit).toBe(0);
    const name = await numberOf(home, field);
    await exchange(home);
    const cancelled = await home.courier(`orders cancel ${name} --yes --json`);
    expect([cancelled.exit, requestCount(home, "DELETE")], cancelled.stderr).toEqual([3, 0]);
    expect(JSON.parse(cancelled.stdout)).toMatchObject([
      {
        id: 1000001,
        outcome: "left_alone",
        message: `the service shows another receiver than was sent: 王五, 茶叶; 1.1 is in doubt now: courier orders resolve 1.1; ${choice}`,
      },
    ]);
    expect((await home.courier("orders resolve --json")).stdout).toContain('"1.1"');
  });

  test("again by its number: nothing is sent while its create is in doubt; its id means the order itself", async () => {
    const home = await createImportHome(sheet(row("A-1"), other));
    expect((await home.run("--concurrency 1")).exit).toBe(0);
    const number = await numberOf(home, "tracking_number");
    await exchange(home);
    for (let time = 0; time < 2; time++) {
      const cancelled = await home.courier(`orders cancel ${number} --yes`);
      expect([cancelled.exit, requestCount(home, "DELETE")], cancelled.stderr).toEqual([3, 0]);
      expect(cancelled.stderr).toMatch(/1\.1 is in doubt.*; name it by its id to cancel it/);
    }
    await home.courier("orders cancel 1000001 --yes");
    expect(requestCount(home, "DELETE", "/api/v1/orders/1000001")).toBe(1);
  });

  test("a trial says so, and changes nothing; a person is told before the question", async () => {
    const home = await createImportHome(sheet(row("A-1"), other));
    expect((await home.run("--concurrency 1")).exit).toBe(0);
    await exchange(home);
    const preview = await home.courier("orders cancel 1000001 --dry-run --json");
    expect(JSON.parse(preview.stdout)).toMatchObject([{ outcome: "left_alone" }]);
    expect((await home.courier("orders resolve --json")).stdout).toBe("[]\n");
    const cancelled = await home.courier("orders cancel 1000001", {
      terminal: 80,
      prompts: scriptedPrompts({}),
    });
    expect([cancelled.exit, requestCount(home, "DELETE")], cancelled.stderr).toEqual([3, 0]);
  });

  test("what differs is no certain sign: it stays its create's, and the raw call is named", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2").replace(/,1$/, ",3")));
    expect((await home.run("--concurrency 1")).exit).toBe(0);
    await exchange(home);
    for (let time = 0; time < 2; time++) {
      const cancelled = await home.courier("orders cancel 1000001 --yes");
      expect([cancelled.exit, requestCount(home, "DELETE")], cancelled.stderr).toEqual([3, 0]);
      expect(cancelled.stderr).toContain("to cancel it nevertheless: courier api DELETE orders/1000001");
    }
    await home.courier("api DELETE orders/1000001 --yes");
    expect(requestCount(home, "DELETE", "/api/v1/orders/1000001")).toBe(1);
  });
});

/** The answer to the first job is lost, and is given to the second one. `isMade`: the second order is made, too. */
async function lateAnswerHome(second: object, isMade: boolean) {
  const home = await createServedHome();
  const jobs = [plainDraft, second].map((draft) => JSON.stringify(draft));
  const send = (number: 0 | 1) =>
    home.courier(`orders create --file - --ref J${number + 1} --yes --json --settle 10s`, {
      stdin: jobs[number] ?? "",
    });
  home.sandbox.faults.set([
    { kind: "drop_after", method: "POST", path: "/api/v1/orders", times: 1 },
    { kind: "status", status: 503, method: "GET", path: "/api/v1/orders", body: "" },
  ]);
  expect((await send(0)).exit).toBe(6);
  home.sandbox.faults.clear();
  const answer = '{"id":1000001,"order_no":"CO1","tracking_number":"CR1","status":"pending"}';
  answerRaw(home, "POST /api/v1/orders", `{"success":true,"data":${answer}}`, {
    status: 201,
    times: 1,
    processed: isMade,
  });
  expect((await send(1)).exit).toBe(0);
  const items = async () => {
    const { stdout } = await home.courier("orders list --all --json");
    const all: { id: number; status: string }[] = JSON.parse(stdout);
    return Promise.all(
      all.map(async ({ id, status }) => {
        const { item } = JSON.parse((await home.courier(`orders show ${id} --json`)).stdout);
        return `${id} ${item.name} ${item.quantity} ${status}`;
      }),
    );
  };
  return { home, send, items };
}

describe("an answer that went to the next request, for the same receiver", () => {
  const { item } = plainDraft;

  test("with other goods: the first job gets its order, and the second one is sent", async () => {
    const { home, send, items } = await lateAnswerHome(
      { ...plainDraft, item: { ...item, name: "咖啡" } },
      false,
    );
    for (let time = 0; time < 3; time++) {
      for (const job of [0, 1] as const) await send(job);
      home.clock.advance(20 * 60_000);
    }
    expect((await items()).map((each) => each.split(" ")[1]).sort()).toEqual(["咖啡", item.name].sort());
    expect((await home.courier("orders show ref:J1 --json")).stdout).toContain('"id":1000001');
  });

  test("with another number of pieces: each job gets its order", async () => {
    const { home, send, items } = await lateAnswerHome(
      { ...plainDraft, item: { ...item, quantity: 3 } },
      true,
    );
    for (let time = 0; time < 3; time++) {
      for (const job of [0, 1] as const) await send(job);
      home.clock.advance(20 * 60_000);
    }
    expect(await items()).toHaveLength(2);
    const pieces = async (job: string) =>
      JSON.parse((await home.courier(`orders show ref:${job} --json`)).stdout).item.quantity;
    expect([await pieces("J1"), await pieces("J2")]).toEqual([item.quantity ?? 1, 3]);
  });

  test("with another number of pieces, and the second order not made: the first job stays in doubt", async () => {
    const { home, send, items } = await lateAnswerHome(
      { ...plainDraft, item: { ...item, quantity: 3 } },
      false,
    );
    for (let time = 0; time < 3; time++) {
      expect((await send(0)).exit).toBe(2);
      home.clock.advance(20 * 60_000);
    }
    expect(await items()).toHaveLength(1);
  });
});

describe("an import without a fault, whose answers were exchanged", () => {
  async function exchangedHome(rows: number) {
    const home = await createUnfaithfulHome();
    const file = path.join(home.directory, "orders.csv");
    const names = Array.from({ length: rows }, (_, index) =>
      row(`A-${index + 1}`, `王${"一二三四五六"[index]}`, `1370013700${index}`).replace("88号", `${index}号`),
    );
    await writeFile(file, sheet(...names));
    const done = path.join(home.directory, "done.csv");
    const ship = async (...words: string[]) => {
      const given = ["orders", "import", file, "--yes", "--json", "--settle", "10s", "--write-back", done];
      const ran = await home.courier([...given, ...words]);
      const report: { ref: string; outcome: string; id: number | null }[] = JSON.parse(ran.stdout);
      return { ...ran, report, sheet: await readFile(done, "utf8") };
    };
    const isExchanged = (id: number) => id <= 2;
    const rewrite: Rewriting = (shown) => {
      const id = Number(shown.id);
      const body = isExchanged(id) ? home.service.orders[(id - 1) ^ 1]?.body : undefined;
      return body ? { ...shown, receiver: { ...body.receiver }, item: { ...body.item } } : shown;
    };
    home.service.ways = { rewrite };
    return { home, ship };
  }

  test("the sheet has the number of each row's own order, and a warning names the rows", async () => {
    const { home, ship } = await exchangedHome(3);
    const { exit, stderr, sheet: text } = await ship("--concurrency", "1");
    expect(exit, stderr).toBe(6);
    expect(stderr).toContain("the answer to 1.1 named order 1, but the service shows another receiver");
    expect(stderr).toContain("the report has row 1-2 with an order of another row");
    expect(stderr).toContain("3 orders with a tracking number");
    expect(text).toMatch(/^A-1,.*,UT00000002,/m);
    expect(text).toMatch(/^A-2,.*,UT00000001,/m);
    expect(text).toMatch(/^A-3,.*,UT00000003,/m);
    const again = await ship();
    expect(again.exit, again.stderr).toBe(0);
    expect(again.report.map(({ ref, outcome, id }) => [ref, outcome, id])).toEqual([
      ["A-1", "shipped", 2],
      ["A-2", "shipped", 1],
      ["A-3", "shipped", 3],
    ]);
    expect(home.service.orders).toHaveLength(3);
  });

  test("details that cannot be read: the row gets no number where the list shows another receiver", async () => {
    const { home, ship } = await exchangedHome(3);
    home.service.ways = { ...home.service.ways, refuseDetail: { status: 500 } };
    for (let times = 0; times < 2; times++) {
      const { exit, stderr, sheet: text } = await ship("--concurrency", "1", "--quiet");
      expect(exit, stderr).toBe(6);
      if (times === 0)
        expect(stderr).toContain(
          "the answer to 1.1 named order 1, but the list shows another receiver than was sent: 王二; the order could not be read",
        );
      expect(text).not.toMatch(/^A-[12],.*,UT0000000[12],/m);
      expect(text).toMatch(/^A-3,.*,UT00000003,/m);
    }
  });

  test("goods that the service writes otherwise: the orders are taken from their rows", async () => {
    const { home, ship } = await exchangedHome(3);
    const { rewrite = (shown) => shown } = home.service.ways;
    home.service.ways = {
      rewrite: (shown, ...rest) => ({ ...rewrite(shown, ...rest), item: { ...shown.item, name: "X" } }),
    };
    const { exit, stderr, sheet: text } = await ship("--concurrency", "1");
    expect(exit, stderr).toBe(6);
    expect(text).not.toMatch(/^A-1,.*,UT00000001,/m);
    expect(text).not.toMatch(/^A-2,.*,UT00000002,/m);
    const again = await ship();
    expect([again.exit === 0 || again.exit === 6, home.service.orders.length]).toEqual([true, 3]);
    for (const { ref, id } of again.report) expect([ref, id]).not.toEqual(["A-1", 1]);
  });

  const notCompared = "Not all orders of this import were compared with the service's list: ";
  test.each<[string, Ways, boolean]>([
    ["its list is late", { listLagMs: 60_000 }, false],
    ["it refuses its list", { refuseList: () => ({ status: 403 }) }, true],
  ])("%s: the next import gives each row its own order", async (_what, ways, isNoted) => {
    const { home, ship } = await exchangedHome(3);
    const exchanged = home.service.ways;
    const onCreate = async () => {
      home.service.ways = { ...exchanged, ...ways };
    };
    home.service.ways = { ...exchanged, before: onCreate };
    const first = await ship("--concurrency", "1");
    expect(first.exit, first.stderr).toBe(0);
    expect(first.stderr.includes(notCompared), first.stderr).toBe(isNoted);
    home.service.ways = exchanged;
    home.clock.advance(10 * 60_000);
    const next = await ship();
    expect(next.report.map(({ ref, outcome, id }) => [ref, outcome, id])).toEqual([
      ["A-1", "found", 2],
      ["A-2", "found", 1],
      ["A-3", "shipped", 3],
    ]);
    expect(home.service.orders).toHaveLength(3);
  });

  test("a list that is too long is not read to its end, and that is said", async () => {
    const { home, ship } = await exchangedHome(2);
    for (let count = 0; count < 60; count++)
      home.service.foreign({ ...plainDraft, receiver: { name: `赵${count}` } } as never);
    home.service.ways = { pageCap: 1, omitFromList: ({ request }) => request !== undefined };
    const { exit, stderr } = await ship("--concurrency", "1");
    expect(exit, stderr).toBe(0);
    expect(stderr).toContain(`${notCompared}it is too long. `);
  });

  test("one page of the list is read, and the details of no order, where nothing was exchanged", async () => {
    const { home, ship } = await exchangedHome(6);
    home.service.ways = {};
    expect((await ship("--concurrency", "1")).exit).toBe(0);
    const after = home.service.requests.slice(
      home.service.requests.findLastIndex(({ method }) => method === "POST") + 1,
    );
    expect(after.map(({ method, path: asked }) => `${method} ${asked}`)).toEqual(["GET /api/v1/orders"]);
  });

  test("after a single order, nothing is read", async () => {
    const { home, ship } = await exchangedHome(1);
    expect((await ship()).exit).toBe(0);
    expect(home.service.requests.at(-1)?.method).toBe("POST");
  });
});

test("numbers of answers that are others than those of the list are warned of, and not written beside the rows", async () => {
  const other: Record<string, string> = { UT00000002: "UT00000003", UT00000003: "UT00000002" };
  const rewrite: Rewriting = (shown) => {
    const number = String(shown.tracking_number);
    return { ...shown, tracking_number: other[number] ?? number };
  };
  const home = await createUnfaithfulHome({ rewrite });
  const file = path.join(home.directory, "orders.csv");
  await writeFile(
    file,
    sheet(row("A-1"), row("A-2", "王五", "13700137001"), row("A-3", "赵六", "13700137002")),
  );
  const { stderr } = await home.courier([
    "orders",
    "import",
    file,
    "--yes",
    "--in-place",
    "--concurrency",
    "1",
  ]);
  expect(stderr).toContain(
    "warning: the service's list has other tracking numbers than its answers, and than this report, for order 3, 2: orders write-back has those of the list\n",
  );
  const text = await readFile(file, "utf8");
  expect(text).toMatch(/^A-2,.*,UT00000003,/m);
  expect(text).toMatch(/^A-3,.*,UT00000002,/m);
});
