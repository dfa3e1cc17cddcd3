/** Stops an import from sending on while the last answers were all doubtful. */

/** Keeps rows back while the last answers were all doubtful: whatever fails would fail for them as well. */
export interface DoubtGate {
  readonly isShut: boolean;
  /** True where nothing could be settled, so that nothing more is sent. */
  readonly isStuck: boolean;
  /** Told of each answer. */
  note(isDoubtful: boolean): void;
  /** Resolves once rows may be sent again, or with false where they may not. */
  opened(): Promise<boolean>;
}

export function createDoubtGate(most: number, settleSome: () => Promise<boolean>): DoubtGate {
  let doubts = 0;
  let isStuck = false;
  let settling: Promise<boolean> | undefined;
  return {
    get isShut() {
      return doubts >= most;
    },
    get isStuck() {
      return isStuck;
    },
    note(isDoubtful) {
      doubts = isDoubtful ? doubts + 1 : 0;
    },
    opened() {
      settling ??= settleSome().then((isSettled) => {
        settling = undefined;
        const mayGoOn = isSettled || doubts < most; // an answer may have come meanwhile
        if (mayGoOn) doubts = 0;
        else isStuck = true;
        return mayGoOn;
      });
      return settling;
    },
  };
}
