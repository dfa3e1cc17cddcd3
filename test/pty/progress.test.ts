/** The line at a terminal that says what courier waits for. */

import { expect, test } from "vitest";
import { createServedTerminalHome } from "../support/terminal.ts";

test("a failing gateway that repeats the key in a header does not show it while the next try is waited for", async () => {
  const home = await createServedTerminalHome();
  const { apiKey, faults } = home.sandbox;
  const head = `HTTP/1.1 503 No\r\nretry-after: 2\r\ncontent-type: x/y; k=${apiKey}\r\ncontent-length: 0\r\n\r\n`;
  faults.set([{ kind: "raw", bytes: head }]);
  const terminal = home.open("profile", { columns: 160 });
  await terminal.until("k=[redacted], empty body; next try in 2 s…");
  faults.set([]);
  expect((await terminal.ended).exit).toBe(0);
  expect(terminal.output).not.toContain(apiKey);
});
