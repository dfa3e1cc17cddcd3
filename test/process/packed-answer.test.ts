/** An update removes the program's files while a create waits for its answer, which comes packed. */

import { cp, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import { createProcessHome } from "../support/process.ts";

test.skipIf(process.platform === "win32" || process.env.COURIER_BIN)(
  "a create whose answer cannot be unpacked is in doubt: exit 6",
  async () => {
    let beforeAnswer = async () => {};
    const server = createServer(async (request, response) => {
      const isCreate = request.method === "POST";
      if (isCreate) await beforeAnswer();
      const data = isCreate
        ? { id: 1, order_no: "N1", tracking_number: "T1", status: "pending" }
        : { id: 7, name: "A" };
      const text = JSON.stringify({ success: true, data });
      const head = {
        "content-type": "application/json",
        ...(isCreate ? { "content-encoding": "gzip" } : {}),
      };
      response.writeHead(200, head).end(isCreate ? gzipSync(text) : text);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const home = await createProcessHome({
      COURIER_API_KEY: "test-key-0123456789",
      COURIER_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    await writeFile(path.join(home.directory, "order.json"), JSON.stringify(plainDraft));
    const [node = "", launcher = ""] = home.program;
    const installed = path.join(home.directory, "installed");
    await cp(path.dirname(path.dirname(launcher)), installed, { recursive: true });
    beforeAnswer = () => rename(path.join(installed, "dist"), path.join(installed, "dist.old"));
    const shell = `shift 2; exec "${node}" "${installed}/bin/courier.cjs" "$@"`;
    const { exit, stderr } = await home.start("orders create --file order.json --yes", { shell }).ended;
    expect(exit, stderr).toBe(6);
  },
);
