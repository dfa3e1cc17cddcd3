/** Lost rows looked up together: equal ones are interchangeable, nobody's order is taken, doubt stays doubt. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Draft } from "../../src/model/draft.ts";
import { contentOf } from "../../src/model/same-order.ts";
import { findLostRows, type LostRow, type SentRow } from "../../src/sending/lost-rows.ts";
import type { OrderLookup } from "../../src/sending/reconcile.ts";
import { createLookup, draft, orderFor, type Party, sentAtMs } from "./lost-order.ts";

const never = new AbortController().signal;

interface NamedRow extends SentRow {
  readonly name: string;
}

function lostRow(
  number: number,
  of: Draft = draft,
  changes: Partial<LostRow<NamedRow>> = {},
): LostRow<NamedRow> {
  const row = { name: `${number}`, draft: of, content: contentOf(of) };
  return { row, sentAtMs, offsetMs: undefined, ...changes };
}

async function look(lost: readonly LostRow<NamedRow>[], lookup: OrderLookup): Promise<string> {
  const findings = await findLostRows(lost, lookup, never);
  const told = findings.map((finding) => {
    if (finding.kind === "absent") return `${finding.row.name} absent`;
    const ids = finding.kind === "found" ? [finding.order.id.value] : finding.candidates;
    return `${finding.row.name} ${finding.kind} ${[...ids].sort().join("+")}`;
  });
  return told.sort().join(", ");
}

const owning = (lookup: OrderLookup, ...ids: string[]): OrderLookup => ({
  ...lookup,
  findClaimed: async () => new Set(ids),
});

test("of two equal rows and one order, one is found and the other absent", async () => {
  expect(await look([lostRow(1), lostRow(2)], createLookup([orderFor(7)]))).toBe("1 found 7, 2 absent");
});

test("of two equal rows and two orders, each gets one", async () => {
  const lookup = createLookup([orderFor(7), orderFor(8)]);
  expect(await look([lostRow(1), lostRow(2)], lookup)).toBe("1 found 7, 2 found 8");
});

test("of equal rows, the one that was sent first has the first order: each fits when a crash keeps only one", async () => {
  const late = { sentAtMs: sentAtMs + 300_000, offsetMs: 0 };
  const orders = [orderFor(8, { createdMs: sentAtMs + 300_120 }), orderFor(7)];
  const rows = [lostRow(2, draft, late), lostRow(1, draft, { offsetMs: 0 })];
  expect(await look(rows, createLookup(orders))).toBe("1 found 7, 2 found 8");
});

test("more orders than rows leave open whose they are", async () => {
  const lookup = createLookup([orderFor(7), orderFor(8)]);
  expect(await look([lostRow(1)], lookup)).toBe("1 unclear 7+8");
});

test("an order that some row owns is not taken, and not looked at", async () => {
  const lookup = createLookup([orderFor(7), orderFor(8)]);
  expect(await look([lostRow(1)], owning(lookup, "7"))).toBe("1 found 8");
  expect(await look([lostRow(1)], owning(lookup, "7", "8"))).toBe("1 absent");
  expect(lookup.details).toEqual(["8"]);
});

test("orders from long before the first was sent are others, and cost no call", async () => {
  const lookup = createLookup([orderFor(7, { createdMs: sentAtMs - 180_000 })]);
  expect(await look([lostRow(1, draft, { offsetMs: 0 })], lookup)).toBe("1 absent");
  expect(lookup.details).toEqual([]);
});

test("an equal order from a little before may be the row's by another machine's clock, unless a later one is", async () => {
  const [early, late] = [orderFor(7, { createdMs: sentAtMs - 2_500 }), orderFor(8)];
  const row = lostRow(1, draft, { offsetMs: 0 });
  expect(await look([row], createLookup([early]))).toBe("1 unclear 7");
  expect(await look([row], createLookup([early, late]))).toBe("1 found 8");
  expect(await look([row, lostRow(2, draft, { offsetMs: 0 })], createLookup([early, late]))).toBe(
    "1 unclear 7+8, 2 unclear 7+8",
  );
});

test("without the service's hour at the time of sending, our clock of then may have been off by hours", async () => {
  const later = lostRow(1, draft, { sentAtMs: sentAtMs + 8 * 3_600_000 });
  expect(await look([later], createLookup([orderFor(7)]))).toBe("1 unclear 7");
});

describe("rows that differ by less than the service keeps", () => {
  const { weight: _weight, ...unweighed } = draft.item ?? {};
  const at = (detail: string): Draft => ({ ...draft, receiver: { ...draft.receiver, detail } });
  test.each<[string, Draft, Draft]>([
    ["a weight that one has and the other has not", { ...draft, item: unweighed }, draft],
    ["a service level", draft, { ...draft, service_type: "standard" }],
    ["blanks", at("建国路8 8号"), at("建国路88号")],
  ])("%s: one order is never both's", async (_what, one, other) => {
    expect(await look([lostRow(1, one), lostRow(2, other)], createLookup([orderFor(7)]))).toBe(
      "1 unclear 7, 2 unclear 7",
    );
  });
});

test("the clock of the time of sending counts, not the one of now", async () => {
  const hour = 3_600_000;
  const order = orderFor(7, { createdMs: sentAtMs + hour + 200 });
  const earlier = orderFor(8, { createdMs: sentAtMs + hour - 60_000 });
  const then = lostRow(1, draft, { offsetMs: hour });
  expect(await look([then], createLookup([order, earlier], 0))).toBe("1 found 7");
  expect(await look([then], createLookup([order, earlier], 9 * hour))).toBe("1 found 7");
});

test("when the first answer shows that our clock is days off, the right days are asked for", async () => {
  const days = 10 * 86_400_000;
  let offsetMs: number | undefined;
  const lookup = createLookup([orderFor(7, { createdMs: sentAtMs + days + 50 })]);
  const late: OrderLookup = {
    ...lookup,
    list(from, to) {
      offsetMs = days;
      return lookup.list(from, to);
    },
    clockOffsetMs: () => offsetMs,
  };
  expect(await look([lostRow(1)], late)).toBe("1 found 7");
  expect(lookup.ranges).toEqual(["2026-02-28 2026-03-03", "2026-03-10 2026-03-13"]);
});

describe("names that the service changes", () => {
  const receiver = orderFor(0).receiver as Party;

  test.each([
    ["hidden", "L*"],
    ["missing", undefined],
    ["in capitals", "LI SI"],
    ["in wide letters", "Ｌｉ Ｓｉ"],
  ])("%s: it may be the row's, so nothing is sent again", async (_how, name) => {
    const { name: _name, ...rest } = receiver;
    const order = orderFor(7, { receiver: name === undefined ? rest : { ...rest, name } });
    expect(await look([lostRow(1)], createLookup([order]))).toBe("1 unclear 7");
  });

  test("a row without a name may be any", async () => {
    const { receiver: _receiver, ...nameless } = draft;
    const order = orderFor(7);
    expect(await look([lostRow(1, nameless as Draft)], createLookup([order]))).toBe("1 unclear 7");
  });
});

test("told to stop, it ends with the reason", async () => {
  const stop = AbortSignal.abort(new Error("stopped"));
  await expect(findLostRows([lostRow(1)], createLookup([orderFor(7)]), stop)).rejects.toThrow("stopped");
});

test("twenty thousand rows are no more trouble than one", async () => {
  const lost = Array.from({ length: 20_000 }, (_, index) => {
    const of = { ...draft, receiver: { ...draft.receiver, name: `R${index}` } } as Draft;
    return {
      ...lostRow(index, draft),
      row: { ...lostRow(index, draft).row, draft: of, content: String(index) },
    };
  });
  const findings = await findLostRows(lost, createLookup([]), never);
  expect(findings).toHaveLength(20_000);
});

test("whatever was created is found once: no order for two rows, no row with another's order", async () => {
  const contents = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.boolean(), fc.boolean()), {
    minLength: 1,
    maxLength: 10,
  });
  await fc.assert(
    fc.asyncProperty(contents, async (rows) => {
      const drafts = [0, 1, 2, 3].map((number) => ({ ...draft, item: { name: `item ${number}` } }) as Draft);
      const lost = rows.map(([content], index) => lostRow(index, drafts[content]));
      const orders = rows.flatMap(([content, isCreated, isOwned], index) =>
        isCreated && !isOwned ? [orderFor(index + 1, { item: drafts[content]?.item as never })] : [],
      );
      const owned = rows.flatMap(([content, isCreated, isOwned], index) =>
        isCreated && isOwned ? [orderFor(index + 1, { item: drafts[content]?.item as never })] : [],
      );
      const lookup = owning(createLookup([...owned, ...orders]), ...owned.map(({ id }) => id.value));
      const findings = await findLostRows(lost, lookup, never);
      const taken = findings.flatMap((each) => (each.kind === "found" ? [each.order.id.value] : []));
      expect([...taken].sort()).toEqual(orders.map(({ id }) => id.value).sort());
      for (const each of findings)
        if (each.kind === "found") expect(each.order.item?.name).toBe(each.row.draft.item?.name);
    }),
    { numRuns: 200 },
  );
});
