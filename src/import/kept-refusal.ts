/** Owns what the journal keeps of a refusal: enough to show it again, nothing personal, nothing endless. */

import type { Draft } from "../model/draft.ts";

export interface RefusalReason {
  readonly code: string;
  readonly message: string;
  /** Section 7: the path of the offending field, where the service names one. */
  readonly field?: string | undefined;
}

const mostCharacters = 1_000;
/** Shorter texts name nobody, and stand in every sentence. */
const fewestCharacters = 2;

/** What a service says may repeat what it was sent: names, numbers and addresses are blotted out. */
export function keptRefusal({ code, message, field }: RefusalReason, draft: Draft): RefusalReason {
  const texts = [draft.sender, draft.receiver].flatMap((party) => Object.values(party ?? {}).map(String));
  const longestFirst = texts
    .filter((text) => text.trim().length >= fewestCharacters)
    .sort((a, b) => b.length - a.length);
  const blotted = longestFirst.reduce((kept, text) => kept.replaceAll(text, "…"), message);
  const shorten = (text: string) => text.slice(0, mostCharacters);
  return {
    code: shorten(code),
    message: shorten(blotted),
    ...(field === undefined ? {} : { field: shorten(field) }),
  };
}
