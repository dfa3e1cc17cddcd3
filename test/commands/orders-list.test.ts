/** A page of orders in every form, with every filter, and what bad input gets. */

import { describe, expect, test } from "vitest";
import { answerData, onePage } from "../support/answers.ts";
import { createHome, createServedHome } from "../support/courier.ts";
import { columnOf, screenWidths, tooWide } from "../support/screens.ts";

test("an empty list is done: nothing on stdout but a word on stderr, and [] as JSON", async () => {
  const { courier } = await createHome();
  const list = "--account sandbox orders list";
  expect(await courier(list)).toEqual({ exit: 0, stdout: "", stderr: "No orders\n" });
  expect(await courier(`${list} --quiet`)).toEqual({ exit: 0, stdout: "", stderr: "" });
  expect(await courier(`${list} --json`)).toEqual({ exit: 0, stdout: "[]\n", stderr: "" });
  expect(await courier(`${list} --all --json`)).toEqual({ exit: 0, stdout: "[]\n", stderr: "" });
  expect(await courier(`${list} --ndjson`)).toEqual({ exit: 0, stdout: "", stderr: "" });
  const csv = await courier(`${list} --csv`);
  expect(csv).toMatchObject({ exit: 0, stderr: "" });
  expect(csv.stdout.split("\n")).toHaveLength(2);
});

describe("forms", () => {
  test("JSON is pretty at a terminal and compact in a pipe, with the same content", async () => {
    const { courier } = await createServedHome({ seedOrders: 3 });
    const piped = await courier("orders list --json");
    const shown = await courier("orders list --json", { terminal: 80 });
    expect(piped.stdout.split("\n")).toHaveLength(2);
    expect(shown.stdout.split("\n").slice(0, 3)).toEqual(["[", "  {", '    "id": 3,']);
    expect(JSON.parse(shown.stdout)).toEqual(JSON.parse(piped.stdout));
    expect(piped.stderr + shown.stderr).toBe("");
  });

  test("NDJSON is one object a line, at a terminal too", async () => {
    const { courier } = await createServedHome({ seedOrders: 3 });
    for (const options of [{}, { terminal: 80 }]) {
      const { stdout } = await courier("orders list --ndjson", options);
      const ids = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).id);
      expect(ids).toEqual([3, 2, 1]);
    }
  });

  test("CSV has dotted column names and every column", async () => {
    const { courier } = await createServedHome({ seedOrders: 1 });
    const { stdout } = await courier("orders list --csv");
    expect(stdout.split("\n")[0]).toBe(
      "id,order_no,tracking_number,status,payment_status,actual_fee,item_name,sender.name,sender.city,receiver.name,receiver.city,created_at",
    );
  });

  test("in a pipe nothing is cut, and times are as the service sent them", async () => {
    const home = await createServedHome();
    const name = "很".repeat(120);
    answerData(
      home,
      "GET /api/v1/orders",
      `[{"id":1,"item_name":"${name}","created_at":"2026-02-28T23:00:00.5Z"}]`,
      onePage,
    );
    const { stdout } = await home.courier("orders list");
    expect(stdout).toContain(name);
    expect(stdout).toContain("2026-02-28T23:00:00.5Z");
    const shown = await home.courier("orders list", { terminal: 80 });
    expect(shown.stdout).toContain("…");
    expect(shown.stdout).toContain("8 h ago");
  });

  test("a time without an offset is shown as it came, no zone invented", async () => {
    const home = await createServedHome();
    answerData(home, "GET /api/v1/orders", '[{"id":1,"created_at":"2026-02-28 23:00:00"}]', onePage);
    const { stdout } = await home.courier("orders list", { terminal: 140 });
    expect(stdout).toContain("2026-02-28 23:00:00\n");
  });
});

describe("the screen", () => {
  test.each(screenWidths)("fits %s columns, Chinese text included", async (terminal) => {
    const { courier } = await createServedHome({ seedOrders: 40 });
    const { stdout } = await courier("orders list --limit 40", { terminal, env: { NO_COLOR: "1" } });
    expect(tooWide(stdout, terminal)).toEqual([]);
    expect(stdout.split("\n").filter((line) => / $/.test(line))).toEqual([]);
  });

  test.each([80, 140, undefined])("columns line up by display width (columns: %s)", async (terminal) => {
    const home = await createServedHome();
    const rows = ["茶", "abc", "手机壳", "ｗｉｄｅ", "👩‍👩‍👧", "é"].map(
      (name, index) => `{"id":${index + 1},"item_name":"${name}","receiver":{"name":"收${index}"}}`,
    );
    answerData(home, "GET /api/v1/orders", `[${rows.join(",")}]`, onePage);
    const { stdout } = await home.courier(
      "orders list",
      terminal ? { terminal, env: { NO_COLOR: "1" } } : {},
    );
    const [heading = "", ...lines] = stdout.trimEnd().split("\n");
    const column = columnOf(heading, " TO ") + 1;
    expect(lines.map((line) => columnOf(line, "收"))).toEqual(lines.map(() => column));
  });
});

describe("--fields", () => {
  test("picks nested fields in JSON, nested as they were", async () => {
    const { courier } = await createServedHome({ seedOrders: 1 });
    const { stdout } = await courier(
      "orders list --json --fields sender.name,id,receiver.city,=nothing.here",
    );
    expect(stdout).toBe('[{"sender":{"name":"王强"},"id":1,"receiver":{"city":"深圳市"}}]\n');
  });

  test("a field of the service that no row has is said, with the one that is meant", async () => {
    const { courier } = await createServedHome({ seedOrders: 3 });
    for (const form of ["", " --json", " --ndjson", " --csv"]) {
      const { exit, stderr } = await courier(`orders list --fields id,=stauts,=sender.nmae${form}`);
      expect(exit).toBe(0);
      expect(stderr).toBe(
        "warning: no row has the field “stauts”; did you mean status?\n" +
          "warning: no row has the field “sender.nmae”; did you mean sender.name?\n",
      );
    }
    const none = await courier("orders list --status nowhere --fields =stauts --json");
    expect(none.stderr).not.toContain("no row has");
  });

  test("makes columns in their order, for fields that the table does not know too", async () => {
    const home = await createServedHome();
    answerData(home, "GET /api/v1/orders", '[{"id":1,"status":"paid","note":{"text":"x"}}]', onePage);
    const table = await home.courier("orders list --fields =note.text,status,id,=none");
    expect(table.stdout).toBe("NOTE.TEXT  STATUS  ID  NONE\nx          paid    1   -\n");
    const csv = await home.courier("orders list --csv --fields =note.text,=none,id");
    expect(csv.stdout).toBe("note.text,none,id\nx,,1\n");
  });

  test.each(["", "id,", ",id", "id,,status"])("refuses “%s”", async (paths) => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier(["orders", "list", `--fields=${paths}`]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`--fields takes names separated by commas, not “${paths}”`);
  });
});

test("CSV cells that a spreadsheet would run are defused, numbers are left alone", async () => {
  const home = await createServedHome();
  const texts = ["=1+1", "+86 138", "-2+3", "@SUM(A1)", "\tx", "\rx", "a=1", 'say "hi", ok', "two\nlines"];
  const data = texts.map((text, id) => ({ id, item_name: text, actual_fee: -1.5 }));
  answerData(home, "GET /api/v1/orders", JSON.stringify(data), onePage);
  const { stdout } = await home.courier("orders list --csv --fields item_name,actual_fee");
  expect(stdout).toBe(
    "item_name,actual_fee\n'=1+1,-1.5\n'+86 138,-1.5\n'-2+3,-1.5\n'@SUM(A1),-1.5\n'\tx,-1.5\n\"'\\rx\",-1.5\na=1,-1.5\n" +
      '"say ""hi"", ok",-1.5\n"two\nlines",-1.5\n',
  );
});

describe("filters", () => {
  test.each([
    ["pnding_x", "unknown state “pnding_x”; known are pending, paid, "],
    ["zzzzzzzz", "unknown state “zzzzzzzz”; known are pending, paid, "],
  ])("a state that nobody knows (%s) is sent, and said when nothing is found", async (status, hint) => {
    const { courier, sandbox } = await createServedHome({ seedOrders: 3 });
    for (const form of ["", " --json", " --all --json"]) {
      const { exit, stderr } = await courier(`orders list --status ${status}${form}`);
      expect(exit).toBe(0);
      expect(stderr).toContain(hint);
    }
    expect(sandbox.requests[0]?.path).toBe(`/api/v1/orders?page=1&limit=10&status=${status}`);
    expect((await courier("orders list --status cancelled")).stderr).not.toContain("no state");
  });

  test("all five go out under the interface's names, and only those that were given", async () => {
    const home = await createServedHome();
    await home.courier("orders list");
    await home.courier(
      "orders list --status in_transit --from 2026-01-01 --to 2026-01-31 --page 2 --limit 100",
    );
    await home.courier(["orders", "list", "--status", "别的 状态&x=1"]);
    expect(home.sandbox.requests.map(({ path }) => path)).toEqual([
      "/api/v1/orders?page=1&limit=10",
      "/api/v1/orders?page=2&limit=100&status=in_transit&date_from=2026-01-01&date_to=2026-01-31",
      `/api/v1/orders?${new URLSearchParams({ page: "1", limit: "10", status: "别的 状态&x=1" })}`,
    ]);
  });

  test("a page of several says so on stderr, with output flags too", async () => {
    const { courier } = await createServedHome({ seedOrders: 25 });
    for (const form of ["", " --json", " --ndjson", " --csv"]) {
      const { exit, stderr } = await courier(`orders list --page 2${form}`);
      expect(exit).toBe(0);
      expect(stderr).toBe("page 2 of 3 (25 orders); --all fetches everything\n");
    }
    expect((await courier("orders list --limit 25")).stderr).toBe("");
  });

  test.each([
    ["--limit 0", "--limit takes a whole number of at least 1, not “0”"],
    ["--limit 1.5", "--limit takes a whole number of at least 1, not “1.5”"],
    ["--limit ten", "--limit takes a whole number of at least 1, not “ten”"],
    ["--limit=-1", "--limit takes a whole number of at least 1, not “-1”"],
    ["--page 0", "--page takes a whole number of at least 1, not “0”"],
    [
      "--page 99999999999999999999",
      "--page takes a whole number from 1 to 9007199254740991, not “99999999999999999999”",
    ],
    ["--from 2026-02-02 --to 2026-02-01", "--from 2026-02-02 is after --to 2026-02-01"],
    ["--all --page 2", "--all and --page exclude each other"],
  ])("orders list %s: exit 2, nothing sent", async (words, message) => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier(`orders list ${words}`);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`error: ${message}\n`);
    expect(home.sandbox.requests).toEqual([]);
  });
});
