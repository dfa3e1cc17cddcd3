/** What COURIER_PAGER never holds back: results that fail, and those of work at the service. */

import { expect, test } from "vitest";
import { createServedHome } from "../support/courier.ts";

/** Trying to start it would be seen. */
const env = { COURIER_PAGER: "no-such-pager" };
const terminal = 80;

test("rows that came before a failure are shown", async () => {
  const home = await createServedHome({ seedOrders: 150 });
  home.sandbox.faults.set([{ kind: "status", status: 400, path: /[?&]page=2(&|$)/ }]);
  const { exit, stdout, stderr } = await home.courier("orders list --all", { terminal, env });
  const { stdout: without } = await home.courier("orders list --all", { terminal });
  expect(exit).not.toBe(0);
  expect(stderr).toContain("error:");
  expect(stderr).not.toContain("COURIER_PAGER");
  expect(stdout.split("\n").length).toBeGreaterThan(30);
  expect(without.startsWith(stdout)).toBe(true);
});

test("what a cancelling does is shown as it comes, without a pager", async () => {
  const home = await createServedHome({ seedOrders: 400 });
  const { stdout } = await home.courier("orders list --status pending --all --json");
  const ids = JSON.parse(stdout).map(({ id }: { id: number }) => id);
  expect(ids.length).toBeGreaterThan(24);
  const listed = await home.courier("orders list --all", { terminal, env });
  expect(listed.stderr).toContain("COURIER_PAGER is not used: no-such-pager cannot be started");
  const cancelled = await home.courier(`orders cancel ${ids.slice(0, 25).join(" ")} --yes`, {
    terminal,
    env,
  });
  expect(cancelled.exit).toBe(0);
  expect(cancelled.stdout.split("\n").length).toBeGreaterThan(24);
  expect(cancelled.stderr).not.toContain("COURIER_PAGER");
});
