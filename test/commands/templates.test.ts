/** `courier templates`: list, show and remove, in every form. */

import { expect, test } from "vitest";
import { createHome, createServedHome } from "../support/courier.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

async function homeWithTemplate() {
  const home = await createServedHome();
  const words = "orders create --sender-name 张三 --receiver-name 李四 --item-name 书 --item-weight 2.50";
  expect((await home.courier(`${words} --save-template weekly`)).exit).toBe(0);
  return home;
}

test("list: a row for each, empty with a word about how to make one", async () => {
  const { courier } = await homeWithTemplate();
  expect((await courier("templates list")).stdout).toMatch(
    /^TEMPLATE +FROM +TO +TO CITY.*\nweekly +张三 +李四/,
  );
  expect(JSON.parse((await courier("templates list --json")).stdout)).toEqual([
    expect.objectContaining({ template: "weekly", item: { name: "书", weight: 2.5 } }),
  ]);
  expect((await courier("templates list --csv")).stdout).toMatch(/^template,sender.name,/);
  const empty = await (await createHome()).courier("templates list");
  expect(empty).toMatchObject({ exit: 0, stdout: "" });
  expect(empty.stderr).toContain("--save-template NAME");
});

test("show: its fields; as JSON an order file that can be sent", async () => {
  const { courier } = await homeWithTemplate();
  expect((await courier("templates show weekly")).stdout).toMatch(/^weekly\nSender +张三\n/);
  const file = (await courier("templates show weekly --json")).stdout;
  expect(file).toContain('"weight":2.50');
  const sent = await courier("orders create --file - --dry-run --json", { stdin: file });
  expect(sent.stdout).toBe(file);
  const { exit, stderr } = await courier("templates show weekyl");
  expect(exit).toBe(2);
  expect(stderr).toContain("did you mean weekly?");
});

test("remove: asks, and needs --yes where nobody can be asked", async () => {
  const { courier } = await homeWithTemplate();
  const refused = await courier("templates remove weekly");
  expect(refused.exit).toBe(2);
  expect(refused.stderr).toContain("“Forget the template weekly?” needs a confirmation");
  const prompts = scriptedPrompts({ confirms: [false] });
  expect((await courier("templates remove weekly", { terminal: 80, prompts })).exit).toBe(130);
  expect((await courier("templates remove weekly --yes")).exit).toBe(0);
  expect((await courier("templates list --json")).stdout).toBe("[]\n");
  expect((await courier("templates remove weekly --yes")).exit).toBe(2);
});
