/** The review: one screen with everything that will be sent, and where it goes. */

import { type ActiveAccount, unnamedAccount } from "../config/accounts.ts";
import type { Draft } from "../model/draft.ts";
import { type Block, blank, fields } from "../terminal/blocks.ts";
import { draftRows } from "../terminal/draft-view.ts";

/** All that will be sent, and where it goes. */
export function reviewView(draft: Draft, account?: ActiveAccount): readonly Block[] {
  const rows = draftRows(draft);
  return [
    blank,
    fields(...rows, ...(account ? [["Goes to", describeAccount(account)] as const] : [])),
    blank,
  ];
}

function describeAccount(account: ActiveAccount): string {
  return account.kind === "sandbox"
    ? "the sandbox on this machine; nothing is shipped"
    : `${account.baseUrl} ${account.name === unnamedAccount ? "with the key in COURIER_API_KEY" : `as the account ${account.name}`}`;
}
