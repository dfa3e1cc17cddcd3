/** The tests of dates and times: what names an instant, and how it is worded. */

import { afterEach, describe, expect, test } from "vitest";
import {
  formatLocal,
  formatRelative,
  isCalendarDate,
  parseHttpDate,
  parseInstant,
  utcDate,
} from "../../src/core/time.ts";
import { fc } from "../support/effort.ts";

const instantsMs = fc.integer({ min: Date.UTC(1971, 0, 1), max: Date.UTC(2200, 0, 1) });
const { TZ } = process.env;

afterEach(() => {
  process.env.TZ = TZ;
});

describe("calendar dates", () => {
  test.each(["2026-01-31", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"])("%s exists", (text) => {
    expect(isCalendarDate(text)).toBe(true);
  });

  test.each([
    "2026-02-30",
    "2025-02-29",
    "1900-02-29",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "2026-04-31",
    "2026-1-1",
    "20260101",
    "2026-01-01T00:00:00Z",
    " 2026-01-01",
    "2026-01-01\n",
    "٢٠٢٦-٠١-٠١",
    "today",
    "",
  ])("%j does not", (text) => {
    expect(isCalendarDate(text)).toBe(false);
  });

  test("every day of every instant is one, whatever the machine's zone", () => {
    for (const zone of ["UTC", "Asia/Shanghai", "America/St_Johns"]) {
      process.env.TZ = zone;
      fc.assert(
        fc.property(instantsMs, fc.integer({ min: -400, max: 400 }), (instantMs, days) => {
          const date = utcDate(instantMs, days);
          expect(isCalendarDate(date)).toBe(true);
          expect(Date.parse(`${date}T00:00:00Z`)).toBe(
            Math.floor(instantMs / 86_400_000 + days) * 86_400_000,
          );
        }),
      );
    }
  });
});

describe("instants", () => {
  const noon = Date.UTC(2026, 2, 1, 12);

  test.each([
    ["2026-03-01T12:00:00Z", noon],
    ["2026-03-01T12:00:00.000Z", noon],
    ["2026-03-01T12:00:00.123456Z", noon + 123],
    ["2026-03-01T12:00:00,5Z", noon + 500],
    ["2026-03-01 12:00:00Z", noon],
    ["2026-03-01T12:00Z", noon],
    ["2026-03-01T20:00:00+08:00", noon],
    ["2026-03-01T20:00:00+0800", noon],
    ["2026-03-01T20:00:00+08", noon],
    ["2026-03-01T06:30:00-05:30", noon],
    ["2026-03-01t12:00:00z", noon],
  ])("%s is one, in every zone", (text, expected) => {
    for (const zone of ["UTC", "Asia/Shanghai", "America/New_York"]) {
      process.env.TZ = zone;
      expect(parseInstant(text)).toBe(expected);
    }
  });

  test.each([
    "2026-03-01T12:00:00",
    "2026-03-01 12:00:00",
    "2026-03-01T12:00:00.000",
    "2026-03-01",
    "2026-03-01Z",
    "2026-03-01T12:00:00 CST",
    "2026-03-01T12:00:00 GMT",
    "2026-03-01T25:00:00Z",
    "2026-03-01T12:61:00Z",
    "2026-13-01T12:00:00Z",
    "2026-03-01T12:00:00+99:00",
    "1772366400",
    "Sun, 01 Mar 2026 12:00:00 GMT",
    "",
    "soon",
  ])("%j is none", (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  test("a day that the calendar does not have names no instant", () => {
    expect(parseInstant("2026-02-30T12:00:00Z")).toBeUndefined();
    expect(parseInstant("2026-04-31T12:00:00+08:00")).toBeUndefined();
  });

  test("what lacks an offset never gets one", () => {
    fc.assert(
      fc.property(instantsMs, fc.constantFrom("T", " "), fc.boolean(), (instantMs, separator, fraction) => {
        const iso = new Date(instantMs).toISOString().slice(0, fraction ? 23 : 19);
        expect(parseInstant(iso.replace("T", separator))).toBeUndefined();
      }),
    );
  });

  test("local wording is exact: it names the same minute", () => {
    for (const zone of ["UTC", "Asia/Shanghai", "Asia/Kolkata", "America/St_Johns"]) {
      process.env.TZ = zone;
      fc.assert(
        fc.property(instantsMs, (instantMs) => {
          const wholeMinute = Math.floor(instantMs / 60_000) * 60_000;
          const [day, hour, offset] = formatLocal(instantMs).split(" ");
          expect(parseInstant(`${day}T${hour}${offset}`)).toBe(wholeMinute);
        }),
      );
    }
  });

  test("local wording by example", () => {
    process.env.TZ = "Asia/Shanghai";
    expect(formatLocal(noon)).toBe("2026-03-01 20:00 +08:00");
    process.env.TZ = "America/St_Johns";
    expect(formatLocal(noon)).toBe("2026-03-01 08:30 -03:30");
  });
});

describe("dates of HTTP headers", () => {
  test("the one form that servers must send", () => {
    expect(parseHttpDate("Sun, 01 Mar 2026 12:00:00 GMT")).toBe(Date.UTC(2026, 2, 1, 12));
  });

  test.each([
    undefined,
    "",
    "0",
    "-5",
    "soon 1",
    "1772366400",
    "2026-03-01",
    "Sun, 99 Mar 2026 12:00:00 GMT",
  ])("%j is none", (text) => {
    expect(parseHttpDate(text)).toBeUndefined();
  });
});

describe("relative wording", () => {
  test.each([
    [0, "just now"],
    [-59_999, "just now"],
    [1, "just now"],
    [10_001, "in under a minute"],
    [59_999, "in under a minute"],
    [-60_000, "1 min ago"],
    [-3_599_999, "59 min ago"],
    [-3_600_000, "1 h ago"],
    [-86_399_999, "23 h ago"],
    [-86_400_000, "1 d ago"],
    [2 * 86_400_000 + 5, "in 2 d"],
    [3_600_000, "in 1 h"],
  ])("%i ms from now: %s", (distanceMs, expected) => {
    expect(formatRelative(1_000_000_000_000 + distanceMs, 1_000_000_000_000)).toBe(expected);
  });

  test("never claims more than has passed", () => {
    const sizes = { d: 86_400_000, h: 3_600_000, min: 60_000 } as const;
    fc.assert(
      fc.property(instantsMs, instantsMs, (instantMs, nowMs) => {
        const match = /(\d+) (d|h|min)/.exec(formatRelative(instantMs, nowMs));
        const distanceMs = Math.abs(instantMs - nowMs);
        if (!match) {
          expect(distanceMs).toBeLessThan(60_000);
          return;
        }
        const unit = sizes[match[2] as keyof typeof sizes];
        expect(distanceMs - Number(match[1]) * unit).toBeGreaterThanOrEqual(0);
        expect(distanceMs - Number(match[1]) * unit).toBeLessThan(unit);
      }),
    );
  });
});
