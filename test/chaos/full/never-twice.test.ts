/**
 * Never twice at full size; `npm run chaos`. NEVER_TWICE_SHARE=1 plays every case of the matrix, 6 (the default) every
 * sixth: each manner then still meets each loss, by another way in and with another ledger.
 */

import { afterAll, expect, test } from "vitest";
import { type Case, casesOf, knowledge, manners, pairs, sampleOf, share } from "../../never-twice/cases.ts";
import { describeBreach, play, setStage } from "../../never-twice/play.ts";

const of = Number(process.env.NEVER_TWICE_SHARE ?? 6);
let played = 0;

async function playAll(cases: readonly Case[]): Promise<void> {
  const [first] = cases;
  if (!first) return;
  const stage = await setStage(first.manners, first.knows);
  const breaches: string[] = [];
  for (const each of cases) breaches.push(...(await play(stage, each)).map(describeBreach));
  played += cases.length;
  expect(breaches).toEqual([]);
}

const services = manners.flatMap((manner, index) =>
  knowledge.map((knows, place) => ({
    name: manner.name,
    knows,
    cases: share(casesOf([manner], knows), of, (index + 2 * place) % of),
  })),
);

test.each(services)("$name, $knows", async ({ cases }) => playAll(cases), 3_600_000);

test.each(
  share(sampleOf(pairs()), of).map((each) => ({
    name: each.manners.map(({ name }) => name).join(" + "),
    each,
  })),
)("$name", async ({ each }) => playAll([each]), 600_000);

afterAll(() => {
  process.stdout.write(`never twice: ${played} cases\n`);
});
