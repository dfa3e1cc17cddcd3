/** What this machine remembers of orders: bounded, by account, and equal orders told from others. */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import {
  dropDraft,
  findTwins,
  keepDraft,
  type OrderMemoryFile,
  openOrderMemory,
  rememberSending,
  type SentOrder,
  settleSending,
} from "../../src/config/sent-orders.ts";
import type { Draft } from "../../src/model/draft.ts";
import { parseJson, stringifyJson } from "../../src/model/json.ts";

const now = Date.parse("2026-03-01T08:00:00Z");
const draft = (text: string) => parseJson(text) as Draft;
const book = draft(
  '{"sender":{"name":"张三","phone":"1"},"receiver":{"name":"李四"},"item":{"weight":2.50}}',
);

async function memory(warnings: string[] = []) {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-memory-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return openOrderMemory(directory, (text) => warnings.push(text));
}

function sentAt(ms: number, id = "1", content = book) {
  return { id, sent_at: new Date(ms).toISOString(), draft: content };
}

/** Remembers an order as it is sent and created. */
async function rememberSent(
  file: OrderMemoryFile,
  account: string,
  order: SentOrder,
  finishesDraft: boolean,
) {
  const sending = { ...order, id: "" };
  await rememberSending(file, account, sending);
  await settleSending(file, account, sending, { id: order.id, finishesDraft });
}

test("an order stands in doubt until it is settled, and goes where it was not created", async () => {
  const file = await memory();
  const [first, second] = [sentAt(now, ""), sentAt(now + 1, "")];
  await rememberSending(file, "shop", first);
  await rememberSending(file, "shop", second);
  expect((await file.read()).sent.shop).toEqual([second, first]);
  await settleSending(file, "shop", first, { id: "7", finishesDraft: false });
  expect((await file.read()).sent.shop).toEqual([second, { ...first, id: "7" }]);
  await settleSending(file, "shop", second, { id: undefined, finishesDraft: false });
  expect((await file.read()).sent.shop).toEqual([{ ...first, id: "7" }]);
});

test("the newest 50 orders of each account are kept, newest first", async () => {
  const file = await memory();
  for (let id = 1; id <= 53; id++) await rememberSent(file, "shop", sentAt(now, String(id)), true);
  await rememberSent(file, "home", sentAt(now, "7"), true);
  const { sent } = await file.read();
  expect(sent.shop).toHaveLength(50);
  expect(sent.shop?.[0]?.id).toBe("53");
  expect(sent.shop?.at(-1)?.id).toBe("4");
  expect(sent.home).toHaveLength(1);
}, 30_000);

test("decimals and long numbers come back as they were", async () => {
  const file = await memory();
  const text = '{"item":{"weight":2.50,"value":0.10,"quantity":12345678901234567890}}';
  await rememberSent(file, "shop", sentAt(now, "1", draft(text)), false);
  await keepDraft(file, "shop", { draft: draft(text), open: ["item"] }, false);
  expect(await readFile(file.path, "utf8")).toContain('"weight": 2.50');
  const { sent, drafts } = await openOrderMemory(path.dirname(file.path), () => {}).read();
  expect(stringifyJson(sent.shop?.[0]?.draft ?? null)).toBe(text);
  expect(stringifyJson(drafts.shop?.draft ?? null)).toBe(text);
});

test("one draft is kept for each account, and forgotten when it became an order", async () => {
  const file = await memory();
  await keepDraft(file, "shop", { draft: book, open: ["item"] }, false);
  await keepDraft(file, "home", { draft: book, open: [] }, false);
  await keepDraft(file, "shop", { draft: {}, open: ["sender"] }, false);
  expect((await file.read()).drafts).toMatchObject({ shop: { open: ["sender"] }, home: { open: [] } });
  await rememberSent(file, "home", sentAt(now), false);
  expect(Object.keys((await file.read()).drafts).sort()).toEqual(["home", "shop"]);
  await rememberSent(file, "home", sentAt(now), true);
  await dropDraft(file, "shop");
  expect((await file.read()).drafts).toEqual({});
});

test("a draft of another order goes before the one that was kept, which comes back after it", async () => {
  const file = await memory();
  const kept = (name: string) => ({ draft: draft(`{"item":{"name":"${name}"}}`), open: [] });
  await keepDraft(file, "shop", kept("first"), true);
  await keepDraft(file, "shop", kept("second"), true);
  await keepDraft(file, "shop", kept("third"), true);
  await keepDraft(file, "shop", kept("third again"), false);
  const seen: unknown[] = [];
  for (let left = 4; left > 0; left--) {
    seen.push((await file.read()).drafts.shop?.draft.item?.name);
    if (left === 2) await rememberSent(file, "shop", sentAt(now), true);
    else await dropDraft(file, "shop");
  }
  expect(seen).toEqual(["third again", "second", "first", undefined]);
});

test("what a later courier writes into the file stays there", async () => {
  const file = await memory();
  await writeFile(file.path, '{"version":1,"sent":{},"later":{"a":1.0}}');
  await keepDraft(file, "shop", { draft: book, open: [] }, false);
  await rememberSent(file, "shop", sentAt(now), true);
  expect(await readFile(file.path, "utf8")).toMatch(/"later": \{\s*"a": 1\.0/);
});

test.each([
  "{",
  '{"version":2,"sent":{}}',
  '{"sent":[]}',
  '{"drafts":{"shop":{"draft":{"sender":1},"open":[]}}}',
])("a file that cannot be trusted (%s) is said once, stops nothing, and is left alone", async (text) => {
  const warnings: string[] = [];
  const file = await memory(warnings);
  await writeFile(file.path, text);
  for (let time = 0; time < 2; time++) expect(await file.read()).toEqual({ sent: {}, drafts: {} });
  expect(warnings).toEqual([expect.stringContaining(file.path)]);
  await expect(rememberSent(file, "shop", sentAt(now), true)).rejects.toThrow(file.path);
  expect(await readFile(file.path, "utf8")).toBe(text);
});

test("an equal order is found for a day, in the same account only", async () => {
  const file = await memory();
  await rememberSent(file, "shop", sentAt(now), true);
  const content = await file.read();
  expect(findTwins(content, "shop", book, now + 86_399_999).map(({ id }) => id)).toEqual(["1"]);
  expect(findTwins(content, "shop", book, now + 86_400_000)).toEqual([]);
  expect(findTwins(content, "home", book, now)).toEqual([]);
  for (const other of ['{"item":{"weight":2.51}}', "{}"])
    expect(findTwins(content, "shop", draft(other), now)).toEqual([]);
});

test("the order of keys does not matter", async () => {
  const part = (keys: readonly string[]) =>
    fc.record(Object.fromEntries(keys.map((key) => [key, fc.string()])), { requiredKeys: [] });
  await fc.assert(
    fc.property(part(["name", "phone", "city", "detail"]), part(["name", "description"]), (sender, item) => {
      const reversed = (value: object) => Object.fromEntries(Object.entries(value).reverse());
      const sent = { ...sentAt(now), draft: { sender, item } as Draft };
      const again = { item: reversed(item), sender: reversed(sender) } as Draft;
      expect(findTwins({ sent: { shop: [sent] }, drafts: {} }, "shop", again, now)).toEqual([sent]);
    }),
  );
});
