/** A line, or more, for each command there is: for tests of what holds whatever is done. */

import { randomUUID } from "node:crypto";
import { program } from "../../src/cli/program.ts";
import { type Group, isGroup } from "../../src/command/command.ts";
import { plainDraft } from "./orders.ts";

export interface Surroundings {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** An order that is there, and its parcel. */
  readonly id: string;
  readonly trackingNumber: string;
  /** A run that created an order, and has a second one in doubt. */
  readonly run: number;
  /** A folder for the files of a line. */
  readonly directory: string;
}

export interface CommandLine {
  readonly words: readonly string[];
  readonly stdin?: string;
  /** It runs until it is interrupted. */
  readonly isEndless?: boolean;
}

type Lines = (surroundings: Surroundings) => readonly CommandLine[];

const line =
  (text: string, stdin?: string): Lines =>
  ({ id, trackingNumber, run, directory }) => [
    {
      words: text
        .split(" ")
        .map((word) =>
          word
            .replace("ID", id)
            .replace("PARCEL", trackingNumber)
            .replace("RUN", String(run))
            .replace("DIR", directory),
        ),
      ...(stdin === undefined ? {} : { stdin }),
    },
  ];

/** By the words that name the command. */
const commandLines: Readonly<Record<string, Lines>> = {
  "orders create": line("orders create --file -", JSON.stringify(plainDraft)),
  "orders list": (at) => [...line("orders list")(at), ...line("orders list --all --csv")(at)],
  "orders show": line("orders show ID"),
  "orders cancel": line("orders cancel ID --yes"),
  // Each time other rows: what is known to be created is not sent again.
  "orders import": (at) => {
    const name = randomUUID();
    const rows = [1, 2].map((number) => `Anna,Bert,${name} ${number}`);
    const sheet = ["sender.name,receiver.name,item.name", ...rows].join("\n");
    return line("orders import - --yes", sheet)(at);
  },
  "orders write-back": line(
    "orders write-back - -o DIR/written.csv",
    "ref,sender.name,receiver.name,item.name\n1,A,B,C",
  ),
  "orders resolve": line("orders resolve RUN.2 --as ID"),
  "orders export": line("orders export --output DIR/orders.csv"),
  "orders slips": line("orders slips ID --output DIR/slips.html"),
  track: line("track PARCEL"),
  find: line("find a"),
  sync: (at) => [...line("sync")(at), ...line("sync --verify --fetch-details 5")(at)],
  "report spend": (at) => [
    ...line("report spend")(at),
    ...line("report spend --by city --html DIR/spend.html")(at),
  ],
  "report time": line("report time --html DIR/time.html"),
  late: line("late --fetch 3"),
  log: (at) => [...line("log")(at), ...line("log show RUN")(at)],
  undo: line("undo RUN --yes"),
  profile: line("profile"),
  login: ({ baseUrl, apiKey }) =>
    [[], ["--key-store", "keychain"]].map((more) => ({
      words: ["login", "--base-url", baseUrl, "--account", "shop", ...more],
      stdin: apiKey,
    })),
  logout: line("logout --account shop"),
  "accounts list": line("accounts list"),
  "accounts use": line("accounts use shop"),
  "accounts move-key": (at) =>
    ["keychain", "file"].flatMap((place) => line(`accounts move-key shop --to ${place}`)(at)),
  "accounts key-store": line("accounts key-store file"),
  "accounts remove": line("accounts remove shop --yes"),
  "ledger status": line("ledger status"),
  "ledger use": line("ledger use local --account shop"),
  "ledger move": line("ledger move local --yes"),
  "ledger forget": line("ledger forget --account shop --yes --confirm shop"),
  "addresses list": line("addresses list"),
  "addresses add": line("addresses add shop --name Anna --phone 13800138000"),
  "addresses show": line("addresses show shop"),
  "addresses edit": line("addresses edit shop --phone 13900139000"),
  "addresses use": line("addresses use shop"),
  "addresses remove": line("addresses remove shop"),
  "addresses import": line("addresses import -", "alias,name\nother,Bert"),
  "templates list": line("templates list"),
  "templates show": line("templates show book"),
  "templates remove": line("templates remove book --yes"),
  "maps list": line("maps list"),
  "maps remove": line("maps remove taobao --yes"),
  api: (at) => [
    ...line("api GET /user/profile")(at),
    ...line("api POST /orders --input -", JSON.stringify(plainDraft))(at),
  ],
  completion: line("completion bash"),
  doctor: line("doctor"),
  schema: line("schema order"),
  "sandbox serve": () => [{ words: ["sandbox", "serve"], isEndless: true }],
  "sandbox reset": line("sandbox reset --yes"),
  "sandbox advance": line("sandbox advance PARCEL"),
};

/** The lines of every command. Throws where a command has none: it is for its author to add one. */
export function linesOfEveryCommand(surroundings: Surroundings): ReadonlyMap<string, readonly CommandLine[]> {
  const names = commandNames(program, []);
  const unknown = Object.keys(commandLines).filter((name) => !names.includes(name));
  const missing = names.filter((name) => commandLines[name] === undefined);
  if (missing.length + unknown.length > 0)
    throw new Error(`test/support/every-command.ts: add ${missing.join(", ")}; drop ${unknown.join(", ")}`);
  return new Map(names.map((name) => [name, commandLines[name]?.(surroundings) ?? []]));
}

function commandNames(group: Group, path: readonly string[]): readonly string[] {
  return group.commands.flatMap((entry) => {
    const below = [...path, entry.name];
    return isGroup(entry) ? commandNames(entry, below) : [below.join(" ")];
  });
}
