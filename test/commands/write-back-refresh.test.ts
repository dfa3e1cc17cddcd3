/** `orders write-back --refresh` of an order that the service does not show: what this machine saw last is used. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { answerData, answerRaw } from "../support/answers.ts";
import { createImportHome, row, sheet } from "../support/imports.ts";

const gone = '{"success":false,"error":{"code":"NO_SUCH_ORDER","message":"no such order"}}';

async function createHome() {
  const home = await createImportHome(sheet(row("A-1")));
  const { report } = await home.run();
  const number = String((report[0] as unknown as Record<string, unknown>).tracking_number);
  const write = async (...more: string[]) => {
    const ran = await home.courier(["orders", "write-back", home.file, "--in-place", "--json", ...more]);
    const cells = (await readFile(home.file, "utf8")).split("\n")[1]?.split(",").slice(10) ?? [];
    return { exit: ran.exit, stderr: ran.stderr, cells: [cells[0], cells[2]] };
  };
  const hide = () => answerRaw(home, "GET /api/v1/orders/1000001", gone, { status: 404 });
  return { home, number, write, hide };
}

test("keeps the state that a tracking answer showed", async () => {
  const { home, number, write, hide } = await createHome();
  home.clock.advance(24 * 3_600_000);
  expect((await home.courier(`track ${number}`)).exit).toBe(0);
  const before = await write();
  expect(before.cells).toEqual([number, "in_transit"]);
  hide();
  const after = await write("--refresh");
  expect(after.stderr).toContain("what this machine knows of it is used");
  expect([after.exit, ...after.cells]).toEqual([0, number, "in_transit"]);
});

test("keeps the number that the service gave the order since", async () => {
  const { home, write, hide } = await createHome();
  const shown = { id: 1000001, receiver: { name: "李四" }, status: "in_transit", tracking_number: "CRNEW1" };
  answerData(home, "GET /api/v1/orders/1000001", JSON.stringify(shown));
  expect((await home.courier("orders show 1000001")).exit).toBe(0);
  home.sandbox.faults.clear();
  expect((await write()).cells).toEqual(["CRNEW1", "in_transit"]);
  hide();
  const after = await write("--refresh");
  expect([after.exit, ...after.cells], after.stderr).toEqual([0, "CRNEW1", "in_transit"]);
});
