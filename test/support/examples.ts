/** The examples of docs/scripting.md: runs each against the sandbox, in order, and writes what it prints. */

import { cpSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseJson, stringifyJson } from "../../src/model/json.ts";
import { createHome, type Home } from "./courier.ts";
import { withLedger } from "./ledger.ts";

const root = path.resolve(import.meta.dirname, "../..");

export interface Example {
  /** The words after `courier`. */
  readonly line: string;
  readonly form: "json" | "ndjson" | "verbatim";
  readonly from: "stdout" | "stderr";
  /** Every document that was printed, before any `head`. */
  readonly documents: readonly string[];
}

const marker = /<!-- example: (.*?) -->\n(?:\n```sh\n[^`]*```\n\n```json\n[^`]*```\n)?/g;

/** The page with each example's command and output written anew, and the examples. */
export async function playExamples(page: string): Promise<{ page: string; examples: readonly Example[] }> {
  const home = await createHome({ COURIER_ACCOUNT: "sandbox", HOME: "/home/zhang" });
  const placed = await placeInputs(home.directory);
  await recordHistory(home);
  const examples: Example[] = [];
  const blocks: string[] = [];
  for (const [, line = ""] of page.matchAll(marker)) {
    const [words = "", lines] = line.replace(" < key.txt", "").split(" | head -");
    const stop = new AbortController();
    if (words.startsWith("sandbox serve")) stop.abort();
    const argv = words.split(" ").map((word) => placed.get(word) ?? word);
    const ran = await home.courier(argv, { stdin: "a-key-of-the-example", signal: stop.signal });
    const from = ran.stdout === "" ? "stderr" : "stdout";
    const form = /--(json|ndjson)\b/.exec(words)?.[1] as Example["form"] | undefined;
    const text = neutral(ran[from], home.directory);
    const documents = form === "ndjson" ? text.trimEnd().split("\n") : [text];
    examples.push({ line: words, form: form ?? "verbatim", from, documents });
    const shown = documents
      .slice(0, lines === undefined ? undefined : Number(lines))
      .map((document) => (form === "json" ? stringifyJson(parseJson(document), 2) : document.trimEnd()));
    blocks.push(
      `<!-- example: ${line} -->\n\n\`\`\`sh\ncourier ${line}\n\`\`\`\n\n\`\`\`json\n${shown.join("\n")}\n\`\`\`\n`,
    );
  }
  return { page: page.replace(marker, () => blocks.shift() ?? ""), examples };
}

/** What the log holds before the examples: a run with an order in doubt, which the sandbox by itself never leaves. */
async function recordHistory(home: Home): Promise<void> {
  const { stdout } = await home.courier("profile --json");
  const profileId = String(JSON.parse(stdout).id);
  const [service, account, startedAtMs] = ["sandbox", "sandbox", home.clock.now()];
  await withLedger(home, async (ledger) => {
    const { id: customer } = await ledger.learnCustomer({ service, key: undefined, profileId, account });
    const process = { pid: 1, started: undefined, place: "here - -" };
    const facts = { command: "orders import", source: "/home/zhang/march.csv", account, service };
    const run = await ledger.beginRun({ ...facts, customer, process, startedAtMs });
    const draft = { receiver: { name: "赵六" }, item: { name: "书" } };
    const row = { row: 1, ref: "M-17", occurrence: 1, content: "M-17", draft, defaults: [] };
    const file = { files: [run.number], shop: "", hasRef: () => false, countOf: () => 1 };
    const policy = {
      windowMs: 0,
      retryRefused: false,
      skipShipped: false,
      isAllowed: () => false,
    };
    const [claimed] = await ledger.claimRows(run, [row], file, policy, { atMs: startedAtMs, offsetMs: 0 });
    if (claimed?.operation)
      await ledger.endCreate(
        claimed.operation,
        run.number,
        { state: "unknown", loss: "broken" },
        startedAtMs,
      );
    await ledger.endRun(run.number, 6, startedAtMs);
  });
}

/** Files that examples and recipes name, by their names; where each lies. */
export async function placeInputs(directory: string): Promise<ReadonlyMap<string, string>> {
  const addresses = "alias,name,phone,city\nshop,张三,13800138000,深圳市\n";
  const incomplete =
    '{"sender":{"name":"张三"},"receiver":{"name":"李四","phone":"12"},"item":{"name":"书"}}';
  const place = (name: string) => path.join(directory, name);
  for (const name of ["order.json", "orders.csv"]) cpSync(path.join(root, "examples", name), place(name));
  writeFileSync(place("addresses.csv"), addresses);
  writeFileSync(place("incomplete.json"), incomplete);
  const names = ["order.json", "orders.csv", "addresses.csv", "incomplete.json", "shipped.csv"];
  return new Map(names.map((name) => [name, place(name)]));
}

/** Without what differs from machine to machine. */
function neutral(text: string, directory: string): string {
  return text
    .replaceAll(directory, "/home/zhang/courier")
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, "http://127.0.0.1:4010")
    .replace(/Node\.js [\d.]+ on \w+ \w+, courier [\d.]+/, "Node.js 22.12.0 on linux x64, courier 1.0.0")
    .replace(/"engine":"SQLite [^"]*"/, '"engine":"SQLite 3.53.0 (node:sqlite)"')
    .replace(/"size_bytes":\d+/, '"size_bytes":106496')
    .replace(/\d+ kB, SQLite [\d.]+ \([^)]*\)/, "107 kB, SQLite 3.53.0 (node:sqlite)");
}
