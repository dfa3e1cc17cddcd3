/** The numbers of imported files: files that prove to be the same get one. */

import { expect, test } from "vitest";
import { describeKinds } from "./kinds.ts";
import { beginRun, createLedgerWith, service } from "./opened.ts";

describeKinds((open) => {
  test("rows that a run claims and views have the number that its file got from another run since", async () => {
    const ledger = await createLedgerWith(open);
    const { id: customer } = await ledger.learnCustomer({
      service,
      key: "key",
      profileId: "1",
      account: "shop",
    });
    const openFile = async (path: string, rowsHash: string) => {
      const run = await beginRun(ledger, customer);
      return { run, number: await ledger.openFile(run, { shop: "", path, bytesHash: rowsHash, rowsHash }) };
    };
    await openFile("/a.csv", "yesterday");
    const { run, number } = await openFile("/b.csv", "today");
    const both = await openFile("/a.csv", "today");
    expect([number, both.number]).toEqual([2, 1]);

    const file = { files: [number], shop: "", hasRef: () => false, countOf: () => 1 };
    const policy = {
      windowMs: 0,
      retryRefused: false,
      skipShipped: false,
      resendCancelled: false,
      isAllowed: () => false,
    };
    const row = { row: 1, ref: undefined, occurrence: 1, content: "content", draft: {}, defaults: [] };
    await ledger.claimRows(run, [row], file, policy, { atMs: 1, offsetMs: 0 });
    expect(await ledger.listOperations(run.number)).toMatchObject([{ file: 1 }]);
    const decisions = await ledger.viewRows(customer, [row], file, policy, 2);
    expect(decisions).toMatchObject([{ kind: "in_doubt" }]);
  });
});
