/** Owns the composition of a run: makes clock, config, service, prompts and sandbox, each on first use. */

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { CourierService } from "../api/service.ts";
import type { Context } from "../commands/command.ts";
import { type ActiveAccount, chooseAccount } from "../config/accounts.ts";
import { isLoopback } from "../config/base-url.ts";
import { openConfigStore } from "../config/store.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { fileError, systemCode } from "../core/errors.ts";
import { createRedactor } from "../core/redact.ts";
import type { Messages } from "../terminal/messages.ts";
import type { Prompts } from "../terminal/prompt.ts";
import type { TerminalStream } from "../terminal/streams.ts";
import { findDirectories } from "./directories.ts";
import type { GlobalValues } from "./globals.ts";
import { readVersion } from "./version.ts";

/** The process as a run sees it: everything from outside comes in here. */
export interface Host {
  /** The words after `courier`. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: TerminalStream;
  readonly stderr: TerminalStream;
  /** Aborts with an `interrupted` error on a signal. */
  readonly signal: AbortSignal;
  /** Replaced in tests. */
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly prompts?: Prompts;
}

export interface RunContext extends Context {
  /** Closes what was opened, so that the process can end by itself. */
  close(): Promise<void>;
}

/** The key that a served sandbox accepts; it guards nothing but this machine's play orders. */
const servedSandboxKey = "sandbox-key";

export function createContext(host: Host, globals: GlobalValues, messages: Messages): RunContext {
  const clock = host.clock ?? systemClock();
  const directories = findDirectories(host.env);
  const sandboxDirectory = path.join(directories.state, "sandbox");
  const config = openConfigStore(directories.config);
  const closing: (() => Promise<void>)[] = [];

  const account = once(async (): Promise<ActiveAccount> => {
    const choice = {
      accountFlag: globals.account,
      baseUrlFlag: globals.baseUrl,
      accountEnv: given(host.env.COURIER_ACCOUNT),
      baseUrlEnv: given(host.env.COURIER_BASE_URL),
      apiKeyEnv: given(host.env.COURIER_API_KEY),
    };
    return chooseAccount(choice, await config.read());
  });

  async function serviceAs({
    baseUrl,
    apiKey,
  }: {
    baseUrl: string;
    apiKey: string;
  }): Promise<CourierService> {
    messages.redactWith(createRedactor([apiKey]));
    const [{ createTransport }, { createClient }, { createService }] = await Promise.all([
      import("../api/transport.ts"),
      import("../api/client.ts"),
      import("../api/service.ts"),
    ]);
    const transport = createTransport(proxyFor(baseUrl, host.env), globals.timeoutMs);
    closing.push(() => transport.close());
    return createService(
      createClient({
        baseUrl,
        apiKey,
        userAgent: `courier-cli/${readVersion()}`,
        timeoutMs: globals.timeoutMs,
        transport,
        clock,
        signal: host.signal,
        random: host.random ?? Math.random,
        trace: messages.trace,
      }),
    );
  }

  async function startEmbedded(): Promise<{ baseUrl: string; apiKey: string }> {
    const { startSandbox } = await import("../sandbox/server.ts");
    const server = await startSandbox({ stateDir: sandboxDirectory, clock, apiKey: randomUUID() });
    closing.push(() => server.close());
    return server;
  }

  const canAsk =
    globals.form === "human" && !globals.noInput && host.stdin.isTTY === true && host.stderr.isTTY === true;

  return {
    clock,
    signal: host.signal,
    messages,
    config,
    globals,
    account,
    service: once(async () => {
      const active = await account();
      return serviceAs(active.kind === "sandbox" ? await startEmbedded() : active);
    }),
    serviceAs,
    prompts: once(async () => {
      if (!canAsk) return undefined;
      if (host.prompts) return host.prompts;
      const { createPrompts } = await import("../terminal/prompt.ts");
      return createPrompts({ input: host.stdin, output: host.stderr, signal: host.signal });
    }),
    readText: (file) => (file === "-" ? readStream(host.stdin) : readTextFile(file)),
    readPipe: async () => (host.stdin.isTTY ? undefined : readStream(host.stdin)),
    sandbox: once(async () => {
      const [{ startSandbox }, { resetSandbox, advanceParcel }] = await Promise.all([
        import("../sandbox/server.ts"),
        import("../sandbox/control.ts"),
      ]);
      return {
        serve: (options) =>
          startSandbox({ stateDir: sandboxDirectory, clock, apiKey: servedSandboxKey, ...options }),
        reset: () => resetSandbox(sandboxDirectory),
        advance: (trackingNumber, to) =>
          advanceParcel({
            stateDir: sandboxDirectory,
            clock,
            trackingNumber,
            ...(to === undefined ? {} : { to }),
          }),
      };
    }),
    async close() {
      for (const close of closing.reverse()) await close();
    },
  };
}

/** Makes a value on the first call and gives the same one to every later call. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** An environment variable that is set to nothing counts as not set. */
function given(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

/** The proxies of the environment; a loopback service is on this machine and never behind one. */
function proxyFor(baseUrl: string, env: Host["env"]) {
  if (isLoopback(new URL(baseUrl).hostname)) return {};
  const variable = (name: string) => given(env[name.toLowerCase()]) ?? given(env[name]);
  return {
    httpProxy: variable("HTTP_PROXY"),
    httpsProxy: variable("HTTPS_PROXY"),
    noProxy: variable("NO_PROXY"),
  };
}

async function readTextFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const reasons: Record<string, string> = {
      ENOENT: "there is no such file",
      EACCES: "permission denied",
      EISDIR: "it is a directory",
    };
    const code = systemCode(error) ?? String(error);
    throw fileError(`cannot read ${file}: ${reasons[code] ?? code}`, { cause: error });
  }
}

async function readStream(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return new TextDecoder().decode(Buffer.concat(chunks));
}
