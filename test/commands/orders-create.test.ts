/** Creating an order from flags, a file, or both; what is sent, what is shown, what bad input gets. */

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { answerRaw, requestCount, sentBodies } from "../support/answers.ts";
import { createHome, createServedHome } from "../support/courier.ts";
import { plainDraft } from "../support/orders.ts";
import { otherFiles } from "../support/other-files.ts";

const stdin = JSON.stringify(plainDraft);
const fromPipe = "orders create --file -";

describe("what is created is shown", () => {
  test.each([40, 80, 140, undefined])(
    "to a person, with what can be done next (columns: %s)",
    async (terminal) => {
      const home = await createServedHome();
      await writeFile(path.join(home.directory, "order.json"), stdin);
      const words = ["orders", "create", "--yes", "--file", path.join(home.directory, "order.json")];
      const options = terminal ? { terminal, env: { NO_COLOR: "1" } } : {};
      const { exit, stdout, stderr } = await home.courier(words, options);
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "The service says: order created\n" });
      for (const text of [
        "Order created\n",
        "Order            1000001\n",
        "Tracking number  CR988818558542\n",
        "State            pending\n",
        "Estimated fee    20.00\n",
        "courier track CR988818558542",
        "courier orders cancel 1000001",
      ]) {
        // A narrow terminal wraps between words.
        expect(stdout.replace(/\s+/g, " ")).toContain(text.trim().replace(/ +/g, " "));
      }
    },
  );

  test("as JSON and NDJSON", async () => {
    const { courier } = await createServedHome();
    const compact = await courier(`${fromPipe} --json`, { stdin });
    expect(compact.exit).toBe(0);
    expect(compact.stdout).toMatch(/^\{"id":1000001,"order_no":"CO\d+","tracking_number":"CR\d+".*\}\n$/);
    expect((await courier(`${fromPipe} --ndjson --allow-duplicate`, { stdin })).stdout).toMatch(
      /^\{"id":1000002,.*\}\n$/,
    );
    expect((await courier(`${fromPipe} --json --quiet --allow-duplicate`, { stdin })).stderr).toBe("");
  });
});

describe("what is sent", () => {
  test("is what was given and no more", async () => {
    const home = await createServedHome();
    await home.courier("orders create --sender-name A --receiver-city 北京 --item-quantity 2");
    const request = home.sandbox.requests.find(({ method }) => method === "POST");
    expect(request?.body).toBe('{"sender":{"name":"A"},"receiver":{"city":"北京"},"item":{"quantity":2}}');
    expect(request?.headers).toMatchObject({
      "content-type": "application/json",
      accept: "application/json",
      authorization: `Bearer ${home.sandbox.apiKey}`,
    });
  });

  test("is the file with the flags laid over it", async () => {
    const home = await createServedHome();
    await home.courier(
      `${fromPipe} --receiver-phone 13700137000 --item-weight 2.50 --service-type same_day`,
      { stdin },
    );
    expect(JSON.parse(sentBodies(home)[0] ?? "")).toEqual({
      ...plainDraft,
      receiver: { ...plainDraft.receiver, phone: "13700137000" },
      item: { ...plainDraft.item, weight: 2.5 },
      service_type: "same_day",
    });
  });

  test("a service type that the interface does not name is the service's to refuse", async () => {
    const home = await createServedHome();
    const { exit, stderr } = await home.courier(`${fromPipe} --service-type drone`, { stdin });
    expect(exit).toBe(1);
    expect(stderr).toContain("the service refused --service-type “");
  });

  const utf16 = Buffer.from(stdin, "utf16le");
  const marked = Buffer.from(`\ufeff${stdin}`, "utf16le");
  test.each([
    ["UTF-16LE with a mark, as PowerShell's > writes it", marked],
    ["UTF-16BE with a mark", Buffer.from(marked).swap16()],
    ["UTF-16LE", utf16],
    ["UTF-16BE", Buffer.from(utf16).swap16()],
  ])("a file in %s is read", async (_encoding, bytes) => {
    const home = await createServedHome();
    expect(await home.courier(fromPipe, { stdin: bytes })).toMatchObject({ exit: 0 });
    expect(sentBodies(home).map((sent) => JSON.parse(sent))).toEqual([plainDraft]);
  });

  test("with a byte order mark before it, a file is read all the same", async () => {
    const { courier } = await createServedHome();
    expect((await courier(fromPipe, { stdin: `\uFEFF${stdin}` })).exit).toBe(0);
  });

  test("--dry-run prints the body and sends nothing, and needs no account", async () => {
    const { courier } = await createHome();
    const words = "orders create --dry-run --sender-name 张三 --receiver-name B --item-weight 2.50";
    const body = '{"sender":{"name":"张三"},"receiver":{"name":"B"},"item":{"weight":2.50}}';
    expect(await courier(`${words} --json`)).toEqual({ exit: 0, stdout: `${body}\n`, stderr: "" });
    const shown = await courier(words, { terminal: 80, env: { NO_COLOR: "1" } });
    expect(shown).toMatchObject({ exit: 0, stderr: "" });
    expect(shown.stdout).toContain('    "weight": 2.50');
    expect(JSON.parse(shown.stdout)).toEqual(JSON.parse(body));
  });
});

describe("a refused field is named as the user gave it", () => {
  const refusal = { code: "refused", status: 400, service_code: "INVALID_PARAMETER", exit: 1 };

  test("a flag by its flag", async () => {
    const { courier } = await createServedHome();
    const { exit, stdout, stderr } = await courier(`${fromPipe} --sender-phone 12 --json`, { stdin });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({ ...refusal, details: { field: "sender.phone", value: "12" } });
    expect(error.message).toContain("the service refused --sender-phone “12”: ");
  });

  test("a key of the file by its path", async () => {
    const { courier } = await createServedHome();
    const draft = { ...plainDraft, sender: { ...plainDraft.sender, phone: "12" } };
    const { exit, stderr } = await courier(fromPipe, { stdin: JSON.stringify(draft) });
    expect(exit).toBe(1);
    expect(stderr).toContain("error: the service refused sender.phone in stdin “12”: ");
    expect(stderr).toContain("(INVALID_PARAMETER)");
  });
});

describe("a wrong order file: exit 2, the place is named, nothing is sent", () => {
  test.each([
    ["malformed JSON", '{\n  "sender": {,\n}', /^error: stdin, line 2, column 14: not valid JSON: /],
    ["a file that stops", '{"sender": {"name": "A"', /^error: stdin, line 1, column 24: not valid JSON: /],
    [
      "a key given twice",
      '{"sender":{"name":"A","name":"B"}}',
      /^error: stdin, line 1, column \d+: not valid JSON: /,
    ],
    ["nothing", "", /^error: stdin is empty; an order file is a JSON object\n/],
    ["blanks", " \n ", /^error: stdin is empty/],
    ["an array", "[]", /^error: stdin: an order must be an object, but is an array\n/],
    [
      "a phone as a number",
      '{"sender":{"phone":13800138000}}',
      /sender\.phone must be a string, but is a number\nhint: put it in quotes/,
    ],
    ["a weight as text", '{"item":{"weight":"2.5"}}', /item\.weight must be a number, but is a string/],
    ["half a piece", '{"item":{"quantity":1.5}}', /item\.quantity must be a whole number, but is 1\.5\n/],
    ["a whole number with a fraction", '{"item":{"quantity":5001.0}}', /but is 5001\.0\nhint: write 5001\n/],
    ["a party as text", '{"sender":"A"}', /sender must be an object, but is a string/],
    ["a party as a number", '{"sender":3}', /: sender must be an object, but is a number\n/],
    ["a number", "3", /: an order must be an object, but is a number\n/],
    ["null", '{"sender":null}', /sender must be an object, but is null/],
    [
      "a key that is a path",
      '{"receiver.name":"李四"}',
      /receiver\.name is not a key of an order \(nest it: "receiver": \{"name": …\}\)/,
    ],
    ["a misspelt part", '{"reciever":{}}', /reciever is not a key of an order \(did you mean receiver\?\)/],
    [
      "a misspelt field",
      '{"sender":{"phnoe":"1"}}',
      /sender\.phnoe is not a key of an order \(did you mean sender\.phone\?\)/,
    ],
    [
      "several mistakes",
      '{"sender":{"a":1},"item":{"weight":true}}',
      /sender\.a is not a key.*; item\.weight must be a number, but is a boolean/,
    ],
  ])("%s", async (_what, text, message) => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier(fromPipe, { stdin: text });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toMatch(message);
    const json = await home.courier(`${fromPipe} --json`, { stdin: text });
    expect(json).toMatchObject({ exit: 2, stdout: "" });
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: "file", exit: 2 });
    expect(home.sandbox.requests).toEqual([]);
  });

  test.each([
    [
      "an order",
      2_000_000,
      "stdin has more than 1,000,000 characters, the most that courier reads as one order",
    ],
    ["a file", 17 * 2 ** 20, "stdin is larger than 16 MB\nhint: check what is piped in\n"],
  ])("%s that is too long is refused with the limit", async (_what, length, message) => {
    const home = await createServedHome();
    const order = JSON.stringify({ ...plainDraft, service_type: "x".repeat(length) });
    const { exit, stderr } = await home.courier(fromPipe, { stdin: order });
    expect(exit).toBe(2);
    expect(stderr).toContain(message);
    expect(home.sandbox.requests).toEqual([]);
  });

  test.each(otherFiles)("%s is told as what it is", async (what, bytes) => {
    const home = await createServedHome();
    const { exit, stderr } = await home.courier(fromPipe, { stdin: bytes });
    expect(exit).toBe(2);
    expect(stderr).toContain(`error: stdin is ${what}`);
    expect(home.sandbox.requests).toEqual([]);
  });

  test("a file that is not UTF-8 is refused, not sent with other characters", async () => {
    const home = await createServedHome();
    const bytes = Buffer.from(JSON.stringify({ sender: { name: "M\u00fcller" } }), "latin1");
    const { exit, stderr } = await home.courier(fromPipe, { stdin: bytes });
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: "error: stdin is not a text in UTF-8\nhint: save it as UTF-8 and try again\n",
    });
    expect(home.sandbox.requests).toEqual([]);
  });

  test("a file that cannot be read is named with the reason", async () => {
    const home = await createServedHome();
    const directory = path.join(home.directory, "folder");
    await mkdir(directory);
    for (const [file, reason] of [
      [path.join(home.directory, "none.json"), "there is no such file"],
      [directory, "it is a directory"],
    ] as const) {
      const { exit, stdout, stderr } = await home.courier(["orders", "create", "--file", file]);
      expect({ exit, stdout, stderr }).toEqual({
        exit: 2,
        stdout: "",
        stderr: `error: cannot read ${file}: ${reason}\n`,
      });
    }
  });
});

describe("wrong flags: exit 2, nothing is sent", () => {
  test.each([
    ["--item-weight heavy", "--item-weight takes a number such as 2.50, not “heavy”"],
    ["--item-weight 1,5", "--item-weight takes a number such as 2.50, not “1,5”"],
    ["--item-value 1e3", "--item-value takes a number such as 2.50, not “1e3”"],
    ["--item-quantity 1.5", "--item-quantity takes a whole number, not “1.5”"],
    ["--item-quantity two", "--item-quantity takes a whole number, not “two”"],
  ])("%s", async (words, message) => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier(`${fromPipe} ${words}`, { stdin });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`error: ${message}\n`);
    expect(requestCount(home, "POST")).toBe(0);
  });

  test.each([
    ["orders create --no-input", "--sender-name … --receiver-name … --item-name …"],
    ["orders create --json", "--sender-name … --receiver-name … --item-name …"],
    ["orders create --no-input --sender-name A --item-name B", "--receiver-name …"],
  ])("%s names the missing flags", async (words, flags) => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier(words);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`give ${flags}, or a whole order with --file order.json`);
    expect(home.sandbox.requests).toEqual([]);
  });
});

describe("a text that cannot be meant: exit 2, its place is named, nothing is sent", () => {
  const withPhone = (phone: string) =>
    JSON.stringify({ ...plainDraft, receiver: { ...plainDraft.receiver, phone } });

  test.each([
    [
      "a flag",
      ["--receiver-phone", "138\u200b1"],
      stdin,
      "--receiver-phone “138\\u200b1” holds an invisible character",
    ],
    [
      "a flag for a name",
      ["--sender-name", "a\u001bb"],
      stdin,
      "--sender-name “a\\u001bb” holds a control character",
    ],
    [
      "a flag",
      ["--sender-phone", "13800138000.0"],
      stdin,
      "--sender-phone “13800138000.0” ends in .0, as a spreadsheet",
    ],
    [
      "a flag",
      ["--sender-phone", "'13800138000"],
      stdin,
      "--sender-phone “'13800138000” begins with ', as a spreadsheet",
    ],
    [
      "a flag",
      ["--sender-phone", '="13800138000"'],
      stdin,
      '--sender-phone “="13800138000"” begins with =", as a spreadsheet',
    ],
    [
      "a flag",
      ["--sender-phone", "１３８00138000"],
      stdin,
      "--sender-phone “１３８00138000” has full-width digits",
    ],
    [
      "a flag",
      ["--sender-phone", "1.38E+10"],
      stdin,
      "--sender-phone “1.38E+10” was changed by a spreadsheet",
    ],
    [
      "a file",
      [],
      withPhone("138\u0000"),
      "receiver.phone in stdin “138\\u0000” holds a NUL character (U+0000)",
    ],
    [
      "a flag",
      ["--receiver-name", "#REF!"],
      stdin,
      "--receiver-name “#REF!” holds the error #REF! of a spreadsheet",
    ],
    [
      "a flag",
      ["--receiver-name", "??"],
      stdin,
      "--receiver-name “??” has only question marks: the text was lost before courier read it",
    ],
    ["a flag", ["--item-name", "\u200b"], stdin, "--item-name “\\u200b” has only invisible characters"],
    [
      "a flag",
      ["--sender-name", "李\u200b四"],
      stdin,
      "--sender-name “李\\u200b四” holds an invisible character",
    ],
    [
      "a flag",
      ["--yes", "--receiver-text", "Li Si 13800138000 ����·88��"],
      stdin,
      "receiver.detail “����·88��” holds the mark of a lost character (U+FFFD)",
    ],
    [
      "a file",
      [],
      JSON.stringify({ ...plainDraft, item: { ...plainDraft.item, name: "?" } }),
      "item.name in stdin “?” has only question marks",
    ],
    ["a file", [], withPhone("#N/A"), "receiver.phone in stdin “#N/A” holds the error #N/A of a spreadsheet"],
    ["a file", [], withPhone("13800138000.0"), "receiver.phone in stdin “13800138000.0” ends in .0"],
  ])("of %s %j", async (_what, words, order, message) => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier([...fromPipe.split(" "), ...words], { stdin: order });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr).toContain("hint: ");
    expect(home.sandbox.requests).toEqual([]);
  });

  test("a flag takes the place of a wrong text in the file", async () => {
    const home = await createServedHome();
    const words = `${fromPipe} --receiver-phone 13900139000`;
    expect(await home.courier(words, { stdin: withPhone("138\u0000") })).toMatchObject({ exit: 0 });
  });

  test("of the address book is named by its alias", async () => {
    const home = await createServedHome();
    await mkdir(home.configDir, { recursive: true });
    const config = JSON.stringify({ addresses: { li: { name: "Li", phone: "138\u200b1" } } });
    await writeFile(path.join(home.configDir, "config.json"), config);
    const { exit, stderr } = await home.courier([...fromPipe.split(" "), "--receiver", "@li"], { stdin });
    expect(exit).toBe(2);
    expect(stderr).toContain(
      "error: receiver.phone of @li “138\\u200b1” holds an invisible character (U+200B)",
    );
    expect(home.sandbox.requests).toEqual([]);
  });
});

test("an order that lost its Chinese to question marks is refused, and the way out is said", async () => {
  const home = await createServedHome();
  const piped = stdin.replace(/[^\0-\x7f]/g, "?");
  const { exit, stderr } = await home.courier(fromPipe, { stdin: piped });
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr:
      "error: stdin: characters became question marks before courier read them: sender.name is “??”\n" +
      "hint: in Windows PowerShell, run $OutputEncoding = [System.Text.UTF8Encoding]::new() and pipe it again; or give the name of the file instead of -\n",
  });
  expect(home.sandbox.requests).toEqual([]);
});

describe("an unusual answer to a create", () => {
  const answered = (beside: string, status: string) =>
    `{"success":true,${beside}"data":{"id":7,"order_no":"CO7","tracking_number":"CR7","status":"${status}"}}`;

  test("an order that is cancelled is not offered to be cancelled or followed", async () => {
    const home = await createServedHome();
    answerRaw(home, "POST /api/v1/orders", answered("", "cancelled"), { status: 201 });
    const { exit, stdout } = await home.courier(fromPipe, { stdin });
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^Order created, and it is cancelled\n/);
    expect(stdout).toContain("orders show 7");
    expect(stdout).not.toMatch(/orders cancel|track CR7/);
  });

  test("a script is warned of an order that is cancelled from the start, once", async () => {
    const home = await createServedHome();
    answerRaw(home, "POST /api/v1/orders", answered("", "cancelled"), { status: 201 });
    const { exit, stderr } = await home.courier(`${fromPipe} --json`, { stdin });
    expect([exit, stderr]).toEqual([
      0,
      "warning: order 7 was created, but the service calls it cancelled already\n",
    ]);
  });

  test.each([
    ['{"code":"LOW_BALANCE","message":"pay soon"}', "The service says: error: pay soon, LOW_BALANCE\n"],
    ['"pay soon"', "The service says: pay soon\n"],
  ])("an error beside the order is shown: %s", async (error, note) => {
    const home = await createServedHome();
    answerRaw(home, "POST /api/v1/orders", answered(`"error":${error},`, "pending"), { status: 201 });
    const { exit, stderr } = await home.courier(fromPipe, { stdin });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: note });
  });
});

test("an empty name of a template is called empty", async () => {
  const home = await createServedHome();
  const { exit, stderr } = await home.courier(["orders", "create", "--template", ""]);
  expect([exit, stderr]).toEqual([
    2,
    "error: the name of the template is empty\nhint: is a shell variable not set?\n",
  ]);
});
