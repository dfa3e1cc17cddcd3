/** The tests of `courier api`: bodies byte for byte, doubt, pages, and what a terminal is spared. */

import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { NoAnswer } from "../../src/api/failure.ts";
import { createTransport, type Transport } from "../../src/api/transport.ts";
import { interrupted } from "../../src/core/errors.ts";
import { listen } from "../api/wire.ts";
import { answerRaw, requestCount } from "../support/answers.ts";
import { createHome, createServedHome, type Home } from "../support/courier.ts";
import { plainDraft } from "../support/orders.ts";
import { Capture } from "../support/streams.ts";

const key = "raw-key-0123456789";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

type PlayedHome = Home & { readonly seen: readonly Seen[] };

/** A home whose service is played: one answer for each request, the last one for all that follow. */
const createPlayedHome = (...answers: RequestListener[]) => play(answers, false);

/** The same for orders: the profile, by which it is known whose key it is, is answered beside them. */
const createOrderingHome = (...answers: RequestListener[]) => play(answers, true);

async function play(answers: readonly RequestListener[], hasProfile: boolean): Promise<PlayedHome> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (hasProfile && request.url === "/api/v1/user/profile")
      return void response.end('{"success":true,"data":{"id":7}}');
    const answer = answers[Math.min(seen.length, answers.length - 1)];
    seen.push({
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: Buffer.concat(chunks),
    });
    answer?.(request, response);
  });
  const { port } = await listen(server);
  const env = { COURIER_API_KEY: key, COURIER_BASE_URL: `http://127.0.0.1:${port}` };
  return { ...(await createHome(env)), seen };
}

const answering =
  (status: number, body: string | Buffer = "", headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);
const dropping: RequestListener = (_request, response) => response.socket?.destroy();

const binary = Buffer.from([0xef, 0xbb, 0xbf, 0x00, 0xff, 0xfe, 0x0a, 0x1b, 0x5b, 0x32, 0x4a, 0x0d]);
const spaced = '{ "success" : true,\n\t"data": {"balance": 1.50, "id": 12345678901234567890} }';

describe("the body", () => {
  test.each([
    ["JSON, spaced as it came", 200, spaced, 0],
    ["bytes that are no text", 200, binary, 0],
    ["text without a line break", 200, "pong", 0],
    ["nothing", 204, "", 0],
    ["a refusal", 404, '{"success":false,"error":{"code":"NOT_FOUND","message":"no"}}', 1],
    ["a refusal under a 200", 200, '{"success":false,"error":{"code":"X","message":"no"}}', 1],
    ["an error page", 418, "<h1>no</h1>", 1],
    ["a refused key", 401, '{"success":false}', 4],
    ["a failing service", 500, "oops", 5],
    ["a redirection", 302, "moved", 5],
  ])("%s", async (_what, status, body, exit) => {
    const home = await createPlayedHome(answering(status, body));
    for (const form of ["", "--json", "--ndjson"]) {
      const stdout = new Capture();
      const ran = await home.courier(`api user/profile ${form}`, { stdout });
      expect(ran.exit).toBe(exit);
      expect(stdout.bytes).toEqual(Buffer.from(body));
      if (exit === 0) expect(ran.stderr).toBe("");
      else if (form === "") expect(ran.stderr).toMatch(/^error: /);
      else expect(JSON.parse(ran.stderr).error.exit).toBe(exit);
    }
  });

  test("one that was cut short is not printed at all", async () => {
    const home = await createPlayedHome((_request, response) => {
      response.writeHead(200, { "content-length": "100" }).write('{"success":');
      setImmediate(() => response.socket?.destroy());
    });
    expect(await home.courier("api orders")).toMatchObject({ exit: 5, stdout: "" });
  });
});

describe("at a terminal", () => {
  test("a key that the service repeats is masked; in a pipe the body stays as it came", async () => {
    const body = `{"success":true,"data":{"authorization":"Bearer ${key}"}}`;
    const home = await createOrderingHome(answering(200, body));
    const shown = await home.courier("api x", { terminal: 80 });
    expect(shown.stdout).toContain('"Bearer [redacted]"');
    expect(shown.stdout).not.toContain(key);
    expect((await home.courier("api x")).stdout).toBe(body);
  });

  test.each(["", "--json", "--ndjson"])("a key in the items of a list is masked: %s", async (form) => {
    const paging = { current_page: 1, total_pages: 1, total_items: 1, per_page: 100 };
    const body = { success: true, data: [{ id: 1, [key]: `Bearer ${key}` }], pagination: paging };
    const home = await createPlayedHome(answering(200, JSON.stringify(body)));
    const { stdout } = await home.courier(`api orders --paginate ${form}`, { terminal: 80 });
    expect(stdout).toContain("Bearer [redacted]");
    expect(stdout).not.toContain(key);
    expect((await home.courier(`api orders --paginate ${form}`)).stdout).toContain(key);
  });

  test("JSON is indented, numbers stay as they are", async () => {
    const home = await createPlayedHome(answering(200, spaced));
    const { stdout } = await home.courier("api user/profile", { terminal: 80 });
    expect(stdout).toBe(
      '{\n  "success": true,\n  "data": {\n    "balance": 1.50,\n    "id": 12345678901234567890\n  }\n}\n',
    );
  });

  test.each(['{"data":"\u001b]0;owned\u0007\u202e"}', "one\n\u001b[2Jtwo\u009d\r\n", binary])(
    "nothing acts on it: %j",
    async (body) => {
      const home = await createPlayedHome(answering(200, body));
      const { stdout } = await home.courier("api x", { terminal: 80 });
      expect(stdout).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
      expect(stdout.endsWith("\n")).toBe(true);
    },
  );
});

describe("what is sent", () => {
  test("stdin is one field's: two that read it are refused", async () => {
    const home = await createPlayedHome(answering(200, spaced));
    const words = "api POST x -F a=@- -F b=@-";
    const { exit, stderr } = await home.courier(words, { stdin: "Zhang" });
    expect([exit, home.seen.length]).toEqual([2, 0]);
    expect(stderr).toContain("only one field can be read from stdin (@-)");
  });

  test("of more than 16 MB is refused, and nothing is sent", async () => {
    const home = await createServedHome();
    const stdin = Buffer.alloc(16 * 2 ** 20 + 1, " ");
    const { exit, stderr } = await home.courier("api PUT orders/1 --input -", { stdin });
    expect(exit).toBe(2);
    expect(stderr).toBe(
      "error: stdin is larger than 16 MB\nhint: it is the body of one call: check that it is the right one\n",
    );
    expect(home.sandbox.requests).toHaveLength(0);
  });

  test("a file's bytes, or stdin's, as they are", async () => {
    const home = await createPlayedHome(answering(200));
    const file = path.join(home.directory, "body");
    await writeFile(file, binary);
    await home.courier(["api", "PUT", "orders/1", "--input", file]);
    await home.courier("api patch orders/1 --input -", { stdin: binary });
    expect(home.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ["PUT", "/api/v1/orders/1", binary],
      ["PATCH", "/api/v1/orders/1", binary],
    ]);
    expect(home.seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
    });
  });

  test("fields, as text or with a type, nested by dots and brackets", async () => {
    const home = await createOrderingHome(answering(200));
    const note = path.join(home.directory, "note.txt");
    await writeFile(note, "two\nlines");
    const raw = ["sender.phone=013800138000", "item[a.b]=x=y", "tags[]=true", "tags[]="];
    const typed = [
      "item.weight=2.50",
      "item.quantity=3",
      "gift=false",
      "none=null",
      "word=007",
      `note=@${note}`,
    ];
    await home.courier([
      ...["api", "POST", "orders", "-q", "dry=1"],
      ...raw.flatMap((field) => ["-f", field]),
      ...typed.flatMap((field) => ["-F", field]),
    ]);
    expect(home.seen[0]?.url).toBe("/api/v1/orders?dry=1");
    expect(home.seen[0]?.body.toString()).toBe(
      '{"sender":{"phone":"013800138000"},"item":{"a.b":"x=y","weight":2.50,"quantity":3},"tags":["true",""],' +
        '"gift":false,"none":null,"word":"007","note":"two\\nlines"}',
    );
  });

  test("a name that means something to JavaScript is a name", async () => {
    const home = await createOrderingHome(answering(200));
    await home.courier("api POST orders -f __proto__.a=1 -f constructor=2");
    expect(home.seen[0]?.body.toString()).toBe('{"__proto__":{"a":"1"},"constructor":"2"}');
  });

  test.each([
    ["api", "PATH is missing: the method and the path"],
    ["api POST", "the PATH is missing after POST"],
    ["api FETCH orders", "not a method: “FETCH”"],
    ["api GET orders more", "“more” is too much"],
    ["api orders -f a=1", "GET has no body"],
    ["api POST orders -f a", "key=value"],
    ["api POST orders -f =a", "key=value"],
    ["api POST orders -f a=1 -f a=2", "contradicts"],
    ["api POST orders -f a=1 -f a.b=2", "contradicts"],
    ["api POST orders -f a[]=1 -f a.b=2", "contradicts"],
    ["api POST orders -f a..b=1", "not usable as the name of a field"],
    ["api POST orders -f [][x]=1", "not usable as the name of a field"],
    ["api POST orders -f a=1 --input -", "does not go with fields"],
    ["api POST orders --input /nowhere", "no such file"],
    ["api DELETE orders/1 --paginate", "reads a list with GET"],
    ["api orders --paginate -i", "exclude each other"],
    ["api orders --paginate -q page=x", "begins at a page number"],
    ["api https://evil.test/", "is not sent to https://evil.test"],
    ["api orders/../../x", "not usable in a path"],
  ])("%s is wrong, and nothing is sent", async (words, told) => {
    const home = await createPlayedHome(answering(200));
    const ran = await home.courier(words);
    expect(ran).toMatchObject({ exit: 2, stdout: "" });
    expect(ran.stderr).toContain(told);
    expect(home.seen).toEqual([]);
  });
});

const made = '{"success":true,"data":{"id":1000001}}';

describe("sending again", () => {
  test.each([
    ["GET", 4, 5],
    ["DELETE", 4, 6],
    ["POST", 1, 6],
    ["PUT", 1, 6],
    ["PATCH", 1, 6],
  ])("%s whose answer is lost: sent %i times, exit %i", async (method, tries, exit) => {
    const home = await createOrderingHome(dropping);
    const ran = await home.courier(`api ${method} orders`);
    expect(ran).toMatchObject({ exit, stdout: "" });
    expect(home.seen).toHaveLength(tries);
    if (exit === 6) expect(ran.stderr).toMatch(/may or may not have taken effect.*\nhint: check before/);
  });

  test("a POST that was limited was not processed, and goes again", async () => {
    const home = await createOrderingHome(answering(429, "", { "retry-after": "2" }), answering(201, made));
    expect(await home.courier("api POST orders")).toMatchObject({ exit: 0, stdout: made });
    expect(home.clock.delays).toEqual([2_000]);
  });

  test.each([
    ["a web page", "<p>made</p>"],
    ["nothing", ""],
    ["an answer that ends too soon", made.slice(0, -9)],
    ["an answer without an order", '{"success":true,"data":null}'],
    ["an answer that does not say whether", '{"success":"false"}'],
  ])("a POST that is answered with %s under 200: in doubt, and its body is printed", async (_what, body) => {
    const home = await createOrderingHome(answering(200, body));
    const ran = await home.courier("api POST orders --json");
    expect(ran).toMatchObject({ exit: 6, stdout: body });
    expect(JSON.parse(ran.stderr).error).toMatchObject({
      code: "outcome_unknown",
      message: expect.stringMatching(/^POST orders may or may not have taken effect: /),
    });
    expect(home.seen.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  test("a POST that failed with a 503: in doubt, and its body is printed", async () => {
    const home = await createOrderingHome(answering(503, "busy"));
    const ran = await home.courier("api POST orders --json");
    expect(ran).toMatchObject({ exit: 6, stdout: "busy" });
    expect(JSON.parse(ran.stderr)).toMatchObject({
      error: { code: "outcome_unknown", status: 503, exit: 6 },
    });
    expect(home.seen).toHaveLength(1);
  });

  test.each(["orders", "user/keys"])(
    "POST %s, stopped in the wait after a try without a connection, has not taken effect",
    async (place) => {
      const home = await createServedHome();
      const real = await createTransport({}, 30_000);
      const stop = new AbortController();
      const transport: Transport = {
        close: () => real.close(),
        async send(request) {
          if (request.method !== "POST") return real.send(request);
          throw new NoAnswer(false, Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
        },
      };
      home.clock.sleep = async () => {
        stop.abort(interrupted(130));
        throw stop.signal.reason;
      };
      const { exit, stderr } = await home.courier(`api POST ${place} --input -`, {
        transport,
        signal: stop.signal,
        stdin: JSON.stringify(plainDraft),
      });
      expect(exit).toBe(130);
      expect(stderr).toMatch(`error: stopped before POST ${place} took effect: cannot reach `);
    },
  );

  test("a GET's last answer is the one that is printed", async () => {
    const home = await createPlayedHome(
      answering(503, "one"),
      answering(502, "two"),
      answering(200, "three"),
    );
    expect(await home.courier("api x")).toMatchObject({ exit: 0, stdout: "three", stderr: "" });
    const lost = await createPlayedHome(answering(503, "one"), dropping);
    expect(await lost.courier("api x")).toMatchObject({ exit: 5, stdout: "" });
  });
});

describe("a POST that a server may read as a create", () => {
  test.each([
    "orders%20",
    "orders;v=1",
    "orders%3Bv=1",
    "orders/",
    "orders//",
    "orders%2F",
    "orders?x=1",
    "orders%3Fx=1",
    "orders%00",
    "orders.json",
    "orders.",
    "ORDERS",
    "%6Frders",
    "%256Frders",
    "ｏｒｄｅｒｓ",
    "orders/x/%252e%252e",
    "/api/v2/orders",
    "v3/orders/",
    "/api//v1//orders",
    "shops/7/orders",
  ])("%s is not sent after an equal order", async (place) => {
    const home = await createOrderingHome(answering(201, made));
    const order = ["-f", "item.name=书"];
    expect((await home.courier(["api", "POST", "orders", ...order])).exit).toBe(0);
    const again = await home.courier(["api", "POST", place, ...order, "--json"]);
    expect(again).toMatchObject({ exit: 2, stdout: "" });
    expect(JSON.parse(again.stderr).error.code).toBe("duplicate");
    expect(home.seen.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  test.each([
    ["501 lists", "[".repeat(501), "]".repeat(501)],
    ["100000 lists", "[".repeat(100_000), "]".repeat(100_000)],
    ["600 objects", '{"a":'.repeat(600), "}".repeat(600)],
  ])(
    "an order with %s in it is not sent: whether it was sent before cannot be found out",
    async (...each) => {
      const [, open, close] = each;
      const home = await createOrderingHome(answering(201, made));
      const file = path.join(home.directory, "deep.json");
      await writeFile(file, `{"item":{"name":"书"},"more":${open}1${close}}`);
      for (const more of [[], ["--allow-duplicate"]]) {
        const ran = await home.courier(["api", "POST", "orders", "--input", file, "--json", ...more]);
        expect(ran).toMatchObject({ exit: 2, stdout: "" });
        expect(JSON.parse(ran.stderr).error).toMatchObject({
          code: "usage",
          message: expect.stringMatching(
            /^the body is nested too deeply to be compared with orders sent before/,
          ),
          hint: expect.stringContaining("--input"),
        });
      }
      expect(home.seen).toEqual([]);
      expect(JSON.parse((await home.courier("log --json")).stdout)).toEqual([]);
    },
  );

  test.each(["orders/1/pay", "orders-export", "reorders", "orders/1"])("%s is none", async (place) => {
    const home = await createOrderingHome(answering(201, made));
    for (const _time of ["first", "second"])
      expect((await home.courier(["api", "POST", place, "-f", "item.name=书"])).exit).toBe(0);
    expect(home.seen).toHaveLength(2);
  });

  test.each(["/api/v2/orders/5", "Orders;v=1/5%20", "orders//5/"])("DELETE %s is recorded", async (place) => {
    const home = await createOrderingHome(answering(200, '{"success":true}'));
    expect((await home.courier(["api", "DELETE", place])).exit).toBe(0);
    const [run] = JSON.parse((await home.courier("log --json")).stdout);
    expect(run.command).toBe("api DELETE orders");
    // The order's state was not read.
    expect(run).toMatchObject({ cancels_accepted: 1, not_cancelled: 0, cancelled: 0 });
    expect(run.summary).toBe("1 with its cancel accepted");
  });
});

describe("an answer under 200 that is none of the service's", () => {
  const html = { "content-type": "text/html" };
  const json = { "content-type": "application/json" };
  const cases: [string, string, Record<string, string>, string][] = [
    ["a web page", "<!doctype html><h1>Sign in</h1>", html, "not_json"],
    ["a web page that is called text", "<html>Sign in</html>", { "content-type": "text/plain" }, "not_json"],
    ["no content", "", json, "not_json"],
    ["success in a text", '{"success":"false","error":{"code":"X"}}', json, "wrong_shape"],
    ["success as a number", '{"success":1}', html, "wrong_shape"],
    ["JSON without success", '{"data":{"id":1}}', json, "wrong_shape"],
    ["a list", "[]", json, "wrong_shape"],
  ];

  test.each(cases)("GET, %s: the error of every other command", async (_what, body, headers, code) => {
    const home = await createPlayedHome(answering(200, body, headers));
    const ran = await home.courier("api user/profile --json");
    expect(ran).toMatchObject({ exit: 70, stdout: body });
    const { error } = JSON.parse(ran.stderr);
    expect(error).toMatchObject({ code, status: 200 });
    const other = await home.courier("profile --json");
    expect(JSON.parse(other.stderr).error).toEqual(error);
  });

  test.each(cases)("DELETE, %s: the order may be cancelled", async (_what, body, headers) => {
    const home = await createOrderingHome(answering(200, body, headers));
    const ran = await home.courier("api DELETE orders/5 --json");
    expect(ran).toMatchObject({ exit: 6, stdout: body });
    expect(JSON.parse(ran.stderr).error).toMatchObject({
      code: "outcome_unknown",
      message: expect.stringMatching(/^DELETE orders\/5 may or may not have taken effect: /),
    });
    const { stdout } = await home.courier("log show 1 --json");
    expect(JSON.parse(stdout)).toMatchObject([{ kind: "cancel", state: "unknown" }]);
  });

  test("DELETE, a refusal under a redirection: the order may be cancelled", async () => {
    const refusal = '{"success":false,"error":{"code":"MOVED","message":"see other"}}';
    const home = await createOrderingHome(answering(302, refusal));
    const ran = await home.courier("api DELETE orders/5 --json");
    expect(ran).toMatchObject({ exit: 6, stdout: refusal });
    const { stdout } = await home.courier("log show 1 --json");
    expect(JSON.parse(stdout)).toMatchObject([{ kind: "cancel", state: "unknown" }]);
  });

  test.each([
    ["GET", 200, "%PDF-1.7", { "content-type": "application/pdf" }],
    ["GET", 200, "a,b\n1,2\n", { "content-type": "text/csv" }],
    ["DELETE", 204, "", {}],
    ["HEAD", 200, "", html],
  ])("%s with HTTP %i may come without an envelope: %j", async (method, status, body, headers) => {
    const home = await createOrderingHome(answering(status, body, headers));
    expect(await home.courier(`api ${method} labels/5`)).toEqual({ exit: 0, stdout: body, stderr: "" });
  });
});

describe("a message of the service that has no end", () => {
  const long = "书".repeat(5_000);
  const cut = expect.stringMatching(/^the service refused: 书+…$/);

  test.each(["api orders", "api DELETE orders/5", "orders list"])("%s: its error is cut", async (words) => {
    const body = `{"success":false,"error":{"code":"X","message":"${long}"}}`;
    const home = await createOrderingHome(answering(400, body));
    const ran = await home.courier(`${words} --json`);
    expect(ran.exit).toBe(1);
    const { message } = JSON.parse(ran.stderr).error;
    expect(message).toEqual(cut);
    expect(message).toHaveLength(1_000);
    const human = await home.courier(words);
    expect(human.stderr.split("\n")[0]).toHaveLength("error: ".length + 1_000);
    if (words.startsWith("api")) expect(ran.stdout).toBe(body);
  });

  test("what it says of a new order is cut, too", async () => {
    const home = await createOrderingHome(answering(201, `${made.slice(0, -1)},"message":"${long}"}`));
    const create = "orders create --item-name C --sender-name A --receiver-name B";
    const { exit, stderr } = await home.courier(create);
    expect(exit).toBe(0);
    expect(stderr.split("\n")[0]).toBe(`The service says: ${"书".repeat(999)}…`);
  });
});

describe("success: true under a status of failure", () => {
  const good = '{"success":true,"data":{"id":7,"name":"Wang"}}';

  test.each([
    [500, 5, "server_error"],
    [404, 1, "refused"],
    [401, 4, "key_refused"],
    [302, 5, "redirected"],
  ])("a read has failed, whichever command asks: HTTP %i", async (status, exit, code) => {
    const home = await createPlayedHome(answering(status, good));
    const raw = await home.courier("api user/profile --json");
    expect(raw).toMatchObject({ exit, stdout: good });
    expect(JSON.parse(raw.stderr).error).toMatchObject({ code, status });
    const own = await home.courier("profile --json");
    expect(own).toMatchObject({ exit, stdout: "" });
    expect(JSON.parse(own.stderr)).toEqual(JSON.parse(raw.stderr));
  });

  test.each([500, 503, 429, 400, 401])("an order in it is news of an order: HTTP %i", async (status) => {
    const create = ["orders", "create", "--item-name", "书", "--sender-name", "A", "--receiver-name", "B"];
    for (const words of [["api", "POST", "orders", "-f", "item.name=书"], create]) {
      const home = await createOrderingHome(answering(status, made));
      const ran = await home.courier([...words, "--json"]);
      expect(ran.exit, ran.stderr).toBe(0);
      expect(home.seen.filter(({ method }) => method === "POST")).toHaveLength(1);
      const log = JSON.parse((await home.courier("log show 1 --json")).stdout);
      expect(log).toMatchObject([{ kind: "create", state: "created" }]);
    }
  });

  test.each([
    ["POST orders", 429],
    ["POST orders", 401],
    ["POST orders/1/pay", 429],
    ["POST orders/1/pay", 500],
    ["PUT orders/1", 400],
    ["DELETE orders/1", 500],
  ])("without one, the call may have taken effect: %s, HTTP %i", async (words, status) => {
    const body = '{"success":true,"message":"ok"}';
    const home = await createOrderingHome(answering(status, body));
    const ran = await home.courier(`api ${words} --json`);
    expect(ran).toMatchObject({ exit: 6, stdout: body });
    expect(JSON.parse(ran.stderr).error).toMatchObject({ code: "outcome_unknown", status });
    expect(home.seen.filter(({ method }) => words.startsWith(method ?? ""))).toHaveLength(1);
  });
});

describe("--include", () => {
  test("shows status and headers on stderr, and the body alone on stdout", async () => {
    const home = await createOrderingHome(
      answering(201, "made", { "x-request-id": "r1\u00ff", "x-echo": key }),
    );
    const { stdout, stderr } = await home.courier("api POST orders -i --debug");
    expect(stdout).toBe("made");
    expect(stderr).toMatch(/^HTTP 201$/m);
    expect(stderr).toMatch(/^x-request-id: r1/m);
    expect(stderr).toMatch(/^x-echo: \[redacted\]$/m);
    expect(stderr).not.toContain(key);
  });
});

describe("--paginate", () => {
  async function withOrders(count: number) {
    const home = await createServedHome({ seedOrders: count });
    return home;
  }

  test("prints the bodies of all pages, each a document of its own", async () => {
    const home = await withOrders(5);
    const { exit, stdout, stderr } = await home.courier("api orders?limit=2 --paginate");
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    const pages = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(pages.map(({ pagination, data }) => [pagination.current_page, data.length])).toEqual([
      [1, 2],
      [2, 2],
      [3, 1],
    ]);
  });

  test("with --json one array, with --ndjson one line for each item", async () => {
    const home = await withOrders(5);
    const all = JSON.parse((await home.courier("api orders --paginate -q limit=2 --json")).stdout);
    const lines = (await home.courier("api orders --paginate -q limit=2 --ndjson")).stdout
      .trimEnd()
      .split("\n");
    expect(all.map(({ id }: { id: number }) => id)).toHaveLength(5);
    expect(lines.map((line) => JSON.parse(line))).toEqual(all);
  });

  test("asks for large pages, and begins where it is told to", async () => {
    const page = (pages: number) =>
      answering(
        200,
        `{"success":true,"data":[],"pagination":{"total_pages":${pages},"total_items":100,"per_page":100}}`,
      );
    const home = await createPlayedHome(page(3));
    await home.courier("api orders?page=2&status=paid --paginate");
    expect(home.seen.map(({ url }) => url)).toEqual([
      "/api/v1/orders?page=2&status=paid&limit=100",
      "/api/v1/orders?status=paid&limit=100&page=3",
    ]);
  });

  test.each([
    ["empty pages", "[]"],
    ["the same page", '[{"id":1}]'],
  ])("a list that goes on without anything new ends after 100 pages: %s", async (_what, data) => {
    const body = `{"success":true,"data":${data},"pagination":{"total_pages":900}}`;
    const home = await createServedHome();
    answerRaw(home, "GET /api/v1/orders", body);
    const { exit, stderr } = await home.courier("api orders --paginate");
    expect(exit).toBe(70);
    expect(stderr).toContain("gave up: the service returned 100 pages in a row without new items");
    expect(requestCount(home, "GET", "/api/v1/orders")).toBeLessThanOrEqual(102);
  });

  type Listed = readonly [ids: readonly number[], pages: number, items?: number];
  /** Page by page: the ids, `total_pages` and `total_items`. The last one goes on for ever. */
  const listing = (...pages: readonly Listed[]) =>
    createPlayedHome(
      ...pages.map(([ids, total_pages, total_items]) =>
        answering(
          200,
          JSON.stringify({
            success: true,
            data: ids.map((id) => ({ id })),
            pagination: { total_pages, total_items },
          }),
        ),
      ),
    );
  const idsOf = (ndjson: string) => [...ndjson.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));

  test("a number of pages that shrinks on the way does not end the list", async () => {
    const home = await listing([[1, 2], 3, 6], [[3, 4], 1, 6], [[5, 6], 1, 6]);
    const { exit, stdout } = await home.courier("api orders --paginate --ndjson");
    expect([exit, idsOf(stdout)]).toEqual([0, [1, 2, 3, 4, 5, 6]]);
  });

  test("too few pages for its number of items: further ones are read", async () => {
    const home = await listing([[1, 2], 1, 4], [[3, 4], 1, 4]);
    const { exit, stdout } = await home.courier("api orders --paginate --ndjson");
    expect([exit, idsOf(stdout)]).toEqual([0, [1, 2, 3, 4]]);
  });

  test.each([
    [
      "the same page again and again",
      [
        [[1, 2], 2, 4],
        [[1, 2], 2, 4],
      ],
    ],
    [
      "an empty page",
      [
        [[1, 2], 2, 4],
        [[], 2, 4],
      ],
    ],
    [
      "a number of items that shrinks",
      [
        [[1, 2], 2, 4],
        [[3], 2, 3],
      ],
    ],
  ] as readonly (readonly [string, readonly Listed[]])[])(
    "an incomplete list fails, after its items: %s",
    async (_what, pages) => {
      const home = await listing(...pages);
      const { exit, stdout, stderr } = await home.courier("api orders --paginate --ndjson");
      expect(exit).toBe(5);
      expect(idsOf(stdout).slice(0, 2)).toEqual([1, 2]);
      expect(JSON.parse(stderr).error).toMatchObject({ code: "list_incomplete" });
      expect(home.seen.length).toBeLessThan(5);
    },
  );

  test("without a number of items, a page after the last one shows that nothing is left", async () => {
    const home = await listing([[1, 2], 1], [[3], 1], [[], 1]);
    const { exit, stdout } = await home.courier("api orders --paginate");
    expect([exit, idsOf(stdout)]).toEqual([0, [1, 2, 3]]);
    expect(stdout.trimEnd().split("\n"), "the empty page beyond the last is not printed").toHaveLength(2);
  });

  test("pages that alternate while their number grows are not read for ever", async () => {
    let page = 0;
    const home = await createPlayedHome((request, response) => {
      page += 1;
      const data = [{ id: page % 2 }];
      answering(200, JSON.stringify({ success: true, data, pagination: { total_pages: page + 1 } }))(
        request,
        response,
      );
    });
    const { exit, stderr } = await home.courier("api orders --paginate --ndjson");
    expect(exit).toBe(70);
    expect(stderr).toContain("100 pages in a row without new items");
  });

  test("a page that is refused fails the command, after whole documents", async () => {
    const first = '{"success":true,"data":[{"id":1}],"pagination":{"total_pages":2}}';
    const home = await createPlayedHome(answering(200, first), answering(400, "no"));
    expect(await home.courier("api orders --paginate")).toMatchObject({ exit: 1, stdout: `${first}\n` });
  });

  test("equal items without an id are counted each", async () => {
    const payment = { amount: 5, at: "2026-03-01" };
    const data = [payment, payment, { ...payment, amount: 7 }];
    const pagination = { total_pages: 1, total_items: 3 };
    const home = await createPlayedHome(answering(200, JSON.stringify({ success: true, data, pagination })));
    const { exit, stdout, stderr } = await home.courier("api user/payments --paginate --ndjson");
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout.trimEnd().split("\n")).toHaveLength(3);
  });

  test("what has no pages is said to have none", async () => {
    const home = await withOrders(1);
    const ran = await home.courier("api user/profile --paginate");
    expect(ran).toMatchObject({ exit: 70, stdout: "" });
    expect(ran.stderr).toContain("/api/v1/user/profile has no usable `pagination`");
  });
});

test.each(["orders", "other"])(
  "a field nested too deep for JSON is refused, for %s: exit 2",
  async (path) => {
    const home = await createServedHome();
    const key = Array(20_000).fill("a").join(".");
    const { exit, stderr } = await home.courier(["api", "POST", path, "-f", `${key}=1`, "--yes"]);
    expect(exit, stderr.slice(0, 500)).toBe(2);
  },
);
