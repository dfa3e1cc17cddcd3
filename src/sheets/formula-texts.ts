/** Quotes cells such as `="0123"` in a CSV text, which many shop programs write without the quotes that CSV needs. */

import { longestRow } from "./row-limit.ts";

/** A whole cell; inside a quoted cell its quotes would be doubled. */
const bareFormulaText = /(^|[,;\t])="([^"\r\n]*)"(?=[,;\t\r\n]|$)/gm;

export async function* quoteFormulaTexts(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of text) {
    const end = Math.max(piece.lastIndexOf("\n"), piece.lastIndexOf("\r")) + 1;
    if (end === 0) {
      rest += piece;
      if (rest.length <= longestRow) continue;
      yield rest; // it is refused
      rest = "";
      continue;
    }
    yield quote(rest + piece.slice(0, end));
    rest = piece.slice(end);
  }
  yield quote(rest);
}

function quote(lines: string): string {
  return lines.includes('="') ? lines.replace(bareFormulaText, '$1"=""$2"""') : lines;
}
