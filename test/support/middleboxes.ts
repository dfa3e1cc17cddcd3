/** Runs what other people put between a client and a service: tinyproxy and nginx, as Debian has them. */

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { freePort } from "../api/wire.ts";
import type { PrivateAuthority } from "./certificates.ts";
import { until } from "./process.ts";
import { findTool } from "./tools.ts";

export interface Middlebox {
  readonly port: number;
  /** What it wrote down so far. */
  log(): Promise<string>;
}

/** A forward proxy on loopback; with a `password`, only for the user `shop`. */
export async function startTinyproxy(password?: string): Promise<Middlebox> {
  return startTool("tinyproxy", (directory, port) => ({
    config: [
      `Port ${port}`,
      "Listen 127.0.0.1",
      "Timeout 30",
      "MaxClients 20",
      "Allow 127.0.0.1",
      "LogLevel Connect",
      `LogFile "${directory}/log"`,
      password === undefined ? "" : `BasicAuth shop ${password}`,
    ],
    words: (config) => ["-d", "-c", config],
  }));
}

/** A reverse proxy that speaks TLS, HTTP/2 and gzip, before a service at `backend`. */
export async function startNginx(
  backend: string,
  { key, certificate }: Pick<PrivateAuthority, "key" | "certificate">,
): Promise<Middlebox> {
  return startTool("nginx", (directory, port) => ({
    files: { "key.pem": key, "certificate.pem": certificate },
    config: [
      process.getuid?.() === 0 ? "user root;" : "",
      "worker_processes 1;",
      `pid ${directory}/pid;`,
      `error_log ${directory}/errors;`,
      "events { worker_connections 64; }",
      "http {",
      "  log_format short '$server_protocol $request_method $request_uri $status $sent_http_content_encoding';",
      `  access_log ${directory}/log short;`,
      ...["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (name) => `  ${name}_temp_path ${directory}/${name};`,
      ),
      "  gzip on;",
      "  gzip_types application/json;",
      "  gzip_min_length 1;",
      "  gzip_proxied any;",
      "  server {",
      `    listen 127.0.0.1:${port} ssl http2;`,
      `    ssl_certificate ${directory}/certificate.pem;`,
      `    ssl_certificate_key ${directory}/key.pem;`,
      "    location / {",
      `      proxy_pass ${backend};`,
      "      proxy_set_header Host $http_host;",
      "    }",
      "  }",
      "}",
    ],
    words: (config) => ["-p", directory, "-c", config, "-g", "daemon off;"],
  }));
}

interface Setup {
  readonly config: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly words: (configFile: string) => readonly string[];
}

/** Starts a tool on a free port, in the foreground and a directory of its own; it ends with the test. */
async function startTool(
  name: string,
  setUp: (directory: string, port: number) => Setup,
): Promise<Middlebox> {
  const program = findTool(name);
  if (program === undefined) throw new Error(`${name} is not installed`);
  const directory = await mkdtemp(path.join(tmpdir(), `courier-${name}-`));
  const port = await freePort();
  const { config, files = {}, words } = setUp(directory, port);
  const configFile = path.join(directory, "config");
  await writeFile(configFile, `${config.join("\n")}\n`);
  for (const [file, text] of Object.entries(files)) await writeFile(path.join(directory, file), text);
  const child = spawn(program, words(configFile), { stdio: ["ignore", "ignore", "pipe"] });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    complaints += text;
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(directory, { recursive: true, force: true });
  });
  await until(`${name} listens`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${complaints}`);
    return listens(port);
  });
  return { port, log: () => readFile(path.join(directory, "log"), "utf8").catch(() => "") };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
