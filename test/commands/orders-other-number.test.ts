/** A number that mirror or list has for an order, and that is another order's: the list was wrong once. */

import { describe, expect, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

type Field = "order_no" | "tracking_number";

/** The mirror has these fields for the other one of two orders. Details may have one number only. */
async function homeWithCorrected(exchanged: readonly Field[], shownInDetails: Field | "both") {
  let isCorrected = false;
  const home = await createUnfaithfulHome({
    rewrite: (shown, view) => {
      const id = Number(shown.id);
      const numberAt = (field: Field, prefix: string) => {
        const isHidden = view === "detail" && ![field, "both"].includes(shownInDetails);
        const last = isCorrected || !exchanged.includes(field) ? id : 3 - id;
        return (isHidden ? null : `${prefix}-${last}`) as string;
      };
      return {
        ...shown,
        order_no: numberAt("order_no", "NO"),
        tracking_number: numberAt("tracking_number", "UT"),
      };
    },
  });
  for (const name of ["王五", "李四"])
    home.service.foreign({ ...plainDraft, receiver: { ...plainDraft.receiver, name } });
  expect((await home.courier("sync")).exit).toBe(0);
  isCorrected = true;
  return home;
}

const known = "was known as a number of order 1, which has";

// An order that awaits payment has no tracking number yet, and some services show no order number in details.
describe.each([
  ["UT-2", "both", "NO-1 and UT-1"],
  ["UT-2", "tracking_number", "UT-1"],
  ["NO-2", "order_no", "NO-1"],
] as const)("%s, with %s in the details", (name, shown, numbers) => {
  const homeWith = () => homeWithCorrected(["order_no", "tracking_number"], shown);

  test("cancels no order", async () => {
    const home = await homeWith();
    const { exit, stdout, stderr } = await home.courier(`orders cancel ${name} --yes`);
    const states = home.service.orders.map(({ status }) => status);
    expect([exit, states], stdout + stderr).toEqual([3, ["pending", "pending"]]);
    expect(stderr).toContain(`${name} ${known} ${numbers}; name it by its id to cancel it`);
  });

  test("has no slip", async () => {
    const home = await homeWith();
    const { exit, stdout } = await home.courier(`orders slips ${name} --json`);
    expect([exit, stdout]).toEqual([3, ""]);
  });

  test("is shown with a warning", async () => {
    const home = await homeWith();
    const { stderr } = await home.courier(`orders show ${name}`);
    expect(stderr).toContain(`warning: ${name} ${known} ${numbers}`);
  });
});

test("a number whose field the details leave empty is no other one", async () => {
  const home = await homeWithCorrected([], "tracking_number");
  const { exit, stderr } = await home.courier("orders cancel NO-1 --yes");
  expect([exit, stderr]).toEqual([0, ""]);
});

test.each(["UT-2", "NO-2"])(
  "nothing is sent like an order that %s does not name any more: exit 2",
  async (name) => {
    const home = await homeWithCorrected(["order_no", "tracking_number"], "both");
    const { exit, stderr } = await home.courier(`orders create --like ${name} --yes`);
    expect([exit, home.service.orders.length], stderr).toEqual([2, 2]);
    expect(stderr).toContain(`${known} NO-1 and UT-1`);
    expect(stderr).toContain("hint: name the order that is meant by its id");
  },
);

test("nor like an own order that it does not name any more", async () => {
  let shownAs = 1;
  const home = await createUnfaithfulHome({
    rewrite: (shown) => ({ ...shown, tracking_number: `UT-${Number(shown.id) * shownAs}` }),
  });
  const created = await home.courier("orders create --file - --yes", { stdin: JSON.stringify(plainDraft) });
  expect(created.exit, created.stderr).toBe(0);
  shownAs = 7;
  expect((await home.courier("sync")).exit).toBe(0);
  shownAs = 1;
  const { exit, stderr } = await home.courier("orders create --like UT-7 --allow-duplicate --yes");
  expect([exit, home.service.orders.length], stderr).toEqual([2, 1]);
});

describe("beside another name of the order that it led to", () => {
  const warning = `warning: UT-2 ${known} NO-1 and UT-1`;

  test.each(["NO-1 UT-2", "UT-2 NO-1"])("%s: nothing is cancelled", async (names) => {
    const home = await homeWithCorrected(["tracking_number"], "both");
    const { exit, stderr } = await home.courier(`orders cancel ${names} --yes`);
    const states = home.service.orders.map(({ status }) => status);
    expect([exit, states], stderr).toEqual([3, ["pending", "pending"]]);
    expect(stderr).toContain(`UT-2 ${known} NO-1 and UT-1; name it by its id to cancel it`);
  });

  test("1 UT-2: what the id names is cancelled, and the other name is told", async () => {
    const home = await homeWithCorrected(["tracking_number"], "both");
    const { exit, stderr } = await home.courier("orders cancel 1 UT-2 --yes");
    const states = home.service.orders.map(({ status }) => status);
    expect([exit, states], stderr).toEqual([3, ["cancelled", "pending"]]);
    expect(stderr).toContain(warning);
    expect(stderr).toContain("error: a name may mean another order: nothing was sent for that one");
  });

  test("1 UT-2: a dry run says so, too", async () => {
    const home = await homeWithCorrected(["tracking_number"], "both");
    const preview = await home.courier("orders cancel 1 UT-2 --dry-run");
    expect([preview.exit, preview.stderr]).toEqual([3, expect.stringContaining(warning)]);
  });

  test("NO-1 UT-2 have no slip", async () => {
    const home = await homeWithCorrected(["tracking_number"], "both");
    const { exit, stdout, stderr } = await home.courier("orders slips NO-1 UT-2 --json");
    expect([exit, stdout], stderr).toEqual([3, ""]);
    expect(stderr).toContain(warning);
  });
});
