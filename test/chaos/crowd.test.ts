import { expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { crowd } from "./crowd.ts";

const [count, width] = [effort(30, 200), effort(30, 40)];

test(`${count} processes, ${width} at a time, lose nothing`, async () => {
  expect(await crowd(count, width)).toContain("none lost");
});
