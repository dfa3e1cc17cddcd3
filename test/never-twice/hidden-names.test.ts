/** An answer named an order of the courier's website, and the service hides names: phone and address tell it apart. */

import { expect, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import type { Rewriting } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const draft = (name: string, phone: string, detail: string) => ({
  ...plainDraft,
  receiver: { ...plainDraft.receiver, name, phone, detail },
});
const hideNames =
  (hide: (name: string) => string): Rewriting =>
  (shown) => ({ ...shown, receiver: { ...shown.receiver, name: hide(String(shown.receiver?.name)) } });
const hidden = (shown: string | undefined) => shown?.replace(/(?<=^.{3})..../, "****");

test.each<[string, Rewriting]>([
  ["all of a name", hideNames(() => "***")],
  ["nothing", (shown) => shown],
  ["given names", hideNames((name) => `${name.charAt(0)}*`)],
  [
    "names, and digits of phones",
    (shown, view) => {
      const { receiver } = shown;
      return {
        ...hideNames(() => "*")(shown, view),
        receiver: { ...receiver, name: "*", phone: hidden(String(receiver?.phone)) },
      };
    },
  ],
])("hidden: %s", async (_what, rewrite) => {
  const home = await createUnfaithfulHome({ rewrite });
  const stdin = JSON.stringify(draft("李大力", "13722223333", "人民南路12号"));
  let id = 0;
  home.service.ways = {
    rewrite,
    answerWith: () => {
      id = home.service.foreign(draft("李明", "13600136000", "中山路1号")).id;
      return id;
    },
  };
  await home.courier("orders create --file - --ref A --yes --json", { stdin });
  home.service.ways = { rewrite };
  home.clock.advance(60_000);
  const cancelled = await home.courier("orders cancel ref:A --yes --json");
  expect(
    home.service.orders.map(({ status }) => status),
    cancelled.stderr,
  ).not.toContain("cancelled");
  expect(cancelled.exit).not.toBe(0);
  const slips = await home.courier("orders slips ref:A --json");
  expect(JSON.parse(slips.stdout)[0].ref).toBeNull();
  expect(slips.stderr).toContain("the service shows another receiver than was sent");
});
