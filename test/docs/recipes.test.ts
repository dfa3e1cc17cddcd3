/** The recipes of docs/scripting.md and README.md do in a real shell, with a real jq, what they say. */

import { readFileSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { placeInputs } from "../support/examples.ts";
import { createProcessHome } from "../support/process.ts";
import { lacks } from "../support/tools.ts";

const recipe = /<!-- recipe -->\n\n```sh\n(.*?)```\n(?:\n```text\n(.*?)```\n)?/gs;

test.skipIf(lacks("sh", "jq", "xargs", "cat")).each([
  ["docs/scripting.md", 8],
  ["README.md", 3],
])(
  "%s (needs sh, jq, xargs)",
  async (file, count) => {
    const page = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    const recipes = [...page.matchAll(recipe)].map(([, script = "", output]) => ({ script, output }));
    expect(recipes).toHaveLength(count);
    const home = await createProcessHome({ COURIER_ACCOUNT: "sandbox" });
    await placeInputs(home.directory);
    const command = path.join(home.directory, "courier");
    await writeFile(command, `#!/bin/sh\nexec ${home.program.map((word) => `'${word}'`).join(" ")} "$@"\n`);
    await chmod(command, 0o755);
    const env = { PATH: `${home.directory}:${process.env.PATH}` };
    for (const { script, output } of recipes) {
      const ran = await home.run(["/bin/sh", "-c", script], { env, limitMs: 60_000 });
      expect(ran.exit, `${script}${ran.stderr}`).toBe(0);
      expect(ran.stderr).not.toMatch(/error|warning/i);
      if (output !== undefined) expect(ran.stdout, script).toBe(output);
    }
  },
  120_000,
);
