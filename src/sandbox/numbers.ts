/**
 * Order and tracking numbers. Both encode the order's id: multiplied modulo 10^11, so that
 * consecutive numbers look unrelated, with a check digit. A tracking number thus gives its order without a lookup.
 */

const digits = 11;
const modulus = 10n ** BigInt(digits);
const offset = 38_201_456_977n;
const multiplier = 61_803_398_877n;
/** Multiplied by `multiplier`, it leaves 1 within eleven digits. */
const inverse = 2_244_669_813n;

export function trackingNumberOf(id: number): string {
  const body = pad((BigInt(id) * multiplier + offset) % modulus);
  return `CR${body}${checkDigit(body)}`;
}

/** The order's id, or undefined for text that is no tracking number. */
export function idOfTrackingNumber(trackingNumber: string): number | undefined {
  const [, body = "", check] = /^CR(\d{11})(\d)$/.exec(trackingNumber) ?? [];
  if (check === undefined || check !== checkDigit(body)) return undefined;
  return Number(((BigInt(body) - offset + modulus) * inverse) % modulus);
}

export function orderNumberOf(id: number): string {
  return `CO${pad((BigInt(id) * inverse + offset) % modulus)}`;
}

/** Luhn's digit: catches every single wrong digit and most swaps of neighbours. */
function checkDigit(body: string): string {
  let sum = 0;
  for (let position = 0; position < body.length; position++) {
    const digit = Number(body[position]) * (position % 2 === 0 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return String((10 - (sum % 10)) % 10);
}

function pad(value: bigint): string {
  return String(value).padStart(digits, "0");
}
