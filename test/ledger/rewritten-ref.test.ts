/** Which refs a spreadsheet program may have made from one another. */

import { describe, expect, test } from "vitest";
import { isRewrittenRef } from "../../src/ledger/rewritten-ref.ts";

describe("refs that a program may have made from one another", () => {
  test.each([
    ["000001", "1"],
    ["1.10", "1.1"],
    ["1001", "1001.0"],
    ["#1003", "1003"],
    ["１００２", "1002"],
    ["abc", "ABC"],
    ["A-1 ", "a-1"],
    ["1001", "1,001"],
    ["1234567890123456789", "1234567890123450000"],
    ["1234567890123456", "1234567890123460"],
    ["3/4", "2026-03-04"],
    ["3/4", "2026-04-03 00:00:00"],
    ["3/4", "3-4-26"],
    ["3-4", "46085"],
    ["3/4", "4-Mar"],
    ["3/4", "3月4日"],
    ["3/2026", "Mar-26"],
    ["2026-03-04", "46085"],
    ["2026-03-04", "3/4/2026"],
    ["2026-03-04", "2026年3月4日"],
  ])("%s and %s", (one, other) => {
    expect([isRewrittenRef(one, other), isRewrittenRef(other, one)]).toEqual([true, true]);
  });
});

describe("refs that are two numbers", () => {
  test.each([
    ["1001", "1002"],
    ["1", "10"],
    ["100", "1000"],
    ["1.1", "1.2"],
    ["A-1", "A-2"],
    ["3/4", "4/3"],
    ["3/4", "3/5"],
    ["3/4", "2026-03-05"],
    ["46085", "46086"],
    ["46085", "46450"],
    ["2026-03-04", "2026-03-05"],
    ["2026-03-04", "2025-03-04"],
    ["1001-1", "1001-2"],
    ["123456000000", "123457000000"],
    ["1234567890123456789", "1234567890123456790"],
    ["1234567890123456780", "1234567890123456790"],
  ])("%s and %s", (one, other) => {
    expect([isRewrittenRef(one, other), isRewrittenRef(other, one)]).toEqual([false, false]);
  });
});
