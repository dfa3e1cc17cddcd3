/** An answer to a create that names an order which an earlier command has shown: it is not called created. */

import { copyFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openLedgerFile } from "../../src/ledger/ledger.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { postgresPrograms, servePostgres } from "../support/postgres.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const order = (name: string, phone: string) =>
  JSON.stringify({
    sender: { name: "张三", phone: "13800138000", city: "北京市", detail: "建国路1号" },
    receiver: { name, phone, city: "上海市", detail: "人民路88号" },
    item: { name: "茶叶", quantity: 1 },
  });

/** A home that has sent an order. */
async function createHome(env: Record<string, string> = {}) {
  const home = await createUnfaithfulHome();
  const send = async (name: string, phone: string) => {
    const file = path.join(home.directory, `${phone}.json`);
    await writeFile(file, order(name, phone));
    return home.courier(`orders create --file ${file} --json`, { env });
  };
  /** Another machine's order, which a list shows. */
  async function list(id: number, words = "orders list"): Promise<void> {
    const { exit, stdout, stderr } = await home.courier(words, { env });
    expect(exit, stderr).toBe(0);
    expect(stdout).toContain(String(id));
  }
  async function createElsewhere(): Promise<number> {
    const made = await fetch(`${home.service.baseUrl}/api/v1/orders`, {
      method: "POST",
      headers: { authorization: `Bearer ${home.service.apiKey}`, "content-type": "application/json" },
      body: order("王五", "13700137000"),
    });
    return ((await made.json()) as { data: { id: number } }).data.id;
  }
  /** The next create is answered with that order. */
  async function expectOther(id: number): Promise<void> {
    home.service.ways = { answerWith: () => id } as never;
    const { exit, stdout, stderr } = await send("赵六", "13600136000");
    expect(exit, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: id + 1 });
  }
  const first = await send("李四", "13900139001");
  expect(first.exit, first.stderr).toBe(0);
  return { ...home, list, createElsewhere, expectOther };
}

test("with this machine's ledger", async () => {
  const home = await createHome();
  const id = await home.createElsewhere();
  await home.list(id);
  await home.expectOther(id);
});

test.each([
  ["one", (id: number) => `api orders/${id}`],
  ["one with a parameter", (id: number) => `api orders/${id} -q v=1`],
  ["a page", () => "api /api/v1/orders -q page=1"],
  ["all pages", () => "api orders --paginate -q limit=1"],
])("shown by a raw call: %s", async (_what, words) => {
  const home = await createHome();
  const id = await home.createElsewhere();
  await home.list(id, words(id));
  await home.expectOther(id);
});

test("with a ledger that is older now than what is kept for the Tab key", async () => {
  const home = await createHome();
  const ledger = ledgerPath(home.stateDir);
  const opened = await openLedgerFile(home.stateDir);
  opened.exec(`VACUUM INTO '${ledger}.backup'`);
  opened.close();
  const id = await home.createElsewhere();
  await home.list(id);
  for (const end of ["", "-wal", "-shm"]) await rm(`${ledger}${end}`, { force: true });
  await copyFile(`${ledger}.backup`, ledger);
  await home.list(id);
  await home.expectOther(id);
});

describe.skipIf(postgresPrograms === undefined)("with a shared ledger (needs PostgreSQL)", () => {
  const server = servePostgres();

  test("for which a list does not wait", async () => {
    const home = await createHome({ COURIER_LEDGER: await server.createDatabase() });
    const id = await home.createElsewhere();
    await home.list(id);
    await home.expectOther(id);
  });
});
