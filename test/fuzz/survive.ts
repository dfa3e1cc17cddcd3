/** What every command must do with every answer, and the runs that try it. */

import { createServer } from "node:net";
import { expect } from "vitest";
import type { Answer, Transport } from "../../src/api/transport.ts";
import { listen, openTransport } from "../api/wire.ts";
import { createHome, type Home, type Ran } from "../support/courier.ts";
import { fc, seed } from "../support/effort.ts";
import { linesLeft } from "../support/emulated.ts";
import { expectInert, expectInertCsv } from "../support/hostile.ts";
import { plainDraft } from "../support/orders.ts";
import { answersTo, type Wanted, wireAnswersTo } from "./arbitraries.ts";
import { keptAnswers } from "./examples.ts";

interface Fuzzed {
  readonly words: string;
  readonly wants: Wanted;
  readonly stdin?: string;
  /** What it prints in a pipe is CSV where no other form is asked for. */
  readonly printsCsv?: true;
}

const draft = JSON.stringify(plainDraft);

/** Command lines that the answers are given to. */
export const fuzzed: readonly Fuzzed[] = [
  { words: "profile", wants: "profile" },
  { words: "orders list", wants: "page" },
  { words: "orders list --all --fields id,item.name,more", wants: "page" },
  { words: "orders export", wants: "page", printsCsv: true },
  { words: "orders show 7", wants: "order" },
  { words: "track T1", wants: "tracking" },
  { words: "track T1 T2", wants: "tracking" },
  { words: "orders cancel 7 --yes", wants: "order" },
  { words: "orders create --file - --allow-duplicate", wants: "order", stdin: draft },
];

/** Exits that an answer can lead to; 70 is for answers alone that break the interface in a way with a name. */
const exits = [0, 1, 2, 3, 4, 5, 6, 70];
/** Each names a way in which an answer under a status that says “fine” breaks the interface. */
const breaches = ["not_json", "wrong_shape", "too_large", "undecodable"];

/** No answer makes courier ask more often than this. */
const mostRequests = 250;

const formsOf = fc.constantFrom("", "--json", "--ndjson", "--debug", "--json --debug");
const screens = fc.constantFrom(undefined, 40, 80, 140);

interface Asked {
  readonly command: Fuzzed;
  readonly form: string;
  /** Of the terminal; a pipe where undefined. */
  readonly columns: number | undefined;
}

function survived({ exit, stdout, stderr }: Ran, { command, form, columns }: Asked, requests: number): void {
  expect(exits).toContain(exit);
  expect(requests).toBeLessThanOrEqual(mostRequests);
  expect(stderr).not.toContain("internal error");
  const isCsv = command.printsCsv && columns === undefined && !form.includes("json");
  (isCsv ? expectInertCsv : expectInert)(stdout);
  const told = linesLeft(stderr.trimEnd());
  expectInert(told.join("\n"));
  if (!form.includes("json")) return;
  if (exit === 0) {
    for (const line of stdout.split("\n").filter((each) => each !== "" && form === "--ndjson"))
      JSON.parse(line);
    if (form.startsWith("--json")) JSON.parse(stdout);
    return;
  }
  const { error } = JSON.parse(told.at(-1) ?? "") as { error: { code: string; exit: number } };
  expect(error.exit).toBe(exit);
  if (exit === 70) expect(breaches).toContain(error.code);
  else expect(breaches).not.toContain(error.code);
}

/** Gives so many answers to the commands, without a network. */
export async function surviveAnswers(runs: number): Promise<void> {
  const home = await createServiceless();
  const share = Math.ceil(runs / fuzzed.length);
  for (const command of fuzzed) {
    const examples = keptAnswers.flatMap(
      ({ words, answer, form, columns }): [Answer, string, number | undefined][] =>
        words === command.words ? [[answer, form, columns]] : [],
    );
    await fc.assert(
      fc.asyncProperty(answersTo(command.wants), formsOf, screens, async (answer, form, columns) => {
        let requests = 0;
        const transport: Transport = {
          async send() {
            requests += 1;
            if (requests > mostRequests) throw new Error("asks without end");
            return answer;
          },
          close: async () => {},
        };
        const asked = { command, form, columns };
        survived(await runWith(home, asked, transport), asked, requests);
      }),
      { numRuns: share, examples },
    );
  }
  console.log(`answers tried: ${share * fuzzed.length}, seed ${seed}`);
}

/** Gives so many answers to the commands over a socket, byte by byte as they are. */
export async function surviveWire(runs: number): Promise<void> {
  const home = await createServiceless();
  let bytes: Buffer = Buffer.alloc(0);
  let requests = 0;
  const server = createServer((socket) => {
    socket.once("data", () => {
      requests += 1;
      socket.end(bytes);
    });
  });
  const { url } = await listen(server);
  const transport = openTransport();
  const share = Math.ceil(runs / fuzzed.length);
  for (const command of fuzzed) {
    await fc.assert(
      fc.asyncProperty(wireAnswersTo(command.wants), formsOf, screens, async (answer, form, columns) => {
        bytes = answer;
        requests = 0;
        const asked = { command, form, columns };
        survived(await runWith(home, asked, transport, url.origin), asked, requests);
      }),
      { numRuns: share },
    );
  }
  console.log(`answers tried over a socket: ${share * fuzzed.length}, seed ${seed}`);
}

function createServiceless(): Promise<Home> {
  return createHome({ COURIER_API_KEY: "fuzz-key-0123456789", COURIER_BASE_URL: "https://service.test" });
}

function runWith(
  home: Home,
  { command: { words, stdin }, form, columns }: Asked,
  transport: Transport,
  baseUrl?: string,
): Promise<Ran> {
  return home.courier(`${words} ${form}`, {
    transport,
    ...(baseUrl === undefined ? {} : { env: { COURIER_BASE_URL: baseUrl } }),
    ...(columns === undefined ? {} : { terminal: columns }),
    ...(stdin === undefined ? {} : { stdin }),
  });
}
