/** The creates that the ledger knows to have been on their way with another one. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nameOperation, type OperationName } from "../../src/ledger/operation.ts";
import { describeKinds } from "./kinds.ts";

const minuteMs = 60_000;
const service = "https://courier.test";

describeKinds((open) => {
  test("are those whose time overlaps, also where one was settled much later, or is in doubt", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "courier-ledger-"));
    const ledger = await open(directory);
    onTestFinished(async () => {
      await ledger.close();
      await rm(directory, { recursive: true, force: true });
    });
    const { id: customer } = await ledger.learnCustomer({
      service,
      key: "k",
      profileId: "1",
      account: "shop",
    });
    const send = async (id: string, sentMs: number, endedMs?: number): Promise<OperationName> => {
      const process = { pid: 1, started: undefined, place: "here" };
      const facts = { command: "orders create", account: "shop", service, customer, process };
      const run = await ledger.beginRun({ ...facts, startedAtMs: sentMs });
      const create = { content: id, draft: undefined, windowMs: 0, isDuplicateAllowed: true };
      const begun = await ledger.beginCreate(run, { ...create, accepted: new Set() }, sentMs);
      if (begun.kind !== "begun") throw new Error("not begun");
      if (endedMs === undefined) return begun.operation;
      const order = { id, order_no: null, tracking_number: null, estimated_fee: null };
      await ledger.endCreate(begun.operation, run.number, { state: "created", order }, endedMs);
      await ledger.endRun(run.number, 0, endedMs);
      return begun.operation;
    };
    await send("before", 0, minuteMs);
    await send("open", 60 * minuteMs);
    await send("late", 61 * minuteMs, 200 * minuteMs);
    for (let each = 0; each < 6; each++) await send(`${each}`, 65 * minuteMs, 66 * minuteMs);
    const name = await send("own", 66 * minuteMs, 67 * minuteMs);
    await send("after", 90 * minuteMs, 91 * minuteMs);
    const besides = async (one: OperationName) => {
      const operation = await ledger.findOperation(one);
      if (!operation) throw new Error("not found");
      return (await ledger.findBeside(operation)).map(nameOperation);
    };
    expect(await besides(name)).toEqual(["10.1", "9.1", "8.1", "7.1", "6.1", "5.1", "4.1", "3.1", "2.1"]);
    expect(await besides({ run: 1, number: 1 })).toEqual(["1.1"]);
    expect((await besides({ run: 3, number: 1 })).includes("11.1")).toBe(false);
  });
});
