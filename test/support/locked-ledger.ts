/** Another program that locks the ledger at the moment in which courier reads the list of orders. */

import { onTestFinished } from "vitest";
import { createTransport, type Transport } from "../../src/api/transport.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import type { Home } from "./courier.ts";

/** A transport for one run; the lock is let go once courier has given up its wait of half a minute. */
export async function lockWhileListing({ stateDir, clock }: Pick<Home, "stateDir" | "clock">) {
  const other = (await loadDriver()).open(ledgerPath(stateDir));
  const network = await createTransport({}, 30_000);
  onTestFinished(async () => {
    other.close();
    await network.close();
  });
  let lockedMs: number | undefined;
  const release = () => {
    if (clock.elapsed() - (lockedMs ?? 0) < 30_000) return setImmediate(release);
    return other.exec("ROLLBACK");
  };
  const transport: Transport = {
    ...network,
    async send(request) {
      if (lockedMs === undefined && request.method === "GET" && request.url.pathname.endsWith("/orders")) {
        other.exec("BEGIN IMMEDIATE");
        lockedMs = clock.elapsed();
        release();
      }
      return network.send(request);
    },
  };
  return { transport, hasLocked: () => lockedMs !== undefined };
}
