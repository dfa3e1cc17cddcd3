/** The log of a ledger that machines share, which may not call the account by one name. */

import { describe, expect, test } from "vitest";
import { putConfig } from "../support/config-file.ts";
import { createHome, createServedHome, type Home } from "../support/courier.ts";
import { plainDraft } from "../support/orders.ts";
import { postgresPrograms, servePostgres } from "../support/postgres.ts";

const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };

describe.skipIf(postgresPrograms === undefined)("with a shared ledger (needs PostgreSQL)", () => {
  const server = servePostgres();

  /** A machine on which the account shop has the ledger, and the current one does not. */
  async function createShop() {
    const ledger = await server.createDatabase();
    const home = await createServedHome();
    const { baseUrl, apiKey } = home.sandbox;
    const account = { base_url: baseUrl, key: apiKey, ledger };
    await putConfig(home, { current: "sandbox", accounts: { shop: account } });
    const send = (machine: Pick<Home, "courier">, words: string, draft: object = plainDraft) =>
      machine.courier(`orders create --file - --yes ${words}`, { env, stdin: JSON.stringify(draft) });
    return { home, account, send };
  }

  test("a hint names the account whose ledger has the run", async () => {
    const { home, send } = await createShop();
    const refused = await send(home, "--account shop", {
      ...plainDraft,
      sender: { name: "店", phone: "12" },
    });
    expect(refused.exit, refused.stderr).toBe(1);
    for (const words of ["undo 1 --yes", "orders slips --run 1"]) {
      const { exit, stderr } = await home.courier(`${words} --account shop`, { env });
      expect(exit, stderr).toBe(2);
      expect(stderr).toContain("hint: courier log show 1 --account shop shows what it did\n");
    }
    expect((await home.courier("log show 1 --account shop", { env })).exit).toBe(0);
    const unknown = await home.courier("undo 9 --yes --account shop", { env });
    expect(unknown.stderr).toContain("hint: courier log --account shop shows the runs and their numbers\n");
  });

  test("log --account has the customer's runs, however another machine calls the account", async () => {
    const { home, account, send } = await createShop();
    const station = await createHome();
    await putConfig(station, { current: "default", accounts: { default: account } });
    expect((await send(station, "")).exit).toBe(0);
    const log = await home.courier("log --account shop --json", { env });
    expect(JSON.parse(log.stdout)).toEqual([expect.objectContaining({ run: 1, account: "default" })]);
    const shown = await home.courier("log show 1 --account shop", { env });
    expect(shown.exit, shown.stderr).toBe(0);
  });
});
