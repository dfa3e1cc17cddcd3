/** courier orders import of rows that are all refused for one reason: it pauses, and shows the refused values. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createTransport, type Transport } from "../../src/api/transport.ts";
import { interrupted } from "../../src/core/errors.ts";
import { createImportHome, errorOf, header, lostForNow, row, sheet } from "../support/imports.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { writeWorkbook } from "../support/workbooks.ts";

const bad = (count: number, start = 0) =>
  Array.from({ length: count }, (_, index) => row(`B-${start + index}`, `Name ${index}`, "12"));
const good = (count: number) =>
  Array.from({ length: count }, (_, index) => row(`G-${index}`, `Good ${index}`));

describe("20 rows in a row that are refused for one reason, and no order before", () => {
  test("end the import of a script: exit 3, and the rest is not sent", async () => {
    const home = await createImportHome(sheet(...bad(40)));
    const ran = await home.run("--concurrency 1");
    expect([ran.exit, home.posts]).toEqual([3, 20]);
    expect(errorOf(ran)).toMatchObject({
      code: "some_refused",
      message:
        "20 rows were refused for the same reason: the service refused: receiver.phone must be a telephone number (INVALID_PARAMETER); 20 of 40 rows were not sent",
      hint: expect.stringContaining("--keep-going sends the other rows"),
    });
    expect(ran.stderr).toContain("40 rows: 0 created, 20 refused, 20 not sent\n");
    // The others stay free for the next run, which sends them once.
    await home.put(sheet(...bad(20), ...good(20)));
    const later = await home.run();
    expect([later.exit, (await home.receivers()).length]).toEqual([3, 20]);
  });

  test("of several at once: no further one begins", async () => {
    const home = await createImportHome(sheet(...bad(60)));
    const ran = await home.run("--concurrency 8");
    expect(ran.exit).toBe(3);
    expect(home.posts).toBeGreaterThanOrEqual(20);
    expect(home.posts).toBeLessThan(20 + 8);
  });

  test("end it also where the service refuses for a reason of its own, and takes no order", async () => {
    const home = await createImportHome(sheet(...good(40)));
    const post = { method: "POST", path: "/api/v1/orders" } as const;
    home.sandbox.faults.set([{ ...post, kind: "refuse", status: 402, code: "BALANCE", message: "no money" }]);
    const ran = await home.run("--concurrency 1");
    expect([ran.exit, home.posts], ran.stderr).toEqual([6, 20]);
    expect(errorOf(ran).message).toBe(
      "it is not known whether 20 of 40 orders were created; 20 more rows were not sent; the import stopped: 20 rows were refused for the same reason: the service refused: no money (BALANCE)",
    );
    expect((await home.run("--settle 0s")).exit).toBe(3);
    home.sandbox.faults.clear();
    const later = await home.run("--retry-refused");
    expect([later.exit, (await home.receivers()).length], later.stderr).toEqual([0, 40]);
  });

  test("are no reason to stop with --keep-going", async () => {
    const home = await createImportHome(sheet(...bad(30)));
    expect([(await home.run("--keep-going")).exit, home.posts]).toEqual([3, 30]);
  });

  test.each([
    [true, 30],
    [false, 20],
  ])("are a question at a terminal: %s", async (answer, posts) => {
    const home = await createImportHome(sheet(...bad(30)));
    const prompts = scriptedPrompts({ confirms: [true, answer] });
    const ran = await home.courier(["orders", "import", home.file, "--concurrency", "1"], {
      terminal: 120,
      prompts,
    });
    expect([ran.exit, home.posts]).toEqual([3, posts]);
    expect(prompts.asked[1]).toBe(
      "20 rows were refused for the same reason: the service refused: receiver.phone must be a telephone number (INVALID_PARAMETER). Go on?",
    );
  });

  test("Ctrl-C at that question: the sheet says of no row that it is in doubt", async () => {
    const home = await createImportHome(sheet(...bad(30)));
    const prompts = {
      ...scriptedPrompts({}),
      async confirm(question: string) {
        if (question.includes("Go on?")) throw interrupted(130);
        return true;
      },
    };
    const output = path.join(home.directory, "out.csv");
    const words = ["orders", "import", home.file, "--write-back", output];
    const ran = await home.courier(words, { terminal: 120, prompts });
    expect(ran.exit, ran.stderr).toBe(130);
    const written = await readFile(output, "utf8");
    expect(written).not.toContain("in doubt");
    expect(written.match(/,not sent$/gm)).toHaveLength(30 - home.posts);
  });

  test.each([
    ["after one that was created", sheet(...good(1), ...bad(30))],
    [
      "with another reason between them",
      sheet(...bad(15), row("X", "", "13900139000").replace("茶叶", ""), ...bad(15, 20)),
    ],
  ])("do not stop it %s", async (_what, content) => {
    const home = await createImportHome(content);
    expect([(await home.run("--concurrency 1")).exit, home.posts]).toEqual([3, 31]);
  });
});

test("the refused value is in the report and in the file of rejects", async () => {
  const home = await createImportHome(
    sheet(row("A-1"), row("A-2", "王五", "12")).replace("receiver.phone", "收件人电话"),
  );
  const rejects = path.join(home.directory, "rejects.csv");
  const ran = await home.run(`--rejects ${rejects}`);
  expect(ran.report[1]?.error).toMatchObject({ column: "收件人电话", value: "12" });
  expect(await readFile(rejects, "utf8")).toMatch(/收件人电话: .*: “12”$/m);
  const again = await home.courier(["orders", "import", home.file, "--yes"]);
  expect(again.stdout).toMatch(/收件人电话: .*: “12”$/m);
});

test("control characters in a reason of the service are not in the file of rejects", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  const refusal = { kind: "refuse", status: 422, code: "BAD", message: "bad\0\u001b[31m\r\nphone" } as const;
  home.sandbox.faults.set([{ method: "POST", path: "/api/v1/orders", ...refusal }]);
  const rejects = path.join(home.directory, "rejects.csv");
  expect((await home.run(`--settle 0s --rejects ${rejects}`)).exit).toBe(3);
  const [, rejected = "", ...more] = (await readFile(rejects, "utf8")).trimEnd().split("\n");
  expect(rejected).toMatch(/,the service refused: bad \[31m phone \(BAD\)$/);
  expect(more).toEqual([]);
});

describe("a row in doubt that an import which ends early has not reached is not counted as not sent", () => {
  async function createHomeInDoubt() {
    const home = await createImportHome(sheet(row("G-1", "Good")));
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect((await home.run()).exit).toBe(6);
    await home.put(sheet(...bad(25), row("G-1", "Good"))); // the list cannot be read yet
    return home;
  }

  test("after 20 refusals: exit 6", async () => {
    const home = await createHomeInDoubt();
    const ran = await home.run("--concurrency 1");
    expect(await home.receivers()).toEqual(["Good"]);
    expect(ran.stderr).toContain("26 rows: 0 created, 20 refused, 1 unknown, 5 not sent");
    expect([ran.exit, errorOf(ran).code]).toEqual([6, "outcome_unknown"]);
  });

  test("after Ctrl-C", async () => {
    const home = await createHomeInDoubt();
    const network = await createTransport({}, 30_000);
    const stop = new AbortController();
    const transport: Transport = {
      ...network,
      send(request) {
        if (request.method === "POST") stop.abort(interrupted(130));
        return network.send(request);
      },
    };
    const ran = await home.run("--concurrency 1", { transport, signal: stop.signal });
    await network.close();
    expect(ran.exit).toBe(130);
    expect(ran.stderr).toContain("1 unknown");
  });
});

function refuse(field: string, value: string) {
  const error = { code: "INVALID_PARAMETER", message: `${field} is wrong`, details: { field, value } };
  return {
    status: 422,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ success: false, error }),
    bytes: new Uint8Array(),
  };
}

/** Row 13 is refused for its city, `ticks` after the 20th row that is refused for its phone. */
async function importWith(ticks: number) {
  const home = await createImportHome(
    sheet(...Array.from({ length: 30 }, (_, at) => row(`B-${at}`, at === 12 ? "Odd" : `Name ${at}`, "12"))),
  );
  const network = await createTransport({}, 30_000);
  let alike = 0;
  let release = () => {};
  const isFull = new Promise<void>((resolve) => {
    release = resolve;
  });
  const transport: Transport = {
    ...network,
    async send(request) {
      if (request.method !== "POST") return network.send(request);
      request.mayLeave?.();
      if (String(request.body).includes("Odd")) {
        await isFull;
        for (let tick = 0; tick < ticks; tick++) await new Promise((resolve) => setImmediate(resolve));
        return refuse("receiver.city", "北京市");
      }
      alike += 1;
      if (alike >= 20) release();
      return refuse("receiver.phone", "12");
    },
  };
  const ran = await home.run("--concurrency 2", { transport });
  await network.close();
  return ran;
}

test("a refusal for another reason that comes at the pause: the import goes on, or says why it paused, never exit 5", async () => {
  const ends: string[] = [];
  for (let ticks = 0; ticks < 8; ticks++) {
    const ran = await importWith(ticks);
    ends.push(`${ran.exit} ${errorOf(ran).code}`);
  }
  expect(new Set(ends)).toEqual(new Set(["3 some_refused"]));
});

test("where no row came into the file of rejects, the hint does not send there", async () => {
  const titles = header.split(",");
  const goods = titles.map((title) => (title === "item.name" ? "茶杯" : ""));
  const hidden = { cells: goods, attributes: 'hidden="1"' };
  const workbook = writeWorkbook({
    sheets: [{ name: "Orders", rows: [titles, row("A-1").split(","), row("A-2").split(","), hidden] }],
  });
  const home = await createImportHome(sheet(row("Y-1", "昨天", "12")));
  const rejects = path.join(home.directory, "rejects.csv");
  expect((await home.run(`--rejects ${rejects}`)).exit).toBe(3);
  const file = await home.put(workbook, "orders.xlsx");
  const ran = await home.importFile(file, `--skip-hidden --skip-wrong --rejects ${rejects}`);
  expect([ran.exit, await readFile(rejects, "utf8")]).toEqual([3, expect.stringContaining("Y-1")]);
  expect(errorOf(ran).hint).toBe("fix these rows and run the same command again");
});
