/** The context of a run: makes clock, config, service, prompts and sandbox, each on first use. */

import { setMaxListeners } from "node:events";
import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Client } from "../api/client.ts";
import type { CourierService } from "../api/service.ts";
import type { Context } from "../command/command.ts";
import { settleOption } from "../command/value-options.ts";
import { type ActiveAccount, chooseAccount, findAccount } from "../config/accounts.ts";
import { createKeys, type KeyDeps, type Keys } from "../config/api-keys.ts";
import type { KeyCommandOptions } from "../config/key-command.ts";
import { openConfigStore, type StoredAccount } from "../config/store.ts";
import type { Clock } from "../core/clock.ts";
import { type ExitCode, fileError } from "../core/errors.ts";
import { lazy } from "../core/lazy.ts";
import { bootedAfter, hasProcess } from "../core/process-identity.ts";
import { createRedactor } from "../core/redact.ts";
import { shellQuote } from "../core/shell-quote.ts";
import type { Messages } from "../terminal/messages.ts";
import type { Progress } from "../terminal/progress.ts";
import { createCleanup } from "./cleanup.ts";
import { findDirectories } from "./directories.ts";
import type { GlobalValues } from "./globals.ts";
import { given, type Host } from "./host.ts";
import type { TakenFile } from "./output-place.ts";
import { findProxy, secretsOf } from "./proxy.ts";
import type { Remembered } from "./remember-answers.ts";
import { openRunLedger } from "./run-ledger.ts";
import { readRuntimeInfo } from "./runtime-info.ts";
import { readVersion } from "./version.ts";
import { createView } from "./view.ts";

export interface RunContext extends Context {
  /** The command that has begun a run in the ledger, which makes, cancels or settles orders. */
  begunCommand(): string | undefined;
  /** The result is written: shortens the time limit for what is still to be read or recorded. */
  noteResultIsOut(): void;
  /** Closes what was opened, so that the process can end. */
  close(exit: ExitCode, reported?: Error): Promise<void>;
}

interface Address {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** What a run has before its context is made. */
export interface Surroundings {
  readonly globals: GlobalValues;
  readonly clock: Clock;
  readonly messages: Messages;
  readonly progress: Progress;
  /** Called when a question is drawn; what it returns, when it ends. */
  readonly onAsk: () => () => void;
  /** Runs another command line at this terminal. */
  readonly runCommand: (inside: Inside) => Promise<ExitCode>;
}

/** What another command line at this terminal has of its own. */
export type Inside = Pick<Host, "argv" | "account" | "prompts">;

export async function createContext(
  host: Host,
  { globals, clock, messages, progress, onAsk, runCommand }: Surroundings,
): Promise<RunContext> {
  const directories = await findDirectories(host.env);
  const cleanup = createCleanup(host.signal, messages.warn);
  const { signal, addCleanup } = cleanup;
  const config = openConfigStore(directories.config, {
    clock,
    lock: { signal, onLongWait: () => noteLongWait(config.path) },
  });
  const systemProcesses = { ...processes, bootedAfterMs: () => bootedAfter(clock.now()) };
  const children = { kill: processes.kill, onExit: host.job.onExit };
  const keys = makeKeys({
    env: host.env,
    signal,
    clock,
    processes: children,
    ring: host.openKeyRing,
    config,
    messages,
  });
  const input = {
    get stdin() {
      return host.stdin; // which loads what a stream needs
    },
    signal,
    clock,
    note: messages.note,
    isWatched: host.stderr.isTTY === true,
    get printed() {
      return [host.stdout, host.stderr];
    },
    openTerminal: host.job.openTerminal,
    endKeys: process.platform === "win32" ? "Ctrl-Z and Enter" : "Ctrl-D",
  };
  const random = host.random ?? Math.random;
  const settle = given(host.env.COURIER_SETTLE);
  const settleMs = settle === undefined ? undefined : settleOption.parse(settle, "COURIER_SETTLE");

  let configMark = "";
  let stored: StoredAccount | undefined;
  const account = lazy(async (): Promise<ActiveAccount> => {
    configMark = markOf(config.path);
    const choice = {
      accountFlag: globals.account,
      baseUrlFlag: globals.baseUrl,
      accountEnv: given(host.env.COURIER_ACCOUNT),
      baseUrlEnv: given(host.env.COURIER_BASE_URL),
      apiKeyEnv: given(host.env.COURIER_API_KEY),
    };
    const content = await config.read();
    const chosen = host.account ?? chooseAccount(choice, content);
    stored = findAccount(content, chosen.name);
    return chosen;
  });

  function nextCommand(words: string): string {
    const flag = (name: string, value?: string) =>
      value === undefined ? "" : ` --${name} ${shellQuote(value)}`;
    return `courier ${words}${flag("account", globals.account)}${flag("base-url", globals.baseUrl)}`;
  }

  async function clientAs({ baseUrl, apiKey }: Address, ends = signal): Promise<Client> {
    const proxy = host.transport ? {} : findProxy(baseUrl, host.env);
    const redact = createRedactor([apiKey, ...(await secretsOf(proxy))]);
    messages.redactWith(redact);
    setMaxListeners(0, ends); // each call in progress adds one, and an import has many
    const [{ createTransport }, { createClient }] = await Promise.all([
      import("../api/transport.ts"),
      import("../api/client.ts"),
    ]);
    const transport = host.transport ?? (await createTransport(proxy, globals.timeoutMs));
    if (!host.transport) addCleanup(() => transport.close());
    return createClient({
      baseUrl,
      apiKey,
      login: nextCommand("login"),
      userAgent: `courier-cli/${readVersion()}`,
      timeoutMs: globals.timeoutMs,
      redact,
      transport,
      clock,
      signal: ends,
      random,
      trace: globals.debug ? messages.trace : undefined,
      begin: progress.begin,
    });
  }

  async function serviceOf(making: Promise<Client>): Promise<CourierService> {
    const [{ createService }, client] = await Promise.all([import("../api/service.ts"), making]);
    return createService(client);
  }

  const sandboxRun = { state: directories.state, clock, random, signal, onLongWait: noteLongWait };
  async function embedded(): Promise<Address> {
    const { startEmbeddedSandbox } = await import("./embedded-sandbox.ts");
    const server = await startEmbeddedSandbox(sandboxRun);
    addCleanup(() => server.close());
    return server;
  }

  /** Base URL and key of this run's account; starts the sandbox for its account. */
  const address = lazy(async (): Promise<Address> => {
    const active = await account();
    if (active.kind === "sandbox") return embedded();
    return { baseUrl: active.baseUrl, apiKey: await keys.read(active) };
  });
  const client = lazy(async () => clientAs(await address()));

  const book = openRunLedger({
    account,
    address,
    service: () => service(),
    config,
    keys,
    stateDirectory: directories.state,
    env: host.env,
    globals,
    clock,
    signal,
    messages,
    nextCommand,
    processes: systemProcesses,
  });
  const { ledger, localLedger, sharedLedger, sharesLedger, customer, knownCustomer } = book;

  let remembered: Remembered | undefined;
  /** Orders in the answers to its service and its raw calls are kept for the Tab key, the mirror and the ledger. */
  async function remember(making: Promise<Client>) {
    const [{ remembering }, client, active, { apiKey }] = await Promise.all([
      import("./remember-answers.ts"),
      making,
      account(),
      address(),
    ]);
    const tools = {
      account: active,
      apiKey,
      stateDirectory: directories.state,
      clock,
      addCleanup,
      ledger,
      warn: (text: string) => messages.warn(text),
      hasOpenLedger: book.hasOpenLedger,
      sharesLedger,
      knownCustomer,
      hasOtherKey,
      nextCommand,
    };
    addCleanup(async () => void (await keepKnownOrders()));
    const made = remembering(client, tools, remembered);
    remembered = made;
    return made;
  }

  function noteLongWait(file: string): void {
    messages.note(`waiting for another courier process that is writing to ${file}…`);
  }

  /** After a login meanwhile, what is kept under the account's name may be of another customer. */
  async function hasOtherKey(): Promise<boolean> {
    const active = await account();
    if (active.kind !== "remote" || active.key.place === "given") return false;
    if (markOf(config.path) === configMark) return false;
    // The file says only that it is in the key ring.
    if (active.key.place === "keychain")
      return (await keys.read(active).catch(() => undefined)) !== (await address()).apiKey;
    const { readConfigUnchecked } = await import("../config/read-config-unchecked.ts");
    const { key, key_command, key_store } =
      readConfigUnchecked(directories.config).accounts[active.name] ?? {};
    const own = "apiKey" in active.key ? active.key.apiKey : active.key.command;
    return String(key ?? key_command ?? key_store ?? own).trim() !== own.trim();
  }

  async function keepKnownOrders(): Promise<boolean> {
    if (await hasOtherKey()) return false;
    await remembered?.orders.keep(localLedger, clock.now()).catch(() => undefined);
    return true;
  }

  let hasForgotten = false;
  async function forgetKnownOrders(account: string, service?: string): Promise<void> {
    hasForgotten = true;
    remembered?.orders.drop(account);
    const { forgetOrders } = await import("./forget-orders.ts");
    await forgetOrders(account, service, directories.state, localLedger);
  }

  /** What the run has kept of an account that was logged out meanwhile would stay: nothing else deletes it. */
  async function forgetLoggedOut(context: Context): Promise<void> {
    if (hasForgotten || !(remembered || book.hasOpened())) return;
    if (markOf(config.path) === configMark) return;
    const active = await account().catch(() => undefined);
    if (active?.kind !== "remote" || active.key.place === "given") return;
    const { mayHaveKey } = await import("../config/read-config-unchecked.ts");
    if (mayHaveKey(directories.config, active.name, [stored?.base_url, active.baseUrl])) return;
    const { deleteKeptSince } = await import("../accounts/personal-data.ts");
    await deleteKeptSince(context, { name: active.name, service: active.baseUrl });
  }

  const remembering = lazy(() => remember(client()));
  const service = async () => (await remembering()).service;
  // Asked where it matters: to make a stream of stdin takes a millisecond or two.
  const canAsk = () =>
    globals.form === "human" && !globals.noInput && host.stdin.isTTY === true && host.stderr.isTTY === true;

  const prompts = lazy(async () => {
    if (!canAsk()) return undefined;
    if (host.prompts) return host.prompts;
    const { createPrompts } = await import("../terminal/prompt.ts");
    const elapsed = () => clock.elapsed();
    const { stdin: input, stderr: output, job } = host;
    return createPrompts({ input, output, signal, job, elapsed, onAsk });
  });

  /** The files that the command will write, in the order in which they were checked. */
  const outputs: TakenFile[] = [];

  const machine = readRuntimeInfo(process, host.env, directories, globals.timeoutMs);

  const context: RunContext = {
    clock,
    messages,
    config,
    keys,
    globals,
    settleMs,
    random,
    meter: () => progress.meter(),
    account,
    baseUrl: async () => (await address()).baseUrl,
    client,
    rawClient: async () => (await remembering()).rawClient,
    service,
    ledger,
    sharesLedger,
    sharedLedger,
    localLedger,
    customer,
    knownCustomer,
    keepKnownOrders,
    forgetKnownOrders,
    beginRun: book.beginRun,
    begunCommand: book.begunCommand,
    noteResultIsOut: book.noteResultIsOut,
    processes: systemProcesses,
    uninterruptibleService: lazy(
      async () => (await remember(clientAs(await address(), new AbortController().signal))).service,
    ),
    serviceAs: (account) => serviceOf(clientAs(account)),
    prompts,
    get hasScreen() {
      const isPlain = globals.output === undefined && globals.fields === undefined;
      return isPlain && canAsk() && host.stdout.isTTY === true && host.env.TERM !== "dumb";
    },
    copyText(text) {
      host.stdout.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
    },
    async runCommand(words) {
      const { typeGlobals } = await import("./typed-globals.ts");
      const active = await account();
      // Its orders may be another customer's by now, with the same ids.
      if (!isDeepStrictEqual(findAccount(await config.read(), active.name), stored))
        throw fileError(`the account ${active.name} was changed meanwhile: nothing was sent`, {
          hint: "run the same command again: it uses the account as it is now",
        });
      const argv = [...words, ...typeGlobals(globals)];
      return runCommand({ argv, account: active, prompts: await prompts() });
    },
    async display(blocks) {
      if (globals.form !== "human") return;
      const { render } = await import("../terminal/render.ts");
      const view = await createView(host.stderr, host.env, globals.noColor, clock.now());
      host.stderr.write(await render(blocks, view));
    },
    async understandAddress(text) {
      const { understandParty } = await import("../forms/address-text.ts");
      return understandParty(text);
    },
    async readText(file) {
      const { readText } = await import("./input.ts");
      return readText(file, input);
    },
    async readBytes(file, limit) {
      const { readBytes } = await import("./input.ts");
      return readBytes(file, input, limit);
    },
    async checkOutput(flag, file, name) {
      const { checkOutputPlace, filesBeside, keptFiles } = await import("./output-place.ts");
      const beside = filesBeside(name, host);
      await checkOutputPlace(flag, file, [...beside, ...outputs, ...keptFiles(config.path, directories)]);
      outputs.push({ what: flag, file });
    },
    async openOutput(file, { permissionsOf, flag, keep, realPath } = {}) {
      if (flag !== undefined) {
        const { ensureNoImportInput } = await import("./output-place.ts");
        await ensureNoImportInput(flag, file, { ledger, sharesLedger, machine });
      }
      const { openOutputFile } = await import("./output-file.ts");
      const { note, warn } = messages;
      const { stateDirectory } = machine;
      return openOutputFile(file, {
        clock,
        signal,
        note,
        warn,
        processes,
        onExit: host.job.onExit,
        stateDirectory,
        permissionsOf,
        keep,
        realPath,
      });
    },
    async readPipe() {
      if (host.stdin.isTTY) return undefined;
      const { readText } = await import("./input.ts");
      return readText("-", input);
    },
    nextCommand,
    sameCommand(words, without) {
      const end = host.argv.indexOf("--");
      const at = end < 0 ? host.argv.length : end;
      const given = host.argv.slice(0, at).filter((word) => word !== without);
      return ["courier", ...given, ...words, ...host.argv.slice(at)].map(shellQuote).join(" ");
    },
    ...cleanup,
    async close(exit, reported) {
      book.noteResultIsOut();
      await cleanup.close(reported);
      await forgetLoggedOut(context);
      await book.close(exit);
    },
    machine,
    alerts: lazy(async () => {
      const { createAlerts } = await import("./alerts.ts");
      return createAlerts(host, clock, children);
    }),
    sandbox: lazy(async () => {
      const [{ controlSandbox }, { forgetSandboxOrders }] = await Promise.all([
        import("./embedded-sandbox.ts"),
        import("./forget-orders.ts"),
      ]);
      return controlSandbox(sandboxRun, () => forgetSandboxOrders(forgetKnownOrders, messages.warn));
    }),
  };
  return context;
}

const processes = {
  kill: (pid: number, signal: "SIGTERM" | "SIGKILL") => void process.kill(pid, signal),
  pid: process.pid,
  isAlive: (pid: number) => hasProcess(process.kill.bind(process), pid),
};

/** Another one once the file was written anew. */
function markOf(file: string): string {
  try {
    const { ino, mtimeMs } = statSync(file);
    return `${ino} ${mtimeMs}`;
  } catch {
    return "";
  }
}

type KeySetup = Pick<KeyDeps, "config" | "ring"> &
  Omit<KeyCommandOptions, "storedKeys" | "note"> & { readonly messages: Messages };

/** Loads key ring and key commands only where they hold the key. */
function makeKeys({ config, ring, messages, ...running }: KeySetup): Keys {
  return createKeys({
    config,
    ring,
    async runCommand(command, storedKeys) {
      const { runKeyCommand } = await import("../config/key-command.ts");
      return runKeyCommand(command, { ...running, storedKeys, note: messages.note });
    },
    redact: (key) => messages.redactWith(createRedactor([key])),
  });
}
