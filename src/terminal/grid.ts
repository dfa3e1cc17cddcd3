/** Rows with texts of any kind, by cli-table3; tables of plain texts start faster without it. */

import Table from "cli-table3";

export function layOutGrid(
  rows: readonly string[][],
  aligns: readonly ("left" | "right")[],
  widths: readonly number[],
  gap: number,
): string[] {
  const table = new Table({
    chars: { ...noBorders, middle: " ".repeat(gap) },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
    colWidths: widths.map((width) => width || 1),
    colAligns: [...aligns],
    wordWrap: false,
  });
  table.push(...rows);
  return table.toString().split("\n");
}

const noBorders = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
};
