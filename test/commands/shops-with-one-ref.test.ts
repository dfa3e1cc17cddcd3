/** A ref that two shops use: `ref:R` never takes one shop's order where the other one's may be meant. */

import { expect, test } from "vitest";
import { requestCount } from "../support/answers.ts";
import { createImportHome, errorOf, lostForNow, row, sheet } from "../support/imports.ts";

const commands = [
  "orders cancel ref:1001 --yes --json",
  "orders slips ref:1001 --json",
  "track ref:1001 --json",
];

/** `isLost`: the order of the second shop is in doubt. */
async function homeOfTwoShops(isLost: boolean) {
  const home = await createImportHome(sheet(row("1001", "王五", "13900139001")));
  expect((await home.run("--shop a")).exit).toBe(0);
  if (isLost) home.sandbox.faults.set(lostForNow("drop_after"));
  const file = await home.put(sheet(row("1001", "赵六", "13900139002")), "b.csv");
  expect((await home.importFile(file, "--shop b")).exit).toBe(isLost ? 6 : 0);
  home.sandbox.faults.clear();
  return home;
}

test.each(commands)(
  "once the order of one shop was cancelled, the other one is not taken for it: %s",
  async (words) => {
    const home = await homeOfTwoShops(false);
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    const ran = await home.courier(words);
    expect([ran.exit, ran.stdout], ran.stderr).toEqual([1, ""]);
    expect(errorOf(ran)).toMatchObject({
      code: "ambiguous_order",
      message: "“ref:1001” names 2 orders: 1000001, 1000002",
      hint: "name one by its id",
    });
    expect(requestCount(home, "DELETE", "/api/v1/orders/1000002")).toBe(0);
  },
);

test.each(commands)(
  "while the order of one shop is in doubt, the other one is not taken for it: %s",
  async (words) => {
    const home = await homeOfTwoShops(true);
    const ran = await home.courier(words);
    expect([ran.exit, ran.stdout, requestCount(home, "DELETE")], ran.stderr).toEqual([6, "", 0]);
    expect(errorOf(ran)).toMatchObject({
      code: "outcome_unknown",
      message: "the order with the ref “1001” is in doubt: it may or may not have been created",
      hint: "see it, and how to decide: courier orders resolve 2.1; another order has the ref, name it by its id: 1000001",
    });
  },
);
