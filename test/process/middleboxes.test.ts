/** Real proxies between courier and its service, each a process of its own: tinyproxy, and nginx with HTTP/2. */

import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { row, sheet } from "../support/imports.ts";
import { startNginx, startTinyproxy } from "../support/middleboxes.ts";
import { createServedProcessHome, type ServedProcessHome } from "../support/process.ts";
import { createSecureHome } from "../support/secure-home.ts";
import { lacks } from "../support/tools.ts";

const password = "Pr0xyMark3r";
const create = "orders create --allow-duplicate --sender-name A --receiver-name B --item-name C";

// 0.0.0.0 leads to this machine, but is no loopback address, which would go past every proxy.

/** A home whose account is the sandbox over plain http at an address that is no loopback. */
async function createPlainHome(): Promise<ServedProcessHome & { readonly origin: string }> {
  const home = await createServedProcessHome({ seedOrders: 3 });
  const { port } = new URL(home.sandbox.baseUrl);
  const origin = `http://0.0.0.0:${port}`;
  const forget = { COURIER_BASE_URL: undefined, COURIER_API_KEY: undefined };
  const login = await home.courier(`login --base-url ${origin} --allow-http`, {
    stdin: home.sandbox.apiKey,
    env: forget,
  });
  expect(login).toMatchObject({ exit: 0 });
  const before = home.sandbox.requests.length;
  return {
    ...home,
    sandbox: {
      ...home.sandbox,
      get requests() {
        return home.sandbox.requests.slice(before);
      },
    },
    origin,
    courier: (words, options) => home.courier(words, { ...options, env: { ...forget, ...options?.env } }),
  };
}

describe.skipIf(lacks("tinyproxy"))("tinyproxy (needs tinyproxy)", () => {
  test("http: reads and an order go through it, once each", async () => {
    const { courier, sandbox } = await createPlainHome();
    const proxy = await startTinyproxy();
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    const list = await courier("orders list --json", { env });
    expect(list).toMatchObject({ exit: 0, stderr: "" });
    expect(JSON.parse(list.stdout)).toHaveLength(3);
    expect(await courier(create, { env })).toMatchObject({ exit: 0 });
    expect(sandbox.requests.map(({ method }) => method)).toEqual(["GET", "POST"]);
    expect(sandbox.requests[0]?.headers.via).toContain("tinyproxy");
    expect(await proxy.log()).toContain("0.0.0.0");
  });

  test("http: HTTPS_PROXY is for https alone", async () => {
    const { courier, sandbox } = await createPlainHome();
    const proxy = await startTinyproxy();
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    expect(await courier("profile", { env })).toMatchObject({ exit: 0 });
    expect(sandbox.requests[0]?.headers).not.toHaveProperty("via");
  });

  test("https: a tunnel, in which the proxy sees neither path nor key", async () => {
    const { courier, port, trust, sandbox } = await createSecureHome();
    const proxy = await startTinyproxy();
    const env = { ...trust, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const words = `orders list --json --base-url https://0.0.0.0:${port}`;
    const list = await courier(words, { env });
    expect(list).toMatchObject({ exit: 0, stderr: "" });
    expect(sandbox.requests[0]?.headers).not.toHaveProperty("via");
    const log = await proxy.log();
    expect(log).toContain(`CONNECT 0.0.0.0:${port}`);
    expect(log).not.toContain("/api/v1");
    expect(log).not.toContain(sandbox.apiKey);
  });

  test("https: HTTP_PROXY is for http alone", async () => {
    const { courier, port, trust } = await createSecureHome();
    const proxy = await startTinyproxy();
    const env = { ...trust, HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    expect(await courier(`profile --base-url https://0.0.0.0:${port}`, { env })).toMatchObject({ exit: 0 });
    expect(await proxy.log()).not.toContain("CONNECT 0.0.0.0");
  });

  test.each(["http", "https"] as const)("%s: NO_PROXY goes past it", async (protocol) => {
    const secure = protocol === "https" ? await createSecureHome() : undefined;
    const { courier } = secure ?? (await createPlainHome());
    const proxy = await startTinyproxy();
    const url = `http://127.0.0.1:${proxy.port}`;
    const env = { ...secure?.trust, HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: "other.test,0.0.0.0" };
    const words = secure ? `profile --base-url https://0.0.0.0:${secure.port}` : "profile";
    expect(await courier(words, { env })).toMatchObject({ exit: 0, stderr: "" });
    expect(await proxy.log()).not.toMatch(/Request|CONNECT 0/);
  });

  test.each(["http", "https"] as const)(
    "%s: with a name and password it lets through; without, courier says who asks, and tries once",
    async (protocol) => {
      const secure = protocol === "https" ? await createSecureHome() : undefined;
      const { courier, sandbox } = secure ?? (await createPlainHome());
      const proxy = await startTinyproxy(password);
      const at = secure ? ` --base-url https://0.0.0.0:${secure.port}` : "";
      const name = secure ? "HTTPS_PROXY" : "HTTP_PROXY";
      const through = (credentials: string, order = create) =>
        courier(`${order}${at} --debug`, {
          env: { ...secure?.trust, [name]: `http://${credentials}127.0.0.1:${proxy.port}` },
        });
      // Of a wrong password to plain http, tinyproxy says 401, as only a service should.
      for (const credentials of secure ? ["", "shop:wrong@"] : [""]) {
        const refused = await through(credentials);
        expect(refused, refused.stderr).toMatchObject({ exit: secure ? 5 : 6, stdout: "" });
        expect(refused.stderr).toMatch(
          credentials === ""
            ? /^error: .*cannot reach .*: the proxy asks for a name and password$/m
            : /^error: cannot reach .*: the proxy refused the name and password of HTTPS_PROXY$/m,
        );
        expect(refused.stderr).toMatch(/^hint: .*http:\/\/NAME:PASSWORD@/m);
        // A create that was sent to the proxy whole is looked for.
        expect(refused.stderr.match(/^debug: > /gm)).toHaveLength(secure ? 1 : 2);
      }
      expect(sandbox.requests).toHaveLength(0);
      const another = create.replace("--receiver-name B", "--receiver-name D");
      const passed = await through(`shop:${password}@`, another);
      expect(passed, passed.stderr).toMatchObject({ exit: 0 });
      expect(passed.stdout + passed.stderr).not.toContain(password);
      expect(sandbox.requests.map(({ method }) => method)).toEqual(
        secure ? ["GET", "POST"] : ["POST"], // a key of which it is not known whose it is asks first
      );
      for (const { headers } of sandbox.requests) expect(headers).not.toHaveProperty("proxy-authorization");
    },
  );
});

describe.skipIf(lacks("nginx"))("nginx with TLS, HTTP/2 and gzip in front (needs nginx)", () => {
  async function createFrontedHome() {
    const home = await createServedProcessHome({ seedOrders: 250 });
    const made = createAuthority(["127.0.0.1"]);
    const authorityFile = path.join(home.directory, "authority.pem");
    await writeFile(authorityFile, made.authority);
    const nginx = await startNginx(home.sandbox.baseUrl, made);
    const baseUrl = `https://127.0.0.1:${nginx.port}`;
    const env = { COURIER_BASE_URL: baseUrl, NODE_EXTRA_CA_CERTS: authorityFile };
    const courier = (words: string) => home.courier(words, { env });
    return { ...home, courier, nginx, baseUrl, authority: made.authority };
  }

  test("it does offer HTTP/2", async () => {
    const { baseUrl, authority } = await createFrontedHome();
    const session = connectHttp2(baseUrl, { ca: authority });
    await once(session, "connect");
    expect(session.alpnProtocol).toBe("h2");
    session.close();
    await once(session, "close");
  });

  test("every kind of command works, and answers come compressed", async () => {
    const { courier, nginx, directory, sandbox } = await createFrontedHome();
    const list = await courier("orders list --all --json");
    expect(list).toMatchObject({ exit: 0, stderr: "" });
    expect(JSON.parse(list.stdout)).toHaveLength(250);
    const created = await courier(`${create} --json`);
    expect(created).toMatchObject({ exit: 0 });
    const { id, tracking_number } = JSON.parse(created.stdout);
    for (const words of ["profile", `orders show ${id}`, `track ${tracking_number}`, "orders export"])
      expect(await courier(words)).toMatchObject({ exit: 0, stderr: "" });
    expect(await courier(`orders cancel ${id} --yes`)).toMatchObject({ exit: 0 });
    await writeFile(path.join(directory, "orders.csv"), sheet(row("A-1"), row("A-2", "王五")));
    expect(await courier("orders import orders.csv --yes")).toMatchObject({ exit: 0 });
    expect(sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(3);
    const log = (await nginx.log()).trimEnd().split("\n");
    expect(log.length).toBe(sandbox.requests.length);
    for (const line of log) expect(line).toMatch(/^HTTP\/1\.1 (?:(?:GET|DELETE) .* 200 gzip|POST .* 201 -)$/); // nginx leaves a 201 alone
  });

  test("a service that is gone behind it: 502 is tried again, and a create ends in doubt", async () => {
    const { courier, sandbox, nginx } = await createFrontedHome();
    expect(await courier(create)).toMatchObject({ exit: 0 }); // from now on it is known whose key it is
    await sandbox.close();
    const read = await courier("profile --json --debug");
    expect(read).toMatchObject({ exit: 5, stdout: "" });
    expect(read.stderr).toContain('"status":502');
    expect(await courier(`${create} --item-quantity 2`)).toMatchObject({ exit: 6, stdout: "" });
    const log = await nginx.log();
    expect(log.match(/POST \/api\/v1\/orders 502/g)).toHaveLength(1);
    expect(log.match(/GET \/api\/v1\/user\/profile 502/g)).toHaveLength(4);
  });
});
