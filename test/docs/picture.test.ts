/** The picture in README.md shows what the program prints: `npm run docs` draws it anew. */

import { expect, test } from "vitest";
import { darkPalette, drawSession, lightPalette } from "../../scripts/session-svg.ts";
import { createServedHome, type Home } from "../support/courier.ts";

const columns = 92;

test("the picture of a session is what the program prints today", async () => {
  const session = await recordSession();
  for (const [name, palette] of [
    ["dark", darkPalette],
    ["light", lightPalette],
  ] as const) {
    const picture = await drawSession(session, columns, palette);
    await expect(picture).toMatchFileSnapshot(`../../docs/images/session-${name}.svg`);
  }
});

/** A day at a shop: one order created, the list, one parcel. */
async function recordSession(): Promise<string> {
  const home = await createServedHome();
  const session: string[] = [];
  const sent = [
    ["王五", "茶叶", 20],
    ["Anna", "Bowl", 15],
    ["李四", "书", 9],
  ] as const;
  for (const [name, item, hours] of sent) {
    const words = [
      "orders",
      "create",
      "--file",
      "examples/order.json",
      "--receiver-name",
      name,
      "--item-name",
      item,
    ];
    await home.courier([...words, "--allow-duplicate"]);
    home.clock.advance(hours * 3_600_000);
  }
  await home.courier("orders create --file examples/order.json");
  const { stdout } = await home.courier("orders list --json");
  const parcel = JSON.parse(stdout)[1].tracking_number;
  home.clock.advance(4 * 3_600_000);
  session.push(`$ courier orders list --limit 4\n`, await show(home, "orders list --limit 4"));
  session.push(`\n$ courier track ${parcel}\n`, await show(home, `track ${parcel}`));
  return session.join("");
}

async function show(home: Home, words: string): Promise<string> {
  const { stdout } = await home.courier(words, { terminal: columns });
  return stdout;
}
