/** What a person sees at three widths, in files that one can read: test/pty/screens. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createTerminalHome, keys, type Terminal } from "../support/terminal.ts";
import { fillForm, fillItem, fillParty, instead, li, phone, zhang } from "./person.ts";

/** The transcript so far, with the hour, the only thing that differs from run to run, taken out. */
async function expectScreen(terminal: Terminal, name: string, columns: number): Promise<void> {
  const file = `screens/${name}-${columns}.txt`;
  const shown = () =>
    `${terminal.transcript().replace(/\d{4}-\d\d-\d\d \d\d:\d\d \+00:00/, "2026-03-01 08:00 +00:00")}\n`;
  const golden = await readFile(path.join(import.meta.dirname, file), "utf8").catch(() => undefined);
  // A list is drawn in several goes.
  if (golden !== undefined) await terminal.until(() => shown() === golden).catch(() => {});
  await expect(shown()).toMatchFileSnapshot(file);
}

test.each([40, 80, 140])("the form, a refusal, the order (%s columns)", async (columns) => {
  const home = await createTerminalHome();
  const terminal = home.open("orders create", { columns, env: { NO_COLOR: "1" } });
  await terminal.until(/❯ new address[\s\S]*select/);
  await expectScreen(terminal, "first-question", columns);
  await fillForm(terminal, zhang, ["李四", "12", ...li.slice(2)]);
  await terminal.until(/❯ Send[\s\S]*select/);
  await expectScreen(terminal, "review", columns);
  await terminal.choose("What now?", "Send this order");
  await terminal.until("? Receiver phone 12");
  await expectScreen(terminal, "refused", columns);
  await terminal.answer("Receiver phone", `${keys.clear}13900139000`);
  await terminal.choose("What now?", "Send this order");
  await terminal.answer("Save 张三", "y");
  await terminal.answer("Short name for it", "shop");
  await terminal.answer("Use it as the usual sender?");
  await terminal.answer("Save 李四");
  expect((await terminal.ended).exit).toBe(0);
  await expectScreen(terminal, "created", columns);
});

test.each([40, 80, 140])(
  "a known address, a pasted one, a wrong number, Ctrl-C, and on (%s columns)",
  async (columns) => {
    const home = await createTerminalHome();
    const options = { columns, env: { NO_COLOR: "1" } };
    const long = { name: "内蒙古自治区呼和浩特市第三仓库管理处", phone: "0471-1234567", city: "呼和浩特市" };
    const flags = Object.entries(long).flatMap(([name, value]) => [`--${name}`, value]);
    await home.open(["addresses", "add", "warehouse", ...flags]).ended;
    const terminal = home.open("orders create", options);
    await terminal.until("@warehouse");
    terminal.type("仓库");
    await terminal.until(/\? Sender 仓库\n❯ @warehouse[\s\S]*new address for “仓库”[\s\S]*select/);
    await expectScreen(terminal, "search", columns);
    terminal.type(keys.enter);
    await terminal.choose("Receiver", "paste an address as text");
    await terminal.until(/ty line\n>/);
    terminal.type(`${li[0]}\r${li[1]}\r北京市朝阳区建国路88号\r\r`);
    await terminal.until(/❯ right[\s\S]*select/);
    await expectScreen(terminal, "pasted", columns);
    await terminal.choose("Is this receiver right?", "edit its fields");
    await fillParty(
      terminal,
      "Receiver",
      li.map((text) => keys.clear + text),
    );
    await terminal.answer("Item name", phone[0]);
    await terminal.answer("Item description");
    await terminal.until("? Item weight");
    terminal.type(`2,5${keys.enter}`);
    await terminal.until(/2,5\n> a number/);
    await expectScreen(terminal, "wrong-number", columns);
    terminal.type(keys.ctrlC);
    await terminal.ended;
    await expectScreen(terminal, "interrupted", columns);

    const again = home.open("orders create", options);
    await again.until("? Continue with it?");
    await expectScreen(again, "go-on", columns);
    await again.answer("Continue with it?");
    await fillItem(again, ["", "", instead("2.5")]);
    await again.choose("Service level", "let the service choose");
    await again.choose("What now?", "Keep as a draft and quit");
    await again.ended;
    await expectScreen(again, "kept", columns);
  },
);
