/** courier orders import again and again: it goes on where it was, whatever happened to the file or the service. */

import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../src/sandbox/faults.ts";
import { requestCount } from "../support/answers.ts";
import { createImportHome, journalEntries, outcomes, row, sheet } from "../support/imports.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

const post = { method: "POST", path: "/api/v1/orders" } as const;

describe("the same file again", () => {
  test("is done: nothing is sent, and the report is the same", async () => {
    const home = await createImportHome(sheet(row("A-1"), row(""), row("")));
    const first = await home.run();
    const again = await home.run();
    expect([first.exit, again.exit]).toEqual([0, 0]);
    expect(again.stdout).toBe(first.stdout);
    expect(again.stderr).toContain("from an earlier run: 3 created; 0 to send");
    expect(home.posts).toBe(3);
  });

  test("refused rows are tried again only when told to, or when they changed", async () => {
    const home = await createImportHome(sheet(row("A-1", "李四", "12"), row("A-2", "王五", "12")));
    expect((await home.run()).exit).toBe(3);
    expect(outcomes((await home.run()).report)).toBe("refused refused");
    expect(home.posts).toBe(2);
    expect((await home.run("--retry-refused")).exit).toBe(3);
    expect(home.posts).toBe(4);
    await home.put(sheet(row("A-1", "李四"), row("A-2", "王五", "12")));
    expect(outcomes((await home.run()).report)).toBe("created refused");
    expect(home.posts).toBe(5);
  });

  test("a page of a gateway that says 403 is no refusal of the service: the row is tried again", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2")));
    const page = {
      kind: "status",
      status: 403,
      body: "<html>blocked</html>",
      contentType: "text/html",
    } as const;
    home.sandbox.faults.set([{ ...post, ...page, times: 2 }]);
    const first = await home.run();
    expect(first.exit).toBe(3);
    expect(outcomes(first.report)).toBe("refused refused");
    const again = await home.run();
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
    const { exit, report } = await home.run("--concurrency 1");
    expect(exit).toBe(6);
    expect(outcomes(report)).toBe("unknown unknown");
    expect(await home.receivers()).toHaveLength(1);
  });

  test("a created row that changed is not sent again, and that is said", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2")));
    await home.run();
    await home.put(sheet(row("A-1", "赵六"), row("A-2")));
    const { exit, stderr } = await home.run();
    expect([exit, home.posts]).toEqual([0, 2]);
    expect(stderr).toContain(
      "warning: 1 row has changed since its order was created; the order is as it was",
    );
  });

  test("rows that were added, reordered or taken out make no difference to the others", async () => {
    const rows = [row("A-1"), row("", "王五"), row("", "王五"), row("", "赵六")];
    const home = await createImportHome(sheet(...rows));
    await home.run();
    const [a = "", b = "", c = "", d = ""] = rows;
    await home.put(sheet(d, row("N-1", "孙七"), c, a, b, row("", "王五")));
    const { exit, report } = await home.run();
    expect(exit).toBe(0);
    expect(outcomes(report)).toBe("created created created created created created");
    expect(await home.receivers()).toEqual(["李四", "王五", "王五", "赵六", "孙七", "王五"]);
    await home.put(sheet(a, b, c));
    expect((await home.run()).stderr).toContain("warning: 3 rows were taken out of the file or changed");
  });
});

describe("a row that is an order already under another ref", () => {
  async function changed(before: readonly string[], after: readonly string[]) {
    const home = await createImportHome(sheet(...before));
    expect((await home.run()).exit).toBe(0);
    await home.put(sheet(...after));
    return home;
  }

  test.each([
    ["got a ref", [row("", "王五"), row("", "赵六")], [row("X-1", "王五"), row("", "赵六")]],
    ["got another ref", [row("A-1", "王五"), row("A-2", "赵六")], [row("A-01", "王五"), row("A-2", "赵六")]],
    ["lost its ref", [row("A-1", "王五"), row("A-2", "赵六")], [row("", "王五"), row("A-2", "赵六")]],
  ])(
    "since it %s is pointed out before anything is sent; --allow-duplicate overrides",
    async (_what, before, after) => {
      const home = await changed(before, after);
      for (const words of ["--yes", "--check"]) {
        const { exit, stdout, stderr } = await home.courier(["orders", "import", home.file, words, "--json"]);
        expect([exit, stdout, home.posts]).toEqual([2, "", 2]);
        expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "").error).toMatchObject({
          code: "duplicate",
          message: `1 row is the same as an order of an earlier run whose row is gone from the file, or has another ref now: row 1 (${home.journal})`,
          hint: expect.stringContaining("give them back the ref that they had"),
          details: { count: 1, rows: [1], journals: [home.journal] },
        });
      }
      const no = scriptedPrompts({ confirms: [false] });
      const asked = await home.courier(["orders", "import", home.file], { terminal: 80, prompts: no });
      expect([asked.exit, home.posts]).toEqual([130, 2]);
      expect(no.asked).toEqual([expect.stringMatching(/^1 row is the same as .* Send it all the same\?$/)]);
      expect((await home.run("--allow-duplicate")).exit).toBe(0);
      expect(home.posts).toBe(3);
      expect((await home.run()).exit).toBe(0);
      expect(home.posts).toBe(3);
    },
  );

  test("counts once for each row that is gone: equal rows are orders of their own", async () => {
    const equal = row("", "王五");
    const home = await changed([equal, equal], [equal, row("X-1", "王五"), row("X-2", "王五")]);
    const told = await home.run();
    expect([told.exit, home.posts]).toEqual([2, 2]);
    expect(told.stderr).toMatch(/1 row is the same as an order .*: row 3 \(/);
    await home.put(sheet(equal, equal, row("X-1", "王五"), equal));
    expect((await home.run()).exit).toBe(0);
    expect(home.posts).toBe(4);
  });

  test("stops also when its answer was lost, and is warned of where no row kept its ref", async () => {
    const home = await createImportHome(sheet(row("A-1", "王五"), row("A-2", "赵六")));
    home.sandbox.faults.set([
      { ...post, kind: "drop_after", times: 1 },
      { kind: "drop_before", method: "GET" },
    ]);
    expect((await home.run("--concurrency 1")).exit).toBe(5);
    home.sandbox.faults.clear();
    await home.put(sheet(row("A-01", "王五"), row("A-2", "赵六")));
    expect((await home.run()).stderr).toContain("1 row is the same as an order of an earlier run");
    await home.put(sheet(row("A-01", "王五"), row("A-02", "赵六")));
    const strange = await home.run();
    expect(strange.exit).toBe(2);
    expect(strange.stderr).toContain(
      "2 rows are the same as orders of it: where only refs changed, put them back",
    );
    expect(home.posts).toBe(2);
  });
});

describe("a lost answer", () => {
  test.each<[string, FaultRule[]]>([
    ["before processing", [{ ...post, kind: "drop_before", times: 2 }]],
    ["after processing", [{ ...post, kind: "drop_after", times: 2 }]],
    ["as a 503 that did nothing", [{ ...post, kind: "status", status: 503, times: 2 }]],
    ["as a 500 that did its work", [{ ...post, kind: "status", status: 500, processed: true, times: 2 }]],
    [
      "as a page of a proxy",
      [
        { ...post, kind: "garbage", processed: true, times: 1 },
        { ...post, kind: "garbage", times: 1 },
      ],
    ],
    ["in the middle of the body", [{ ...post, kind: "drop_mid_body", times: 2 }]],
  ])("%s ends with each row once", async (_what, faults) => {
    const home = await createImportHome(sheet(row("A-1"), row("", "王五"), row("", "王五"), row("", "赵六")));
    home.sandbox.faults.set(faults);
    const { exit, report } = await home.run();
    expect(exit).toBe(0);
    expect(new Set(report.map(({ id }) => id)).size).toBe(4);
    expect([...(await home.receivers())].sort()).toEqual(["李四", "王五", "王五", "赵六"].sort());
  });

  test("an order that another import or a single create made meanwhile is not taken for the row's", async () => {
    const home = await createImportHome(sheet(row("", "王五")));
    home.sandbox.faults.set([{ ...post, kind: "drop_before", times: 1 }]);
    const interruption = new AbortController();
    const { clock } = home;
    const sleep = clock.sleep.bind(clock);
    // The first run ends before it looks; in the meantime another file has the very same row.
    clock.sleep = async () => interruption.abort(Object.assign(new Error("stop"), { exit: 130 }));
    expect((await home.run("", { signal: interruption.signal })).exit).not.toBe(0);
    clock.sleep = sleep;
    const other = await home.put(sheet(row("", "王五")), "other.csv");
    // The row of the first file may be an order by now, so an equal one has to be meant.
    const words = ["orders", "import", other, "--yes"];
    expect((await home.courier(words)).exit).toBe(2);
    expect((await home.courier([...words, "--allow-duplicate"])).exit).toBe(0);
    const { exit } = await home.run();
    expect(exit).toBe(0);
    expect(await home.receivers()).toEqual(["王五", "王五"]);
  });

  test("where orders may be the row's but not for certain: exit 6, they are named, nothing is sent twice", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    home.sandbox.faults.set([
      { ...post, kind: "drop_after", times: 1 },
      { kind: "drop_before", method: "GET" },
    ]);
    expect((await home.run()).exit).toBe(5);
    // Somebody else made an equal order.
    home.sandbox.faults.clear();
    await fetch(`${home.sandbox.baseUrl}/api/v1/orders`, {
      method: "POST",
      headers: { authorization: `Bearer ${home.sandbox.apiKey}`, "content-type": "application/json" },
      body: home.sandbox.requests.find(({ method }) => method === "POST")?.body ?? "",
    });
    const { exit, report, stderr } = await home.run();
    expect(exit).toBe(6);
    expect(report[0]).toMatchObject({ outcome: "unknown", error: { code: "outcome_unknown" } });
    expect(report[0]?.error?.message).toContain("1000001, 1000002");
    expect(stderr).toContain("it is not known whether 1 of 1 orders was created");
    expect(home.posts).toBe(2);
  });

  test("a row that was changed before it was looked for is not sent: its first form may be an order", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    home.sandbox.faults.set([
      { ...post, kind: "drop_after", times: 1 },
      { kind: "drop_before", method: "GET" },
    ]);
    expect((await home.run()).exit).toBe(5);
    home.sandbox.faults.clear();
    await home.put(sheet(row("A-1", "王五")));
    const changed = await home.run();
    expect([changed.exit, home.posts]).toEqual([6, 1]);
    expect(changed.report[0]?.error?.message).toContain("put it back as it was");
    await home.put(sheet(row("A-1")));
    expect((await home.run()).exit).toBe(0);
    expect(await home.receivers()).toEqual(["李四"]);
  });

  test("an answer that shows a clock far off ours still leads to the order", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    home.sandbox.faults.set([
      { ...post, kind: "drop_after", times: 1 },
      { kind: "drop_before", method: "GET" },
    ]);
    expect((await home.run()).exit).toBe(5);
    const text = await readFile(home.journal, "utf8");
    const [{ at }] = (await journalEntries(home.journal)).filter(({ kind }) => kind === "intent") as [
      { at: string },
    ];
    expect(text).toContain(at);
    home.sandbox.faults.clear();
    home.clock.advance(3 * 86_400_000);
    expect((await home.run()).exit).toBe(0);
    expect(await home.receivers()).toEqual(["李四"]);
  });
});

describe("a journal that does not fit", () => {
  test("of another file is refused with a hint", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await home.run();
    await home.put(sheet(row("B-1"), row("B-2")));
    const { exit, stderr } = await home.run();
    expect([exit, home.posts]).toEqual([2, 1]);
    expect(stderr).toContain("none of whose rows are in");
    expect(stderr).toContain("--journal PATH");
  });

  test("of the same file read differently is told apart", async () => {
    const home = await createImportHome("receiver.name,item.name\nA,B\n");
    await home.courier("addresses add shop --name Shop");
    await home.courier("addresses add depot --name Depot");
    expect(await home.run("--sender @shop")).toMatchObject({ exit: 0 });
    const { exit, stderr } = await home.run("--sender @depot");
    expect([exit, home.posts]).toEqual([2, 1]);
    expect(stderr).toContain("are read differently than when the journal was begun");
  });

  test("of another account or service is refused", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await home.run();
    const { exit, stderr } = await home.run("--account sandbox");
    expect(exit).toBe(2);
    expect(stderr).toContain("belongs to the account (environment)");
  });

  test("that was edited is reported with its line", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await home.run();
    const text = await readFile(home.journal, "utf8");
    await writeFile(home.journal, text.replace("1000001", "1000009"));
    const { exit, stderr } = await home.run();
    expect([exit, home.posts]).toEqual([2, 1]);
    expect(stderr).toContain("changed by hand, or is damaged, in line 3");
  });
});

test("one zero byte in a journal is damage: nothing is sent, and what stands after it is not cut off", async () => {
  const home = await createImportHome(sheet(row("A-1"), row("A-2"), row("A-3"), row("A-4")));
  await home.run();
  const bytes = await readFile(home.journal);
  bytes[bytes.indexOf(10, bytes.indexOf(10) + 1) + 12] = 0;
  await writeFile(home.journal, bytes);
  const { exit, stderr } = await home.run();
  expect([exit, home.posts]).toEqual([2, 4]);
  expect(stderr).toContain("changed by hand, or is damaged, in line 3");
  expect(await readFile(home.journal)).toEqual(bytes);
});

test("a damaged journal of another file stops an import; moved away or with --allow-duplicate it goes on", async () => {
  const home = await createImportHome(sheet(row("A-1"), row("A-2")));
  await home.run();
  const bytes = await readFile(home.journal);
  const at = bytes.indexOf(10) + 12;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(home.journal, bytes);
  const copy = await home.put(await readFile(home.file), "copy.csv");
  for (const further of ["--yes", "--check"]) {
    const { exit, stderr } = await home.courier(["orders", "import", copy, further]);
    expect([exit, home.posts]).toEqual([2, 2]);
    expect(stderr).toContain(`another import was changed by hand, or is damaged, in line 2: ${home.journal}`);
    expect(stderr).toContain("move it away; --allow-duplicate");
  }
  expect((await home.courier(["orders", "import", copy, "--yes", "--allow-duplicate"])).exit).toBe(0);
  expect(home.posts).toBe(4);
});

describe("the same ref in another file", () => {
  test("is pointed out before anything is sent; --allow-duplicate overrides", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2")));
    await home.run();
    const other = await home.put(sheet(row("A-2", "王五"), row("A-3")), "other.csv");
    const words = ["orders", "import", other, "--yes", "--json"];
    const ran = await home.courier(words);
    expect([ran.exit, home.posts]).toEqual([2, 2]);
    expect(JSON.parse(ran.stderr.trimEnd().split("\n").at(-1) ?? "").error).toMatchObject({
      code: "duplicate",
      message: `another import has created orders of the same ref: A-2 (${home.journal})`,
      details: { count: 1, refs: ["A-2"], rows: [1], journals: [home.journal] },
    });
    expect((await home.courier([...words, "--allow-duplicate"])).exit).toBe(0);
    expect(home.posts).toBe(4);
    expect((await home.courier(words)).exit).toBe(0); // its own journal knows by now
  });

  test("also for rows that this file's own journal knows as refused, or not at all", async () => {
    const home = await createImportHome(
      sheet(row("A-1"), row("A-2", "王五", "12"), row("A-3", "赵六", "12")),
    );
    const rejects = path.join(home.directory, "rejects.csv");
    expect((await home.run(`--rejects ${rejects}`)).exit).toBe(3);
    expect((await home.run(`--rejects ${rejects}`)).stderr).not.toContain(".old");
    const told = await readFile(rejects, "utf8");
    await writeFile(rejects, `${told}\n`);
    const rerun = await home.run(`--rejects ${rejects}`);
    expect(rerun.stderr).toContain(`the file that was there, and differs, is now ${rejects}.old`);
    expect(await readFile(`${rejects}.old`, "utf8")).toBe(`${told}\n`);
    expect(await readFile(rejects, "utf8")).toBe(told);
    await writeFile(rejects, (await readFile(rejects, "utf8")).replaceAll(",12,", ",13700137000,"));
    expect((await home.courier(["orders", "import", rejects, "--yes"])).exit).toBe(0);
    await home.put(sheet(row("A-1"), row("A-2", "王五", "13700137000"), row("A-3", "赵六", "13700137000")));
    const again = await home.run();
    expect([again.exit, home.posts]).toEqual([2, 5]);
    expect(again.stderr).toContain(`of the same ref: A-2 (${rejects}.journal.ndjson), A-3`);
    expect((await home.courier(["orders", "import", home.file, "--check"])).exit).toBe(2);
    expect(await home.receivers()).toHaveLength(3);
  });

  test("a row whose answer was lost, and that another file has shipped since, is not sent again", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    home.sandbox.faults.set([
      { ...post, kind: "drop_before", times: 1 },
      { kind: "drop_before", method: "GET" },
    ]);
    expect((await home.run()).exit).toBe(5);
    home.sandbox.faults.clear();
    const other = await home.put(sheet(row("A-1")), "other.csv");
    const words = ["orders", "import", other, "--yes"];
    expect((await home.courier(words)).exit).toBe(2); // it may have been created
    expect((await home.courier([...words, "--allow-duplicate"])).exit).toBe(0);
    expect((await home.run()).exit).toBe(2);
    expect(await home.receivers()).toHaveLength(1);
  });

  test("a journal that is gone tells nothing and stops nothing", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await home.run();
    await rm(home.journal);
    const other = await home.put(sheet(row("A-1")), "other.csv");
    expect((await home.courier(["orders", "import", other, "--yes"])).exit).toBe(0);
  });
});

describe("the same content in another file", () => {
  const rows = [row("", "王五"), row("", "赵六"), row("", "赵六")];

  async function copied(...lines: string[]) {
    const home = await createImportHome(sheet(...rows));
    expect((await home.run()).exit).toBe(0);
    const copy = await home.put(sheet(...lines), "copy.csv");
    return { home, copy, words: ["orders", "import", copy] };
  }

  test("is pointed out before anything is sent: exit 2 where nobody is asked, with --yes and with --check", async () => {
    const { home, words } = await copied(...rows, row("", "孙七"));
    for (const [further, terminal] of [
      [["--yes", "--json"], {}],
      [["--yes", "--json"], { terminal: 80 }],
      [["--check", "--json"], {}],
    ] as const) {
      const ran = await home.courier([...words, ...further], terminal);
      expect([ran.exit, ran.stdout, home.posts]).toEqual([2, "", 3]);
      expect(JSON.parse(ran.stderr.trimEnd().split("\n").at(-1) ?? "").error).toMatchObject({
        code: "duplicate",
        message: `3 rows are the same as orders of another import: rows 1, 2, 3 (${home.journal})`,
        hint: expect.stringContaining("--allow-duplicate"),
        details: { count: 3, rows: [1, 2, 3], journals: [home.journal] },
      });
    }
    expect((await home.courier([...words, "--yes", "--allow-duplicate"])).exit).toBe(0);
    expect(home.posts).toBe(7);
  });

  test("at a terminal it is a question", async () => {
    const { home, words } = await copied(rows[0] ?? "");
    const no = scriptedPrompts({ confirms: [false] });
    const stopped = await home.courier(words, { terminal: 80, prompts: no });
    expect([stopped.exit, home.posts]).toEqual([130, 3]);
    expect(no.asked).toEqual([
      `1 row is the same as an order of another import: row 1 (${home.journal}). Send it all the same?`,
    ]);
    const yes = scriptedPrompts({ confirms: [true, true] });
    expect((await home.courier(words, { terminal: 80, prompts: yes })).exit).toBe(0);
    expect(home.posts).toBe(4);
  });

  test("with a ref on one side only it is the same; two refs tell two orders apart", async () => {
    const { home, words } = await copied(row("A-1", "王五"));
    expect((await home.courier([...words, "--yes"])).exit).toBe(2);
    await home.put(sheet(row("A-1", "孙七")), "copy.csv");
    expect((await home.courier([...words, "--yes"])).exit).toBe(0);
    const third = await home.put(sheet(row("A-2", "孙七")), "third.csv");
    expect((await home.courier(["orders", "import", third, "--yes"])).exit).toBe(0);
    await home.put(sheet(row("", "孙七")), "third.csv.2");
    const nameless = ["orders", "import", path.join(home.directory, "third.csv.2"), "--yes"];
    expect((await home.courier(nameless)).exit).toBe(2);
  });

  test("orders of another account are none of its business", async () => {
    const { home, words } = await copied(...rows);
    const env = { COURIER_ACCOUNT: "sandbox", COURIER_API_KEY: "", COURIER_BASE_URL: "" };
    expect((await home.courier([...words, "--check"], { env })).exit).toBe(0);
  });

  test("a file without any ref is warned of once; one with an order number has refs", async () => {
    const home = await createImportHome(sheet(row("")));
    const { stderr } = await home.run();
    expect(stderr.match(/warning: no row has a ref/g)).toHaveLength(1);
    expect((await home.run()).stderr).not.toContain("no row has a ref"); // nothing is left to send
    const named = await home.put(sheet(row("A-1", "孙七")).replace("ref,", "Order No,"), "named.csv");
    const ran = await home.courier(["orders", "import", named, "--yes", "--json"]);
    expect(ran.stderr).not.toContain("no row has a ref");
    expect(JSON.parse(ran.stdout)).toMatchObject([{ ref: "A-1" }]);
  });
});

describe("crash after each single write of the journal", () => {
  /** What there is after so many lines: the journal as it was, and the orders that the service had by then. */
  test("the next run ends with each row once, whether the last request had arrived or not", async () => {
    const rows = [row("A-1"), row("", "王五"), row("", "王五"), row("A-2", "赵六")];
    const whole = await createImportHome(sheet(...rows));
    await whole.run("--concurrency 1");
    const lines = (await readFile(whole.journal, "utf8")).trimEnd().split("\n");
    const bodies = whole.sandbox.requests.filter(({ method }) => method === "POST").map(({ body }) => body);
    expect(lines).toHaveLength(1 + 2 * rows.length);

    for (let kept = 0; kept <= lines.length; kept++) {
      for (const hasArrived of [false, true]) {
        const home = await createImportHome(sheet(...rows));
        const created = lines.slice(0, kept).filter((line) => line.includes('"created"')).length;
        const isOpen = lines[kept - 1]?.includes('"intent"') === true;
        if (hasArrived && !isOpen) continue;
        for (const body of bodies.slice(0, created + (hasArrived ? 1 : 0))) {
          await fetch(`${home.sandbox.baseUrl}/api/v1/orders`, {
            method: "POST",
            headers: { authorization: `Bearer ${home.sandbox.apiKey}`, "content-type": "application/json" },
            body,
          });
        }
        await writeFile(home.journal, await resealed(lines.slice(0, kept), home.sandbox.baseUrl));
        const { exit, report, stderr } = await home.run("--concurrency 1");
        expect(exit, stderr).toBe(0);
        expect(outcomes(report)).toBe("created created created created");
        expect([...(await home.receivers())].sort()).toEqual(["李四", "王五", "王五", "赵六"].sort());
      }
    }
  });
});

/** The same lines for a service at another address. */
async function resealed(lines: readonly string[], baseUrl: string): Promise<string> {
  const { seal } = await import("../../src/import/journal-lines.ts");
  let sum = "";
  return lines
    .map((text) => {
      const { sum: _sum, ...value } = JSON.parse(text);
      const sealed = seal("base_url" in value ? { ...value, base_url: baseUrl } : value, sum);
      sum = sealed.sum;
      return sealed.line;
    })
    .join("");
}

test("a journal elsewhere is found again by --journal", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  const journal = path.join(home.directory, "kept.ndjson");
  await home.run(`--journal ${journal}`);
  await home.run(`--journal ${journal}`);
  expect(requestCount(home, "POST")).toBe(1);
});
