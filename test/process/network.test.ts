/** Private certificate authorities and proxies, end to end. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { createServedProcessHome } from "../support/process.ts";
import { startProxy } from "../support/proxy.ts";
import { createSecureHome } from "../support/secure-home.ts";

const promptMs = 2_500;

test("a private certificate authority: trusted through NODE_EXTRA_CA_CERTS, refused without", async () => {
  const { courier, port, trust, sandbox } = await createSecureHome();
  const words = `profile --json --base-url https://127.0.0.1:${port}`;
  const startedMs = Date.now();
  const refused = await courier(words);
  expect(Date.now() - startedMs, "no retry mends a certificate").toBeLessThan(promptMs);
  expect(refused).toMatchObject({ exit: 5, stdout: "" });
  const { error } = JSON.parse(refused.stderr);
  expect(error.message).toContain("certificate");
  expect(error.hint).toContain("NODE_EXTRA_CA_CERTS");
  expect(sandbox.requests).toHaveLength(0);

  const trusted = await courier(words, { env: trust });
  expect(trusted).toMatchObject({ exit: 0, stderr: "" });
  expect(JSON.parse(trusted.stdout)).toHaveProperty("balance");
});

test("NODE_TLS_REJECT_UNAUTHORIZED does not switch the check off", async () => {
  const { courier, port, sandbox } = await createSecureHome();
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
  const { exit, stdout } = await courier(`profile --json --base-url https://127.0.0.1:${port}`, { env });
  expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
  expect(sandbox.requests).toHaveLength(0);
});

test("a certificate for another host is refused, though its authority is trusted", async () => {
  const { courier, port, trust } = await createSecureHome();
  const { exit, stderr } = await courier(`profile --base-url https://localhost:${port}`, { env: trust });
  expect(exit).toBe(5);
  expect(stderr).toContain("certificate is for another host");
  expect(stderr).toContain("hint: check the host in the base URL (courier accounts list)\n");
});

// The standalone executable takes no NODE_OPTIONS.
if (!process.env.COURIER_BIN)
  test("a Node.js without WebAssembly is not put down to the network", async () => {
    const { courier, sandbox } = await createServedProcessHome();
    const { exit, stderr } = await courier("profile", { env: { NODE_OPTIONS: "--jitless" } });
    expect(exit).toBe(5);
    expect(stderr).toContain(
      `error: cannot reach ${new URL(sandbox.baseUrl).host}: this Node.js runs without WebAssembly\n` +
        "hint: run it without --jitless, which may stand in NODE_OPTIONS\n",
    );
  });

test("too little memory for a connection is not put down to the network", async () => {
  const { courier, sandbox } = await createServedProcessHome();
  let failed = 0;
  for (const kilobytes of [1_000_000, 1_200_000]) {
    const { exit, stderr } = await courier("profile", {
      shell: `ulimit -c 0; ulimit -v ${kilobytes}; exec "$@"`,
    });
    // Another Node.js may need less, or end by itself.
    if (exit !== 5) continue;
    failed += 1;
    expect(stderr).toBe(
      `error: cannot reach ${new URL(sandbox.baseUrl).host}: there is too little memory\n` +
        "hint: free some memory, or allow more: ulimit -v unlimited\n",
    );
  }
  if (process.version.startsWith("v20.") && !process.env.COURIER_BIN) expect(failed).toBeGreaterThan(0);
});

test.each(["HTTPS_PROXY", "https_proxy"])(
  "%s is used; the proxy sees the host and never the key",
  async (name) => {
    const { courier, port, trust, sandbox } = await createSecureHome();
    const proxy = await startProxy(port);
    const env = { ...trust, [name]: proxy.url };
    const { exit, stdout, stderr } = await courier("orders list --json --base-url https://service.test", {
      env,
    });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(JSON.parse(stdout)).toHaveLength(3);
    expect(proxy.tunnels.map(({ target }) => target)).toEqual(["service.test:443"]);
    expect(JSON.stringify(proxy.tunnels)).not.toContain(sandbox.apiKey);
  },
);

test("an order goes through a proxy once", async () => {
  const { courier, port, trust, sandbox } = await createSecureHome();
  const proxy = await startProxy(port);
  const words =
    "orders create --sender-name A --receiver-name B --item-name C --base-url https://service.test";
  const { exit } = await courier(words, { env: { ...trust, HTTPS_PROXY: proxy.url } });
  expect(exit).toBe(0);
  expect(sandbox.requests.map(({ method }) => method)).toEqual(["GET", "POST"]); // whose key it is, and the order
});

test("a proxy's own password goes to the proxy, and is never shown", async () => {
  const { courier, port, trust } = await createSecureHome();
  const proxy = await startProxy(port);
  const env = { ...trust, HTTPS_PROXY: proxy.url.replace("//", "//user:Pr0xyMark3r@") };
  const { exit, stdout, stderr } = await courier("profile --debug --base-url https://service.test", { env });
  expect(exit).toBe(0);
  expect(proxy.tunnels[0]?.headers["proxy-authorization"]).toBe(`Basic ${btoa("user:Pr0xyMark3r")}`);
  expect(stdout + stderr).not.toContain("Pr0xyMark3r");
});

test.each([
  ["127.0.0.1", 0],
  ["localhost", 0],
  ["service.test", 5],
])("a proxy at 127.0.0.1 that speaks TLS itself, with a certificate for %s: exit %i", async (name, exit) => {
  const { courier, port, trust, directory } = await createSecureHome();
  const made = createAuthority([name]);
  const authorities = path.join(directory, "authorities.pem");
  await writeFile(authorities, (await readFile(trust.NODE_EXTRA_CA_CERTS, "utf8")) + made.authority);
  const proxy = await startProxy(port, undefined, made);
  const url = exit === 0 ? proxy.url.replace("127.0.0.1", name) : proxy.url;
  const env = { NODE_EXTRA_CA_CERTS: authorities, HTTPS_PROXY: url };
  const ended = await courier("profile --json --timeout 1 --base-url https://service.test", { env });
  expect(ended.exit, ended.stderr).toBe(exit);
  expect(proxy.tunnels).toHaveLength(exit === 0 ? 1 : 0);
  // Not even a warning of Node.js.
  if (exit === 0) expect(ended.stderr).toBe("");
  else
    expect(JSON.parse(ended.stderr).error.message).toContain("the proxy's certificate is for another host");
});

test("NO_PROXY goes past the proxy; so does every service on this machine", async () => {
  const { courier, port, trust } = await createSecureHome();
  const proxy = await startProxy(port);
  // 0.0.0.0 leads to this machine, but is no loopback address.
  const direct = `https://0.0.0.0:${port}`;
  const env = { ...trust, HTTPS_PROXY: proxy.url };
  expect(await courier(`profile --base-url ${direct}`, { env })).toMatchObject({ exit: 0 });
  expect(proxy.tunnels).toHaveLength(1);
  for (const [baseUrl, noProxy] of [
    [direct, "other.test,0.0.0.0"],
    [direct, "*"],
    [`https://127.0.0.1:${port}`, undefined],
  ] as const) {
    const ended = await courier(`profile --base-url ${baseUrl}`, { env: { ...env, NO_PROXY: noProxy } });
    expect(ended).toMatchObject({ exit: 0, stderr: "" });
  }
  expect(proxy.tunnels).toHaveLength(1);
});

test("HTTP_PROXY serves plain http; a loopback service needs none, though the proxy is dead", async () => {
  const { courier } = await createSecureHome();
  const env = { HTTP_PROXY: "http://127.0.0.1:9", HTTPS_PROXY: "http://127.0.0.1:9" };
  expect(await courier("profile", { env })).toMatchObject({ exit: 0, stderr: "" });
});

test.each([
  ["that refuses", 403],
  ["that wants a password", 407],
  ["that finds no way", 502],
])("a proxy %s: exit 5, nothing was sent, no order in doubt", async (_what, status) => {
  const { courier, port, trust, sandbox } = await createSecureHome();
  const proxy = await startProxy(port, status);
  const env = { ...trust, HTTPS_PROXY: proxy.url };
  const words = "orders create --sender-name A --receiver-name B --item-name C --timeout 1";
  const ended = await courier(`${words} --json --base-url https://service.test`, { env });
  expect(ended).toMatchObject({ exit: 5, stdout: "" });
  expect(JSON.parse(ended.stderr.trimEnd().split("\n").at(-1) ?? "").error).toMatchObject({
    code: "unreachable",
  });
  expect(proxy.tunnels.length).toBeLessThanOrEqual(4);
  expect(sandbox.requests).toHaveLength(0);
});

test.each([
  ["http://127.0.0.1:9", "http://127.0.0.1:9"],
  ["http://user:Pr0xyMark3r@127.0.0.1:9", "http://127.0.0.1:9 (with a name and password)"],
])("a proxy that is not there is named, and not the service: %s", async (proxy, shown) => {
  const { courier } = await createSecureHome();
  const env = { HTTPS_PROXY: proxy };
  const ended = await courier("profile --timeout 1 --base-url https://service.test", { env });
  expect(ended).toMatchObject({
    exit: 5,
    stdout: "",
    stderr:
      `error: cannot reach the proxy ${shown}: the connection was refused\n` +
      "hint: check HTTPS_PROXY (for plain http HTTP_PROXY), and whether the proxy runs; " +
      "NO_PROXY names hosts to reach without it\n",
  });
});

test.each([
  "http://user:Pr0xyMark3r@[broken",
  "proxy.test:8080",
  "socks5://user:Pr0xyMark3r@proxy.test",
  "http://user:Pr0xyMark3r%off@proxy.test:8080",
  "http://proxy.test:8080/proxy.pac",
  "http://proxy.test:8080?Pr0xyMark3r",
  "http:proxy.test:8080",
])("a proxy setting that cannot be used, %s: a clear error, exit 2", async (proxy) => {
  const { courier } = await createSecureHome();
  const env = { HTTPS_PROXY: proxy };
  const { exit, stderr } = await courier("profile --base-url https://service.test", { env });
  expect(stderr).toMatch(/^error: HTTPS_PROXY .*\nhint: .*http:/);
  expect(stderr).not.toContain("Pr0xyMark3r");
  expect(exit).toBe(2);
});

test("an answer with the status 000 is no HTTP, in words of ours", async () => {
  const { courier, sandbox } = await createServedProcessHome();
  sandbox.faults.set([{ kind: "raw", bytes: "HTTP/1.1 000 Odd\r\ncontent-length: 2\r\n\r\n{}" }]);
  const { exit, stderr } = await courier("profile");
  expect(exit).toBe(5);
  expect(stderr).toMatch(/ broke before an answer came: what came is not HTTP\n/);
});
