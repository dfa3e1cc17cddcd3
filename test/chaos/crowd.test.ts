/** Many processes at once, small; test/chaos/full has the large crowd. */

import { expect, test } from "vitest";
import { crowd } from "./crowd.ts";

test("30 processes at once lose nothing", async () => {
  expect(await crowd(30, 30)).toContain("none lost");
});
