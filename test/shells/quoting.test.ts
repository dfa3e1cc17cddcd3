/** Words of hints are copied into a shell: it has to read each as what it was. */

import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { shellQuote } from "../../src/core/shell-quote.ts";
import { shellQuoteFile } from "../../src/core/shell-quote-path.ts";
import { effort } from "../support/effort.ts";
import { lacks } from "../support/tools.ts";

const piece = fc.oneof(
  fc.constantFrom(..."=~!#$%^&*()[]{}|\\;:'\"`<>?,./- \n\t@+_", "ls", "书", "a", "1", "\u200b", "\u0007"),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 }),
);
const word = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(""));
const ofPath = ["=ls", "~", "~root", "a=~", "=ls.csv", "--file==ls", "a==ls"];

const shells = [
  { shell: "bash", flags: ["--norc", "-c"] },
  { shell: "zsh", flags: ["-f", "-c"] },
];

for (const { shell, flags } of shells)
  test.skipIf(lacks(shell))(`${shell} reads a quoted word as it was`, () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), (random) => {
        const words = [...ofPath, ...random.map((text) => text.replaceAll("\0", ""))];
        const line = `printf '%s\\0' ${words.map(shellQuote).join(" ")}`;
        const ran = spawnSync(shell, [...flags, line], { env: { ...process.env, LC_ALL: "C.UTF-8" } });
        expect(ran.stdout.toString().split("\0").slice(0, -1)).toEqual(words);
      }),
      { numRuns: effort(25, 1_000) },
    );
  });

test("a file is no flag, whatever its name", () => {
  expect(["-x.csv", "-o", "=-x.csv", "a-x.csv"].map(shellQuoteFile)).toEqual([
    "./-x.csv",
    "./-o",
    '"=-x.csv"',
    "a-x.csv",
  ]);
});
