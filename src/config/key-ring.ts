/** Calls to the operating system's key ring, each in a process of its own. */

import { CourierError } from "../core/errors.ts";
import { type Env, runSubprocess, withoutKey } from "../core/subprocess.ts";
import { keyRingWord } from "./key-ring-word.ts";

/** The name of one entry in the key ring, readable for its owner. */
export interface KeyRingEntry {
  readonly service: string;
  readonly user: string;
}

/** Every call ends within two seconds, or throws a `key_ring` error. */
export interface KeyRing {
  get(entry: KeyRingEntry): Promise<string | undefined>;
  set(entry: KeyRingEntry, key: string): Promise<void>;
  /** Also where there is no such entry. */
  delete(entry: KeyRingEntry): Promise<void>;
}

export interface KeyRingRequest extends KeyRingEntry {
  readonly action: "get" | "set" | "delete";
  readonly key?: string | undefined;
}

export type KeyRingAnswer =
  | { readonly key: string | null }
  | { readonly failure: "absent" }
  | { readonly failure: "broken"; readonly reason: string }
  | { readonly failure: "refused"; readonly reason: string };

const limitMs = 2_000;
const elsewhere = "keep the key elsewhere: --key-store file, --key-command, or COURIER_API_KEY for one run";

/** `program` are the words that start courier itself. */
export function createKeyRing(program: readonly string[], env: Env): KeyRing {
  async function ask(request: KeyRingRequest): Promise<string | undefined> {
    const end = await runSubprocess({
      words: [...program, keyRingWord],
      env: withoutKey(env),
      stdin: JSON.stringify(request),
      limitMs,
    });
    if (end.kind === "timeout") {
      throw keyRingError(
        `the key ring did not answer within ${limitMs / 1_000} seconds`,
        `unlock it and try again, or ${elsewhere}`,
      );
    }
    const answer = end.kind === "ended" ? readAnswer(end.stdout) : undefined;
    if (answer === undefined) throw keyRingError("the key ring cannot be asked here", elsewhere);
    if ("key" in answer) return answer.key ?? undefined;
    if (answer.failure === "absent") {
      throw keyRingError(
        "the key ring needs the optional package @napi-rs/keyring, which is not installed here",
        `install courier with it (npm install --include=optional), or ${elsewhere}`,
      );
    }
    if (answer.failure === "broken") {
      throw keyRingError(
        `the key ring cannot be used here: @napi-rs/keyring does not load: ${answer.reason}`,
        elsewhere,
      );
    }
    throw explainRefusal(answer.reason);
  }

  return {
    get: (entry) => ask({ ...entry, action: "get" }),
    async set(entry, key) {
      await ask({ ...entry, action: "set", key });
    },
    async delete(entry) {
      await ask({ ...entry, action: "delete" });
    },
  };
}

function readAnswer(text: string): KeyRingAnswer | undefined {
  try {
    return JSON.parse(text) as KeyRingAnswer;
  } catch {
    return undefined; // its process crashed
  }
}

/** Says what is wrong in place of the words of D-Bus and of the package, which are the cause. */
function explainRefusal(reason: string): CourierError {
  const cause = new Error(reason);
  if (/(?<!b)locked|dismissed/i.test(reason))
    return keyRingError("the key ring is locked", `unlock it and try again, or ${elsewhere}`, cause);
  if (
    /failed to connect|autolaunch|no dbus session|serviceunknown|not provided|no result found/i.test(reason)
  )
    return keyRingError(
      "no key ring is running in this session",
      `start and unlock one, such as GNOME Keyring or KWallet, or ${elsewhere}`,
      cause,
    );
  const running = "see that the key ring of this session is running and unlocked";
  return keyRingError("the key ring refused the request", `${running}, or ${elsewhere}`, cause);
}

function keyRingError(message: string, hint: string, cause?: Error): CourierError {
  return new CourierError("key_ring", 4, message, { hint, cause });
}
