/** A profile that names another customer for the same key, such as one from a cache: its word alone lifts no block. */

import { expect, test } from "vitest";
import { answerData } from "../support/answers.ts";
import { createImportHome, errorOf, outcomes, row, sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";

const profile = "GET /api/v1/user/profile";
const asOther = '{"id":8,"name":"B","api_calls_remaining":99}';
const stdin = JSON.stringify(plainDraft);

test.each(["orders create --file - --json", "orders create --file - --json --ref A-1"])(
  "%s sends no second order, whether the first one is known or in doubt",
  async (words) => {
    for (const isLost of [false, true]) {
      const home = await createImportHome("");
      // The current account, whose key the hint must not replace.
      const elsewhere = ["login", "--account", "shop", "--base-url", "https://127.0.0.1:1", "--no-verify"];
      expect((await home.courier(elsewhere, { stdin: "sk_test_of_another_service" })).exit).toBe(0);
      if (isLost)
        home.sandbox.faults.set([
          { kind: "drop_after", method: "POST" },
          { kind: "status", method: "GET", path: "/api/v1/orders", status: 503 },
        ]);
      expect((await home.courier(words, { stdin })).exit).toBe(isLost ? 6 : 0);
      home.sandbox.faults.clear();
      answerData(home, profile, asOther);
      const again = await home.courier(words, { stdin });
      expect([again.exit, home.posts]).toEqual([5, 1]);
      expect(errorOf(again)).toMatchObject({
        code: "customer_changed",
        message: expect.stringMatching(
          /belongs to customer 8, and until now it was customer \d+; nothing was sent$/,
        ),
        hint: expect.stringContaining(
          `log in with it again: courier login --account NAME --base-url ${home.sandbox.baseUrl}`,
        ),
      });
    }
  },
);

test("an import sends nothing; after a login with the key, the other customer has orders of its own", async () => {
  const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五")));
  expect(outcomes((await home.run()).report)).toBe("created created");
  answerData(home, profile, asOther);
  const again = await home.run();
  expect([again.exit, errorOf(again).code, home.posts]).toEqual([5, "customer_changed", 2]);
  const { baseUrl, apiKey } = home.sandbox;
  const login = await home.courier(["login", "--base-url", baseUrl, "--allow-http"], { stdin: apiKey });
  expect(login.exit, login.stderr).toBe(0);
  expect(login.stderr).toMatch(
    /warning: this key was customer \d+'s until now, and is customer 8's from now on/,
  );
  expect(outcomes((await home.run("--allow-duplicate A-1,A-2")).report)).toBe("created created");
});

test("a ref that the customer before a login has used is not sent while the profile names that one again", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  expect(outcomes((await home.run()).report)).toBe("created");
  const { baseUrl, apiKey } = home.sandbox;
  answerData(home, profile, asOther);
  expect((await home.courier(["login", "--base-url", baseUrl, "--allow-http"], { stdin: apiKey })).exit).toBe(
    0,
  );
  home.sandbox.faults.clear();
  const words = "orders create --file - --json --ref A-1";
  const again = await home.courier(words, { stdin });
  expect([again.exit, errorOf(again).code, home.posts], again.stderr).toEqual([5, "customer_changed", 1]);
  // Where the login was right, the other customer's refs are its own.
  answerData(home, profile, asOther);
  expect([(await home.courier(words, { stdin })).exit, home.posts]).toEqual([0, 2]);
});
