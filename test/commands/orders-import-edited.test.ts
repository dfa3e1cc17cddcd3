/** courier orders import: a row that was edited while its order is in doubt. */

import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { interrupted } from "../../src/core/errors.ts";
import { createImportHome, errorOf, lostForNow, outcomes, row, sheet } from "../support/imports.ts";

const createsPerson0 =
  "orders create --sender-name 张三 --sender-phone 13800138000 --receiver-name Zb0 --receiver-phone 13300000000 --receiver-city 北京市 --receiver-detail 古翠路0号 --item-name 茶叶 --item-weight 1.5 --item-quantity 1 --yes";
const lost = { method: "POST", path: "/api/v1/orders", kind: "drop_before", times: 1 } as const;

/** Rows of people who share neither a phone nor an address. */
function person(number: number, name = `Zb${number}`, ref = ""): string {
  return row(ref, name, `1330000000${number}`).replace("建国路88号", `古翠路${number}号`);
}

/** The second of two rows is in doubt, and stays so for an hour. */
async function createDoubtfulHome(refs: readonly string[] = ["", ""], words = "") {
  const rows = refs.map((ref, index) => person(index, `Zb${index}`, ref));
  const home = await createImportHome(sheet(...rows));
  home.sandbox.faults.set([{ ...lost, after: 1 }]);
  const first = await home.run(`--concurrency 1 --settle 1h ${words}`);
  expect([first.exit, outcomes(first.report)], first.stderr).toEqual([6, "created unknown"]);
  home.sandbox.faults.clear();
  expect(home.posts).toBe(2);
  return { ...home, posts: () => home.posts };
}

describe("a row that was edited while its order is in doubt", () => {
  test.each([
    ["name", person(1, "Zb1x")],
    ["phone", person(1).replace("13300000001", "13300000077")],
    ["phone and address", person(1).replace("13300000001", "13300000077").replace("古翠路1号", "文三路9号")],
    ["ref and name", person(1, "Zb1x", "N-1")],
  ])("is held: %s", async (_what, edited) => {
    const home = await createDoubtfulHome();
    await home.put(sheet(person(0), edited));
    const again = await home.run("--settle 1h");
    expect([again.exit, outcomes(again.report)], again.stderr).toEqual([3, "shipped held"]);
    expect(again.report[1]?.error?.message).toBe(
      "order 1.2 is in doubt, and no row of this file is it; this row may be its edited form: settle it first with: courier orders resolve 1.2",
    );
    expect(errorOf(again).hint).toContain(
      "settle the orders in doubt first: courier orders resolve lists them",
    );
    expect(errorOf(again).hint).not.toContain("--allow-duplicate");
    expect(home.posts()).toBe(2);
  });

  test("is held where its ref and its name changed in one go", async () => {
    const home = await createDoubtfulHome(["A-0", "A-1"]);
    await home.put(sheet(person(0, "Zb0", "A-0"), person(1, "Zb1x", "B-1")));
    const again = await home.run("--settle 1h");
    expect([again.exit, outcomes(again.report)], again.stderr).toEqual([3, "shipped held"]);
    expect(home.posts()).toBe(2);
  });

  test("is sent once it is certain that there is no order, and not where there is one", async () => {
    const home = await createDoubtfulHome();
    await home.put(sheet(person(0), person(1, "Zb1x")));
    const sent = await home.run("--settle 1s");
    expect([sent.exit, outcomes(sent.report)], sent.stderr).toEqual([0, "shipped created"]);
    expect(home.posts()).toBe(3);
  });

  test("is held where this run finds the order, unless a flag sends it", async () => {
    const home = await createImportHome(sheet(person(0)));
    home.sandbox.faults.set([
      { ...lost, kind: "drop_after" },
      { kind: "status", status: 503, method: "GET", path: "/api/v1/orders" },
    ]);
    expect((await home.run()).exit).toBe(6);
    home.sandbox.faults.clear();
    await home.put(sheet(person(0, "Zb0x")));
    const again = await home.run();
    expect([again.exit, outcomes(again.report)], again.stderr).toEqual([3, "held"]);
    expect(again.report[0]?.error?.message).toBe(
      "may be the edited row of operation 1.1, which is order 1000001",
    );
    expect(errorOf(again).hint).toContain("--allow-duplicate row:N");
    expect(await home.receivers()).toEqual(["Zb0"]);
    const allowed = await home.run("--allow-duplicate row:1");
    expect([allowed.exit, outcomes(allowed.report)], allowed.stderr).toEqual([0, "created"]);
  });

  test.each([
    ["another import", "orders import FILE --yes"],
    ["a list", "orders list --all"],
    ["a person", "orders resolve 1.1 --as 1000001 --yes"],
    ["an equal create", createsPerson0],
  ])("stays held after %s found the order, until a flag sends it", async (_who, words) => {
    const home = await createImportHome(sheet(person(0, "Zb0", "A-0")));
    home.sandbox.faults.set([
      { ...lost, kind: "drop_after" },
      { kind: "status", status: 503, method: "GET", path: "/api/v1/orders" },
    ]);
    expect((await home.run()).exit).toBe(6);
    home.sandbox.faults.clear();
    const copy = await home.put(sheet(person(0, "Zb0x", "B-0"), person(0, "Zb0x", "B-1")), "copy.csv");
    await home.courier(words.split(" ").map((word) => (word === "FILE" ? copy : word)));
    for (const flags of ["", "--skip-shipped"]) {
      const held = await home.importFile(copy, flags);
      expect([held.exit, outcomes(held.report)], held.stderr).toEqual([3, "held held"]);
      expect(held.report[0]?.error?.message).toBe(
        "may be the edited row of operation 1.1, which is order 1000001, sent with the ref A-0",
      );
      expect(errorOf(held).hint).toBe(
        "where an edited row replaces its order, cancel that one first: courier orders cancel ID, and where that order is right, leave the row out; --allow-duplicate row:N ships row N as well",
      );
    }
    expect(await home.receivers()).toEqual(["Zb0"]);
    const allowed = await home.importFile(copy, "--allow-duplicate row:1");
    expect(outcomes(allowed.report), allowed.stderr).toMatch(/^created/);
    const rest = await home.importFile(copy);
    expect([rest.exit, outcomes(rest.report)], rest.stderr).toEqual([0, "shipped created"]);
  });

  test.each([
    [23, "held"],
    [25, "created"],
  ])(
    "a single order that a list found is taken for its row for a day: after %i h it is %s",
    async (hours, outcome) => {
      const home = await createImportHome(sheet(row("A-1", "李四")));
      home.sandbox.faults.set(lostForNow("drop_after"));
      const words =
        "orders create --sender-name 张三 --receiver-name 李四 --receiver-phone 13900139000 --item-name 书";
      expect((await home.courier(`${words} --yes`)).exit).toBe(6);
      home.sandbox.faults.clear();
      expect((await home.courier("orders list --all")).exit).toBe(0);
      await home.clock.sleep(hours * 3_600_000);
      expect(outcomes((await home.run()).report)).toBe(outcome);
    },
  );

  test("a single order that the import itself finds, however late, is taken for its row", async () => {
    const home = await createImportHome(sheet(row("A-1", "李四")));
    home.sandbox.faults.set(lostForNow("drop_after"));
    const words =
      "orders create --sender-name 张三 --receiver-name 李四 --receiver-phone 13900139000 --item-name 书";
    expect((await home.courier(`${words} --yes`)).exit).toBe(6);
    home.sandbox.faults.clear();
    await home.clock.sleep(26 * 3_600_000);
    const ran = await home.run();
    expect(outcomes(ran.report), ran.stdout + ran.stderr).toBe("held");
  });

  test("is sent once the order that was found is cancelled", async () => {
    const home = await createImportHome(sheet(person(0)));
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect((await home.run()).exit).toBe(6);
    home.sandbox.faults.clear();
    await home.put(sheet(person(0, "Zb0x")));
    expect(outcomes((await home.run()).report)).toBe("held");
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    expect(outcomes((await home.run()).report)).toBe("created");
  });

  test("stays held after logout and another login with the key", async () => {
    const home = await createImportHome(sheet(person(0, "Zb0", "A-0")));
    const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };
    const login = () =>
      home.courier(`login --base-url ${home.sandbox.baseUrl}`, { env, stdin: home.sandbox.apiKey });
    expect((await login()).exit).toBe(0);
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect((await home.run("", { env })).exit).toBe(6);
    home.sandbox.faults.clear();
    await home.put(sheet(person(0, "Zb0x", "B-0")));
    expect(outcomes((await home.run("", { env })).report)).toBe("held");
    expect((await home.courier("logout", { env })).exit).toBe(0);
    expect((await login()).exit).toBe(0);
    const again = await home.run("", { env });
    expect([again.exit, outcomes(again.report), home.posts], again.stderr).toEqual([3, "held", 1]);
  });

  test("is held although its earlier form was refused, or a flag sends it: an order of it may exist", async () => {
    const refused = person(1).replace("13300000001", "12");
    const home = await createImportHome(sheet(person(0), refused));
    expect(outcomes((await home.run()).report)).toBe("created refused");
    home.sandbox.faults.set(lostForNow("drop_after"));
    const corrected = await home.put(sheet(person(1)), "rejects.csv");
    expect((await home.importFile(corrected)).exit).toBe(6);
    home.sandbox.faults.clear();
    home.sandbox.faults.set([{ kind: "status", status: 503, method: "GET", path: "/api/v1/orders" }]);
    for (const flags of ["--retry-refused", "--allow-duplicate row:2"]) {
      const again = await home.run(`--settle 1h ${flags}`);
      expect(again.report[1]?.error?.message ?? "", again.stderr).not.toBe("");
      expect(again.report[1]?.outcome).not.toBe("created");
    }
    expect(home.posts).toBe(3);
  });

  test("another row is sent where an import has seen the row of the order that was found", async () => {
    const home = await createImportHome(sheet(person(0)));
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect((await home.run()).exit).toBe(6);
    home.sandbox.faults.clear();
    expect(outcomes((await home.run()).report)).toBe("found");
    const other = await home.put(sheet(person(0).replace("古翠路0号", "文三路9号")), "other.csv");
    expect(outcomes((await home.importFile(other)).report)).toBe("created");
  });

  test("is held by what an earlier write-back wrote beside it, in another file too", async () => {
    const home = await createDoubtfulHome(undefined, "--in-place");
    const text = await readFile(home.file, "utf8");
    expect(text).toContain("courier orders resolve 1.2");
    const elsewhere = person(8, "Zb8").replace("张三", "张四");
    const lines = text.split("\n");
    lines[2] = (lines[2] ?? "").replace(person(1), elsewhere);
    expect(lines[2]).toContain("Zb8");
    const other = await home.put(lines.join("\n"), "other.csv");
    const held = await home.importFile(other, "--settle 1h --in-place");
    expect([held.exit, outcomes(held.report)], held.stderr).toEqual([3, "shipped held"]);
    expect(await readFile(other, "utf8")).toContain("courier orders resolve 1.2");
    expect(home.posts()).toBe(2);
    const resolved = await home.courier("orders resolve 1.2 --not-created --yes");
    expect(resolved.exit, resolved.stderr).toBe(0);
    const sent = await home.importFile(other);
    expect([sent.exit, outcomes(sent.report)], sent.stderr).toEqual([0, "shipped created"]);
  });

  test("leaves rows of other people at other places alone", async () => {
    const home = await createDoubtfulHome(["A-0", "A-1"]);
    await home.put(sheet(person(0, "Zb0", "A-0"), person(5, "Zb5", "A-5")));
    const other = await home.run("--settle 1h");
    expect([other.exit, outcomes(other.report)], other.stderr).toEqual([0, "shipped created"]);
  });
});

describe("a file of another name, while an order of an earlier file is in doubt", () => {
  const stranger = (name: string, phone: string, detail: string) =>
    row("", name, phone).replace("建国路88号", detail);

  test.each([
    ["a copy with one field edited", sheet(person(0), person(1, "Zb1x")), "held held"],
    [
      "a copy with one row of other data at its place",
      sheet(person(0), stranger("Zb9", "13300000077", "文三路9号")),
      "held held",
    ],
    ["a row with the name and the phone", sheet(stranger("Zb1", "13300000001", "文三路9号")), "held"],
    ["a row with the address", sheet(stranger("Zb8", "13300000088", "古翠路1号")), "held"],
    [
      "other rows, also at the place, and one with only the phone",
      sheet(
        stranger("Zb7", "13300000077", "文三路7号"),
        stranger("Zb8", "13300000088", "文三路8号"),
        stranger("Zb9", "13300000001", "文三路9号"),
      ),
      "created created created",
    ],
  ])("%s", async (_what, text, expected) => {
    const home = await createDoubtfulHome();
    const copy = await home.put(text, "copy.csv");
    const check = await home.courier(["orders", "import", copy, "--check", "--json"]);
    const held = expected.split(" ").filter((each) => each === "held").length;
    expect(JSON.parse(check.stdout)).toMatchObject({ held });
    const ran = await home.importFile(copy, "--settle 1h");
    expect(outcomes(ran.report), ran.stderr).toBe(expected);
    const messages = ran.report.flatMap(({ error }) => error?.message ?? []);
    if (held > 0) {
      expect(ran.exit).toBe(3);
      expect(messages.at(-1)).toBe(
        "order 1.2 is in doubt, and no row of this file is it; this row may be its edited form: settle it first with: courier orders resolve 1.2",
      );
    }
    expect(home.posts()).toBe(2 + ran.report.length - held);
  });

  test("is sent once that order is settled", async () => {
    const home = await createDoubtfulHome();
    const copy = await home.put(sheet(person(1, "Zb1x")), "copy.csv");
    expect(outcomes((await home.importFile(copy, "--settle 1h")).report)).toBe("held");
    expect((await home.courier("orders resolve 1.2 --not-created --yes")).exit).toBe(0);
    expect(outcomes((await home.importFile(copy)).report)).toBe("created");
  });

  test("a copy is held after a run that was killed", async () => {
    const home = await createImportHome(sheet(person(1)));
    home.sandbox.faults.set(lostForNow("drop_before"));
    expect((await home.run("--settle 1h")).exit).toBe(6);
    home.sandbox.faults.clear();
    const copy = await home.put(sheet(person(1, "Zb1x")), "copy.csv");
    const ran = await home.importFile(copy, "--settle 1h");
    expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([3, "held", 1]);
  });
});

test("a row that equals an order in doubt counts as held: in the plan, and after Ctrl-C", async () => {
  const home = await createDoubtfulHome(["A-0", "A-1"]);
  const file = await home.put(sheet(person(0), person(1)), "copy.csv");
  const named =
    "2 rows are held: row 1: equals order 1000001 (operation 1.1); row 2: equals an order in doubt; settle it with: courier orders resolve 1.2; what is in doubt is looked up before they are decided";
  const checked = await home.courier(["orders", "import", file, "--check"]);
  expect(checked.stdout.replace(/\s+/g, " ")).toContain(named);
  const json = await home.courier(["orders", "import", file, "--check", "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ held: 2, unknown: 0, to_send: 0 });
  const interruption = new AbortController();
  home.clock.sleep = async (_delayMs, signal) => {
    interruption.abort(interrupted(130));
    signal?.throwIfAborted();
  };
  const ran = await home.importFile(file, "--settle 1h", { signal: interruption.signal });
  expect(ran.stderr).toContain(named);
  expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([130, "held held"]);
  expect(errorOf(ran).message).toBe("stopped: 0 created, 2 held");
  expect(home.posts()).toBe(2);
});

test("a row that equals an order in doubt, and a list that is incomplete: the error names what settles it", async () => {
  const home = await createDoubtfulHome(["A-0", "A-1"]);
  await home.put(sheet(person(0, "Zb0", "A-0"), person(1, "Zb1", "A-9")));
  const pagination = { current_page: 1, total_pages: 1, total_items: 5, per_page: 100 };
  home.sandbox.faults.add({
    ...{ method: "GET", path: "/api/v1/orders", kind: "status", status: 200 },
    ...{ contentType: "application/json", body: JSON.stringify({ success: true, data: [], pagination }) },
  });
  const again = await home.run("--settle 1h");
  expect(again.exit, again.stderr).toBe(5);
  expect(errorOf(again).message).toContain("the list of orders is incomplete: 0 of 5 orders were seen");
  expect(errorOf(again).hint).toBe(
    "run the same command again: it continues where it stopped; or settle what is in doubt yourself: courier orders resolve 1.2",
  );
  expect(home.posts()).toBe(2);
});

describe("a row that its sheet calls in doubt, in another ledger", () => {
  async function markElsewhere(line: string) {
    const home = await createImportHome(sheet(row("A-1", "王五", "13700137001")));
    const env = { COURIER_STATE_DIR: `${home.directory}/another machine` };
    const marked = await home.put(sheet(line), "marked.csv");
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect((await home.importFile(marked, "--in-place", { env })).exit).toBe(6);
    const mark = "in doubt; settle it with: courier orders resolve 1.1";
    expect(await readFile(marked, "utf8")).toContain(mark);
    return { home, marked, mark };
  }

  test("is held and keeps its mark, and is sent by a flag", async () => {
    const { home, marked, mark } = await markElsewhere(row("Z-9"));
    const held = await home.importFile(marked, "--in-place"); // the list cannot be read yet
    expect([held.exit, outcomes(held.report)], held.stderr).toEqual([3, "held"]);
    expect(held.stderr).toContain(
      "row 1 (Z-9): the sheet says that it is in doubt as operation 1.1, which this ledger does not have for this row: settle it on the machine that sent it",
    );
    expect(errorOf(held).hint).toBe("--allow-duplicate row:N ships row N as well");
    expect(await readFile(marked, "utf8")).toContain(mark);
    expect(await home.receivers()).toEqual(["李四"]);
    const sent = await home.importFile(marked, "--allow-duplicate Z-9");
    expect(outcomes(sent.report), sent.stderr).toBe("created");
  });

  test("is not taken for the row of an own order with the same number", async () => {
    const { home, marked } = await markElsewhere(row("Z-9").replace("建国路88号", "科技园路9号"));
    home.sandbox.faults.clear();
    expect((await home.run()).exit).toBe(0); // 1.1 of this ledger
    home.sandbox.faults.set(lostForNow("drop_after").slice(1));
    const held = await home.importFile(marked);
    expect([held.exit, outcomes(held.report)], held.stderr).toEqual([3, "held"]);
    expect(held.stderr).toContain("in doubt as operation 1.1, which this ledger does not have for this row");
    expect(held.stderr).not.toContain("the edited row");
  });
});
