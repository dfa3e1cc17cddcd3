/** The content of the config file: accounts and keys, the address book, order templates. */

import { type Clock, systemClock } from "../core/clock.ts";
import { type Draft, type DraftParty, draftSchema, partySchema } from "../model/draft.ts";
import { boolean, looseObject, maybe, optional, recordOf, textSchema, wordSchema } from "../model/schema.ts";
import type { LockOptions } from "./config-lock.ts";
import { type JsonFile, openJsonFile } from "./json-file.ts";

/** Where courier itself keeps keys. */
export const keyStores = ["file", "keychain"] as const;
export type KeyStore = (typeof keyStores)[number];

/** Made when a file is read: making it is a large part of a start-up. One schema each for all fields. */
function configSchema() {
  const object = { error: "object" };
  const optionalText = optional(textSchema);
  const name = maybe(textSchema);
  const key_store = maybe(wordSchema(keyStores));
  const texts = recordOf(textSchema, object);
  const account = looseObject(
    {
      base_url: textSchema,
      key: optionalText,
      key_store,
      key_mark: optionalText,
      key_command: optionalText,
      ledger: optionalText,
      allow_http: maybe(boolean({ error: "boolean" })),
    },
    object,
  );
  const headerMap = looseObject({ header: textSchema, columns: texts, platform: optionalText }, object);
  return looseObject(
    {
      current: name,
      accounts: optional(recordOf(account, object)),
      addresses: optional(recordOf(partySchema(), object)),
      default_sender: name,
      key_store,
      templates: optional(recordOf(draftSchema(), object)),
      maps: optional(recordOf(texts, object)),
      shops: optional(recordOf(textSchema, object)),
      header_maps: optional(recordOf(headerMap, object)),
    },
    object,
  );
}

export interface StoredAccount {
  readonly base_url: string;
  /** The key itself, where this file stores it. */
  readonly key?: string | undefined;
  readonly key_store?: KeyStore | null | undefined;
  /** Another one for each key that was put into the key ring: the file tells that it is another key. */
  readonly key_mark?: string | undefined;
  /** The command that prints the key, where courier stores none. */
  readonly key_command?: string | undefined;
  /** The address of the ledger that it shares with other machines. */
  readonly ledger?: string | undefined;
  readonly allow_http?: boolean | null | undefined;
}

/** The columns of files with one header, as a person decided. */
export interface HeaderMap {
  /** Digest of the header. */
  readonly header: string;
  /** Header to field; "" is a column that is not used. */
  readonly columns: Readonly<Record<string, string>>;
  /** The platform whose titles the header has: it reads the columns that are not here. */
  readonly platform?: string | undefined;
}

/** The whole file; keys that this version does not know are kept. */
export interface Config {
  /** The account that commands use by default. */
  readonly current?: string | null | undefined;
  readonly accounts: Readonly<Record<string, StoredAccount>>;
  /** Where logins store keys unless `--key-store` names another place. */
  readonly key_store?: KeyStore | null | undefined;
  /** The address book, by alias. */
  readonly addresses: Readonly<Record<string, DraftParty>>;
  /** The alias of the sender of orders that name none. */
  readonly default_sender?: string | null | undefined;
  readonly templates: Readonly<Record<string, Draft>>;
  /** Saved column names of imports: header to field. */
  readonly maps: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The shop of saved column names, where one was given with them. */
  readonly shops?: Readonly<Record<string, string>> | undefined;
  /** Column names of imports by header (header-maps.ts). */
  readonly header_maps?: Readonly<Record<string, HeaderMap>> | undefined;
}

export type ConfigStore = JsonFile<Config>;

export interface StoreOptions {
  readonly clock?: Clock;
  readonly lock?: LockOptions;
}

/** The config file in a directory of the user's. */
export function openConfigStore(
  directory: string,
  { clock = systemClock(), lock }: StoreOptions = {},
): ConfigStore {
  return openJsonFile<Config>({
    directory,
    name: "config",
    title: "config file",
    schema: configSchema,
    empty: { accounts: {}, addresses: {}, templates: {}, maps: {} },
    remedy: "fix it, or move it away and run courier login again",
    secrets: ({ accounts }) => Object.values(accounts).flatMap(({ key }) => key ?? []),
    lock,
    clock,
  });
}
