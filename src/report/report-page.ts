/** A report as one HTML page: charts as inline SVG, tables, no script, and nothing from elsewhere. */

import { htmlHead, toHtml, toOneLine } from "../terminal/html.ts";
import { cutToWidth, displayWidth } from "../terminal/width.ts";

export interface Bar {
  readonly label: string;
  /** For drawing only. */
  readonly size: number;
  /** The value as it is read. */
  readonly text: string;
  /** A longer, lighter bar behind it. */
  readonly outer?: { readonly size: number; readonly text: string };
}

export interface ReportPage {
  readonly title: string;
  /** What it is about, one sentence each. */
  readonly notes: readonly string[];
  readonly chart: {
    readonly title: string;
    /** Side by side for times, below each other for names. */
    readonly isTimeline: boolean;
    readonly bars: readonly Bar[];
    /** What the lines of the scale are whole or round parts of: an hour for times. */
    readonly unit: number;
    /** The text of a size at a line of the scale. */
    readonly scale: (size: number) => string;
  };
  readonly table: { readonly titles: readonly string[]; readonly rows: readonly (readonly string[])[] };
}

/** More are not drawn: the page stays small enough to be sent. */
export const mostDrawn = 300;
const widestText = 40;

export function drawReport({ title, notes, chart, table }: ReportPage): string {
  const isLong = chart.bars.length > mostDrawn;
  // Of times, the newest are drawn; of names, the largest.
  const cut = <T>(all: readonly T[]) => (chart.isTimeline ? all.slice(-mostDrawn) : all.slice(0, mostDrawn));
  const left = isLong ? [`${mostDrawn} of ${chart.bars.length} are drawn; --csv has all of them`] : [];
  const bars = cut(chart.bars);
  const drawing = chart.isTimeline ? drawColumns({ ...chart, bars }) : drawBars({ ...chart, bars });
  return [
    ...htmlHead(title, style),
    "<main>",
    `<h1>${toHtml(title)}</h1>`,
    ...(bars.length === 0 ? ["<p>No orders</p>"] : [`<h2>${toHtml(chart.title)}</h2>`, drawing]),
    `<ul>${[...notes, ...left].map((note) => `<li>${toHtml(note)}</li>`).join("")}</ul>`,
    drawTable(table.titles, cut(table.rows)),
    "</main>",
    "</body>",
    "</html>\n",
  ].join("\n");
}

function drawTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${toHtml(short(cell))}</${tag}>`).join("")}</tr>`;
  return [
    `<table><thead>${row(titles, "th")}</thead><tbody>`,
    ...rows.map((cells) => row(cells, "td")),
    "</tbody></table>",
  ].join("\n");
}

type Chart = ReportPage["chart"];

const width = 800;
const height = 260;
const left = 70;
const bottom = 24;
const topSpace = 10;

function drawColumns({ title, bars, unit, scale }: Chart): string {
  const most = largest(bars);
  const room = height - bottom - topSpace;
  const y = (size: number) => topSpace + room - (room * Math.max(0, size)) / most;
  const step = (width - left) / bars.length;
  const thick = Math.min(60, step * 0.8);
  const each = Math.ceil(bars.length / Math.floor((width - left) / 90));
  const drawn = bars.map((bar, index) => {
    const x = left + index * step + (step - thick) / 2;
    const column = (size: number, kind: string) =>
      `<rect${kind} x="${round(x)}" y="${round(y(size))}" width="${round(thick)}" height="${round(y(0) - y(size))}"/>`;
    return mark(bar, bar.outer ? column(bar.outer.size, ' class="o"') : "", column(bar.size, ""));
  });
  const labels = bars.flatMap(({ label }, index) =>
    index % each === 0
      ? [
          `<text x="${round(left + (index + 0.5) * step)}" y="${height - 6}" class="m">${toHtml(short(label))}</text>`,
        ]
      : [],
  );
  const lines = ticks(most, unit).map(
    (size) =>
      `<path d="M${left} ${round(y(size))}H${width}"/><text x="${left - 6}" y="${round(y(size) + 4)}" class="e">${toHtml(scale(size))}</text>`,
  );
  return svg(title, height, [...lines, ...drawn, ...labels]);
}

const lineHeight = 22;
const nameRoom = 220;
const valueRoom = 160;

function drawBars({ title, bars, unit, scale }: Chart): string {
  const most = largest(bars);
  const room = width - nameRoom - valueRoom;
  const x = (size: number) => (room * Math.max(0, size)) / most;
  const end = bars.length * lineHeight;
  const lines = ticks(most, unit).map(
    (size) =>
      `<path d="M${round(nameRoom + x(size))} 0V${end}"/><text x="${round(nameRoom + x(size))}" y="${end + 16}" class="m">${toHtml(scale(size))}</text>`,
  );
  const drawn = bars.map((bar, index) => {
    const y = index * lineHeight;
    const across = (size: number, kind: string) =>
      `<rect${kind} x="${nameRoom}" y="${y + 3}" width="${round(x(size))}" height="${lineHeight - 6}"/>`;
    const end = nameRoom + x(Math.max(bar.size, bar.outer?.size ?? 0));
    const text = short(bar.outer ? `${bar.text} / ${bar.outer.text}` : bar.text);
    return mark(
      bar,
      `<text x="${nameRoom - 6}" y="${y + 15}" class="e">${toHtml(short(bar.label, 28))}</text>`,
      bar.outer ? across(bar.outer.size, ' class="o"') : "",
      across(bar.size, ""),
      `<text x="${round(end + 5)}" y="${y + 15}">${toHtml(text)}</text>`,
    );
  });
  return svg(title, end + bottom, [...lines, ...drawn]);
}

/** The parts of a bar, which shows its value where a pointer rests on it. */
function mark({ label, text, outer }: Bar, ...parts: readonly string[]): string {
  const value = outer ? `${text}, ${outer.text}` : text;
  return `<g><title>${toHtml(`${short(label)}: ${value}`)}</title>${parts.join("")}</g>`;
}

function svg(title: string, drawnHeight: number, parts: readonly string[]): string {
  const label = toHtml(title);
  return `<svg viewBox="0 0 ${width} ${drawnHeight}" role="img" aria-label="${label}">\n${parts.join("\n")}\n</svg>`;
}

function largest(bars: readonly Bar[]): number {
  const most = Math.max(0, ...bars.map(({ size, outer }) => Math.max(size, outer?.size ?? 0)));
  return most > 0 && Number.isFinite(most) ? most : 1;
}

/** A few round sizes from 0 on. */
function ticks(most: number, unit: number): readonly number[] {
  const rough = most / 4 / unit;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough) * unit;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function short(text: string, columns = widestText): string {
  const line = toOneLine(text);
  return displayWidth(line) <= columns ? line : cutToWidth(line, columns);
}

const style = [
  ":root{color-scheme:light dark;--ink:#1a1d21;--dim:#5b646e;--line:#d9dee3;--back:#fff;--bar:#2f6fb0;--more:#a9c9e8}",
  "@media (prefers-color-scheme:dark){:root{--ink:#e6e9ec;--dim:#9aa4ae;--line:#353c44;--back:#15181c;--bar:#6cb0f5;--more:#31557a}}",
  "@media print{:root{--ink:#000;--dim:#444;--line:#ccc;--back:#fff;--bar:#2f6fb0;--more:#a9c9e8}}",
  'body{margin:0;background:var(--back);color:var(--ink);font:15px/1.5 system-ui,"Noto Sans CJK SC","Noto Sans SC","PingFang SC","Microsoft YaHei",Arial,sans-serif}',
  "main{max-width:900px;margin:0 auto;padding:24px}",
  "h1{font-size:22px;margin:0 0 16px}h2{font-size:15px;margin:0 0 8px}",
  "svg{display:block;width:100%;height:auto}",
  "svg text{font-size:12px;fill:var(--dim)}svg .m{text-anchor:middle}svg .e{text-anchor:end}",
  "svg path{stroke:var(--line);fill:none}",
  "rect{fill:var(--bar)}rect.o{fill:var(--more)}g:hover rect{opacity:.75}g:hover text{fill:var(--ink)}",
  "ul{color:var(--dim);padding-left:18px}",
  "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}",
  "th,td{text-align:right;padding:4px 8px;border-bottom:1px solid var(--line)}",
  "th:first-child,td:first-child{text-align:left;overflow-wrap:anywhere}",
  "th{color:var(--dim);font-weight:normal}tr{break-inside:avoid}thead{display:table-header-group}",
  "@media print{main{max-width:none;padding:0}svg{break-inside:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}",
].join("\n");
