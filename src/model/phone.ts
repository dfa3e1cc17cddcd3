/** Which telephone numbers are the same, however people write them. */

/** What people write between digits. */
const separator = /[\s\p{Pd}().·[\]]/u;
const separators = new RegExp(separator, "gu");
/** An extension behind words or signs of its own. */
const named =
  /^(.*\d[\s\p{Pd})([]*)(?:(?:转接?|轉接?|分机号?码?|分機|内线|内線|ext(?:ension)?|x|[#,;])[\s.:]*)+(\d{0,6})[\s\])]*号?$/iu;
const mostExtension = 6;

/** Digits, and where among them a person has written a separator. */
interface Written {
  readonly digits: string;
  readonly gaps: ReadonlySet<number>;
}

/**
 * The number without what is written between its digits and without China's code, with a dash before its extension:
 * `+86 139-0013-9000 转 12` is `13900139000-12`. A text that is no number keeps its letters.
 */
export function barePhone(phone: string): string {
  if (/^(?!86|0[01])\d+$/.test(phone)) return phone;
  const text = phone.normalize("NFKC");
  const [, number = text, extension = ""] = named.exec(text) ?? [];
  const [main, more] = split(number);
  return [main, more, extension].filter((part) => part !== "").join("-");
}

function split(text: string): readonly [number: string, extension: string] {
  const bare = text.replace(separators, "");
  if (!/^\+?\d+$/.test(bare)) return [bare, ""];
  const { digits, gaps } = withoutCountry(bare.startsWith("+"), readWritten(text));
  const lengths = lengthsOf(digits);
  // Without a gap, further digits are no extension, but another number.
  const end = lengths.find((each) => gaps.has(each) && digits.length - each <= mostExtension);
  return end === undefined ? [digits, ""] : [digits.slice(0, end), digits.slice(end)];
}

function readWritten(text: string): Written {
  let digits = "";
  const gaps = new Set<number>();
  for (const character of text) {
    if (/\d/.test(character)) digits += character;
    else if (separator.test(character)) gaps.add(digits.length);
  }
  return { digits, gaps };
}

/** A number of another country keeps its `+`, and has no known length. */
function withoutCountry(hasPlus: boolean, written: Written): Written {
  const { digits, gaps } = written;
  if (hasPlus || digits.startsWith("00")) {
    const whole = shift(written, hasPlus ? 0 : 2);
    const isChinese = whole.digits.startsWith("86");
    return isChinese
      ? withZero(withoutZero(shift(whole, 2)))
      : { digits: `+${whole.digits}`, gaps: new Set() };
  }
  // Without a sign it is a code only before a whole number, or with a gap behind it.
  const isMobile = /^861[3-9]\d{9}/.test(digits) && (digits.length === 13 || gaps.has(13) || gaps.has(2));
  const isLandline = /^86(?:10|2\d|[3-9]\d\d)\d{7}/.test(digits) && gaps.has(2);
  if (isLandline && !isMobile) return withZero(shift(written, 2));
  return withoutZero(isMobile ? shift(written, 2) : written);
}

/** Some write a 0 before a mobile number. */
function withoutZero(written: Written): Written {
  const [zeros = ""] = /^0+(?=1[3-9]\d{9})/.exec(written.digits) ?? [];
  return shift(written, zeros.length);
}

/** Behind the country's code, the 0 of a city's code falls away. */
function withZero(written: Written): Written {
  const isWhole = /^(?:0|1[3-9]|[48]00)/.test(written.digits);
  return isWhole ? written : { digits: `0${written.digits}`, gaps: shift(written, -1).gaps };
}

function shift({ digits, gaps }: Written, by: number): Written {
  return { digits: digits.slice(by), gaps: new Set([...gaps].map((each) => each - by)) };
}

/** How many digits the number may have without an extension, the longest first. */
function lengthsOf(digits: string): readonly number[] {
  if (digits.startsWith("+")) return [];
  if (/^1[3-9]/.test(digits)) return [11];
  if (/^[48]00/.test(digits)) return [10];
  if (/^0[12]/.test(digits)) return [11]; // the largest cities
  if (digits.startsWith("0")) return [12, 11];
  return [8, 7];
}
