/** Spans of time as people write them: `90s`, `1h30m`, and back. */

const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/** Milliseconds of `30s`, `10m`, `2h`, `1h30m`, `1.5h` or `2d`; a bare number is seconds. Undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  if (!/^(\d+(\.\d+)?d)?(\d+(\.\d+)?h)?(\d+(\.\d+)?m(in)?)?(\d+(\.\d+)?s)?$/.test(text) || text === "")
    return undefined;
  const parts = [...text.matchAll(/([\d.]+)([dhms])/g)];
  return parts.reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * (units[unit] ?? 0), 0);
}

/** `2 h 13 min`, `45 s`: its two largest units, rounded down. */
export function formatDuration(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1_000);
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return "0 s";
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(" ");
}
