/** A key that the ledger does not know, and a profile that does not say whose it is: nothing is sent as a new customer. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { answerData, answerRaw, onePage } from "../support/answers.ts";
import { createImportHome, errorOf, lostForNow, outcomes, row, sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";

const profile = "GET /api/v1/user/profile";
const stdin = JSON.stringify(plainDraft);
const inDoubt = JSON.stringify({ ...plainDraft, item: { ...plainDraft.item, name: "绿茶" } });
const refused = '{"success":false,"error":{"code":"FORBIDDEN","message":"no"}}';
const wrongProfiles: readonly (readonly [what: string, status: number, body: string])[] = [
  ["a web page", 200, "<html><body>back soon</body></html>"],
  ["no data", 200, '{"success":true,"data":null}'],
  ["no id", 200, '{"success":true,"data":{"name":"A"}}'],
  ["an id that is a text", 200, '{"success":true,"data":{"id":"seven"}}'],
  ["success false", 200, refused],
  ["HTTP 403", 403, refused],
  ["HTTP 404", 404, refused],
];
const ordered = "GET /api/v1/orders/1000001";
const notFound = '{"success":false,"error":{"code":"NOT_FOUND","message":"no"}}';
const renewedKey = "renewed-key-0123456789";

/** A row and an order with the ref B-1 are sent; then the account has a new key, which the service takes. */
async function renewedHome() {
  const home = await createImportHome(sheet(row("A-1")));
  expect(outcomes((await home.run()).report)).toBe("created");
  const words = "orders create --file - --json --ref B-1";
  expect((await home.courier(words, { stdin })).exit).toBe(0);
  const shown = (await home.courier("api user/profile")).stdout;
  const order = (await home.courier("api orders/1000002")).stdout;
  return { ...home, words, shown, order, env: { COURIER_API_KEY: renewedKey } };
}

test.each(wrongProfiles)("a renewed key and a profile with %s", async (_what, status, body) => {
  const home = await renewedHome();
  answerRaw(home, profile, body, { status });
  const created = await home.courier(home.words, { stdin, env: home.env });
  expect([created.exit, errorOf(created).code, home.posts]).toEqual([5, "customer_unknown", 2]);
  const file = path.join(home.directory, "later.csv");
  await writeFile(file, sheet(row("A-1"), row("A-2", "王五")));
  const words = `orders import ${file} --yes --json`;
  const imported = await home.courier(words, { env: home.env });
  expect(imported.exit).toBe(5);
  expect(errorOf(imported)).toMatchObject({
    code: "customer_unknown",
    message: expect.stringMatching(
      /^it is not known which customer this key belongs to: .*; nothing was sent$/,
    ),
    hint: expect.stringMatching(/^run the same command again later: /),
  });
  expect((await home.courier("orders show ref:A-1 --json", { env: home.env })).exit).toBe(5);
  expect(home.posts).toBe(2);
  home.sandbox.faults.clear();
  // Made-up answers take any key.
  answerRaw(home, profile, home.shown);
  answerRaw(home, "GET /api/v1/orders/1000002", home.order);
  expect(JSON.parse((await home.courier(home.words, { stdin, env: home.env })).stdout).id).toBe(1000002);
  expect(home.posts).toBe(2);
});

describe("what is said of orders with a renewed key", () => {
  async function homeWithDoubt() {
    const home = await renewedHome();
    home.sandbox.faults.set(lostForNow("drop_after"));
    const lost = await home.courier("orders create --file - --ref C-1", { stdin: inDoubt });
    expect(lost.exit, lost.stderr).toBe(6);
    home.sandbox.faults.clear();
    return home;
  }
  const check = (file: string) => `orders import ${file} --check --json`;
  const writeBack = (file: string) => `orders write-back ${file} -o ${file}.back.csv --json`;

  test("is what the customer's other key has sent, once the service says whose key it is", async () => {
    const { env, file, ...home } = await homeWithDoubt();
    answerRaw(home, profile, home.shown);
    const resolved = await home.courier("orders resolve --json", { env });
    expect(JSON.parse(resolved.stdout), resolved.stderr).toMatchObject([{ ref: "C-1" }]);
    const checked = await home.courier(check(file), { env });
    expect(JSON.parse(checked.stdout), checked.stderr).toMatchObject({
      shipped: 1,
      to_send: 0,
      compared: true,
    });
    const written = await home.courier(writeBack(file), { env });
    expect(JSON.parse(written.stdout), written.stderr).toMatchObject({ tracking_numbers: 1 });
  });

  test.each(["orders resolve --json", "orders write-back", "orders import --check"])(
    "is not said while it is not known whose key it is: %s",
    async (words) => {
      const { env, file, ...home } = await homeWithDoubt();
      answerRaw(home, profile, "<html><body>back soon</body></html>");
      const line = words.endsWith("--check")
        ? check(file)
        : words.endsWith("-back")
          ? writeBack(file)
          : words;
      const { exit, stdout, stderr } = await home.courier(line, { env });
      if (!words.endsWith("--check")) {
        expect([exit, errorOf({ stderr }).code, stdout]).toEqual([5, "customer_unknown", ""]);
        return;
      }
      expect([exit, JSON.parse(stdout).compared]).toEqual([0, false]);
      expect(stderr).toContain("compared with no orders: it is not known which customer this key belongs to");
      const seen = await home.courier(`orders import ${file} --check`, { env });
      expect(seen.stdout).toMatch(
        /To send +not known[\s\S]*nothing: it is not known which customer this key belongs to/,
      );
    },
  );
});

test("where the service shows no customer a profile, the key stands for one", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  answerRaw(home, profile, refused, { status: 403 });
  expect(outcomes((await home.run()).report)).toBe("created");
  expect(outcomes((await home.run()).report)).toBe("shipped");
  expect(home.posts).toBe(1);
});

test("a key that became a customer of its own is asked for again once the service shows profiles", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  answerRaw(home, profile, refused, { status: 403 });
  expect(outcomes((await home.run()).report)).toBe("created");
  home.sandbox.faults.clear();
  answerData(home, profile, '{"id":7,"name":"A"}');
  const env = { COURIER_API_KEY: renewedKey };
  answerRaw(home, ordered, notFound, { status: 404 });
  answerRaw(home, "POST /api/v1/orders", '{"success":true,"data":{"id":1000009}}', { status: 201 });
  const words = "orders create --file - --json --ref B-1";
  expect((await home.courier(words, { stdin, env })).exit).toBe(0);
  const again = await home.courier(words, { stdin });
  expect([again.exit, JSON.parse(again.stdout).id]).toEqual([0, 1000009]);
});

describe("an earlier key whose profile the service refused", () => {
  const words = "orders create --file - --json --ref B-1";
  const env = { COURIER_API_KEY: renewedKey };

  /** The order B-1 is sent with the key; then the service takes a renewed one, and shows its profile or not. */
  async function homeWithEarlierKey(body: string, status: number) {
    const home = await createImportHome(sheet(row("A-1")));
    answerRaw(home, profile, refused, { status: 403 });
    expect((await home.courier(words, { stdin })).exit).toBe(0);
    const shown = (await home.courier("api orders/1000001")).stdout;
    home.sandbox.faults.clear();
    answerRaw(home, profile, body, { status });
    answerRaw(home, "POST /api/v1/orders", '{"success":true,"data":{"id":1000009}}', { status: 201 });
    const posts = () => home.sandbox.requests.filter(({ method }) => method === "POST").length;
    return { ...home, shown, sent: posts };
  }

  const profiles: readonly (readonly [what: string, body: string, status: number])[] = [
    ["shows its profile", '{"success":true,"data":{"id":7,"name":"A"}}', 200],
    ["shows no profile either", refused, 403],
  ];

  test.each(profiles)(
    "is of the same customer where the service shows its order: %s",
    async (_what, ...answer) => {
      const home = await homeWithEarlierKey(...answer);
      answerRaw(home, ordered, home.shown);
      const again = await home.courier(words, { stdin, env });
      expect([again.exit, JSON.parse(again.stdout).id, home.sent()], again.stderr).toEqual([0, 1000001, 1]);
      const before = home.sandbox.requests.length;
      expect(
        JSON.parse((await home.courier("log --json", { env })).stdout),
        "known from then on",
      ).not.toEqual([]);
      expect((await home.courier("orders resolve --json", { env })).exit).toBe(0);
      expect(home.sandbox.requests.length).toBe(before);
    },
  );

  test("is known after a login, too, and --check counts its rows as shipped", async () => {
    const home = await homeWithEarlierKey('{"success":true,"data":{"id":7,"name":"A"}}', 200);
    answerRaw(home, ordered, home.shown);
    const login = ["login", "--base-url", home.sandbox.baseUrl, "--allow-http"];
    const none = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };
    expect((await home.courier(login, { stdin: renewedKey, env: none })).exit).toBe(0);
    const rows = JSON.stringify([{ ...plainDraft, ref: "B-1" }]);
    const checked = await home.courier("orders import - --check --json", { stdin: rows, env: none });
    expect(JSON.parse(checked.stdout), checked.stderr).toMatchObject({ shipped: 1, to_send: 0 });
    expect((await home.courier(words, { stdin, env: none })).exit).toBe(0);
    expect(home.sent()).toBe(1);
  });

  test.each(profiles)(
    "is another customer's where the service has no such order: %s",
    async (_what, ...answer) => {
      const home = await homeWithEarlierKey(...answer);
      answerRaw(home, ordered, notFound, {
        status: 404,
      });
      expect((await home.courier(words, { stdin, env })).exit).toBe(0);
      expect(home.sent()).toBe(2);
    },
  );

  test("in doubt, and nothing else of it: nothing is sent, and it is not said that no order is in doubt", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    home.sandbox.faults.set([
      {
        kind: "status",
        status: 403,
        body: refused,
        contentType: "application/json",
        method: "GET",
        path: "/api/v1/user/profile",
      },
      ...lostForNow("drop_after"),
    ]);
    expect((await home.courier(words, { stdin })).exit).toBe(6);
    home.sandbox.faults.clear();
    answerData(home, profile, '{"id":7,"name":"A"}');
    for (const line of [words, "orders resolve --json"]) {
      const ran = await home.courier(line, { stdin, env });
      expect([ran.exit, errorOf(ran).code, home.posts], line).toEqual([5, "customer_unknown", 1]);
      expect(errorOf(ran).message).toContain("1.1 of an earlier key is in doubt");
    }
    // Its own key may be gone: a person decides.
    answerData(home, "GET /api/v1/orders", "[]", onePage.replace('"total_items":1', '"total_items":0'));
    const resolved = await home.courier("orders resolve 1.1 --not-created --yes", { env });
    expect(resolved.exit, resolved.stderr).toBe(0);
    answerRaw(home, "POST /api/v1/orders", '{"success":true,"data":{"id":1000009}}', { status: 201 });
    expect((await home.courier(words, { stdin, env })).exit).toBe(0);
  });

  test("is of the same customer also where its last order was cancelled, and is gone", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    answerRaw(home, profile, refused, { status: 403 });
    expect((await home.courier(words, { stdin })).exit).toBe(0);
    expect((await home.courier("orders create --file - --ref C-1", { stdin: inDoubt })).exit).toBe(0);
    expect((await home.courier("orders cancel ref:C-1 --yes")).exit).toBe(0);
    const shown = (await home.courier("api orders/1000001")).stdout;
    answerRaw(home, ordered, shown);
    answerRaw(home, "GET /api/v1/orders/1000002", notFound, { status: 404 });
    const again = await home.courier(words, { stdin, env });
    expect([again.exit, JSON.parse(again.stdout).id, home.posts], again.stderr).toEqual([0, 1000001, 2]);
  });

  test("may be the same customer's while its order cannot be read: nothing is sent", async () => {
    const home = await homeWithEarlierKey('{"success":true,"data":{"id":7,"name":"A"}}', 200);
    answerRaw(home, ordered, "<p>blocked</p>", { status: 404 });
    const ran = await home.courier(words, { stdin, env });
    expect([ran.exit, errorOf(ran).code, home.sent()]).toEqual([5, "customer_unknown", 1]);
    expect(errorOf(ran).message).toContain("order 1000001 of an earlier key could not be read");
    home.sandbox.faults.clear();
  });
});

test.each([
  ["a proxy's page under HTTP 403", 403, "<p>blocked</p>"],
  ["no id", 200, '{"success":true,"data":{"name":"A"}}'],
])("the first key of all and a profile with %s", async (_what, status, body) => {
  const home = await createImportHome(sheet(row("A-1")));
  const { baseUrl, apiKey } = home.sandbox;
  answerRaw(home, profile, body, { status });
  if (status === 200) {
    const login = ["login", "--base-url", baseUrl, "--allow-http"];
    expect((await home.courier(login, { stdin: apiKey })).exit).toBe(0);
  }
  const words = "orders create --file - --json --ref B-1";
  await home.courier("sync"); // what makes no order does not make the key a customer either
  for (const ran of [await home.courier(words, { stdin }), await home.run()])
    expect([ran.exit, errorOf(ran).code, home.posts]).toEqual([5, "customer_unknown", 0]);
  home.sandbox.faults.clear();
  expect([(await home.courier(words, { stdin })).exit, home.posts]).toEqual([0, 1]);
});

test("what makes no order works on while it is not known whose key it is", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  const { baseUrl, apiKey } = home.sandbox;
  answerData(home, profile, '{"id":7,"name":"A"}');
  const login = ["login", "--base-url", baseUrl, "--allow-http", "--account", "other"];
  expect((await home.courier(login, { stdin: renewedKey })).exit).toBe(0);
  home.sandbox.faults.clear();
  const made = await fetch(`${baseUrl}/api/v1/orders`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: stdin,
  });
  const { data } = (await made.json()) as { data: { id: number } };
  answerRaw(home, profile, refused, { status: 403 });
  expect((await home.courier("sync")).exit).toBe(0);
  expect((await home.courier(`orders cancel ${data.id} --yes`)).exit).toBe(0);
  const created = await home.courier("orders create --file - --json --ref B-1", { stdin });
  expect([created.exit, errorOf(created).code]).toEqual([5, "customer_unknown"]);
  expect((await home.courier("orders show ref:A-1")).exit).toBe(5);
});
