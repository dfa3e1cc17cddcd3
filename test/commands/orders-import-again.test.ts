/** courier orders import again and again: it continues where it stopped, whatever happened to the file or the service. */

import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  createImportHome,
  errorOf,
  header,
  type ImportHome,
  lostForNow,
  outcomes,
  row,
  sheet,
  withLedger,
} from "../support/imports.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";
import type { WireRule } from "../support/wire-faults.ts";

const post = { method: "POST", path: "/api/v1/orders" } as const;

describe("the same file again", () => {
  test("is done: nothing is sent, and the report names the same orders", async () => {
    const home = await createImportHome(sheet(row("A-1"), row(""), row("")));
    const first = await home.run();
    const again = await home.run();
    expect([first.exit, again.exit]).toEqual([0, 0]);
    expect(outcomes(again.report)).toBe("shipped shipped shipped");
    expect(again.report.map(({ id }) => id).sort()).toEqual(first.report.map(({ id }) => id).sort());
    expect(again.stderr).toContain("from earlier runs: 3 already shipped; 0 to send");
    expect(home.posts).toBe(3);
  });

  test("asks no question where nothing is to be sent", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await home.run();
    const ran = await home.courier(["orders", "import", home.file], { terminal: 100 });
    expect([ran.exit, home.posts]).toEqual([0, 1]);
  });

  test("refused rows are tried again only when told to, or when they changed", async () => {
    const home = await createImportHome(sheet(row("A-1", "李四", "12"), row("A-2", "王五", "12")));
    expect((await home.run()).exit).toBe(3);
    const unchanged = await home.run();
    expect([unchanged.exit, outcomes(unchanged.report)]).toEqual([3, "refused refused"]);
    expect(unchanged.report[0]?.error).toMatchObject({ code: "INVALID_PARAMETER", column: "receiver.phone" });
    expect(home.posts).toBe(2);
    expect((await home.run("--retry-refused")).exit).toBe(3);
    expect(home.posts).toBe(4);
    await home.put(sheet(row("A-1", "李四"), row("A-2", "王五", "12")));
    expect(outcomes((await home.run()).report)).toBe("created refused");
    expect(home.posts).toBe(5);
  });

  test("the hint of a refusal that is no fault of the row leads to its order", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    const post = { method: "POST", path: "/api/v1/orders" } as const;
    home.sandbox.faults.set([{ ...post, kind: "refuse", status: 402, code: "BALANCE", message: "no money" }]);
    const first = await home.run("--settle 0s");
    expect([first.exit, outcomes(first.report)]).toEqual([3, "refused"]);
    expect(errorOf(first).hint).toContain(
      "; where a row is right, add --retry-refused once the cause is gone",
    );
    home.sandbox.faults.clear();
    expect(outcomes((await home.run("--retry-refused")).report)).toBe("created");
  });

  test("a row without a ref that was sent from the file of rejects is not called refused", async () => {
    const home = await createImportHome(sheet(row(""), row("", "王五", "13700137000")));
    const closed = {
      kind: "refuse",
      status: 422,
      code: "AREA_CLOSED",
      message: "area is closed today",
    } as const;
    home.sandbox.faults.set([{ ...closed, method: "POST", path: "/api/v1/orders", after: 1 }]);
    const rejects = path.join(home.directory, "rejects.csv");
    const words = `--settle 0s --concurrency 1 --rejects ${rejects}`;
    expect(outcomes((await home.run(words)).report)).toBe("created refused");
    home.sandbox.faults.clear();
    expect(outcomes((await home.importFile(rejects, "--retry-refused")).report)).toBe("created");
    const written = path.join(home.directory, "written.csv");
    const plain = await home.courier(`orders write-back ${home.file} -o ${written} --json`);
    expect(JSON.parse(plain.stdout)).toMatchObject({ orders: 1, not_created: 0, unknown: 1 });
    expect(await readFile(written, "utf8")).toMatch(
      /^,张三,.*,,,,,equals order 1000002 \(operation 2\.1\)$/m,
    );
    const again = await home.run();
    expect(again.report, again.stderr).toMatchObject([
      { outcome: "shipped" },
      { outcome: "held", error: { message: "equals order 1000002 (operation 2.1)" } },
    ]);
    expect(outcomes((await home.run("--skip-shipped")).report)).toBe("shipped shipped");
    expect(home.posts).toBe(3);
  });

  test("--retry-refused sends a row once, also where a refusal is checked before it counts", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("", "王五")));
    const post = { method: "POST", path: "/api/v1/orders" } as const;
    home.sandbox.faults.set([{ ...post, kind: "refuse", status: 402, code: "BALANCE", message: "no money" }]);
    expect(outcomes((await home.run("--settle 0s")).report)).toBe("refused refused");
    const again = await home.run("--settle 0s --retry-refused");
    expect([again.exit, outcomes(again.report), home.posts]).toEqual([3, "refused refused", 4]);
    expect(again.report[0]?.error).toMatchObject({ code: "BALANCE" });
  });

  test("a reason with a NUL in it is there as a whole the next time, too", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    const refusal = { kind: "refuse", status: 422, code: "BAD_PHONE", message: "bad\0phone" } as const;
    home.sandbox.faults.set([{ method: "POST", path: "/api/v1/orders", ...refusal }]);
    await home.run("--settle 0s");
    const again = await home.run();
    expect(again.report[0]?.error?.message).toContain("bad\ufffdphone (BAD_PHONE)");
  });

  test("without a ref, a refused row is known as well, and a fixed one is a new row", async () => {
    const home = await createImportHome(sheet(row("", "李四", "12"), row("", "李四", "12"), row("", "王五")));
    expect(outcomes((await home.run()).report)).toBe("refused refused created");
    expect(outcomes((await home.run()).report)).toBe("refused refused shipped");
    expect(home.posts).toBe(3);
    expect(outcomes((await home.run("--retry-refused")).report)).toBe("refused refused shipped");
    expect(home.posts).toBe(5);
    await home.put(sheet(row("", "李四"), row("", "李四", "12"), row("", "王五")));
    expect(outcomes((await home.run()).report)).toBe("created refused shipped");
  });

  test("a page of a gateway that says 403 is no refusal of the service: the row is in doubt, then tried again", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2")));
    const page = {
      kind: "status",
      status: 403,
      body: "<html>blocked</html>",
      contentType: "text/html",
    } as const;
    home.sandbox.faults.set([{ ...post, ...page, times: 2 }]);
    const first = await home.run();
    expect(first.exit).toBe(6);
    expect(outcomes(first.report)).toBe("unknown unknown");
    const again = await home.run(listsAtOnce);
    expect(again.exit).toBe(0);
    expect(outcomes(again.report)).toBe("created created");
  });

  test("two rows that one order fits are in doubt, and neither takes it for the other's", async () => {
    const heading = "ref,sender.name,receiver.name,item.name,item.weight\n";
    const home = await createImportHome(`${heading}A-1,张三,李四,书,\nA-2,张三,李四,书,1.50\n`);
    home.sandbox.faults.set([
      { ...post, kind: "drop_before", times: 1 },
      { ...post, kind: "drop_after", times: 1 },
    ]);
    const { exit, report } = await home.run("--concurrency 2");
    expect(exit).toBe(6);
    expect(outcomes(report)).toBe("unknown unknown");
    expect(await home.receivers()).toHaveLength(1);
  });

  test("of rows without a ref, those that were added, reordered or taken out change nothing for the others", async () => {
    const rows = [row("A-1"), row("", "王五"), row("", "王五"), row("", "赵六")];
    const home = await createImportHome(sheet(...rows));
    await home.run();
    const [a = "", b = "", c = "", d = ""] = rows;
    await home.put(sheet(d, row("N-1", "孙七"), c, a, b, row("", "王五")));
    const { exit, report } = await home.run();
    expect(exit).toBe(0);
    expect(outcomes(report)).toBe("shipped created shipped shipped shipped created");
    expect(await home.receivers()).toEqual(["李四", "王五", "王五", "赵六", "孙七", "王五"]);
    await home.put(sheet(a, b, c));
    expect(outcomes((await home.run()).report)).toBe("shipped shipped shipped");
    expect(home.posts).toBe(6);
  });
});

describe("a row whose ref has shipped with other values", () => {
  async function edited() {
    const home = await createImportHome(sheet(row("A-1"), row("A-2")));
    await home.run();
    await home.put(sheet(row("A-1", "赵六", "13600136000"), row("A-2"), row("A-3", "王五")));
    return home;
  }

  test("is told with its columns and not sent: exit 3, the others ship", async () => {
    const home = await edited();
    const ran = await home.run();
    expect([ran.exit, outcomes(ran.report), home.posts]).toEqual([3, "changed shipped created", 3]);
    expect(ran.report[0]).toMatchObject({
      id: 1000001,
      error: {
        code: "changed",
        message: "order 1000001 was made from other values: receiver.name, receiver.phone",
      },
    });
    expect(errorOf(ran)).toMatchObject({
      code: "some_refused",
      message: "of 3 rows: 1 changed since it was shipped",
      hint: "--skip-changed accepts changed rows as they were shipped; if another shop or day uses the same numbers: --shop NAME",
    });
  });

  test("names a column once that holds several of its fields", async () => {
    const rows = (address: string) =>
      `ref,sender.name,receiver.name,receiver.address,item.name\nA-1,张三,李四,${address},书\n`;
    const home = await createImportHome(rows("北京市朝阳区建国路88号"));
    await home.run();
    await home.put(rows("广东省深圳市南山区科技园1号楼"));
    const { report } = await home.run();
    expect(report[0]?.error?.message).toBe("order 1000001 was made from other values: receiver.address");
  });

  test("names its columns as the file does", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await home.run();
    await home.put(sheet(row("A-1", "赵六")).replace("receiver.name", "收件人姓名"));
    const { report } = await home.run();
    expect(report[0]?.error?.message).toContain("from other values: 收件人姓名");
  });

  test("with --skip-changed is exit 0, and still not sent", async () => {
    const home = await edited();
    const ran = await home.run("--skip-changed");
    expect([ran.exit, outcomes(ran.report), home.posts]).toEqual([0, "changed shipped created", 3]);
  });

  test("is not changed by how a number or a blank is written", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("")));
    await home.run();
    await home.put(
      sheet(row("A-1"), row("")).replaceAll("1.50", "1.5").replaceAll("建国路88号", " 建国路88号 "),
    );
    const ran = await home.run();
    expect([ran.exit, outcomes(ran.report), home.posts]).toEqual([0, "shipped shipped", 2]);
  });

  test("is not changed by another --sender: a default is not what the row says", async () => {
    const home = await createImportHome("ref,receiver.name,item.name\nA-1,A,B\n");
    await home.courier("addresses add shop --name Shop");
    await home.courier("addresses add depot --name Depot");
    expect((await home.run("--sender @shop")).exit).toBe(0);
    const ran = await home.run("--sender @depot");
    expect([ran.exit, outcomes(ran.report), home.posts]).toEqual([0, "shipped", 1]);
    await home.put("ref,receiver.name,item.name\nA-1,A,C\n");
    expect(outcomes((await home.run("--sender @depot")).report)).toBe("changed");
  });

  test("that was refused is new, and its old refusal is not told again", async () => {
    const home = await createImportHome(sheet(row("A-1", "李四", "12")));
    await home.run();
    await home.put(sheet(row("A-1")));
    expect(outcomes((await home.run()).report)).toBe("created");
    expect(outcomes((await home.run()).report)).toBe("shipped");
  });

  test("whose order was cancelled is told, and not sent: exit 0", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("", "王五")));
    await home.run("--concurrency 1");
    expect((await home.courier("orders cancel 1000001 1000002 --yes")).exit).toBe(0);
    const ran = await home.run();
    expect([ran.exit, outcomes(ran.report), home.posts]).toEqual([0, "cancelled cancelled", 2]);
    expect(ran.report[0]?.error?.message).toBe("order 1000001 was cancelled");
    const again = await home.run("--allow-duplicate A-1");
    expect([again.exit, outcomes(again.report)]).toEqual([0, "created cancelled"]);
    expect(outcomes((await home.run("--allow-duplicate A-1")).report), "no third order").toBe(
      "shipped cancelled",
    );
  });
});

describe("a row without a ref in another file, whose order was cancelled", () => {
  const warning =
    "1 row with the values of an order that was cancelled (is its parcel still wanted?): row 1: order 1000001";

  test("is sent with a warning, by --check and before the question, and once only", async () => {
    const home = await createImportHome(sheet(row("")));
    await home.run();
    expect((await home.courier(["orders", "cancel", "1000001", "--yes"])).exit).toBe(0);
    const file = await home.put(sheet(row(""), row("", "王五")), "longer.csv");
    const check = await home.courier(["orders", "import", file, "--check"]);
    expect(check.stdout.replace(/\s+/g, " ")).toContain(warning);
    const json = await home.courier(["orders", "import", file, "--check", "--json"]);
    expect(JSON.parse(json.stdout).warnings).toContainEqual({
      code: "cancelled_before",
      count: 1,
      rows: ["row 1: order 1000001"],
    });
    const { exit, stderr, report } = await home.importFile(file);
    expect(stderr).toContain(warning);
    expect([exit, outcomes(report)]).toEqual([0, "created created"]);
    home.clock.advance(86_400_000);
    const longest = await home.put(sheet(row(""), row("", "赵六")), "longest.csv");
    const next = await home.courier(["orders", "import", longest, "--check"]);
    expect(next.stdout).not.toContain("cancelled");
  });

  test("but not where each has a ref of its own", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await home.run();
    await home.courier(["orders", "cancel", "1000001", "--yes"]);
    const file = await home.put(sheet(row("B-1")), "other.csv");
    const check = await home.courier(["orders", "import", file, "--check"]);
    expect(check.stdout).not.toContain("cancelled");
  });
});

describe("a row that was corrected after its order was cancelled", () => {
  test("is told, with the flag that ships it: exit 3", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五")));
    await home.run("--concurrency 1");
    expect((await home.courier("orders cancel 1000001 1000002 --yes")).exit).toBe(0);
    await home.put(sheet(row("A-1", "李四", "13700137000"), row("A-2", "王五")));
    const ran = await home.run();
    expect([ran.exit, outcomes(ran.report), home.posts]).toEqual([3, "cancelled cancelled", 2]);
    expect(ran.report[0]?.error?.message).toBe(
      "order 1000001 was cancelled, and was made from other values: receiver.phone",
    );
    expect(errorOf(ran)).toMatchObject({
      message: "of 2 rows: 1 changed since its order was cancelled",
      hint: "to ship the changed row N of a cancelled order: --allow-duplicate row:N; --skip-changed leaves it out",
    });
    expect((await home.run("--skip-changed")).exit).toBe(0);
    const sent = await home.run("--allow-duplicate row:1");
    expect([sent.exit, outcomes(sent.report)], sent.stderr).toEqual([0, "created cancelled"]);
    expect(outcomes((await home.run()).report)).toBe("shipped cancelled");
  });
});

test("a corrected row whose order was cancelled is held by an equal order that was sent since", async () => {
  const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五")));
  await home.run("--concurrency 1");
  const cancelled = await home.courier("orders cancel 1000001 --yes");
  expect(cancelled.exit, cancelled.stderr).toBe(0);
  const corrected = row("A-1", "李四", "13700137000");
  const single = await home.put(sheet(row("", "李四", "13700137000")), "single.csv");
  expect(outcomes((await home.importFile(single)).report)).toBe("created");
  await home.put(sheet(corrected, row("A-2", "王五")));
  const ran = await home.run();
  expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([3, "held shipped"]);
  expect(ran.report[0]?.error?.message).toContain("equals order 1000003");
});

describe("a row that lost its ref or got one", () => {
  test("is held while an equal order may be its own; another ref is another order", async () => {
    const home = await createImportHome(sheet(row("", "王五"), row("A-2", "赵六"), row("A-3", "孙七")));
    await home.run();
    await home.put(sheet(row("X-1", "王五"), row("", "赵六"), row("X-3", "孙七")));
    const ran = await home.run();
    expect([ran.exit, outcomes(ran.report), home.posts]).toEqual([3, "held held created", 4]);
    expect(errorOf(ran).hint).toBe(
      "--skip-shipped counts a row that equals an order, or has the number of one, as shipped; --allow-duplicate row:N ships row N as well",
    );
    const allowed = await home.run("--allow-duplicate X-1,row:2");
    expect([allowed.exit, outcomes(allowed.report), home.posts]).toEqual([0, "created created shipped", 6]);
    const again = await home.run("--allow-duplicate X-1,row:2");
    expect([outcomes(again.report), home.posts]).toEqual(["shipped shipped shipped", 6]);
  });

  test("is held also where the answer of the first was lost, and nothing can be looked up", async () => {
    const home = await createImportHome(sheet(row("", "王五")));
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect((await home.run()).exit).toBe(6);
    await home.put(sheet(row("X-1", "王五")));
    home.sandbox.faults.set(lostForNow("drop_after", 0));
    for (const words of ["", "--allow-duplicate X-1", "--skip-shipped"]) {
      expect((await home.run(words)).exit, words).not.toBe(0);
      expect(home.posts, words).toBe(1);
    }
    home.sandbox.faults.clear();
    const looked = await home.run();
    expect([looked.exit, outcomes(looked.report)]).toEqual([3, "held"]);
    expect(looked.report[0]?.error?.message).toMatch(/^equals order 1000001 /);
    expect(home.posts).toBe(1);
  });
});

/** What is known of the sandbox. */
const listsAtOnce = "--settle 10s";

describe("a lost answer", () => {
  test.each<[string, WireRule[]]>([
    ["before processing", [{ ...post, kind: "drop_before", times: 2 }]],
    ["after processing", [{ ...post, kind: "drop_after", times: 2 }]],
    ["as a 503 that did nothing", [{ ...post, kind: "status", status: 503, times: 2 }]],
    ["as a 500 that did its work", [{ ...post, kind: "status", status: 500, processed: true, times: 2 }]],
    ["as a page of a proxy", [{ ...post, kind: "garbage", processed: true, times: 1 }]],
    ["in the middle of the body", [{ ...post, kind: "drop_mid_body", times: 2 }]],
  ])("%s ends with each row once", async (_what, faults) => {
    const home = await createImportHome(sheet(row("A-1"), row("", "王五"), row("", "王五"), row("", "赵六")));
    home.sandbox.faults.set(faults);
    const { exit, report } = await home.run(listsAtOnce);
    expect(exit).toBe(0);
    expect(new Set(report.map(({ id }) => id)).size).toBe(4);
    expect([...(await home.receivers())].sort()).toEqual(["李四", "王五", "王五", "赵六"].sort());
  });

  test("as a page with HTTP 200 may be a success: its order is waited for as after a timeout", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    home.sandbox.faults.set([{ ...post, kind: "garbage", times: 1 }]);
    const first = await home.run(listsAtOnce);
    expect([first.exit, outcomes(first.report), home.posts]).toEqual([6, "unknown", 1]);
    home.clock.advance(60_000);
    const later = await home.run(listsAtOnce);
    expect([later.exit, outcomes(later.report), home.posts], later.stderr).toEqual([0, "created", 2]);
  });

  test("of one of two equal rows leaves the other's order alone: both are orders, in one run", async () => {
    const home = await createImportHome(sheet(row("", "王五"), row("", "王五")));
    home.sandbox.faults.set([{ ...post, kind: "drop_before", times: 1 }]);
    const { exit, report } = await home.run(`--concurrency 1 ${listsAtOnce}`);
    expect(exit).toBe(0);
    expect(report.map(({ id }) => id).sort()).toEqual([1000001, 1000002]);
    expect(await home.receivers()).toEqual(["王五", "王五"]);
  });

  test("where orders may be the row's but not for certain: exit 6, they are named, nothing is sent twice", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    home.sandbox.faults.set(lostForNow("drop_after"));
    const first = await home.run();
    expect([first.exit, outcomes(first.report)]).toEqual([6, "unknown"]);
    // Somebody else made an equal order.
    home.sandbox.faults.clear();
    await postAgain(home);
    const { exit, report, stderr } = await home.run();
    expect(exit).toBe(6);
    expect(report[0]).toMatchObject({ outcome: "unknown", error: { code: "outcome_unknown" } });
    expect(report[0]?.error?.message).toMatch(
      /^in doubt; possible matches: (1000001, 1000002|1000002, 1000001); decide with courier orders resolve 1\.1$/,
    );
    expect(stderr).toContain("it is not known whether 1 of 1 order was created");
    expect(home.posts).toBe(2);
  });

  test("a row that was changed before it was looked for is not sent: its first form may be an order", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect((await home.run()).exit).toBe(6);
    home.sandbox.faults.clear();
    await home.put(sheet(row("A-1", "王五")));
    const changed = await home.run();
    expect([changed.exit, outcomes(changed.report), home.posts]).toEqual([3, "changed", 1]);
    expect(changed.report[0]?.id).toBe(1000001);
    await home.put(sheet(row("A-1")));
    expect((await home.run()).exit).toBe(0);
    expect(await home.receivers()).toEqual(["李四"]);
  });

  test("days later, the order is still found", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("", "王五")));
    home.sandbox.faults.set(lostForNow("drop_after", 2));
    expect((await home.run()).exit).toBe(6);
    home.sandbox.faults.clear();
    home.clock.advance(3 * 86_400_000);
    const found = await home.run();
    expect([found.exit, outcomes(found.report)]).toEqual([0, "found found"]);
    expect(outcomes((await home.run()).report)).toBe("shipped shipped");
    expect(await home.receivers()).toHaveLength(2);
  });

  test("of an earlier run is reported also when this run ends before that row's turn: exit 6", async () => {
    const home = await createImportHome(sheet(row("A-1", "王五"), row("A-2", "赵六")));
    home.sandbox.faults.set([
      { ...post, kind: "drop_after", after: 1, times: 1 },
      ...lostForNow("drop_after", 0),
    ]);
    expect((await home.run("--concurrency 1")).exit).toBe(6);
    const more = Array.from({ length: 30 }, (_, index) => row(`B-${index}`, `名${index}`));
    await home.put(sheet(...more, row("A-1", "王五"), row("A-2", "赵六")));
    home.sandbox.faults.set([
      { ...post, kind: "rate_limit", retryAfter: "7200" },
      ...lostForNow("drop_after", 0),
    ]);
    const ran = await home.run("--concurrency 1");
    expect([ran.exit, outcomes(ran.report)]).toEqual([6, "shipped unknown"]);
    expect(ran.report[1]?.ref).toBe("A-2");
    expect(errorOf(ran).message).toContain("the import stopped: ");
  });
});

describe("two shops that number their orders alike", () => {
  test("are told apart by --shop, which is saved with the column names", async () => {
    const home = await createImportHome(sheet(row("1001", "王五")));
    expect((await home.run("--shop one --map error=item.description --save-map one --check")).exit).not.toBe(
      0,
    );
    expect((await home.run("--shop one --save-map one --replace")).exit).toBe(0);
    const two = await home.put(sheet(row("1001", "赵六")), "two.csv");
    const unnamed = await home.importFile(two, "--use-map one");
    expect([unnamed.exit, outcomes(unnamed.report)]).toEqual([3, "changed"]);
    const named = await home.importFile(two, "--shop two");
    expect([named.exit, outcomes(named.report), home.posts]).toEqual([0, "created", 2]);
    expect(outcomes((await home.importFile(two, "--shop two")).report)).toBe("shipped");
    expect(outcomes((await home.run("--use-map one")).report), "the saved shop").toBe("shipped");
    expect(outcomes((await home.importFile(two)).report), "the order of the shop two").toBe("held");
    await home.put(sheet(row("1001", "孙八")));
    expect(outcomes((await home.run()).report), "no shop is a shop of its own").toBe("created");
  });
});

describe("yesterday's rows and today's as one longer file", () => {
  const yesterday = [row("A-1", "王五"), row("A-2", "赵六")];
  const unnamed = [row("", "王五"), row("", "赵六"), row("", "赵六")];

  test("with refs ships the new rows alone, under any name", async () => {
    const home = await createImportHome(sheet(...yesterday));
    await home.run();
    home.clock.advance(86_400_000);
    const today = await home.put(sheet(row("A-3", "孙七"), ...yesterday, row("A-4", "王五")), "today.csv");
    const { exit, report } = await home.importFile(today);
    expect([exit, outcomes(report), home.posts]).toEqual([0, "created shipped shipped created", 4]);
  });

  test("without refs does so at the same path", async () => {
    const home = await createImportHome(sheet(...unnamed));
    await home.run();
    home.clock.advance(86_400_000);
    await home.put(sheet(row("", "孙七"), ...unnamed, row("", "赵六")));
    const { exit, report } = await home.run();
    expect([exit, outcomes(report), home.posts]).toEqual([0, "created shipped shipped shipped created", 5]);
  });

  test("without refs under another name is held: nothing tells it from other orders", async () => {
    const home = await createImportHome(sheet(...unnamed));
    await home.run();
    home.clock.advance(30 * 86_400_000);
    const today = await home.put(sheet(...unnamed, row("", "孙七")), "today.csv");
    const { exit, report } = await home.importFile(today);
    expect([exit, outcomes(report), home.posts]).toEqual([3, "held held held created", 4]);
    expect(outcomes((await home.importFile(today, "--skip-shipped")).report)).toBe(
      "shipped shipped shipped shipped",
    );
  });
});

describe("the same rows elsewhere", () => {
  const rows = [row("A-1"), row("", "王五"), row("", "王五"), row("", "赵六")];

  async function copyOf(home: ImportHome, name: string, ...lines: string[]) {
    await mkdir(path.dirname(path.join(home.directory, name)), { recursive: true });
    return home.put(sheet(...lines), name);
  }

  test.each<[string, string, readonly string[]]>([
    ["a renamed copy", "renamed.csv", rows],
    ["a copy in another directory", "below/orders.csv", rows],
    ["a re-sorted copy", "sorted.csv", rows.toReversed()],
  ])("%s is the same file: nothing is sent", async (_what, name, lines) => {
    const home = await createImportHome(sheet(...rows));
    await home.run();
    const ran = await home.importFile(await copyOf(home, name, ...lines));
    expect([ran.exit, outcomes(ran.report), home.posts]).toEqual([0, "shipped shipped shipped shipped", 4]);
  });

  test("from stdin, as JSON, or by a link it is, too", async () => {
    const home = await createImportHome(sheet(...rows));
    await home.run();
    const piped = await home.importFile("-", "", { stdin: await readFile(home.file, "utf8") });
    expect(outcomes(piped.report)).toBe("shipped shipped shipped shipped");
    await symlink(home.directory, path.join(home.directory, "linked"));
    const linked = await home.importFile(path.join(home.directory, "linked", "orders.csv"));
    expect(outcomes(linked.report)).toBe("shipped shipped shipped shipped");
    expect(home.posts).toBe(4);
  });

  test("that was moved and grew afterwards is still the file it was", async () => {
    const home = await createImportHome(sheet(row("", "王五")));
    await home.run();
    const moved = await home.put(sheet(row("", "王五")), "moved.csv");
    expect(outcomes((await home.importFile(moved)).report)).toBe("shipped");
    await home.put(sheet(row("", "王五"), row("", "王五")), "moved.csv");
    expect(outcomes((await home.importFile(moved)).report)).toBe("shipped created");
    expect(home.posts).toBe(2);
  });

  test("a lost answer of one is looked for by the other", async () => {
    const home = await createImportHome(sheet(row("", "王五"), row("", "赵六")));
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect((await home.run("--concurrency 2")).exit).toBe(6);
    home.sandbox.faults.clear();
    const copy = await home.put(sheet(row("", "赵六"), row("", "王五")), "copy.csv");
    const ran = await home.importFile(copy);
    expect([ran.exit, outcomes(ran.report), home.posts]).toEqual([0, "shipped found", 2]);
  });

  test("of another account is none of its business", async () => {
    const home = await createImportHome(sheet(...rows));
    await home.run();
    const env = { COURIER_ACCOUNT: "sandbox", COURIER_API_KEY: "", COURIER_BASE_URL: "" };
    expect(outcomes((await home.run("", { env })).report)).toBe("created created created created");
  });
});

describe("an equal row in another file", () => {
  const rows = [row("", "王五"), row("", "赵六"), row("", "赵六")];

  async function shipped() {
    const home = await createImportHome(sheet(...rows));
    expect((await home.run()).exit).toBe(0);
    const other = await home.put(sheet(...rows, row("", "孙七")), "other.csv");
    return { home, other };
  }

  test("is held, told before anything is sent, and the rest ships: exit 3", async () => {
    const { home, other } = await shipped();
    const ran = await home.importFile(other);
    expect([ran.exit, outcomes(ran.report), home.posts]).toEqual([3, "held held held created", 4]);
    expect(ran.stderr).toMatch(
      /warning: 3 rows are held and not sent: row 1: equals order 100000\d \(operation 1\.\d\); row 2: /,
    );
    expect(ran.report[0]?.error).toMatchObject({ code: "duplicate" });
    expect(errorOf(ran).message).toBe("of 4 rows: 3 held");
    const checked = await home.courier(["orders", "import", other, "--check", "--json"]);
    expect(JSON.parse(checked.stdout)).toMatchObject({ to_send: 0, held: 3, shipped: 1 });
  });

  test("counts as shipped with --skip-shipped: exit 0", async () => {
    const { home, other } = await shipped();
    const ran = await home.importFile(other, "--skip-shipped");
    expect([ran.exit, outcomes(ran.report), home.posts]).toEqual([0, "shipped shipped shipped created", 4]);
  });

  test("--allow-duplicate that names a row which nothing holds makes one order, also after a lost answer", async () => {
    const home = await createImportHome(sheet(row("D-1"), row("", "王五")));
    home.sandbox.faults.set([{ method: "POST", kind: "drop_after", times: 1 }]);
    const words = "--allow-duplicate D-1,row:2 --settle 10s --concurrency 1";
    expect(outcomes((await home.run(words)).report)).toBe("found created");
    expect([outcomes((await home.run(words)).report), home.posts]).toEqual(["shipped shipped", 2]);
  });

  test("--allow-duplicate says nothing of a row whose own order is in doubt", async () => {
    const home = await createImportHome(sheet(row("D-1")));
    home.sandbox.faults.set([
      { method: "POST", kind: "drop_after", times: 1 },
      { method: "GET", path: "/api/v1/orders", kind: "status", status: 500 },
    ]);
    expect(outcomes((await home.run()).report)).toBe("unknown");
    home.sandbox.faults.clear();
    const { report } = await home.run("--allow-duplicate D-1");
    expect([outcomes(report), home.posts]).toEqual(["found", 1]);
  });

  test("ships when --allow-duplicate names it, alone and once", async () => {
    const { home, other } = await shipped();
    const words = "--allow-duplicate row:1 --allow-duplicate row:3";
    const ran = await home.importFile(other, words);
    expect([ran.exit, outcomes(ran.report), home.posts]).toEqual([3, "created held created created", 6]);
    const again = await home.importFile(other, words);
    expect([again.exit, outcomes(again.report), home.posts]).toEqual([3, "shipped held shipped shipped", 6]);
  });

  test.each(["1001", "row:9", "row:0", "row:x", "row:1,", "1001,row:1"])(
    "--allow-duplicate %s names no row of the file: exit 2, nothing is sent",
    async (names) => {
      const home = await createImportHome(sheet(row("A-1"), row("")));
      const { exit, stderr } = await home.run(`--allow-duplicate ${names}`);
      expect([exit, home.posts]).toEqual([2, 0]);
      expect(stderr).toContain("--allow-duplicate");
    },
  );

  test("with a ref on one side only it is the same for a while; two refs tell two orders apart", async () => {
    const home = await createImportHome(sheet(row("", "王五"), row("A-2", "赵六")));
    await home.run();
    const rows = [row("B-1", "王五"), row("B-2", "赵六"), row("B-3", "周八")];
    const other = await home.put(sheet(...rows), "other.csv");
    expect(outcomes((await home.importFile(other)).report)).toBe("held created created");
    home.clock.advance(11 * 60_000);
    expect(outcomes((await home.importFile(other)).report)).toBe("created shipped shipped");
    const nameless = await home.put(sheet(row("", "赵六"), row("", "孙七")), "nameless.csv");
    home.clock.advance(30 * 86_400_000);
    expect(outcomes((await home.importFile(nameless)).report), "however old").toBe("held created");
  });
});

test("a file whose rows got refs since they were shipped ships none of them again, however long ago", async () => {
  const home = await createImportHome(sheet(row("", "王五"), row("", "赵六")));
  await home.run();
  await home.put(sheet(row("B-1", "王五"), row("B-2", "赵六"), row("B-3", "孙七")));
  home.clock.advance(30 * 86_400_000);
  expect(outcomes((await home.run()).report)).toBe("held held created");
});

test("with --skip-shipped one order elsewhere covers one row, and no equal one besides", async () => {
  const home = await createImportHome(sheet(row("", "王五")));
  await home.run();
  const other = await home.put(sheet(row("1", "王五"), row("2", "王五"), row("3", "王五")), "other.csv");
  expect(outcomes((await home.importFile(other)).report)).toBe("held held held");
  const skipped = await home.importFile(other, "--skip-shipped");
  expect([skipped.exit, outcomes(skipped.report)]).toEqual([0, "shipped created created"]);
  expect(new Set(skipped.report.map(({ id }) => id)).size).toBe(3);
  const again = await home.importFile(other, "--skip-shipped");
  expect([again.exit, outcomes(again.report), home.posts]).toEqual([0, "shipped shipped shipped", 3]);
});

test("a ref that is changed while its order is in doubt sends no second one", async () => {
  const home = await createImportHome(sheet(row("r1", "王五")));
  home.sandbox.faults.set([
    { method: "POST", path: "/api/v1/orders", kind: "drop_after" },
    { method: "GET", path: "/api/v1/orders", kind: "status", status: 500 },
  ]);
  expect((await home.run()).exit).toBe(6);
  await home.put(sheet(row("x1", "王五")));
  expect((await home.run()).exit).not.toBe(0);
  expect(home.posts).toBe(1);
});

test("a file without any ref is warned of once; one with an order number has refs", async () => {
  const home = await createImportHome(sheet(row("")));
  const { stderr } = await home.run();
  expect(stderr.match(/warning: no row has a ref/g)).toHaveLength(1);
  expect((await home.run()).stderr).not.toContain("no row has a ref"); // nothing is left to send
  const named = await home.put(sheet(row("A-1", "孙七")).replace("ref,", "Order No,"), "named.csv");
  const ran = await home.importFile(named);
  expect(ran.stderr).not.toContain("no row has a ref");
  expect(ran.report).toMatchObject([{ ref: "A-1" }]);
});

describe("a process that died in the middle", () => {
  const rows = [row("A-1"), row("", "王五"), row("", "王五"), row("A-2", "赵六")];
  const states = ["ready", "sending", "created"] as const;

  /** A ledger as it is when the process of the first run has died. */
  test.each(states.flatMap((state) => [false, true].map((hasArrived) => ({ state, hasArrived }))))(
    "each row is one order: $state, and the request had arrived: $hasArrived",
    async ({ state, hasArrived }) => {
      if (state === "ready" && hasArrived) return;
      for (let done = 0; done < rows.length; done++) {
        const whole = await createImportHome(sheet(...rows.slice(0, done + 1)));
        if (!hasArrived && state !== "created")
          whole.sandbox.faults.set([
            { ...post, kind: "drop_before", after: done },
            ...lostForNow("drop_after", 0),
          ]);
        await whole.run("--concurrency 1");
        await asIfKilled(whole, state);
        whole.sandbox.faults.clear();
        await whole.put(sheet(...rows));
        const { exit, report, stderr } = await whole.run(`--concurrency 1 ${listsAtOnce}`);
        expect(exit, stderr).toBe(0);
        expect(new Set(report.map(({ id }) => id)).size).toBe(rows.length);
        expect([...(await whole.receivers())].sort()).toEqual(["李四", "王五", "王五", "赵六"].sort());
      }
    },
  );

  test("one that lives is left its rows, until it has ended", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await home.run();
    await asIfKilled(home, "sending", process.pid);
    const { clock } = home;
    const sleep = clock.sleep.bind(clock);
    const stages: number[] = [];
    clock.sleep = async (delayMs, signal) => {
      stages.push(delayMs);
      if (stages.length === 3) await endRun(home);
      return sleep(delayMs, signal);
    };
    const ran = await home.run();
    expect(stages).toEqual([500, 500, 500]);
    expect([ran.exit, outcomes(ran.report), home.posts]).toEqual([0, "found", 1]);
  });
});

/** Sets the newest create back to a state that a killed process leaves, and the run to one that never ended. */
async function asIfKilled(home: ImportHome, state: "ready" | "sending" | "created", pid = 2 ** 22 + 1) {
  await change(home, (run) => [
    `UPDATE runs SET ended_at = NULL, exit = NULL, pid = ${pid}, process_started = NULL WHERE number = ${run}`,
    ...(state === "created"
      ? []
      : [
          `UPDATE operations SET state = '${state}', order_id = NULL, ended_at = NULL WHERE run = ${run}
             AND number = (SELECT max(number) FROM operations WHERE run = ${run})`,
        ]),
  ]);
}

async function endRun(home: ImportHome): Promise<void> {
  await withLedger(home.stateDir, async (ledger) => {
    await ledger.releaseRun(1, home.clock.now());
    await ledger.endRun(1, 137, home.clock.now());
  });
}

async function change(home: ImportHome, statements: (run: number) => readonly string[]): Promise<void> {
  const { openDatabase } = await import("../../src/sqlite/database.ts");
  const { applicationId, migrations } = await import("../../src/ledger/schema.ts");
  const file = path.join(home.stateDir, "ledger.db");
  const database = await openDatabase({ path: file, title: "ledger", applicationId, migrations });
  const run = Number(database.sql("SELECT max(number) AS n FROM runs").get()?.n);
  await database.transaction(() => {
    for (const statement of statements(run)) database.exec(statement);
  });
  database.close();
}

/** Sends the first body that came once more, as another program would. */
async function postAgain(home: ImportHome): Promise<void> {
  await fetch(`${home.sandbox.baseUrl}/api/v1/orders`, {
    method: "POST",
    headers: { authorization: `Bearer ${home.sandbox.apiKey}`, "content-type": "application/json" },
    body: home.sandbox.requests.find(({ method }) => method === "POST")?.body ?? "",
  });
}

test("the header of a file says nothing of its rows: other columns, the same orders", async () => {
  const home = await createImportHome(sheet(row(""), row("", "王五")));
  await home.run();
  const lines = [`note,${header}`, `x,${row("", "王五")}`, `y,${row("")}`, ""].join("\n");
  const ran = await home.importFile(await home.put(lines, "noted.csv"));
  expect([ran.exit, outcomes(ran.report), home.posts]).toEqual([0, "shipped shipped", 2]);
});

describe("equal rows without a ref whose orders were cancelled", () => {
  async function homeWithCancelled() {
    const home = await createImportHome(sheet(row(""), row("")));
    await home.run("--concurrency 1");
    for (const id of [1000001, 1000002]) await home.courier(`orders cancel ${id} --yes`);
    return home;
  }

  test("are all sent once more where a flag names them", async () => {
    const home = await homeWithCancelled();
    const flags = "--allow-duplicate row:1,row:2";
    const checked = await home.courier([
      "orders",
      "import",
      home.file,
      "--check",
      "--json",
      ...flags.split(" "),
    ]);
    expect(JSON.parse(checked.stdout)).toMatchObject({ to_send: 2 });
    expect(outcomes((await home.run(flags)).report)).toBe("created created");
    expect(outcomes((await home.run(flags)).report)).toBe("shipped shipped");
    expect(home.posts).toBe(4);
  });

  test("are sent one by one, each once", async () => {
    const home = await homeWithCancelled();
    expect(outcomes((await home.run("--allow-duplicate row:1")).report)).toBe("created cancelled");
    expect(outcomes((await home.run("--allow-duplicate row:1")).report)).toBe("shipped cancelled");
    expect(outcomes((await home.run("--allow-duplicate row:2")).report)).toBe("shipped created");
    expect(outcomes((await home.run("--allow-duplicate row:1,row:2")).report)).toBe("shipped shipped");
    expect(home.posts).toBe(4);
  });
});

describe("a row without a ref that a flag has sent once more", () => {
  const bare = (name: string) => row("", name);

  test("is shipped by the later order once the first one is cancelled, in the report and in the sheet", async () => {
    const home = await createImportHome(sheet(bare("王五"), bare("李四")));
    await home.run("--concurrency 1");
    expect((await home.run("--allow-duplicate row:2")).report[1]).toMatchObject({ id: 1000003 });
    expect((await home.courier("orders cancel 1000002 --yes")).exit).toBe(0);
    const done = path.join(home.directory, "done.csv");
    const again = await home.run(`--write-back ${done}`);
    expect(again.report[1], again.stderr).toMatchObject({ outcome: "shipped", id: 1000003 });
    expect(await readFile(done, "utf8")).toContain(",CO");
    expect(home.posts).toBe(3);
  });

  test("leaves an equal row cancelled whose own order was", async () => {
    const home = await createImportHome(sheet(bare("李四"), bare("李四")));
    await home.run("--concurrency 1");
    await home.run("--allow-duplicate row:1");
    for (const id of [1000001, 1000002]) await home.courier(`orders cancel ${id} --yes`);
    expect(outcomes((await home.run()).report)).not.toBe("shipped shipped");
    expect(home.posts).toBe(3);
  });
});

describe("a row with a ref that counts as shipped by an order without one", () => {
  const made =
    "orders create --yes --sender-name 张三 --sender-phone 13800138000 --receiver-name 李四 --receiver-phone 13900139000 --receiver-city 北京市 --receiver-detail 建国路88号 --item-name 茶叶 --item-weight 1.50 --item-quantity 1";

  test("stays shipped, though the single order is not recent any more", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    expect((await home.courier(made)).exit).toBe(0);
    const first = await home.run("--skip-shipped");
    expect([first.exit, outcomes(first.report), home.posts]).toEqual([0, "shipped", 1]);
    home.clock.advance(11 * 60_000);
    const again = await home.run("--skip-shipped");
    expect([outcomes(again.report), home.posts], again.stderr).toEqual(["shipped", 1]);
    const plain = await home.run();
    expect([plain.exit, outcomes(plain.report), home.posts], plain.stderr).toEqual([0, "shipped", 1]);
    await home.put(sheet(row("A-0"), row("A-1"))); // one order covers one row, wherever that is
    const longer = await home.run("--skip-shipped");
    expect([outcomes(longer.report), home.posts], longer.stderr).toEqual(["created shipped", 2]);
  });

  test("stays shipped by a file without refs, the next day and in a longer file", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "13700137001")));
    const bare = await home.put(sheet(row(""), row("", "王五", "13700137001"), row("", "赵六")), "bare.csv");
    expect((await home.importFile(bare)).exit).toBe(0);
    const first = await home.run("--skip-shipped");
    expect([first.exit, outcomes(first.report), home.posts]).toEqual([0, "shipped shipped", 3]);
    home.clock.advance(24 * 3_600_000);
    await home.put(sheet(row("A-1"), row("A-2", "王五", "13700137001"), row("A-3", "孙七")));
    const again = await home.run("--skip-shipped");
    expect([outcomes(again.report), home.posts], again.stderr).toEqual(["shipped shipped created", 4]);
    expect(outcomes((await home.importFile(bare)).report)).toBe("shipped shipped shipped");
  });

  test("is cancelled with that order, and sent again by the flag alone", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    expect((await home.courier(made)).exit).toBe(0);
    expect((await home.run("--skip-shipped")).exit).toBe(0);
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    for (const words of ["--skip-shipped", ""]) {
      const again = await home.run(words);
      expect([outcomes(again.report), home.posts], again.stderr).toEqual(["cancelled", 1]);
    }
    for (const words of ["--allow-duplicate A-1", ""]) {
      const sent = await home.run(words);
      expect([home.posts, sent.report[0]?.id], sent.stderr).toEqual([2, 1000002]);
    }
  });

  test("is not sent by a single create with its ref, whose order is the one that it has", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    expect((await home.courier(made)).exit).toBe(0);
    expect((await home.run("--skip-shipped")).exit).toBe(0);
    home.clock.advance(11 * 60_000);
    const single = await home.courier(`${made} --ref A-1 --json`);
    expect([single.exit, JSON.parse(single.stdout).id, home.posts], single.stderr).toEqual([0, 1000001, 1]);
    const other = await home.courier(`${made.replace("建国路", "人民路")} --ref A-1 --json`);
    expect([errorOf(other).code, home.posts], other.stderr).toEqual(["changed", 1]);
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    const cancelled = await home.courier(`${made} --ref A-1 --json`);
    expect(errorOf(cancelled)).toMatchObject({
      code: "duplicate",
      message: "the order with the ref A-1, 1000001, was cancelled; nothing was sent",
    });
    const allowed = await home.courier(`${made} --ref A-1 --allow-duplicate --json`);
    expect([allowed.exit, home.posts], allowed.stderr).toEqual([0, 2]);
    expect((await home.run()).report[0]).toMatchObject({ outcome: "shipped", id: 1000002 });
  });

  test.each([
    ["of the file before", "", [row("A-1"), row("")], ""],
    ["above it", made, [row(""), row("A-1")], "--skip-shipped"],
    ["below it", made, [row("A-1"), row("")], "--skip-shipped"],
  ])("leaves a new row without a ref another order: %s", async (_what, single, rows, words) => {
    const home = await createImportHome(sheet(row("")));
    expect((await (single ? home.courier(single) : home.run())).exit).toBe(0);
    await home.put(sheet(row("A-1")));
    expect(outcomes((await home.run("--skip-shipped")).report)).toBe("shipped");
    home.clock.advance(24 * 3_600_000);
    await home.put(sheet(...rows));
    const ran = await home.run(words);
    const ids = ran.report.map(({ ref, id }) => `${ref} ${id}`).sort();
    expect([ids, home.posts], ran.stderr).toEqual([["A-1 1000001", "null 1000002"], 2]);
    const again = await home.run(words);
    expect([outcomes(again.report), home.posts], again.stderr).toEqual(["shipped shipped", 2]);
    await home.put(sheet(...rows, row("A-2")));
    const longer = await home.run("--skip-shipped");
    expect([outcomes(longer.report), home.posts], longer.stderr).toEqual(["shipped shipped created", 3]);
    await home.put(sheet(row("")));
    expect(outcomes((await home.run()).report)).toBe("shipped");
  });

  test("is not called refused again", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    home.sandbox.faults.set([{ ...post, kind: "refuse", status: 402, code: "BALANCE", message: "no money" }]);
    expect(outcomes((await home.run("--settle 0s")).report)).toBe("refused");
    home.sandbox.faults.clear();
    expect((await home.courier(made)).exit).toBe(0);
    expect(outcomes((await home.run("--skip-shipped --retry-refused")).report)).toBe("shipped");
    for (const words of ["", "--retry-refused"]) {
      const again = await home.run(words);
      expect([again.exit, outcomes(again.report), home.posts], again.stderr).toEqual([0, "shipped", 2]);
    }
  });

  test("has it in the place of its own, cancelled one", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    expect(outcomes((await home.run()).report)).toBe("created");
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    expect((await home.courier(made)).exit).toBe(0);
    expect(outcomes((await home.run()).report)).toBe("held");
    for (const words of ["--skip-shipped", ""]) {
      const ran = await home.run(words);
      expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([0, "shipped", 2]);
    }
  });

  test("is held once it was edited, and sent once the order is cancelled", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    expect((await home.courier(made)).exit).toBe(0);
    expect((await home.run("--skip-shipped")).exit).toBe(0);
    home.clock.advance(11 * 60_000);
    await home.put(sheet(row("A-1", "李四", "13600136000")));
    const edited = await home.run("--skip-shipped");
    expect([edited.exit, outcomes(edited.report), home.posts], edited.stderr).toEqual([3, "held", 1]);
    const cancelled = await home.courier("orders cancel 1000001 --yes");
    expect(cancelled.exit, cancelled.stderr).toBe(0);
    const sent = await home.run("--skip-shipped");
    expect([outcomes(sent.report), home.posts], sent.stderr).toEqual(["created", 2]);
  });

  test("leaves the row of another file its own order", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    expect((await home.courier(made)).exit).toBe(0);
    expect(outcomes((await home.run("--skip-shipped")).report)).toBe("shipped");
    const next = await home.put(sheet(row("B-1")), "next.csv");
    const second = await home.importFile(next, "--skip-shipped");
    expect([second.exit, outcomes(second.report), home.posts], second.stderr).toEqual([0, "created", 2]);
  });

  test("leaves the row of another shop its own order, unless it has the same ref", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    expect((await home.courier(made)).exit).toBe(0);
    expect(outcomes((await home.run("--skip-shipped")).report)).toBe("shipped");
    for (const [words, orders] of [
      ["--skip-shipped", 2],
      ["", 3],
    ] as const) {
      const next = await home.put(sheet(row(`B-${orders}`)), "next.csv");
      const sent = await home.importFile(next, `--shop other ${words}`);
      expect([outcomes(sent.report), home.posts], sent.stderr).toEqual(["created", orders]);
    }
    home.clock.advance(11 * 60_000);
    const same = await home.importFile(home.file, "--shop other");
    expect([outcomes(same.report), home.posts], same.stderr).toEqual(["held", 3]);
  });

  test("holds the row of another file whose ref is a rewritten form of its own, for good", async () => {
    const home = await createImportHome(sheet(row("000001")));
    expect((await home.courier(made)).exit).toBe(0);
    expect(outcomes((await home.run("--skip-shipped")).report)).toBe("shipped");
    home.clock.advance(24 * 3_600_000);
    const next = await home.put(sheet(row("1")), "next.csv");
    const plain = await home.importFile(next);
    expect([plain.exit, outcomes(plain.report), home.posts], plain.stderr).toEqual([3, "held", 1]);
    expect(outcomes((await home.importFile(next, "--skip-shipped")).report)).toBe("shipped");
  });

  test.each([
    ["is sent once its order turned out to be another receiver's", "--not-created", "created", 2],
    ["stays shipped where a person takes the order back, and gives it again", "--as 1", "shipped", 1],
  ])("%s", async (_what, decision, outcome, orders) => {
    const home = await createUnfaithfulHome();
    const file = path.join(home.directory, "orders.csv");
    await writeFile(file, sheet(row("A-1")));
    const importFile = async (words: string) => {
      const { stdout, stderr } = await home.courier(
        `orders import ${file} --yes --json --settle 10s ${words}`,
      );
      return { outcome: outcomes(JSON.parse(stdout)), stderr };
    };
    const resolve = async (words: string) => {
      const prompts = scriptedPrompts({ confirms: [true, true, true] });
      const { exit, stderr } = await home.courier(`orders resolve ${words}`, { terminal: 100, prompts });
      expect(exit, stderr).toBe(0);
    };
    // The order of another receiver is given by mistake to a create that never arrived.
    const other = made
      .replace("李四", "钱多多")
      .replace("13900139000", "13711113333")
      .replace("茶叶", "陶瓷杯");
    expect((await home.courier(other.replace("建国路88号", "南京东路5号"))).exit).toBe(0);
    await resolve("1.1 --reopen");
    home.service.ways = { loss: () => "before", refuseList: { status: 503 } };
    expect((await home.courier(made)).exit).toBe(6);
    home.service.ways = {};
    const name = JSON.parse((await home.courier("orders resolve --json")).stdout).at(-1).operation;
    await resolve(`${name} --as 1`);
    expect((await importFile("--skip-shipped")).outcome).toBe("shipped");
    await resolve(`${name} --reopen`);
    home.clock.advance(3_600_000);
    await resolve(`${name} ${decision}`);
    home.clock.advance(24 * 3_600_000);
    const again = await importFile("");
    expect([again.outcome, home.service.orders.length], again.stderr).toEqual([outcome, orders]);
  });
});

describe("a flag that names a row, in the same command three times", () => {
  const words = "--allow-duplicate A-1 --concurrency 1";

  test("sends no second order after the first was proved absent, and sent again", async () => {
    const home = await createImportHome(
      sheet(row("A-1"), row("A-2", "王五", "13700137001"), row("A-3", "赵六", "12")),
    );
    home.sandbox.faults.set(lostForNow("drop_before").filter(({ method }) => method === "POST"));
    expect(outcomes((await home.run(words)).report)).toMatch(/^unknown/);
    home.clock.advance(60_000); // its absence is proved by the order of A-2, in the run
    const second = await home.run(words);
    expect(outcomes(second.report), second.stderr).toBe("created created refused");
    const third = await home.run(words);
    expect(outcomes(third.report), third.stderr).toBe("shipped shipped refused");
    expect((await home.receivers()).length, third.stderr).toBe(2);
  });

  test("nor after it was found", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "12")));
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect((await home.run("--concurrency 1")).exit).toBe(6);
    home.sandbox.faults.clear();
    home.clock.advance(3_600_000);
    const second = await home.run(words);
    expect(outcomes(second.report), second.stderr).toBe("found refused");
    await home.run(words);
    expect(await home.receivers()).toEqual(["李四"]);
  });
});
