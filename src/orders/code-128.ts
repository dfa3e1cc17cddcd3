/** Code 128 as SVG: the bars of a text, in a width that scanners read (owner of jsbarcode). */

import { CODE128 } from "jsbarcode/bin/barcodes/CODE128/index.js";

/** A scanner needs so many white modules beside the bars (ISO/IEC 15417). */
const quietModules = 10;
/** Widths of a module that are whole dots of a thermal printer, which has eight a millimetre. */
const wholeDotsMm = [0.5, 0.375, 0.25];
/** Scanners in shops do not read thinner bars. */
const thinnestMm = 0.19;
/** No slip is wide enough for more. */
const mostCharacters = 80;

/** Why a text has no bars. */
export type BarsProblem = "empty" | "unwritable" | "too long";

type Bars = { readonly svg: string; readonly problem?: undefined } | NoBars;
interface NoBars {
  readonly svg?: undefined;
  readonly problem: BarsProblem;
}

/** An SVG of at most this width, or why there is none. */
export function drawCode128(text: string, widthMm: number, heightMm: number): Bars {
  if (text.trim() === "") return { problem: "empty" };
  // The package takes characters beyond ASCII for functions of the code.
  if (!/^[ -~]+$/.test(text)) return { problem: "unwritable" };
  if (text.length > mostCharacters) return { problem: "too long" };
  const { data } = new CODE128(text, {}).encode();
  const modules = data.length + 2 * quietModules;
  const moduleMm = wholeDotsMm.find((mm) => mm * modules <= widthMm) ?? widthMm / modules;
  if (moduleMm < thinnestMm) return { problem: "too long" };
  const bars = [...data.matchAll(/1+/g)].map(
    ({ 0: bar, index }) => `M${quietModules + index} 0h${bar.length}v1h-${bar.length}z`,
  );
  const size = `width="${(moduleMm * modules).toFixed(3)}mm" height="${heightMm}mm"`;
  return {
    svg: `<svg viewBox="0 0 ${modules} 1" ${size} preserveAspectRatio="none" shape-rendering="crispEdges" aria-hidden="true"><path d="${bars.join("")}"/></svg>`,
  };
}
