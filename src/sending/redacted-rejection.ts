/** The refusal as the ledger stores it: redacted and shortened. */

import type { Rejection } from "../ledger/operation.ts";
import type { Draft } from "../model/draft.ts";

const mostCharacters = 1_000;
/** Shorter texts are not personal, and occur in every sentence. */
const fewestCharacters = 2;

/** A message of the service may repeat the request: names, numbers and addresses are replaced. */
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
