/** What a person sees of output that redraws itself: the text that a terminal shows in the end. */

import headless from "@xterm/headless";

/** What has scrolled away is there too, without blanks at the ends of lines. */
export async function screenOf(output: string, columns: number, rows = 24): Promise<string> {
  const terminal = new headless.Terminal({
    cols: columns,
    rows,
    scrollback: 1_000,
    allowProposedApi: true,
    convertEol: true,
    logLevel: "off",
  });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from(
    { length: active.length },
    (_, row) => active.getLine(row)?.translateToString(true).trimEnd() ?? "",
  );
  terminal.dispose();
  return `${lines.join("\n").trimEnd()}\n`;
}
