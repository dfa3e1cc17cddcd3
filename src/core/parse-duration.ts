/** Spans of time as people write them: `90s`, `1h30m`. */

const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/** Milliseconds of `30s`, `10m`, `2h`, `1h30m`, `1.5h` or `2d`; a bare number is seconds. Undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const spelled = Number(text) >= 0 ? `${text}s` : text; // and s alone is none
  if (!/^(\d+(\.\d+)?d)?(\d+(\.\d+)?h)?(\d+(\.\d+)?m(in)?)?(\d+(\.\d+)?s)?$/.test(spelled)) return undefined;
  const parts = [...spelled.matchAll(/([\d.]+)([dhms])/g)];
  return parts.reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * (units[unit] ?? 0), 0);
}
