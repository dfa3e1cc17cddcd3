/** Owns the index of import journals on this machine, so that two files do not ship the same order. */

import { array, looseObject, optional, record, string, textSchema } from "../model/schema.ts";
import { type JsonFile, openJsonFile } from "./json-file.ts";

/** Paths of journals by account, newest first. */
export interface Journals {
  readonly journals: Readonly<Record<string, readonly string[]>>;
}

export type JournalIndex = JsonFile<Journals>;

const remembered = 200;

export function openJournalIndex(directory: string): JournalIndex {
  const paths = record(string(), array(textSchema, { error: "array" }), { error: "object" });
  return openJsonFile<Journals>({
    directory,
    name: "journals",
    title: "index of journals",
    schema: looseObject({ journals: optional(paths) }, { error: "object" }),
    empty: { journals: {} },
    remedy: "move it away; it only points to the journals of imports",
  });
}

export async function rememberJournal(index: JournalIndex, account: string, path: string): Promise<void> {
  const { journals } = await index.read();
  if (journals[account]?.[0] === path) return;
  await index.update((content) => {
    const others = (content.journals[account] ?? []).filter((each) => each !== path);
    return {
      ...content,
      journals: { ...content.journals, [account]: [path, ...others].slice(0, remembered) },
    };
  });
}
