/** Owns the redactor: the one function through which text must pass before it may show a secret. */

const mask = "[redacted]";

/**
 * Makes a function that masks every given secret in a text: as it is, URL-encoded, and in base64 and
 * hexadecimal, the forms in which a header or a body may carry it. Secrets shorter than four
 * characters are left alone, since masking them would garble ordinary text.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < 4) continue;
    const bytes = Buffer.from(secret, "utf8");
    const base64 = bytes.toString("base64");
    for (const form of [
      secret,
      encodeURIComponent(secret),
      base64,
      base64.replace(/=+$/, ""),
      bytes.toString("base64url"),
      bytes.toString("hex"),
    ]) {
      forms.add(form);
    }
  }
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  return (text) => ordered.reduce((masked, form) => masked.replaceAll(form, mask), text);
}
