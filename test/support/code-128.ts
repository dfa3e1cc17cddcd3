/** Reads Code 128 from the geometry of an SVG, by the table of ISO/IEC 15417, and shares no code with what writes it. */

/** Widths of three bars and three spaces, by the value of the character; the last one is the stop. */
const patterns =
  "212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 " +
  "123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 " +
  "232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 " +
  "313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 " +
  "111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 " +
  "111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 " +
  "114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 2331112";

const values = new Map(patterns.split(" ").map((widths, value) => [widths, value]));
const [shift, codeC, codeB, codeA, startA, startC, stop] = [98, 99, 100, 101, 103, 105, 106];

export interface ReadBarcode {
  readonly text: string;
  /** Of one module, in millimetres. */
  readonly moduleMm: number;
  /** Modules without a bar before the first bar and after the last. */
  readonly quiet: readonly [number, number];
}

/** Reads the bars of an SVG that draws each one as `M{x} 0h{width}…`. Throws where they are no Code 128. */
export function readBarcode(svg: string): ReadBarcode {
  const [, modules = "", widthMm = ""] = /viewBox="0 0 (\d+) 1" width="([\d.]+)mm"/.exec(svg) ?? [];
  const bars = [...svg.matchAll(/M(\d+) 0h(\d+)v1h-\2z/g)].map(([, x, width]) => ({
    x: Number(x),
    width: Number(width),
  }));
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) throw new Error("there are no bars");
  const widths = bars
    .flatMap(({ x, width }, index) => {
      const next = bars[index + 1];
      return next ? [width, next.x - x - width] : [width];
    })
    .join("");
  return {
    text: decode(widths.match(/.{7}$|.{6}/g) ?? []),
    moduleMm: Number(widthMm) / Number(modules),
    quiet: [first.x, Number(modules) - last.x - last.width],
  };
}

function decode(characters: readonly string[]): string {
  const read = characters.map((widths) => {
    const value = values.get(widths);
    if (value === undefined) throw new Error(`${widths} is no character`);
    return value;
  });
  const [start = 0, ...rest] = read;
  if (start < startA || start > startC || rest.pop() !== stop) throw new Error("no start or no stop");
  const check = rest.pop();
  const sum = rest.reduce((total, value, index) => total + value * (index + 1), start);
  if (check !== sum % 103) throw new Error("the check character is wrong");
  let set = "ABC"[start - startA] ?? "";
  let isShifted = false;
  let text = "";
  for (const value of rest) {
    const own = isShifted ? (set === "A" ? "B" : "A") : set;
    isShifted = false;
    if (own === "C" && value < 100) text += String(value).padStart(2, "0");
    else if (value === codeA) set = "A";
    else if (value === codeB) set = "B";
    else if (value === codeC) set = "C";
    else if (value === shift) isShifted = true;
    else if (value > 95) throw new Error(`the function character ${value} is no text`);
    else text += String.fromCharCode(own === "A" && value > 63 ? value - 64 : value + 32);
  }
  return text;
}
