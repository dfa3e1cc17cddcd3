/** A process of its own that adds accounts to a config, one update each: `store-writer.ts DIRECTORY NAME COUNT`. */

import { openConfigStore } from "../../src/config/store.ts";
import { keysOn } from "../support/keys.ts";

const [directory = "", name = "", count = "0"] = process.argv.slice(2);
const store = openConfigStore(directory);
for (let number = 1; number <= Number(count); number++) {
  const keeping = { place: "file", apiKey: `key-of-${name}` } as const;
  await (await keysOn(store).stored()).save(
    `${name}-${number}`,
    { base_url: "https://example.com" },
    keeping,
  );
}
