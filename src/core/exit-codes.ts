/** The table of exit codes that scripts rely on. */

/** What each exit code means to a script; the table in docs/commands.md is rendered from here. */
export const exitCodes = {
  0: "done; an empty list is done; a closed pipe is done, for what only reads",
  1: "the service refused: an invalid field, no such order, not cancellable",
  2: "the command line or an input file is wrong; nothing was sent",
  3: "some of many were refused or held (import, cancel, slips or track of several, undo), or a cancel was accepted but not done yet",
  4: "no account, or the key was refused",
  5: "unreachable, timed out, rate limited or failing, after retries, or a full disk: safe to run again; or the result cannot be written (`unwritten`): see `courier log` first",
  6: "outcome unknown: an order may or may not have been created; the message says how to find out",
  7: "`--watch` ended before what it waited for happened, or `--until` had no parcel",
  70: "a bug, or an answer that breaks the interface; details with `--debug`",
  129: "the terminal was closed",
  130: "interrupted (Ctrl-C)",
  131: "quit (Ctrl-\\)",
  143: "terminated",
} as const;
