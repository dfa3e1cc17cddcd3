/** The embedded service from the command line: kept between runs, moved on, wiped. */

import { describe, expect, onTestFinished, test } from "vitest";
import { sandboxDirectory, storedOrdersPath } from "../../src/sandbox/stored-orders.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { createHome } from "../support/courier.ts";
import { createOrder, plainDraft } from "../support/orders.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

const create = "--account sandbox orders create --file - --json";

async function homeWithParcel() {
  const home = await createHome();
  return { ...home, ...(await createOrder(home, plainDraft, create)) };
}

test("orders are kept between runs", async () => {
  const { courier, id } = await homeWithParcel();
  const { exit, stdout } = await courier(`--account sandbox orders show ${id} --json`);
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ id, status: "pending", service_type: "express" });
});

describe("sandbox advance", () => {
  test("moves a parcel by one state, or to a named one, and shows where it is", async () => {
    const { courier, tracking_number } = await homeWithParcel();
    const one = await courier(`sandbox advance ${tracking_number} --json`);
    expect(JSON.parse(one.stdout)).toMatchObject({ tracking_number, status: "paid" });
    const named = await courier(`sandbox advance ${tracking_number} --to delivered`, { terminal: 80 });
    expect(named).toMatchObject({ exit: 0, stderr: "" });
    expect(named.stdout).toContain("快件已签收");
    const { stdout } = await courier(`--account sandbox track ${tracking_number} --json`);
    expect(JSON.parse(stdout)).toMatchObject({ status: "delivered" });
    expect((await courier(`sandbox advance ${tracking_number} --ndjson`)).stdout).toMatch(/^\{.*\}\n$/);
  });

  test.each([
    ["CR000000000000", "", 1, "no parcel in the sandbox has the number CR000000000000"],
    ["PARCEL", "--to nowhere", 2, "no such state: nowhere"],
    ["PARCEL", "--to pending", 1, "cannot be moved on to pending: it is pending"],
    ["PARCEL", "--to cancelled", 1, "cannot be moved on to cancelled: it is pending"],
  ])("%s %s is refused", async (number, words, expected, message) => {
    const { courier, tracking_number } = await homeWithParcel();
    const line = `sandbox advance ${number.replace("PARCEL", tracking_number)} ${words}`;
    const { exit, stdout, stderr } = await courier(line);
    expect({ exit, stdout }).toEqual({ exit: expected, stdout: "" });
    expect(stderr).toContain(message);
    expect(JSON.parse((await courier(`${line} --json`)).stderr).error).toMatchObject({ exit: expected });
  });
});

describe("sandbox reset", () => {
  test("asks at a terminal; no keeps the orders, yes wipes them", async () => {
    const { courier } = await homeWithParcel();
    const prompts = scriptedPrompts({ confirms: [false, true] });
    const list = async () => JSON.parse((await courier("--account sandbox orders list --json")).stdout);
    expect((await courier("sandbox reset", { terminal: 80, prompts })).exit).toBe(130);
    expect(await list()).toHaveLength(1);
    const yes = await courier("sandbox reset", { terminal: 80, prompts });
    expect(yes).toEqual({ exit: 0, stdout: "The sandbox is empty\n", stderr: "" });
    expect(await list()).toEqual([]);
    expect(prompts.asked).toEqual(Array(2).fill("Wipe all orders of the sandbox?"));
  });

  test("needs --yes where nobody can answer", async () => {
    const { courier } = await homeWithParcel();
    expect(await courier("sandbox reset")).toMatchObject({ exit: 2, stdout: "" });
    expect(await courier("sandbox reset --yes --json")).toEqual({
      exit: 0,
      stdout: '{"reset":true}\n',
      stderr: "",
    });
    expect((await courier("sandbox reset --yes --ndjson")).stdout).toBe('{"reset":true}\n');
  });

  test("empties it also while another program reads its file", async () => {
    const { courier, stateDir } = await homeWithParcel();
    expect((await courier("sync --account sandbox")).exit).toBe(0);
    const reader = (await loadDriver()).open(storedOrdersPath(sandboxDirectory(stateDir)));
    onTestFinished(() => reader.close());
    reader.exec("BEGIN; SELECT count(*) FROM orders");
    expect(await courier("sandbox reset --yes")).toMatchObject({ exit: 0, stdout: "The sandbox is empty\n" });
    for (const words of ["orders list", "find --all"])
      expect((await courier(`${words} --account sandbox --json`)).stdout, words).toBe("[]\n");
  });
});

test.each([
  ["--port 65536", "--port takes a whole number from 0 to 65535, not “65536”"],
  ["--port x", "--port takes a whole number from 0 to 65535, not “x”"],
  ["--seed-orders -1", "--seed-orders takes a whole number from 0 to 1000000, not “-1”"],
  ["--latency 1.5", "--latency takes a whole number from 0 to 600000, not “1.5”"],
])("sandbox serve %s: exit 2 before anything is served", async (words, message) => {
  const { courier } = await createHome();
  const { exit, stdout, stderr } = await courier(`sandbox serve ${words}`);
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
  expect(stderr).toContain(message);
});
