/** Interface for out-of-band alerts: bell, desktop notification, user command. */

/** Each answers with a failure instead of throwing. */
export interface Alerts {
  /** Rings the terminal's bell; where there is no terminal, nothing happens. */
  ring(): void;
  /** Why no desktop notification can be shown on this machine, as far as that is known without showing one. */
  findNoticeObstacle(): Promise<string | undefined>;
  /** Shows a desktop notification; answers with what went wrong, if anything. */
  notify(title: string, text: string): Promise<string | undefined>;
  /** Runs a command line of the user's in a shell; `variables` join the environment. */
  execute(line: string, given: ExecuteOptions): Promise<Executed>;
}

export interface ExecuteOptions {
  readonly stdin: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Stopped when it takes longer. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

export interface Executed {
  /** What it printed on both streams, as lines. */
  readonly lines: readonly string[];
  /** How it failed; undefined when it ended well. */
  readonly failure: string | undefined;
}
