/**
 * The process that makes one call to the operating system's key ring (owner of @napi-rs/keyring).
 * Such a call can block for ever, in native code that nothing can interrupt; a process can be ended. The
 * request comes in as JSON on stdin and the answer leaves on stdout, where no list of processes shows them.
 */

import { readFileSync } from "node:fs";
import type { KeyRingAnswer, KeyRingRequest } from "./key-ring.ts";

/** The answer, as JSON, to the request on stdin. */
export async function answerKeyRingRequest(): Promise<string> {
  return JSON.stringify(await answer(JSON.parse(readFileSync(0, "utf8")) as KeyRingRequest));
}

async function answer({ action, service, user, key }: KeyRingRequest): Promise<KeyRingAnswer> {
  let keyRing: typeof import("@napi-rs/keyring");
  try {
    keyRing = await import("@napi-rs/keyring");
  } catch (error) {
    const reason = findDefect(error);
    return reason === undefined ? { failure: "absent" } : { failure: "broken", reason };
  }
  try {
    // Left to choose, the package falls back to the Linux kernel's keys, which are gone after a few days.
    const entry = new keyRing.Entry(service, user, { linux: { store: "secret-service" } });
    if (action === "set") entry.setPassword(key ?? "");
    if (action === "delete") entry.deleteCredential();
    return { key: action === "get" ? (entry.getPassword() ?? null) : null };
  } catch (error) {
    return { failure: "refused", reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Why the package's native file cannot be loaded, though it is there; the package lists all places it has tried. */
function findDefect(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const [reason = ""] = each.message.split("\n");
    if (!reason.startsWith("Cannot find ")) return reason;
  }
  return undefined;
}
