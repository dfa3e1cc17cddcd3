/** Imports of tests: sheets of rows, a served home that has one, and what came of it. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import type { Operation } from "../../src/ledger/operation.ts";
import type { SandboxOptions } from "../../src/sandbox/server.ts";
import { createServedHome, type Ran, type RunOptions, type ServedHome } from "./courier.ts";
import type { WireRule } from "./wire-faults.ts";

export const header =
  "ref,sender.name,sender.phone,receiver.name,receiver.phone,receiver.city,receiver.detail,item.name,item.weight,item.quantity";

/** A row that the service takes; `phone` of the receiver "12" is one that it refuses. */
export function row(ref: string, name = "李四", phone = "13900139000"): string {
  return `${ref},张三,13800138000,${name},${phone},北京市,建国路88号,茶叶,1.50,1`;
}

export function sheet(...rows: readonly string[]): string {
  return [header, ...rows, ""].join("\n");
}

export interface Report {
  readonly ref: string | null;
  readonly row: number;
  readonly outcome: string;
  readonly id: number | null;
  readonly error: { readonly code: string; readonly message: string; readonly column?: string } | null;
}

export type RanImport = Ran & { readonly report: readonly Report[] };

export interface ImportHome extends ServedHome {
  readonly file: string;
  put(content: string | Uint8Array, name?: string): Promise<string>;
  /** Imports the home's file with further words, as JSON, confirmed. */
  run(words?: string, options?: RunOptions): Promise<RanImport>;
  /** The same with another file, `-` for stdin. */
  importFile(file: string, words?: string, options?: RunOptions): Promise<RanImport>;
  /** What the ledger says of every create, the oldest first. */
  operations(): Promise<readonly Operation[]>;
  /** Receivers of the orders that the service holds, oldest first. */
  receivers(): Promise<string[]>;
  /** How many requests for a new order have come. */
  readonly posts: number;
}

export async function createImportHome(
  content: string | Uint8Array,
  options: Partial<SandboxOptions> = {},
): Promise<ImportHome> {
  const home = await createServedHome(options);
  const file = path.join(home.directory, "orders.csv");
  const put = async (text: string | Uint8Array, name = "orders.csv") => {
    const target = path.join(home.directory, name);
    await writeFile(target, text);
    return target;
  };
  const importFile = async (from: string, words = "", runOptions: RunOptions = {}) => {
    const further = words.split(" ").filter((word) => word !== "");
    const ran = await home.courier(["orders", "import", from, "--yes", "--ndjson", ...further], runOptions);
    const lines = ran.stdout.split("\n").filter((line) => line !== "");
    return { ...ran, report: lines.map((line) => JSON.parse(line) as Report) };
  };
  await put(content);
  return {
    ...home,
    file,
    put,
    importFile,
    run: (words, runOptions) => importFile(file, words, runOptions),
    operations: () => withLedger(home.stateDir, allCreates),
    async receivers() {
      home.sandbox.faults.clear();
      const { stdout } = await home.courier("orders list --all --json");
      const orders = JSON.parse(stdout) as { receiver: { name: string } }[];
      return orders.reverse().map(({ receiver }) => receiver.name);
    },
    get posts() {
      return home.sandbox.requests.filter(({ method }) => method === "POST").length;
    },
  };
}

export function outcomes(report: readonly Report[]): string {
  return report.map(({ outcome }) => outcome).join(" ");
}

/** Opens the ledger of a state directory for `work`, beside the runs that use it. */
export async function withLedger<T>(stateDir: string, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await openLedger(stateDir);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** Every create of a ledger, the oldest first. */
export async function allCreates(ledger: Ledger): Promise<readonly Operation[]> {
  const runs = await ledger.listRuns({ limit: Number.MAX_SAFE_INTEGER });
  const lists = await Promise.all(runs.toReversed().map(({ number }) => ledger.listOperations(number)));
  return lists.flat().filter(({ kind }) => kind === "create");
}

/** The last line of stderr as the error that it is. */
export function errorOf({ stderr }: Pick<Ran, "stderr">): {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly exit: number;
} {
  return JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "").error;
}

/** Takes the answer of the first create away, whether it was processed or not; then nothing can be looked up. */
export const lostForNow = (kind: "drop_before" | "drop_after", times = 1): WireRule[] => [
  { method: "POST", path: "/api/v1/orders", kind, times },
  { kind: "status", status: 503, method: "GET", path: "/api/v1/orders" },
];
