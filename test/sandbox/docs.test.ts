/** The proof that docs/sandbox.md says what the sandbox does. */

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import {
  account,
  failures,
  fees,
  numberLimits,
  pacePercent,
  phone,
  stageMs,
} from "../../src/sandbox/defaults.ts";
import { faultKinds } from "../../src/sandbox/fault-rules.ts";
import { money } from "../../src/sandbox/views.ts";

const page = (await readFile(new URL("../../docs/sandbox.md", import.meta.url), "utf8")).replace(/\s+/g, " ");

test("docs/sandbox.md lists every failure, fee, duration and kind of fault as it is", () => {
  for (const { status, code } of Object.values(failures))
    expect(page).toContain(`| ${status} | \`${code}\` |`);
  for (const [name, { first, further }] of Object.entries(fees)) {
    expect(page).toContain(`| \`${name}\` | ${money(first)} | ${money(further)} |`);
  }
  for (const [state, durationMs] of Object.entries(stageMs)) {
    const minutes = durationMs / 60_000;
    expect(page).toContain(`| \`${state}\` | ${minutes < 60 ? `${minutes} min` : `${minutes / 60} h`} |`);
  }
  for (const kind of faultKinds) expect(page).toContain(`| \`${kind}\` `);
});

test("docs/sandbox.md has the numbers of the other choices", () => {
  expect(page).toContain(
    `\`express\` takes ${pacePercent.express} % of these times, \`same_day\` ${pacePercent.same_day} %`,
  );
  expect(page).toContain(`${phone.fewestDigits} to ${phone.mostDigits} digits`);
  expect(page).toContain(
    `at most ${numberLimits.characters} characters and an exponent of at most ${numberLimits.exponentDigits} digits`,
  );
  expect(page).toContain(`balance ${account.balance}`);
  expect(page).toContain(`begins at ${account.apiCalls} with each start`);
});
