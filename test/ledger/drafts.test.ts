/** Drafts: the orders that were begun and not finished, for each account at each service. */

import { expect, test } from "vitest";
import type { Draft } from "../../src/model/draft.ts";
import { parseJson } from "../../src/model/json.ts";
import { fc } from "../support/effort.ts";
import { createLedger, service } from "./opened.ts";

const owner = { account: "shop", service };
const named = (name: string) => ({ draft: { item: { name } }, open: ["sender"] });

test("a draft comes back as it was, its numbers digit for digit", async () => {
  const ledger = await createLedger();
  const draft = parseJson('{"item":{"name":"书","weight":0.50,"value":123456789012345678901}}') as Draft;
  await ledger.keepDraft(owner, { draft, open: [] }, undefined);
  expect((await ledger.findDrafts(owner))[0]).toMatchObject({ draft, open: [] });
});

test("a draft knows its customer, whatever the id has", async () => {
  const ledger = await createLedger();
  const customer = "a,b=ü";
  await ledger.keepDraft(owner, { ...named("one"), customer }, undefined);
  expect(await ledger.findDrafts(owner)).toMatchObject([{ ...named("one"), customer }]);
});

test("another account and another service have their own", async () => {
  const ledger = await createLedger();
  await ledger.keepDraft(owner, named("one"), undefined);
  expect((await ledger.findDrafts({ ...owner, account: "till" }))[0]).toBeUndefined();
  expect((await ledger.findDrafts({ ...owner, service: "sandbox" }))[0]).toBeUndefined();
});

test("all drafts of an account go, whatever service they were for", async () => {
  const ledger = await createLedger();
  const elsewhere = { ...owner, service: "https://other.example.com" };
  const other = { ...owner, account: "till" };
  for (const each of [owner, elsewhere, other]) await ledger.keepDraft(each, named("one"), undefined);
  await ledger.dropAllDrafts("shop");
  expect((await ledger.findDrafts(owner))[0]).toBeUndefined();
  expect((await ledger.findDrafts(elsewhere))[0]).toBeUndefined();
  expect((await ledger.findDrafts(other))[0]).toMatchObject(named("one"));
});

test("of two forms at once, each ends its own draft and leaves the other's", async () => {
  const ledger = await createLedger();
  await ledger.keepDraft(owner, named("first form"), undefined);
  await ledger.keepDraft(owner, named("second form"), undefined);
  const second = (await ledger.findDrafts(owner))[0];
  if (!second) throw new Error("no draft");
  await ledger.dropDraft(owner, second);
  await ledger.dropDraft(owner, second);
  expect((await ledger.findDrafts(owner))[0]).toMatchObject(named("first form"));
  await ledger.keepDraft(owner, named("third form"), undefined);
  await ledger.dropDraft(owner, second);
  expect((await ledger.findDrafts(owner))[0]).toMatchObject(named("third form"));
});

test("the eleventh draft takes the place of the oldest, which is returned", async () => {
  const ledger = await createLedger();
  const dropped = [];
  for (let number = 1; number <= 12; number++)
    dropped.push(await ledger.keepDraft(owner, named(`${number}`), undefined));
  const oldest = ["1", "2"].map(named);
  expect(dropped).toEqual([...Array(10).fill(undefined), ...oldest]);
});

test("drafts that another form ended below the newest do not count", async () => {
  const ledger = await createLedger();
  await ledger.keepDraft(owner, named("oldest"), undefined);
  for (let number = 1; number <= 12; number++) {
    const before = number > 1 ? (await ledger.findDrafts(owner))[0] : undefined;
    expect(await ledger.keepDraft(owner, named("newest"), undefined)).toBeUndefined();
    if (before) await ledger.dropDraft(owner, before);
  }
  const newest = (await ledger.findDrafts(owner))[0];
  if (newest) await ledger.dropDraft(owner, newest);
  expect((await ledger.findDrafts(owner))[0]).toMatchObject(named("oldest"));
});

test("drafts are a pile of at most ten", async () => {
  const step = fc.oneof(
    fc.record({ name: fc.string(), isAnother: fc.boolean() }),
    fc.constant("drop" as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const ledger = await createLedger();
      const pile: string[] = [];
      for (const each of steps) {
        if (each === "drop") {
          const found = (await ledger.findDrafts(owner))[0];
          if (found) await ledger.dropDraft(owner, found);
          pile.pop();
        } else {
          const continued = each.isAnother ? undefined : (await ledger.findDrafts(owner))[0];
          await ledger.keepDraft(owner, named(each.name), continued);
          if (!each.isAnother) pile.pop();
          pile.push(each.name);
          pile.splice(0, pile.length - 10);
        }
        const last = pile.at(-1);
        const found = (await ledger.findDrafts(owner))[0];
        expect(found && { draft: found.draft, open: found.open }).toEqual(
          last === undefined ? undefined : named(last),
        );
      }
    }),
    { numRuns: 25 },
  );
});
