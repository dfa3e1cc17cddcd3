/** A service that is away while an equal order is in doubt or made: what the ledger knows of it is said. */

import { expect, test } from "vitest";
import { createServedHome } from "../support/courier.ts";
import { errorOf } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";

const post = { method: "POST", path: "/api/v1/orders" } as const;
const away = { method: "GET", path: /\/api\/v1\//, kind: "status", status: 503 } as const;
const stdin = JSON.stringify(plainDraft);

async function homeWith(isLost: boolean, words: string, input = stdin) {
  const home = await createServedHome();
  if (isLost)
    home.sandbox.faults.set([
      { ...post, kind: "drop_after" },
      { ...away, path: /orders/ },
    ]);
  const first = await home.courier(words, { stdin: input });
  expect(first.exit, first.stderr).toBe(isLost ? 6 : 0);
  home.sandbox.faults.set([away]);
  return home;
}

test.each(["", " --ref R-1"])(
  "an order in doubt%s, repeated: exit 2 says that it is in doubt",
  async (ref) => {
    const words = `orders create --file - --json --settle 10s${ref}`;
    const home = await homeWith(true, words);
    const ran = await home.courier(words, { stdin });
    expect([ran.exit, errorOf(ran).code], ran.stderr).toEqual([2, "duplicate"]);
    expect(errorOf(ran).message).toMatch(
      /^the same order was sent .*, and may or may not have been created; nothing was sent; the check failed: /,
    );
    expect(errorOf(ran).hint).toContain("run the same command again, which checks first");
    home.sandbox.faults.clear();
    const again = await home.courier(words, { stdin });
    expect(`${again.stdout}${again.stderr}`).toContain("1000001");
  },
);

test("an order that was made, repeated: exit 2 names it", async () => {
  const words = "orders create --file - --json";
  const home = await homeWith(false, words);
  const ran = await home.courier(words, { stdin });
  expect([ran.exit, errorOf(ran).code], ran.stderr).toEqual([2, "duplicate"]);
  expect(errorOf(ran).message).toContain("as 1000001; nothing was sent");
});

test("an order that was made with a ref, repeated: exit 5 names it", async () => {
  const words = "orders create --file - --json --ref R-1";
  const home = await homeWith(false, words);
  const ran = await home.courier(words, { stdin });
  expect(ran.exit, ran.stderr).toBe(5);
  expect(errorOf(ran).message).toMatch(
    /^the order with the ref R-1 is 1000001; nothing was sent, and its state could not be read: /,
  );
});

test("an import with rows in doubt, repeated: exit 5 says so", async () => {
  const words = "orders import - --yes --json --settle 10s";
  const home = await homeWith(true, words, `[${stdin}]`);
  const ran = await home.courier(words, { stdin: `[${stdin}]` });
  expect([ran.exit, ran.stdout], ran.stderr).toEqual([5, ""]);
  expect(errorOf(ran).message).toMatch(
    /; nothing was sent; 1 order of earlier runs is in doubt: courier orders resolve$/,
  );
});
