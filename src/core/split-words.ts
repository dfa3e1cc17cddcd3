/** The words of a command line, split as a shell would, quotes included; no shell runs (owner of shlex). */

/** Undefined where a quote is not closed. */
export async function splitWords(line: string): Promise<readonly string[] | undefined> {
  const { split } = await import("shlex");
  try {
    return split(line);
  } catch {
    return undefined;
  }
}
