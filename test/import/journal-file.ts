/** Journals of tests: entries of every kind, the file that they make, and a model of what it says. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { type JournalIdentity, openJournal } from "../../src/import/journal.ts";
import type { Entry } from "../../src/import/journal-state.ts";

export const identity: JournalIdentity = { account: "shop", base_url: "https://service.example" };
export const at = "2026-03-01T08:00:00.000Z";

export const entries: readonly Entry[] = [
  { kind: "intent", key: "ref:A-1", content: "c1", at },
  {
    kind: "created",
    key: "ref:A-1",
    content: "c1",
    id: "7",
    order_no: "CO7",
    tracking_number: "CR7",
    estimated_fee: "12.00",
  },
  { kind: "intent", key: "ref:姓名", content: "c2", at, offset_ms: -250 },
  { kind: "refused", key: "ref:姓名", content: "c2", code: "INVALID_PARAMETER", message: 'not "so" 😀\n' },
  { kind: "intent", key: "content:c3#1", content: "c3", at },
  { kind: "unknown", key: "content:c3#1" },
  { kind: "intent", key: "content:c3#2", content: "c3", at },
  { kind: "unsent", key: "content:c3#2" },
];

/** Names of files in a directory that is there while the tests of one file run. */
export function useFiles(): () => string {
  let directory = "";
  let files = 0;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "courier-journal-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));
  return () => path.join(directory, `${++files}.ndjson`);
}

export async function written(file: string, list: readonly Entry[] = entries): Promise<Buffer> {
  const journal = await openJournal(file, identity, "f1");
  for (const entry of list) await journal.append(entry);
  await journal.close();
  return readFile(file);
}

/** The last entry of each key, as the journal tells it after it was opened anew. */
export async function replay(file: string, keys: Iterable<string> = entries.map(({ key }) => key)) {
  const journal = await openJournal(file, identity, "f2");
  const last = new Map<string, Entry>();
  for (const key of keys) {
    const entry = await journal.lastOf(key);
    if (entry) last.set(key, plain(entry));
    expect(journal.statusOf(key)).toBe(entry?.kind);
  }
  const open = new Map(journal.open);
  const { size, fingerprint } = journal;
  await journal.close();
  return { last, open, size, fingerprint, journal };
}

/** Without the sum, and with numbers as JavaScript has them. */
export function plain(entry: object): Entry {
  const { sum: _sum, ...rest } = JSON.parse(JSON.stringify(entry)) as { sum?: string };
  if ("offset_ms" in rest)
    Object.assign(rest, { offset_ms: Number((entry as { offset_ms: unknown }).offset_ms) });
  return rest as unknown as Entry;
}

export function model(list: readonly Entry[]) {
  const last = new Map<string, Entry>();
  const open = new Map<string, object>();
  for (const entry of list) {
    last.set(entry.key, plain(entry));
    if (entry.kind === "intent" && !open.has(entry.key)) {
      const { content, offset_ms } = entry;
      open.set(entry.key, { sentAtMs: Date.parse(entry.at), offsetMs: offset_ms, content });
    }
    if (entry.kind !== "intent" && entry.kind !== "unknown") open.delete(entry.key);
  }
  return { last, open };
}
