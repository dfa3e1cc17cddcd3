/** What was read before a list proved incomplete is in the result, also with details. */

import { expect, test } from "vitest";
import { answerRaw } from "../support/answers.ts";
import { createImportHome, row, sheet } from "../support/imports.ts";

test.each(["orders export --ndjson", "orders export --details --ndjson", "orders slips --last 7d --ndjson"])(
  "%s gives the orders that were read before the list proved incomplete",
  async (words) => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五"), row("A-3", "赵六")));
    await home.run();
    const data = JSON.parse((await home.courier("orders list --all --json")).stdout);
    const pagination = { current_page: 1, total_pages: 1, total_items: 5, per_page: 100 };
    answerRaw(home, "GET ^/api/v1/orders(\\?|$)", JSON.stringify({ success: true, data, pagination }));
    const ran = await home.courier(words);
    expect(JSON.parse(ran.stderr.trim().split("\n").at(-1) ?? "").error.code).toBe("list_incomplete");
    expect(ran.stdout.split("\n").filter(Boolean), ran.stderr).toHaveLength(3);
  },
);
