/** The fault rules as JSON, and the endpoint at which another process sets and reads them. */

import { isJsonNumber, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { type Answer, success } from "./answer.ts";
import type { Fault, FaultCondition, FaultCount, FaultKind, FaultPlan, FaultRule } from "./faults.ts";
import { invalidParameter } from "./refusal.ts";
import { type Route, readJson } from "./routes.ts";

type Reader = { readonly expected: string; readonly read: (value: Json) => unknown };
type Fields<T> = { readonly [Key in keyof T]-?: Reader };

const number: Reader = {
  expected: "a number that is not negative",
  read: (value) => (isJsonNumber(value) && Number(value.value) >= 0 ? Number(value.value) : undefined),
};
const text: Reader = {
  expected: "a string",
  read: (value) => (typeof value === "string" ? value : undefined),
};
const flag: Reader = {
  expected: "true or false",
  read: (value) => (typeof value === "boolean" ? value : undefined),
};
const status: Reader = {
  expected: "an HTTP status from 200 to 599",
  read: (value) => (isJsonNumber(value) && /^[2-5]\d\d$/.test(value.value) ? Number(value.value) : undefined),
};
const pattern: Reader = {
  expected: "the source of a regular expression",
  read(value) {
    try {
      return typeof value === "string" && new RegExp(value) ? value : undefined;
    } catch {
      return undefined;
    }
  },
};
const conditionFields: Fields<FaultCondition> = {
  method: text,
  path: pattern,
  after: number,
  times: number,
  probability: number,
  seed: number,
};

type FaultOf<Kind extends FaultKind> = Extract<Fault, { kind: Kind }>;

const faultFields: { readonly [Kind in FaultKind]: Fields<Omit<FaultOf<Kind>, "kind">> } = {
  latency: { ms: number },
  status: { status, processed: flag },
  drop_before: {},
  drop_after: {},
  stall: {},
  rate_limit: { retryAfter: text },
};

const required: { readonly [Kind in FaultKind]?: readonly string[] } = {
  latency: ["ms"],
  status: ["status"],
};

export const faultKinds = Object.keys(faultFields) as readonly FaultKind[];

/** Reads an array of rules; throws a Refusal that names the first key that is unknown, missing or of a wrong type. */
export function acceptFaultRules(body: Json): FaultRule[] {
  if (!Array.isArray(body)) throw invalidParameter("body", body, "an array of rules");
  return body.map((rule, index) => acceptFaultRule(rule, `[${index}]`));
}

function acceptFaultRule(rule: Json, path: string): FaultRule {
  if (!isJsonObject(rule)) throw invalidParameter(path, rule, "an object");
  const kind = faultKinds.find((name) => name === rule.kind);
  if (!kind) throw invalidParameter(`${path}.kind`, rule.kind, `one of ${faultKinds.join(", ")}`);
  const fields: Readonly<Record<string, Reader>> = { ...conditionFields, ...faultFields[kind] };
  const accepted: Record<string, unknown> = { kind };
  for (const key of new Set([...(required[kind] ?? []), ...Object.keys(rule)])) {
    if (key === "kind") continue;
    const value = rule[key];
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (!field) throw invalidParameter(`${path}.${key}`, value, `one of ${Object.keys(fields).join(", ")}`);
    const read = value === undefined ? undefined : field.read(value);
    if (read === undefined) throw invalidParameter(`${path}.${key}`, value, field.expected);
    accepted[key] = read;
  }
  return accepted as unknown as FaultRule;
}

/** A rule with how many requests it matched, and how many of them went wrong. */
export function faultCountView({ rule, matched, fired }: FaultCount): JsonObject {
  const path = rule.path instanceof RegExp ? rule.path.source : rule.path;
  return { rule: { ...rule, path } as unknown as JsonObject, matched, fired };
}

export function faultRoutes(plan: FaultPlan): readonly Route[] {
  const report = (): Answer => success(plan.counts().map(faultCountView));
  return [
    {
      path: /^\/_sandbox\/faults$/,
      methods: {
        GET: report,
        PUT(call) {
          plan.set(acceptFaultRules(readJson(call)));
          return report();
        },
        DELETE() {
          plan.clear();
          return report();
        },
      },
    },
  ];
}
