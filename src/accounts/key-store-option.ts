/** How a place for keys is named on the command line. */

import { quote } from "../command/options.ts";
import { type KeyStore, keyStores } from "../config/store.ts";
import { usageError } from "../core/errors.ts";

/** How the place is called in sentences. */
export function describeKeyStore(store: KeyStore, configPath: string): string {
  if (store === "keychain") return "the operating system's key ring";
  return `${configPath} (a file that only you can read)`;
}

/** Throws a usage error, which calls the text by `what`. */
export function parseKeyStore(text: string, what: string): KeyStore {
  const store = keyStores.find((each) => each === text);
  if (store !== undefined) return store;
  throw usageError(`${what} is ${keyStores.join(" or ")}, not ${quote(text)}`);
}

/** For completion. */
export const keyStoreCandidates = keyStores.map((word) => ({ value: word }));

export function keyStoreOption(summary: string) {
  return {
    placeholder: "STORE",
    summary,
    parse: parseKeyStore,
    candidates: keyStoreCandidates,
  };
}
