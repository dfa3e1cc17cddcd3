/** What a proxy of the environment says, and that nobody sees its password. */

import { createServer, request as sendOn } from "node:http";
import { describe, expect, test } from "vitest";
import { listen } from "../api/wire.ts";
import { putConfig } from "../support/config-file.ts";
import { createHome, createServedHome, type Home } from "../support/courier.ts";
import { filesBelow } from "../support/marker.ts";

type Scheme = "http" | "https";

/** An account whose service can be reached through a proxy alone. */
async function createFarHome(scheme: Scheme): Promise<Home> {
  const home = await createHome();
  const far = { base_url: `${scheme}://service.test`, key: "far-key-12345", allow_http: true };
  await putConfig(home, { current: "far", accounts: { far } });
  return home;
}

interface Head {
  readonly status: number;
  readonly text?: string;
}

/** Answers everything itself, tunnels too. Gives back the URL for a name and password. */
async function startStub(
  { status, text = "No" }: Head,
  body = "",
): Promise<(credentials?: string) => string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, text, { "content-type": "application/json", "x-echo": text }).end(body);
  });
  server.on("connect", (_request, socket) => {
    socket.end(`HTTP/1.1 ${status} ${text}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  });
  const { port } = await listen(server);
  return (credentials = "") => `http://${credentials}127.0.0.1:${port}`;
}

/** Sends all on to the service, and answers with 407 to what is no GET while it refuses. */
async function startGateway(service: string) {
  const gateway = { url: "", refuses: false };
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "");
    const { method, headers } = request;
    const isRefused = gateway.refuses && method !== "GET";
    const onward = sendOn(`${service}${pathname}${search}`, { method, headers }, (answer) => {
      response.writeHead(isRefused ? 407 : (answer.statusCode ?? 502), isRefused ? {} : answer.headers);
      if (!isRefused) return answer.pipe(response);
      answer.resume();
      return response.end();
    });
    request.pipe(onward);
  });
  const { port } = await listen(server);
  gateway.url = `http://127.0.0.1:${port}`;
  return gateway;
}

function environment(scheme: Scheme, proxy: string): Record<string, string> {
  return { [`${scheme.toUpperCase()}_PROXY`]: proxy };
}

describe("a proxy that repeats its password", () => {
  const pair = "shop:Pr0xy/Mark3r";
  const base64 = Buffer.from(pair).toString("base64");
  const echo = `Basic ${base64} ${pair} Pr0xy/Mark3r Pr0xy%2FMark3r`;
  const refusal = JSON.stringify({ success: false, error: { code: echo, message: echo, details: [echo] } });
  const profile = JSON.stringify({ success: true, data: { id: 1, name: echo, email: echo } });
  const create = "orders create --sender-name A --receiver-name B --item-name C";

  test.each([
    ["profile --debug", 502, `<p>${echo}</p>`, 5],
    ["profile --json", 400, refusal, 1],
    ["profile --json", 200, profile, 0],
    ["profile", 200, profile, 0],
    [`${create} --debug`, 403, refusal, 6],
    ["api user/profile --include --debug", 502, "", 5],
  ])("in the body or the status text of its answer to plain http: %s, HTTP %i", async (...each) => {
    const [words, status, body, expected] = each;
    const home = await createFarHome("http");
    const urlWith = await startStub({ status, text: echo }, body);
    const env = environment("http", urlWith("shop:Pr0xy%2FMark3r@"));
    const { exit, stdout, stderr } = await home.courier(words, { env });
    expect(exit, stderr).toBe(expected);
    expect(stdout + stderr).toContain("[redacted]");
    const files = await filesBelow(home.stateDir);
    for (const { file, text } of [{ file: "the screen", text: stdout + stderr }, ...files]) {
      expect(text, file).not.toMatch(/Mark3r/i);
      expect(text, file).not.toContain(base64.slice(0, -4));
    }
  });

  test("in its answer to a tunnel", async () => {
    const home = await createFarHome("https");
    const urlWith = await startStub({ status: 502, text: echo }, echo);
    const env = environment("https", urlWith("shop:Pr0xy%2FMark3r@"));
    const { exit, stdout, stderr } = await home.courier("profile --debug", { env });
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
    expect(stderr).not.toContain("Mark3r");
    expect(stderr).not.toContain(base64.slice(0, -4));
  });

  test("a password of few characters is masked beside its name alone", async () => {
    const home = await createFarHome("http");
    const body = JSON.stringify({ success: true, data: { name: "shop:me, me and shop" } });
    const env = environment("http", (await startStub({ status: 200 }, body))("shop:me@"));
    const { stdout } = await home.courier("profile --json", { env });
    expect(JSON.parse(stdout).name).toBe("[redacted], me and shop");
  });
});

describe("a proxy that refuses", () => {
  test.each(["http", "https"] as const)(
    "%s: HTTP 407 without a name and password asks for them",
    async (scheme) => {
      const home = await createFarHome(scheme);
      const env = environment(scheme, (await startStub({ status: 407 }))());
      const { exit, stdout, stderr } = await home.courier("profile", { env });
      expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
      expect(stderr).toMatch(
        /^error: cannot reach service.test .*: the proxy asks for a name and password\n/,
      );
      expect(stderr).toContain("hint: put them into the proxy's URL: http://NAME:PASSWORD@");
    },
  );

  test.each(["http", "https"] as const)("%s: HTTP 407 with them says whose were refused", async (scheme) => {
    const home = await createFarHome(scheme);
    const urlWith = await startStub({ status: 407 });
    const variable = `${scheme.toUpperCase()}_PROXY`;
    for (const name of [variable, variable.toLowerCase()]) {
      const { exit, stdout, stderr } = await home.courier("profile --json", {
        env: { [name]: urlWith("shop:Pr0xyMark3r@") },
      });
      expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
      const { error } = JSON.parse(stderr);
      expect(error).toMatchObject({ code: "unreachable", status: 407 });
      expect(error.message).toMatch(
        new RegExp(`^cannot reach service.test .*: the proxy refused the name and password of ${name}$`),
      );
      expect(error.hint).toContain(`correct them in ${name}`);
      expect(stderr).not.toContain("Pr0xyMark3r");
    }
  });

  test.each(["orders create", "orders cancel"])(
    "HTTP 407 after %s was forwarded proves nothing",
    async (command) => {
      const { sandbox } = await createServedHome();
      const home = await createFarHome("http");
      await putConfig(home, {
        current: "far",
        accounts: { far: { base_url: "http://service.test", key: sandbox.apiKey, allow_http: true } },
      });
      const gateway = await startGateway(sandbox.baseUrl);
      const env = environment("http", gateway.url);
      const create = "orders create --sender-name A --receiver-name B --item-name C --ref A-1 --json";
      const orders = () => sandbox.requests.filter(({ method }) => method !== "GET").length;
      if (command === "orders cancel") expect((await home.courier(create, { env })).exit).toBe(0);
      gateway.refuses = true;
      const words = command === "orders create" ? create : "orders cancel 1000001 --yes --json";
      const first = await home.courier(words, { env });
      expect(first.exit, first.stderr).toBe(0);
      const sent = orders();
      gateway.refuses = false;
      const again = await home.courier(create, { env });
      expect(orders(), again.stderr).toBe(sent);
    },
  );

  test.each([302, 403, 502])("a tunnel with HTTP %i: the status is told", async (status) => {
    const home = await createFarHome("https");
    const env = environment("https", (await startStub({ status }))());
    const { exit, stderr } = await home.courier("profile --json", { env });
    expect(exit).toBe(5);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "unreachable",
      status,
      message: expect.stringMatching(
        new RegExp(`^cannot reach service.test through .*: the proxy did not connect \\(HTTP ${status}\\)$`),
      ),
    });
  });
});
