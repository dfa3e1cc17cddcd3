/** A watch for days, of which one parcel is named by a ref, whose shared ledger is away for a moment. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { putConfig } from "../support/config-file.ts";
import { createHome } from "../support/courier.ts";
import { postgresPrograms, servePostgres } from "../support/postgres.ts";

const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };

describe.skipIf(postgresPrograms === undefined)(
  "a watch while the shared ledger restarts (needs PostgreSQL)",
  () => {
    const server = servePostgres();

    async function watch(names: string) {
      const ledger = await server.createDatabase();
      let polls = 0;
      const service = createServer(async (request, response) => {
        const path = request.url ?? "";
        if (path.includes("/tracking/")) polls += 1;
        if (polls === 3) await server.stop("immediate");
        if (polls === 9) await server.start();
        const send = (status: number, body: object) => {
          response.writeHead(status, { "Content-Type": "application/json", Date: new Date().toUTCString() });
          response.end(JSON.stringify(body));
        };
        if (path.endsWith("/tracking/CR1"))
          return send(200, {
            success: true,
            data: { tracking_number: "CR1", status: polls > 12 ? "delivered" : "in_transit", records: [] },
          });
        if (path.endsWith("/profile"))
          return send(200, { success: true, data: { id: 1, api_calls_remaining: 9999 } });
        if (path.includes("/orders?"))
          return send(200, {
            success: true,
            data: [],
            pagination: { current_page: 1, total_pages: 1, total_items: 0, per_page: 100 },
          });
        send(404, { success: false, error: { code: "NOT_FOUND", message: "no such thing" } });
      });
      await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void service.close());
      const home = await createHome();
      const base_url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
      await putConfig(home, {
        current: "shop",
        accounts: { shop: { base_url, key: "test-key-0123456789", ledger, allow_http: true } },
      });
      return home.courier(`track ${names} --watch --interval 1m --for 2h --ndjson`, { env });
    }

    test.each(["CR1", "CR1 ref:B-1"])("%s: it goes on, and sees the delivery", async (names) => {
      const { exit, stdout, stderr } = await watch(names);
      expect(stdout, stderr).toContain('"current":"delivered"');
      expect([0, 7]).toContain(exit);
    });
  },
  120_000,
);
