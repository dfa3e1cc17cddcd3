/** What holds for every command under every fault, and the way to set one. */

import { expect } from "vitest";
import type { FaultCondition } from "../../src/sandbox/faults.ts";
import type { Suffered, Trouble } from "../support/fault-home.ts";
import { faults, places } from "../support/faults.ts";
import { expectInert } from "../support/hostile.ts";
import type { End } from "./expected.ts";

/** The fault of this name, on the way or in the service, for requests that meet the condition. */
export async function troubleOf(name: string, condition: FaultCondition = {}): Promise<Trouble> {
  const open = places[name];
  if (open) return open();
  const fault = faults[name];
  if (!fault) throw new Error(`no such fault: ${name}`);
  return { ...fault, ...condition };
}

export const isOnTheWay = (name: string) => name in places;

/** Ended as expected: exit, an error for people, or one line of JSON at the end of the trace. */
export function expectEnd(ran: Suffered, { exit, code }: End, form: "human" | "json"): void {
  expect(ran.exit, ran.stderr).toBe(exit);
  for (const text of [ran.stdout, ran.stderr]) expectClean(text);
  if (exit === 0) return;
  if (form === "human") expect(ran.stderr.match(/^error: /gm)).toHaveLength(1);
  else expect(JSON.parse(lastLine(ran.stderr))).toMatchObject({ error: { code, exit } });
}

/** No stack, nothing that acts on a terminal, no key, and never a mistake of courier's own. */
export function expectClean(text: string): void {
  expectInert(text);
  expect(text).not.toMatch(/^\s+at .*:\d+:\d+/m);
  expect(text).not.toContain("test-key-0123456789");
  expect(text).not.toContain("internal error");
}

/** Requests that left, as `--debug` shows them; they may have got nowhere. */
export function left(ran: Suffered): { GET: number; POST: number; DELETE: number } {
  const count = (method: string) => [...ran.stderr.matchAll(new RegExp(`^debug: > ${method} `, "gm"))].length;
  return { GET: count("GET"), POST: count("POST"), DELETE: count("DELETE") };
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
