/** The body of a raw call that is given as fields on the command line. */

import { quote } from "../command/options.ts";
import { usageError } from "../core/errors.ts";
import { isPlainDecimal } from "../model/decimal.ts";
import { type Json, jsonNumber } from "../model/json.ts";

export interface Field {
  readonly key: string;
  readonly value: Json;
}

/** `key=value`: both as text. Throws a usage error. */
export function parsePair(text: string): readonly [key: string, value: string] {
  const end = text.indexOf("=");
  if (end < 1) throw usageError(`a field looks like key=value, not ${quote(text)}`);
  return [text.slice(0, end), text.slice(end + 1)];
}

/** What `-F` makes of a text: true, false, null and numbers are themselves, all else is text. */
export function typedValue(text: string): Json {
  if (text === "true" || text === "false") return text === "true";
  if (text === "null") return null;
  return isPlainDecimal(text) ? jsonNumber(text) : text;
}

type Branch = Map<string, Node> | Node[];
type Node = Branch | { readonly leaf: Json };

/**
 * One object of all fields. A key's parts are joined by dots, as in `sender.phone`; `[name]` holds a name
 * that has dots itself, and `[]` at the end appends to a list. Throws a usage error for fields that
 * contradict each other.
 */
export function joinFields(fields: readonly Field[]): Json {
  const root = new Map<string, Node>();
  for (const { key, value } of fields) place(root, key, value);
  return toJson(root);
}

function place(root: Map<string, Node>, key: string, value: Json): void {
  const parts = splitKey(key);
  let branch: Branch = root;
  for (const [index, part] of parts.entries()) {
    const next = parts[index + 1];
    const made: Node = next === undefined ? { leaf: value } : next === "" ? [] : new Map();
    const present: Node | undefined = Array.isArray(branch) ? undefined : branch.get(part);
    if (present && (next === undefined || "leaf" in present || Array.isArray(present) !== (next === ""))) {
      throw usageError(`the field ${key} contradicts one before it`, "each field is given once");
    }
    const node: Node = present ?? made;
    if (Array.isArray(branch)) branch.push(node);
    else branch.set(part, node);
    if (!("leaf" in node)) branch = node;
  }
}

/** A deeper one could not be written as JSON. */
const mostParts = 100;

/** `a.b[c.d][]` is `a`, `b`, `c.d` and the empty part, which only a list's end may have. */
function splitKey(key: string): readonly string[] {
  const found = [...key.matchAll(/(?:^|\.)([^.[\]]+)|\[([^\]]*)\]/gy)];
  const parts = found.map(([, bare, held]) => bare ?? held ?? "");
  if (parts.length > mostParts) throw usageError(`a field has at most ${mostParts} names, one in the other`);
  const isWhole = found.map(([text]) => text).join("") === key;
  if (isWhole && parts[0] !== "" && !parts.slice(0, -1).includes("")) return parts;
  throw usageError(
    `not usable as the name of a field: ${quote(key)}`,
    "it looks like sender.phone or tags[]",
  );
}

function toJson(node: Node): Json {
  if (Array.isArray(node)) return node.map(toJson);
  if ("leaf" in node) return node.leaf;
  return Object.fromEntries([...node].map(([name, inner]) => [name, toJson(inner)]));
}
