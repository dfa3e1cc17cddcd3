/** The mirror: what is recorded is found by any part of its texts, and given back as it came. */

import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Answer, Mirror } from "../../src/mirror/mirror.ts";
import { deleteMirrors, hasMirror } from "../../src/mirror/mirror-files.ts";
import { readNewestOrders } from "../../src/mirror/newest-orders.ts";
import { type JsonObject, parseJson, stringifyJson } from "../../src/model/json.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { effort, fc } from "../support/effort.ts";
import { openMirror } from "../support/mirror.ts";

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
const characters = fc
  .constantFrom(..."李王伟明aAbBéÉßsSØoœeæŁlıIΣςσ1234 　0-#'\"％５ｅ😀👍🏽かが한")
  .map(String);
const texts = fc.array(characters, { maxLength: 8 }).map((all) => all.join(""));
const phones = fc
  .tuple(
    fc.constantFrom("", "", "+86 ", "+86", "(+86) ", "＋８６-", "0086", "86"),
    fc.constantFrom("138", "(0755)", "0755-", "755 ", "１３８－", "138–", "010.", "+1 415"),
    fc.constantFrom("00138000", "0013-8000", "8888 1234", "８８８８", "1", ""),
  )
  .map((parts) => parts.join(""));

test("a field that is named __proto__ is kept as any other, and lends its fields to none", async () => {
  const mirror = await createMirror();
  const value = parseJson('{"id":1,"__proto__":{"tracking_number":"CR9"},"item_name":"mug"}') as JsonObject;
  await mirror.record([{ id: "1", kind: "list", value }], 1_000);
  await mirror.record([{ id: "1", kind: "detail", value }], 2_000);
  const { fields } = (await mirror.order("1")) ?? {};
  expect([stringifyJson(fields ?? {}), fields?.tracking_number]).toEqual([stringifyJson(value), undefined]);
});

test("a search finds what a scan of all texts finds", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ name: texts, city: texts, item: texts, phone: fc.oneof(texts, phones) }), {
        maxLength: 12,
      }),
      fc.array(fc.tuple(fc.nat(), fc.nat(8), fc.nat(4)), { minLength: 1, maxLength: 6 }),
      fc.array(fc.oneof(texts, phones), { maxLength: 4 }),
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
              const own = [String(900 + index), name, city, item, phone].map(plain);
              const isFound = words.every((word, at) => {
                if (isCodeBefore(word, words[at + 1])) return true;
                const digits = typedDigits(word);
                return [...own, ...storedDigits(plain(phone))].some(
                  (text) => text.includes(word) || (digits !== undefined && text.includes(digits)),
                );
              });
              return isFound ? [String(900 + index)] : [];
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
  const typed: Record<string, string> = { ß: "ss", ø: "o", œ: "oe", æ: "ae", ł: "l", ı: "i", ς: "σ" };
  return bare
    .map((each) => typed[each] ?? each)
    .join("")
    .normalize("NFKC");
}

const separators = [..."()+.-‐‒–—− "];
const onlyDigits = (text: string) => [...text].filter((each) => !separators.includes(each)).join("");

function isCodeBefore(word: string, next = ""): boolean {
  return /^(\+\d{1,3}|\(\+\d{1,3}\)?|\+\d{1,3}\))-?$/.test(word) && /^\(?[0-9]/.test(next);
}

function typedDigits(word: string): string | undefined {
  const begins = /^\(?\+[0-9]/.test(word) || /^\(?[0-9]{3}/.test(word);
  const isPhone = [...word].every((each) => /[0-9]/.test(each) || separators.includes(each));
  if (!begins || !isPhone) return undefined;
  const code = ["(+86)", "(+86", "+86)", "+86"].find((each) => word.startsWith(each)) ?? "";
  const digits = onlyDigits(word.slice(code.length));
  const mobile = /^(?:0086|86)(1[3-9][0-9]{9})$/.exec(digits)?.[1];
  return mobile ?? (digits === "" ? undefined : digits);
}

function storedDigits(phone: string): string[] {
  const text = phone.trim();
  const code = ["(+86)", "(+86", "+86)", "+86"].find((each) => text.startsWith(each));
  const national = onlyDigits(text.slice(code?.length ?? 0)).replace(/\s/g, "");
  const all = onlyDigits(text).replace(/\s/g, "");
  return code !== undefined && /^[2-9]/.test(national) ? [all, `0${national}`] : [all];
}

test("a phone is found however it was written and is typed", async () => {
  const mirror = await createMirror();
  const stored = [
    "+86 138-0013-8000",
    "13800138000",
    "(+86)１３８００１３８０００",
    "138.0013.8000",
    "86 138 0013 8000",
  ];
  const others = ["13800138001", "13800138002", "(0755) 8888 1234", "+86 755 8888 1234", "0755-88881234"];
  await mirror.record(
    [...stored, ...others].map((phone, index) => summary(String(900 + index), { receiver: { phone } })),
    1_000,
  );
  await mirror.record([summary("950", { order_no: "A-12" }), summary("951", { order_no: "2026-11" })], 1_000);
  const mobiles = stored.map((_, index) => String(900 + index));
  for (const typed of [
    "13800138000",
    "138-0013-8000",
    "138 0013 8000",
    "+86 138-0013-8000",
    "+8613800138000",
    "(+86) 138 0013 8000",
    "8613800138000",
    "008613800138000",
    "１３８－００１３－８０００",
    "138–0013–8000",
    "138-0013-80００",
    "+86 138 0013 8000",
  ])
    expect([typed, (await idsOf(mirror, typed)).sort()]).toEqual([typed, mobiles]);
  for (const typed of [
    "0755 8888 1234",
    "(0755)88881234",
    "0755-8888-1234",
    "075588881234",
    "+86 755 8888 1234",
  ])
    expect([typed, (await idsOf(mirror, typed)).sort()]).toEqual([typed, ["907", "908", "909"]]);
  expect(await idsOf(mirror, "A-12")).toEqual(["950"]);
  expect(await idsOf(mirror, "a12")).toEqual([]);
  expect(await idsOf(mirror, "2026-11")).toEqual(["951"]);
});

test("letters are found by those that people type for them", async () => {
  const mirror = await createMirror();
  const names = ["Weiß", "Søren", "Łukasz", "Æsir Œuvre", "ΟΔΟΣ", "Đặng", "Ürün Işık"];
  await mirror.record(
    names.map((name, index) => summary(String(900 + index), { receiver: { name } })),
    1_000,
  );
  const typed = ["weiss", "SOREN", "lukasz", "aesir oeuvre", "οδοσ", "dang", "urun isik"];
  for (const [index, text] of typed.entries()) {
    expect([text, await idsOf(mirror, text)]).toEqual([text, [String(900 + index)]]);
    expect(await idsOf(mirror, names[index] ?? "")).toEqual([String(900 + index)]);
  }
});

test.each([2, 3])(
  "a mirror of version %i gets its index anew, in parts and with what comes meanwhile",
  async (version) => {
    const directory = await createDirectory();
    const earlier = await openMirror(directory, owner);
    const orders = Array.from({ length: 1_500 }, (_, index) =>
      summary(String(index + 1), { order_no: `A${index}` }),
    );
    await earlier.record([...orders, summary("5000", { receiver: { name: "Weiß" } })], 1_000);
    earlier.close();
    const database = (await loadDriver()).open(earlier.path);
    database.exec(
      `DROP INDEX orders_not_shown; ALTER TABLE orders DROP COLUMN not_shown_since; PRAGMA user_version = ${version}`,
    );
    database.close();
    const mirror = await openMirror(directory, owner);
    onTestFinished(() => mirror.close());
    expect(await idsOf(mirror, "weiss")).toEqual([]);
    await mirror.record([summary("7", { order_no: "B7" }), summary("6000", { order_no: "B6000" })], 2_000);
    const progress: number[] = [];
    await Promise.all([mirror.refreshIndex((count) => progress.push(count)), mirror.refreshIndex(() => {})]);
    expect(progress.length).toBeGreaterThan(1);
    expect(await idsOf(mirror, "weiss")).toEqual(["5000"]);
    expect(await idsOf(mirror, "b7")).toEqual(["7"]);
    expect(await idsOf(mirror, "a6 ")).not.toContain("7");
    expect(await idsOf(mirror, "b6000")).toEqual(["6000"]);
    await mirror.record([summary("7", { order_no: "C7" })], 3_000);
    expect(await idsOf(mirror, "b7")).toEqual([]);
  },
);

test("an accent alone is found nowhere, and beside a word it does not count", async () => {
  const mirror = await createMirror();
  await mirror.record([summary("1", { item_name: "mug" })], 1_000);
  expect(await idsOf(mirror, "´")).toEqual([]);
  expect(await idsOf(mirror, "´ ¨")).toEqual([]);
  expect(await idsOf(mirror, "´ mug")).toEqual(["1"]);
});

test("an endless text is found by its beginning, comes back whole, and enlarges the index by no more", async () => {
  const directory = await createDirectory();
  const mirror = await openMirror(directory, owner);
  let seed = 1;
  const name = Array.from({ length: 300_000 }, () => {
    seed = (seed * 48_271) % 2_147_483_647; // hardly a pair of characters occurs twice
    return String.fromCodePoint(0x4e00 + (seed % 20_000));
  }).join("");
  await mirror.record([summary("1", { item_name: name }), summary("2", { item_name: "茶壶" })], 0);
  expect(await idsOf(mirror, name.slice(100, 110))).toEqual(["1"]);
  expect((await mirror.order("1"))?.fields.item_name).toBe(name);
  await mirror.close();
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(async ({ parentPath, name: file }) => (await stat(path.join(parentPath, file))).size);
  const ends = await Promise.allSettled(sizes); // the journal may go meanwhile
  const bytes = ends.reduce((sum, end) => sum + (end.status === "fulfilled" ? end.value : 0), 0);
  expect(bytes).toBeLessThan(2_500_000);
});

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

test("a phone whose digits all orders have, each elsewhere, is found without checking them all", async () => {
  const mirror = await createMirror();
  const order = (index: number, phone: string) =>
    summary(String(index), {
      order_no: "A001 B80138",
      sender: { phone: "13800000000" },
      receiver: { name: "013", phone },
    });
  const others = Array.from({ length: 400 }, (_, index) => order(90_000 + index, "13900000000"));
  await mirror.record([order(1, "+86 138-0013-8000"), ...others], 1_000);
  for (const text of ["13800138000", "1380013", "800138 001", "013 8001", "+86 138-0013-8000"]) {
    let pauses = 0;
    const between = async () => {
      pauses += 1;
    };
    const found: string[] = [];
    for await (const { id } of mirror.search({ text, page: 20, between })) found.push(id);
    expect({ text, found, pauses }).toEqual({ text, found: ["1"], pauses: 0 });
  }
});

test("an answer of an unusual form is found by what it has now", async () => {
  const mirror = await createMirror();
  const answer = (text: string): Answer => ({ id: "7", kind: "list", value: parseJson(text) as JsonObject });
  const detail = { id: "7", kind: "detail" as const };
  await mirror.record([answer(`{"order_no":12345678901234567890.50,"sender":{"name":"李明"}}`)], 1_000);
  expect(await idsOf(mirror, "12345678901234567890.50 李明")).toEqual(["7"]);
  await mirror.record([{ ...detail, value: { sender: "none", "receiver.name": "王", item: {} } }], 2_000);
  expect(await idsOf(mirror, "李明")).toEqual([]);
  expect(await idsOf(mirror, "王")).toEqual([]);
  await mirror.record([{ ...detail, value: { sender: { name: null }, item: { name: "mug" } } }], 3_000);
  expect(await idsOf(mirror, "李")).toEqual([]);
  expect(await idsOf(mirror, "mug 8901")).toEqual(["7"]);
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

test("an answer that is recorded late takes nothing newer back, whatever the clock was before", async () => {
  const mirror = await createMirror();
  const ofStatus = (kind: "list" | "detail", status: string): Answer => ({
    ...summary("7", { status }),
    kind,
  });
  const statusAfter = async (answer: Answer, seenAtMs: number, nowMs: number) => {
    await mirror.recordAll([{ answers: [answer], seenAtMs }], nowMs);
    return (await mirror.order("7"))?.fields.status;
  };
  await mirror.record([ofStatus("list", "pending")], 1_000);
  await mirror.record([ofStatus("detail", "cancelled")], 5_000);
  expect(await statusAfter(ofStatus("list", "in_transit"), 3_000, 9_000)).toBe("cancelled");
  expect(await statusAfter(ofStatus("detail", "in_transit"), 3_000, 9_000)).toBe("cancelled");
  await mirror.noteNotShown("7", 7_000);
  await statusAfter(ofStatus("list", "in_transit"), 6_000, 9_000);
  expect((await mirror.order("7"))?.notShownSinceMs).toBe(7_000);
  expect(await statusAfter(ofStatus("list", "delivered"), 8_000, 9_000)).toBe("delivered");
  expect((await mirror.order("7"))?.notShownSinceMs).toBeUndefined();
  expect(await statusAfter(ofStatus("list", "completed"), 100, 200)).toBe("completed");
});

test("the Tab key finds an order by the index of an earlier version, which has no runs of four digits", async () => {
  const directory = await createDirectory();
  const mirror = await openMirror(directory, owner);
  await mirror.record([summary("123456", { item_name: "mug" })], 1_000);
  mirror.close();
  const database = (await loadDriver()).open(mirror.path);
  database.exec(`INSERT INTO grams (grams) VALUES ('delete-all');
    INSERT INTO grams (rowid, terms) SELECT number, '123 234 345 456' FROM orders`);
  database.close();
  const found = await readNewestOrders(directory, owner, "12345", 5);
  expect(found.map(({ id }) => id)).toEqual(["123456"]);
});

test("the Tab key finds an order with very many fields by its tracking number", async () => {
  const directory = await createDirectory();
  const mirror = await openMirror(directory, owner);
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`field_name_${index}`, index]));
  await mirror.record([summary("1", { ...many, tracking_number: "CR123456" })], 1_000);
  mirror.close();
  expect(await readNewestOrders(directory, owner, "CR12", 5)).toMatchObject([
    { id: "1", trackingNumber: "CR123456", status: "pending" },
  ]);
});

test.each([
  ["newest first, as lists come", (ids: number[]) => ids.reverse()],
  ["oldest first", (ids: number[]) => ids],
])("orders that were made within milliseconds are found newest first, recorded %s", async (_, sorted) => {
  const mirror = await createMirror();
  const ids = Array.from({ length: 40 }, (__, index) => index + 1);
  const made = (id: number) =>
    summary(String(id), {
      created_at: new Date(Date.UTC(2026, 2, 1) + 1 + id * 6).toISOString(),
      order_no: `N${id}`,
    });
  await mirror.record(sorted([...ids]).map(made), 1_000);
  expect((await idsOf(mirror, "N")).map(Number)).toEqual([...ids].reverse());
});
