/** The fault plan: which of the coming requests go wrong, and in which way. */

import type { ServerResponse } from "node:http";
import type { Clock } from "../core/clock.ts";
import { createRandom } from "./random.ts";
import type { WireAnswer } from "./wire.ts";

/** What goes wrong. */
export type Fault =
  /** Waits, then lets the rules after it apply. */
  | { readonly kind: "latency"; readonly ms: number }
  /** An empty answer of any status; `processed` says whether the request takes effect before it. */
  | { readonly kind: "status"; readonly status: number; readonly processed?: boolean }
  /** The connection is lost before the request was processed. */
  | { readonly kind: "drop_before" }
  /** The request is processed, then the connection is lost without an answer. */
  | { readonly kind: "drop_after" }
  /** Processed; nothing is ever answered. */
  | { readonly kind: "stall" }
  /** 429, with Retry-After where given (seconds or an HTTP date); not processed. */
  | { readonly kind: "rate_limit"; readonly retryAfter?: string };

export type FaultKind = Fault["kind"];

/** Which requests a rule is for, and how often it fires: every time unless limited. */
export interface FaultCondition {
  readonly method?: string;
  /**
   * Text is the source of a regular expression that the whole path without query must match, so
   * `/api/v1/orders` means that path alone; a RegExp is searched for in the path with its query.
   */
  readonly path?: string | RegExp;
  /** Leaves the first matching requests alone. */
  readonly after?: number;
  /** Fires so many times at most. */
  readonly times?: number;
  /** Fires by chance, from 0 never to 1 always; the same `seed` gives the same sequence. */
  readonly probability?: number;
  readonly seed?: number;
}

export type FaultRule<F = Fault> = FaultCondition & F;

export interface FaultCount<F = Fault> {
  readonly rule: FaultRule<F>;
  readonly matched: number;
  readonly fired: number;
}

/** Answers a request wrongly. `serve` makes the request take effect and gives the true answer. */
export type Spoil = (
  response: ServerResponse,
  serve: () => Promise<WireAnswer>,
  clock: Clock,
) => Promise<void>;

/** What is wrong with one request: how long it waits, and what happens to it then, if anything. */
export interface DrawnFault {
  readonly delayMs: number;
  readonly spoil: Spoil | undefined;
}

/** Asked about each request. */
export interface FaultSource {
  draw(method: string, pathAndQuery: string): DrawnFault;
}

export interface FaultPlan<F = Fault> extends FaultSource {
  /** Replaces all rules. Throws a SyntaxError for a path that is no regular expression. */
  set(rules: readonly FaultRule<F>[]): void;
  /** Adds a rule after the present ones. */
  add(rule: FaultRule<F>): void;
  clear(): void;
  counts(): readonly FaultCount<F>[];
}

interface ActiveRule<F> {
  readonly rule: FaultRule<F>;
  readonly concerns: (method: string, pathAndQuery: string) => boolean;
  readonly random: () => number;
  matched: number;
  fired: number;
}

/** Asks the rules in their order about each request; the first that fires decides. */
export function createFaultPlan<F extends object>(spoilFor: (fault: F) => Spoil): FaultPlan<F> {
  let active: ActiveRule<F>[] = [];
  return {
    set(rules) {
      active = rules.map((rule) => activate(rule));
    },
    add(rule) {
      active.push(activate(rule));
    },
    clear() {
      active = [];
    },
    counts() {
      return active.map(({ rule, matched, fired }) => ({ rule, matched, fired }));
    },
    draw(method, pathAndQuery) {
      let delayMs = 0;
      for (const candidate of active) {
        if (!candidate.concerns(method, pathAndQuery) || !fires(candidate)) continue;
        const { rule } = candidate;
        if (!isLatency(rule)) return { delayMs, spoil: spoilFor(rule) };
        delayMs += rule.ms;
      }
      return { delayMs, spoil: undefined };
    },
  };
}

function isLatency(fault: object): fault is Extract<Fault, { kind: "latency" }> {
  return "kind" in fault && fault.kind === "latency";
}

function activate<F>(rule: FaultRule<F>): ActiveRule<F> {
  const whole = typeof rule.path === "string" ? new RegExp(`^(?:${rule.path})$`) : undefined;
  return {
    rule,
    concerns(method, pathAndQuery) {
      if (rule.method !== undefined && rule.method !== method) return false;
      if (whole) return whole.test(pathAndQuery.replace(/\?.*$/s, ""));
      return rule.path === undefined || pathAndQuery.search(rule.path) !== -1;
    },
    random: createRandom(rule.seed ?? 1),
    matched: 0,
    fired: 0,
  };
}

function fires<F>(candidate: ActiveRule<F>): boolean {
  const { after = 0, times = Number.POSITIVE_INFINITY, probability = 1 } = candidate.rule;
  candidate.matched++;
  if (candidate.matched <= after || candidate.fired >= times) return false;
  if (candidate.random() >= probability) return false;
  candidate.fired++;
  return true;
}
