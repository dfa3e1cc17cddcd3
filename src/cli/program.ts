/** The command tree: the product's table of contents. A command is loaded when it is used. */

import type { Group } from "../command/command.ts";

export const program: Group = {
  name: "courier",
  summary: "Create, find, cancel and track courier orders from a terminal",
  examples: [
    { line: "--account sandbox orders list", note: "try everything with no account and no network" },
    { line: "login", note: "store the base URL and the key of your account" },
    { line: "orders create --file order.json", note: "create an order" },
    { line: "track CR1000001234", note: "see where a parcel is" },
  ],
  commands: [
    {
      name: "orders",
      summary: "Create, list, show, cancel, import and export orders",
      examples: [
        { line: "orders create", note: "create one, question by question" },
        { line: "orders list --status pending", note: "find those that await payment" },
        {
          line: "orders import orders.csv --check",
          note: "ship a spreadsheet: first see whether every row is right",
        },
      ],
      commands: [
        {
          name: "create",
          summary: "Create an order: asked for at a terminal, or from flags, a JSON file, or both",
          changes: true,
          load: async () => (await import("../orders/create.ts")).createOrder,
        },
        {
          name: "list",
          summary: "List your orders",
          load: async () => (await import("../orders/list.ts")).listOrders,
        },
        {
          name: "show",
          summary: "Show one order, and what can be done with it now",
          load: async () => (await import("../orders/show.ts")).showOrder,
        },
        {
          name: "cancel",
          summary: "Cancel orders, and report the state they are in afterwards",
          changes: true,
          load: async () => (await import("../orders/cancel.ts")).cancelOrders,
        },
        {
          name: "import",
          summary: "Create orders from .xlsx, CSV, JSON or NDJSON, each exactly once",
          changes: true,
          load: async () => (await import("../import/import.ts")).importOrders,
        },
        {
          name: "write-back",
          summary: "Write tracking numbers into a sheet that was imported",
          changes: true,
          load: async () => (await import("../import/write-back/write-back.ts")).writeBackOrders,
        },
        {
          name: "resolve",
          summary: "Settle an order in doubt: you say what happened to it",
          changes: true,
          load: async () => (await import("../history/resolve.ts")).resolveOrder,
        },
        {
          name: "export",
          summary: "Export every order that matches as .xlsx, CSV, JSON or NDJSON",
          load: async () => (await import("../orders/export.ts")).exportOrders,
        },
        {
          name: "slips",
          summary: "Write packing slips with bar codes, as a page to print",
          load: async () => (await import("../orders/slips.ts")).printSlips,
        },
      ],
    },
    {
      name: "track",
      summary: "Show where parcels are, or follow them with --watch",
      load: async () => (await import("../track/track.ts")).trackParcels,
    },
    {
      name: "find",
      summary: "Find orders by any part of a name, phone, address or number",
      load: async () => (await import("../find/find.ts")).findOrders,
    },
    {
      name: "sync",
      summary: "Bring the mirror of your orders on this machine up to date",
      load: async () => (await import("../find/sync.ts")).syncOrders,
    },
    {
      name: "report",
      summary: "Report what orders cost, and how long they took",
      examples: [
        { line: "report spend --from 2026-10 --to 2026-10", note: "what October cost" },
        { line: "report time --html time.html", note: "how long parcels took, as a page with charts" },
      ],
      commands: [
        {
          name: "spend",
          summary: "Sums of fees by month, week, day, state, service, city or sender",
          load: async () => (await import("../report/spend.ts")).reportSpend,
        },
        {
          name: "time",
          summary: "Times from created to delivered, by route or as for spend",
          load: async () => (await import("../report/time.ts")).reportTime,
        },
      ],
    },
    {
      name: "late",
      summary: "List the orders that have not moved for longest",
      load: async () => (await import("../report/late.ts")).listLate,
    },
    {
      name: "log",
      summary: "Show what was done at the service from this machine, run by run",
      load: async () => (await import("../history/log.ts")).showLog,
    },
    {
      name: "undo",
      summary: "Cancel the orders that a run created",
      changes: true,
      load: async () => (await import("../history/undo.ts")).undoRun,
    },
    {
      name: "profile",
      summary: "Show your profile: name, balance, remaining API calls",
      load: async () => (await import("../accounts/profile.ts")).showProfile,
    },
    {
      name: "login",
      summary: "Store the base URL and the API key of an account on this machine",
      changes: true,
      load: async () => (await import("../accounts/login.ts")).login,
    },
    {
      name: "logout",
      summary: "Forget the API key of an account",
      changes: true,
      load: async () => (await import("../accounts/logout.ts")).logout,
    },
    {
      name: "accounts",
      summary: "The accounts that this machine knows",
      examples: [
        { line: "accounts list", note: "which there are, and where each key is kept" },
        { line: "accounts use shop", note: "switch to another one" },
      ],
      commands: [
        {
          name: "list",
          summary: "List the accounts on this machine, and where each key is kept",
          load: async () => (await import("../accounts/list.ts")).listAccounts,
        },
        {
          name: "use",
          summary: "Make an account the current one",
          changes: true,
          load: async () => (await import("../accounts/use.ts")).useAccount,
        },
        {
          name: "move-key",
          summary: "Move an account's key to the key ring, or to the config file",
          changes: true,
          load: async () => (await import("../accounts/key-store.ts")).moveAccountKey,
        },
        {
          name: "key-store",
          summary: "Choose where logins keep keys from now on",
          changes: true,
          load: async () => (await import("../accounts/key-store.ts")).chooseKeyStore,
        },
        {
          name: "remove",
          summary: "Forget an account, its base URL and its key",
          changes: true,
          load: async () => (await import("../accounts/remove.ts")).removeStoredAccount,
        },
      ],
    },
    {
      name: "ledger",
      summary: "The record of sent orders: on this machine, or shared by several",
      examples: [
        { line: "ledger status", note: "where it is, and who is sending" },
        { line: "ledger use postgres://shop@db.example.com/orders", note: "share one with other machines" },
      ],
      commands: [
        {
          name: "status",
          summary: "Show where the ledger is, and which runs use it now",
          load: async () => (await import("../ledgers/status.ts")).showLedgerStatus,
        },
        {
          name: "use",
          summary: "Share a ledger with other machines, or go back to this one's own",
          changes: true,
          load: async () => (await import("../ledgers/use.ts")).useLedger,
        },
        {
          name: "move",
          summary: "Copy this machine's ledger into an empty shared one, and use that",
          changes: true,
          load: async () => (await import("../ledgers/move.ts")).moveLedger,
        },
        {
          name: "forget",
          summary: "Delete names, phones and addresses of an account's orders",
          changes: true,
          load: async () => (await import("../ledgers/forget.ts")).forgetLedger,
        },
      ],
    },
    {
      name: "addresses",
      summary: "The address book on this machine: --sender @shop, --receiver @li",
      examples: [
        { line: "addresses add shop --default", note: "save your own address, as the usual sender" },
        { line: "orders create --receiver @li --item-name 书", note: "ship to a saved one" },
      ],
      commands: [
        {
          name: "add",
          summary: "Save an address under a short name, for --sender @NAME and --receiver @NAME",
          changes: true,
          load: async () => (await import("../addresses/add.ts")).addAddress,
        },
        {
          name: "list",
          summary: "List the address book",
          load: async () => (await import("../addresses/addresses.ts")).listAddresses,
        },
        {
          name: "show",
          summary: "Show a saved address",
          load: async () => (await import("../addresses/addresses.ts")).showAddress,
        },
        {
          name: "edit",
          summary: "Change fields of a saved address",
          load: async () => (await import("../addresses/edit.ts")).editAddress,
        },
        {
          name: "use",
          summary: "Make a saved address the sender of orders that name none",
          load: async () => (await import("../addresses/addresses.ts")).useAddress,
        },
        {
          name: "remove",
          summary: "Forget a saved address",
          changes: true,
          load: async () => (await import("../addresses/addresses.ts")).removeAddress,
        },
        {
          name: "import",
          summary: "Read addresses from a CSV or JSON file into the address book",
          changes: true,
          load: async () => (await import("../addresses/import.ts")).importAddresses,
        },
      ],
    },
    {
      name: "templates",
      summary: "Orders saved under a name: orders create --template weekly",
      examples: [
        { line: "orders create --repeat --save-template weekly", note: "keep the last order under a name" },
        { line: "orders create --template weekly", note: "start from it" },
      ],
      commands: [
        {
          name: "list",
          summary: "List the order templates",
          load: async () => (await import("../templates/templates.ts")).listTemplates,
        },
        {
          name: "show",
          summary: "Show an order template; --json prints it as an order file",
          load: async () => (await import("../templates/templates.ts")).showTemplate,
        },
        {
          name: "remove",
          summary: "Forget an order template",
          changes: true,
          load: async () => (await import("../templates/templates.ts")).removeSavedTemplate,
        },
      ],
    },
    {
      name: "maps",
      summary: "What the columns of shop files are, as saved by orders import",
      examples: [
        { line: "maps list", note: "what imports know of columns" },
        { line: "maps remove orders", note: "the next import asks about these columns again" },
      ],
      commands: [
        {
          name: "list",
          summary: "List the saved column names",
          load: async () => (await import("../import/columns/maps.ts")).listMaps,
        },
        {
          name: "remove",
          summary: "Forget saved column names",
          changes: true,
          load: async () => (await import("../import/columns/maps.ts")).removeSavedMap,
        },
      ],
    },
    {
      name: "sandbox",
      summary: "The embedded service: try everything with no account and no network",
      examples: [
        { line: "orders create --file order.json --account sandbox", note: "use it, with nothing to start" },
        { line: "sandbox serve --port 4010", note: "let other programs use it" },
      ],
      commands: [
        {
          name: "serve",
          summary: "Run the sandbox service on a port of this machine until Ctrl-C",
          load: async () => (await import("../sandbox/serve.ts")).serveSandbox,
        },
        {
          name: "reset",
          summary: "Wipe all orders of the sandbox",
          changes: true,
          load: async () => (await import("../sandbox/reset.ts")).resetSandboxState,
        },
        {
          name: "advance",
          summary: "Move a sandbox parcel on to its next state, or to a named one",
          changes: true,
          load: async () => (await import("../sandbox/advance.ts")).advanceSandboxParcel,
        },
      ],
    },
    {
      name: "api",
      summary: "Make one raw call to the service, and print the answer as it came",
      changes: true,
      load: async () => (await import("../raw-calls/api.ts")).callApi,
    },
    {
      name: "doctor",
      summary: "Check this machine, the account and the connection to the service, and say what to do",
      load: async () => (await import("../doctor/doctor.ts")).diagnose,
    },
    {
      name: "schema",
      summary: "Print a JSON Schema: of an order file, or of what a command prints with --json",
      load: async () => (await import("../schema/schema.ts")).printSchema,
    },
    {
      name: "completion",
      summary: "Print or install the scripts that complete words at the Tab key",
      load: async () => (await import("../completion/completion.ts")).printCompletion,
    },
  ],
};
