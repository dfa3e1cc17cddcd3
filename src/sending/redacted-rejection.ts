/** What the ledger keeps of a refusal: enough to show it again, nothing personal, nothing endless. */

import type { Rejection } from "../ledger/operation.ts";
import type { Draft } from "../model/draft.ts";

const mostCharacters = 1_000;
/** Shorter texts name nobody, and stand in every sentence. */
const fewestCharacters = 2;

/** What a service says may repeat what it was sent: names, numbers and addresses are replaced. */
export function redactRejection({ code, message, field }: Rejection, draft: Draft): Rejection {
  const texts = [draft.sender, draft.receiver].flatMap((party) => Object.values(party ?? {}).map(String));
  const longestFirst = texts
    .filter((text) => text.trim().length >= fewestCharacters)
    .sort((a, b) => b.length - a.length);
  const redacted = longestFirst.reduce((kept, text) => kept.replaceAll(text, "…"), message);
  const shorten = (text: string) => text.slice(0, mostCharacters);
  return {
    code: shorten(code),
    message: shorten(redacted),
    ...(field === undefined ? {} : { field: shorten(field) }),
  };
}
