/** The tests of proxies of the environment: tunnels, absolute-form requests, refusals and exceptions. */

import { createServer, type IncomingHttpHeaders, request as sendOn } from "node:http";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { noAnswerFailure } from "../../src/api/failure.ts";
import { proxyFor, withoutPassword } from "../../src/api/proxy-route.ts";
import { createTransport } from "../../src/api/transport.ts";
import { systemCode } from "../../src/core/errors.ts";
import { freePort, listen, listenHttp, noAnswerOf, openTransport, requestTo } from "./wire.ts";

interface ForwardProxy {
  readonly url: string;
  readonly address: string;
  readonly calls: {
    readonly method: string;
    readonly target: string;
    readonly headers: IncomingHttpHeaders;
  }[];
}

/** A proxy that sends on absolute-form requests, and tunnels where it is asked to, unless it refuses. */
async function startForwardProxy(refusal?: number | "drop"): Promise<ForwardProxy> {
  const calls: ForwardProxy["calls"] = [];
  const server = createServer((request, response) => {
    calls.push({ method: request.method ?? "", target: request.url ?? "", headers: request.headers });
    if (refusal === "drop") return response.socket?.destroy();
    if (refusal !== undefined) return response.writeHead(refusal).end("refused by the proxy");
    const { method, headers } = request;
    const onward = sendOn(request.url ?? "", { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.writeHead(502).end());
    return request.pipe(onward);
  });
  server.on("connect", (request, client) => {
    calls.push({ method: "CONNECT", target: request.url ?? "", headers: request.headers });
    if (refusal === "drop") return client.destroy();
    if (refusal !== undefined) return client.end(`HTTP/1.1 ${refusal} No\r\nContent-Length: 0\r\n\r\n`);
    const { hostname, port } = new URL(`http://${request.url}`);
    const onward = connect(Number(port), hostname, () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      onward.pipe(client).pipe(onward);
    });
    return onward.on("error", () => client.destroy());
  });
  const { port } = await listen(server);
  return { url: `http://127.0.0.1:${port}`, address: `127.0.0.1:${port}`, calls };
}

const echo = () =>
  listenHttp((request, response) => {
    response.end(
      JSON.stringify({ method: request.method, path: request.url, key: request.headers.authorization }),
    );
  });

describe("plain http", () => {
  test("goes through the proxy in absolute form, with its body", async () => {
    const proxy = await startForwardProxy();
    const { url } = await echo();
    const sent = requestTo(url, { method: "POST", body: "{}", headers: { authorization: "Bearer k" } });
    const answer = await openTransport({ proxy: proxy.url }).send(sent);
    expect(JSON.parse(answer.body)).toEqual({ method: "POST", path: "/orders", key: "Bearer k" });
    expect(proxy.calls).toEqual([
      { method: "POST", target: url.href, headers: expect.objectContaining({ host: url.host }) },
    ]);
  });

  test("a proxy may be named without its scheme, and with a name and password", async () => {
    const proxy = await startForwardProxy();
    const { url } = await echo();
    await openTransport({ proxy: `shop:s%40crt@${proxy.address}` }).send(requestTo(url));
    expect(proxy.calls[0]?.headers["proxy-authorization"]).toBe(
      `Basic ${Buffer.from("shop:s@crt").toString("base64")}`,
    );
  });

  test("a proxy's own answer is an answer", async () => {
    const proxy = await startForwardProxy(503);
    const { url } = await echo();
    expect(await openTransport({ proxy: proxy.url }).send(requestTo(url))).toMatchObject({ status: 503 });
  });

  test("a proxy that asks for a name and password says so, to a create too", async () => {
    const proxy = await startForwardProxy(407);
    const { url } = await echo();
    for (const method of ["GET", "POST"] as const) {
      const sent = requestTo(url, method === "POST" ? { method, body: "{}" } : {});
      const failure = await noAnswerOf(openTransport({ proxy: proxy.url }).send(sent));
      // It may come from a gateway that has forwarded the create.
      const isCreate = method === "POST";
      expect(failure.connected).toBe(isCreate);
      const what = isCreate ? "no answer from" : "cannot reach";
      expect(noAnswerFailure(url.host, failure.connected, failure)).toMatchObject({
        status: 407,
        mayHaveHappened: isCreate,
        message: `${what} ${url.host} through the proxy ${proxy.url}: the proxy asks for a name and password`,
      });
    }
    expect(proxy.calls).toHaveLength(2);
  });

  test("dropped by the proxy: in doubt, for it may have sent the request on", async () => {
    const proxy = await startForwardProxy("drop");
    const { url } = await echo();
    const failure = await noAnswerOf(openTransport({ proxy: proxy.url }).send(requestTo(url)));
    expect(failure.connected).toBe(true);
  });
});

describe("https", () => {
  const target = new URL("https://service.test/");

  test.each([
    [403, "the proxy did not connect (HTTP 403)"],
    [401, "the proxy asks for a name and password"],
    [407, "the proxy asks for a name and password"],
    [502, "the proxy did not connect (HTTP 502)"],
    [302, "the proxy did not connect (HTTP 302)"],
  ])(
    "a tunnel refused with %i: nothing of the request has left, and it says that %s",
    async (status, reason) => {
      const proxy = await startForwardProxy(status);
      const sent = requestTo(target, { method: "POST", body: "{}", headers: { authorization: "Bearer k" } });
      const failure = await noAnswerOf(openTransport({ proxy: proxy.url }).send(sent));
      expect(failure.connected).toBe(false);
      expect(noAnswerFailure("service.test", failure.connected, failure).message).toBe(
        `cannot reach service.test through the proxy ${proxy.url}: ${reason}`,
      );
      expect(proxy.calls.map(({ method, target: to }) => `${method} ${to}`)).toEqual([
        "CONNECT service.test:443",
      ]);
      expect(proxy.calls[0]?.headers).not.toHaveProperty("authorization");
    },
  );

  test("a tunnel that the proxy drops", async () => {
    const proxy = await startForwardProxy("drop");
    const failure = await noAnswerOf(openTransport({ proxy: proxy.url }).send(requestTo(target)));
    expect(failure.connected).toBe(false);
    expect(noAnswerFailure("service.test", false, failure).message).toContain("the proxy dropped");
    expect(proxy.calls).toHaveLength(1);
  });

  test("a tunnel whose other end drops the TLS handshake", async () => {
    const proxy = await startForwardProxy();
    const { url } = await listenHttp(() => {});
    const secure = new URL(url.href.replace("http:", "https:"));
    const failure = await noAnswerOf(openTransport({ proxy: proxy.url }).send(requestTo(secure)));
    expect(failure.connected).toBe(false);
  });
});

test.each(["http", "https"])("%s: a proxy that does not listen", async (protocol) => {
  const url = new URL(`${protocol}://service.test/`);
  const transport = openTransport({ proxy: `http://127.0.0.1:${await freePort()}` });
  const failure = await noAnswerOf(transport.send(requestTo(url, { method: "POST", body: "{}" })));
  expect(failure.connected).toBe(false);
  expect(systemCode(failure.cause)).toBe("ECONNREFUSED");
});

test("a proxy that is no URL is named as the reason", async () => {
  await expect(createTransport({ proxy: "http://[bad" }, 5_000)).rejects.toThrow(/proxy/);
});

describe("the route told beforehand", () => {
  test.each([
    ["https://a.test/", { proxy: "http://s" }, "http://s"],
    ["http://a.test/", { proxy: "http://s" }, "http://s"],
    ["https://api.a.test/", { proxy: "http://s", noProxy: ".a.test" }, undefined],
    ["https://api.a.test/", { proxy: "http://s", noProxy: "*.A.test" }, undefined],
    ["https://api.a.test/", { proxy: "http://s", noProxy: "a.test:443 b.test" }, undefined],
    ["https://api.a.test/", { proxy: "http://s", noProxy: "a.test:80" }, "http://s"],
    ["https://aa.test/", { proxy: "http://s", noProxy: "a.test" }, "http://s"],
    ["https://a.test/", {}, undefined],
  ])("%s with %j", (url, settings, expected) => {
    expect(proxyFor(new URL(url), settings)).toBe(expected);
  });

  test.each([
    ["http://shop:s%40crt@proxy.test:3128", "http://proxy.test:3128 (with a name and password)"],
    ["proxy.test:3128", "http://proxy.test:3128"],
    ["https://proxy.test/", "https://proxy.test"],
  ])("%s is shown as %s", (proxy, shown) => {
    expect(withoutPassword(proxy)).toBe(shown);
  });
});

describe("hosts of NO_PROXY are met directly", () => {
  test.each(["127.0.0.1", "other.test,127.0.0.1", "*", "127.0.0.1:PORT"])("%s", async (noProxy) => {
    const proxy = await startForwardProxy();
    const { url, port } = await echo();
    const settings = { proxy: proxy.url, noProxy: noProxy.replace("PORT", String(port)) };
    expect((await openTransport(settings).send(requestTo(url))).status).toBe(200);
    expect(proxy.calls).toEqual([]);
    expect(proxyFor(url, settings)).toBeUndefined();
  });

  test.each(["other.test", "127.0.0.1:1", ""])("%j names another one", async (noProxy) => {
    const proxy = await startForwardProxy();
    const { url } = await echo();
    await openTransport({ proxy: proxy.url, noProxy }).send(requestTo(url));
    expect(proxy.calls).toHaveLength(1);
    expect(proxyFor(url, { proxy: proxy.url, noProxy })).toBe(proxy.url);
  });
});
