/** A process of its own that adds accounts to a config, one update each: `store-writer.ts DIRECTORY NAME COUNT`. */

import { saveAccount } from "../../src/config/accounts.ts";
import { openConfigStore } from "../../src/config/store.ts";

const [directory = "", name = "", count = "0"] = process.argv.slice(2);
const store = openConfigStore(directory);
for (let number = 1; number <= Number(count); number++) {
  await saveAccount(store, `${name}-${number}`, { base_url: "https://example.com", key: `key-of-${name}` });
}
