/** Every `error.code` that a script may meet, with its exit codes, its meaning and what to do (docs/commands.md). */

export interface ErrorCodeFacts {
  readonly exits: string;
  readonly meaning: string;
  readonly next: string;
}

const again = "run the same command again";
const lookFirst = "check before you send it again: `courier orders resolve` lists what is in doubt";

export const errorCodes = {
  refused: {
    exits: "1",
    meaning:
      "the service, or the sandbox, refused: an invalid field, no such order, a state that does not allow it",
    next: "correct what the message names; `service_code` and `details` are the service's own",
  },
  no_such_order: {
    exits: "1",
    meaning:
      "no order was found with this order number, tracking number or ref; the service may still have one",
    next: "check it; unless a sync was just completed, `courier sync` reads all orders; then run the same command again",
  },
  ambiguous_order: {
    exits: "1",
    meaning: "a number or ref names several orders",
    next: "name one by its id",
  },
  no_tracking_number: {
    exits: "1",
    meaning: "an order was named for its parcel, and the service gives it no tracking number",
    next: "`courier orders show` has its state",
  },
  not_cancellable: {
    exits: "1",
    meaning: "the order is in a state that cannot be cancelled; nothing was sent",
    next: "`courier orders show` has its state, and what can be done in it",
  },
  usage: {
    exits: "2",
    meaning: "the command line is wrong; nothing was sent",
    next: "follow the hint, or see `--help`",
  },
  clock: {
    exits: "2",
    meaning:
      "the days to cancel orders of were counted from another day than the service's today; nothing was cancelled",
    next: "set this machine's clock (`courier doctor` shows it), or give the days as dates",
  },
  key_on_command_line: {
    exits: "2",
    meaning: "a key was given as an argument, or in a key command's text, where others can read it",
    next: "use `courier login`, or COURIER_API_KEY; replace the key if others could see it",
  },
  file: {
    exits: "2, 5",
    meaning:
      "a file cannot be read or written, or its content is wrong (2); the disk of courier's own files is full, or fails (5); nothing was sent",
    next: `correct the file, line, row or field that the message names; make room on the disk, then ${again}`,
  },
  duplicate: {
    exits: "2",
    meaning: "an equal order was sent in the last ten minutes, or is in doubt; nothing was sent",
    next: "check the order that the message names; `--allow-duplicate` ships a second parcel",
  },
  changed: {
    exits: "2",
    meaning: "`orders create --ref`: the order of this ref was sent with other content; nothing was sent",
    next: "give a new order a ref of its own",
  },
  order_taken: {
    exits: "2",
    meaning: "`orders resolve --as` names an order that belongs to another operation",
    next: "check the id; `courier orders resolve N.K` shows the other operation",
  },
  some_refused: {
    exits: "3",
    meaning: "some of many were refused, held or changed; the others are done",
    next: "see the rows of the result; correct them and run the same command again",
  },
  some_not_cancelled: {
    exits: "3",
    meaning:
      "some orders were not cancelled, or accepted for cancelling but not cancelled yet; the others are",
    next: "see the rows of the result; for `accepted`, run the same command again later",
  },
  no_account: { exits: "4", meaning: "there is no such account, or no key for it", next: "`courier login`" },
  key_refused: {
    exits: "4",
    meaning: "the service refused the key; nothing was done",
    next: "store a new key: `courier login`",
  },
  key_ring: {
    exits: "4",
    meaning: "the system's key ring cannot be used",
    next: "unlock it, or keep the key elsewhere: `--key-store file`",
  },
  key_command: {
    exits: "2, 4",
    meaning: "the key command cannot be started (2), fails, or prints no key (4)",
    next: "run the command by hand; it must print the key and nothing else",
  },
  unreachable: {
    exits: "5",
    meaning: "no connection was made; nothing was sent",
    next: "check the network with `courier doctor`, then run it again",
  },
  no_response: {
    exits: "5",
    meaning:
      "the connection broke before an answer came; a raw call that changes something may have taken effect",
    next: `${again}; after a raw call, look first`,
  },
  timed_out: { exits: "5", meaning: "no answer came in time (`--timeout`)", next: again },
  stalled: { exits: "5", meaning: "the answer came too slowly", next: again },
  cut_short: { exits: "5", meaning: "the answer ended before it was complete", next: again },
  rate_limited: {
    exits: "5",
    meaning: "HTTP 429: too many calls; nothing was done",
    next: "wait as long as the message says, then run it again",
  },
  server_error: {
    exits: "5",
    meaning: "the service answered with HTTP 5xx or 408",
    next: `wait, then ${again}`,
  },
  redirected: {
    exits: "5",
    meaning: "the service answered with a redirect, which courier does not follow",
    next: "check the base URL: `courier accounts list`",
  },
  service_unavailable: {
    exits: "5",
    meaning: "an import stopped because the service failed for a minute",
    next: `${again}: it continues`,
  },
  unsent: {
    exits: "5",
    meaning: "an import stopped before it sent all rows",
    next: `${again}: it continues`,
  },
  not_created: {
    exits: "5",
    meaning: "the answer was lost, and it is proved that no order was created",
    next: `${again}: it sends the order`,
  },
  list_incomplete: {
    exits: "5",
    meaning: "the list of orders could not be read to its end; what was read is in the result",
    next: again,
  },
  state_unknown: {
    exits: "5",
    meaning: "the state of some orders could not be read back after a cancellation",
    next: `${again}, or follow the hint`,
  },
  customer_changed: {
    exits: "5",
    meaning: "the service names another customer for the same key than before; nothing was sent",
    next: `${again} later; if the key does belong to another customer now, log in with it again`,
  },
  customer_unknown: {
    exits: "5",
    meaning:
      "the service does not say which customer a key belongs to that was not used before; nothing was sent",
    next: `${again} later`,
  },
  database: {
    exits: "5",
    meaning:
      "the ledger, or another database of courier, cannot be used; no order is sent without a record there",
    next: "follow the hint; `courier doctor` checks it",
  },
  ledger_lost: {
    exits: "5, 6",
    meaning:
      "the ledger was removed or replaced during a run, also a shared one by a backup or a late standby; after an order was sent (6), it does not know which ones were created",
    next: "do not send the same order again, nor import the same file before the rows that have an order are taken out of it",
  },
  unwritten: {
    exits: "5",
    meaning: "the result cannot be written; what was asked for may have been done",
    next: "see `courier log` before you run it again",
  },
  outcome_unknown: {
    exits: "6, 129, 130, 131, 143",
    meaning: "an order may or may not have been created, or a call may or may not have taken effect",
    next: lookFirst,
  },
  time_up: {
    exits: "7",
    meaning: "a watch ended at its time limit (`--for`)",
    next: "watch again, or longer",
  },
  left: { exits: "7", meaning: "a watch was left before what it waited for happened", next: "watch again" },
  not_reached: {
    exits: "7",
    meaning: "what a watch waited for cannot happen any more, or it has no parcel",
    next: "see the state of the parcel that the message names",
  },
  not_json: {
    exits: "70",
    meaning: "the answer is not JSON",
    next: "check the base URL; `--debug` shows the calls",
  },
  wrong_shape: {
    exits: "70",
    meaning: "the answer is not what the interface promises",
    next: "`--debug` shows the calls; report it to the service",
  },
  too_large: {
    exits: "70",
    meaning: "the answer is larger, or nested deeper, than courier accepts",
    next: "`--debug` shows the calls",
  },
  undecodable: {
    exits: "70",
    meaning:
      "the answer does not decode with its own content encoding, or is not text in its character encoding",
    next: "`--debug` shows the calls",
  },
  invalid_response: {
    exits: "70",
    meaning: "the answer breaks the interface in another way",
    next: "`--debug` shows the calls",
  },
  checks_failed: {
    exits: "2, 4, 5, 70",
    meaning: "`courier doctor` found something wrong; the exit code is that of the first failed check",
    next: "follow the advice below the check",
  },
  bug: {
    exits: "70",
    meaning: "an error inside courier",
    next: "run it again with `--debug` and report what it shows",
  },
  hung_up: { exits: "129", meaning: "the terminal was closed", next: again },
  interrupted: { exits: "130", meaning: "Ctrl-C, or a question was answered with no", next: again },
  quit: { exits: "131", meaning: "Ctrl-\\ (SIGQUIT)", next: again },
  terminated: {
    exits: "143",
    meaning: "SIGTERM, SIGABRT, or SIGXCPU at a limit of processor time",
    next: again,
  },
} as const satisfies Readonly<Record<string, ErrorCodeFacts>>;

export type ErrorCode = keyof typeof errorCodes;
