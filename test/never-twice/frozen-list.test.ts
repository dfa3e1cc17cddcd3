/** A list that stands still since its delay was learned: each resending of an order would be lost in it, too. */

import { expect, test } from "vitest";
import { answerRaw } from "../support/answers.ts";
import { createImportHome, outcomes, row, sheet } from "../support/imports.ts";

const lost = { method: "POST", path: "/api/v1/orders", kind: "drop_after" } as const;

test("a row is sent once more, and not again within a quarter of an hour", async () => {
  const known = Array.from({ length: 24 }, (_, index) => row(`A-${index}`, `Zb${index}`));
  const home = await createImportHome(sheet(...known));
  expect((await home.run()).exit).toBe(0);
  await home.courier("orders list --all");
  const { baseUrl, apiKey } = home.sandbox;
  const list = await fetch(`${baseUrl}/api/v1/orders?limit=100`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  answerRaw(home, "GET /api/v1/orders", await list.text());
  home.sandbox.faults.add(lost);
  const posts = home.posts;
  await home.put(sheet(row("B-1", "Zc1")));

  const first = await home.run();
  expect([first.exit, outcomes(first.report), home.posts - posts], first.stderr).toEqual([6, "unknown", 2]);
  expect((await home.run()).exit).toBe(6);
  expect(home.posts - posts).toBe(2);
});
