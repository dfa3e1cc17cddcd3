/** The platforms whose exports are known: by their names, and by the headers of their files. */

import { usageError } from "../../core/errors.ts";
import { suggest } from "../../core/suggest.ts";
import type { Preset } from "../presets/preset.ts";
import { presets } from "../presets/presets.ts";

export const noPlatform = "none";
export const platformNames: readonly string[] = [...presets.map(({ name }) => name), noPlatform];

export function parsePlatform(text: string): string {
  const name = text.toLowerCase();
  if (platformNames.includes(name)) return name;
  const nearest = suggest(name, platformNames);
  throw usageError(
    `--platform: unknown platform “${text}”`,
    nearest ? `did you mean ${nearest}?` : `platforms: ${platformNames.join(", ")}`,
  );
}

/** Names of columns as presets compare them. */
export function compareAs(header: string): string {
  return header
    .normalize("NFKC")
    .replace(/^="?|[\uFEFF\u200b"'“”*\s]|[([【](?:必填|选填|可选|required|optional)[)\]】]/gi, "")
    .toLowerCase();
}

/** The platform that writes such a header. */
export function findPreset(headers: readonly string[]): Preset | undefined {
  const found = new Set(headers.map(compareAs));
  return presets.find(({ keys }) => keys.some((all) => all.every((key) => found.has(compareAs(key)))));
}

/** The preset with which a file is read, by the name of a platform or by its header. */
export function choosePreset(headers: readonly string[], platform: string | undefined): Preset | undefined {
  return platform === undefined ? findPreset(headers) : presets.find(({ name }) => name === platform);
}
