/** Colour: maps the views' styles to terminal colours (owner of chalk). */

import { Chalk } from "chalk";
import type { Style } from "./blocks.ts";
import type { Paint } from "./style.ts";

/** Paints with the sixteen basic colours, which every theme of a terminal has made readable. */
export function createPaint(): Paint {
  const chalk = new Chalk({ level: 1 });
  const painters: Readonly<Record<Style, (text: string) => string>> = {
    strong: chalk.bold,
    dim: chalk.dim,
    good: chalk.green,
    warn: chalk.yellow,
    bad: chalk.red,
    accent: chalk.cyan,
  };
  return (style, text) => painters[style](text);
}
