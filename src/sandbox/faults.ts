/** The fault plan: which of the coming requests go wrong, and in which way. */

import type { Json } from "../model/json.ts";
import { createRandom } from "./random.ts";

/** What goes wrong. `processed` says whether the request takes effect before the made-up answer is sent. */
export type Fault =
  /** Waits, then lets the rules after it apply. */
  | { readonly kind: "latency"; readonly ms: number }
  /** An answer of any status, with a body of any text. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly body?: string;
      readonly contentType?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly processed?: boolean;
    }
  /** A failure envelope (section 7); not processed. */
  | {
      readonly kind: "refuse";
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly details?: Json;
    }
  /** The connection is lost before the request was processed. */
  | { readonly kind: "drop_before" }
  /** The request is processed, then the connection is lost without an answer. */
  | { readonly kind: "drop_after" }
  /** Processed; the connection is lost in the middle of the body. */
  | { readonly kind: "drop_mid_body" }
  /** Processed; nothing is ever answered. */
  | { readonly kind: "stall_headers" }
  /** Processed; half of the body, then nothing more. */
  | { readonly kind: "stall_body" }
  /** Processed; one byte of the body at a time, so many milliseconds apart. */
  | { readonly kind: "drip"; readonly everyMs: number }
  /** Processed; a complete answer whose JSON is cut in half. */
  | { readonly kind: "truncate" }
  /** Processed; announces so many bytes more than it sends, or fewer where negative, then ends the connection. */
  | { readonly kind: "wrong_length"; readonly more: number }
  /** Processed; the true answer in an encoding, asked for or not. */
  | { readonly kind: "encoded"; readonly encoding: Encoding }
  /** Processed; the true answer in HTTP/1.0, without a length: the end of the connection ends it. */
  | { readonly kind: "http_1_0" }
  /** 200 with something that is no JSON. */
  | { readonly kind: "garbage"; readonly content?: "html" | "binary"; readonly processed?: boolean }
  /** 200 and `success: true` with data of an unexpected shape. */
  | { readonly kind: "wrong_shape"; readonly data?: Json; readonly processed?: boolean }
  /** 429, with Retry-After where given (seconds or an HTTP date); not processed. */
  | { readonly kind: "rate_limit"; readonly retryAfter?: string }
  | {
      readonly kind: "redirect";
      readonly location: string;
      readonly status?: number;
      readonly processed?: boolean;
    }
  /** 200 with a well-formed body of this size. */
  | { readonly kind: "huge_body"; readonly bytes: number; readonly processed?: boolean }
  /** Written to the socket instead of an answer, one byte per character; then the connection ends. */
  | { readonly kind: "raw"; readonly bytes: string; readonly processed?: boolean };

export type Encoding = "gzip" | "br" | "deflate";

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

export type FaultRule = FaultCondition & Fault;

export interface FaultCount {
  readonly rule: FaultRule;
  readonly matched: number;
  readonly fired: number;
}

/** What is wrong with one request: how long it waits, and what happens to it then, if anything. */
export interface Misfortune {
  readonly delayMs: number;
  readonly fault: FaultRule | undefined;
}

export interface FaultPlan {
  /** Replaces all rules. Throws a SyntaxError for a path that is no regular expression. */
  set(rules: readonly FaultRule[]): void;
  /** Adds a rule after the present ones. */
  add(rule: FaultRule): void;
  clear(): void;
  counts(): readonly FaultCount[];
  /** Asks the rules in their order about the next request; the first that fires decides. */
  draw(method: string, pathAndQuery: string): Misfortune;
}

interface ActiveRule {
  readonly rule: FaultRule;
  readonly concerns: (method: string, pathAndQuery: string) => boolean;
  readonly random: () => number;
  matched: number;
  fired: number;
}

export function createFaultPlan(): FaultPlan {
  let active: ActiveRule[] = [];
  return {
    set(rules) {
      active = rules.map(activate);
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
        if (candidate.rule.kind !== "latency") return { delayMs, fault: candidate.rule };
        delayMs += candidate.rule.ms;
      }
      return { delayMs, fault: undefined };
    },
  };
}

function activate(rule: FaultRule): ActiveRule {
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

function fires(candidate: ActiveRule): boolean {
  const { after = 0, times = Number.POSITIVE_INFINITY, probability = 1 } = candidate.rule;
  candidate.matched++;
  if (candidate.matched <= after || candidate.fired >= times) return false;
  if (candidate.random() >= probability) return false;
  candidate.fired++;
  return true;
}
