/** The address of a database: `postgres://USER@HOST:PORT/DATABASE?sslmode=…`, as libpq has it, without a password. */

import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import type { ConnectionOptions } from "node:tls";
import { usageError } from "../core/errors.ts";
import { explainSystemError } from "../core/system-errors.ts";
import { readPasswordFile } from "./password-file.ts";
import { passwordSetting, showAddress } from "./shown-address.ts";

type Env = Readonly<Record<string, string | undefined>>;

const modes = ["disable", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof modes)[number];

export interface PostgresAddress {
  /** To be kept: there is no secret in it. It may name the program that prints the password; people read `place`. */
  readonly text: string;
  readonly place: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly sslMode: SslMode;
  /** False: the connection is not encrypted. */
  readonly ssl: ConnectionOptions | false;
  /** Without it, PGPASSWORD has the password. */
  readonly readPassword: (() => Promise<string | undefined>) | undefined;
}

const known = ["sslmode", "sslrootcert", "sslcert", "sslkey", passwordSetting];

/** Throws a usage error; `source` names where the text is from. `askPassword` runs the command that the address names. */
export function parseAddress(
  text: string,
  source: string,
  env: Env,
  askPassword: (command: string) => Promise<string>,
): PostgresAddress {
  const form = "write it as postgres://USER@HOST:PORT/DATABASE";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^postgres(ql)?:\/\//.test(text))
    throw usageError(`${source} is not the address of a PostgreSQL database`, form);
  // One that was written in another place must not be shown either.
  const unknown = [...url.searchParams].filter(([name]) => !known.includes(name));
  const hasPassword =
    url.password !== "" ||
    /:|%3a/i.test(url.username) ||
    /[:@]|%3a|%40/i.test(url.pathname) ||
    [...unknown.flat(), url.hash].some((text) => /@|%40/.test(text));
  if (hasPassword)
    throw usageError(
      `${source} contains a password, which other programs and people could read`,
      "leave it out: PostgreSQL's own PGPASSFILE (~/.pgpass) or PGPASSWORD has it, or --password-command prints it",
    );
  for (const [name] of unknown)
    throw usageError(
      `${source} has a setting that courier does not know: ${name}`,
      `known: ${known.join(", ")}`,
    );
  const setting = (name: string) =>
    url.searchParams.get(name) ?? (env[`PG${name.toUpperCase()}`] || undefined);
  const { host, port, user, database } = placeOf(url, env, source);
  const nameOf = (name: string) =>
    url.searchParams.has(name) ? `${name} in ${source}` : `PG${name.toUpperCase()}`;
  const sslMode = readMode(setting("sslmode"), isLoopback(host), nameOf("sslmode"));
  const command = url.searchParams.get(passwordSetting) ?? undefined;
  const encoded = [user, database].map(encodeURIComponent);
  const shownHost = host.includes(":") ? `[${host}]` : encodeURIComponent(host);
  const search = url.searchParams.size === 0 ? "" : `?${url.searchParams}`;
  const whole = `postgres://${encoded[0]}@${shownHost}:${port}/${encoded[1]}${search}`;
  return {
    text: whole,
    place: showAddress(whole).place,
    host,
    port,
    user,
    database,
    sslMode,
    ssl: sslMode === "disable" ? false : readTls(sslMode, setting, nameOf),
    readPassword:
      command !== undefined
        ? once(() => askPassword(command))
        : env.PGPASSWORD === undefined
          ? () => readPasswordFile({ host, port, user, database })
          : undefined,
  };
}

function readPlace(url: URL, env: Env): Pick<PostgresAddress, "host" | "port" | "user" | "database"> {
  const host = decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/, "$1")) || env.PGHOST || "localhost";
  const user = decodeURIComponent(url.username) || env.PGUSER || userInfo().username;
  const database = decodeURIComponent(url.pathname.slice(1)) || env.PGDATABASE || user;
  return { host, port: Number(url.port || env.PGPORT || 5432), user, database };
}

/** The same, of an address that a person gives. */
function placeOf(url: URL, env: Env, source: string): ReturnType<typeof readPlace> {
  let place: ReturnType<typeof readPlace>;
  try {
    place = readPlace(url, env);
  } catch {
    throw usageError(`${source} has a % that begins no escape`, "write the character % as %25");
  }
  if (isPort(place.port)) return place;
  const wrong = url.port === "" ? `PGPORT is ${env.PGPORT}` : `the port in ${source} is ${url.port}`;
  throw usageError(`${wrong}, which is no port`, "give a number from 1 to 65535");
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536;
}

/** True where an address that was kept names the same database, whoever uses it, and whatever its settings are. */
export function isSameDatabase(kept: string, { host, port, database }: PostgresAddress, env: Env): boolean {
  let place: ReturnType<typeof readPlace>;
  try {
    place = readPlace(new URL(kept), env);
  } catch {
    return false; // who uses it says what is wrong
  }
  const isSameHost =
    place.host.toLowerCase() === host.toLowerCase() ||
    [place.host, host].every((each) => isThisMachine(each));
  return isSameHost && place.port === port && place.database === database;
}

/** Asks once, for all connections. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
}

/** The address with the command that prints the password. */
export function withPasswordCommand(text: string, command: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.searchParams.set(passwordSetting, command);
  return url.href;
}

function readMode(given: string | undefined, isLocal: boolean, name: string): SslMode {
  if (given === undefined) return isLocal ? "disable" : "verify-full";
  const mode = modes.find((each) => each === given);
  if (mode) return mode;
  throw usageError(`${name} is ${given}, which courier does not support`, `give one of: ${modes.join(", ")}`);
}

/** Unix sockets are named by their directory. */
export function isLoopback(host: string): boolean {
  return host.startsWith("/") || isThisMachine(host);
}

function isThisMachine(host: string): boolean {
  return /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/i.test(host);
}

function readTls(
  mode: SslMode,
  setting: (name: string) => string | undefined,
  nameOf: (name: string) => string,
): ConnectionOptions {
  const read = (name: string) => {
    const file = setting(name);
    if (file === undefined || file === "system") return undefined;
    try {
      return readFileSync(file, "utf8");
    } catch (error) {
      throw usageError(
        `the file of ${nameOf(name)} cannot be read: ${explainSystemError(error)}`,
        "name a file that your user may read",
      );
    }
  };
  const [ca, cert, key] = [read("sslrootcert"), read("sslcert"), read("sslkey")];
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    // As libpq: `require` encrypts, and checks the server only where the authority that signed it is named.
    rejectUnauthorized: mode !== "require" || ca !== undefined,
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
}
