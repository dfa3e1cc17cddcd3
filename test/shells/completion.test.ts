/**
 * What the Tab key does in real shells: each line is typed at a terminal, Tab included, and sent off. `npm test` types
 * each line in one of the shells, the long run in all.
 */

import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { someOf } from "../support/effort.ts";
import { createShellHome, type Knowledge, know, shellNames } from "../support/shells.ts";
import { keys } from "../support/terminal.ts";
import { lacks } from "../support/tools.ts";

const left = (times: number) => keys.left.repeat(times);
const awkward = 'O\'Neil "Jim" & co; $HOME `x` \\ !';

const knowledge: Knowledge = {
  config: {
    current: "main",
    accounts: { main: { base_url: "https://api.example.com", key: "k" } },
    addresses: {
      shop: { name: "张三", province: "广东省", city: "new york" },
      li: { name: awkward, province: "hebei", city: "quote'd" },
    },
    templates: { book: { item: { name: "书" } } },
  },
  orders: [
    { id: "2000001", trackingNumber: "CR2", status: "delivered", receiver: "李四", item: "书" },
    { id: "1000001", trackingNumber: "XY1", status: "pending", receiver: "王五", item: "手机" },
  ],
  files: ["my file.csv", "other.json"],
};

/** What is typed, and the words that courier is called with. */
const lines: Readonly<Record<string, readonly [typed: string, words: readonly string[]]>> = {
  "a command": ["courier ord\tli\t", ["orders", "list"]],
  "a command after help": ["courier help ord\tcre\t", ["help", "orders", "create"]],
  "a flag of the command": ["courier orders list --st\tx", ["orders", "list", "--status", "x"]],
  "a global flag before the command": ["courier --quie\torders list", ["--quiet", "orders", "list"]],
  "a state": ["courier orders list --status pe\t", ["orders", "list", "--status", "pending"]],
  "a state after =": ["courier orders list --status=pe\t", ["orders", "list", "--status=pending"]],
  "a state after a comma": [
    "courier orders list --status pending,pai\t",
    ["orders", "list", "--status", "pending,paid"],
  ],
  "a state after = and a comma": [
    "courier orders list --status=pending,pai\t",
    ["orders", "list", "--status=pending,paid"],
  ],
  "a day": ["courier orders list --from yes\t", ["orders", "list", "--from", "yesterday"]],
  "a number of days": ["courier orders list --last 3\t", ["orders", "list", "--last", "30d"]],
  "a service type": [
    "courier orders create --service-type sa\t",
    ["orders", "create", "--service-type", "same_day"],
  ],
  "an account": ["courier --account ma\tprofile", ["--account", "main", "profile"]],
  "a template": ["courier orders create --template b\t", ["orders", "create", "--template", "book"]],
  "an order's id": ["courier orders show 2\t", ["orders", "show", "2000001"]],
  "a tracking number": ["courier track CR\t", ["track", "CR2"]],
  "an id that is not given yet": [
    "courier orders cancel 1000001 \t",
    ["orders", "cancel", "1000001", "2000001"],
  ],
  "a name after @": ["courier orders create --sender @s\t", ["orders", "create", "--sender", "@shop"]],
  "a name after =@": ["courier orders create --sender=@s\t", ["orders", "create", "--sender=@shop"]],
  "a name in quotes": ['courier orders create --sender "@s\t', ["orders", "create", "--sender", "@shop"]],
  "a value with a colon": [
    "courier login --base-url htt\t",
    ["login", "--base-url", "https://api.example.com"],
  ],
  "the rest of it": [
    "courier login --base-url https://a\t",
    ["login", "--base-url", "https://api.example.com"],
  ],
  "the same after =": [
    "courier login --base-url=https://a\t",
    ["login", "--base-url=https://api.example.com"],
  ],
  "a field of the address book": [
    "courier orders create --sender-province h\t",
    ["orders", "create", "--sender-province", "hebei"],
  ],
  "one with a blank": [
    "courier orders create --sender-city n\t",
    ["orders", "create", "--sender-city", "new york"],
  ],
  "one with a blank after =": [
    "courier orders create --sender-city=n\t",
    ["orders", "create", "--sender-city=new york"],
  ],
  "one with a blank in quotes": [
    'courier orders create --sender-city "n\t',
    ["orders", "create", "--sender-city", "new york"],
  ],
  "one with a blank in single quotes": [
    "courier orders create --sender-city 'n\t",
    ["orders", "create", "--sender-city", "new york"],
  ],
  "a word begun with an escaped blank": [
    "courier orders create --sender-city new\\ y\t",
    ["orders", "create", "--sender-city", "new york"],
  ],
  "one with a quote": [
    "courier orders create --sender-city q\t",
    ["orders", "create", "--sender-city", "quote'd"],
  ],
  "one that is full of signs": [
    "courier orders create --sender-name O\t",
    ["orders", "create", "--sender-name", awkward],
  ],
  "the same in double quotes": [
    'courier orders create --sender-name "O\t',
    ["orders", "create", "--sender-name", awkward],
  ],
  "the same in single quotes": [
    "courier orders create --sender-name 'O\t",
    ["orders", "create", "--sender-name", awkward],
  ],
  "a Chinese one": [
    "courier orders create --sender-province 广\t",
    ["orders", "create", "--sender-province", "广东省"],
  ],
  "a file": ["courier orders import my\t", ["orders", "import", "my file.csv"]],
  "a file after =": ["courier orders create --file=oth\t", ["orders", "create", "--file=other.json"]],
  "a file after -o": ["courier orders export -o oth\t", ["orders", "export", "-o", "other.json"]],
  "in the middle of a line": [
    `courier orders show 2 --json${left(7)}\t`,
    ["orders", "show", "2000001", "--json"],
  ],
  "not a flag that was given": [
    "courier orders list --quiet --qui\t",
    ["orders", "list", "--quiet", "--qui"],
  ],
  "not a flag of another command": ["courier orders show --stat\t", ["orders", "show", "--stat"]],
  "not a file where none is expected": ["courier orders show my\t", ["orders", "show", "my"]],
  "nothing after a misspelt command": ["courier ordesr li\t", ["ordesr", "li"]],
  "after a word in quotes": ["courier 'orders' \"list\" --st\tx", ["orders", "list", "--status", "x"]],
  "after a variable, which is not read": [
    'courier orders list --from "$(echo x)" --st\ty',
    ["orders", "list", "--from", "x", "--status", "y"],
  ],
  "through an alias": ["c orders show 2\t", ["orders", "show", "2000001"]],
  "in a second command of the line": ["true; courier orders show 2\t", ["orders", "show", "2000001"]],
};

/** fish does not tell what stands behind the cursor. */
const linesSeenWhole: typeof lines = {
  "not a flag that follows": [
    `courier orders list --qui --quiet${left(8)}\t`,
    ["orders", "list", "--qui", "--quiet"],
  ],
  "not an id that follows": [
    `courier orders cancel 2 2000001${left(8)}\t`,
    ["orders", "cancel", "2", "2000001"],
  ],
};

const texts = [
  "$(touch MARK)",
  "`touch MARK`",
  "'; touch MARK; '",
  '"; touch MARK; "',
  "; touch MARK",
  "| touch MARK",
  "(touch MARK)",
  "a:b=c:$(touch MARK)",
  "=(touch MARK)",
  "<(touch MARK)",
  "{a,$(touch MARK)}",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell reads it, not JavaScript
  "${x:=$(touch MARK)}",
  "*(e:'touch MARK':)",
  "\\$(touch MARK)!!",
  "%d *?[a]{b,c}#^",
];

describe.each(shellNames)("%s", (shell) => {
  const part = shellNames.indexOf(shell);

  test.skipIf(lacks(shell))(
    `completes each line as its words (needs ${shell})`,
    { timeout: 60_000 },
    async () => {
      const home = await createShellHome(shell, knowledge);
      const all = { ...lines, ...(shell === "fish" ? {} : linesSeenWhole) };
      for (const [name, [typed, words]] of someOf(Object.entries(all), 3, part))
        expect.soft(await home.wordsOf(typed), name).toEqual(words);
    },
  );

  test.skipIf(lacks(shell))(
    `lists candidates in their order, with descriptions (needs ${shell})`,
    async () => {
      const home = await createShellHome(shell, knowledge);
      await home.start({ columns: 120 });
      const commands = await home.listOf("courier orders ", "as a page to print");
      expect(commands.match(/^(create|list|show|cancel|import|export|slips)\b/gm)).toEqual([
        "create",
        "list",
        "show",
        "cancel",
        "import",
        "export",
        "slips",
      ]);
      expect(commands).toContain("List your orders");
      const shown = await home.listOf("courier orders show ", "手机");
      expect(shown).toMatch(/2000001 .*delivered, to 李四, 书[\s\S]*1000001 .*pending, to 王五, 手机/);
      expect(await home.listOf("courier orders cancel ", "书")).toMatch(/1000001 [\s\S]*2000001 /);
      const parcels = await home.listOf("courier track ", "手机");
      expect(parcels).toMatch(/CR2 .*delivered, to 李四, 书[\s\S]*XY1 .*pending, to 王五, 手机/);
      expect(await home.listOf("courier orders list --status ", "cancelled")).toContain("awaiting payment");
      expect(await home.listOf("courier --account ", "embedded")).toContain("https://api.example.com");
      expect(await home.listOf("courier orders create --receiver @", "Neil")).toMatch(
        /@shop .*张三, new york/,
      );
    },
  );

  test.skipIf(lacks(shell))(
    `lists text from outside, and does nothing of it (needs ${shell})`,
    { timeout: 60_000 },
    async () => {
      const home = await createShellHome(shell);
      await home.start({ columns: 100 });
      for (const text of someOf(texts, 3, part)) {
        await know(home, hostileKnowledge(text));
        expect.soft(await home.listOf("courier orders show ", "to z"), text).toContain(`to ${text}, ${text}`);
        expect.soft(await home.listOf("courier addresses show ", "zhao"), text).toContain(`${text}`);
        expect(existsSync(path.join(home.directory, "MARK"))).toBe(false);
      }
    },
  );

  test.skipIf(lacks(shell))(
    `puts text from outside in as it is (needs ${shell})`,
    { timeout: 60_000 },
    async () => {
      const home = await createShellHome(shell);
      for (const text of someOf(texts, 3, part)) {
        await know(home, { config: { addresses: { li: { city: text } } } });
        for (const quote of ["", "'", '"']) {
          const words = await home.wordsOf(`courier addresses add x --city ${quote}\t`);
          expect.soft(words, quote + text).toEqual(["addresses", "add", "x", "--city", text]);
        }
        expect(existsSync(path.join(home.directory, "MARK"))).toBe(false);
      }
    },
  );

  test.skipIf(lacks(shell))(
    `shows lines and controls as escapes, or offers nothing (needs ${shell})`,
    async () => {
      const addresses = {
        li: { city: "a\nb" },
        wu: { city: "a\u001b[31mb" },
        zhou: { city: "~/$(touch MARK)" },
        xu: { city: "okay" },
      };
      const home = await createShellHome(shell, {
        config: { addresses },
        orders: [
          { id: "1000002", status: "pending", item: "first\nforged\ttab\u001b[31mred\u202edlo" },
          { id: "1000001", status: "pending", item: "plain" },
          { id: "$(touch MARK)", trackingNumber: "`touch MARK`", status: "pending" },
        ],
      });
      await home.start({ columns: 100 });
      const list = await home.listOf("courier orders show 100000", "plain");
      expect(list).toContain("first\\nforged\\ttab\\u001b[31mred\\u202edlo");
      expect(list).not.toContain("MARK");
      const words = await home.wordsOf(`${keys.clear}courier addresses add x --city \t`);
      expect(words).toEqual(["addresses", "add", "x", "--city", "okay"]);
    },
  );

  test.skipIf(lacks(shell))(`a new shell starts no courier (needs ${shell})`, async () => {
    const home = await createShellHome(shell, knowledge);
    await home.start();
    expect(await home.calls()).toEqual([]);
    await home.wordsOf("courier orders show 2\t");
    expect(await home.calls()).toContain("__complete");
  });
});

function hostileKnowledge(text: string): Knowledge {
  return {
    config: { addresses: { shop: { name: text }, li: { name: "zhao" } } },
    orders: [
      { id: "2000001", trackingNumber: "CR2", status: "pending", receiver: text, item: text },
      { id: "1000001", trackingNumber: "XY1", status: "paid", receiver: "z", item: text },
    ],
  };
}
