/**
 * Every fault against every command that changes something: what exists afterwards, and what is said of it. `npm test`
 * tries each fault on a create and a cancel, and a share of the faults on imports and for one request alone.
 */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { someOf } from "../support/effort.ts";
import { createFaultHome, type FaultHome } from "../support/fault-home.ts";
import { row, sheet } from "../support/imports.ts";
import { learnCustomer } from "../support/ledger.ts";
import { plainDraft } from "../support/orders.ts";
import { expectEnd, isOnTheWay, left, troubleOf } from "./checks.ts";
import { expectations } from "./expected.ts";

let creates = 0;
type Form = "human" | "json";
const flags = { human: [], json: ["--json", "--debug"] } as const;
const inService = expectations.filter(({ fault }) => !isOnTheWay(fault));
const anHourMs = 3_600_000;
/** By then the list of a service of which nothing is known has caught up. */
const afterDoubtMs = 20 * 60_000;

/** Runs `orders create`, an hour after all that was before: no order from then may be taken for this one. */
async function create(home: FaultHome, form: Form, fault: string, condition: object) {
  creates += 1;
  home.clock.advance(anHourMs);
  const words = ["orders", "create", "--file", "-", ...flags[form]];
  const trouble = await troubleOf(fault, condition);
  await learnCustomer(home, "baseUrl" in trouble ? { service: trouble.baseUrl } : {});
  // Another order each time: one in doubt would stop an equal one.
  const receiver = {
    ...plainDraft.receiver,
    name: `周八 ${creates}`,
    phone: "13511112222",
    detail: "和平路9号",
  };
  const draft = { ...plainDraft, receiver, item: { ...plainDraft.item, name: `手机 ${creates}` } };
  return home.suffer(words, trouble, { stdin: JSON.stringify(draft) });
}

describe("orders create", () => {
  test.each(expectations)(
    "$fault for every POST: $create.exit $create.code, $create.created created",
    async ({ fault, create: expected }) => {
      const home = await createFaultHome();
      await home.addOrder();
      const ran = await create(home, "json", fault, { method: "POST" });
      expectEnd(ran, expected, "json");
      expect(ran.created).toBe(expected.created);
      expect(left(ran)).toEqual({ POST: expected.POST, GET: expected.GET, DELETE: 0 });
      if (expected.exit === 0) expect(String(JSON.parse(ran.stdout).id)).toBe(newestOf(ran.states));
      else expect(ran.stdout).toBe("");
      if (expected.exit === 6) expect(ran.stderr).toMatch(/courier orders list (?:--from 2026-02-28 )?--all/);
    },
  );

  test.each(someOf(inService, 2))("$fault for the POST once, and for every call", async (row) => {
    const { fault, create: expected, read } = row;
    const home = await createFaultHome();
    const isResent = expected.POST > 1;
    const once = await create(home, "human", fault, { method: "POST", times: 1 });
    expectEnd(once, isResent ? { exit: 0, code: "-" } : expected, "human");
    expect(once.created).toBe(isResent ? 1 : expected.created);
    expect(once.sent.POST).toBe(isResent ? 2 : 1);
    if (once.exit === 0) expect(once.stdout).toContain(newestOf(once.states));
    else expect(once.stdout).toBe("");

    const always = await create(home, "json", fault, {});
    const isInDoubt = expected.GET > 0;
    expectEnd(always, isInDoubt ? { exit: 6, code: "outcome_unknown" } : expected, "json");
    expect(always).toMatchObject({ created: expected.created, sent: { POST: expected.POST } });
    if (isInDoubt && read && fault !== "20,000 rows") expect(always.sent.GET).toBe(read.tries);
    else expect(always.sent.GET > 0).toBe(isInDoubt);
  });
});

function newestOf(states: ReadonlyMap<string, string>): string {
  return String(Math.max(...[...states.keys()].map(Number)));
}

describe("orders cancel --yes", () => {
  async function cancel(home: FaultHome, form: Form, fault: string, condition: object) {
    const id = await home.addOrder();
    await learnCustomer(home);
    const words = ["orders", "cancel", id, "--yes", ...flags[form]];
    const ran = await home.suffer(words, await troubleOf(fault, condition));
    return { ran, id, state: ran.states.get(id) };
  }

  test.each(expectations)(
    "$fault for every DELETE, and once: $cancel.exit $cancel.code, $cancel.state",
    async ({ fault, cancel: expected }) => {
      const home = await createFaultHome();
      const always = await cancel(home, "json", fault, { method: "DELETE" });
      expectEnd(always.ran, expected, "json");
      expect(always.state).toBe(expected.state);
      expect(left(always.ran)).toEqual({ DELETE: expected.DELETE, GET: expected.GET, POST: 0 });
      // What is said about the order is what it really is.
      if (expected.exit === 0) expect(always.ran.stdout).toContain(expected.state);
      if (expected.DELETE > 0 && (expected.exit === 5 || expected.exit === 70))
        expect(always.ran.stderr).toMatch(
          new RegExp(
            `( is not cancelled, it is ${expected.state}: | was ${expected.state} just now, and may be cancelled yet: )`,
          ),
        );
      if (isOnTheWay(fault)) return;
      const { ran, state } = await cancel(home, "human", fault, { method: "DELETE", times: 1 });
      const isResent = expected.DELETE > 1;
      expectEnd(ran, isResent ? { exit: 0, code: "-" } : expected, "human");
      expect(state).toBe(isResent ? "cancelled" : expected.state);
      expect(ran.sent).toEqual({ DELETE: isResent ? 2 : 1, GET: expected.GET, POST: 0 });
    },
  );

  test.each(someOf(inService, 2, 1))(
    "$fault for every GET: an order that cannot be looked at is left alone",
    async (row) => {
      const { fault, read } = row;
      if (!read) return;
      const home = await createFaultHome();
      const { ran, state } = await cancel(home, "json", fault, { method: "GET" });
      expectEnd(ran, read, "json");
      const isDone = read.exit === 0;
      expect(state).toBe(isDone ? "cancelled" : "pending");
      expect(ran.sent).toEqual({ DELETE: isDone ? 1 : 0, GET: isDone ? 2 : read.tries, POST: 0 });
    },
  );

  test.each([
    ["drop_after", 5],
    ["stall", 5],
    ["truncate", 5],
    ["500 done", 5],
    ["bytes done", 70],
  ] as const)(
    "%s for all after the look-up: it may or may not be cancelled, and how to see",
    async (fault, exit) => {
      const home = await createFaultHome();
      for (const form of ["human", "json"] as const) {
        const { ran, id, state } = await cancel(home, form, fault, { after: 1 });
        expect(ran.exit).toBe(exit);
        expect(ran.stdout).toContain("unknown");
        expect(state).toBe("cancelled");
        expect(ran.stderr).toContain(`order ${id} may or may not be cancelled: `);
        expect(ran.stderr).toContain(`see: courier orders show ${id}`);
      }
    },
  );
});

const importing = expectations.flatMap(({ fault, import: expected }) =>
  expected ? [{ fault, expected }] : [],
);

describe("orders import --yes", () => {
  test.each(someOf(importing, 2))(
    "$fault for every POST: $expected.exit $expected.code, $expected.created created; then the rest, once",
    async ({ fault, expected }) => {
      const home = await createFaultHome();
      const file = path.join(home.directory, "orders.csv");
      await writeFile(file, sheet(row("A-1", "李四"), row("A-2", "王五")));
      const words = ["orders", "import", file, "--yes", "--concurrency", "1"];
      const ran = await home.suffer([...words, ...flags.json], await troubleOf(fault, { method: "POST" }));
      expectEnd(ran, expected, "json");
      expect(ran.created).toBe(expected.created);
      expect(left(ran).POST).toBe(expected.POST);
      const reported = [...ran.stdout.matchAll(/"ref":"(.+?)"/g)].map(([, ref]) => ref);
      expect(new Set(reported).size, "each row once").toBe(reported.length);
      if (isOnTheWay(fault)) return; // the ledger knows orders by the service at that place
      home.clock.advance(afterDoubtMs);
      const completed = await home.suffer([...words, "--retry-refused"], { kind: "latency", ms: 0 });
      expect(completed.exit, completed.stderr).toBe(0);
      expect(ran.created + completed.created).toBe(2);
    },
  );
});
