/** Owns the imports of tests: sheets of rows, a served home that has one, and what came of it. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { SandboxOptions } from "../../src/sandbox/server.ts";
import { createServedHome, type Ran, type RunOptions, type ServedHome } from "./courier.ts";

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

export interface ImportHome extends ServedHome {
  readonly file: string;
  readonly journal: string;
  put(content: string | Uint8Array, name?: string): Promise<string>;
  /** Imports the home's file with further words, as JSON, confirmed. */
  run(words?: string, options?: RunOptions): Promise<Ran & { readonly report: readonly Report[] }>;
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
  await put(content);
  return {
    ...home,
    file,
    journal: `${file}.journal.ndjson`,
    put,
    async run(words = "", runOptions = {}) {
      const further = words.split(" ").filter((word) => word !== "");
      const ran = await home.courier(["orders", "import", file, "--yes", "--ndjson", ...further], runOptions);
      const lines = ran.stdout.split("\n").filter((line) => line !== "");
      return { ...ran, report: lines.map((line) => JSON.parse(line) as Report) };
    },
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

export async function journalEntries(journal: string): Promise<readonly Record<string, unknown>[]> {
  const text = await readFile(journal, "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
