/** Zod: the building blocks of every schema here, and the check that turns a value into a typed one. */

import * as z from "zod/mini";
import { describeType, isJsonNumber, type Json, type JsonNumber } from "./json.ts";

/** 2.4: an id is one. */
export const integerPattern = /^-?\d+$/;

/** A number of any size, kept as it was written. */
export const decimalSchema = z.custom<JsonNumber>(isJsonNumber, { error: "number" });

/** A number written without fraction or exponent. */
export const integerSchema = z.custom<JsonNumber>(
  (value) => isJsonNumber(value) && integerPattern.test(value.value),
  { error: "integer" },
);

/** Any value. */
export const jsonSchema = z.custom<Json>();

export const textSchema = z.string({ error: "string" });

/** One of a few words. */
export function wordSchema<const W extends string>(words: readonly W[]) {
  return z.enum(words as readonly [W, ...W[]], { error: `word: ${words.join(" or ")}` });
}

/** A field that may be missing or null: the interface does not say which fields are always there. */
export function maybe<T extends z.core.SomeType>(schema: T) {
  return z.optional(z.nullable(schema));
}

const prototypeKey = "__proto__";

/** Entries by name. Zod's own record checks all but one that is named `__proto__`. */
export function recordOf<T extends z.core.$ZodType>(entry: T, params: { readonly error: string }) {
  const checkPrototype = z.unknown().check(({ value, issues }) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, prototypeKey)) return;
    const { error } = z.safeParse(entry, Reflect.get(value, prototypeKey), { reportInput: true });
    for (const issue of error?.issues ?? [])
      issues.push({
        ...issue,
        path: [prototypeKey, ...issue.path],
        input: issue.input,
      } as z.core.$ZodRawIssue);
  });
  return z.pipe(checkPrototype, z.record(z.string(), entry, params));
}

/** Where and how a value differs from its schema. `path` is as a user writes it: `sender.phone`, `[2].id`. */
export interface Mismatch {
  readonly path: string;
  readonly expected: string;
  readonly received: string;
}

export type Checked<T> = { readonly value: T } | { readonly mismatches: readonly Mismatch[] };

/**
 * Checks a value and gives back that very value, not a copy: fields that the schema does not name, and
 * their order, stay as the service sent them.
 */
export function check<T>(schema: z.ZodMiniType<T>, value: unknown): Checked<T> {
  const result = z.safeParse(schema, value, { reportInput: true });
  if (result.success) return { value: value as T };
  return {
    mismatches: result.error.issues.flatMap((issue) => {
      const path = formatPath(issue.path);
      // An exact number is an object with keys of its own.
      if (issue.code === "unrecognized_keys" && isJsonNumber(issue.input))
        return [{ path, expected: "object", received: describeType(issue.input) }];
      if (issue.code === "unrecognized_keys") {
        return issue.keys.map((key) => ({
          path: path === "" ? key : `${path}.${key}`,
          expected: "no such key",
          received: key,
        }));
      }
      const isFraction = issue.message === "integer" && isJsonNumber(issue.input);
      const received = isFraction ? issue.input.value : describeType(issue.input);
      return [{ path, expected: issue.message, received }];
    }),
  };
}

/** The fields that an object schema names. */
export function fieldNames(schema: { readonly shape: object }): readonly string[] {
  return Object.keys(schema.shape);
}

/**
 * The dotted paths of all fields that a schema names, those of its parts included. A list within an object is one field:
 * its elements have no names.
 */
export function fieldPaths(schema: z.core.$ZodType, above = ""): readonly string[] {
  const { def } = schema._zod as { def: z.core.$ZodTypes["_zod"]["def"] };
  switch (def.type) {
    case "object":
      return Object.entries(def.shape).flatMap(([key, inner]) => {
        const path = above === "" ? key : `${above}.${key}`;
        return [path, ...fieldPaths(inner, path)];
      });
    case "array":
      return above === "" ? fieldPaths(def.element) : [];
    case "union":
      return [...new Set(def.options.flatMap((option) => fieldPaths(option, above)))];
    case "optional":
    case "nullable":
      return fieldPaths(def.innerType, above);
    default:
      return [];
  }
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}

export type Schema<T> = z.ZodMiniType<T>;
export type Infer<T extends z.core.SomeType> = z.infer<T>;
/** Fields of an object schema. */
export type Fields = z.core.$ZodLooseShape;
// biome-ignore lint/performance/noBarrelFile: by name: re-exporting the namespace would keep all of zod in the bundle
export {
  array,
  boolean,
  extend,
  int,
  literal,
  looseObject,
  nullable,
  object,
  optional,
  record,
  strictObject,
  string,
  union,
  unknown,
} from "zod/mini";
