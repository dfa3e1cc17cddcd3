/** Pauses an import while its last answers were all doubtful. */

/** Holds rows back: the next requests would probably fail in the same way. */
export interface DoubtGate {
  readonly isShut: boolean;
  /** True where no row in doubt could be settled: nothing more is sent. */
  readonly isStuck: boolean;
  /** Called for each answer. */
  note(isDoubtful: boolean): void;
  /** Resolves with true once rows may be sent again, with false where nothing more is sent. */
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
        const mayContinue = isSettled || doubts < most; // another request may have succeeded meanwhile
        if (mayContinue) doubts = 0;
        else isStuck = true;
        return mayContinue;
      });
      return settling;
    },
  };
}
