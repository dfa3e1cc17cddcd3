/** Owns the redactor: the one function through which text must pass before it may show a secret. */

const mask = "[redacted]";

/**
 * Makes a function that masks every given secret in a text: as it is, URL-encoded, as JSON escapes it, in
 * hexadecimal and in base64, there also as part of a longer text such as `user:SECRET`. Secrets shorter
 * than four characters are left alone, since masking them would garble ordinary text.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const maskable = secrets.filter((secret) => secret.length >= 4);
  if (maskable.length === 0) return (text) => text;
  let pattern: RegExp | undefined;
  return (text) => {
    pattern ??= allForms(maskable); // most runs print nothing that has to be searched
    return text.replace(pattern, mask);
  };
}

function allForms(secrets: readonly string[]): RegExp {
  const forms = secrets
    .flatMap((secret) => [textPattern(secret), Buffer.from(secret).toString("hex"), ...base64Forms(secret)])
    .sort((a, b) => b.length - a.length);
  return new RegExp(forms.join("|"), "giu");
}

/** Each character as it is, percent-encoded, or as a JSON escape; in either case of letters. */
function textPattern(secret: string): string {
  const characters = [...secret].map((character) => {
    const percent = [...Buffer.from(character)].map((byte) => `%${hex(byte, 2)}`).join("");
    const escapes = [...Array(character.length).keys()].map(
      (unit) => `\\u${hex(character.charCodeAt(unit), 4)}`,
    );
    const isEverEscaped = !/[A-Za-z0-9_.~-]/.test(character); // of a longer escape nothing may be left
    const json = isEverEscaped
      ? [escapes.join(""), ...(/["\\/]/.test(character) ? [`\\${character}`] : [])]
      : [];
    const forms = [...json, percent, character].map(literally);
    return `(?:${forms.join("|")}${character === " " ? "|\\+" : ""})`;
  });
  return characters.join("");
}

/**
 * The base64 characters that a secret alone decides, for each of the three places in a group of three
 * bytes at which it can begin inside a longer text; in both alphabets.
 */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    const form = bytes.toString("base64").slice(start, end);
    return [literally(form), literally(form.replaceAll("+", "-").replaceAll("/", "_"))];
  });
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
