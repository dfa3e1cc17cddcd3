/** What is thrown where no run can catch it: told like any other mistake, with the key masked and nothing acting. */

import { expect, test } from "vitest";
import { createServedProcessHome, until } from "../support/process.ts";

/** Throws in the middle of a run, from outside all that it waits for. */
const thrower = `process.on("SIGUSR2", () => {
  throw new Error("boom " + process.env.COURIER_API_KEY + " \\u001b[2J");
})`;

test.each([
  ["human", "", /^error: courier made a mistake: boom \[redacted\] \S*\[2J\nhint: run it again with --debug/],
  ["JSON", "--json", /^\{"error":\{"code":"bug","message":"courier made a mistake: boom \[redacted\] /],
])("%s", async (_form, flag, told) => {
  const home = await createServedProcessHome();
  home.sandbox.faults.set([{ kind: "stall_headers" }]);
  const options = `--import data:text/javascript,${encodeURIComponent(thrower)}`;
  const running = home.start(`orders list ${flag}`, { env: { NODE_OPTIONS: options } });
  await until("it waits for an answer", () => home.sandbox.requests.length > 0);
  running.child.kill("SIGUSR2");
  const { exit, stdout, stderr } = await running.ended;
  expect([exit, stdout]).toEqual([70, ""]);
  expect(stderr).toMatch(told);
  expect(stderr).not.toContain("\u001b");
});
