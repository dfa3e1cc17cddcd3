/** What another terminal saves while a question is open: a yes to the older one neither removes nor replaces it. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { putConfig, readConfigText } from "../support/config-file.ts";
import { createHome, createServedHome, type Home } from "../support/courier.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

const order = (name: string) => ({ sender: { name: "张三" }, receiver: { name }, item: { name: "书" } });

const config = async (home: Home) => JSON.parse(await readConfigText(home));

async function homeWithSaved() {
  const home = await createHome({ COURIER_API_KEY: "", COURIER_BASE_URL: "", NO_COLOR: "1" });
  await putConfig(home, {
    current: "shop",
    accounts: { shop: { base_url: "https://api.example.com", key: "the-old-key-0123" } },
    addresses: { li: { name: "李四" }, shop: { name: "张三" } },
    default_sender: "shop",
    templates: { weekly: order("李四") },
    maps: { weekly: { Old: "receiver.name" } },
  });
  for (const [name, text] of [
    ["order.json", JSON.stringify(order("王五"))],
    ["own.csv", "Who,Goods\n李四,书\n"],
    ["others.csv", "Empf,Ware\n李四,书\n"],
  ] as const)
    await writeFile(path.join(home.directory, name), text);
  return home;
}

const importing = (file: string, who: string, what: string) =>
  `orders import DIR/${file} --map ${who}=receiver.name --map ${what}=item.name --save-map weekly --check`;
const replaceMap = `${importing("others.csv", "Empf", "Ware")} --replace`;

test.each([
  ["addresses remove li", "addresses add li --name 李雷 --replace", "@li"],
  [
    "templates remove weekly",
    "orders create --file DIR/order.json --save-template weekly --replace --account sandbox --yes",
    "the template “weekly”",
  ],
  ["maps remove weekly", replaceMap, "the column map “weekly”"],
  [importing("own.csv", "Who", "Goods"), replaceMap, "the column map “weekly”"],
  ["accounts remove shop", "login --account shop --no-verify", "the account shop"],
])("%s, and meanwhile %s", async (line, others, what) => {
  const home = await homeWithSaved();
  const run = (words: string, more: object) => home.courier(words.replace("DIR", home.directory), more);
  const prompts = scriptedPrompts({ confirms: [true] });
  let saved: unknown;
  const { exit, stdout, stderr } = await run(line, {
    terminal: 200,
    prompts: {
      ...prompts,
      async confirm(question: string) {
        const ran = await run(others, { stdin: "the-new-key-0123" });
        expect(ran.exit, ran.stderr).toBe(0);
        saved = await config(home);
        return prompts.confirm(question);
      },
    },
  });
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
  expect(stderr).toContain(
    `error: another courier process has saved ${what} meanwhile\nhint: run the same command again\n`,
  );
  expect(prompts.asked).toHaveLength(1);
  expect(await config(home)).toEqual(saved);
});

test("accounts remove leaves a key that another terminal has put into the key ring meanwhile", async () => {
  const home = await createServedHome();
  const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };
  const login = async (key: string) => {
    const words = `login --account shop --base-url ${home.sandbox.baseUrl} --no-verify --key-store keychain`;
    const ran = await home.courier(words, { env, stdin: key });
    expect(ran.exit, ran.stderr).toBe(0);
  };
  await login("the-old-key-0123");
  const confirm = async () => {
    await login(home.sandbox.apiKey);
    return true;
  };
  const prompts = { ...scriptedPrompts({}), confirm };
  const ran = await home.courier("accounts remove shop", { terminal: 200, prompts, env });
  expect([ran.exit, ran.stderr]).toEqual([
    2,
    expect.stringContaining("has saved the account shop meanwhile"),
  ]);
  expect((await home.courier("profile --account shop", { env })).exit).toBe(0);
});

test("a map that is gone meanwhile is saved", async () => {
  const home = await homeWithSaved();
  const prompts = scriptedPrompts({ confirms: [true] });
  const line = importing("own.csv", "Who", "Goods").replace("DIR", home.directory);
  const ran = await home.courier(line, {
    terminal: 200,
    prompts: {
      ...prompts,
      async confirm(question) {
        expect((await home.courier("maps remove weekly --yes")).exit).toBe(0);
        return prompts.confirm(question);
      },
    },
  });
  expect(ran.exit, ran.stderr).toBe(0);
  expect((await config(home)).maps.weekly).toEqual({ Who: "receiver.name", Goods: "item.name" });
});
