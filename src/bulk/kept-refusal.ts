/** Owns what the journal keeps of a refusal: enough to show it again, nothing personal, nothing endless. */

import type { Draft } from "../model/draft.ts";

export interface RefusalReason {
  readonly code: string;
  readonly message: string;
}

const mostCharacters = 1_000;
/** Shorter texts name nobody, and stand in every sentence. */
const fewestCharacters = 2;

/** What a service says may repeat what it was sent: names, numbers and addresses are blotted out. */
export function keptRefusal({ code, message }: RefusalReason, draft: Draft): RefusalReason {
  const texts = [draft.sender, draft.receiver].flatMap((party) => Object.values(party ?? {}).map(String));
  const longestFirst = texts
    .filter((text) => text.trim().length >= fewestCharacters)
    .sort((a, b) => b.length - a.length);
  const blotted = longestFirst.reduce((kept, text) => kept.replaceAll(text, "…"), message);
  return { code: code.slice(0, mostCharacters), message: blotted.slice(0, mostCharacters) };
}
