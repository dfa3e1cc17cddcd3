/** `ledger use` changes the ledger of an account, and nothing that another process has saved of it at a question. */

import { expect, test } from "vitest";
import { identifyProcess } from "../../src/core/process-identity.ts";
import { putConfig, putShop, readConfigText } from "../support/config-file.ts";
import { createServedHome } from "../support/courier.ts";
import { createImportHome, row, sheet } from "../support/imports.ts";
import { withLedger } from "../support/ledger.ts";
import { postgresPrograms, servePostgres } from "../support/postgres.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };

const server = servePostgres();

test.skipIf(!postgresPrograms)(
  "a key that was stored meanwhile stays where ledger use gives up",
  async () => {
    const home = await createImportHome(sheet(row("A-1", "李一")));
    const { baseUrl, apiKey } = home.sandbox;
    await putShop(home, home.sandbox);
    expect((await home.run("", { env })).exit).toBe(0);
    const address = await server.createDatabase();
    let asked = 0;
    const prompts = {
      ...scriptedPrompts({}),
      confirm: async () => {
        asked += 1;
        if (asked > 1) return true;
        const login = await home.courier("login --account shop --no-verify", {
          env,
          stdin: "the-renewed-key-42",
        });
        expect(login.exit, login.stderr).toBe(0);
        await withLedger(home, async (ledger) => {
          const customer = (await ledger.findCustomer(baseUrl, apiKey))?.id ?? 0;
          await ledger.beginRun({
            command: "orders import",
            source: undefined,
            undoes: undefined,
            account: "shop",
            service: baseUrl,
            customer,
            process: identifyProcess({ pid: process.pid }),
            startedAtMs: home.clock.now(),
          });
        });
        return true;
      },
    };
    const ran = await home.courier(["ledger", "use", address, "--new"], { terminal: 100, prompts, env });
    expect(ran.exit).toBe(2); // an import of the account is running
    expect(JSON.parse(await readConfigText(home)).accounts.shop.key).toBe("the-renewed-key-42");
  },
);

test("an account that was removed meanwhile does not come back with its key", async () => {
  const home = await createServedHome();
  const ledger = "postgres://shop@127.0.0.1:1/orders"; // a server that is gone
  const shop = { base_url: home.sandbox.baseUrl, key: home.sandbox.apiKey, ledger };
  await putConfig(home, { current: "shop", accounts: { shop } });
  const prompts = {
    ...scriptedPrompts({}),
    confirm: async () => {
      const removed = await home.courier("accounts remove shop --yes", { env });
      expect(removed.stdout).toBe("The account shop is forgotten\n");
      return true;
    },
  };
  const ran = await home.courier("ledger use local --new --account shop", { terminal: 100, prompts, env });
  expect.soft(ran.exit).not.toBe(0);
  expect(await readConfigText(home)).not.toContain(home.sandbox.apiKey);
});
