/** Another process finds the order of a lost create while this one looks for it: it exists, whatever comes of reading it. */

import { expect, test } from "vitest";
import { createTransport, type Transport } from "../../src/api/transport.ts";
import { plainDraft } from "../support/orders.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";
import type { Ways } from "../support/unfaithful-ways.ts";
import { minuteMs } from "./known-home.ts";

const words = "orders create --file - --json";
const stdin = JSON.stringify(plainDraft);

test.each<[string, Ways]>([
  ["shows it", {}],
  ["fails to show it", { refuseDetail: { status: 503 } }],
  ["refuses to show it", { refuseDetail: { status: 404, code: "NOT_FOUND" } }],
])("a service that %s: it is printed, and not sent again", async (_how, ways) => {
  const home = await createUnfaithfulHome({
    loss: (_request, number) => (number === 1 ? "after" : "answered"),
  });
  const real = await createTransport({}, 30_000);
  let other: Awaited<ReturnType<typeof home.courier>> | undefined;
  const transport: Transport = {
    close: () => real.close(),
    async send(request) {
      if (request.method === "GET" && request.url.pathname.endsWith("/orders") && !other) {
        other = await home.courier(words, { stdin });
        home.service.ways = ways;
      }
      return real.send(request);
    },
  };
  const ran = await home.courier(words, { stdin, transport });
  expect(other?.exit, other?.stderr).toBe(2);
  expect(ran.exit, ran.stderr).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({ id: 1, tracking_number: "UT00000001", status: "pending" });
  home.service.ways = {};
  home.clock.advance(minuteMs);
  expect((await home.courier(words, { stdin })).exit).toBe(2);
  expect(home.service.orders).toHaveLength(1);
});
