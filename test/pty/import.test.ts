/** An import at a terminal: the bar, the table, Ctrl-C, and what a service that goes away looks like. */

import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { header, row, sheet } from "../support/imports.ts";
import { until } from "../support/process.ts";
import { prepareProgram } from "../support/program.ts";
import { createServedTerminalHome, keys, stoppingShell } from "../support/terminal.ts";
import { lacks } from "../support/tools.ts";
import { writeWorkbook } from "../support/workbooks.ts";

const post = { method: "POST", path: "/api/v1/orders" } as const;

async function homeWith(...rows: readonly string[]) {
  const home = await createServedTerminalHome();
  await writeFile(path.join(home.directory, "orders.csv"), sheet(...rows));
  return home;
}

const many = Array.from({ length: 40 }, (_, index) => row(`A-${index}`));

test("Ctrl-C once finishes what is under way, leaves the report whole, and says how to go on", async () => {
  const home = await homeWith(...many);
  home.sandbox.faults.set([{ ...post, kind: "latency", ms: 300 }]);
  const terminal = home.open("orders import orders.csv --yes", { columns: 80, rows: 60 });
  await terminal.until(/\[#+\.+\] \d+\/40/);
  terminal.type(keys.ctrlC);
  expect(await terminal.ended).toEqual({ exit: 130, signal: undefined });
  const screen = terminal.transcript();
  const created = Number(/^40 rows: (\d+) created/m.exec(screen)?.[1]);
  expect(created).toBe(home.sandbox.requests.filter(({ method }) => method === "POST").length);
  expect(screen).toContain("stopping after the requests in progress; press Ctrl-C again to stop now");
  expect(screen).toContain(`40 rows: ${created} created, ${40 - created} not sent`);
  expect(screen).toContain(`error: stopped: ${created} created, ${40 - created} not sent`);
  expect(screen).toContain("hint: run the same command again: it continues where it stopped");
  expect(terminal.isCursorVisible).toBe(true);
});

test.skipIf(process.env.COURIER_BIN).each(["removes", "empties", "replaces"])(
  "an update that %s the program's files during the question ends it with words, and nothing is sent",
  async (how) => {
    const home = await homeWith(row("A-1"));
    const [node = "", launcher = ""] = await prepareProgram();
    const installed = path.join(home.directory, "installed");
    await cp(path.dirname(path.dirname(launcher)), installed, { recursive: true });
    const shell = `shift 2; exec "${node}" "${installed}/bin/courier.cjs" "$@"`;
    const terminal = home.open("orders import orders.csv", { columns: 100, shell });
    await terminal.until("(y/N)");
    await rename(installed, `${installed}.old`);
    const loaded = path.join(home.directory, "loaded");
    const note = `require("node:fs").writeFileSync(${JSON.stringify(loaded)}, "");`;
    const older = `${installed}.old/dist`;
    const [content = ""] = /[0-9a-f]{16}$/.exec(await readFile(path.join(older, "run.cjs"), "utf8")) ?? [];
    if (how !== "removes") {
      await mkdir(path.join(installed, "dist"), { recursive: true });
      for (const name of await readdir(older)) {
        const text = await readFile(path.join(older, name), "utf8").catch(() => "");
        const newer = note + text.replaceAll(content, content.replace(/./g, "e"));
        if (name.endsWith(".cjs"))
          await writeFile(
            path.join(installed, "dist", name),
            how === "empties" ? "module.exports = {};" : newer,
          );
      }
    }
    terminal.type(`y${keys.enter}`);
    expect(await terminal.ended).toEqual({ exit: 5, signal: undefined });
    expect(terminal.transcript()).toContain(
      "error: the files of courier were removed or replaced during the run",
    );
    expect(home.sandbox.requests.filter(({ method }) => method === "POST")).toEqual([]);
    expect(existsSync(loaded), "parts of the other version").toBe(false);
  },
);

test("Ctrl-C twice stops at once, and the bar is not drawn again", async () => {
  const home = await homeWith(...many);
  home.sandbox.faults.set([{ ...post, kind: "stall" }]);
  const terminal = home.open("orders import orders.csv --yes", { columns: 120 });
  await until(
    "four are under way",
    () => home.sandbox.requests.filter(({ method }) => method === "POST").length === 4,
  );
  terminal.type(keys.ctrlC);
  await terminal.until("press Ctrl-C again to stop now");
  await terminal.until(/\[\.+\] 0\/40/);
  terminal.type(keys.ctrlC);
  const { exit, signal } = await terminal.ended;
  expect(exit === 130 || signal === 2).toBe(true);
  expect(terminal.transcript().trimEnd()).toMatch(/; courier log shows what was done$/);
});

test.skipIf(lacks("sh"))(
  "a window that was made narrower while the import was stopped: the bar is as wide as it",
  async () => {
    const home = await homeWith(...many);
    home.sandbox.faults.set([{ ...post, kind: "latency", ms: 300 }]);
    const terminal = home.open("orders import orders.csv --yes", {
      columns: 80,
      rows: 60,
      shell: stoppingShell,
    });
    await terminal.until(/\[#+\.+\] \d+\/40/);
    terminal.type(keys.ctrlZ);
    await terminal.until("in the shell");
    terminal.resize(40);
    terminal.type(keys.enter);
    await terminal.until(/^\[#+\.*\] \d+\/40 .*…$/m);
    expect((await terminal.ended).exit).toBe(0);
    expect(terminal.transcript()).toMatch(/in the shell\n\n40 rows: 40 created\n/);
  },
);

test("a workbook asks which sheet is imported, whether its hidden rows are, and then to confirm", async () => {
  const home = await createServedTerminalHome();
  const cells = (ref: string) => row(ref).split(",");
  const titles = header.split(",");
  const june = [titles, cells("B-1"), { cells: cells("B-2"), attributes: 'hidden="1"' }];
  const workbook = writeWorkbook({
    sheets: [
      { name: "May", rows: [titles, cells("A-1")] },
      { name: "June", rows: june },
    ],
  });
  await writeFile(path.join(home.directory, "orders.xlsx"), workbook);
  const terminal = home.open("orders import orders.xlsx", { columns: 100, rows: 40 });
  await terminal.choose("orders.xlsx has several sheets with rows. Import which one?", "June (2 rows)");
  await terminal.answer("1 of 2 rows is hidden. Ship it too?", "n");
  await terminal.answer("Create 1 order with the account (environment)?", "y");
  expect((await terminal.ended).exit).toBe(0);
  expect(terminal.transcript()).toMatch(/^1 row: 1 created$/m);
  expect(home.sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("the table, the refusals below their rows, the totals and the rejects stand in that order", async () => {
  const home = await homeWith(row("A-1"), row("A-2", "王五", "12"), row("A-3"));
  const terminal = home.open("orders import orders.csv --rejects rejects.csv", { columns: 80, rows: 40 });
  await terminal.answer("Create 3 orders with the account (environment)?", "y");
  expect((await terminal.ended).exit).toBe(3);
  const lines = terminal.transcript().split("\n");
  const places = [
    /^ROW {2}REF {2}OUTCOME/,
    /^ {2}2 {2}A-2 {2}refused/,
    /^ {5}the service refused: receiver.phone must be a telephone number/,
    /^3 rows: 2 created, 1 refused$/,
    /^1 refused row is in rejects.csv$/,
    /^each order: courier log show 1$/,
    /^error: 1 of 3 rows was refused$/,
    /^hint: fix the rows in rejects.csv and import that file;/,
  ].map((pattern) => lines.findIndex((line) => pattern.test(line)));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

test("the form of an unknown header takes Enter for its guess, and another field by a word of it", async () => {
  const home = await createServedTerminalHome();
  await writeFile(
    path.join(home.directory, "orders.csv"),
    "客户,送到,货名,sender.name\n李四,建国路88号,绿茶,张三\n",
  );
  const terminal = home.open("orders import orders.csv", { columns: 60, rows: 40 });
  await terminal.answer("客户 (such as 李四) is");
  await terminal.answer("货名 (such as 绿茶) is");
  await terminal.answer("送到 (such as 建国路88号) is", "receiver street");
  await terminal.choose("What now?", "use these columns");
  await terminal.answer("Create 1 order with the account (environment)?", "y");
  expect((await terminal.ended).exit).toBe(0);
  expect(terminal.transcript()).toMatch(/^1 row: 1 created$/m);
  const [body = ""] = home.sandbox.requests
    .filter(({ method }) => method === "POST")
    .map((each) => each.body);
  expect(JSON.parse(body).receiver).toEqual({ name: "李四", detail: "建国路88号" });
});
