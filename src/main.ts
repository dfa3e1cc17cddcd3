/** The process adapter: hands argv, environment, streams and signals to a run, and sets the exit code. */

import { run } from "./cli/run.ts";
import { interrupted } from "./core/errors.ts";

const interruption = new AbortController();
// Once each: a second Ctrl-C finds no handler and ends the process at once.
process.once("SIGINT", () => interruption.abort(interrupted(130)));
process.once("SIGTERM", () => interruption.abort(interrupted(143)));

process.exitCode = await run({
  argv: process.argv.slice(2),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interruption.signal,
});
