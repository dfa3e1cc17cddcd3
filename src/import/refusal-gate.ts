/** Pauses an import while all its answers are one refusal: the next rows would probably be refused, too. */

import type { Rejection } from "../ledger/operation.ts";

/** Holds rows back until a person decides. */
export interface RefusalGate {
  readonly isShut: boolean;
  /** True where the import ends: nothing more is sent. */
  readonly isStuck: boolean;
  /** An order was created: other rows may be right as well. */
  noteCreated(): void;
  noteRefused(rejection: Rejection): void;
  /** Resolves with true once rows may be sent again, with false where nothing more is sent. */
  opened(): Promise<boolean>;
}

/** So many refusals in a row, without an order before them. */
const mostAlike = 20;

/** `mayGoOn` is asked once. Without it, nothing is held back. */
export function createRefusalGate(
  mayGoOn: ((rejection: Rejection, rows: number) => Promise<boolean>) | undefined,
): RefusalGate {
  let last: Rejection | undefined;
  let alike = 0;
  let isOpenForGood = mayGoOn === undefined;
  let isStuck = false;
  let asking: Promise<boolean> | undefined;
  const isShut = () => !isOpenForGood && alike >= mostAlike;
  return {
    get isShut() {
      return isShut();
    },
    get isStuck() {
      return isStuck;
    },
    noteCreated() {
      isOpenForGood = true;
    },
    noteRefused(rejection) {
      alike = last && reasonOf(last) === reasonOf(rejection) ? alike + 1 : 1;
      last = rejection;
    },
    opened() {
      // A refusal for another reason may have come since it was shut.
      if (!asking && !isShut()) return Promise.resolve(true);
      asking ??= ask();
      return asking;
    },
  };

  async function ask(): Promise<boolean> {
    if (last) isOpenForGood = (await mayGoOn?.(last, alike)) ?? true;
    isStuck = !isOpenForGood;
    return isOpenForGood;
  }
}

/** The service's text may contain the row's own value. */
function reasonOf({ code, field, message }: Rejection): string {
  return JSON.stringify(field === undefined ? [code, message] : [code, field]);
}
