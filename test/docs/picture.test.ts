/** The pictures in README.md show what the program prints: `npm run docs` draws them anew. */

import { expect, test } from "vitest";
import { darkPalette, drawSession, lightPalette } from "../../scripts/session-svg.ts";
import { fillForm } from "../pty/person.ts";
import { createServedHome, type Home } from "../support/courier.ts";
import { createOrder } from "../support/orders.ts";
import { createTerminalHome } from "../support/terminal.ts";

const columns = 92;

test.each([
  ["session", recordSession],
  ["form", recordForm],
  ["board", recordBoard],
] as const)("the picture of the %s is what the program prints today", async (name, record) => {
  const session = await record();
  for (const [mode, palette] of [
    ["dark", darkPalette],
    ["light", lightPalette],
  ] as const) {
    const picture = await drawSession(session, columns, palette);
    await expect(picture).toMatchFileSnapshot(`../../docs/images/${name}-${mode}.svg`);
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

/** The form of an order in a terminal of its own, up to the review. */
async function recordForm(): Promise<string> {
  const home = await createTerminalHome();
  const terminal = home.open("orders create", { columns, rows: 60 });
  await fillForm(terminal);
  await terminal.until(/❯ Send[\s\S]*select/);
  return `$ courier orders create\n${terminal.output}`;
}

/** Four parcels that were sent at different hours, watched for five hours. */
async function recordBoard(): Promise<string> {
  const home = await createServedHome();
  const numbers: string[] = [];
  for (const hours of [30, 20, 3, 1]) {
    numbers.push((await createOrder(home)).tracking_number);
    home.clock.advance(hours * 3_600_000);
  }
  const words = `track ${numbers.join(" ")} --watch`;
  const shown = await show(home, `${words} --for 5h`);
  // What the end of the watch leaves is drawn over the board.
  const end = shown.lastIndexOf("\r", shown.lastIndexOf("\u001b[J"));
  return `$ courier ${words}\n${shown.slice(0, end)}`;
}
