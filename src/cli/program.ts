/** Owns the command tree: the product's table of contents. */

import { listAccounts } from "../commands/accounts/list.ts";
import { removeStoredAccount } from "../commands/accounts/remove.ts";
import { useAccount } from "../commands/accounts/use.ts";
import { addAddress } from "../commands/addresses/add.ts";
import { importAddresses } from "../commands/addresses/import.ts";
import { listAddresses } from "../commands/addresses/list.ts";
import { removeAddress } from "../commands/addresses/remove.ts";
import { showAddress } from "../commands/addresses/show.ts";
import type { Group } from "../commands/command.ts";
import { login } from "../commands/login.ts";
import { logout } from "../commands/logout.ts";
import { cancelOrders } from "../commands/orders/cancel.ts";
import { createOrder } from "../commands/orders/create.ts";
import { exportOrders } from "../commands/orders/export.ts";
import { importOrders } from "../commands/orders/import.ts";
import { listOrders } from "../commands/orders/list.ts";
import { showOrder } from "../commands/orders/show.ts";
import { showProfile } from "../commands/profile.ts";
import { advanceSandboxParcel } from "../commands/sandbox/advance.ts";
import { resetSandboxState } from "../commands/sandbox/reset.ts";
import { serveSandbox } from "../commands/sandbox/serve.ts";
import { trackParcels } from "../commands/track.ts";

export const program: Group = {
  name: "courier",
  summary: "Create, find, cancel and track courier orders from a terminal",
  commands: [
    {
      name: "orders",
      summary: "Create, list, show, cancel, import and export orders",
      commands: [createOrder, listOrders, showOrder, cancelOrders, importOrders, exportOrders],
    },
    trackParcels,
    showProfile,
    login,
    logout,
    {
      name: "accounts",
      summary: "The accounts that this machine knows",
      commands: [listAccounts, useAccount, removeStoredAccount],
    },
    {
      name: "addresses",
      summary: "The address book on this machine: --sender @shop, --receiver @li",
      commands: [addAddress, listAddresses, showAddress, removeAddress, importAddresses],
    },
    {
      name: "sandbox",
      summary: "The embedded service: try everything with no account and no network",
      commands: [serveSandbox, resetSandboxState, advanceSandboxParcel],
    },
  ],
};
