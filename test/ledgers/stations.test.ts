/** Machines that share a ledger: what one of them does to the orders of another. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { mirrorFiles } from "../../src/mirror/mirror-files.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { putConfig } from "../support/config-file.ts";
import { createHome, createServedHome, type Home } from "../support/courier.ts";
import { createTwoCustomers, firstKey, secondKey } from "../support/customers.ts";
import { stateAtService } from "../support/ledger.ts";
import { postgresPrograms, servePostgres } from "../support/postgres.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

const noKey = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };

/** Puts an order file into the home, and sends it. */
async function send(home: Home, receiver: string, phone: string): Promise<{ readonly id: string }> {
  const file = path.join(home.directory, `${phone}.json`);
  const order = {
    sender: { name: "张三", phone: "13800138000", city: "北京市", detail: "建国路1号" },
    receiver: { name: receiver, phone, city: "上海市", detail: `人民路${phone.slice(-2)}号` },
    item: { name: "茶叶", quantity: 1 },
  };
  await writeFile(file, JSON.stringify(order));
  const ran = await home.courier(`orders create --file ${file} --json`, { env: noKey });
  expect(ran.exit, ran.stderr).toBe(0);
  return JSON.parse(ran.stdout);
}

describe.skipIf(!postgresPrograms)("with PostgreSQL", () => {
  const server = servePostgres();

  const ask = (address: string, text: string) => server.query(text, address.split("/").at(-1));
  /** In a test all stations run in one process: the newest run gets another machine. */
  const moveElsewhere = (address: string) =>
    ask(
      address,
      "UPDATE courier.runs SET place = 'station-2 - -', pid = 7 WHERE number = (SELECT max(number) FROM courier.runs)",
    );

  /** Two stations of one customer: the first has sent an order to 李四, then the second one to 王五. */
  async function createStations() {
    const address = await server.createDatabase();
    const [first, second] = [await createServedHome(), await createHome()];
    const { baseUrl, apiKey } = first.sandbox;
    for (const home of [first, second])
      await putConfig(home, {
        current: "default",
        accounts: { default: { base_url: baseUrl, key: apiKey, ledger: address } },
      });
    const own = await send(first, "李四", "13900139001");
    const other = await send(second, "王五", "13900139002");
    await moveElsewhere(address);
    return { first, address, own, other };
  }

  test("--repeat starts from this machine's last order", async () => {
    const { first, address } = await createStations();
    const repeat = () =>
      first.courier("orders create --repeat --item-quantity 2 --yes --json", { env: noKey });
    const ran = await repeat();
    expect(ran.exit, ran.stderr).toBe(0);
    const { id } = JSON.parse(ran.stdout);
    const shown = await first.courier(`orders show ${id} --json`, { env: noKey });
    expect(JSON.parse(shown.stdout).receiver.name).toBe("李四");
    await ask(address, "UPDATE courier.runs SET place = 'station-3 - -'");
    const none = await repeat();
    expect([none.exit, none.stderr]).toEqual([
      2,
      expect.stringContaining("no order was sent from this machine with the account default yet"),
    ]);
  });

  test("a mirror that cannot be written is not called a ledger that does not answer", async () => {
    const { first } = await createStations();
    expect((await first.courier("sync", { env: noKey })).exit).toBe(0);
    await send(first, "赵六", "13900139003");
    const [mirror = ""] = mirrorFiles(first.stateDir).filter((name) => name.endsWith(".db"));
    const connection = (await loadDriver()).open(mirror);
    connection.exec("CREATE TRIGGER full BEFORE INSERT ON answers BEGIN SELECT RAISE(ABORT, 'full'); END");
    connection.close();
    const found = await first.courier("find 李四", { env: noKey });
    expect(found.exit, found.stderr).toBe(5);
    expect(found.stderr).toContain("error: the mirror cannot be used: full: ");
    expect(found.stderr).not.toContain("not answer");
  });

  test("undo without a number means this machine's last run; the question names another machine", async () => {
    const { first, own, other } = await createStations();
    const undo = async (words: string) => {
      const prompts = scriptedPrompts({ confirms: [true] });
      const ran = await first.courier(words, { env: noKey, terminal: 200, prompts });
      expect(ran.exit, ran.stderr).toBe(0);
      return prompts.asked.join();
    };
    expect(await undo("undo")).toContain("Cancel 1 order of run 1 (orders create)?");
    expect(await stateAtService(first, own.id)).toBe("cancelled");
    expect(await stateAtService(first, other.id)).toBe("pending");
    expect(await undo("undo 2")).toMatch(
      /Cancel 1 order of run 2 \(orders create, on station-2, \d{4}-\d\d-\d\d \d\d:\d\d [^)]+\)\?/,
    );
  });

  test("forget deletes the details of no other customer, whose machine calls its account the same", async () => {
    const address = await server.createDatabase();
    const one = await createTwoCustomers();
    const two = await createHome();
    for (const [home, key] of [
      [one, firstKey],
      [two, secondKey],
    ] as const)
      await putConfig(home, {
        current: "default",
        accounts: { default: { base_url: one.baseUrl, key, ledger: address } },
      });
    const people = async () =>
      (await ask(address, "SELECT draft FROM courier.operations WHERE draft IS NOT NULL"))
        .map(({ draft }) => JSON.parse(String(draft)).receiver.name)
        .sort();
    await send(one, "李四", "13900139001");
    await send(two, "王五", "13900139002");
    const forget = "ledger forget --yes --confirm default";
    expect((await one.courier(forget, { env: noKey })).exit).toBe(0);
    expect(await people()).toEqual(["王五"]);
    await moveElsewhere(address);
    await send(one, "赵六", "13900139003");
    expect((await one.courier("logout", { env: noKey })).exit).toBe(0);
    expect((await one.courier(forget, { env: { ...noKey, COURIER_LEDGER: address } })).exit).toBe(0);
    expect(await people()).toEqual(["王五"]);
  });
});
