/** Config files that tests put in place before a run, and what they find there after it. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Home } from "./courier.ts";

type WithConfig = Pick<Home, "configDir">;

export function configPath({ configDir }: WithConfig): string {
  return path.join(configDir, "config.json");
}

/** Writes accounts, or any text at all, as the config file. */
export async function putConfig(home: WithConfig, content: object | string): Promise<void> {
  await mkdir(home.configDir, { recursive: true });
  await writeFile(configPath(home), typeof content === "string" ? content : JSON.stringify(content));
}

export function readConfigText(home: WithConfig): Promise<string> {
  return readFile(configPath(home), "utf8");
}

/** The account shop, with its key in the file. */
export function putShop(
  home: WithConfig,
  { baseUrl, apiKey }: Readonly<Record<"baseUrl" | "apiKey", string>>,
): Promise<void> {
  return putConfig(home, { current: "shop", accounts: { shop: { base_url: baseUrl, key: apiKey } } });
}
