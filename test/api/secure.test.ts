/** The tests of TLS, directly and through a proxy's tunnel: what is refused, and that nothing leaves before. */

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { NoAnswer, noAnswerFailure } from "../../src/api/failure.ts";
import { createAuthority, type PrivateAuthority } from "../support/certificates.ts";
import { startProxy } from "../support/proxy.ts";
import { listen } from "./wire.ts";

interface SecureServer {
  readonly url: string;
  readonly port: number;
  /** Requests that arrived. */
  readonly requests: readonly string[];
}

async function listenSecurely({ key, certificate }: PrivateAuthority): Promise<SecureServer> {
  const requests: string[] = [];
  const server = createServer({ key, cert: certificate }, (request, response) => {
    requests.push(request.method ?? "");
    response.end("{}");
  });
  server.on("tlsClientError", () => {});
  const { port } = await listen(server, "https");
  return { url: `https://127.0.0.1:${port}/`, port, requests };
}

/** Sends a POST to each URL from a process that trusts the authorities. */
async function sendFrom(
  authorities: readonly PrivateAuthority[],
  urls: readonly string[],
  proxy: object = {},
): Promise<unknown[]> {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-test-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const trusted = path.join(directory, "authorities.pem");
  await writeFile(trusted, authorities.map(({ authority }) => authority).join(""));
  const sender = path.join(import.meta.dirname, "sender.ts");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", sender, JSON.stringify(proxy), ...urls],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: trusted, NODE_TLS_REJECT_UNAUTHORIZED: "0" } },
  );
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const expected = [
  { status: 200 },
  { connected: false, code: "CERT_HAS_EXPIRED" },
  { connected: false, code: "ERR_TLS_CERT_ALTNAME_INVALID" },
  { connected: false, code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" },
];

test("certificates: good, expired, for another host, of an unknown authority", async () => {
  const good = createAuthority(["127.0.0.1"]);
  const expired = createAuthority(["127.0.0.1"], [-48, -24]);
  const foreign = createAuthority(["service.test"]);
  const unknown = createAuthority(["127.0.0.1"]);
  const servers = await Promise.all([good, expired, foreign, unknown].map(listenSecurely));
  const urls = servers.map(({ url }) => url);
  expect(await sendFrom([good, expired, foreign], urls)).toEqual(expected);
  expect(servers.map(({ requests }) => requests.length)).toEqual([1, 0, 0, 0]);
});

test("the same through a tunnel: the certificate that counts is the service's", async () => {
  const good = createAuthority(["127.0.0.1", "service.test"]);
  const expired = createAuthority(["127.0.0.1"], [-48, -24]);
  const server = await listenSecurely(good);
  const late = await listenSecurely(expired);
  const proxy = await startProxy(server.port);
  const lateProxy = await startProxy(late.port);
  const urls = ["https://127.0.0.1:9/", "https://service.test/", "https://other.test/"];
  const [outcomes, [lateOutcome]] = await Promise.all([
    sendFrom([good], urls, { proxy: proxy.url }),
    sendFrom([expired], ["https://127.0.0.1:9/"], { proxy: lateProxy.url }),
  ]);
  expect(outcomes).toEqual([{ status: 200 }, { status: 200 }, expected[2]]);
  expect(lateOutcome).toEqual(expected[1]);
  expect(proxy.tunnels.map(({ target }) => target)).toEqual([
    "127.0.0.1:9",
    "service.test:443",
    "other.test:443",
  ]);
  expect(server.requests).toHaveLength(2);
  expect(late.requests).toHaveLength(0);
});

const ofAuthority = "for a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file";
const ofTime = "check this machine's clock; if it is right, the certificate must be replaced";

test.each([
  ["CERT_HAS_EXPIRED", "its certificate has expired", ofTime],
  ["CERT_NOT_YET_VALID", "its certificate is not valid yet", ofTime],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "its certificate is for another host",
    "check the host in the base URL (courier accounts list)",
  ],
  [
    "UND_ERR_PRX_TLS",
    "the proxy's certificate is for another host",
    "check the host in the proxy's URL (HTTPS_PROXY or HTTP_PROXY)",
  ],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "its certificate cannot be verified", ofAuthority],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate is self-signed", ofAuthority],
])("%s is told as: %s", (code, words, hint) => {
  const cause = Object.assign(new Error("raw words"), { code });
  const failure = noAnswerFailure("api.example.com", false, new NoAnswer(false, cause));
  expect(failure.message).toBe(`cannot reach api.example.com: ${words}`);
  expect(failure.hint).toBe(hint);
});
