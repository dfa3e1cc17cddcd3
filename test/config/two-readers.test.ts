/** courier's own reader and conf, which writes, agree on the files of ours. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import Conf from "conf";
import { expect, onTestFinished, test } from "vitest";
import { openConfigStore } from "../../src/config/store.ts";
import { fc } from "../support/effort.ts";

test("what one writes the other reads: keys with dots, any text, numbers", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-readers-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const store = openConfigStore(directory);
  const settings = { projectName: "courier", cwd: directory, configName: "config" };
  const conf = () => new Conf<Record<string, unknown>>({ ...settings, accessPropertiesByDotNotation: false });
  const name = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => text !== "__proto__");
  const accounts = fc.dictionary(
    name,
    fc.record({ base_url: fc.string({ unit: "grapheme" }), key: fc.string() }),
  );

  await fc.assert(
    fc.asyncProperty(accounts, async (written) => {
      const wanted = JSON.parse(JSON.stringify(written));
      await store.update((config) => ({ ...config, accounts: written }));
      expect(conf().get("accounts")).toEqual(wanted);

      conf().set("current", "shop");
      expect(await store.read()).toMatchObject({ current: "shop", accounts: wanted });
    }),
    { numRuns: 20 },
  );
});
