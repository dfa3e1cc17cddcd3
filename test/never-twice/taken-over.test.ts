/** A create that waits after HTTP 429: another process may take its order over meanwhile, and send it. */

import { rmSync } from "node:fs";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, test } from "vitest";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { requestCount } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { plainDraft } from "../support/orders.ts";

const stdin = JSON.stringify(plainDraft);

/** Acts once, in the wait for the second try of a create that the service has limited. */
function whileItWaits(home: ServedHome, act: () => Promise<unknown>): void {
  home.sandbox.faults.add({ kind: "rate_limit", retryAfter: "5", method: "POST", times: 1 });
  const { sleep } = home.clock;
  let isDone = false;
  home.clock.sleep = async (...given) => {
    if (!isDone && requestCount(home, "POST") === 1) {
      isDone = true;
      await act();
    }
    await sleep(...given);
  };
}

const ways: Readonly<Record<string, (stateDirectory: string) => void>> = {
  "its process seems to have ended": (stateDirectory) => {
    const database = new DatabaseSync(ledgerPath(stateDirectory));
    database.exec("UPDATE runs SET pid = 999999");
    database.close();
  },
  "the ledger was removed": (stateDirectory) => rmSync(stateDirectory, { recursive: true }),
};

describe.each(Object.entries(ways))("%s", (_name, lose) => {
  test.each(["orders create --file - --json", "api POST orders --input -"])(
    "%s: one order",
    async (words) => {
      const home = await createServedHome();
      whileItWaits(home, async () => {
        lose(home.stateDir);
        const other = await home.courier("orders create --file - --json --settle 0", { stdin });
        expect(other.exit, other.stderr).toBe(0);
      });
      const { exit, stderr } = await home.courier(words, { stdin });
      expect(exit).toBe(5);
      expect(stderr).toContain(
        "the order was not sent: the ledger did not confirm that only this run sends it",
      );
      const { stdout } = await home.courier("orders list --all --json");
      expect(JSON.parse(stdout)).toHaveLength(1);
    },
  );
});
