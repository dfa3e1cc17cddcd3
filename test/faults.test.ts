/**
 * Every way in which the service can fail against every command that calls it: what the command says, what it
 * sent, and what exists afterwards. The tables say what must happen (design, sections 5 and 6).
 */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { faultKinds } from "../src/sandbox/fault-rules.ts";
import type { Fault } from "../src/sandbox/faults.ts";
import { createFaultHome, type FaultHome, type Suffered } from "./support/fault-home.ts";
import { plainDraft } from "./support/orders.ts";

/** Text that would act on a terminal: colour, title, bell, C1 string, bidi override. */
const hostile = "\u001b[31mred\u001b]0;title\u0007\u009d0;x\u009c\u202egnihton\r\n";

const tooLargeBytes = 16 * 1024 * 1024 + 1024;
const notHttp = "this is no HTTP \u001b[31m\r\n\r\n";
const status = (code: number, processed = false): Fault => ({
  kind: "status",
  status: code,
  body: `<h1>${hostile}</h1>`,
  contentType: "text/html",
  processed,
});
const refuse = (code: number, errorCode: string): Fault => ({
  kind: "refuse",
  status: code,
  code: errorCode,
  message: `no ${hostile}`,
  details: { field: hostile, value: hostile },
});

/** Faults by the names that the tables use. `done` means: the request took effect. */
const faults: Readonly<Record<string, Fault>> = {
  latency: { kind: "latency", ms: 1_000 },
  "status 401": status(401),
  "status 404": status(404),
  "status 500": status(500),
  "status 500 done": status(500, true),
  "status 502": status(502),
  "status 503": status(503),
  "status 504": status(504),
  "status 504 done": status(504, true),
  "refuse 200": refuse(200, "SOME_CODE"),
  "refuse 400": refuse(400, "INVALID_PARAMETER"),
  "refuse 500": refuse(500, "INTERNAL"),
  drop_before: { kind: "drop_before" },
  drop_after: { kind: "drop_after" },
  drop_mid_body: { kind: "drop_mid_body" },
  stall_headers: { kind: "stall_headers" },
  stall_body: { kind: "stall_body" },
  truncate: { kind: "truncate" },
  "garbage html": { kind: "garbage", content: "html" },
  "garbage binary": { kind: "garbage", content: "binary" },
  "garbage done": { kind: "garbage", content: "binary", processed: true },
  wrong_shape: { kind: "wrong_shape", data: [hostile] },
  "wrong_shape done": { kind: "wrong_shape", data: hostile, processed: true },
  rate_limit: { kind: "rate_limit" },
  "rate_limit 7": { kind: "rate_limit", retryAfter: "7" },
  "rate_limit 60": { kind: "rate_limit", retryAfter: "60" },
  "redirect 302": { kind: "redirect", location: "https://elsewhere.test/login" },
  "redirect 302 done": { kind: "redirect", location: "https://elsewhere.test/login", processed: true },
  "redirect 307": { kind: "redirect", status: 307, location: "https://elsewhere.test/login" },
  "redirect 303 done": { kind: "redirect", status: 303, location: "/orders/1", processed: true },
  huge_body: { kind: "huge_body", bytes: tooLargeBytes },
  "huge_body done": { kind: "huge_body", bytes: tooLargeBytes, processed: true },
  raw: { kind: "raw", bytes: notHttp },
  "raw done": { kind: "raw", bytes: notHttp, processed: true },
};

/** A call that reads: exit, error code, tries. `done` makes no difference to it, so those faults are not here. */
const reading = readTable(`
  fault          | the first call   | every call
  latency        | 0 - 1            | 0 - 1
  status 401     | 4 key_refused 1  | 4 key_refused 1
  status 404     | 1 refused 1      | 1 refused 1
  status 500     | 5 failing 1      | 5 failing 1
  status 502     | 0 - 2            | 5 failing 4
  status 503     | 0 - 2            | 5 failing 4
  status 504     | 0 - 2            | 5 failing 4
  refuse 200     | 1 refused 1      | 1 refused 1
  refuse 400     | 1 refused 1      | 1 refused 1
  refuse 500     | 5 failing 1      | 5 failing 1
  drop_before    | 0 - 2            | 5 lost 4
  drop_after     | 0 - 2            | 5 lost 4
  drop_mid_body  | 0 - 2            | 5 cut_short 4
  stall_headers  | 5 timed_out 1    | 5 timed_out 1
  stall_body     | 5 timed_out 1    | 5 timed_out 1
  truncate       | 0 - 2            | 5 cut_short 4
  garbage html   | 70 not_json 1    | 70 not_json 1
  garbage binary | 70 not_json 1    | 70 not_json 1
  wrong_shape    | 70 wrong_shape 1 | 70 wrong_shape 1
  rate_limit     | 0 - 2            | 5 limited 4
  rate_limit 7   | 0 - 2            | 5 limited 4
  rate_limit 60  | 5 limited 1      | 5 limited 1
  redirect 302   | 5 redirected 1   | 5 redirected 1
  redirect 307   | 5 redirected 1   | 5 redirected 1
  huge_body      | 70 too_large 1   | 70 too_large 1
  raw            | 0 - 2            | 5 lost 4
`);

/**
 * `orders create`: exit, error code, orders created, POSTs, GETs. Never two orders; a second POST only after a
 * 429. A redirect other than 307 and 308 may point to a result, so it leaves the outcome open.
 */
const creating = readTable(`
  fault             | the POST, once          | every POST              | every call
  latency           | 0 - 1 1 0               | 0 - 1 1 0               | 0 - 1 1 0
  status 401        | 4 key_refused 0 1 0     | 4 key_refused 0 1 0     | 4 key_refused 0 1 0
  status 404        | 1 refused 0 1 0         | 1 refused 0 1 0         | 1 refused 0 1 0
  status 500        | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 1
  status 500 done   | 0 - 1 1 2               | 0 - 1 1 2               | 6 outcome_unknown 1 1 1
  status 502        | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 4
  status 503        | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 4
  status 504        | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 4
  status 504 done   | 0 - 1 1 2               | 0 - 1 1 2               | 6 outcome_unknown 1 1 4
  refuse 200        | 1 refused 0 1 0         | 1 refused 0 1 0         | 1 refused 0 1 0
  refuse 400        | 1 refused 0 1 0         | 1 refused 0 1 0         | 1 refused 0 1 0
  refuse 500        | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 1
  drop_before       | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 4
  drop_after        | 0 - 1 1 2               | 0 - 1 1 2               | 6 outcome_unknown 1 1 4
  drop_mid_body     | 0 - 1 1 2               | 0 - 1 1 2               | 6 outcome_unknown 1 1 4
  stall_headers     | 0 - 1 1 2               | 0 - 1 1 2               | 6 outcome_unknown 1 1 1
  stall_body        | 0 - 1 1 2               | 0 - 1 1 2               | 6 outcome_unknown 1 1 1
  truncate          | 0 - 1 1 2               | 0 - 1 1 2               | 6 outcome_unknown 1 1 4
  garbage html      | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 1
  garbage binary    | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 1
  garbage done      | 0 - 1 1 2               | 0 - 1 1 2               | 6 outcome_unknown 1 1 1
  wrong_shape       | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 1
  wrong_shape done  | 0 - 1 1 2               | 0 - 1 1 2               | 6 outcome_unknown 1 1 1
  rate_limit        | 0 - 1 2 0               | 5 limited 0 4 0         | 5 limited 0 4 0
  rate_limit 7      | 0 - 1 2 0               | 5 limited 0 4 0         | 5 limited 0 4 0
  rate_limit 60     | 5 limited 0 1 0         | 5 limited 0 1 0         | 5 limited 0 1 0
  redirect 302      | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 1
  redirect 302 done | 0 - 1 1 2               | 0 - 1 1 2               | 6 outcome_unknown 1 1 1
  redirect 307      | 5 redirected 0 1 0      | 5 redirected 0 1 0      | 5 redirected 0 1 0
  redirect 303 done | 0 - 1 1 2               | 0 - 1 1 2               | 6 outcome_unknown 1 1 1
  huge_body         | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 1
  huge_body done    | 0 - 1 1 2               | 0 - 1 1 2               | 6 outcome_unknown 1 1 1
  raw               | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 3 | 6 outcome_unknown 0 1 4
  raw done          | 0 - 1 1 2               | 0 - 1 1 2               | 6 outcome_unknown 1 1 4
`);

/**
 * `orders cancel --yes`: exit, error code, the order's state, DELETEs, GETs (a look before, a look after).
 * 4.5: the answer has no data, so of a wrong shape `success: true` counts, and the order read back tells the rest.
 * An order that is cancelled already is refused with a 409, which tells enough when its body is cut.
 */
const cancelling = readTable(`
  fault             | the DELETE, once          | every DELETE
  latency           | 0 - cancelled 1 2         | 0 - cancelled 1 2
  status 401        | 4 key_refused pending 1 1 | 4 key_refused pending 1 1
  status 404        | 1 refused pending 1 2     | 1 refused pending 1 2
  status 500        | 5 failing pending 1 2     | 5 failing pending 1 2
  status 500 done   | 0 - cancelled 1 2         | 0 - cancelled 1 2
  status 502        | 0 - cancelled 2 2         | 5 failing pending 4 2
  status 503        | 0 - cancelled 2 2         | 5 failing pending 4 2
  status 504        | 0 - cancelled 2 2         | 5 failing pending 4 2
  status 504 done   | 0 - cancelled 2 2         | 0 - cancelled 4 2
  refuse 200        | 1 refused pending 1 2     | 1 refused pending 1 2
  refuse 400        | 1 refused pending 1 2     | 1 refused pending 1 2
  refuse 500        | 5 failing pending 1 2     | 5 failing pending 1 2
  drop_before       | 0 - cancelled 2 2         | 5 lost pending 4 2
  drop_after        | 0 - cancelled 2 2         | 0 - cancelled 4 2
  drop_mid_body     | 0 - cancelled 2 2         | 0 - cancelled 2 2
  stall_headers     | 0 - cancelled 1 2         | 0 - cancelled 1 2
  stall_body        | 0 - cancelled 1 2         | 0 - cancelled 1 2
  truncate          | 0 - cancelled 2 2         | 0 - cancelled 2 2
  garbage html      | 70 not_json pending 1 2   | 70 not_json pending 1 2
  garbage binary    | 70 not_json pending 1 2   | 70 not_json pending 1 2
  garbage done      | 0 - cancelled 1 2         | 0 - cancelled 1 2
  wrong_shape       | 0 - pending 1 2           | 0 - pending 1 2
  wrong_shape done  | 0 - cancelled 1 2         | 0 - cancelled 1 2
  rate_limit        | 0 - cancelled 2 2         | 5 limited pending 4 2
  rate_limit 7      | 0 - cancelled 2 2         | 5 limited pending 4 2
  rate_limit 60     | 5 limited pending 1 2     | 5 limited pending 1 2
  redirect 302      | 5 redirected pending 1 2  | 5 redirected pending 1 2
  redirect 302 done | 0 - cancelled 1 2         | 0 - cancelled 1 2
  redirect 307      | 5 redirected pending 1 2  | 5 redirected pending 1 2
  redirect 303 done | 0 - cancelled 1 2         | 0 - cancelled 1 2
  huge_body         | 70 too_large pending 1 2  | 70 too_large pending 1 2
  huge_body done    | 0 - cancelled 1 2         | 0 - cancelled 1 2
  raw               | 0 - cancelled 2 2         | 5 lost pending 4 2
  raw done          | 0 - cancelled 2 2         | 0 - cancelled 4 2
`);

type Row = readonly [fault: string, ...expectations: string[]];

function readTable(text: string): readonly Row[] {
  const [, ...lines] = text.trim().split("\n");
  return lines.map((line) => line.split("|").map((cell) => cell.trim()) as unknown as Row);
}

function faultOf(name: string): Fault {
  const fault = faults[name];
  if (!fault) throw new Error(`no such fault: ${name}`);
  return fault;
}

interface ReadingCommand {
  readonly name: string;
  readonly words: (home: FaultHome) => string;
  /** Calls that it makes when all goes well; several at once where `isParallel`. */
  readonly calls: number;
  readonly isParallel?: boolean;
  readonly stdin?: (home: FaultHome) => string;
}

const readingCommands: readonly ReadingCommand[] = [
  { name: "profile", calls: 1, words: () => "profile" },
  {
    name: "login",
    calls: 1,
    words: ({ sandbox }) => `login --base-url ${sandbox.baseUrl}`,
    stdin: ({ sandbox }) => sandbox.apiKey,
  },
  { name: "orders list", calls: 1, words: () => "orders list" },
  { name: "orders list --all", calls: 2, words: () => "orders list --all --limit 2" },
  { name: "orders show", calls: 1, words: ({ orders }) => `orders show ${orders[0]?.id}` },
  { name: "track one", calls: 1, words: ({ orders }) => `track ${orders[0]?.trackingNumber}` },
  {
    name: "track several",
    calls: 3,
    isParallel: true,
    words: ({ orders }) => `track ${orders.map(({ trackingNumber }) => trackingNumber).join(" ")}`,
  },
];

test("the tables name every kind of fault", () => {
  const kinds = (table: readonly Row[]) => new Set(table.map(([name]) => faultOf(name).kind));
  for (const table of [reading, creating, cancelling])
    expect([...kinds(table)].sort()).toEqual([...faultKinds].sort());
});

/** How often a fault strikes, in the order of the tables' columns. */
const strikes = [{ times: 1 }, {}] as const;

describe.each(readingCommands)("$name", ({ words, calls, isParallel = false, stdin, name }) => {
  test.each(reading)("%s: %s once, %s always", async (faultName, ...expectations) => {
    const home = await createFaultHome();
    for (const { flag, column, expected } of combine(expectations)) {
      const account = `${column}${flag.trim()}`;
      const line = name === "login" ? `${words(home)} --account a${account}` : words(home);
      const input = stdin ? { stdin: stdin(home) } : {};
      const ran = await home.suffer(line + flag, { ...faultOf(faultName), ...strikes[column] }, input);
      const [exit, code, tries = 0] = readExpectation(expected);
      const isRefusedInPlace = isParallel && code === "refused";
      expectEnd(ran, isRefusedInPlace ? 3 : exit, isRefusedInPlace ? "some_refused" : code, flag);
      expect(ran).toMatchObject({ created: 0, sent: { POST: 0, DELETE: 0 } });
      if (exit === 0) expect(ran.sent.GET).toBe(calls + tries - 1);
      else if (isParallel) expect(ran.sent.GET).toBeLessThanOrEqual(calls * tries);
      else expect(ran.sent.GET).toBe(tries);
      if (exit !== 0 && !isRefusedInPlace) expect(ran.stdout).toBe("");
      expectPatience(ran, faultName, tries - 1);
      if (name === "login") expect(await isLoggedIn(home, `a${account}`)).toBe(exit === 0);
    }
  });
});

describe("orders create", () => {
  const conditions = [{ method: "POST", times: 1 }, { method: "POST" }, {}] as const;

  test.each(creating)(
    "%s: %s once, %s for every POST, %s for every call",
    async (faultName, ...expectations) => {
      const home = await createFaultHome();
      await home.addOrder();
      for (const { flag, column, expected } of combine(expectations)) {
        // The orders before are like this one, but an hour older: none of them may be taken for it.
        home.clock.advance(3_600_000);
        const ran = await home.suffer(
          `orders create --file - --allow-duplicate${flag}`,
          { ...faultOf(faultName), ...conditions[column] },
          { stdin: JSON.stringify(plainDraft) },
        );
        const [exit, code, created, POST, GET] = readExpectation(expected);
        expectEnd(ran, exit, code, flag);
        expect({ created: ran.created, ...ran.sent }).toEqual({ created, POST, GET, DELETE: 0 });
        const newest = String(Math.max(...[...ran.states.keys()].map(Number)));
        if (exit === 0) expect(ran.stdout).toContain(newest);
        else expect(ran.stdout).toBe("");
        if (exit === 6) expect(ran.stderr).toContain("courier orders list --from 2026-02-28 --all");
        if (flag !== "" && exit === 0) expect(String(JSON.parse(ran.stdout).id)).toBe(newest);
      }
    },
  );
});

describe("orders cancel --yes", () => {
  test.each(cancelling)("%s: %s once, %s for every DELETE", async (faultName, ...expectations) => {
    const home = await createFaultHome();
    for (const { flag, column, expected } of combine(expectations)) {
      const id = await home.addOrder();
      const trouble = { ...faultOf(faultName), method: "DELETE", ...strikes[column] };
      const ran = await home.suffer(`orders cancel ${id} --yes${flag}`, trouble);
      const [exit, code, state, DELETE, GET] = readExpectation<string>(expected);
      expectEnd(ran, exit, code, flag);
      expect({ state: ran.states.get(id), ...ran.sent }).toEqual({ state, DELETE, GET, POST: 0 });
      // What is said about the order is what it really is.
      if (exit === 0) expect(ran.stdout).toContain(state);
      if (exit === 5 || exit === 70) expect(ran.stderr).toContain(`it is ${state}`);
    }
  });

  test.each(reading)(
    "%s: a look-up that fails leaves the order alone: %s once, %s always",
    async (faultName, ...expectations) => {
      const home = await createFaultHome();
      for (const { flag, column, expected } of combine(expectations)) {
        const id = await home.addOrder();
        const trouble = { ...faultOf(faultName), ...strikes[column] };
        const ran = await home.suffer(`orders cancel ${id} --yes${flag}`, trouble);
        const [exit, code, tries = 0] = readExpectation(expected);
        expectEnd(ran, exit, code, flag);
        const isDone = exit === 0;
        expect(ran.states.get(id)).toBe(isDone ? "cancelled" : "pending");
        expect(ran.sent).toEqual({ DELETE: isDone ? 1 : 0, GET: isDone ? tries + 1 : tries, POST: 0 });
      }
    },
  );

  test.each([
    ["drop_after", 5],
    ["stall_headers", 5],
    ["truncate", 5],
    ["status 500 done", 5],
    ["garbage done", 70],
  ] as const)(
    "%s for all after the look-up: it may or may not be cancelled, and how to see",
    async (faultName, exit) => {
      const home = await createFaultHome();
      for (const flag of ["", " --json"]) {
        const id = await home.addOrder();
        const trouble = { ...faultOf(faultName), after: 1 };
        const ran = await home.suffer(`orders cancel ${id} --yes${flag}`, trouble);
        expect(ran).toMatchObject({ exit, stdout: "" });
        expectClean(ran);
        expect(ran.states.get(id)).toBe("cancelled");
        expect(ran.stderr).toContain(`may or may not be cancelled; see: courier orders show ${id}`);
      }
    },
  );
});

describe("a list of several pages", () => {
  const readers: readonly (readonly [flag: string, read: (text: string) => unknown[]])[] = [
    ["", (text) => text.trimEnd().split("\n").slice(1)],
    [" --json", (text) => JSON.parse(`${text}]`)],
    [" --ndjson", (text) => [...text.matchAll(/.+/g)].map(([line]) => JSON.parse(line))],
    [" --csv", (text) => text.trimEnd().split("\n").slice(1)],
  ];

  test.each(reading.filter(([, , always = ""]) => !always.startsWith("0")))(
    "%s on every page but the first: it fails, and shows whole orders only",
    async (faultName, _once, always = "") => {
      const home = await createFaultHome();
      const [exit, code, tries = 0] = readExpectation(always);
      for (const [flag, read] of readers) {
        const trouble = { ...faultOf(faultName), after: 1 };
        const ran = await home.suffer(`orders list --all --limit 2${flag}`, trouble);
        expectEnd(ran, exit, code, flag);
        expect(read(ran.stdout)).toHaveLength(2);
        expect(ran.sent.GET).toBe(1 + tries);
      }
    },
  );
});

/** Every column of a row for people; as JSON only what ends differently from the column before. */
function combine(expectations: readonly string[]) {
  const columns = expectations.map((expected, column) => ({ column, expected }));
  const distinct = columns.filter(({ column, expected }) => expected !== expectations[column - 1]);
  return [
    ...columns.map((each) => ({ ...each, flag: "" })),
    ...distinct.map((each) => ({ ...each, flag: " --json" })),
  ];
}

/** `5 lost 4`: exit, error code, and what else the table has; numbers as such. */
function readExpectation<Third = number>(text: string): [number, string, Third?, number?, number?] {
  const [exit, code = "", ...rest] = text.split(" ");
  const values = rest.map((word) => (/^\d+$/.test(word) ? Number(word) : word));
  return [Number(exit), code, ...values] as [number, string, Third?, number?, number?];
}

function expectEnd(ran: Suffered, exit: number, code: string, flag: string): void {
  expect(ran.exit, ran.stderr).toBe(exit);
  expectClean(ran);
  const told = ran.stderr.trimEnd().split("\n").at(-1) ?? "";
  if (exit !== 0 && flag === "") expect(ran.stderr).toMatch(/^error: /m);
  if (exit !== 0 && flag !== "") expect(JSON.parse(told)).toMatchObject({ error: { code, exit } });
}

/** No stack, nothing that acts on a terminal, no key, and a bounded number of requests. */
function expectClean({ stdout, stderr, sent }: Suffered): void {
  for (const text of [stdout, stderr]) {
    expect(text).not.toMatch(/^\s+at .*:\d+:\d+/m);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    expect(text).not.toContain("test-key-0123456789");
  }
  expect(sent.GET + sent.POST + sent.DELETE).toBeLessThanOrEqual(16);
}

/** `Retry-After` is obeyed to the second; without one, no wait is longer than the longest. */
function expectPatience({ delays }: Suffered, faultName: string, waits: number): void {
  if (faultName === "rate_limit 7") expect(delays.filter((delayMs) => delayMs === 7_000)).not.toHaveLength(0);
  else if (waits > 0) expect(delays).not.toHaveLength(0);
  for (const delayMs of delays) expect(delayMs).toBeLessThanOrEqual(8_000);
}

async function isLoggedIn({ configDir }: FaultHome, account: string): Promise<boolean> {
  const text = await readFile(path.join(configDir, "config.json"), "utf8").catch(() => "{}");
  return JSON.parse(text).accounts?.[account]?.key === "test-key-0123456789";
}
