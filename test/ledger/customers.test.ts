/** Customers: whose key it is, remembered without the key, and what that means for recorded orders. */

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { fc } from "../support/effort.ts";
import { describeKinds } from "./kinds.ts";
import {
  beginRun,
  createDirectory,
  created,
  createLedgerWith,
  findTexts,
  recordCreate,
  service,
} from "./opened.ts";

const key = "Secret-key-0123456789";
const learned = { service, key, profileId: "10001", account: "shop" };

/** The create of the content `c` by another run. */
async function beginEqual(ledger: Ledger, customer: number) {
  const equal = {
    content: "c",
    draft: {},
    windowMs: 60_000,
    isDuplicateAllowed: false,
    accepted: new Set<string>(),
  };
  return ledger.beginCreate(await beginRun(ledger, customer), equal, 2);
}

test("two ledgers hash the same key differently", async () => {
  const hashes = await Promise.all(
    ["one", "two"].map(async (name) => {
      const ledger = await createLedgerWith(openLedger, path.join(await createDirectory(), name));
      await ledger.learnCustomer(learned);
      const files = await Promise.all(
        (await readdir(ledger.directory)).map((file) =>
          readFile(path.join(ledger.directory, file), "latin1"),
        ),
      );
      return new Set(files.join("").match(/[0-9a-f]{64}/g) ?? []);
    }),
  );
  const [one = new Set(), two = new Set()] = hashes;
  expect(one.size).toBeGreaterThan(0);
  expect([...one].filter((hash) => two.has(hash))).toEqual([]);
});

describeKinds((open, kind) => {
  const createLedger = (place?: string) => createLedgerWith(open, place);

  test("a key is found again, and stands in no byte of a file", async () => {
    const ledger = await createLedger();
    const customer = await ledger.learnCustomer(learned);
    expect(await ledger.findCustomer(service, key)).toEqual({ id: customer.id, service, profileId: "10001" });
    expect(await ledger.findCustomer(service, `${key}x`)).toBeUndefined();
    expect(await ledger.findCustomer("https://other.example.com", key)).toBeUndefined();
    if (kind === "PostgreSQL") return; // the server's files are not ours to read
    const forms = [key, Buffer.from(key).toString("base64"), Buffer.from(key).toString("hex")];
    expect(await findTexts(ledger.directory, forms)).toEqual([]);
  });

  test("a profile id that is told late names the same customer", async () => {
    const ledger = await createLedger();
    const before = await ledger.learnCustomer({ ...learned, profileId: undefined });
    const after = await ledger.learnCustomer(learned);
    expect(after).toEqual({ ...before, profileId: "10001" });
    expect(await ledger.learnCustomer({ ...learned, profileId: undefined })).toEqual(after);
  });

  test("what was recorded under the bare key is adopted by the customer whose id is told later", async () => {
    const ledger = await createLedger();
    const named = await ledger.learnCustomer({ ...learned, key: "other key", account: "first" });
    const bare = await ledger.learnCustomer({ ...learned, profileId: undefined });
    expect(bare.id).not.toBe(named.id);
    const run = await beginRun(ledger, bare.id);
    await recordCreate(ledger, run, { content: "c", draft: { item: { name: "书" } }, outcome: created("5") });

    expect(await ledger.learnCustomer(learned)).toEqual(named);
    expect(await beginEqual(ledger, named.id)).toMatchObject({ kind: "stopped", equals: { recent: [{}] } });
    expect((await ledger.findRun(run.number))?.customer).toBe(named.id);
    expect((await ledger.findOwners(named.id, ["5"])).get("5")).toEqual({ run: run.number, number: 1 });
    expect(await ledger.findCustomer(service, key)).toEqual(named);
  });

  test("and a run that goes on meanwhile records nothing more: it knows what the bare key has sent", async () => {
    const ledger = await createLedger();
    const named = await ledger.learnCustomer({ ...learned, key: "other key", account: "first" });
    const bare = await ledger.learnCustomer({ ...learned, profileId: undefined });
    const run = await beginRun(ledger, bare.id);
    expect(await ledger.learnCustomer(learned)).toEqual(named);
    const recording = recordCreate(ledger, run, { content: "c", draft: {}, outcome: created("5") });
    await expect(recording).rejects.toMatchObject({ code: "customer_changed", exit: 5 });
    expect(await beginEqual(ledger, named.id)).toMatchObject({ kind: "begun" });
  });

  test("an order that both have recorded stays with one of them", async () => {
    const ledger = await createLedger();
    const named = await ledger.learnCustomer({ ...learned, key: "other key" });
    const bare = await ledger.learnCustomer({ ...learned, profileId: undefined });
    for (const { id } of [named, bare])
      await recordCreate(ledger, await beginRun(ledger, id), {
        content: "c",
        draft: {},
        outcome: created("5"),
      });
    expect((await ledger.learnCustomer(learned)).id).toBe(named.id);
    expect(await beginEqual(ledger, named.id)).toMatchObject({ kind: "stopped", equals: { recent: [{}] } });
  });

  test("a key that changes hands gets another customer, and the first keeps its orders", async () => {
    const ledger = await createLedger();
    const first = await ledger.learnCustomer(learned);
    await recordCreate(ledger, await beginRun(ledger, first.id), {
      content: "c",
      draft: {},
      outcome: created("5"),
    });
    const second = await ledger.learnCustomer({ ...learned, profileId: "10002" });
    expect(second.id).not.toBe(first.id);
    expect((await ledger.findCustomer(service, key))?.id).toBe(second.id);
    expect(await beginEqual(ledger, second.id)).toMatchObject({ kind: "begun" });
    expect(await beginEqual(ledger, first.id)).toMatchObject({ kind: "stopped", equals: { recent: [{}] } });
  });

  test("two accounts of one customer: neither has it alone until the other is gone", async () => {
    const ledger = await createLedger();
    const { id } = await ledger.learnCustomer(learned);
    expect((await ledger.learnCustomer({ ...learned, account: "till", key: "another key" })).id).toBe(id);
    const only = async (account: string, others: readonly string[]) =>
      (await ledger.customersOnlyOf(account, others)).map((customer) => customer.id);
    expect(await only("shop", ["till", "sandbox"])).toEqual([]);
    expect(await only("shop", ["shop"])).toEqual([id]);
    expect(await only("till", [])).toEqual([id]);
    expect(await only("nobody", [])).toEqual([]);
  });

  test("whatever is learned in whatever order, a profile is one customer and a key is the last that it was", async () => {
    const lesson = fc.record({
      key: fc.constantFrom("k1", "k2", "k3"),
      profileId: fc.constantFrom(undefined, "p1", "p2"),
      service: fc.constantFrom("s1", "s2"),
      account: fc.constantFrom("a", "b"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(lesson, { maxLength: 15 }), async (lessons) => {
        const ledger = await createLedger();
        const lastId = new Map<string, string>();
        const ids = new Map<string, Set<number>>();
        for (const each of lessons) {
          const customer = await ledger.learnCustomer(each);
          const name = JSON.stringify([each.service, each.key]);
          if (each.profileId !== undefined) lastId.set(name, each.profileId);
          expect(customer).toMatchObject({ service: each.service });
          expect(customer.profileId).toBe(lastId.get(name));
          expect(await ledger.findCustomer(each.service, each.key)).toEqual(customer);
          if (customer.profileId === undefined) continue;
          const profile = JSON.stringify([each.service, customer.profileId]);
          ids.set(profile, (ids.get(profile) ?? new Set()).add(customer.id));
        }
        expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});
