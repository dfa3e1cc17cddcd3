/**
 * What courier must do when its service fails: one row for each fault, by the names of
 * `test/support/faults.ts`, and one column for each way in which commands can meet it.
 *
 * - `says`: words of the error of a command that reads.
 * - `read`: commands that only read, when every call meets the fault: exit, error code, tries of a call. More
 *   than one try means that a call that meets it once succeeds at the second. `as without`: what took effect
 *   (`done`) makes no difference to a command that reads.
 * - `api`: `api GET PATH`, likewise: exit and tries. It takes a file and an answer without a body, too; `-` as without.
 *   `doctor` ends as `read` does, after one try.
 * - `create`: `orders create`, when every POST meets it: exit, error code, orders that exist afterwards, POSTs,
 *   GETs. Never two orders, and a second POST only where it is certain that nothing was done. GETs look for an
 *   order whose answer was lost; when they meet the fault too, the outcome stays unknown (exit 6).
 * - `cancel`: `orders cancel --yes`, when every DELETE meets it: exit, error code, the order's state afterwards,
 *   DELETEs, GETs (a look before, a look after). What is said about the order is what it really is.
 * - `import`: `orders import --yes` of two rows, one at a time, when every POST meets it: exit, error code, orders, POSTs. Run
 *   again without the fault, it completes the two orders and makes no third. It bears with a failing service
 *   for a minute; what was sent by then and not answered is found out by the next run. `-`: left out, since its thirty
 *   calls would take a minute; another row has the same outcome.
 *
 * The first rows are faults on the way, which strike every call: a service that is not there counts nothing, so
 * their numbers are of what left.
 */

export const table = `
  fault                  | says                        | read             | api  | create                  | cancel                     | import
  refused port           | the connection was refused  | 5 unreachable 4  | 5 4  | 5 unreachable 0 4 0     | 5 unreachable pending 0 4  | 5 unreachable 0 0
  unknown host           | no such host                | 5 unreachable 4  | 5 4  | 5 unreachable 0 4 0     | 5 unreachable pending 0 4  | -
  no handshake           | no connection in time       | 5 unreachable 2  | 5 2  | 5 unreachable 0 1 0     | 5 unreachable pending 0 2  | 5 unreachable 0 0
  unknown CA             | cannot be verified          | 5 unreachable 1  | 5 1  | 5 unreachable 0 1 0     | 5 unreachable pending 0 1  | 5 unreachable 0 0
  expired certificate    | has expired                 | 5 unreachable 1  | 5 1  | 5 unreachable 0 1 0     | 5 unreachable pending 0 1  | 5 unreachable 0 0
  certificate of another | for another host            | 5 unreachable 1  | 5 1  | 5 unreachable 0 1 0     | 5 unreachable pending 0 1  | 5 unreachable 0 0
  reset in handshake     | connection was dropped      | 5 unreachable 4  | 5 4  | 5 unreachable 0 4 0     | 5 unreachable pending 0 4  | 5 unreachable 0 0
  reset during request   | broke before an answer      | 5 no_response 4  | 5 4  | 6 outcome_unknown 0 1 4 | 5 no_response pending 0 4  | 5 no_response 0 0
  latency                | -                           | 0 - 1            | 0 1  | 0 - 1 1 0               | 0 - cancelled 1 2          | 0 - 2 2
  http_1_0               | -                           | 0 - 1            | 0 1  | 0 - 1 1 0               | 0 - cancelled 1 2          | 0 - 2 2
  gzip                   | -                           | 0 - 1            | 0 1  | 0 - 1 1 0               | 0 - cancelled 1 2          | 0 - 2 2
  br                     | -                           | 0 - 1            | 0 1  | 0 - 1 1 0               | 0 - cancelled 1 2          | 0 - 2 2
  deflate                | -                           | 0 - 1            | 0 1  | 0 - 1 1 0               | 0 - cancelled 1 2          | 0 - 2 2
  zstd, unasked          | does not decode as zstd     | 70 undecodable 1 | 70 1 | 6 outcome_unknown 0 1 8 | 70 undecodable pending 1 2 | 6 outcome_unknown 0 1
  drop_before            | broke before an answer      | 5 no_response 4  | 5 4  | 6 outcome_unknown 0 1 8 | 5 no_response pending 4 2  | 6 outcome_unknown 0 1
  drop_after             | broke before an answer      | 5 no_response 4  | 5 4  | 0 - 1 1 6               | 0 - cancelled 4 2          | 0 - 2 2
  drop_mid_body          | cut short on its way        | 5 cut_short 4    | 5 4  | 0 - 1 1 6               | 0 - cancelled 2 2          | 0 - 2 2
  truncate               | was cut short               | 5 cut_short 4    | 5 4  | 0 - 1 1 6               | 0 - cancelled 2 2          | 0 - 2 2
  body too short         | cut short on its way        | 5 cut_short 4    | 5 4  | 0 - 1 1 6               | 0 - cancelled 2 2          | 0 - 2 2
  body too long          | was cut short               | 5 cut_short 4    | 5 4  | 0 - 1 1 6               | 0 - cancelled 2 2          | 0 - 2 2
  stall                  | did not answer within 30 s  | 5 timed_out 2    | 5 2  | 0 - 1 1 6               | 0 - cancelled 2 2          | 0 - 2 2
  stall_body             | did not answer within 30 s  | 5 timed_out 2    | 5 2  | 0 - 1 1 6               | 0 - cancelled 2 2          | 0 - 2 2
  drip                   | did not answer within 30 s  | 5 timed_out 2    | 5 2  | 0 - 1 1 6               | 0 - cancelled 2 2          | 0 - 2 2
  204                    | HTTP 204                    | 70 not_json 1    | 0 1  | 6 outcome_unknown 0 1 8 | 70 not_json pending 1 2    | 6 outcome_unknown 0 1
  204 done               | -                           | as without       | -    | 0 - 1 1 6               | 0 - cancelled 1 2          | 0 - 2 2
  401                    | refused the key             | 4 key_refused 1  | 4 1  | 4 key_refused 0 1 0     | 4 key_refused pending 1 1  | 4 key_refused 0 1
  403                    | HTTP 403                    | 1 refused 1      | 1 1  | 6 outcome_unknown 0 1 8 | 5 state_unknown pending 1 2| 6 outcome_unknown 0 1
  404                    | HTTP 404                    | 1 refused 1      | 1 1  | 6 outcome_unknown 0 1 8 | 5 state_unknown pending 1 2| 6 outcome_unknown 0 1
  407                    | HTTP 407                    | 1 refused 1      | 1 1  | 6 outcome_unknown 0 1 8 | 5 state_unknown pending 1 2| 6 outcome_unknown 0 1
  407 done               | -                           | as without       | -    | 0 - 1 1 6               | 0 - cancelled 1 2          | 0 - 2 2
  408                    | HTTP 408                    | 5 server_error 4 | 5 4  | 6 outcome_unknown 0 1 8 | 5 server_error pending 4 2 | 6 outcome_unknown 0 1
  408 done               | -                           | as without       | -    | 0 - 1 1 6               | 0 - cancelled 4 2          | 0 - 2 2
  409                    | HTTP 409                    | 1 refused 1      | 1 1  | 6 outcome_unknown 0 1 8 | 5 state_unknown pending 1 2| 6 outcome_unknown 0 1
  422                    | HTTP 422                    | 1 refused 1      | 1 1  | 6 outcome_unknown 0 1 8 | 5 state_unknown pending 1 2| 6 outcome_unknown 0 1
  429                    | rate limited by the service | 5 rate_limited 4 | 5 4  | 5 rate_limited 0 4 0    | 5 rate_limited pending 4 2 | 5 service_unavailable 0 8
  429, 7 s               | rate limited by the service | 5 rate_limited 4 | 5 4  | 5 rate_limited 0 4 0    | 5 rate_limited pending 4 2 | 5 service_unavailable 0 8
  429, a date            | rate limited by the service | 5 rate_limited 4 | 5 4  | 5 rate_limited 0 4 0    | 5 rate_limited pending 4 2 | 5 service_unavailable 0 8
  429, 60 s              | wait 60 s                   | 5 rate_limited 1 | 5 1  | 5 rate_limited 0 1 0    | 5 rate_limited pending 1 2 | 5 service_unavailable 0 8
  429, a day             | wait 24 h                   | 5 rate_limited 1 | 5 1  | 5 rate_limited 0 1 0    | 5 rate_limited pending 1 2 | 5 service_unavailable 0 1
  500                    | HTTP 500                    | 5 server_error 1 | 5 1  | 6 outcome_unknown 0 1 8 | 5 server_error pending 1 2 | 6 outcome_unknown 0 1
  500 done               | -                           | as without       | -    | 0 - 1 1 6               | 0 - cancelled 1 2          | 0 - 2 2
  501                    | HTTP 501                    | 5 server_error 1 | 5 1  | 6 outcome_unknown 0 1 8 | 5 server_error pending 1 2 | 6 outcome_unknown 0 1
  502                    | HTTP 502                    | 5 server_error 4 | 5 4  | 6 outcome_unknown 0 1 8 | 5 server_error pending 4 2 | 6 outcome_unknown 0 1
  503                    | HTTP 503                    | 5 server_error 4 | 5 4  | 6 outcome_unknown 0 1 8 | 5 server_error pending 4 2 | 6 outcome_unknown 0 1
  503, an hour           | wait 60 min                 | 5 server_error 1 | 5 1  | 6 outcome_unknown 0 1 8 | 5 server_error pending 1 2 | 6 outcome_unknown 0 1
  504                    | HTTP 504                    | 5 server_error 4 | 5 4  | 6 outcome_unknown 0 1 8 | 5 server_error pending 4 2 | 6 outcome_unknown 0 1
  504 done               | -                           | as without       | -    | 0 - 1 1 6               | 0 - cancelled 4 2          | 0 - 2 2
  refused, 200           | (SOME_CODE)                 | 1 refused 1      | 1 1  | 1 refused 0 1 6         | 1 refused pending 1 2      | 3 some_refused 0 2
  refused, 400           | (INVALID_PARAMETER)         | 1 refused 1      | 1 1  | 1 refused 0 1 6         | 1 refused pending 1 2      | 3 some_refused 0 2
  refused, 500           | (INTERNAL)                  | 5 server_error 1 | 5 1  | 6 outcome_unknown 0 1 8 | 5 server_error pending 1 2 | 6 outcome_unknown 0 1
  refused, 302           | (MOVED)                     | 1 refused 1      | 1 1  | 6 outcome_unknown 0 1 8 | 5 state_unknown pending 1 2| 6 outcome_unknown 0 1
  refused, 308, done     | -                           | as without       | -    | 0 - 1 1 6               | 0 - cancelled 1 2          | 0 - 2 2
  302 elsewhere          | to https://elsewhere.test   | 5 redirected 1   | 5 1  | 6 outcome_unknown 0 1 8 | 5 redirected pending 1 2   | 6 outcome_unknown 0 1
  302 done               | -                           | as without       | -    | 0 - 1 1 6               | 0 - cancelled 1 2          | 0 - 2 2
  303 same, done         | -                           | as without       | -    | 0 - 1 1 6               | 0 - cancelled 1 2          | 0 - 2 2
  307 elsewhere          | to https://elsewhere.test   | 5 redirected 1   | 5 1  | 6 outcome_unknown 0 1 8 | 5 redirected pending 1 2   | 6 outcome_unknown 0 1
  308 to itself          | redirects (HTTP 308) to     | 5 redirected 1   | 5 1  | 6 outcome_unknown 0 1 8 | 5 redirected pending 1 2   | 6 outcome_unknown 0 1
  web page               | not JSON                    | 70 not_json 1    | 70 1 | 6 outcome_unknown 0 1 8 | 70 not_json pending 1 2    | 6 outcome_unknown 0 1
  bytes                  | not JSON                    | 70 not_json 1    | 0 1  | 6 outcome_unknown 0 1 8 | 70 not_json pending 1 2    | 6 outcome_unknown 0 1
  bytes done             | -                           | as without       | -    | 0 - 1 1 6               | 0 - cancelled 1 2          | 0 - 2 2
  no HTTP                | not HTTP                    | 5 no_response 4  | 5 4  | 6 outcome_unknown 0 1 8 | 5 no_response pending 4 2  | 6 outcome_unknown 0 1
  no HTTP, done          | -                           | as without       | -    | 0 - 1 1 6               | 0 - cancelled 4 2          | 0 - 2 2
  wrong shape            | wrong shape                 | 70 wrong_shape 1 | 0 1  | 6 outcome_unknown 0 1 8 | 3 some_not_cancelled pending 1 2 | 6 outcome_unknown 0 1
  wrong shape, done      | -                           | as without       | -    | 0 - 1 1 6               | 0 - cancelled 1 2          | 0 - 2 2
  50 MB                  | larger than                 | 70 too_large 1   | 70 1 | 6 outcome_unknown 0 1 8 | 70 too_large pending 1 2   | -
  50 MB, done            | -                           | as without       | -    | 0 - 1 1 6               | 0 - cancelled 1 2          | 0 - 2 2
  deep nesting           | nested deeper               | 70 too_large 1   | 70 1 | 6 outcome_unknown 0 1 8 | 70 too_large pending 1 2   | 6 outcome_unknown 0 1
  20,000 rows            | wrong shape                 | 70 wrong_shape 1 | 0 1  | 6 outcome_unknown 0 1 8 | 3 some_not_cancelled pending 1 2 | -
`;

export interface Expected {
  readonly fault: string;
  readonly says: string;
  /** Undefined where the fault makes no difference to reading. */
  readonly read: Reading | undefined;
  /** Of a raw call; undefined likewise. */
  readonly api: { readonly exit: number; readonly tries: number } | undefined;
  readonly create: End & { readonly created: number; readonly POST: number; readonly GET: number };
  readonly cancel: End & { readonly state: string; readonly DELETE: number; readonly GET: number };
  readonly import: (End & { readonly created: number; readonly POST: number }) | undefined;
}

export interface End {
  readonly exit: number;
  /** The error's code; `-` for none. */
  readonly code: string;
}

export interface Reading extends End {
  readonly tries: number;
}

export const expectations: readonly Expected[] = table
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const [fault = "", says = "", read = "", api = "", ...writes] = line
      .split("|")
      .map((cell) => cell.trim());
    const [create, cancel, imported] = writes.map((cell) => cell.split(" ")) as [
      string[],
      string[],
      string[],
    ];
    return {
      fault,
      says,
      read: read === "as without" ? undefined : readReading(read.split(" ")),
      api: api === "-" ? undefined : (numbers(api.split(" "), "exit", "tries") as Expected["api"]),
      create: { ...readEnd(create), ...numbers(create.slice(2), "created", "POST", "GET") },
      cancel: { ...readEnd(cancel), state: cancel[2] ?? "", ...numbers(cancel.slice(3), "DELETE", "GET") },
      import:
        imported[0] === "-"
          ? undefined
          : { ...readEnd(imported), ...numbers(imported.slice(2), "created", "POST") },
    };
  });

function readReading(words: readonly string[]): Reading {
  return { ...readEnd(words), tries: Number(words[2]) };
}

function readEnd([exit = "", code = ""]: readonly string[]): End {
  return { exit: Number(exit), code };
}

function numbers<Name extends string>(words: readonly string[], ...names: Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name, index) => [name, Number(words[index])])) as Record<Name, number>;
}
