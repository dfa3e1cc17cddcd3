/** What the ledger learns of an order's state and of a refusal, and the runs that it finds for an order. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { nameOperation, type Run } from "../../src/ledger/operation.ts";
import { describeKinds } from "./kinds.ts";

describeKinds((open) => {
  async function openTestLedger(): Promise<{
    ledger: Ledger;
    begin: (account?: string, undoes?: number) => Promise<Run>;
  }> {
    const directory = await mkdtemp(path.join(tmpdir(), "courier-ledger-"));
    const ledger = await open(directory);
    onTestFinished(async () => {
      await ledger.close();
      await rm(directory, { recursive: true, force: true });
    });
    const begin = async (account = "shop", undoes?: number) => {
      const service = "https://courier.test";
      const customer = await ledger.learnCustomer({ service, key: account, profileId: account, account });
      const process = { pid: 1, started: undefined, place: "here" };
      const facts = { command: "orders import", account, service, process, undoes };
      return ledger.beginRun({ ...facts, customer: customer.id, startedAtMs: 0 });
    };
    return { ledger, begin };
  }

  async function createOne(ledger: Ledger, run: Run, id: string) {
    const create = {
      content: id,
      draft: undefined,
      windowMs: 0,
      isDuplicateAllowed: true,
      accepted: new Set<string>(),
    };
    const begun = await ledger.beginCreate(run, create, 1);
    if (begun.kind !== "begun") throw new Error("not begun");
    const order = { id, order_no: null, tracking_number: `T${id}`, estimated_fee: null };
    await ledger.endCreate(begun.operation, run.number, { state: "created", order }, 2);
    return begun.operation;
  }

  test("an order that is seen cancelled settles a cancel of it that was in doubt", async () => {
    const { ledger, begin } = await openTestLedger();
    const run = await begin();
    const create = await createOne(ledger, run, "7");
    const cancel = await ledger.beginCancel(run, "7", 3);
    await ledger.endCancel(cancel, run.number, { state: "unknown" }, 4);

    await ledger.noteOrderState(run.customer, "7", "paid");
    expect((await ledger.findOperation(cancel))?.state).toBe("unknown");
    expect((await ledger.findOperation(create))?.orderState).toBe("paid");

    await ledger.noteOrderState(run.customer, "7", "cancelled");
    expect(await ledger.findOperation(cancel)).toMatchObject({ state: "cancelled", endedAtMs: 4 });
    expect((await ledger.findOperation(create))?.orderState).toBe("cancelled");
  });

  test("a cancelled order that is shown in another state later is back; one that was cancelled meanwhile is not", async () => {
    const { ledger, begin } = await openTestLedger();
    const run = await begin();
    const creates = [await createOne(ledger, run, "7"), await createOne(ledger, run, "8")];
    const stateOf = async () =>
      Promise.all(creates.map(async (name) => (await ledger.findOperation(name))?.orderState));
    for (const id of ["7", "8"]) {
      const cancel = await ledger.beginCancel(run, id, 3);
      const endedMs = id === "7" ? 4 : 6;
      await ledger.endCancel(cancel, run.number, { state: "cancelled", orderState: "cancelled" }, endedMs);
    }
    const sure = async (ids: readonly string[]) => new Set(ids);
    const shown = new Map(["7", "8", "9"].map((id) => [id, "paid"]));
    await ledger.noteStates(run.customer, shown, 5, sure);
    expect(await stateOf()).toEqual(["paid", "cancelled"]);
    await ledger.noteStates(run.customer, new Map([["8", "cancelled"]]), 9, sure);
    expect(await stateOf()).toEqual(["paid", "cancelled"]);
  });

  test("an order counts as undone where nothing but undoing its run has cancelled it", async () => {
    const { ledger, begin } = await openTestLedger();
    const run = await begin();
    const cancelOf = async (id: string, by: Run, state: "cancelled" | "accepted" | "refused") => {
      const orderState = state === "cancelled" ? state : undefined;
      await ledger.endCancel(await ledger.beginCancel(by, id, 3), by.number, { state, orderState }, 4);
    };
    const ids = ["1", "2", "3", "4", "5", "6"];
    const names = new Map<string, string>();
    for (const id of ids) names.set(id, nameOperation(await createOne(ledger, run, id)));
    const [undo, again, byItself, ofAnother] = [
      await begin("shop", run.number),
      await begin("shop", run.number),
      await begin(),
      await begin("shop", (await begin()).number),
    ];
    await cancelOf("1", undo, "cancelled");
    await cancelOf("2", byItself, "cancelled");
    await cancelOf("3", byItself, "accepted"); // it may have worked before the undo did
    await cancelOf("3", undo, "cancelled");
    await cancelOf("4", undo, "refused"); // and the website cancelled it
    await ledger.noteOrderState(run.customer, "4", "cancelled");
    await cancelOf("5", byItself, "refused");
    await cancelOf("5", undo, "accepted");
    await cancelOf("5", again, "cancelled");
    await cancelOf("6", ofAnother, "cancelled");
    expect(await ledger.findUndone(run.customer)).toEqual(new Set([names.get("1"), names.get("5")]));
    await ledger.noteOrderState(run.customer, "1", "paid"); // it is back
    expect(await ledger.findUndone(run.customer)).toEqual(new Set([names.get("5")]));
    expect(await ledger.findUndone((await begin("other")).customer)).toEqual(new Set());
  });

  test("only creates in doubt are marked as unwanted, and named", async () => {
    const { ledger, begin } = await openTestLedger();
    const run = await begin();
    const [made, inDoubt] = [await createOne(ledger, run, "7"), await createOne(ledger, run, "8")];
    expect(await ledger.withdrawOrder(inDoubt, "8", 3)).toBeDefined();
    expect(await ledger.markUnwanted([made, inDoubt])).toEqual(new Set([nameOperation(inDoubt)]));
    expect((await ledger.findOperation(made))?.isUnwanted).toBe(false);
    expect((await ledger.findOperation(inDoubt))?.isUnwanted).toBe(true);
  });

  test("an order that an answer showed earlier is no answer to a later create; the own one is", async () => {
    const { ledger, begin } = await openTestLedger();
    const run = await begin();
    await createOne(ledger, run, "7");
    await ledger.recordSeen(run.customer, ["7", "8", "9"], 3);
    await ledger.recordSeen(run.customer, ["7", "8"], 4);
    await expect(createOne(ledger, run, "8")).rejects.toThrow("existed before the request was sent");
    await createOne(ledger, run, "10");
    await ledger.recordSeen(run.customer, ["10"], 5);
    const facts = { customer: run.customer, beganMs: 6, endedMs: 6, dateFrom: undefined };
    const { owners, firstSeen } = await ledger.recordListing({ ...facts, ids: ["7", "8", "9", "10"] });
    expect([...owners.keys()].sort()).toEqual(["10", "7"]);
    expect([...firstSeen.keys()].sort()).toEqual(["8", "9"]);
  });

  test("a list that was read while the clock was ahead hides neither what was listed nor since when an order is missing", async () => {
    const { ledger, begin } = await openTestLedger();
    const run = await begin();
    await createOne(ledger, run, "7");
    const list = (endedMs: number, ...ids: string[]) =>
      ledger.recordListing({ customer: run.customer, beganMs: endedMs, endedMs, dateFrom: undefined, ids });
    const first = await list(10, "7", "8");
    const [missing] = (await list(20, "8")).unlisted;
    expect(missing?.missing).toEqual({ event: expect.any(Number), sinceMs: 20 });
    const aheadMs = 61 * 86_400_000;
    await list(aheadMs, "8");
    await list(2 * aheadMs);
    const { firstSeen, unlisted } = await list(30, "8");
    expect(firstSeen).toEqual(first.firstSeen);
    expect(unlisted).toEqual([missing]);
  });

  test("the reason of a refusal is kept as a whole, also where the service put a NUL in it", async () => {
    const { ledger, begin } = await openTestLedger();
    const run = await begin();
    await createOne(ledger, run, "7");
    const cancel = await ledger.beginCancel(run, "7", 3);
    const rejection = { code: "E", message: "bad\u0000phone", field: undefined };
    await ledger.endCancel(cancel, run.number, { state: "refused", rejection }, 4);
    expect((await ledger.findOperation(cancel))?.rejection?.message).toBe("bad\ufffdphone");
  });

  test("another customer's order of the same id keeps its state", async () => {
    const { ledger, begin } = await openTestLedger();
    const [mine, other] = [await begin("shop"), await begin("other")];
    const create = await createOne(ledger, other, "7");
    await createOne(ledger, mine, "7");
    await ledger.noteOrderState(mine.customer, "7", "cancelled");
    expect((await ledger.findOperation(create))?.orderState).toBeUndefined();
  });

  test("the runs of an order are found by its id and by its tracking number, its cancels too", async () => {
    const { ledger, begin } = await openTestLedger();
    const [created, cancelled, other] = [await begin(), await begin(), await begin("other")];
    await createOne(ledger, created, "7");
    await ledger.beginCancel(cancelled, "7", 3);
    await createOne(ledger, other, "8");
    const numbers = async (filter: object) =>
      (await ledger.listRuns({ ...filter, limit: 10 })).map(({ number }) => number);
    expect(await numbers({ order: "7" })).toEqual([cancelled.number, created.number]);
    expect(await numbers({ order: "T7" })).toEqual([cancelled.number, created.number]);
    expect(await numbers({ order: "9" })).toEqual([]);
    expect(await numbers({ account: "other" })).toEqual([other.number]);
    expect(await numbers({ customer: created.customer, hasCreated: true })).toEqual([created.number]);
  });
});
