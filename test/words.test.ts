/** The words of the project: no private ones where the field has a term. Each has what to write in its place. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "..");
const places = [
  "src",
  "docs",
  "scripts",
  ".ci",
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
];

/** Words in texts and parts of names: `mend` is found in `mendModes` too. */
const banned: Readonly<Record<string, string>> = {
  "nobody|somebody": "no one, someone, or who it is",
  "mend|mends|mended|mending": "fix",
  "verdict|verdicts": "result, decision",
  "all the same": "anyway",
  "as it stands": "unchanged",
  parted: "separated",
  "(?:a|each|every|one|next|last|first|this|that|of|such|no|further|more) looks?(?! like)":
    "lookup, poll, check",
  "told of|(?:is|are|was|were|be|been) told": "is reported, is shown, learns",
  "that which": "what",
  "grievance|grievances": "failure note",
  "glance|glances": "read without checks",
  "sighting|sightings": "cached order",
  misfortune: "fault",
  "patience|patiently": "time limit, backoff",
  "twin|twins": "duplicate",
  Owns: "what the file is, in one line",
  machinery: "runtime information",
  "under way": "in progress",
  "whose it is": "which one it belongs to",
  "bear with|bears with": "retry",
  "no verdict": "not final",
  "by then": "until that time",
  "asked again": "retried, sent again, prompted again",
};

const texts = places.flatMap(filesIn).map((file) => ({
  file,
  lines: readFileSync(path.join(root, file), "utf8").split("\n"),
}));

function filesIn(place: string): string[] {
  if (statSync(path.join(root, place)).isFile()) return [place];
  return readdirSync(path.join(root, place), { recursive: true, encoding: "utf8" })
    .map((name) => `${place}/${name.replaceAll(path.sep, "/")}`)
    .filter((name) => /\.(?:ts|mjs|md|json)$|\/run$/.test(name));
}

test.each(Object.entries(banned))("“%s” is written as: %s", (words) => {
  const pattern = new RegExp(`\\b(?:${words})\\b`, words === "Owns" ? "" : "i");
  const found = texts.flatMap(({ file, lines }) =>
    lines.flatMap((line, index) =>
      pattern.test(splitNames(line)) && !isOldTable.test(line)
        ? [`${file}:${index + 1}: ${line.trim()}`]
        : [],
    ),
  );
  expect(found).toEqual([]);
});

/** A migration is never edited: the names in it are those of its time. */
const isOldTable = /^(?:CREATE TABLE|const second = "ALTER TABLE) /;

function splitNames(line: string): string {
  return line.replace(/([a-z0-9])([A-Z])/g, "$1 $2");
}
