/** The mirror: what is recorded is found by any part of its texts, and given back as it came. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Answer, deleteMirrors, hasMirror, type Mirror, openMirror } from "../../src/mirror/mirror.ts";
import { type JsonObject, parseJson, stringifyJson } from "../../src/model/json.ts";
import { effort, fc } from "../support/effort.ts";

const owner = { account: "shop", service: "https://courier.example.com", key: "" };

async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-mirror-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function createMirror(): Promise<Mirror> {
  const mirror = await openMirror(await createDirectory(), owner);
  onTestFinished(() => mirror.close());
  return mirror;
}

function summary(id: string, fields: Record<string, unknown>): Answer {
  const text = stringifyJson({ order_no: null, status: "pending", ...fields } as JsonObject);
  const value = parseJson(`{"id":${id},${text.slice(1)}`) as JsonObject;
  return { id, kind: "list", value };
}

async function idsOf(mirror: Mirror, text: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of mirror.search({ text })) ids.push(id);
  return ids;
}

/** Texts in which parts occur again: names, phones, mixed scripts, accents, emoji, punctuation. */
const characters = fc.constantFrom(..."李王伟明aAbBéÉß1234 　0-#'\"％５ｅ😀👍🏽かが한").map(String);
const texts = fc.array(characters, { maxLength: 8 }).map((all) => all.join(""));

test("a search finds what a scan of all texts finds", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ name: texts, city: texts, item: texts, phone: texts }), { maxLength: 12 }),
      fc.array(fc.tuple(fc.nat(), fc.nat(8), fc.nat(4)), { minLength: 1, maxLength: 6 }),
      fc.array(texts, { maxLength: 4 }),
      async (orders, places, others) => {
        const mirror = await openMirror(await createDirectory(), owner);
        try {
          const answers = orders.map(({ name, city, item, phone }, index) =>
            summary(String(900 + index), { item_name: item, receiver: { name, city, phone } }),
          );
          await mirror.record(answers, 1_000);
          const all = orders.map(({ name, city, item, phone }) => [name, city, item, phone]);
          const parts = places.map(([order, start, length]) => {
            const [, , , phone = ""] = all[order % Math.max(1, all.length)] ?? [];
            const [name = ""] = all[order % Math.max(1, all.length)] ?? [];
            return [...(order % 2 ? name : phone)].slice(start % 8, (start % 8) + length).join("");
          });
          for (const query of [...parts, ...others]) {
            const words = plain(query).split(/\s+/).filter(Boolean);
            const scanned = all.flatMap(([name = "", city = "", item = "", phone = ""], index) => {
              const own = [String(900 + index), name, city, item, phone, phone.replace(/[\s().-]/g, "")].map(
                plain,
              );
              return words.every((word) => own.some((text) => text.includes(word)))
                ? [String(900 + index)]
                : [];
            });
            expect((await idsOf(mirror, query)).sort()).toEqual(scanned.sort());
          }
        } finally {
          mirror.close();
        }
      },
    ),
    { numRuns: effort(25, 400) },
  );
});

/** What people take for the same, written down a second time for this test. */
function plain(text: string): string {
  const bare = [...text.normalize("NFKD").toLowerCase()].filter((each) => !/[\u0300-\u036f]/.test(each));
  return bare.join("").normalize("NFKC");
}

test("the newest orders come first, whatever the order of recording", async () => {
  const mirror = await createMirror();
  const at = (id: string, created_at: string) => summary(id, { created_at, item_name: "mug" });
  await mirror.record(
    [at("5", "2026-03-01T08:00:00Z"), at("9", "2026-01-01T08:00:00Z"), at("2", "2026-03-02T08:00:00Z")],
    1_000,
  );
  expect(await idsOf(mirror, "mug")).toEqual(["2", "5", "9"]);
  expect(await idsOf(mirror, "")).toEqual(["2", "5", "9"]);
});

test("an order whose texts changed is found by the new ones only", async () => {
  const mirror = await createMirror();
  await mirror.record([summary("7", { item_name: "mug", receiver: { name: "李明" } })], 1_000);
  await mirror.record([summary("7", { item_name: "teapot", receiver: { name: "李明" } })], 2_000);
  expect(await idsOf(mirror, "mug")).toEqual([]);
  expect(await idsOf(mirror, "teap 明")).toEqual(["7"]);
});

test("fields come back as they came, from the newest answer that has them", async () => {
  const mirror = await createMirror();
  const list = `{"id":90071992547409931,"status":"paid","actual_fee":12.50,"new_field":{"a":[1.0,{"b":null}]},"receiver":{"name":"李","city":"上海"}}`;
  const detail = `{"id":90071992547409931,"status":"picked","receiver":{"name":"李","phone":"13800004466","address":"上海市"}}`;
  const id = "90071992547409931";
  await mirror.record([{ id, kind: "list", value: parseJson(list) as JsonObject }], 1_000);
  await mirror.record([{ id, kind: "detail", value: parseJson(detail) as JsonObject }], 2_000);
  const order = await mirror.order(id);
  expect(stringifyJson(order?.fields ?? {})).toBe(
    `{"id":90071992547409931,"status":"picked","actual_fee":12.50,"new_field":{"a":[1.0,{"b":null}]},"receiver":{"name":"李","city":"上海","phone":"13800004466","address":"上海市"}}`,
  );
  expect(await idsOf(mirror, "4466 李")).toEqual([id]);
});

test("a tracking answer belongs to the order with its number", async () => {
  const mirror = await createMirror();
  await mirror.record(
    [summary("1", { tracking_number: "CR1" }), summary("2", { tracking_number: "CR12" })],
    1_000,
  );
  const value = parseJson(`{"tracking_number":"CR1","status":"delivered"}`) as JsonObject;
  await mirror.record([{ id: undefined, kind: "tracking", value }], 2_000);
  expect((await mirror.order("1"))?.fields.tracking).toMatchObject({ status: "delivered" });
  expect((await mirror.order("2"))?.fields.tracking).toBeUndefined();
});

test("thousands of orders of one second are recorded, and each is found", async () => {
  const mirror = await createMirror();
  const answers = Array.from({ length: effort(1_000, 10_000) }, (_, index) =>
    summary(String(index + 1), { created_at: "2026-03-01T08:00:00Z", order_no: `CO${index}x` }),
  );
  await mirror.record(answers, 1_000);
  expect(await idsOf(mirror, "co999x")).toEqual(["1000"]);
});

test("orders of one second with small ids have numbers, in any order of recording", async () => {
  const mirror = await createMirror();
  const ids = ["16", "17", "1", "2", "3", "0"];
  const created_at = "2026-03-01T08:00:00Z";
  for (const id of ids) await mirror.record([summary(id, { created_at, item_name: "mug" })], 1_000);
  expect((await idsOf(mirror, "mug")).sort()).toEqual(ids.sort());
});

test("the mirrors of an account are deleted with all files, and no others", async () => {
  const directory = await createDirectory();
  for (const account of ["shop", "shop2"]) {
    const mirror = await openMirror(directory, { ...owner, account });
    await mirror.record([summary("1", { item_name: "mug" })], 1_000);
    mirror.close();
  }
  deleteMirrors(directory, "shop");
  expect(hasMirror(directory, owner)).toBe(false);
  expect(hasMirror(directory, { ...owner, account: "shop2" })).toBe(true);
});

test("a page is read at once; a long search pauses between its readings, and can be stopped there", async () => {
  const mirror = await createMirror();
  await mirror.record(
    Array.from({ length: 400 }, (_, index) => summary(String(index + 1), { order_no: `A ${index}` })),
    1_000,
  );
  let pauses = 0;
  const between = async () => {
    pauses += 1;
    if (pauses === 3) throw new Error("stopped");
  };
  const page = mirror.search({ text: "a", page: 20, between });
  for (let count = 0; count < 20; count++) await page.next();
  expect(pauses).toBe(0);
  await page.return();
  const all = mirror.search({ text: "", statuses: ["pending"], serviceType: "none", page: 20, between });
  await expect(all.next()).rejects.toThrow("stopped");
});

test("a tracking answer has a time of its own, and what was sent stays as it was", async () => {
  const mirror = await createMirror();
  const draft = { receiver: { name: "李" } };
  await mirror.record([{ id: "1", kind: "draft", value: draft }], 1_000);
  await mirror.record([{ id: "1", kind: "detail", value: { receiver: { name: "L*" } } }], 2_000);
  expect(await mirror.order("1")).toMatchObject({ draft, trackedAtMs: undefined });
  await mirror.record([{ id: "1", kind: "tracking", value: { tracking_number: "CR1" } }], 3_000);
  expect(await mirror.order("1")).toMatchObject({ draft, trackedAtMs: 3_000, seenAtMs: 3_000 });
});
