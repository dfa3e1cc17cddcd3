/** Whether a spreadsheet program may have made one ref from another: 000001 and 1, 1.10 and 1.1, 3/4 and a date. */

/** True where both may be one order number. Only equal content makes it one order. */
export function isRewrittenRef(one: string, other: string): boolean {
  const [a, b] = [plain(one), plain(other)];
  if (a === b) return true;
  return isRounded(a, b) || isRounded(b, a) || isSameDate(readDates(a), readDates(b));
}

/** Without what a program changes about a text or a number. */
function plain(ref: string): string {
  const text = ref.normalize("NFKC").trim().replace(/^['#]/, "").trim().toLowerCase();
  const ungrouped = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text;
  const [, whole = "", fraction = ""] = /^(\d+)(?:\.(\d*))?$/.exec(ungrouped) ?? [];
  if (whole === "") return text.replace(/^0+(?=.)/, "");
  const decimals = fraction.replace(/0+$/, "");
  return `${whole.replace(/^0+(?=\d)/, "")}${decimals === "" ? "" : `.${decimals}`}`;
}

/** Spreadsheet programs keep 15 digits of a number: the others become zeros. */
function isRounded(rounded: string, full: string): boolean {
  if (!/^\d{16,}$/.test(full) || !/^\d{15,}0$/.test(rounded)) return false;
  const zeros = /0*$/.exec(rounded)?.[0].length ?? 0;
  if (rounded.length - zeros > 15) return false;
  const unit = 10n ** BigInt(full.length - 15);
  const difference = BigInt(full) - BigInt(rounded);
  return -unit < difference && difference < unit;
}

/** A date that a text may mean. `form`: a number of days, two numbers such as 3/4, or a date with its year or month. */
interface PossibleDate {
  readonly form: "days" | "pair" | "date";
  readonly year?: number | undefined;
  readonly month: number;
  readonly day: number;
}

const months = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec";
const dayMs = 86_400_000;

function readDates(text: string): readonly PossibleDate[] {
  // Excel and LibreOffice count days from here; these are the years 1982 to 2119.
  if (/^\d{5}$/.test(text) && Number(text) >= 30_000 && Number(text) < 80_400) {
    const date = new Date(Date.UTC(1899, 11, 30) + Number(text) * dayMs);
    return [
      { form: "days", year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() },
    ];
  }
  const date = text.replace(/[t ]\s*\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?z?$/, "");
  const full =
    /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})$/.exec(date) ?? /^(\d{4})(年)(\d{1,2})月(\d{1,2})日$/.exec(date);
  if (full) {
    const [a, b, c] = [full[1], full[3], full[4]].map(Number) as [number, number, number];
    const orders = [
      [a, b, c],
      [c, a, b],
      [c, b, a],
    ] as const;
    return orders.flatMap(([year, month, day]) =>
      possible({ form: "date", year: inCentury(year), month, day }),
    );
  }
  const named =
    new RegExp(`^(\\d{1,4})[- ](${months})[a-z]*$`).exec(date) ??
    new RegExp(`^(${months})[a-z]*[- ](\\d{1,4})$`).exec(date);
  if (named) {
    const [name, number] = /^\d/.test(named[1] ?? "") ? [named[2], named[1]] : [named[1], named[2]];
    const month = months.split("|").indexOf(name ?? "") + 1;
    return datesOf("date", month, Number(number));
  }
  const chinese = /^(\d{1,2})月(\d{1,2})日$/.exec(date);
  if (chinese) return datesOf("date", Number(chinese[1]), Number(chinese[2]));
  const pair = /^(\d{1,4})[-/](\d{1,4})$/.exec(date);
  if (!pair) return [];
  const [a, b] = [Number(pair[1]), Number(pair[2])];
  return [...datesOf("pair", a, b), ...datesOf("pair", b, a)];
}

/** A month with a day, or with a year: then it is its first day. */
function datesOf(form: PossibleDate["form"], month: number, number: number): readonly PossibleDate[] {
  return [
    ...possible({ form, month, day: number }),
    ...possible({ form, year: inCentury(number), month, day: 1 }),
  ];
}

function possible(date: PossibleDate): readonly PossibleDate[] {
  const isDate = date.month >= 1 && date.month <= 12 && date.day >= 1 && date.day <= 31;
  return isDate && (date.year ?? 2000) >= 1900 ? [date] : [];
}

/** As spreadsheet programs read a year of two digits. */
function inCentury(year: number): number {
  if (year >= 100) return year;
  return year < 30 ? 2000 + year : 1900 + year;
}

function isSameDate(some: readonly PossibleDate[], others: readonly PossibleDate[]): boolean {
  return some.some((one) =>
    others.some((other) => {
      // Two refs that a person numbers, such as 3/4 and 4/3, are two refs; so are two numbers.
      if (one.form === other.form && one.form !== "date") return false;
      const isYear = one.year === undefined || other.year === undefined || one.year === other.year;
      return isYear && one.month === other.month && one.day === other.day;
    }),
  );
}
