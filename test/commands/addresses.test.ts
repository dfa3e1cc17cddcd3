/** The address book: saved, shown, forgotten, carried to another machine and back; nothing is lost on the way. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { lazy } from "../../src/core/lazy.ts";
import { ctrlC, enter, partySteps, personWho, type Step } from "../support/answering.ts";
import { createHome, type Home } from "../support/courier.ts";
import { fc } from "../support/effort.ts";
import { otherFiles } from "../support/other-files.ts";
import { tooWide } from "../support/screens.ts";

const li = ["--name", "李四", "--phone", "13900139000", "--province", "北京市", "--city", "北京市"];

async function listed(home: Home): Promise<Record<string, unknown>[]> {
  return JSON.parse((await home.courier("addresses list --json")).stdout);
}

async function homeWith(...aliases: readonly string[]): Promise<Home> {
  const home = await createHome();
  for (const alias of aliases) await home.courier(["addresses", "add", alias, ...li]);
  return home;
}

describe("add", () => {
  test("saves what the flags give, and shows it", async () => {
    const home = await createHome();
    const { exit, stdout, stderr } = await home.courier(["addresses", "add", "@li", ...li, "--default"]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toMatch(
      /^Saved in the address book\n@li {2}\(default sender\)\nName +李四\nPhone +13900139000\n/,
    );
    expect(await listed(home)).toEqual([
      { alias: "li", name: "李四", phone: "13900139000", province: "北京市", city: "北京市", default: true },
    ]);
  });

  test("asks for everything at a terminal, and saves nothing on Ctrl-C", async () => {
    const home = await createHome();
    const stopped = personWho(["Address", "new address"], ["Address name", "李四"], ["Address phone", ctrlC]);
    const { exit, stderr } = await home.courier("addresses add li", { terminal: 80, prompts: stopped });
    expect(exit).toBe(130);
    expect(stderr).toContain("interrupted; no address was saved\n");
    expect(await listed(home)).toEqual([]);
    const person = personWho(["Address", enter], ...partySteps("Address", ["李四", "", "", "", "", "1号"]));
    expect((await home.courier("addresses add li", { terminal: 80, prompts: person })).exit).toBe(0);
    expect(await listed(home)).toEqual([{ alias: "li", name: "李四", detail: "1号", default: false }]);
  });

  test("refuses a phone with a character that is not seen, by its flag", async () => {
    const home = await createHome();
    const { exit, stderr } = await home.courier(["addresses", "add", "li", "--phone", "138\u200b1"]);
    expect(exit).toBe(2);
    expect(stderr).toContain("error: --phone “138\\u200b1” holds an invisible character (U+200B)");
    expect(await listed(home)).toEqual([]);
  });

  test("asks again for such a phone at a terminal", async () => {
    const home = await createHome();
    const person = personWho(
      ["Address", "new address"],
      ["Address name", "李四"],
      ["Address phone", "138\u200b1"],
      ["Address phone", "1381"],
      ...partySteps("Address", ["李四", "1381", "", "", "", ""]).slice(2),
    );
    expect((await home.courier("addresses add li", { terminal: 80, prompts: person })).exit).toBe(0);
    expect(person.complaints).toEqual(["holds an invisible character (U+200B)"]);
    expect(await listed(home)).toEqual([{ alias: "li", name: "李四", phone: "1381", default: false }]);
  });

  test("takes a pasted address, each part to be edited", async () => {
    const home = await createHome();
    const person = personWho(
      ["Address", "paste an address as text"],
      ["Address: paste…", "李四\n13900139000"],
      ["Is this address right?", "edit its fields"],
      ...partySteps("Address", ["李四", "13900139000", "", "", "", "2号"]),
    );
    await home.courier("addresses add li", { terminal: 80, prompts: person });
    expect(await listed(home)).toEqual([
      { alias: "li", name: "李四", phone: "13900139000", detail: "2号", default: false },
    ]);
  });

  test("takes a text, shown before it is saved", async () => {
    const home = await createHome();
    const words = ["addresses", "add", "li", "--text", "李四 13900139000 北京市"];
    const refused = await home.courier(words);
    expect(refused).toMatchObject({ exit: 2, stdout: "" });
    expect(refused.stderr).toContain("the address was understood as:");
    expect(await listed(home)).toEqual([]);
    expect((await home.courier([...words, "--yes", "--name", "李先生"])).exit).toBe(0);
    expect(await listed(home)).toMatchObject([{ alias: "li", name: "李先生" }]);
  });

  test.each([
    "John Smith\n742 Evergreen Terrace, Apt 5\nSpringfield, IL 62704\n+1 415 555 0134",
    "John Smith\n+1 415 555 0134\n742 Evergreen Terrace, Apt 5\nSpringfield, IL 62704",
    "John Smith, 742 Evergreen Terrace, Springfield, IL 62704, +1 415 555 0134",
    "Li Si, 13900139000, 88 Jianguo Road, Beijing",
    "Maria Garcia\n12 Nanjing West Road\nShanghai\nTel: 139 0013 9000",
  ])("finds the name in %j", async (text) => {
    const home = await createHome();
    await home.courier(["addresses", "add", "one", "--text", text, "--yes"]);
    const [first] = text.split(/[,\n]/);
    expect(await listed(home)).toMatchObject([{ name: first, phone: expect.stringContaining("1") }]);
  });

  test.each([
    [
      "of a sender and a receiver",
      "收件人：李四 北京市建国路88号\n寄件人：张三 13800138000 深圳市",
      "both a receiver and a sender",
    ],
    ["with two telephone numbers", "李四 13900139000 13800138000 北京市", "hint: give it with --phone\n"],
  ])("saves no text %s with --yes", async (_what, text, said) => {
    const home = await createHome();
    const { exit, stderr } = await home.courier(["addresses", "add", "li", "--text", text, "--yes"]);
    expect([exit, await listed(home)]).toEqual([2, []]);
    expect(stderr).toContain(said);
  });

  test("does not advise to put a name first that may be there", async () => {
    const home = await createHome();
    const text = "The Workshop\n12 High Street\nLondon W1U 3BW";
    const { exit, stderr } = await home.courier(["addresses", "add", "one", "--text", text, "--yes"]);
    expect(exit).toBe(2);
    expect(stderr).toContain("hint: give it with --name\n");
  });

  describe("over another address", () => {
    const words = "addresses add li --phone 13700137000";
    const before = { name: "李四", phone: "13900139000" };

    test.each([
      ["in a pipe", words, {}],
      ["with --yes at a terminal", `${words} --yes`, { terminal: 80 }],
      ["as JSON at a terminal", `${words} --json`, { terminal: 80 }],
    ])(
      "%s, exit 2 names the fields that would be lost, and nothing is replaced",
      async (_where, line, options) => {
        const home = await homeWith("li");
        const { exit, stdout, stderr } = await home.courier(line, options);
        expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
        expect(stderr).toContain("the address @li exists already");
        expect(stderr).toContain(
          "add --replace to replace the whole address (this removes: name, province, city)",
        );
        expect(await listed(home)).toMatchObject([before]);
      },
    );

    test("--replace replaces it, and says so", async () => {
      const home = await homeWith("li");
      const { exit, stdout, stderr } = await home.courier(`${words} --replace`);
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      expect(stdout).toMatch(/^Replaced in the address book\n@li\n/);
      expect(await listed(home)).toEqual([{ alias: "li", phone: "13700137000", default: false }]);
      expect((await home.courier("addresses add new --name A --replace")).stdout).toMatch(/^Saved/);
    });

    test("--replace of the default sender says that it still is", async () => {
      const home = await createHome();
      await home.courier("addresses add shop --name A --default");
      const { stdout } = await home.courier("addresses add shop --name B --replace --json");
      expect(JSON.parse(stdout)).toEqual({ alias: "shop", name: "B", default: true });
      expect(await listed(home)).toEqual([JSON.parse(stdout)]);
    });

    test("at a terminal it asks, and a no leaves it as it is", async () => {
      const home = await homeWith("li");
      const question =
        "The address @li exists already. Replace the whole address (this removes: name, province, city)?";
      const person = personWho([question, enter], [question, true]);
      const declined = await home.courier(words, { terminal: 80, prompts: person });
      expect({ exit: declined.exit, stdout: declined.stdout }).toEqual({ exit: 130, stdout: "" });
      expect(declined.stderr).toContain("not confirmed; no address was saved\n");
      expect(await listed(home)).toMatchObject([before]);
      expect((await home.courier(words, { terminal: 80, prompts: person })).stdout).toMatch(/Replaced/);
      expect(await listed(home)).toEqual([{ alias: "li", phone: "13700137000", default: false }]);
    });

    test("the form asks before its questions", async () => {
      const home = await homeWith("li");
      const person = personWho(["The address @li exists already. Replace it?", false]);
      expect((await home.courier("addresses add li", { terminal: 80, prompts: person })).exit).toBe(130);
      expect(await listed(home)).toMatchObject([before]);
    });

    test("nothing is asked for the same address again", async () => {
      const home = await homeWith("li");
      const again = await home.courier([
        "addresses",
        "add",
        "li",
        ...li.slice(2),
        ...li.slice(0, 2),
        "--default",
      ]);
      expect(again.exit).toBe(0);
      expect(await listed(home)).toMatchObject([{ ...before, default: true }]);
    });
  });

  test.each([
    ["nothing", ["li"], "the address is empty"],
    ["a blank in the name", ["my shop", ...li], "not a usable name for an address: my shop"],
    ["a name that is none", ["__proto__", ...li], "not a usable name for an address: __proto__"],
    ["a name that begins with a dash", [...li, "--", "-x"], "not a usable name for an address: -x"],
  ])("refuses %s", async (_what, words, message) => {
    const home = await createHome();
    const { exit, stdout, stderr } = await home.courier(["addresses", "add", ...words]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(await listed(home)).toEqual([]);
  });

  test("a new default sender takes the place of the old one", async () => {
    const home = await createHome();
    await home.courier("addresses add a --name A --default");
    await home.courier("addresses add b --name B --default");
    expect((await listed(home)).map((row) => row.default)).toEqual([false, true]);
  });
});

describe("list and show", () => {
  test("an empty book is [] to a script, and says what to do to a person", async () => {
    const home = await createHome();
    expect((await home.courier("addresses list --json")).stdout).toBe("[]\n");
    expect((await home.courier("addresses list --ndjson")).stdout).toBe("");
    const { exit, stdout, stderr } = await home.courier("addresses list");
    expect({ exit, text: stdout + stderr }).toMatchObject({
      exit: 0,
      text: expect.stringContaining("courier addresses add NAME"),
    });
  });

  test.each([40, 80, 140])("fit a terminal of %s columns", async (terminal) => {
    const home = await homeWith("li", "a-rather-long-name-of-an-address");
    await home.courier(["addresses", "add", "long", "--detail", "成吉思汗大街与哲里木路交叉口".repeat(5)]);
    for (const words of ["addresses list", "addresses show long"]) {
      const { stdout } = await home.courier(words, { terminal, env: { NO_COLOR: "1" } });
      expect(stdout).toContain("@long");
      expect(tooWide(stdout, terminal)).toEqual([]);
    }
  });

  test("show gives one as JSON, with or without the @", async () => {
    const home = await homeWith("li");
    for (const alias of ["li", "@li"])
      expect(JSON.parse((await home.courier(`addresses show ${alias} --json`)).stdout)).toMatchObject({
        alias: "li",
        name: "李四",
      });
  });

  test.each(["show", "remove"])("%s of an unknown one names the nearest", async (verb) => {
    const home = await homeWith("shop");
    const { exit, stdout, stderr } = await home.courier(
      `addresses ${verb} shpo --yes`.replace(/(show.*) --yes/, "$1"),
    );
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toBe("error: the address book has no @shpo\nhint: did you mean @shop?\n");
  });

  test("control characters in it do not reach a terminal", async () => {
    const home = await createHome();
    await home.courier("addresses add bad --name A");
    const addresses = { bad: { name: "A\u001b]0;x\u0007\u202eB\nC" } };
    await writeFile(path.join(home.configDir, "config.json"), JSON.stringify({ addresses }));
    for (const words of ["addresses list", "addresses show bad"])
      expect((await home.courier(words, { terminal: 80, env: { NO_COLOR: "1" } })).stdout).not.toMatch(
        /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/,
      );
    expect(await listed(home)).toMatchObject([{ name: "A\u001b]0;x\u0007\u202eB\nC" }]);
  });
});

describe("what another terminal saves while a question is open", () => {
  /** The person, and a command that is run before the first answer. */
  function meanwhile(home: Home, line: string, ...script: readonly Step[]) {
    const person = personWho(...script);
    const other = lazy(async () => expect((await home.courier(line)).exit).toBe(0));
    return {
      ...person,
      async text(...given: Parameters<typeof person.text>) {
        await other();
        return person.text(...given);
      },
      async confirm(...given: Parameters<typeof person.confirm>) {
        await other();
        return person.confirm(...given);
      },
    };
  }

  test("is not replaced by add, unless the person says so", async () => {
    const answers = partySteps("Address", ["李四", "", "", "", "", "1号"]);
    for (const isReplaced of [false, true]) {
      const home = await createHome();
      const prompts = meanwhile(home, "addresses add lin --name 林", ["Address", enter], ...answers, [
        "The address @lin exists already. Replace it?",
        isReplaced,
      ]);
      const ran = await home.courier("addresses add lin", { terminal: 80, prompts });
      expect(ran.exit, ran.stderr).toBe(isReplaced ? 0 : 130);
      expect(await listed(home)).toMatchObject([{ alias: "lin", name: isReplaced ? "李四" : "林" }]);
    }
  });

  test("keeps the fields that the person does not change", async () => {
    const home = await homeWith("li");
    const prompts = meanwhile(
      home,
      "addresses edit li --phone 13911112222",
      ...partySteps("Address", [enter, enter, enter, enter, enter, "2号"]),
    );
    const ran = await home.courier("addresses edit li", { terminal: 80, prompts });
    expect(ran.exit, ran.stderr).toBe(0);
    expect(ran.stdout).toContain("13911112222");
    expect(await listed(home)).toMatchObject([{ name: "李四", phone: "13911112222", detail: "2号" }]);
  });

  test("gets nothing by edit that was typed for another person", async () => {
    const home = await homeWith("li");
    const prompts = meanwhile(
      home,
      "addresses add li --name 李雷 --phone 13711112222 --replace",
      ...partySteps("Address", [enter, "13988887777", enter, enter, enter, enter]),
    );
    const ran = await home.courier("addresses edit li", { terminal: 80, prompts });
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain("another courier process has saved @li meanwhile");
    expect(await listed(home)).toEqual([expect.objectContaining({ name: "李雷", phone: "13711112222" })]);
  });

  test("does not come back by edit where it was removed", async () => {
    const home = await homeWith("li");
    const prompts = meanwhile(
      home,
      "addresses remove li --yes",
      ...partySteps("Address", [enter, enter, enter, enter, enter, "2号"]),
    );
    const ran = await home.courier("addresses edit li", { terminal: 80, prompts });
    expect([ran.exit, await listed(home)]).toEqual([2, []]);
    expect(ran.stderr).toContain("the address book has no @li");
  });

  test("is asked about by import", async () => {
    const home = await homeWith("li");
    const file = path.join(home.directory, "book.csv");
    await writeFile(file, "alias,name\nli,新\nyang,新\n");
    const prompts = meanwhile(
      home,
      "addresses add yang --name 杨",
      ["Replace @li?", true],
      ["Replace @li, @yang?", false],
    );
    const ran = await home.courier(["addresses", "import", file], { terminal: 80, prompts });
    expect(ran.exit, ran.stderr).toBe(130);
    expect(await listed(home)).toMatchObject([
      { alias: "li", name: "李四" },
      { alias: "yang", name: "杨" },
    ]);
  });
});

describe("edit", () => {
  test("changes the fields that flags name, and no others", async () => {
    const home = await homeWith("li");
    await home.courier("addresses use li");
    const { exit, stdout } = await home.courier("addresses edit @li --phone 137");
    expect(exit).toBe(0);
    expect(stdout).toMatch(
      /^Changed in the address book\n@li {2}\(default sender\)\nName +李四\nPhone +137\n/,
    );
    expect(await listed(home)).toEqual([
      { alias: "li", name: "李四", phone: "137", province: "北京市", city: "北京市", default: true },
    ]);
  });

  test("asks for each field at a terminal, with what it holds; Ctrl-C changes nothing", async () => {
    const home = await homeWith("li");
    const stopped = personWho(["Address name", "王五"], ["Address phone", ctrlC]);
    expect((await home.courier("addresses edit li", { terminal: 80, prompts: stopped })).exit).toBe(130);
    expect(await listed(home)).toMatchObject([{ name: "李四", phone: "13900139000" }]);
    const person = personWho(...partySteps("Address", [enter, "137", "", enter, enter, "1号"]));
    expect((await home.courier("addresses edit li", { terminal: 80, prompts: person })).exit).toBe(0);
    expect(await listed(home)).toEqual([
      { alias: "li", name: "李四", phone: "137", city: "北京市", detail: "1号", default: false },
    ]);
  });

  test("an empty flag, as of a variable that is not set, removes nothing unasked", async () => {
    const home = await homeWith("li");
    const words = ["addresses", "edit", "li", "--name", "王五", "--phone", " ", "--detail", ""];
    const piped = await home.courier(words);
    expect(piped).toMatchObject({ exit: 2, stdout: "" });
    expect(piped.stderr).toContain("Remove phone from @li?");
    const no = personWho(["Remove phone from @li?", false]);
    expect((await home.courier(words, { terminal: 80, prompts: no })).exit).toBe(130);
    expect(await listed(home)).toMatchObject([{ name: "李四", phone: "13900139000" }]);
    expect((await home.courier([...words, "--yes"])).exit).toBe(0);
    expect(await listed(home)).toEqual([
      { alias: "li", name: "王五", province: "北京市", city: "北京市", default: false },
    ]);
    const all = ["name", "phone", "province", "city"].flatMap((name) => [`--${name}`, ""]);
    const emptied = await home.courier(["addresses", "edit", "li", ...all, "--yes"]);
    expect(emptied).toMatchObject({ exit: 2, stderr: expect.stringContaining("the address is empty") });
    const added = await home.courier(["addresses", "add", "new", "--name", "", "--phone", ""]);
    expect(added).toMatchObject({ exit: 2, stderr: expect.stringContaining("the address is empty") });
    expect(await listed(home)).toHaveLength(1);
  });

  test("without a flag and a terminal it is exit 2", async () => {
    const home = await homeWith("li");
    expect(await home.courier("addresses edit li")).toMatchObject({
      exit: 2,
      stderr: "error: no field of @li to change\nhint: name it, for example with --phone\n",
    });
  });
});

test("use makes an address the default sender, in the place of another", async () => {
  const home = await homeWith("li", "shop");
  await home.courier("addresses use li");
  const { exit, stdout } = await home.courier("addresses use shop");
  expect(exit).toBe(0);
  expect(stdout).toMatch(/^@shop {2}\(default sender\)\n/);
  expect((await listed(home)).filter((row) => row.default)).toMatchObject([{ alias: "shop" }]);
});

test.each(["show", "use", "edit"])(
  "%s of an unknown one in an empty book names the command that saves it",
  async (verb) => {
    const home = await createHome();
    expect(await home.courier(`addresses ${verb} shop`)).toMatchObject({
      exit: 2,
      stderr: "error: the address book has no @shop\nhint: save it: courier addresses add shop\n",
    });
  },
);

describe("remove", () => {
  test("asks first; without anybody to ask it needs --yes", async () => {
    const home = await homeWith("li", "shop");
    expect(await home.courier("addresses remove li")).toMatchObject({ exit: 2, stdout: "" });
    const person = personWho(["Forget the address @li 李四 13900139000 北京市?", false]);
    expect((await home.courier("addresses remove li", { terminal: 80, prompts: person })).exit).toBe(130);
    expect(await listed(home)).toHaveLength(2);
    expect(await home.courier("addresses remove @li --yes --json")).toMatchObject({
      exit: 0,
      stdout: '{"alias":"li","removed":true}\n',
    });
    expect(await listed(home)).toMatchObject([{ alias: "shop" }]);
  });
});

describe("import", () => {
  const csv = "alias,name,phone\nli,李四,13900139000\nwang,王五,13700137000\n";

  test.each([
    ["CSV", csv],
    ["CSV with Chinese headers", csv.replace("alias,name,phone", "简称,姓名,手机号")],
    ["CSV with a byte order mark and CRLF", `\uFEFF${csv.replaceAll("\n", "\r\n")}`],
    [
      "CSV with other columns first and empty lines",
      "phone,alias,name\n13900139000,@li,李四\n\n13700137000,wang,王五\n",
    ],
    [
      "JSON",
      '[{"alias":"li","name":"李四","phone":"13900139000"},{"alias":"wang","name":"王五","phone":"13700137000"}]',
    ],
    [
      "JSON with a byte order mark",
      '\uFEFF [{"alias":"li","name":"李四","phone":"13900139000","default":false},{"alias":"wang","name":"王五","phone":"13700137000"}]',
    ],
    [
      "JSON with empty and blank fields, which an order could not be sent with",
      '[{"alias":"li","name":"李四","phone":"13900139000","city":""},{"alias":"wang","name":"王五","phone":"13700137000","detail":" "}]',
    ],
    ["CSV in UTF-16, as PowerShell's > writes it", Buffer.from(`\uFEFF${csv}`, "utf16le")],
  ])("reads %s", async (_what, text) => {
    const home = await createHome();
    const { exit, stdout } = await home.courier("addresses import -", { stdin: text });
    expect({ exit, stdout }).toEqual({
      exit: 0,
      stdout: "Imported 2 addresses; 0 replaced older ones\n",
    });
    expect(await listed(home)).toEqual([
      { alias: "li", name: "李四", phone: "13900139000", default: false },
      { alias: "wang", name: "王五", phone: "13700137000", default: false },
    ]);
  });

  test("reads a file by its name, and asks before it replaces anything", async () => {
    const home = await homeWith("li");
    const file = path.join(home.directory, "addresses.csv");
    await writeFile(file, csv);
    expect(await home.courier(["addresses", "import", file])).toMatchObject({ exit: 2, stdout: "" });
    const person = personWho(["Replace @li?", false]);
    expect((await home.courier(["addresses", "import", file], { terminal: 80, prompts: person })).exit).toBe(
      130,
    );
    expect(await listed(home)).toMatchObject([{ alias: "li", city: "北京市" }]);
    const { stdout } = await home.courier(["addresses", "import", file, "--yes", "--json"]);
    expect(stdout).toBe('{"imported":2,"replaced":["li"]}\n');
    expect(await listed(home)).toMatchObject([
      { alias: "li", name: "李四" },
      { alias: "wang", name: "王五" },
    ]);
  });

  test.each([
    ["a line without a name", "alias,name\nli,A\n,B\n", "stdin: line 3: it has no alias"],
    ["no column for it", "name,phone\nA,1\n", "stdin, line 1: the header has no column alias (or 简称)"],
    [
      "a phone as a spreadsheet keeps it",
      "alias,phone\nli,'13900139000\n",
      "line 2: phone “'13900139000” begins with '",
    ],
    [
      "a phone as a formula's text",
      'alias,phone\nli,"=""13900139000"""\n',
      'line 2: phone “="13900139000"” begins with ="',
    ],
    ["an unknown column", "alias,nmae\nli,A\n", "line 2: nmae is no field of an address (alias, name, phone"],
    [
      "an unusable name",
      "alias,name\nli,A\nmy shop,B\n",
      "line 3: not a usable name for an address: my shop",
    ],
    ["a name that appears twice", "alias,name\nli,A\nli,B\n", "line 3: the alias li appears twice"],
    ["a line of too many cells", "alias,name\nli,A,B\n", "stdin, line 2 has 3 cells, but the header 2"],
    [
      "several mistakes",
      "alias,name\n,A\nli,B\n@li,C\n",
      "line 2: it has no alias; line 4: the alias li appears twice",
    ],
    [
      "two columns of one field with different values",
      "简称,姓名,电话,手机\nli,李四,010-88886666,13900139000\n",
      "line 2: the columns 电话 and 手机 are both the phone: “010-88886666” and “13900139000”",
    ],
    [
      "the same column twice",
      "alias,name,phone,name\nli,李四,139,王五\n",
      "line 2: the columns name and name are both the name: “李四” and “王五”",
    ],
    [
      "many mistakes",
      `alias,name\n${"a,\n".repeat(50)}`,
      "line 10: the address is empty; line 11: the address is empty; and 40 others\n",
    ],
    [
      "more mistakes than anyone reads",
      `alias,name\n${"a,\n".repeat(300_000)}`,
      "line 11: the address is empty; and more\n",
    ],
    ["another file", "a\n".repeat(7_000_000), "stdin, line 1: the header has no column alias (or 简称)"],
    ["a line after one of several lines", 'alias,detail\nli,"1\n2"\n,B\n', "line 4: it has no alias"],
    ["a phone as a number", '[{"alias":"li","phone":139}]', "[0]: phone must be a string, but is a number"],
    [
      "an unknown key",
      '[{"alias":"a","name":"A"},{"alias":"b","fax":"1"}]',
      "[1]: fax is no field of an address",
    ],
    ["no alias", '[{"name":"A"}]', "[0]: it has no alias"],
    ["a number for an address", '[{"alias":"a","name":"A"},7]', "[1]: it has no alias"],
    ["an object", '{"alias":"li"}', "stdin should hold an array of addresses"],
    ["half a file", '[{"alias":"li"', "stdin, line 1, column 15: not valid JSON"],
    ["a key given twice", '[{"alias":"a","name":"A","name":"B"}]', "not valid JSON"],
    [
      "a phone that cannot be meant",
      "alias,phone\nli,13800138000.0\n",
      "line 2: phone “13800138000.0” ends in .0",
    ],
    [
      "a NUL character",
      '[{"alias":"li","name":"a\\u0000"}]',
      "[0]: name “a\\u0000” holds a NUL character (U+0000)",
    ],
  ])("refuses %s, says where, and saves nothing", async (_what, text, message) => {
    const home = await homeWith("old");
    const before = await readFile(path.join(home.configDir, "config.json"), "utf8");
    const { exit, stdout, stderr } = await home.courier("addresses import - --yes", { stdin: text });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(await readFile(path.join(home.configDir, "config.json"), "utf8")).toBe(before);
  });

  test("takes two columns of one field where only one is filled, or both are the same", async () => {
    const home = await createHome();
    const stdin = "简称,电话,手机\nli,,13900139000\nwang,010-88886666,\nzhao,139,139\n";
    expect((await home.courier("addresses import - --yes", { stdin })).exit).toBe(0);
    expect((await listed(home)).map(({ phone }) => phone)).toEqual(["13900139000", "010-88886666", "139"]);
  });

  test.each(["", " \n\n", "alias,name\n", "[]"])(
    "a file without any address (%j) is not taken for one",
    async (text) => {
      const home = await homeWith("old");
      const { exit } = await home.courier("addresses import - --yes", { stdin: text });
      expect(await listed(home)).toHaveLength(1);
      expect([0, 2]).toContain(exit);
    },
  );

  test.each([
    [
      "a long line",
      `${csv}x,${"x".repeat(2_000_000)}\n`,
      "stdin, line 4: the row that begins here has more than",
    ],
    ["a long header", "x".repeat(2_000_000), "stdin, line 1: the row that begins here has more than"],
    [
      "more than 16 MB",
      "x".repeat(17 * 2 ** 20),
      "stdin is larger than 16 MB\nhint: split it into several files\n",
    ],
  ])("refuses %s, and names the limit", async (_what, text, message) => {
    const home = await createHome();
    const { exit, stdout, stderr } = await home.courier("addresses import - --yes", { stdin: text });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(await listed(home)).toEqual([]);
  });

  test.each(otherFiles)("%s is told as what it is", async (what, bytes) => {
    const home = await createHome();
    const { exit, stderr } = await home.courier("addresses import -", { stdin: bytes });
    expect(exit).toBe(2);
    expect(stderr).toContain(`error: stdin is ${what}`);
  });

  test.each([csv, csv.replace("alias,name,phone", "alias,姓名,手机号")])(
    "characters that became question marks are told, and the way out: %j",
    async (text) => {
      const home = await createHome();
      const piped = text.replace(/[^\0-\x7f]/g, "?");
      const { exit, stderr } = await home.courier("addresses import -", { stdin: piped });
      expect(exit).toBe(2);
      expect(stderr).toContain(
        "error: stdin: characters became question marks before courier read them: line 2 has “??",
      );
      expect(stderr).toContain("$OutputEncoding = [System.Text.UTF8Encoding]::new()");
    },
  );

  test("what Chinese Excel saves as CSV is read, in GB18030 as orders are", async () => {
    const home = await createHome();
    const [name, city] = [Buffer.from("d5c5c8fd", "hex"), Buffer.from("b1b1bea9", "hex")]; // 张三, 北京
    const stdin = Buffer.concat([Buffer.from("alias,name,city\nshop,"), name, Buffer.from(","), city]);
    expect((await home.courier("addresses import -", { stdin })).stderr).toBe("");
    expect(await listed(home)).toMatchObject([{ alias: "shop", name: "张三", city: "北京" }]);
  });

  test("Big5, which would be no text in GB18030, is refused", async () => {
    const home = await createHome();
    const name = Buffer.from("b169a454", "hex"); // 張三
    const stdin = Buffer.concat([Buffer.from("alias,name\nshop,"), name, Buffer.from("\n")]);
    const { exit, stderr } = await home.courier("addresses import -", { stdin });
    expect(exit).toBe(2);
    expect(stderr).toContain("error: stdin is neither UTF-8 nor, it seems, GB18030: line 2 would have “");
    expect(await listed(home)).toEqual([]);
  });

  test("Western European text, which would be Chinese in GB18030, is refused", async () => {
    const home = await createHome();
    const stdin = Buffer.from("alias,name\nshop,Jürgen Müller\n", "latin1");
    const { exit, stderr } = await home.courier("addresses import -", { stdin });
    expect(exit).toBe(2);
    expect(stderr).toContain(
      "error: stdin is neither UTF-8 nor, it seems, GB18030: line 2 would have “J黵gen",
    );
    expect(stderr).toContain("hint: save it as “CSV UTF-8” and try again");
    expect(await listed(home)).toEqual([]);
  });

  test.each([
    ["an address without a field", "alias,name,phone\nli,,\n", "stdin: line 2: the address is empty\n"],
    ["nothing", "", "stdin is empty\n"],
    ["blank lines", "\n\n", "stdin is empty\n"],
  ])("a file with %s is refused, and saves nothing", async (_what, text, problem) => {
    const home = await createHome();
    const { exit, stdout, stderr } = await home.courier("addresses import -", { stdin: text });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`error: ${problem}`);
    expect(await listed(home)).toEqual([]);
  });

  test("a stdin whose connection breaks is refused, and saves nothing", async () => {
    const home = await createHome();
    const broken = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    const stdin = Readable.from(
      (async function* () {
        yield Buffer.from("alias,name\nli,Li\n");
        throw broken;
      })(),
    );
    const { exit, stderr } = await home.courier("addresses import -", { stdin });
    expect([exit, stderr]).toEqual([2, "error: cannot read stdin: its connection broke\n"]);
    expect(await listed(home)).toEqual([]);
  });

  test("a file that is not there is named", async () => {
    const home = await createHome();
    const { exit, stderr } = await home.courier("addresses import none.csv");
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: "error: cannot read none.csv: there is no such file\n",
    });
  });
});

describe("what list prints, import reads back", () => {
  const text = fc.oneof(
    // Blanks around a cell are no part of it, and marks of lost characters no text.
    fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 10 })
      .map((value) => value.trim() || "空")
      .filter((value) => !value.includes("\ufffd") && /[^?\s]/.test(value)),
    fc.constantFrom(
      "=1+2",
      "+86 138",
      "-",
      "@shop",
      "＝全角",
      "\t制表",
      "'引号",
      "'=x",
      "a,b",
      '"引"',
      "一\n二",
      "０",
      "null",
    ),
  );
  const fields = ["name", "phone", "province", "city", "district", "detail"];
  const phone = fc.constantFrom("13800138000", "+86 138", "+1 (415) 5550100", "-");
  const texts = fields.map((name) => [name, name === "phone" ? phone : text] as const);
  const party = fc.record(Object.fromEntries(texts), { requiredKeys: ["name"] });
  const book = fc.dictionary(fc.stringMatching(/^[a-z\u4e00-\u9fa5][a-z0-9._-]{0,8}$/), party, {
    minKeys: 1,
    maxKeys: 5,
  });

  test.each(["csv", "json"])(
    "as %s",
    async (form) => {
      await fc.assert(
        fc.asyncProperty(book, async (addresses) => {
          const home = await createHome();
          const old = JSON.stringify({ addresses });
          await home.courier("addresses add x --name x");
          await writeFile(path.join(home.configDir, "config.json"), old);
          const { stdout } = await home.courier(`addresses list --${form}`);
          await writeFile(path.join(home.configDir, "config.json"), "{}");
          const { exit, stderr } = await home.courier("addresses import -", { stdin: stdout });
          expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
          expect(
            JSON.parse(await readFile(path.join(home.configDir, "config.json"), "utf8")).addresses,
          ).toEqual(JSON.parse(old).addresses);
        }),
        { numRuns: 25 },
      );
    },
    30_000,
  );
});

test("removing an unknown address names those that are saved", async () => {
  const home = await createHome();
  const empty = "error: the address book has no @nope\nhint: it is empty\n";
  expect(await home.courier("addresses remove nope --yes")).toMatchObject({ exit: 2, stderr: empty });
  await home.courier("addresses add shop --name Ann");
  await home.courier("addresses add li --name Li");
  const { stderr } = await home.courier("addresses remove nope --yes");
  expect(stderr).toBe("error: the address book has no @nope\nhint: it has: @shop, @li\n");
});
