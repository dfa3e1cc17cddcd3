/** The table of rules: what is sent, held or shipped, by what the ledger knows, without a ledger or a service. */

import { describe, expect, test } from "vitest";
import { findEquals, scriptWindowMs, terminalWindowMs } from "../../src/ledger/equal-orders.ts";
import type { Operation } from "../../src/ledger/operation.ts";
import type { FileFacts, RowPolicy, RowToSend } from "../../src/ledger/row-to-send.ts";
import { decideRow } from "../../src/ledger/rules.ts";
import { runNow } from "../../src/ledger/statements.ts";
import { contentOf } from "../../src/model/same-order.ts";

const nowMs = Date.UTC(2026, 2, 1, 8);
const minuteMs = 60_000;
const draft = { sender: { name: "A" }, receiver: { name: "B" }, item: { name: "C" } };
const content = contentOf(draft);

const row = (changes: Partial<RowToSend> = {}): RowToSend => ({
  row: 1,
  ref: undefined,
  occurrence: 1,
  content,
  draft,
  defaults: [],
  ...changes,
});

let number = 0;
const operation = (changes: Partial<Operation> = {}): Operation => {
  const state = changes.state ?? "created";
  return {
    run: 1,
    number: ++number,
    kind: "create",
    state,
    customer: 1,
    owner: 1,
    attempt: 1,
    sentAtMs: nowMs - minuteMs,
    sentForMs: undefined,
    offsetMs: undefined,
    isOffsetMeasured: false,
    endedAtMs: nowMs,
    sentEvent: 1,
    endedEvent: undefined,
    loss: "broken",
    firstListingMs: undefined,
    content,
    shop: "",
    ref: undefined,
    file: 7,
    row: 1,
    allowance: "none",
    isUnwanted: false,
    isUnreported: false,
    isUnseen: false,
    isShownAsOther: false,
    wasUnread: false,
    isDecided: false,
    withdrawnOrder: undefined,
    order:
      state === "created" || state === "found"
        ? { id: "1", order_no: null, tracking_number: null, estimated_fee: null }
        : undefined,
    orderState: undefined,
    rejection: state === "refused" ? { code: "X", message: "no" } : undefined,
    draft,
    defaults: [],
    reading: undefined,
    ...changes,
  };
};

const file = (changes: Partial<FileFacts> = {}): FileFacts => ({
  files: [7],
  shop: "",
  hasRef: () => false,
  countOf: () => 1,
  ...changes,
});

const policy = (changes: Partial<RowPolicy> = {}): RowPolicy => ({
  windowMs: scriptWindowMs,
  retryRefused: false,
  skipShipped: false,
  isAllowed: () => false,
  ...changes,
});

interface Case {
  readonly of?: Partial<RowToSend>;
  readonly own?: readonly Partial<Operation>[];
  readonly equal?: readonly Partial<Operation>[];
  readonly file?: Partial<FileFacts>;
  readonly policy?: Partial<RowPolicy>;
}

function decide({ of, own = [], equal = [], ...more }: Case): string {
  const known = { own: own.map(operation), equal: equal.map(operation) };
  const deciding = decideRow(row(of), known, file(more.file), policy(more.policy), nowMs);
  const decision = runNow(deciding, () => []);
  if (decision.kind === "send")
    return ["send", decision.allowance, decision.supersedes ? "supersedes" : ""].join(" ").trim();
  if (decision.kind === "changed") return `changed ${decision.fields?.join(" ")}`;
  if (decision.kind === "shipped" && decision.isElsewhere) return "shipped elsewhere";
  return decision.kind;
}

const other = { file: 8 };
const named = { ref: "1001" };
const cancelled = { orderState: "cancelled" };
const undone = { undone: new Set(["1.2"]), resent: new Set(["1.2"]) };
const edited = {
  draft: { ...draft, item: { name: "D" } },
  content: contentOf({ ...draft, item: { name: "D" } }),
};
const allowed = { isAllowed: () => true };
const twice = { countOf: () => 2 };

describe("a row with a ref", () => {
  test.each<[string, Case, string]>([
    ["is new", {}, "send none"],
    ["was created", { own: [named] }, "shipped"],
    ["was found", { own: [{ ...named, state: "found" }] }, "shipped"],
    ["is being sent", { own: [{ ...named, state: "sending" }] }, "in_doubt"],
    ["is about to be sent", { own: [{ ...named, state: "ready" }] }, "in_doubt"],
    ["is in doubt", { own: [{ ...named, state: "unknown" }] }, "in_doubt"],
    ["is in doubt, and named", { own: [{ ...named, state: "unknown" }], policy: allowed }, "in_doubt"],
    ["was created from other values", { own: [{ ...named, ...edited }] }, "changed item.name"],
    [
      "was created with another default",
      {
        of: { defaults: ["sender"] },
        own: [{ ...named, draft: { ...draft, sender: { name: "Z" } }, content: "z", defaults: ["sender"] }],
      },
      "shipped",
    ],
    [
      "was created from values that are deleted",
      { own: [{ ...named, content: "z", draft: undefined }] },
      "changed undefined",
    ],
    ["was cancelled", { own: [{ ...named, ...cancelled }] }, "cancelled"],
    [
      "was cancelled, and is to be sent again",
      { own: [{ ...named, ...cancelled, number: 1 }], policy: { resent: new Set(["1.1"]) } },
      "send none",
    ],
    ["was cancelled, and is named", { own: [{ ...named, ...cancelled }], policy: allowed }, "send equal"],
    [
      "was cancelled, and sent again",
      {
        own: [
          { ...named, ...cancelled },
          { ...named, allowance: "equal" },
        ],
        policy: allowed,
      },
      "shipped",
    ],
    ["was created, and is named", { own: [named], policy: allowed }, "send extra"],
    [
      "was sent once more, and is named again",
      { own: [named, { ...named, allowance: "extra" }], policy: allowed },
      "shipped",
    ],
    ["was refused", { own: [{ ...named, state: "refused" }] }, "refused"],
    [
      "was refused, and is tried again",
      { own: [{ ...named, state: "refused" }], policy: { retryRefused: true } },
      "send none supersedes",
    ],
    [
      "was refused in this run, which tries refusals again",
      {
        own: [{ ...named, state: "refused" }],
        policy: { retryRefused: true, refusedNow: { has: () => true } },
      },
      "refused",
    ],
    [
      "was refused with other values",
      { own: [{ ...named, ...edited, state: "refused" }] },
      "send none supersedes",
    ],
    ["equals an order of another ref", { equal: [{ ...other, ref: "2002" }] }, "send none"],
    [
      "equals one in doubt of another file and ref",
      { equal: [{ ...other, ref: "2002", state: "unknown" }] },
      "send none",
    ],
    [
      "equals one in doubt of its file, whose ref is gone",
      { equal: [{ ref: "2002", state: "unknown" }] },
      "held",
    ],
    [
      "equals one in doubt of its file, whose ref is there",
      { equal: [{ ref: "2002", state: "unknown" }], file: { hasRef: () => true } },
      "send none",
    ],
    ["equals an order without a ref, just now", { equal: [other] }, "held"],
    ["equals one without a ref, and is named", { equal: [other], policy: allowed }, "send equal"],
    [
      "equals one without a ref, and is to count as shipped",
      { equal: [other], policy: { skipShipped: true } },
      "shipped elsewhere",
    ],
    [
      "equals one without a ref, 11 minutes ago",
      { equal: [{ ...other, sentAtMs: nowMs - 11 * minuteMs }] },
      "send none",
    ],
    [
      "equals one without a ref, 11 minutes ago, at a terminal",
      {
        equal: [{ ...other, sentAtMs: nowMs - 11 * minuteMs }],
        policy: { windowMs: terminalWindowMs },
      },
      "held",
    ],
    ["equals one of a clock that was set back", { equal: [{ ...other, sentAtMs: nowMs + 9e9 }] }, "held"],
    [
      "equals one in doubt without a ref, however old and named",
      { equal: [{ ...other, state: "unknown", sentAtMs: nowMs - 9e9 }], policy: allowed },
      "held",
    ],
    [
      "equals one in doubt, and is to count as shipped",
      { equal: [{ ...other, state: "unknown" }], policy: { skipShipped: true } },
      "held",
    ],
    ["equals a cancelled one", { equal: [{ ...other, ...cancelled }] }, "send none"],
    ["equals a refused one", { equal: [{ ...other, state: "refused" }] }, "send none"],
    ["equals a row of its own file", { equal: [{}] }, "send none"],
    ["equals more rows of its own file than that has now", { equal: [{}, {}] }, "held"],
    [
      "equals an old row of its own file that had no ref, and is gone now",
      { equal: [{ sentAtMs: nowMs - 9e9 }], file: { countOf: () => 0 } },
      "held",
    ],
  ])("that %s: %s", (_what, of, expected) => {
    expect(decide({ ...of, of: { ...named, ...of.of } })).toBe(expected);
  });
});

test("with --skip-shipped one order covers one row", () => {
  const covered = { skipShipped: true, isCovered: () => true };
  expect(decide({ equal: [other], policy: covered })).toBe("send none");
  expect(decide({ equal: [{ ...other, state: "unknown" }], policy: covered })).toBe("held");
});

describe("a row without a ref", () => {
  test.each<[string, Case, string]>([
    ["is new", {}, "send none"],
    ["is of a file that is not known", { file: { files: [] } }, "send none"],
    ["was created", { own: [{}] }, "shipped"],
    ["is in doubt, and named", { own: [{ state: "unknown" }], policy: allowed }, "in_doubt"],
    ["was cancelled", { own: [cancelled] }, "cancelled"],
    [
      "is the first of two, of which one was undone and is sent again, and one was cancelled by itself",
      {
        own: [
          { ...cancelled, number: 2 },
          { ...cancelled, number: 3 },
        ],
        file: twice,
        policy: undone,
      },
      "cancelled",
    ],
    [
      "is the second of them",
      {
        of: { occurrence: 2 },
        own: [
          { ...cancelled, number: 2 },
          { ...cancelled, number: 3 },
        ],
        file: twice,
        policy: undone,
      },
      "send none",
    ],
    [
      "is the second of them, and the other one was sent again",
      {
        of: { occurrence: 2 },
        own: [{ ...cancelled, number: 2 }, { ...cancelled, number: 3 }, { number: 4 }],
        file: twice,
        policy: undone,
      },
      "cancelled",
    ],
    ["was refused", { own: [{ state: "refused" }] }, "refused"],
    [
      "is the second of two, of which one was created",
      { of: { occurrence: 2 }, own: [{}], file: twice },
      "send none",
    ],
    [
      "is the second of two that were created",
      { of: { occurrence: 2 }, own: [{}, {}], file: twice },
      "shipped",
    ],
    [
      "is the first, and one was refused: the order is its own",
      { own: [{ state: "refused" }, {}], file: twice },
      "shipped",
    ],
    [
      "is the second, and one was refused",
      { of: { occurrence: 2 }, own: [{ state: "refused" }, {}], file: twice },
      "refused",
    ],
    ["is the third of more orders than rows", { of: { occurrence: 3 }, own: [{}, {}], file: twice }, "held"],
    [
      "is left when another row has taken the one order",
      { own: [{}], of: { isTaken: () => true }, file: twice },
      "send none",
    ],
    ["was created, and is named", { own: [{}], policy: allowed }, "send extra"],
    [
      "was sent once more, and is named again",
      { own: [{}, { allowance: "extra" }], policy: allowed },
      "shipped",
    ],
    [
      "was sent once more, which is in doubt, and is named again",
      { own: [{}, { allowance: "extra", state: "unknown" }], policy: allowed },
      "in_doubt",
    ],
    [
      "was held while its equal was named and sent",
      {
        own: [{ allowance: "equal", row: 2 }],
        equal: [other],
        file: twice,
        policy: { isAllowed: ({ row: of }) => of === 2 },
      },
      "held",
    ],
    [
      "was named and sent while its equal was held",
      {
        of: { row: 2, occurrence: 2 },
        own: [{ allowance: "equal", row: 2 }],
        equal: [other],
        file: twice,
        policy: { isAllowed: ({ row: of }) => of === 2 },
      },
      "shipped",
    ],
    ["equals an order of another file, however old", { equal: [{ ...other, sentAtMs: 0 }] }, "held"],
    ["equals an order with a ref of another file", { equal: [{ ...other, ref: "1001" }] }, "held"],
    [
      "equals an order with a ref of its own file",
      { equal: [{ ref: "1001" }], file: { hasRef: () => true } },
      "send none",
    ],
    [
      "equals an order with the same ref of another shop",
      { equal: [{ ref: "1001", shop: "two" }], file: { hasRef: () => true } },
      "held",
    ],
    ["equals a single order", { equal: [{ file: undefined }] }, "held"],
    [
      "equals one that is in doubt, and is named",
      { equal: [{ ...other, state: "unknown" }], policy: allowed },
      "held",
    ],
    ["equals one that is being sent", { equal: [{ ...other, state: "sending" }] }, "held"],
    ["equals another, and is named", { equal: [other], policy: allowed }, "send equal"],
    [
      "equals another, and counts as shipped",
      { equal: [other], policy: { skipShipped: true } },
      "shipped elsewhere",
    ],
    ["equals a cancelled one", { equal: [{ ...other, ...cancelled }] }, "send none"],
    ["equals a refused one", { equal: [{ ...other, state: "refused" }] }, "send none"],
  ])("that %s: %s", (_what, of, expected) => {
    expect(decide(of)).toBe(expected);
  });
});

describe("a single order", () => {
  const names = (of: readonly Partial<Operation>[], windowMs = scriptWindowMs) => {
    const { inDoubt, recent, earlier } = findEquals(of.map(operation), windowMs, nowMs);
    return [inDoubt.length, recent.length, earlier.length].join(" ");
  };

  test.each<[string, readonly Partial<Operation>[], string]>([
    ["has no equal", [], "0 0 0"],
    ["equals one of a minute ago", [{}], "0 1 0"],
    ["equals a row of an import", [{ ref: "1001", file: 7 }], "0 1 0"],
    ["equals one of 11 minutes ago", [{ sentAtMs: nowMs - 11 * minuteMs }], "0 0 1"],
    [
      "equals one of a minute ago, where the clock was set forward",
      [{ sentAtMs: nowMs - 11 * minuteMs, sentForMs: minuteMs }],
      "0 1 0",
    ],
    ["equals one of two days ago", [{ sentAtMs: nowMs - 48 * 60 * minuteMs }], "0 0 0"],
    ["equals one in doubt, however old", [{ state: "unknown", sentAtMs: 0 }], "1 0 0"],
    ["equals one that is being sent", [{ state: "sending" }], "1 0 0"],
    ["equals a cancelled one", [cancelled], "0 0 0"],
    ["equals a refused one", [{ state: "refused" }], "0 0 0"],
  ])("that %s: in doubt, recent, earlier %s", (_what, of, expected) => {
    expect(names(of)).toBe(expected);
  });

  test("at a terminal, a day counts as recent", () => {
    expect(names([{ sentAtMs: nowMs - 11 * minuteMs }], terminalWindowMs)).toBe("0 1 0");
  });
});
