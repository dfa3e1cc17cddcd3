/** The fuzzing of one command line with service text: whatever it prints, the terminal stays untouched. */

import { expect } from "vitest";
import type { Answer, Transport, WireRequest } from "../../src/api/transport.ts";
import type { Home } from "../support/courier.ts";
import { fc } from "../support/effort.ts";
import { expectOnlyRedrawn, expectUntouched, linesLeft } from "../support/emulated.ts";
import { terminalTexts } from "../support/terminal-grammar.ts";

/** JSON text of an answer's `data` by what was asked for, made of the texts given. */
type Service = (call: { method: string; path: string }, next: () => string) => string;

/** The service that puts a text of its own into every field of every answer. */
export const talkative: Service = ({ method, path }, next) => {
  const text = () => JSON.stringify(next());
  const party = () =>
    `{"name":${text()},"city":${text()},"phone":${text()},"address":${text()},${text()}:${text()}}`;
  const order = () =>
    `{"id":7,"order_no":${text()},"tracking_number":${text()},"status":${text()},"payment_status":${text()},"service_type":${text()},"estimated_fee":1.50,"item_name":${text()},"created_at":${text()},"updated_at":${text()},"sender":${party()},"receiver":${party()},"item":{"name":${text()},"description":${text()}},${text()}:{${text()}:[${text()}]}}`;
  const record = () => `{"location":${text()},"description":${text()},"occurred_at":${text()}}`;
  if (method === "DELETE") return "null";
  if (path.endsWith("/profile")) return `{"id":1,"name":${text()},"email":${text()},${text()}:${text()}}`;
  if (path.includes("/tracking/"))
    return `{"tracking_number":${text()},"status":${text()},"current_location":${text()},"estimated_delivery":${text()},"records":[${record()},${record()}],${text()}:${text()}}`;
  return path.endsWith("/orders") && method === "GET" ? `[${order()},${order()}]` : order();
};

const onePage = '"pagination":{"current_page":1,"total_pages":1,"total_items":2,"per_page":10}';

/** An answer as text. */
type Said = Omit<Answer, "bytes">;

/** The same texts in answers that fail. */
const failures: readonly ((next: () => string) => Said)[] = [
  (next) => failure(400, "INVALID_PARAMETER", next),
  (next) => failure(422, next(), next),
  (next) => failure(429, next(), next),
  (next) => failure(500, next(), next),
  (next) => ({ status: 200, headers: { "content-type": next() }, body: next() }),
  (next) => ({ status: 404, headers: { "content-type": next() }, body: next() }),
  (next) => ({ status: 302, headers: { location: next() }, body: "" }),
  (next) => ({ status: 200, headers: { "content-encoding": next() }, body: "", cut: "undecodable" }),
  (next) => ({ status: 200, headers: {}, body: `{"success":true,"data":${JSON.stringify(next())}}` }),
  (next) => ({ status: 200, headers: {}, body: `{"success":true,"data":{${JSON.stringify(next())}:` }),
];

function failure(status: number, code: string, next: () => string): Said {
  const error = { code, message: next(), details: { field: next(), value: next(), [next()]: next() } };
  return { status, headers: {}, body: JSON.stringify({ success: false, error }) };
}

export interface FuzzedLine {
  readonly words: string;
  readonly stdin?: string;
  /** JSON output is what the service sent: it is compared text by text. */
  readonly isVerbatim?: boolean;
  /** At a terminal its result is redrawn in place. */
  readonly isLive?: boolean;
  /** In a pipe its result is a file's contents, and is left as it is. */
  readonly isFile?: boolean;
}

const widths = [40, 80, 140, undefined] as const;
const flags = ["", "--debug", "--no-color", "--json", "--ndjson"] as const;

/** Runs the command line `numRuns` times against a service that says anything. `service` replaces its answers. */
export async function fuzzCommandLine(
  home: Home,
  { words, stdin, isVerbatim = false, isLive = false, isFile = false }: FuzzedLine,
  settings: { readonly numRuns: number },
  service: Service = talkative,
): Promise<void> {
  const texts = fc.infiniteStream(terminalTexts);
  const fault = fc.option(fc.constantFrom(...failures), { freq: 2, nil: undefined });
  const property = fc.asyncProperty(
    texts,
    fault,
    fc.constantFrom(...widths),
    fc.constantFrom(...flags),
    async (stream, fail, columns, flag) => {
      const next = () => String(stream.next().value);
      let data = "";
      const answerTo = ({ method, url }: WireRequest): Said => {
        if (fail) return fail(next);
        data = service({ method, path: url.pathname }, next);
        const body = `{"success":true,"data":${data},"message":${JSON.stringify(next())},${onePage}}`;
        return { status: 200, headers: { "content-type": next() }, body };
      };
      const transport: Transport = {
        async send(request) {
          const said = answerTo(request);
          return { ...said, bytes: Buffer.from(said.body) };
        },
        close: async () => {},
      };
      const line = [...words.split(" "), ...(flag === "" ? [] : [flag])];
      const ran = await home.courier(line, {
        transport,
        ...(columns === undefined ? {} : { terminal: columns }),
        ...(stdin === undefined ? {} : { stdin }),
      });
      expect(ran.stderr).not.toContain("internal error");
      if (isLive && columns !== undefined) await expectOnlyRedrawn(ran.stdout);
      else if (!isFile || columns !== undefined) await expectUntouched(ran.stdout);
      await expectUntouched(ran.stderr);
      if (isVerbatim && ran.exit === 0 && flag === "--json")
        expect(JSON.parse(ran.stdout)).toEqual(JSON.parse(data));
      if (ran.exit !== 0 && flag.endsWith("json")) JSON.parse(linesLeft(ran.stderr.trimEnd()).at(-1) ?? "");
    },
  );
  await fc.assert(property, settings);
}
