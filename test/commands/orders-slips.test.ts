/** courier orders slips: a page that prints one packing slip an order, and says only what is known. */

import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { identifyProcess } from "../../src/core/process-identity.ts";
import { requestCount } from "../support/answers.ts";
import { readBarcode } from "../support/code-128.ts";
import { createServedHome } from "../support/courier.ts";
import { deadPid } from "../support/dead-process.ts";
import { createImportHome, errorOf, lostForNow, row, sheet } from "../support/imports.ts";
import { createAtService, recordRun } from "../support/ledger.ts";
import { createOrder, plainDraft } from "../support/orders.ts";
import type { ShownOrder } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

async function homeWith(seedOrders = 3) {
  const home = await createServedHome({ seedOrders });
  const at = (name: string) => path.join(home.directory, name);
  const page = () => readFile(at("slips.html"), "utf8");
  const slips = (words: string) =>
    home.courier(["orders", "slips", ...words.split(" "), "-o", at("slips.html")]);
  return { ...home, at, page, slips };
}

/** A home whose service shows order 1 like this. */
async function homeShowing(order: Partial<Omit<ShownOrder, "id">> & Record<string, unknown>) {
  const home = await homeWith(0);
  const data = { id: 1, order_no: "O-1", tracking_number: "CR1", status: "paid", ...order };
  home.sandbox.faults.set([{ kind: "wrong_shape", path: "/api/v1/orders/1", data: data as never }]);
  return home;
}

function cutSlips(html: string): string[] {
  return html.match(/<section[\s\S]*?<\/section>/g) ?? [];
}

/** What a reader sees of a slip, without the bars. */
function textOf(html: string): string {
  const text = html.replace(/<svg[\s\S]*?<\/svg>/g, "").replace(/<[^>]+>/g, " ");
  return text
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, " ")
    .trim();
}

test("names on stdin, one a line, are slips of those orders", async () => {
  const home = await homeWith();
  const [first, , third] = JSON.parse((await home.courier("orders list --json")).stdout);
  const { exit, stderr } = await home.courier(["orders", "slips", "-", "-o", home.at("slips.html")], {
    stdin: `${first.id}\n\n${third.order_no}\n`,
  });
  expect(exit, stderr).toBe(0);
  expect(cutSlips(await home.page())).toHaveLength(2);
});

describe("a slip", () => {
  test("has the sender, the receiver, the item, the ref, the number, and the tracking number as Code 128", async () => {
    const home = await createImportHome(sheet(row("A-17")));
    expect((await home.run()).exit).toBe(0);
    const { exit, stdout } = await home.courier("orders slips 1000001");
    const [slip = "", ...others] = cutSlips(stdout);
    expect([exit, others]).toEqual([0, []]);
    const [order] = JSON.parse((await home.courier("orders list --json")).stdout);
    const text = textOf(slip);
    for (const part of [
      "A-17",
      order.order_no,
      "张三",
      "13800138000",
      "李四",
      "13900139000",
      "北京市建国路88号",
    ])
      expect(text).toContain(part);
    expect(text).toMatch(/茶叶 × 1/);
    expect(text).toContain(order.tracking_number);
    expect(readBarcode(slip).text).toBe(order.tracking_number);
    expect(text).toContain("not the courier's waybill");
  });

  test.each([
    "CR988818558542",
    "SF1",
    "1234567",
    "12345678",
    "ab-CD/12.34 56~",
    "a1234b",
    "YT0001112223334445556",
  ])("has bars that are read as %s, wide enough, with white beside them", async (number) => {
    const home = await homeShowing({ tracking_number: number });
    const { stdout } = await home.courier("orders slips 1");
    const { text, moduleMm, quiet } = readBarcode(stdout);
    expect(text).toBe(number);
    expect(moduleMm).toBeGreaterThanOrEqual(0.19);
    expect(quiet).toEqual([10, 10]);
  });

  test("without a tracking number says so instead", async () => {
    for (const number of [null, undefined, ""]) {
      const home = await homeShowing({ tracking_number: number });
      const { stdout } = await home.courier("orders slips 1");
      expect(textOf(stdout)).toContain("The service gives no tracking number for this order.");
      expect(stdout).not.toContain("<svg");
    }
  });

  test.each(["SF单号1", `CR${"x7".repeat(60)}`])(
    "has a number that makes no bar code as text alone: %s",
    async (number) => {
      const home = await homeShowing({ tracking_number: number });
      const { stdout } = await home.courier("orders slips 1");
      expect(textOf(stdout)).toContain(number);
      expect(textOf(stdout)).toContain("No bar code");
      expect(stdout).not.toContain("<svg");
    },
  );

  test("leaves out what is missing", async () => {
    const home = await homeShowing({ order_no: null, receiver: { name: "", phone: null } });
    const { exit, stdout } = await home.courier("orders slips 1");
    expect(exit).toBe(0);
    const text = textOf(stdout);
    for (const word of ["undefined", "null", "To ", "From ", "Ref", "Item", "×", " - "])
      expect(text).not.toContain(word);
    expect(text).toContain("Order 1");
  });

  test("of a cancelled order is marked", async () => {
    const home = await homeShowing({ status: "cancelled" });
    expect(textOf((await home.courier("orders slips 1")).stdout)).toContain("CANCELLED");
  });
});

describe("the page", () => {
  const hostile = `</style><script>alert(1)</script><img src=x onerror="a">&amp; ' \u202e\u001b]0;x\u0007`;

  test("runs nothing, loads nothing, and shows text as it is", async () => {
    const home = await homeShowing({
      order_no: hostile,
      tracking_number: hostile,
      receiver: { name: hostile, address: hostile },
      item: { name: hostile },
    });
    const { stdout } = await home.courier("orders slips 1");
    expect(stdout).not.toMatch(/<script|<img|<link|onerror="|https?:|url\(|style="/);
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(textOf(stdout)).toContain(`</style><script>alert(1)</script><img src=x onerror="a">&amp; '`);
    const style = /<style>([\s\S]*?)<\/style>/.exec(stdout)?.[1] ?? "";
    const digest = createHash("sha256").update(style).digest("base64");
    expect(stdout).toContain(
      `content="default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'"`,
    );
  });

  test.each([
    ["", "100mm 150mm"],
    ["--size 76x130", "76mm 130mm"],
    ["--size a6", "105mm 148mm"],
  ])("is of the size that was asked for: %s", async (words, size) => {
    const home = await homeWith(1);
    const { exit, stdout } = await home.courier(`orders slips 1 ${words}`);
    expect(exit).toBe(0);
    expect(stdout).toContain(`@page{size:${size};margin:0}`);
  });

  test.each(["100", "10x10", "100x9999", "letter"])("--size %s is refused", async (size) => {
    const home = await homeWith(1);
    const { exit, stderr } = await home.courier(`orders slips 1 --size ${size}`);
    expect([exit, home.sandbox.requests]).toEqual([2, []]);
    expect(stderr).toContain(`such as 100x150, or A6, not “${size}”`);
  });

  test("has smaller letters for a long address, and cuts one that no slip has room for, with a warning", async () => {
    const long = "广东省深圳市南山区科技园路一号".repeat(20);
    const home = await homeShowing({ receiver: { name: "李四", address: long } });
    const { stdout, stderr } = await home.courier("orders slips 1");
    expect([textOf(stdout).includes(long), stderr]).toEqual([true, ""]);
    const sizeOf = (html: string) => Number(/<section class="slip s(\d+)/.exec(html)?.[1]);
    expect(sizeOf(stdout)).toBeLessThan(
      sizeOf((await (await homeShowing({})).courier("orders slips 1")).stdout),
    );

    const [wide, narrow] = await Promise.all(
      ["WM@".repeat(120), "ilt".repeat(120)].map(async (address) => {
        const { courier } = await homeShowing({ receiver: { name: "李四", address } });
        return sizeOf((await courier("orders slips 1")).stdout);
      }),
    );
    expect(wide).toBeLessThan(narrow ?? 0);

    const longest = await homeShowing({ receiver: { name: "李四", address: long.repeat(20) } });
    const cut = await longest.courier("orders slips 1");
    expect([textOf(cut.stdout).includes(`${long}`), cut.stdout.includes("…")]).toEqual([true, true]);
    expect(cut.stderr).toContain("order 1 has more text than its slip has room for");
  });
});

describe("which orders", () => {
  test("are those of the arguments, in their order, each once", async () => {
    const home = await homeWith(3);
    const { exit, stderr } = await home.slips("3 1 2 3");
    expect([exit, stderr]).toEqual([0, `wrote 3 slips to ${home.at("slips.html")}\n`]);
    const ids = JSON.parse((await home.courier("orders slips 3 1 2 3 --json")).stdout);
    expect(ids.map(({ id }: { id: number }) => id)).toEqual([3, 1, 2]);
    expect(cutSlips(await home.page())).toHaveLength(3);
  });

  test("are those that a run created, in the order of its rows, without those that are cancelled", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "12"), row("A-3"), row("A-4")));
    expect((await home.run()).exit).toBe(3);
    const refs = async () => {
      const ran = await home.courier("orders slips --run 1 --json");
      return [ran.exit, JSON.parse(ran.stdout).map(({ ref }: { ref: string }) => ref), ran.stderr];
    };
    expect(await refs()).toEqual([0, ["A-1", "A-3", "A-4"], ""]);
    const [, second] = JSON.parse((await home.courier("orders slips --run 1 --json")).stdout);
    expect((await home.courier(`orders cancel ${second.id} --yes`)).exit).toBe(0);
    expect(await refs()).toEqual([0, ["A-1", "A-4"], `left out 1 cancelled order: ${second.id}\n`]);
  });

  test("are those that a filter finds", async () => {
    const home = await homeWith(0);
    const [first, second] = [await createOrder(home), await createOrder(home)];
    expect((await home.courier(`orders cancel ${first.id} --yes`)).exit).toBe(0);
    const ids = async (words: string) => {
      const { stdout } = await home.courier(`orders slips ${words} --json`);
      return JSON.parse(stdout).map(({ id }: { id: number }) => id);
    };
    expect(await ids("--status pending")).toEqual([second.id]);
    expect(await ids("--status cancelled")).toEqual([first.id]);
    expect(await ids("--from 2026-01-01")).toEqual([second.id]);
  });

  test("says first what many take", async () => {
    const home = await homeWith(60);
    const { exit, stderr } = await home.slips("--from 2020-01-01");
    expect(exit).toBe(0);
    expect(stderr).toMatch(/^This takes up to 60 calls; \d+ are left\.$/m);
    const before = requestCount(home, "GET");
    const ids = Array.from({ length: 50 }, (_, index) => String(index + 1)).join(" ");
    expect((await home.slips(ids)).stderr).toMatch(/^This takes 50 calls; \d+ are left\.$/m);
    expect(requestCount(home, "GET") - before).toBe(51);
  });

  test.each([
    ["", "no orders named"],
    ["1 --run 1", "named orders, --run and a filter exclude each other"],
    ["--run 1 --status paid", "named orders, --run and a filter exclude each other"],
    ["--run 9", "there is no run 9 in the log"],
  ])("are refused: orders slips %s", async (words, message) => {
    const home = await homeWith(1);
    const { exit, stdout, stderr } = await home.courier(`orders slips ${words}`);
    expect([exit, stdout, home.sandbox.requests]).toEqual([2, "", []]);
    expect(stderr).toContain(message);
  });

  test("a run says how many of its orders are in doubt; one without an order is refused", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2")));
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect((await home.run()).exit).toBe(6);
    home.sandbox.faults.clear();
    const { exit, stdout, stderr } = await home.courier("orders slips --run 1 --json");
    expect([exit, JSON.parse(stdout).map(({ ref }: { ref: string }) => ref)]).toEqual([6, ["A-2"]]);
    expect(errorOf({ stderr })).toMatchObject({
      code: "outcome_unknown",
      message: "run 1 has 1 order in doubt, without a slip",
      hint: "courier log show 1 lists them",
    });

    const refused = await createImportHome(sheet(row("A-1", "王五", "12")));
    expect((await refused.run()).exit).toBe(3);
    const none = await refused.courier("orders slips --run 1");
    expect([none.exit, none.stdout]).toEqual([2, ""]);
    expect(none.stderr).toContain("run 1 created no order");
  });

  test("an order of another machine that covers a row is none of the run's", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "13900139002")));
    const first = await createAtService(home, {
      sender: { name: "张三", phone: "13800138000" },
      receiver: { name: "李四", phone: "13900139000", city: "北京市", detail: "建国路88号" },
      item: { name: "茶叶", weight: 1.5, quantity: 1 },
    });
    expect((await home.run("--skip-shipped")).exit).toBe(0);
    const { stdout } = await home.courier("orders slips --run 1 --json");
    const slips = JSON.parse(stdout) as { id: number; ref: string }[];
    expect(slips.map(({ ref }) => ref)).toEqual(["A-2"]);
    expect(slips.map(({ id }) => String(id))).not.toContain(first.id);
  });

  test("a run that was killed while it sent an order says that it is in doubt", async () => {
    const home = await createServedHome();
    await recordRun(home, ["created", "sending"], {
      process: { ...identifyProcess(process), pid: deadPid(), started: "1" },
    });
    const { exit, stdout, stderr } = await home.courier("orders slips --run 1 --json");
    expect([exit, JSON.parse(stdout).length], stderr).toEqual([6, 1]);
    expect(errorOf({ stderr }).message).toBe("run 1 has 1 order in doubt, without a slip");
  });

  test("a run of another account is refused, with the right one", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    expect((await home.run()).exit).toBe(0);
    const other = await home.courier("orders slips --run 1 --account sandbox", {
      env: { COURIER_BASE_URL: "", COURIER_API_KEY: "" },
    });
    expect([other.exit, other.stdout]).toEqual([2, ""]);
    expect(other.stderr).toContain("run 1 ");
  });
});

describe("an order that is not there", () => {
  test("among others is named, and the others are written: exit 3", async () => {
    const home = await homeWith(3);
    const { exit, stderr } = await home.slips("1 99 2 98");
    expect(exit).toBe(3);
    expect(stderr).toContain("error: 2 of 4 orders have no slip: 99, 98\n");
    expect(cutSlips(await home.page())).toHaveLength(2);
    const json = await home.courier("orders slips 1 99 --json");
    expect([JSON.parse(json.stdout).length, errorOf(json).message]).toEqual([
      1,
      "1 of 2 orders has no slip: 99",
    ]);
  });

  test.each([
    ["99", 1],
    ["99 98", 3],
  ])("alone writes nothing over an older page: %s", async (ids, code) => {
    const home = await homeWith(1);
    await writeFile(home.at("slips.html"), "old");
    const { exit, stderr } = await home.slips(ids);
    expect([exit, await home.page()]).toEqual([code, "old"]);
    expect(stderr).not.toContain("wrote");
    expect((await readdir(home.directory)).filter((name) => name.includes(".part"))).toEqual([]);
  });
});

describe("a number that another order has by now", () => {
  async function homeWithCorrected() {
    let isCorrected = false;
    const home = await createUnfaithfulHome({
      rewrite: (shown) => {
        const last = isCorrected ? 3 - Number(shown.id) : shown.id;
        return { ...shown, order_no: `N${shown.id}`, tracking_number: `UT346100000${last}` };
      },
    });
    for (const name of ["王五", "李四"])
      home.service.foreign({ ...plainDraft, receiver: { ...plainDraft.receiver, name } });
    expect((await home.courier("sync")).exit).toBe(0);
    isCorrected = true;
    return home;
  }
  const warning = "warning: UT3461000001 was known as a number of order 1, which has N1 and UT3461000002\n";

  test("has no slip of the order that it led to: exit 3, with what the service shows", async () => {
    const home = await homeWithCorrected();
    const ran = await home.courier("orders slips UT3461000001");
    expect([ran.exit, ran.stdout, ran.stderr]).toEqual([
      3,
      "",
      `${warning}error: order 1 may be another one than is meant, and has no slip\nhint: name it by its id to print it: courier orders slips 1\n`,
    ]);
    expect((await home.courier("orders slips 1")).exit).toBe(0);
  });

  test("is named beside others, whose slips are printed", async () => {
    const home = await homeWithCorrected();
    const ran = await home.courier("orders slips UT3461000001 2 --json");
    expect([ran.exit, JSON.parse(ran.stdout).map(({ id }: { id: number }) => id)]).toEqual([3, [2]]);
    expect(ran.stderr).toContain(warning);
    expect(errorOf(ran).message).toBe("1 of 2 orders has no slip: 1");
  });

  test("has a slip where the id names the order, too, and is told: exit 3", async () => {
    const home = await homeWithCorrected();
    const ran = await home.courier("orders slips UT3461000001 1 --json");
    expect([ran.exit, JSON.parse(ran.stdout).length]).toEqual([3, 1]);
    expect(ran.stderr).toContain(warning);
    expect(errorOf(ran).message).toBe("UT3461000001 may mean another order, which has no slip");
  });
});

describe("where it goes", () => {
  test("a terminal gets no page but a hint, unless -o - asks for it", async () => {
    const home = await homeWith(1);
    const refused = await home.courier("orders slips 1 --no-color", { terminal: 80 });
    expect([refused.exit, refused.stdout, home.sandbox.requests]).toEqual([2, "", []]);
    expect(refused.stderr).toContain("error: the slips are a page for a browser, and not for a terminal");
    expect(refused.stderr).toContain("hint: write them to a file: -o slips.html");
    for (const ran of [
      await home.courier("orders slips 1 -o -", { terminal: 80 }),
      await home.courier("orders slips 1"),
    ])
      expect([ran.exit, ran.stdout]).toEqual([
        0,
        expect.stringMatching(/^<!doctype html>[\s\S]*<\/html>\n$/),
      ]);
  });

  test.each([
    ["--bom", "--bom is for CSV, and not for html"],
    ["--fields id", "--fields chooses columns, and the slips are a page"],
  ])("what is for rows is refused for the page: %s", async (words, message) => {
    const home = await homeWith(1);
    const { exit, stdout, stderr } = await home.slips(`1 ${words}`);
    expect([exit, stdout, home.sandbox.requests]).toEqual([2, "", []]);
    expect(stderr).toContain(message);
    expect((await home.courier(`orders slips 1 --csv ${words}`)).exit).toBe(0);
  });

  test("a name that promises another kind of page is refused", async () => {
    const home = await homeWith(1);
    const { exit, stderr } = await home.courier("orders slips 1 -o slips.PDF");
    expect([exit, home.sandbox.requests]).toEqual([2, []]);
    expect(stderr).toContain("error: cannot write .PDF files\n");
    expect(stderr).toContain("hint: use -o slips.html; a browser prints it to a PDF file");
  });

  test("a file gets the page whole, or stays", async () => {
    const home = await homeWith(30);
    await writeFile(home.at("slips.html"), "old");
    home.sandbox.faults.set([{ kind: "status", status: 500, path: "/api/v1/orders/20" }]);
    expect((await home.slips("--from 2020-01-01")).exit).toBe(5);
    expect(await home.page()).toBe("old");
  });

  test("no orders are a page that says so", async () => {
    const home = await homeWith(0);
    const { exit, stderr } = await home.slips("--status paid");
    expect([exit, cutSlips(await home.page())]).toEqual([0, []]);
    expect(stderr).toContain("wrote 0 slips");
    expect(textOf(await home.page())).toContain("No orders");
  });

  test("the data come as JSON, with null for what is missing", async () => {
    const home = await homeWith(0);
    const { id, order_no, tracking_number } = await createOrder(home, plainDraft);
    const [slip] = JSON.parse((await home.courier(`orders slips ${id} --json`)).stdout);
    expect(slip).toEqual({
      id,
      order_no,
      tracking_number,
      ref: null,
      status: "pending",
      sender: { name: "张三", phone: "13800138000", address: "广东省深圳市南山区科技园路1号 A座 502" },
      receiver: { name: "李四", phone: "13900139000", address: "北京市北京市朝阳区建国路88号" },
      item: { name: "手机", description: "全新,未拆封", quantity: 1 },
    });
    const csv = await home.courier(`orders slips ${id} --csv`);
    expect(csv.stdout).toMatch(/^id,order_no,tracking_number,ref,status,sender.name,/);
  });
});

test("an order that is named twice, once with zeros before its id, has one slip", async () => {
  const { slips, page, ...home } = await homeWith(0);
  const { id } = await createOrder(home);
  const { exit, stderr } = await slips(`${id} 0${id}`);
  expect(exit, stderr).toBe(0);
  expect((await page()).match(/<svg/g)).toHaveLength(1);
});
