import { expect, test } from "vitest";
import { effort, seed } from "../support/effort.ts";
import { liveWeek } from "./week.ts";

const [weeks, steps] = [effort(12, 300), 16];

test.each(Array.from({ length: weeks }, (_, index) => seed + index))(
  "a shop's week of edits, cancels, undos and restored ledgers, seed %i: no parcel twice, and each word is true",
  async (weekSeed) => {
    const told = await liveWeek(weekSeed, steps);
    expect(told, told.join("\n")).toEqual([]);
  },
);
