/** A key is not taken from the command line, and no sink ever shows one. */

import { describe, expect, test } from "vitest";
import { answerData, onePage } from "../support/answers.ts";
import { putConfig } from "../support/config-file.ts";
import { createHome, createServedHome } from "../support/courier.ts";
import { filesBelow } from "../support/marker.ts";
import { createOrder, plainDraft } from "../support/orders.ts";

describe("a key on the command line is refused and not repeated", () => {
  test.each([
    [["login", "--key", "sk-very-secret"]],
    [["login", "--api-key=sk-very-secret"]],
    [["--token=sk-very-secret", "profile"]],
    [["orders", "list", "--apikey", "sk-very-secret"]],
    [["profile", "--secret=sk-very-secret"]],
    [["profile", "--password", "sk-very-secret"]],
    [["--api-key", "sk-very-secret", "profile", "--json"]],
  ])("%j", async (words) => {
    const { courier } = await createHome();
    const { exit, stdout, stderr } = await courier(words);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain("a key is not taken from the command line");
    expect(stderr).toContain("courier login < key.txt");
    expect(stderr).toContain("COURIER_API_KEY");
    expect(stderr).not.toContain("very-secret");
  });

  test("the JSON form says so with a code of its own", async () => {
    const { courier } = await createHome();
    const { stderr } = await courier("profile --json --api-key sk-very-secret");
    expect(JSON.parse(stderr).error).toMatchObject({ code: "key_on_command_line", exit: 2 });
  });
});

test.each([
  "login sk_live_abc",
  "login --base-url https://api.example.com sk_live_abc --json",
  "--account shop login sk_live_abc more",
  "login -- sk_live_abc",
])("a key as a word of login is not repeated, and the advice says what to do: %s", async (words) => {
  const { courier } = await createHome();
  const { exit, stdout, stderr } = await courier(words);
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
  expect(stderr).toContain("login takes no key as an argument, where it would stay in the shell's history");
  expect(stderr).toMatch(/prompt.*courier login < key\.txt.*COURIER_API_KEY.*replace a key/);
  expect(stderr).not.toContain("sk_live");
  if (words.endsWith("--json")) expect(JSON.parse(stderr).error.code).toBe("key_on_command_line");
});

test("the service repeating the key in any form does not show it", async () => {
  const home = await createServedHome();
  const key = home.sandbox.apiKey;
  const base64 = Buffer.from(key).toString("base64");
  const message = `bad key ${key} ${encodeURIComponent(key)} ${base64}`;
  for (const words of [
    "profile",
    "profile --json",
    "profile --debug",
    "orders create --debug --item-name A",
  ]) {
    home.sandbox.faults.set([{ kind: "refuse", status: 401, code: key, message, details: { key } }]);
    const all = `${words}${words.includes("create") ? " --sender-name B --receiver-name C" : ""}`;
    const { exit, stdout, stderr } = await home.courier(all);
    expect({ exit, stdout }).toEqual({ exit: 4, stdout: "" });
    expect(stderr).toContain("[redacted]");
    expect(stderr).not.toContain(key);
    expect(stderr).not.toContain(base64);
  }
});

test("a refused key ends with exit 4 and the way to a new one", async () => {
  const home = await createServedHome();
  const env = { COURIER_API_KEY: "wrong-key-12345" };
  for (const words of ["profile", "orders list", "orders list --all", "orders show 1", "track T1 T2"]) {
    const { exit, stdout, stderr } = await home.courier(words, { env });
    expect({ exit, stdout }).toEqual({ exit: 4, stdout: "" });
    expect(stderr).toMatch(
      /^error: the service refused the key: .*\(UNAUTHORIZED\)\nhint: .*courier login\n$/,
    );
    expect(stderr).not.toContain("wrong-key-12345");
  }
});

test.each(["key with blanks", "line\nbreak", "schlüssel", "\u0000nul"])(
  "an unusable key in the environment (%j) is a wrong setting, not a broken connection",
  async (key) => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier("profile", { env: { COURIER_API_KEY: key } });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain("COURIER_API_KEY");
    expect(stderr).not.toContain(key);
    expect(home.sandbox.requests).toEqual([]);
  },
);

describe("a key that stands in the wrong place is masked", () => {
  const key = "Sk-Wrong_\"0'<&123456789";
  const env = { COURIER_API_KEY: key };

  test.each([
    [[key]],
    [["help", key]],
    [["orders", key, "--json"]],
    [[`--${key}`]],
    [["orders", "show", key]],
    [["orders", "show", key, "--json"]],
    [["profile", "--account", key]],
    [["profile", "--base-url", key]],
    [["orders", "create", "--file", key]],
    [["track", "T1", "--watch", "--for", key]],
    [["orders", "list", "--fields", key, "--status", key]],
    [["orders", "list", "--fields", key, "--csv"]],
    [["orders", "list", "--fields", key, "--json"]],
    [["track", key, "--account", "sandbox", "--debug"]],
  ])("%j", async (words) => {
    const home = await createServedHome({ apiKey: "another-key-123" });
    const ran = await home.courier(words, { env });
    expect(ran.stdout + ran.stderr).not.toMatch(/sk-wrong|123456789/i);
    expect(ran.exit).not.toBe(70);
  });

  test.each(["orders list --fields KEY", "orders list --fields KEY --csv", "orders show KEY"])(
    "of the account in use: %s",
    async (words) => {
      const home = await createServedHome({ apiKey: "Sk-Wrong_123456789" });
      await createOrder(home);
      for (const terminal of [undefined, 120]) {
        const line = words.replace("KEY", home.sandbox.apiKey);
        const ran = await home.courier(line, { ...(terminal ? { terminal } : {}) });
        expect(ran.stdout + ran.stderr).toContain("[redacted]");
        expect(ran.stdout + ran.stderr).not.toMatch(/sk-wrong/i);
      }
    },
  );

  test.each(["COURIER_BASE_URL", "COURIER_SETTLE", "COURIER_ACCOUNT"])("%s", async (name) => {
    const { courier } = await createHome(env);
    const { exit, stdout, stderr } = await courier("orders list", { env: { [name]: key } });
    expect([2, 4]).toContain(exit);
    expect(stdout).toBe("");
    expect(stderr).not.toMatch(/sk-wrong|123456789/i);
  });
});

describe("a key that is stored and stands in the wrong place is masked", () => {
  const key = "Sk-Wrong_\"0'<&123456789";

  test.each([
    [[key]],
    [["help", key]],
    [["orders", key, "--json"]],
    [["profile", `--${key}`]],
    [["profile", "--account", key]],
    [["profile", "--account", `my ${key}`, "--debug"]],
    [["accounts", "use", key]],
    [["orders", "show", key]],
    [["orders", "list", "--status", key, "--limit", key]],
    [["orders", "create", "--file", key]],
    [["orders", "import", key, "--json"]],
    [["track", "T1", "--watch", "--for", key]],
  ])("%j", async (words) => {
    const home = await createServedHome();
    const base_url = home.sandbox.baseUrl;
    await putConfig(home, { current: "a", accounts: { a: { base_url }, b: { base_url, key } } });
    const ran = await home.courier(words, { env: { COURIER_API_KEY: "", COURIER_BASE_URL: "" } });
    expect(ran.exit).toBeGreaterThan(0);
    expect(ran.stdout + ran.stderr).not.toMatch(/sk-wrong|123456789/i);
    expect(ran.exit).not.toBe(70);
    const isRepeated = !words.includes("help") && !words.includes("show"); // no key, so no order is looked for
    if (isRepeated) expect(ran.stderr).toContain("[redacted]");
  });

  test("the key ring is not asked for what an error must not show", async () => {
    const home = await createServedHome();
    const base_url = home.sandbox.baseUrl;
    await putConfig(home, { accounts: { a: { base_url, key_store: "keychain" } } });
    const asked: unknown[] = [];
    Object.assign(home.keyRing, { get: async (entry: unknown) => void asked.push(entry) });
    expect((await home.courier("orders lost --account a")).exit).toBe(2);
    expect(asked).toEqual([]);
  });
});

test.each(["sk-only-here-123", "sk:only-here-123", "sk@only-here-123"])(
  "a key in the place of the base URL is not repeated, though nothing says that it is one: %s",
  async (key) => {
    const { courier } = await createHome();
    for (const { exit, stderr } of [
      await courier(["profile", "--base-url", key]),
      await courier("profile", { env: { COURIER_BASE_URL: key } }),
      await courier(["login", "--base-url", key], { stdin: "some-other-key" }),
    ]) {
      expect(exit).toBe(2);
      expect(stderr).toMatch(
        /^error: (--base-url|COURIER_BASE_URL|the base URL) is not a URL\nhint: a base URL looks like/,
      );
      expect(stderr).not.toContain("only-here");
    }
  },
);

test.each([20, 43, 83, 300, 4_400])(
  "a key of %i characters is masked before a text is cut",
  async (length) => {
    const apiKey = "k7Qx".repeat(length / 4 + 1).slice(0, length);
    const home = await createServedHome({ apiKey });
    const hex = Buffer.from(apiKey).toString("hex");
    for (const echo of [apiKey, hex, encodeURIComponent(`"${apiKey}`), "x".repeat(70) + apiKey]) {
      const body = `<p>${echo}</p>`;
      const head = `HTTP/1.1 500 No\r\ncontent-type: text/html\r\ncontent-length: ${body.length}\r\n\r\n`;
      home.sandbox.faults.set([{ kind: "raw", bytes: head + body }]);
      const { stderr } = await home.courier("orders list");
      expect(stderr).toContain("HTTP 500");
      expect(stderr).not.toContain("k7Qxk7");
      expect(stderr).not.toContain(hex.slice(0, 12));
    }
  },
);

test("a key in the middle of which a body is cut is masked", async () => {
  const apiKey = "k7Qx/aB3+cD4=eF5_gH6.iJ7-z";
  const home = await createServedHome({ apiKey });
  const numbers = [...apiKey].map((each) => `&#${each.charCodeAt(0)};`).join("");
  const forms = [
    apiKey,
    Buffer.from(apiKey).toString("hex"),
    btoa(apiKey),
    btoa(`me:${apiKey}`),
    encodeURIComponent(encodeURIComponent(apiKey)),
    numbers,
    numbers.replaceAll("&", "&amp;amp;"),
  ];
  for (const form of forms) {
    for (const left of [3, 4, 5, 6, 7, Math.floor(form.length / 2)]) {
      const body = `{"success":false,"error":"key ${form.slice(0, -left)}`;
      const type = "content-type: application/json";
      for (const missing of [0, left]) {
        const head = `HTTP/1.1 400 No\r\n${type}\r\ncontent-length: ${body.length + missing}\r\n\r\n`;
        home.sandbox.faults.set([{ kind: "raw", bytes: head + body }]);
        const { stderr } = await home.courier("profile");
        expect(stderr, body).toMatch(/“{"success":false,"error":"key (bWU6)?\[redacted\]”/);
      }
    }
  }
});

test.each([
  ["HTML's names", "k7Qx&sol;aB3&plus;cD4&equals;eF5&lowbar;gH6&period;iJ7&hyphen;z"],
  ["numbers for letters", "&#x6b;&#55;&#x51;x/aB3+&#x63;D4=eF5_gH6.iJ7&#45;z"],
  ["two URL encodings", "k7Qx%252FaB3%252BcD4%253DeF5_gH6.iJ7-z"],
  ["two HTML encodings", "k7Qx&amp;#x2F;aB3&amp;plus;cD4&amp;#61;eF5_gH6.iJ7-z"],
])("a web page that repeats the key in %s does not show it", async (_what, echo) => {
  const home = await createServedHome({ apiKey: "k7Qx/aB3+cD4=eF5_gH6.iJ7-z" });
  const body = `<p>${echo}</p>`;
  const head = `HTTP/1.1 500 No\r\ncontent-type: text/html\r\ncontent-length: ${body.length}\r\n\r\n`;
  home.sandbox.faults.set([{ kind: "raw", bytes: head + body }]);
  const { stderr } = await home.courier("orders list");
  expect(stderr).toContain("“<p>[redacted]</p>”");
  home.sandbox.faults.set([{ kind: "refuse", status: 400, code: "ODD", message: `key ${echo}` }]);
  expect((await home.courier("orders list --json")).stderr).toContain("key [redacted] (ODD)");
});

describe("a service that repeats the key in its data", () => {
  const apiKey = 'Qk7/echo+01"z~Q9';
  const text = JSON.stringify(apiKey);
  const escaped = [...apiKey].map((each) => `\\u00${each.charCodeAt(0).toString(16)}`).join("");
  const order = `{"id":7,"order_no":"${escaped}","tracking_number":${text},"status":"pending","item_name":${text},"receiver":{"name":${text},${text}:[${text}]},"item":{"name":${text}}}`;

  const create = "orders create --sender-name A --receiver-name B --item-name C";
  test.each([
    ["orders list", "GET /api/v1/orders", `[${order}]`],
    ["orders list --json", "GET /api/v1/orders", `[${order}]`],
    ["orders list --ndjson", "GET /api/v1/orders", `[{"id":7,"order_no":"${escaped}"}]`],
    ["orders show 7 --debug", "GET /api/v1/orders/7", order],
    ["orders export --csv", "GET /api/v1/orders", `[${order}]`],
    [create, "POST /api/v1/orders", order],
    [`${create} --json`, "POST /api/v1/orders", order],
    ["profile --ndjson", "GET /api/v1/user/profile", `{"id":1,"name":${text},"email":${text}}`],
    ["api POST orders -f item.name=C --debug", "POST /api/v1/orders", order],
    ["api DELETE orders/7 --debug", "DELETE /api/v1/orders/7", order],
  ])("%s neither shows nor stores it", async (words, call, data) => {
    const home = await createServedHome({ apiKey });
    answerData(home, call, data, `${onePage},"message":${text}`);
    const { exit, stdout, stderr } = await home.courier(words);
    expect(exit, stderr).toBe(0);
    // A raw call prints what the service says, byte for byte.
    const shown = words.startsWith("api ") ? stderr : stdout + stderr;
    const files = await filesBelow(home.stateDir);
    for (const each of [{ file: "the screen", text: shown }, ...files])
      for (const form of [apiKey, text.slice(1, -1), escaped])
        expect(each.text, each.file).not.toContain(form);
  });

  test("a refusal of a raw call is stored without it", async () => {
    const home = await createServedHome({ apiKey });
    home.sandbox.faults.set([{ kind: "refuse", status: 400, code: "INVALID_PARAMETER", message: apiKey }]);
    expect((await home.courier("api POST orders -f item.name=C")).exit).toBe(1);
    for (const { file, text } of await filesBelow(home.stateDir)) expect(text, file).not.toContain(apiKey);
  });
});

describe("a short key", () => {
  test("is refused in the environment, since masking it would garble every text", async () => {
    const home = await createServedHome();
    const { exit, stderr } = await home.courier("profile", { env: { COURIER_API_KEY: "se7en77" } });
    expect(exit).toBe(2);
    expect(stderr).toContain("COURIER_API_KEY is too short: a key has at least 8 characters");
    expect(stderr).not.toContain("se7en77");
    expect(home.sandbox.requests).toEqual([]);
  });

  test("is refused at login and from a key command, and nothing is stored", async () => {
    const home = await createServedHome();
    const login = `login --base-url ${home.sandbox.baseUrl}`.split(" ");
    const env = { COURIER_API_KEY: "" };
    const piped = await home.courier(login, { env, stdin: "abc\n" });
    const command = `'${process.execPath}' -p '"abc"'`; // Windows has no program echo
    const asked = await home.courier([...login, "--key-command", command], { env });
    expect([piped.exit, asked.exit]).toEqual([2, 4]);
    for (const { stderr } of [piped, asked]) {
      expect(stderr).toContain("is too short: a key has at least 8 characters");
    }
    expect(JSON.parse((await home.courier("accounts list --json")).stdout)).toHaveLength(1);
  });

  test("of 8 characters will do, and is masked", async () => {
    const home = await createServedHome({ apiKey: "eight888" });
    home.sandbox.faults.set([{ kind: "refuse", status: 400, code: "ODD", message: "key eight888" }]);
    expect((await home.courier("profile")).stderr).toContain("key [redacted] (ODD)");
  });
});

describe("a long key", () => {
  test("of 8192 characters makes orders, and no message shows it", async () => {
    const apiKey = "kD.7x-_w".repeat(1_024);
    const home = await createServedHome({ apiKey });
    const draft = JSON.stringify(plainDraft);
    const made = await home.courier("orders create --file - --debug", { stdin: draft });
    expect(made.exit, made.stderr).toBe(0);
    home.sandbox.faults.set([{ kind: "refuse", status: 400, code: "ODD", message: `key ${apiKey}` }]);
    const refused = await home.courier("orders list --debug");
    expect(refused.exit).toBe(1);
    expect(refused.stderr).toContain("key [redacted]");
    for (const { stdout, stderr } of [made, refused]) expect(stdout + stderr).not.toContain("kD.7x-_w");
  });

  test("of more than 16 MB at login is no key, and the hint fits that", async () => {
    const home = await createHome();
    const login = "login --base-url https://api.example.com";
    const { exit, stderr } = await home.courier(login, { stdin: "x".repeat(17 * 2 ** 20) });
    expect(exit).toBe(2);
    expect(stderr).toMatch(/error: stdin is larger than 16 MB\nhint: check what is piped in\n$/);
  });

  const tooLong = `${"kD.7x-_w".repeat(1_024)}x`;

  test("of more is refused in the environment before anything is sent", async () => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier("profile", { env: { COURIER_API_KEY: tooLong } });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain("COURIER_API_KEY has 8193 characters; a key has at most 8192");
    expect(stderr).not.toContain("kD.7x-_w");
    expect(home.sandbox.requests).toEqual([]);
  });

  test("of more is refused at login, and nothing is stored", async () => {
    const home = await createServedHome();
    const login = `login --base-url ${home.sandbox.baseUrl} --json`;
    const { exit, stderr } = await home.courier(login, { env: { COURIER_API_KEY: "" }, stdin: tooLong });
    expect(exit).toBe(2);
    expect(stderr).toContain("the API key has 8193 characters");
    expect(stderr).not.toContain("kD.7x-_w");
    expect(JSON.parse((await home.courier("accounts list --json")).stdout)).toMatchObject([
      { account: "sandbox" },
    ]);
  });
});

test("a base URL as a word of login gets the command with its flag, without what may be a password", async () => {
  const { courier } = await createHome();
  const { exit, stdout, stderr } = await courier("login http://me:pass-1@127.0.0.1:1/");
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
  expect(stderr).toBe(
    "error: login takes the base URL with a flag\nhint: courier login --base-url http://127.0.0.1:1/\n",
  );
});
