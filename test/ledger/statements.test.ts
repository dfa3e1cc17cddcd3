/** The gate of what an import asks of SQLite for each row: counts, which do not depend on the machine. */

import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createCustomers } from "../../src/ledger/customers.ts";
import { createLocalStore } from "../../src/ledger/local-store.ts";
import { createOperations } from "../../src/ledger/operations.ts";
import type { FileFacts, RowPolicy, RowToSend } from "../../src/ledger/row-to-send.ts";
import { createRuns } from "../../src/ledger/runs.ts";
import { applicationId, migrations } from "../../src/ledger/schema.ts";
import { type Database, openDatabase } from "../../src/sqlite/database.ts";
import { createWriteQueue } from "../../src/sqlite/write-queue.ts";
import { createDirectory, service } from "./opened.ts";

const rowCount = 16;
const file: FileFacts = { files: [1], shop: "", hasRef: () => true, countOf: () => 0 };
const policy: RowPolicy = {
  windowMs: 0,
  retryRefused: false,
  skipShipped: false,
  isAllowed: () => false,
};
const rows = Array.from(
  { length: rowCount },
  (_, index): RowToSend => ({
    row: index + 1,
    ref: `R-${index}`,
    occurrence: 1,
    content: `content ${index}`,
    draft: { receiver: { name: `李四${index}` } },
    defaults: [],
  }),
);

/** The operations of a new ledger, with counts of statements and of snapshots and transactions. */
async function openCounted() {
  const counts = { statements: 0, transactions: 0 };
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    counts.transactions += 1;
    return work;
  };
  const opened = await openDatabase({
    path: path.join(await createDirectory(), "ledger.db"),
    title: "ledger",
    applicationId,
    migrations,
  });
  onTestFinished(() => opened.close());
  const database: Database = {
    ...opened,
    sql(text) {
      counts.statements += 1;
      return opened.sql(text);
    },
    transaction: (work) => counted(opened.transaction(work)),
    read: (work) => counted(opened.read(work)),
  };
  const store = createLocalStore(database, createWriteQueue(database));
  const { id: customer } = await createCustomers(store).learnCustomer({
    service,
    key: "key",
    profileId: "1",
    account: "shop",
  });
  const run = await createRuns(store).beginRun({
    command: "orders import",
    account: "shop",
    service,
    customer,
    process: { pid: 1, started: undefined, place: "here" },
    startedAtMs: 0,
  });
  return {
    operations: createOperations(store, () => undefined),
    run,
    counts,
  };
}

/** What `work` takes for each row. */
async function measure(counts: { statements: number; transactions: number }, work: () => Promise<unknown>) {
  Object.assign(counts, { statements: 0, transactions: 0 });
  await work();
  return { ...counts, statements: counts.statements / rowCount };
}

test("rows of an import are looked up in one snapshot, claimed in one transaction and ended in another", async () => {
  const { operations, run, counts } = await openCounted();
  const viewed = await measure(counts, () => operations.viewRows(run.customer, rows, file, policy, 1));
  // The file's number, by content and by ref, the operations in doubt, and the orders elsewhere by both: for all rows at once.
  expect(viewed).toEqual({ statements: 6 / rowCount, transactions: 1 });

  const names: { run: number; number: number }[] = [];
  const claimed = await measure(counts, async () => {
    const sent = { atMs: 1, offsetMs: 0 };
    for (const { operation } of await operations.claimRows(run, rows, file, policy, sent))
      if (operation) names.push(operation);
  });
  expect(names).toHaveLength(rowCount);
  // The same, one number of the events, and a record for each row.
  expect(claimed).toEqual({ statements: 1 + 8 / rowCount, transactions: 1 });

  const ended = await measure(counts, () =>
    Promise.all(
      names.map((name, index) => {
        const order = { id: String(index), order_no: null, tracking_number: null, estimated_fee: null };
        return operations.endCreate(name, run.number, { state: "created", order }, 2, { canWait: true });
      }),
    ),
  );
  expect(ended).toEqual({ statements: 1, transactions: 1 });

  const leaving = await measure(counts, async () => {
    for (const name of names) operations.holdsClaim(name, run.number);
  });
  expect(leaving.statements).toBe(1);
});

test("an order id that another create has is refused, and the other outcomes of the commit stay", async () => {
  const { operations, run } = await openCounted();
  const claims = await operations.claimRows(run, rows.slice(0, 3), file, policy, { atMs: 1, offsetMs: 0 });
  const [first, second, third] = claims.map(({ operation }) => operation as { run: number; number: number });
  const end = (name = first, id = "7") =>
    operations.endCreate(
      name as { run: number; number: number },
      run.number,
      { state: "created", order: { id, order_no: null, tracking_number: null, estimated_fee: null } },
      2,
    );
  const ends = await Promise.allSettled([end(first), end(second), end(third, "8")]);
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(ends[1]).toMatchObject({ reason: { orderId: "7", holder: first } });
  const states = (await operations.listOperations(run.number)).map(({ state }) => state);
  expect(states).toEqual(["created", "sending", "created"]);
});
