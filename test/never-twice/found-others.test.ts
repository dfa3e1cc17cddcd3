/** Orders that were found by what a list showed, or that a person named, and that prove to be others. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { row, sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import type { Rewriting } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";
import { knownHome, minuteMs } from "./known-home.ts";

const rows = [
  "A-1,张三,13800138000,刘洋,13847488266,成都市,人民南路四段124号,茶叶,1.20,3",
  "A-2,张三,13800138000,陈静,13851130569,武汉市,解放大道127号2单元,Mug (L),0.50,1",
  "A-3,张三,13800138000,王芳,13966668888,广州市,中山路77号,Cap,0.30,1",
];

test.each([
  ["both answers", [1, 2]],
  ["the first answer", [1]],
  ["the second answer", [2]],
])(
  "two orders are shown exchanged after %s was lost: each row gets its own once they are not",
  async (_what, lost) => {
    const home = await createUnfaithfulHome();
    const { service } = home;
    const file = path.join(home.directory, "orders.csv");
    await writeFile(file, sheet(...rows));
    const ship = async (words = "") => {
      home.clock.advance(20 * minuteMs);
      const ran = await home.courier(
        `orders import ${file} --yes --json --concurrency 1 --settle 10s ${words}`.trim().split(" "),
      );
      const report = JSON.parse(ran.stdout || "[]");
      return { ...ran, ids: report.map(({ id }: { id: number | null }) => id) };
    };
    const exchanged: Rewriting = (shown) => {
      const id = Number(shown.id);
      const { receiver, item } = (id < 3 && service.orders[(id - 1) ^ 1]?.body) || {};
      return receiver && item ? { ...shown, receiver: { ...receiver }, item: { ...item } } : shown;
    };
    service.ways = { rewrite: exchanged, loss: (_request, n) => (lost.includes(n) ? "after" : "answered") };
    await ship();
    for (let time = 0; time < 2; time++) await ship();
    const before = await ship();
    if (lost.length === 2) expect(before.ids, before.stderr).toEqual([2, null, 3]);
    service.ways = {};
    const ran = await ship();
    if (lost.length === 2) expect(ran.stderr).toMatch(/1\.1 was found as order 2, but the service shows/);
    for (let time = 0; time < 2; time++) await ship();
    const last = await ship();
    expect([last.exit, last.ids], last.stderr).toEqual([0, [1, 2, 3]]);
    expect(service.orders).toHaveLength(3);
  },
);

test.each(["***", "…"])(
  "an order of which %s hides the street is not found as one without a street",
  async (mark) => {
    const { home } = await knownHome();
    const draft = (detail: string) => ({
      ...plainDraft,
      receiver: { name: "李四", city: "北京市", district: "朝阳区", detail },
    });
    const rewrite: Rewriting = (shown) => ({
      ...shown,
      receiver: { name: shown.receiver?.name, address: `北京市朝阳区${mark}88号` },
    });
    const create = () =>
      home.courier("orders create --file - --ref A --yes --json", { stdin: JSON.stringify(draft("88号")) });
    home.service.ways = { loss: () => "before", refuseList: { status: 503 } };
    expect((await create()).exit).toBe(6);
    home.clock.advance(5_000);
    home.service.ways = { rewrite };
    home.service.foreign(draft("人民路88号")); // what a colleague sent
    home.clock.advance(minuteMs);
    const again = await create();
    expect([again.exit, again.stdout], again.stderr).toEqual([2, ""]);
  },
);

describe("a person who names an order", () => {
  const draft = (name: string, phone: string, detail: string, goods: string) => ({
    ...plainDraft,
    receiver: { ...plainDraft.receiver, name, phone, detail },
    item: { ...plainDraft.item, name: goods },
  });

  /** A create is in doubt, and two orders of the courier's website are there. */
  async function doubtfulHome(name = "刘洋") {
    const home = await createUnfaithfulHome({
      loss: () => "after",
      omitFromList: ({ request }) => request !== undefined,
    });
    const stdin = JSON.stringify(draft(name, "13847488266", "人民南路12号", "Tea"));
    home.service.foreign(draft("陈静", "13851130569", "解放大道127号", "Mug"));
    home.service.foreign(draft(name, "13847488266", "人民南路12号", "Tea and mugs"));
    await home.courier("orders create --file - --ref A-1 --yes --json", { stdin });
    return home;
  }

  test.each(["刘洋", "Tom & Co", "O'Neil & Co", "Zoë Müller", "Maximilian Alexander Oberhuber"])(
    "to quite another receiver than %s is refused in a script",
    async (name) => {
      const home = await doubtfulHome(name);
      const ran = await home.courier("orders resolve 1.1 --as 1 --yes --json");
      expect([ran.exit, ran.stdout], ran.stderr).toEqual([2, ""]);
      expect(ran.stderr).toContain("order 1 is for another receiver than 1.1: nothing was recorded");
      const shown = JSON.parse((await home.courier("orders resolve 1.1 --json")).stdout);
      expect(shown.state).toBe("unknown");
    },
  );

  test("that another create made learns whose it is, without a question", async () => {
    const home = await doubtfulHome();
    home.service.ways = {};
    const stdin = JSON.stringify(draft("王芳", "13700137000", "中山路5号", "Cap"));
    expect((await home.courier("orders create --file - --yes", { stdin })).exit).toBe(0);
    const prompts = scriptedPrompts({});
    const ran = await home.courier("orders resolve 1.1 --as 4", { terminal: 120, prompts });
    expect([ran.exit, prompts.asked], ran.stderr).toEqual([2, []]);
    expect(ran.stderr).toContain("order 4 belongs to operation 2.1");
    expect(ran.stderr).not.toContain("but 1.1 was sent with");
  });

  test("takes it back with --reopen, and nothing is sent", async () => {
    const home = await doubtfulHome();
    const taken = await home.courier("orders resolve 1.1 --as 2 --yes --json");
    expect([taken.exit, JSON.parse(taken.stdout).state], taken.stderr).toEqual([0, "found"]);
    const wrong = await home.courier("orders resolve 1.1 --as 3 --yes --json");
    expect(wrong.exit).toBe(2);
    expect(wrong.stderr).toContain("where that is another order: courier orders resolve 1.1 --reopen");
    const open = await home.courier("orders resolve 1.1 --reopen --yes --json");
    expect([open.exit, JSON.parse(open.stdout)], open.stderr).toEqual([
      0,
      expect.objectContaining({ state: "unknown", id: null }),
    ]);
    const made = await home.courier("orders resolve 1.1 --as 3 --yes --json");
    expect([made.exit, JSON.parse(made.stdout).id], made.stderr).toEqual([0, 3]);
    expect(home.service.requests.filter(({ endpoint }) => endpoint === "create")).toHaveLength(1);
  });

  test("learns how to ship one more where the list shows an order again that was taken back", async () => {
    const home = await doubtfulHome();
    home.service.ways = {};
    for (const flags of ["--as 3", "--reopen"])
      expect((await home.courier(`orders resolve 1.1 ${flags} --yes`)).exit).toBe(0);
    const ran = await home.courier("orders resolve 1.1 --not-created --yes --json");
    expect([ran.exit, ran.stdout], ran.stderr).toEqual([2, ""]);
    expect(ran.stderr).toContain("1.1 is not in doubt: it is found (order 3)");
    expect(ran.stderr).toContain("to ship one more, send it again with --allow-duplicate");
    expect(ran.stderr).not.toContain("--reopen");
  });

  test("has decided: an import does not take it from the row, whatever the list shows", async () => {
    const home = await doubtfulHome();
    await home.courier("orders resolve 1.1 --as 3 --yes --json");
    home.service.ways = {
      rewrite: (shown) =>
        shown.id === 3 ? { ...shown, receiver: { name: "王芳" }, item: { name: "Cap" } } : shown,
    };
    const file = path.join(home.directory, "orders.csv");
    await writeFile(file, sheet(...rows.slice(2)));
    for (let time = 0; time < 2; time++) {
      home.clock.advance(20 * minuteMs);
      const ran = await home.courier(`orders import ${file} --yes --json`);
      expect(ran.exit, ran.stderr).toBe(0);
      expect(JSON.parse(ran.stdout)[0].outcome).toBe(time === 0 ? "created" : "shipped");
    }
    const shown = JSON.parse((await home.courier("orders resolve 1.1 --json")).stdout);
    expect([shown.state, shown.id]).toEqual(["found", 3]);
  });

  test("takes an order back, which is found for no row that was sent after a list had shown it", async () => {
    const home = await createUnfaithfulHome();
    const file = path.join(home.directory, "orders.csv");
    const other = "A-1,张三,13800138000,赵六,13955556666,上海市,南京路5号,Cap,0.50,2";
    const ship = async (...more: readonly string[]) => {
      await writeFile(file, sheet(other, ...more));
      const ran = await home.courier(`orders import ${file} --yes --json`);
      home.clock.advance(minuteMs);
      return { ...ran, report: JSON.parse(ran.stdout) };
    };
    home.service.foreign({
      sender: { name: "张三", phone: "13800138000" },
      receiver: { name: "赵六", phone: "13700137001", city: "北京市", detail: "建国路88号" },
      item: { name: "茶叶", weight: 1.5, quantity: 1 },
    });
    home.service.ways = { loss: () => "before" };
    expect((await ship()).exit).toBe(6);
    const named = await home.courier("orders resolve 1.1 --as 1 --yes --json");
    expect(named.exit, named.stderr).toBe(0);
    const equal = row("B-1", "赵六", "13700137001");
    await ship(equal);
    expect((await home.courier("orders resolve 1.1 --reopen --yes")).exit).toBe(0);
    const last = await ship(equal);
    expect(last.report[1].outcome, last.stderr).toBe("unknown");
  });

  test("cannot reopen what made no order", async () => {
    const home = await doubtfulHome();
    const ran = await home.courier("orders resolve 1.1 --reopen --yes --json");
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain("1.1 has no order that could be another one: it is unknown");
    const both = await home.courier("orders resolve 1.1 --reopen --as 2 --yes --json");
    expect(both.stderr).toContain("--as and --reopen exclude each other");
  });
});
