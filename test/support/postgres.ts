/** A PostgreSQL server of Debian's package, with a data directory of its own, for the tests of one file. */

import { execFile, type SpawnOptions, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { type PostgresAddress, parseAddress } from "../../src/postgres/address.ts";

const run = promisify(execFile);
const packages = "/usr/lib/postgresql";

/** The newest one; undefined where the package is not installed. */
export const postgresPrograms = findPrograms();

function findPrograms(): string | undefined {
  if (!existsSync(packages)) return undefined;
  const [newest] = readdirSync(packages).sort((a, b) => Number(b) - Number(a));
  const programs = path.join(packages, newest ?? "", "bin");
  return existsSync(path.join(programs, "initdb")) ? programs : undefined;
}

/** Names no program that prints a password. */
export function readTestAddress(text: string): PostgresAddress {
  return parseAddress(text, "the test", {}, () => Promise.reject(new Error("no command is run")));
}

export interface PostgresServer {
  readonly port: number;
  /** The address of a new, empty database. */
  createDatabase(): Promise<string>;
  /** Runs SQL as the owner of the server. */
  query(text: string, database?: string): Promise<readonly Record<string, unknown>[]>;
  /** `immediate` ends it as a power failure would. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  start(): Promise<void>;
  /** Copies its data as of now. The function that it returns puts the copy in their place, as a backup or a late standby. */
  copyData(): Promise<() => Promise<void>>;
  /** Ends it, and removes all that it made. */
  remove(): Promise<void>;
}

/** PostgreSQL refuses to run as root. */
async function findOwner(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(
    ["-u", "-g"].map(async (flag) => Number((await run("id", [flag, "postgres"])).stdout)),
  );
  return { uid: uid ?? 0, gid: gid ?? 0 };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

export async function startPostgres(): Promise<PostgresServer> {
  const programs = postgresPrograms;
  if (programs === undefined) throw new Error("PostgreSQL is not installed");
  const owner = await findOwner();
  const directory = mkdtempSync(path.join(tmpdir(), "courier-pg-"));
  if (owner) chownSync(directory, owner.uid, owner.gid);
  const data = path.join(directory, "data");
  const asOwner = { ...owner, cwd: directory, env: { ...process.env, LC_ALL: "C.UTF-8" } };
  await run(
    path.join(programs, "initdb"),
    ["-D", data, "-U", "courier", "--auth=trust", "--no-sync", "-E", "UTF8"],
    asOwner,
  );
  const port = await findFreePort();
  const address = (database: string) => `postgres://courier@127.0.0.1:${port}/${database}`;
  let server: ReturnType<typeof spawn> | undefined;
  let count = 0;

  async function query(text: string, database = "postgres") {
    const client = new pg.Client({ connectionString: address(database) });
    client.on("error", () => {});
    await client.connect();
    try {
      const result = await client.query(text);
      return (Array.isArray(result) ? result.at(-1) : result).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  async function start(): Promise<void> {
    const settings = { listen_addresses: "127.0.0.1", port: String(port), unix_socket_directories: "" };
    const given = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const options: SpawnOptions = { ...asOwner, stdio: "ignore" };
    server = spawn(path.join(programs as string, "postgres"), ["-D", data, ...given], options);
    for (let turn = 0; ; turn++) {
      try {
        await query("SELECT 1");
        return;
      } catch (error) {
        if (turn >= 200 || server.exitCode !== null) throw error;
        await wait(50);
      }
    }
  }

  async function stop(mode: "fast" | "immediate"): Promise<void> {
    const ending = server;
    server = undefined;
    if (!ending || ending.exitCode !== null) return;
    const ended = new Promise((resolve) => ending.once("exit", resolve));
    ending.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await ended;
  }

  await start();
  return {
    port,
    async createDatabase() {
      const name = `shop_${++count}`;
      await query(`CREATE DATABASE ${name}`);
      return address(name);
    },
    query,
    stop,
    start,
    async copyData() {
      const copy = `${data}-copy`;
      await stop("fast");
      await run("cp", ["-a", data, copy]);
      await start();
      return async () => {
        await stop("immediate");
        rmSync(data, { recursive: true });
        await run("cp", ["-a", copy, data]);
        await start();
      };
    },
    async remove() {
      await stop("immediate");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** One server for the tests of a group: started before them, and removed after them. */
export function servePostgres(): PostgresServer {
  const server = {} as PostgresServer;
  beforeAll(async () => {
    if (postgresPrograms) Object.assign(server, await startPostgres());
  }, 120_000);
  afterAll(() => server.remove?.());
  return server;
}
