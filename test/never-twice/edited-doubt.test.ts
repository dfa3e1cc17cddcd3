/** A row in doubt is edited at a service that hides names: what is in doubt holds the file's rows, and is named. */

import { expect, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import type { Rewriting } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const masked: Rewriting = (shown) => ({
  ...shown,
  receiver: {
    name: `${String(shown.receiver?.name).charAt(0)}*`,
    phone: String(shown.receiver?.phone).replace(/(?<=^.{3})..../, "****"),
    address: "北京市朝阳区",
  },
});

const rows = (street: string) =>
  ["李大力", "李小明", "李一航"].map((name, index) => ({
    ...plainDraft,
    receiver: {
      ...plainDraft.receiver,
      name,
      phone: `1372222333${index}`,
      detail: index === 0 ? street : "9号",
    },
    item: { ...plainDraft.item, name: `Tea ${index}` },
  }));

test("each row that may equal a possible match says which operation to settle first", async () => {
  const home = await createUnfaithfulHome({ rewrite: masked });
  const ship = async (street: string, flags = "") => {
    const stdin = JSON.stringify(rows(street));
    const ran = await home.courier(`orders import - --concurrency 1 --yes --json ${flags}`, { stdin });
    home.clock.advance(60_000);
    return { ...ran, report: JSON.parse(ran.stdout) as { outcome: string; error?: { message: string } }[] };
  };
  home.service.ways = { rewrite: masked, loss: () => "after" };
  expect((await ship("建国路11号")).exit).toBe(6);
  home.service.ways = { rewrite: masked };
  for (const flags of ["", "--allow-duplicate row:1"]) {
    const { exit, report, stderr } = await ship("建国路11号B座", flags);
    expect(exit, stderr).toBe(3);
    expect(report.map(({ outcome }) => outcome)).toEqual(["held", "held", "held"]);
    expect(report[0]?.error?.message).toContain("settle it first with: courier orders resolve 1.1");
    expect(report[1]?.error?.message).toBe(
      "may equal order 1, a possible match of 1.1, which is in doubt: settle it first with: courier orders resolve 1.1",
    );
    expect(stderr).toContain("settle the orders in doubt first");
    expect(stderr).not.toContain("--allow-duplicate row:N");
  }
  expect((await home.courier("orders resolve 1.1 --as 1 --yes")).exit).toBe(0);
  const { report } = await ship("建国路11号");
  expect(report.map(({ outcome }) => outcome)).toEqual(["shipped", "created", "created"]);
  expect(home.service.orders).toHaveLength(3);
});
