/** The recipes of the documents do in a real shell, with a real jq, what they say. */

import { readFileSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { placeInputs } from "../support/examples.ts";
import { createProcessHome } from "../support/process.ts";
import { lacks } from "../support/tools.ts";

/** A screen shows stderr, too. */
const recipe = /<!-- (recipe|screen) -->\n\n```sh\n(.*?)```\n(?:\n```text\n(.*?)```\n)?/gs;

test.skipIf(lacks("sh", "jq", "xargs", "cat")).each([
  ["docs/scripting.md", 8],
  ["docs/cron.md", 2],
  ["docs/shop-day.md", 8],
  ["README.md", 3],
])(
  "%s (needs sh, jq, xargs)",
  async (file, count) => {
    const page = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    const recipes = [...page.matchAll(recipe)].map(([, kind, script = "", output]) => ({
      kind,
      script,
      output,
    }));
    expect(recipes).toHaveLength(count);
    const home = await createProcessHome({ COURIER_ACCOUNT: "sandbox" });
    await placeInputs(home.directory);
    const command = path.join(home.directory, "courier");
    await writeFile(command, `#!/bin/sh\nexec ${home.program.map((word) => `'${word}'`).join(" ")} "$@"\n`);
    await chmod(command, 0o755);
    const env = { PATH: `${home.directory}:${process.env.PATH}`, TZ: "UTC" };
    for (const { kind, script, output } of recipes) {
      const line = kind === "screen" ? `exec 2>&1\n${script}` : script;
      const ran = await home.run(["/bin/sh", "-c", line], { env, limitMs: 60_000 });
      expect(ran.exit, `${script}${ran.stderr}`).toBe(0);
      expect(ran.stderr).not.toMatch(/error|warning/i);
      if (output !== undefined) expect(withoutTimes(ran.stdout), script).toBe(output);
    }
  },
  120_000,
);

/** Without what differs from day to day. */
function withoutTimes(text: string): string {
  const today = new Date().toISOString().slice(0, 10);
  return text.replaceAll(today, "2026-03-02").replace(/synced .*/, "synced just now");
}
