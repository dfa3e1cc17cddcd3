/** A Secret Service for tests: GNOME Keyring on a session bus of its own, both gone when the test ends. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

export interface SecretService {
  /** What a process needs to find it. */
  readonly env: Readonly<Record<string, string>>;
  /** Where it keeps what it is given. */
  readonly directory: string;
}

/** Starts one, unlocked; or one whose only collection is locked, with nobody there to unlock it. */
export async function startSecretService(state: "unlocked" | "locked" = "unlocked"): Promise<SecretService> {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-keyring-"));
  await mkdir(path.join(directory, ".cache"), { recursive: true });
  const unlock = "printf %s password | gnome-keyring-daemon --unlock --components=secrets >&2";
  const lock =
    "dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets " +
    "org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login >&2";
  const script = [unlock, ...(state === "locked" ? [lock] : []), 'echo "$DBUS_SESSION_BUS_ADDRESS"', "cat"];
  const session = spawn("dbus-run-session", ["--", "sh", "-ec", script.join("\n")], {
    env: { PATH: process.env.PATH, HOME: directory, XDG_RUNTIME_DIR: directory },
    stdio: "pipe",
  });
  onTestFinished(async () => {
    session.stdin.end(); // ends `cat`, and with it the session, its bus, and who was on it
    if (session.exitCode === null) await once(session, "exit");
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  return { directory, env: { DBUS_SESSION_BUS_ADDRESS: await firstLine(session) } };
}

/** A session bus that takes connections and never answers: every call to it blocks. */
export async function startSilentBus(): Promise<Readonly<Record<string, string>>> {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-bus-"));
  const socket = path.join(directory, "bus");
  const server: Server = createServer(() => {}).listen(socket);
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    await rm(directory, { recursive: true, force: true });
  });
  return { DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` };
}

async function firstLine(child: ChildProcess): Promise<string> {
  let [stdout, stderr] = ["", ""];
  child.stderr?.on("data", (text) => {
    stderr += text;
  });
  child.stdout?.on("data", (text) => {
    stdout += text;
  });
  const ended = once(child, "exit").then(() => true);
  while (!stdout.includes("\n")) {
    const isOver = await Promise.race([once(child.stdout ?? child, "data").then(() => false), ended]);
    if (isOver && !stdout.includes("\n")) throw new Error(`no Secret Service: ${stderr}`);
  }
  return stdout.split("\n", 1)[0] ?? "";
}
