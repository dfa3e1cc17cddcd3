/** Each question to a shared ledger waits for the network: a big export may not ask one for each order. */

import { expect, test } from "vitest";
import { findSentBefore } from "../../src/import/skipped-orders.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { inspectSource } from "../../src/sheets/source.ts";
import { collect, contentOf } from "../sheets/input-text.ts";

test("orders that the file says not to send are looked up in few questions", async () => {
  const header =
    "Name,Financial Status,Fulfillment Status,Lineitem quantity,Lineitem name,Shipping Name,Shipping Street";
  const orders = Array.from(
    { length: 1_200 },
    (_, index) => `#${index},paid,fulfilled,1,Cup,Li Wei,1 Main St`,
  );
  const content = contentOf([header, ...orders].join("\n"));
  const facts = await inspectSource(content, "orders.csv");
  const asked: (readonly string[])[] = [];
  const ledger: Pick<Ledger, "findByRefs"> = {
    async findByRefs(_customer, refs) {
      asked.push(refs);
      return [];
    },
  };
  const source = { content, name: "orders.csv", facts, mapping: new Map() };
  await collect(findSentBefore(source, { ledger: ledger as Ledger, customer: 1, shop: "" }));
  expect(asked.length).toBeLessThanOrEqual(3);
  expect(asked.flat()).toEqual(orders.map((_, index) => `#${index}`));
});
