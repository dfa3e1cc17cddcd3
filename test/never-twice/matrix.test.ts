/**
 * Never twice, over the wire (docs/never-twice.md). `npm test` plays each manner once, two at a time, with every way in
 * and loss among them; the long run plays each alone, and a share of all cases, another one with each seed.
 * NEVER_TWICE_SHARE=1 plays all of them.
 */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { effort, seed, share } from "../support/effort.ts";
import { draftFor } from "../support/rewritings.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";
import {
  type Case,
  casesOf,
  hardCases,
  inPairs,
  knowledge,
  losses,
  manners,
  nameOf,
  pairs,
  sampleOf,
  waysIn,
} from "./cases.ts";
import { describeBreach, play, setStage } from "./play.ts";

const sample = sampleOf(
  effort(
    inPairs(),
    manners.map((manner) => [manner]),
  ),
);
const all = [
  ...manners.flatMap((manner) => knowledge.flatMap((knows) => casesOf([manner], knows))),
  ...sampleOf(pairs()),
];
const of = Number(process.env.NEVER_TWICE_SHARE || effort("0", "600"));
const chosen = of > 0 ? share(all, of, seed % of) : [];

test("every manner, way in and loss occurs", () => {
  const played = [...hardCases(), ...sample];
  const names = (list: readonly { readonly name: string }[]) => new Set(list.map(({ name }) => name));
  expect(names(played.flatMap((each) => each.manners))).toEqual(names(manners));
  expect(new Set(played.map(({ way }) => way))).toEqual(new Set(waysIn));
  expect(names(played.map(({ loss }) => loss))).toEqual(names(losses));
  expect(new Set(played.map(({ knows }) => knows))).toEqual(new Set(["fresh", "telling", "plain"]));
});

describe("no order is made twice, every report is true, and it ends", () => {
  const named = [...hardCases(), ...sample, ...chosen].map((each): [string, Case] => [nameOf(each), each]);
  test.each(named)("%s", async (_name, each) => {
    const breaches = await play(await setStage(each.manners, each.knows), each);
    const [first] = breaches;
    expect(breaches.map(describeBreach), first?.transcript).toEqual([]);
  });
});

test("the order of one of two equal rows says nothing of the other, whose request left eight minutes later", async () => {
  const home = await createUnfaithfulHome({
    listLagMs: 9 * 60_000,
    loss: (_request, n) => (n <= 2 ? "after" : "answered"),
  });
  const file = path.join(home.directory, "orders.json");
  const startMs = home.clock.now();
  for (const [minutes, rows] of [
    [0, 1],
    [8, 2],
    [15.2, 2],
    [40, 2],
  ] as const) {
    home.clock.advance(startMs + minutes * 60_000 - home.clock.now());
    await writeFile(file, JSON.stringify(Array.from({ length: rows }, () => draftFor(""))));
    await home.courier(["orders", "import", file, "--yes", "--ndjson"]);
  }
  expect(home.service.orders).toHaveLength(2);
});
