/** `courier accounts list`: which accounts this machine knows, and where each key is kept. */

import { defineCommand, rows } from "../command/command.ts";
import { sandboxAccount } from "../config/accounts.ts";
import { keySource, type StoredKeySource } from "../config/key-source.ts";
import type { StoredAccount } from "../config/store.ts";
import { CourierError } from "../core/errors.ts";
import { showCommand } from "../core/shown-command.ts";
import { shownAsWritten } from "../core/shown-url.ts";
import type { AccountRow } from "../model/results.ts";
import type { Column } from "../terminal/blocks.ts";

export const listAccounts = defineCommand({
  arguments: {},
  options: {},
  examples: [{ line: "accounts list", note: "the key itself is never shown" }],
  seeAlso: ["accounts use", "login"],
  async run(_input, context) {
    const { current, accounts } = await context.config.read();
    const stored = Object.entries(accounts).map(
      ([account, content]): AccountRow => ({
        account,
        current: account === current,
        base_url: shownAsWritten(content.base_url),
        ...whereKeyIs(account, content, context.config.path),
      }),
    );
    const sandbox: AccountRow = {
      account: sandboxAccount,
      current: current === sandboxAccount,
      base_url: null,
      key: "not needed",
      key_store: null,
    };
    return rows([...stored, sandbox], accountColumns, "No accounts");
  },
});

function whereKeyIs(name: string, account: StoredAccount, configPath: string) {
  const source = sourceOrProblem(name, account);
  if (typeof source === "string") return { key: source, key_store: null };
  const places = { file: configPath, keychain: "keychain" };
  const key = source.place === "command" ? showCommand(source.command) : places[source.place];
  return { key, key_store: source.place };
}

/** A key that cannot be used, as a person wrote it into the file, leaves the other accounts in the list. */
function sourceOrProblem(name: string, account: StoredAccount): StoredKeySource | string {
  try {
    return keySource(name, account) ?? "none";
  } catch (error) {
    if (error instanceof CourierError) return error.message;
    throw error;
  }
}

const accountColumns: readonly Column<AccountRow>[] = [
  {
    path: "current",
    title: "CURRENT",
    cell: ({ current }) => (current ? { style: "good", text: "yes" } : "no"),
  },
  { path: "account", title: "ACCOUNT", cell: ({ account }) => ({ style: "strong", text: account }) },
  {
    path: "base_url",
    title: "SERVICE",
    cell: ({ base_url }) => base_url ?? "embedded, on this machine",
  },
  {
    path: "key",
    title: "KEY",
    cell: ({ key, key_store }) => (key_store === "command" ? `from: ${key}` : key),
  },
];
