/** A connection to PostgreSQL (owner of pg), which is made anew after it broke. One transaction at a time. */

import type { Socket } from "node:net";
import type { Client, ClientConfig } from "pg";
import type { Clock } from "../core/clock.ts";
import { explainCause, isCertificateFailure } from "../core/connection-errors.ts";
import { CourierError, systemCode } from "../core/errors.ts";
import type { SqlRow, SqlValue } from "../sqlite/driver.ts";
import type { PostgresAddress } from "./address.ts";

export interface ConnectionOptions {
  readonly address: PostgresAddress;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** The longest wait for a connection from now; half a minute where undefined. */
  readonly limitMs?: (() => number | undefined) | undefined;
  /** Called when a wait has lasted for a second. */
  readonly onLongWait?: (() => void) | undefined;
  /** Called when a connection broke. */
  readonly onBroken?: (() => void) | undefined;
}

/** `?` stands for each value. */
export type Answer = (text: string, values: readonly SqlValue[]) => Promise<readonly SqlRow[]>;

export interface RepeatOptions {
  readonly canRepeat: boolean;
  /** `begin` has waited for the end of an earlier transaction. */
  readonly wasDone?: (answer: Answer) => Promise<boolean>;
}

export interface Connection {
  /**
   * Runs `work` between `begin` and COMMIT. Throws `database` (exit 5) where the server cannot be reached, refuses or
   * fails: where the connection broke at the COMMIT, that may have happened. Throws what `work` throws. With `canRepeat`,
   * `work` begins anew on another connection where its own broke, and nothing of it was committed: it only reads, or
   * `wasDone` finds out after `begin` whether an earlier one was committed.
   */
  transaction<T>(begin: string, work: (answer: Answer) => Promise<T>, options?: RepeatOptions): Promise<T>;
  /** One statement outside a transaction. */
  ask: Answer;
  close(): Promise<void>;
}

/** For so long a connection is tried. No writer takes so long, unless it is stopped. */
const longestWaitMs = 30_000;
/** After Ctrl-C: enough for a server that is there. */
const momentMs = 1_000;
/** A host that lets nothing through does not refuse either. */
const longestConnectMs = 10_000;
const lookMs = 200;
/** A server says less before it takes statements; something else may never stop. */
const mostBeforeStart = 1_000_000;
const noteAfterMs = 1_000;
const firstPauseMs = 50;
const longestPauseMs = 1_000;
/** A server that does not answer for so long is as good as away. */
const answerLimitMs = 20_000;
/** After Ctrl-C, for what must not be recorded twice: other machines may write first. */
const recordLimitMs = 5_000;

export function createConnection(options: ConnectionOptions): Connection {
  const { address, clock } = options;
  let client: Client | undefined;
  let wasConnected = false;
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();
  /** What is asked now has at least so long, unless the connection is closed. */
  let leastMs = momentMs;

  /** Looks every `lookMs`: the limit becomes shorter while a connection is made, and a silent host never answers. */
  function actOnce(isDue: () => boolean, act: () => void): () => void {
    let cancel = () => {};
    const look = () => {
      if (isDue()) act();
      else cancel = clock.after(lookMs, look);
    };
    cancel = clock.after(lookMs, look);
    return () => cancel();
  }

  function limitNow(): number {
    const isLast = options.signal?.aborted || isClosed;
    return Math.min(options.limitMs?.() ?? longestWaitMs, isLast ? momentMs : longestWaitMs);
  }

  /** Breaks a connection that is silent for too long. Where the limit becomes shorter meanwhile, its rest does, too. */
  async function query(used: Client, text: string, values?: unknown[]) {
    let spent = 0;
    const stopLooking = actOnce(
      () => {
        spent += lookMs / Math.max(isClosed ? momentMs : leastMs, limitNow());
        return spent >= 1;
      },
      () => socketOf(used).destroy(),
    );
    return used.query(text, values).finally(stopLooking);
  }

  /** A person may type what the password command asks for: that is no wait for the server. */
  let asked = { beganMs: undefined as number | undefined, totalMs: 0 };
  const askedMs = () => asked.totalMs + (asked.beganMs === undefined ? 0 : clock.elapsed() - asked.beganMs);

  async function askPassword(ask: () => Promise<string | undefined>): Promise<string | undefined> {
    const before = askedMs();
    asked = { beganMs: clock.elapsed(), totalMs: before };
    return ask().finally(() => {
      asked = { beganMs: undefined, totalMs: askedMs() };
    });
  }

  /** Tries until the server has done `begin`: a pooler answers although the server behind it is away. */
  async function connectInTime(begin: string | undefined): Promise<Client> {
    const startedMs = clock.elapsed() - askedMs();
    const passedMs = () => clock.elapsed() - askedMs() - startedMs;
    const hasTime = () => passedMs() < limitNow();
    let isNoted = false;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      try {
        const connected = await connectAndBegin(begin, hasTime);
        wasConnected = true;
        return connected;
      } catch (error) {
        if (!(mayPass(error) || (wasConnected && isAway(error))) || !hasTime()) throw error;
        if (passedMs() >= noteAfterMs && !isNoted) {
          isNoted = true;
          options.onLongWait?.();
        }
        await clock.sleep(Math.ceil(pauseMs * (0.5 + Math.random())));
      }
    }
  }

  async function connectAndBegin(begin: string | undefined, hasTime: () => boolean): Promise<Client> {
    const Client = await loadDriver();
    const made = new Client(configOf(address, askPassword));
    made.on("error", () => {
      if (client === made) client = undefined; // the next transaction connects again
      options.onBroken?.();
    });
    const isOther = () => socketOf(made).bytesRead > mostBeforeStart;
    const stopLooking = actOnce(
      () => !hasTime() || isOther(),
      () => socketOf(made).destroy(),
    );
    try {
      await made.connect();
      if (begin !== undefined) await made.query(begin);
      return made;
    } catch (error) {
      drop(made); // it may be in a transaction that failed
      if (!isOther()) throw error;
      throw new CourierError(
        "database",
        5,
        `the ledger cannot be used: no PostgreSQL answers at ${address.place}`,
        {
          cause: error,
          hint: "check the host and the port",
        },
      );
    } finally {
      stopLooking();
    }
  }

  function drop(broken: Client): void {
    if (client === broken) client = undefined;
    options.onBroken?.();
    void broken.end().catch(() => {});
    socketOf(broken).destroy();
  }

  /** The client, after `begin`: a connection that broke while it was idle is replaced. */
  async function start(begin: string | undefined): Promise<Client> {
    const kept = client;
    if (kept) {
      try {
        if (begin !== undefined) await query(kept, begin);
        return kept;
      } catch (error) {
        drop(kept);
        if (!isLost(error)) throw error;
      }
    }
    client = await connectInTime(begin);
    return client;
  }

  async function rollBack(used: Client): Promise<void> {
    try {
      await query(used, "ROLLBACK");
    } catch {
      drop(used); // the server ends the transaction with the connection
    }
  }

  const answerOf =
    (used: Client): Answer =>
    async (text, values) => {
      const result = await query(used, toNumbered(text), values.map(toParameter));
      // Without values a text may hold several statements: the last one answers.
      const { rows } = Array.isArray(result) ? result.at(-1) : result;
      return rows as SqlRow[];
    };

  /** After all that was asked before. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  }

  return {
    transaction: (begin, work, { canRepeat, wasDone } = { canRepeat: false }) =>
      inTurn(async () => {
        ensureOpen(isClosed);
        leastMs = wasDone ? recordLimitMs : momentMs;
        const startedMs = clock.elapsed();
        const hasTime = () => clock.elapsed() - startedMs < limitNow();
        // What the last turn worked out, and may have committed.
        let ended: { readonly result: Awaited<ReturnType<typeof work>> } | undefined;
        for (;;) {
          let used: Client | undefined;
          try {
            used = await start(begin);
            const answer = answerOf(used);
            if (ended && !(await wasDone?.(answer))) ended = undefined;
            ended ??= { result: await work(answer) };
            const { command } = await query(used, "COMMIT");
            if (command !== "COMMIT") throw new Error("the server rolled the transaction back");
            return ended.result;
          } catch (error) {
            if (used) await rollBack(used);
            if (!used || !canRepeat || !isBroken(error) || !hasTime()) throw explain(error, address);
          }
        }
      }),
    ask: (text, values) =>
      inTurn(async () => {
        ensureOpen(isClosed);
        leastMs = momentMs;
        let used: Client | undefined;
        try {
          used = await start(undefined);
          return await answerOf(used)(text, values);
        } catch (error) {
          if (used && isLost(error)) drop(used);
          throw explain(error, address);
        }
      }),
    async close() {
      isClosed = true;
      await last.catch(() => {});
      const closing = client;
      client = undefined;
      if (!closing) return;
      // The driver waits until the server has closed the connection: a silent one would keep the process alive.
      const cancel = clock.after(momentMs, () => socketOf(closing).destroy());
      await closing.end().catch(() => {});
      cancel();
    },
  };
}

function socketOf(client: Client): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}

function ensureOpen(isClosed: boolean): void {
  if (isClosed) throw new Error("the connection was closed");
}

/** Without the pool and the search for a native driver, which the package's entry loads. */
async function loadDriver(): Promise<typeof Client> {
  // @ts-expect-error: the types have no modules below the entry
  const loaded = (await import("pg/lib/client.js")) as { readonly default: typeof Client };
  return loaded.default;
}

function configOf(
  { host, port, user, database, ssl, readPassword }: PostgresAddress,
  ask: (readPassword: () => Promise<string | undefined>) => Promise<string | undefined>,
): ClientConfig {
  return {
    host,
    port,
    user,
    database,
    ssl,
    // The driver takes undefined for none; its types do not.
    ...(readPassword ? { password: (() => ask(readPassword)) as () => Promise<string> } : {}),
    application_name: "courier",
    connectionTimeoutMillis: longestConnectMs,
    query_timeout: answerLimitMs,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser: (oid) => (numberTypes.has(Number(oid)) ? Number : String) },
  };
}

/** int8, int2, int4, oid, float4, float8, numeric: what the ledger has of them fits a number. */
const numberTypes = new Set([20, 21, 23, 26, 700, 701, 1700]);

/** Each `?` becomes `$1`, `$2` and so on; no text of the ledger's statements has one of its own. */
function toNumbered(text: string): string {
  let count = 0;
  return text.replace(/\?/g, () => `$${++count}`);
}

/** PostgreSQL stores no NUL in a text. */
function toParameter(value: SqlValue): unknown {
  return typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value;
}

/** SQLSTATE, five characters, where the server itself said no. */
export function sqlState(error: unknown): string | undefined {
  const code = systemCode(error);
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && "severity" in (error as object)
    ? code
    : undefined;
}

/** True where the connection is gone, or going, or its server takes no writes any more: another one may be had. */
function isLost(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return /^(08|57P0|25P03|25006)/.test(state);
  return !(error instanceof CourierError);
}

const dropped = /terminated|ended unexpectedly|not queryable/i;

/** True where the connection broke, for whatever reason: another one may be had. */
function isBroken(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return /^(57P0[123]|08)/.test(state);
  return ["ECONNRESET", "EPIPE"].includes(systemCode(error) ?? "") || dropped.test(String(error));
}

/** True where the server has no such database, or takes no connections to it, as while another one takes its place. */
function isAway(error: unknown): boolean {
  return ["3D000", "55000"].includes(sqlState(error) ?? "");
}

const notReached = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "EPIPE",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
  "ENOENT",
]);

/** True where the same may succeed a moment later: the server starts, restarts or fails over. */
function mayPass(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return /^(57P0[123]|53300|08|25006)/.test(state);
  return (
    notReached.has(systemCode(error) ?? "") || dropped.test(String(error)) || /timeout/i.test(String(error))
  );
}

const tryAgain =
  "run the same command again when it works: what was sent is looked up, and nothing is sent twice";
const givePassword =
  "put the right one into ~/.pgpass (chmod 600 ~/.pgpass) or PGPASSWORD, or name a program that prints it: --password-command";

const makeRoom = "make room on the server, then run the same command again";
const encrypt =
  "switch ssl on in the server; or add ?sslmode=disable to the address, where others cannot read what goes to that host";
const nameAuthority =
  "name the host as its certificate does, and the authority that signed it: ?sslrootcert=FILE";

const refusals: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  "28P01": ["it refuses the password", givePassword],
  "28000": ["it refuses this user", "check the user and pg_hba.conf"],
  "3D000": ["there is no such database", "make it with createdb, or correct the address"],
  "55000": ["it takes no connections", tryAgain],
  "42501": [
    "this user may not do that",
    "let the user create a schema in the database, or give it the one named courier",
  ],
  "25006": ["it is read-only", "name the server that takes writes"],
  "53100": ["its disk is full", makeRoom],
  "53300": ["it has no connection left", "raise max_connections, or end processes that hang"],
  "57P01": ["it is being restarted", tryAgain],
  "57P02": ["it is being restarted", tryAgain],
  "57P03": ["it is being restarted", tryAgain],
  "55P03": ["another program keeps it locked", "end the one that hangs"],
};

function describeOther(error: unknown, state: string | undefined): readonly [reason: string, remedy: string] {
  const message = error instanceof Error ? error.message : String(error);
  if (/could not write init file/.test(message)) return ["its disk is full or failing", makeRoom];
  if (state !== undefined) return [message, tryAgain];
  if (/password must be a string/.test(message)) return ["it asks for a password", givePassword];
  if (/does not support SSL/.test(message)) return ["it takes no encrypted connection", encrypt];
  if (dropped.test(message)) return ["the connection was dropped", tryAgain];
  if (/timed?out/i.test(message)) return ["no connection in time", tryAgain];
  const code = systemCode(error);
  return [explainCause(code) ?? message, isCertificateFailure(code) ? nameAuthority : tryAgain];
}

/** Plain words for a failure of the server; what is no failure of it stays as it is. */
function explain(error: unknown, { place }: PostgresAddress): unknown {
  const state = sqlState(error);
  const code = systemCode(error);
  if (
    error instanceof CourierError ||
    (error instanceof Error && error.constructor !== Error && state === undefined && code === undefined)
  )
    return error;
  const [reason, remedy] = refusals[state ?? ""] ?? describeOther(error, state);
  return new CourierError("database", 5, `the ledger cannot be used: ${reason}: ${place}`, {
    cause: error,
    hint: remedy,
  });
}
