/** `--fields` and `--csv` of every result: rows, one object, and changes. */

import { describe, expect, test } from "vitest";
import { requestCount } from "../support/answers.ts";
import { createServedHome } from "../support/courier.ts";
import { createOrder } from "../support/orders.ts";

async function homeWithOrder() {
  const home = await createServedHome();
  return { ...home, order: await createOrder(home) };
}

describe("one object", () => {
  test("--fields chooses its fields, in every form", async () => {
    const { courier, order } = await homeWithOrder();
    const words = `orders show ${order.id} --fields receiver.name,id`;
    expect((await courier(`${words} --json`)).stdout).toBe(`{"receiver":{"name":"李四"},"id":${order.id}}\n`);
    expect((await courier(`${words} --csv`)).stdout).toBe(`receiver.name,id\n李四,${order.id}\n`);
    expect((await courier(words)).stdout).toBe(`receiver.name  李四\nid             ${order.id}\n`);
  });

  test.each([
    ["profile", /^id,name,email,balance,api_calls_remaining\n\d+,/],
    ["orders show 1000001", /^id,order_no,.*,sender\.name,.*\n1000001,CO/],
    ["accounts list", /^current,account,/],
    ["addresses list", /^alias,/],
    ["doctor", /^check,/],
  ])("--csv of %s is a header line and rows", async (words, expected) => {
    const { courier } = await homeWithOrder();
    expect((await courier(`${words} --csv`)).stdout).toMatch(expected);
  });

  test("several orders, and several parcels, are rows", async () => {
    const { courier, order } = await homeWithOrder();
    const shown = await courier(`orders show ${order.id} 9 --csv --fields id,error.code`);
    expect(shown).toMatchObject({ exit: 3, stdout: `id,error.code\n${order.id},\n,refused\n` });
    const number = order.tracking_number;
    const tracked = await courier(`track ${number} ${number} --csv --fields tracking_number,status`);
    expect(tracked.stdout).toBe(`tracking_number,status\n${`${number},pending\n`.repeat(2)}`);
  });

  test("changes are no rows: exit 2 with --csv; --fields chooses of each", async () => {
    const { courier, order } = await homeWithOrder();
    const watch = `track ${order.tracking_number} --watch --until pending`;
    expect(await courier(`${watch} --csv`)).toMatchObject({
      exit: 2,
      stdout: "",
      stderr: expect.stringContaining("--csv prints rows, and this prints changes as they come"),
    });
    expect((await courier(`${watch} --ndjson --fields current`)).stdout).toBe('{"current":"pending"}\n');
  });
});

describe("--fields without a value lists the fields: exit 2", () => {
  test.each([
    ["late --fields", "id, order_no, tracking_number, status, tracking_status, last_change"],
    ["accounts list --json --fields", "account, current, base_url"],
    ["orders list --limit 1 --fields", "id, order_no, tracking_number, status, payment_status"],
  ])("%s", async (words, fields) => {
    const { courier } = await homeWithOrder();
    const { exit, stdout, stderr } = await courier(words);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`--fields needs the names of fields: ${fields}`);
  });

  test("and those of an order have none that only a failed lookup has", async () => {
    const { courier } = await homeWithOrder();
    const { stderr } = await courier("orders list --fields");
    expect(stderr).toContain("receiver.phone");
    expect(stderr).not.toContain("error.");
  });
});

describe("a field that there is not", () => {
  test.each([
    ["orders cancel 1000001 --yes --fields id,statsu", "statsu", "status"],
    ["orders show 1000001 --fields receiver.nmae", "receiver.nmae", "receiver.name"],
    ["profile --fields nmae --json", "nmae", "name"],
  ])("%s: exit 2 with the fields, and nothing is sent", async (words, wrong, meant) => {
    const home = await homeWithOrder();
    const before = home.sandbox.requests.length;
    const { exit, stdout, stderr } = await home.courier(words);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`--fields: there is no field “${wrong}”; did you mean ${meant}? (fields: `);
    expect(stderr).toContain(`to ask for a field that courier does not know: =${wrong}`);
    expect([home.sandbox.requests.length - before, requestCount(home, "DELETE")]).toEqual([0, 0]);
  });

  test("is printed where the service has it and = asks for it", async () => {
    const { courier, order } = await homeWithOrder();
    const { exit, stdout } = await courier(`orders show ${order.id} --fields id,=colour --json`);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `{"id":${order.id}}\n` });
  });
});
