/** The golden screens: what each command shows at terminals of three widths, in files that one can read. */

import stringWidth from "string-width";
import { expect } from "vitest";
import type { Ran } from "./courier.ts";

export const screenWidths = [40, 80, 140] as const;

type Runner = (terminal: number) => Promise<Ran>;

/** Runs a command at each width, without colour, and compares with `test/commands/screens/<name>-<width>.txt`. */
export async function expectScreens(name: string, run: Runner): Promise<void> {
  for (const width of screenWidths) {
    const { stdout, stderr } = await run(width);
    const screen = stderr === "" ? stdout : `${stdout}--- stderr\n${stderr}`;
    await expect(screen).toMatchFileSnapshot(`../commands/screens/${name}-${width}.txt`);
  }
}

/** Lines that are wider than a terminal of `width` columns. */
export function tooWide(text: string, width: number): string[] {
  return text.split("\n").filter((line) => stringWidth(line) > width);
}

/** The display column at which `part` begins in `line`. */
export function columnOf(line: string, part: string): number {
  const index = line.indexOf(part);
  if (index < 0) throw new Error(`“${part}” is not in “${line}”`);
  return stringWidth(line.slice(0, index));
}
