/** Whose orders a mirror has, as far as a ledger can say it: another one numbers the same customers in another way. */

import { expect, onTestFinished, test } from "vitest";
import { claimMirror, isMirrorOf } from "../../src/command/mirror-customer.ts";
import type { Mirror } from "../../src/mirror/mirror.ts";
import { createDirectory, createLedger, service } from "../ledger/opened.ts";
import { openMirror } from "../support/mirror.ts";

const owner = { account: "shop", service, key: "" };

async function createMirror(): Promise<Mirror> {
  const mirror = await openMirror(await createDirectory(), owner);
  onTestFinished(() => mirror.close());
  return mirror;
}

async function createNumbered() {
  const ledger = await createLedger();
  const learn = (key: string, profileId?: string) =>
    ledger.learnCustomer({ service, key, profileId, account: "shop" });
  return { ledger, learn };
}

test("without a profile, only the ledger that gave a number says whose it is", async () => {
  const [here, there] = [await createNumbered(), await createNumbered()];
  const mirror = await createMirror();
  const own = await here.learn("own");
  expect(await claimMirror(mirror, own, here.ledger)).toBe(true);
  expect(await isMirrorOf(mirror, own, here.ledger)).toBe(true);
  expect(await isMirrorOf(mirror, await here.learn("other"), here.ledger)).toBe(false);
  for (const key of ["other", "own"])
    expect(await isMirrorOf(mirror, await there.learn(key), there.ledger)).toBeUndefined();
});

test("a profile is the same in all ledgers", async () => {
  const [here, there] = [await createNumbered(), await createNumbered()];
  const mirror = await createMirror();
  expect(await claimMirror(mirror, await here.learn("own"), here.ledger)).toBe(true);
  expect(await claimMirror(mirror, await here.learn("own", "7"), here.ledger)).toBe(true);
  expect(await isMirrorOf(mirror, await there.learn("other", "8"), there.ledger)).toBe(false);
  expect(await isMirrorOf(mirror, await there.learn("own", "7"), there.ledger)).toBe(true);
});

test("a number of an earlier version, which did not keep its ledger, says nothing", async () => {
  const { ledger, learn } = await createNumbered();
  const mirror = await createMirror();
  await mirror.setFact("customer", "2");
  expect(await isMirrorOf(mirror, await learn("own"), ledger)).toBeUndefined();
});
