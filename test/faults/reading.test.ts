/**
 * Every fault against every command that only reads: what it says, what it sent, and how long it waited. `npm test`
 * tries all faults on one command, and each fault on a share of the others.
 */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { someOf } from "../support/effort.ts";
import { createFaultHome, type FaultHome, type Suffered } from "../support/fault-home.ts";
import { faults, places } from "../support/faults.ts";
import { wireFaultKinds } from "../support/wire-faults.ts";
import { expectClean, expectEnd, isOnTheWay, left, troubleOf } from "./checks.ts";
import { type Expected, expectations, type Reading } from "./expected.ts";

interface ReadingCommand {
  readonly name: string;
  readonly words: (home: FaultHome, baseUrl: string) => string;
  /** Calls that it makes when all goes well; several at once where `isParallel`. */
  readonly calls: number;
  readonly isParallel?: boolean;
  /** It reads one page of the list, so that a page of any length is one. */
  readonly isPage?: boolean;
  /** It looks among the first pages of the list for what the service refused. */
  readonly looksUp?: boolean;
  /** Rows that it prints of a longer page. */
  readonly mostRows?: number;
  readonly stdin?: string;
}

const numbers = ({ orders }: FaultHome) => orders.map(({ trackingNumber }) => trackingNumber);

const profile: ReadingCommand = { name: "profile", calls: 1, words: () => "profile" };

const commands: readonly ReadingCommand[] = [
  profile,
  { name: "login", calls: 1, words: (_, url) => `login --base-url ${url}`, stdin: "test-key-0123456789" },
  { name: "orders list", calls: 1, words: () => "orders list", isPage: true, mostRows: 10 },
  { name: "orders list --all", calls: 2, words: () => "orders list --all --limit 2", isPage: true },
  { name: "orders export", calls: 1, words: () => "orders export", isPage: true },
  { name: "orders export --details", calls: 4, isParallel: true, words: () => "orders export --details" },
  { name: "orders show", calls: 1, words: ({ orders }) => `orders show ${orders[0]?.id}` },
  { name: "track one", calls: 1, looksUp: true, words: (home) => `track ${numbers(home)[0]}` },
  {
    name: "track several",
    calls: 3,
    isParallel: true,
    looksUp: true,
    words: (home) => `track ${numbers(home).join(" ")}`,
  },
];

const longPage = "20,000 rows";
const reading = expectations.filter((row): row is Expected & { read: Reading } => row.read !== undefined);
let logins = 0;

test("the table names every kind of fault of the sandbox, and every fault of these tests once", () => {
  const names = expectations.map(({ fault }) => fault);
  expect([...names].sort()).toEqual([...Object.keys(faults), ...Object.keys(places)].sort());
  const kinds = new Set(Object.values(faults).map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual([...wireFaultKinds].sort());
});

describe.each(commands.map((command, part) => ({ ...command, part })))("$name", ({ part, ...command }) => {
  test.each(part === 0 ? reading : someOf(reading, 4, part))(
    "$fault: $read.exit $read.code, $read.tries tries",
    async ({ fault, says, read }) => {
      const home = await createFaultHome();
      if (fault === longPage && command.isPage) {
        const ran = await meet(home, command, fault, "json", {});
        expectReading(ran, { exit: 0, code: "-", tries: 1 }, command, fault, "json");
        expect(JSON.parse(ran.stdout)).toHaveLength(command.mostRows ?? 20_000);
        return;
      }
      const always = await meet(home, command, fault, "json", {});
      expectReading(always, read, command, fault, "json");
      if (read.exit !== 0) expect(always.stdout + always.stderr).toContain(says);
      if (isOnTheWay(fault) || read.tries === 1) return;
      const once = await meet(home, command, fault, "human", { times: 1 });
      expectReading(once, { exit: 0, code: "-", tries: 2 }, command, fault, "human");
      expect(once.stdout).not.toBe("");
    },
  );
});

test.each(someOf(reading, 3))("$fault, told to people: “$says”", async ({ fault, says, read }) => {
  const home = await createFaultHome();
  const ran = await meet(home, profile, fault, "human", {});
  expectReading(ran, read, profile, fault, "human");
  if (read.exit !== 0) expect(ran.stderr).toContain(says);
});

describe("api", () => {
  test.each(someOf(expectations, 3, 1))(
    "$fault: $api.exit, $api.tries tries",
    async ({ fault, says, api }) => {
      if (!api) return;
      const home = await createFaultHome();
      const words = ["api", "GET", "/api/v1/user/profile", "--debug"];
      const ran = await home.suffer(words, await troubleOf(fault));
      expect(ran.exit, ran.stderr).toBe(api.exit);
      expect(left(ran)).toEqual({ GET: api.tries, POST: 0, DELETE: 0 });
      expectClean(ran.stderr);
      if (api.exit !== 0) expect(ran.stderr).toContain(says);
      else if (fault !== "204") expect(ran.stdout).not.toBe("");
      expectPatience(ran, fault, api.tries - 1);
    },
  );
});

describe("doctor", () => {
  test.each(someOf(reading, 3, 2))("$fault: $read.exit", async ({ fault, read }) => {
    const home = await createFaultHome();
    const ran = await home.suffer(["doctor", "--json", "--debug"], await troubleOf(fault));
    expect(ran.exit, ran.stderr).toBe(read.exit);
    expect(left(ran).GET).toBeLessThanOrEqual(1);
    expectClean(ran.stdout);
    expectClean(ran.stderr);
    const checks = JSON.parse(ran.stdout) as readonly { readonly status: string }[];
    expect(checks.some(({ status }) => status === "fail")).toBe(read.exit !== 0);
  });
});

/** Runs a command that only reads; `times` limits how often the fault strikes. */
async function meet(
  home: FaultHome,
  { name, words, stdin }: ReadingCommand,
  fault: string,
  form: "human" | "json",
  condition: { times?: number },
): Promise<Suffered> {
  logins += 1;
  const trouble = await troubleOf(fault, condition);
  const baseUrl = "baseUrl" in trouble ? trouble.baseUrl : home.sandbox.baseUrl;
  const account = `a${logins}`;
  const line = `${words(home, baseUrl)}${name === "login" ? ` --account ${account}` : ""}`;
  const ran = await home.suffer(
    `${line}${form === "json" ? " --json --debug" : ""}`.split(" "),
    trouble,
    stdin === undefined ? {} : { stdin },
  );
  if (name === "login") expect(await isLoggedIn(home, account)).toBe(ran.exit === 0);
  return ran;
}

function expectReading(
  ran: Suffered,
  expected: Reading,
  { calls, isParallel = false, looksUp = false }: ReadingCommand,
  fault: string,
  form: "human" | "json",
): void {
  const { exit, code, tries } = expected;
  // Of several tracking numbers, a refused one is reported in its place.
  const isRefusedInPlace = isParallel && code === "refused" && ran.exit === 3;
  expectEnd(ran, isRefusedInPlace ? { exit: 3, code: "some_refused" } : expected, form);
  expect(ran).toMatchObject({ created: 0, sent: { POST: 0, DELETE: 0 } });
  // So is one that the service fails for; then there is no other row.
  const isFailedInPlace = isParallel && /^\[\{"tracking_number":"\w+","error":/.test(ran.stdout);
  const isTable = isParallel && ran.stdout.startsWith("TRACKING");
  if (exit !== 0 && !isRefusedInPlace && !isFailedInPlace && !isTable) expect(ran.stdout).toBe("");
  const GET = form === "json" ? left(ran).GET : isOnTheWay(fault) ? undefined : ran.sent.GET;
  const lookups = looksUp && code === "refused" ? 1 : 0;
  if (GET !== undefined) {
    if (exit === 0) expect(GET).toBe(fault === longPage ? 1 : calls + tries - 1);
    else if (isParallel) expect(GET).toBeLessThanOrEqual(calls * tries + lookups);
    else expect(GET).toBe(tries + lookups);
  }
  expectPatience(ran, fault, tries - 1);
}

/** `Retry-After` is obeyed to the second; without one, no wait is longer than the longest. */
function expectPatience({ delays }: Suffered, fault: string, waits: number): void {
  if (fault === "429, 7 s") expect(delays).toContain(7_000);
  else if (waits > 0) expect(delays).not.toHaveLength(0);
  if (waits === 0 && fault !== "latency") expect(delays).toEqual([]);
  for (const delayMs of delays) expect(delayMs).toBeLessThanOrEqual(8_000);
}

async function isLoggedIn({ configDir }: FaultHome, account: string): Promise<boolean> {
  const text = await readFile(path.join(configDir, "config.json"), "utf8").catch(() => "{}");
  return JSON.parse(text).accounts?.[account]?.key === "test-key-0123456789";
}

test("Retry-After as a date is waited for, by the service's own clock", async () => {
  const home = await createFaultHome();
  home.clock.advance(1_000);
  const ran = await home.suffer(["profile"], await troubleOf("429, a date", { times: 1 }));
  expect(ran).toMatchObject({ exit: 0, delays: [6_000] });
});

describe("a list of several pages", () => {
  const readers: readonly (readonly [flag: string, read: (text: string) => unknown[]])[] = [
    ["", (text) => text.trimEnd().split("\n").slice(1)],
    [" --json", (text) => JSON.parse(`${text}]`)],
    [" --ndjson", (text) => [...text.matchAll(/.+/g)].map(([line]) => JSON.parse(line))],
    [" --csv", (text) => text.trimEnd().split("\n").slice(1)],
  ];
  const striking = reading.filter(
    ({ fault, read }) => read.exit !== 0 && !isOnTheWay(fault) && fault !== longPage,
  );

  test.each(someOf(striking, 3))(
    "$fault on every page but the first: it fails, and shows whole orders only, each once",
    async ({ fault, read }) => {
      const home = await createFaultHome();
      for (const [flag, parse] of readers) {
        const words = `orders list --all --limit 2${flag}`.split(" ");
        const ran = await home.suffer(words, await troubleOf(fault, { after: 1 }));
        expectEnd(ran, read, flag === "" ? "human" : "json");
        const shown = parse(ran.stdout);
        expect(new Set(shown.map((row) => JSON.stringify(row))).size).toBe(2);
        expect(shown).toHaveLength(2);
        expect(ran.sent.GET).toBe(1 + read.tries);
      }
    },
  );
});
