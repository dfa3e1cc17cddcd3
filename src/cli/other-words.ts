/** What to type instead of a word that is no command: other words for one, and what the service does not offer. */

import { type CommandEntry, type Group, isGroup } from "../command/command.ts";
import { flagOf } from "../command/options.ts";
import { type CourierError, usageError } from "../core/errors.ts";
import { isNear } from "../core/suggest.ts";

type Hints = readonly (readonly [words: string, hint: string])[];

const remove = "rm delete del erase forget drop remove";
const show = "get view describe info details cat show open read";
const list = "ls all list index";
const create = "new make add create insert save";

/** What the specification of the interface does not show. Each is one sentence, and true for any account. */
const notOffered: Hints = [
  [
    "pay payment checkout",
    "the service's published interface has no call to pay an order, so courier cannot",
  ],
  ["refund", "the service's published interface has no call for a refund, so courier cannot ask for one"],
  ["rate review", "the service's published interface has no call to rate a delivery, so courier cannot"],
  [
    "price prices quote estimate cost rates fee",
    "the service's published interface has no call for prices; an order that exists shows its fee: courier orders show ID",
  ],
  [
    "label labels waybill print",
    "the service's published interface has no waybills; courier orders slips writes the shop's own packing slips",
  ],
  [
    "update edit change modify set patch",
    "the service's published interface cannot change an order; cancel it and create another one",
  ],
];

/** By the noun before the word; an empty one for none. */
const hints: Readonly<Record<string, Hints>> = {
  "": [
    ["help", "did you mean courier help?"],
    ["options", "did you mean courier help options?"],
    ["whoami me user balance info", "to see who is logged in: courier profile"],
    [
      "status state",
      "a parcel's state: courier track NUMBER; an order's: courier orders show ID; the account: courier profile",
    ],
    ["switch use select", "to switch to another account: courier accounts use NAME"],
    [list, "to list orders: courier orders list; all commands: courier help"],
    [
      "get view describe show open",
      "to show an order: courier orders show ID; a parcel: courier track NUMBER",
    ],
    [`${create} book send ship`, "to create an order: courier orders create"],
    [`${remove} cancel`, "to cancel an order: courier orders cancel ID"],
    ["import upload bulk batch", "to create orders from a file: courier orders import FILE"],
    ["export download dump", "to export orders: courier orders export -o orders.xlsx"],
    ["slips slip", "to write packing slips: courier orders slips -o slips.html"],
    ["resolve settle", "to settle an order in doubt: courier orders resolve ID"],
    ["search query lookup", "to search orders: courier find TEXT"],
    ["history", "to see what was done: courier log"],
    ["watch follow trace where tracking parcels", "to follow a parcel: courier track NUMBER --watch"],
    [
      "signin auth setup init config configure register",
      "to store an account's base URL and key: courier login",
    ],
    ["signout", "to forget an account's key: courier logout"],
    ["check health diagnose", "to check machine, account and connection: courier doctor"],
    ["request curl raw", "to make one call to the service: courier api METHOD PATH"],
    ["demo test try", "to try everything without an account: courier --account sandbox orders list"],
    ["contacts addressbook", "the address book: courier addresses list"],
    ...notOffered,
  ],
  orders: [
    [list, "to list orders: courier orders list"],
    [show, "to show an order: courier orders show ID"],
    ["status state", "to see an order's state: courier orders show ID; a parcel's: courier track NUMBER"],
    [`${create} book place send ship`, "to create an order: courier orders create"],
    [`${remove} void abort`, "to cancel an order: courier orders cancel ID"],
    ["undo", "to cancel what a run created: courier undo"],
    ["upload bulk batch load", "to create orders from a file: courier orders import FILE"],
    ["download dump csv", "to export orders: courier orders export -o orders.xlsx"],
    ["slip packing", "to write packing slips: courier orders slips -o slips.html"],
    ["settle", "to settle an order in doubt: courier orders resolve ID"],
    ["find search query lookup filter", "to search orders: courier find TEXT"],
    ["track watch follow trace", "to see where a parcel is: courier track NUMBER"],
    ["log history", "to see what was done: courier log"],
    ["sync", "to bring the mirror of your orders up to date: courier sync"],
    ["writeback fill", "to write tracking numbers into a sheet: courier orders write-back FILE"],
    ...notOffered,
  ],
  report: [["late", "did you mean courier late?"]],
  accounts: [
    ["ls all show get view", "to list accounts: courier accounts list"],
    ["switch select default set", "to switch to another account: courier accounts use NAME"],
    ["new add create make login", "to add an account: courier login --account NAME"],
    ["rm delete del erase forget drop", "to forget an account: courier accounts remove NAME"],
    ["logout", "to forget an account's key: courier logout --account NAME"],
    ["whoami current status me", "to see who is logged in: courier profile"],
  ],
  addresses: [
    ["ls all", "to list the address book: courier addresses list"],
    ["get view describe info details cat", "to show an address: courier addresses show NAME"],
    ["new make create insert save", "to save an address: courier addresses add NAME"],
    ["change update modify set", "to change a saved address: courier addresses edit NAME"],
    ["rm delete del erase forget drop", "to forget an address: courier addresses remove NAME"],
    ["upload load bulk", "to read addresses from a file: courier addresses import FILE"],
  ],
  templates: [
    ["ls all", "to list templates: courier templates list"],
    ["get view describe info details cat", "to show a template: courier templates show NAME"],
    [create, "to save a template: courier orders create --save-template NAME"],
    ["use apply", "to start an order from a template: courier orders create --template NAME"],
    ["rm delete del erase forget drop", "to forget a template: courier templates remove NAME"],
  ],
  maps: [
    ["ls all show get view", "to list saved column names: courier maps list"],
    ["rm delete del erase forget drop", "to forget saved column names: courier maps remove NAME"],
  ],
  sandbox: [
    ["start run up", "to run the sandbox for other programs: courier sandbox serve"],
    ["clear wipe", "to wipe the sandbox: courier sandbox reset"],
    ["step move next", "to move a parcel on: courier sandbox advance NUMBER"],
  ],
};

/** The command or noun that a command line names, as far as it does. */
export interface Nearest {
  /** `courier`, and what follows as far as it is known. */
  readonly path: readonly string[];
  /** Where the words lead to a noun. */
  readonly group: Group | undefined;
  /** Where they lead to a command. */
  readonly entry?: CommandEntry;
  /** What follows and is no command of it. */
  readonly unknown: string;
  readonly afterUnknown?: string | undefined;
}

export function unknownCommand({ path, group, unknown, afterUnknown }: Nearest): CourierError {
  const hint = group && findHint([unknown, afterUnknown], group, path.slice(1));
  return usageError(`unknown command '${unknown}'`, hint ?? helpOf(path));
}

/** Of the command that the words name: what is missing, and an example. */
export async function missingArgument({ path, entry }: Nearest): Promise<CourierError> {
  const command = await entry?.load();
  const [[key = "", { summary = "" } = {}] = []] = Object.entries(command?.arguments ?? {});
  const name = flagOf(key).slice(2).toUpperCase();
  const [example] = command?.examples ?? [];
  const next = example ? `for example courier ${example.line}; ` : "";
  return usageError(`${name} is missing: ${summary}`, `${next}${helpOf(path)}`);
}

function helpOf(path: readonly string[]): string {
  return `${path.join(" ")} --help shows what there is`;
}

/** The hint for a word that is no command of the group at `path`, and the word behind it, if any. */
function findHint(
  [word, following]: readonly [string, string | undefined],
  group: Group,
  path: readonly string[],
): string | undefined {
  const known = hints[path.join(" ")]?.find(([words]) => words.split(" ").includes(word.toLowerCase()));
  if (known) return known[1];
  const near = group.commands.find((entry) => !isChanging(entry) && isNear(word, entry.name));
  if (near) {
    const verb =
      isGroup(near) && near.commands.find((entry) => entry.name === following && !isChanging(entry))?.name;
    return `did you mean ${["courier", ...path, near.name, ...(verb ? [verb] : [])].join(" ")}?`;
  }
  return hints[path.join(" ")]?.find(([words]) =>
    words.split(" ").some((each) => isNear(word, each) && isNear(each, word)),
  )?.[1];
}

/** A typing error must not become a command that changes something. */
function isChanging(entry: CommandEntry | Group): boolean {
  return "changes" in entry && entry.changes === true;
}
