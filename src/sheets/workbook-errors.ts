/** Errors of workbooks that cannot be read, with what to do about them. */

import { type CourierError, fileError } from "../core/errors.ts";

export const saveAnew =
  "open it in the spreadsheet program, save it as .xlsx or “CSV UTF-8”, and import that file";

/** `reason` names the part that is wrong. */
export function damaged(name: string, reason: string, cause?: unknown): CourierError {
  return fileError(`${name} is damaged or incomplete: ${reason}`, {
    hint: `download or copy it again; or ${saveAnew}`,
    cause,
  });
}

export function tooLarge(name: string, what: string): CourierError {
  return fileError(`${name} is larger than courier reads: ${what}`, {
    hint: "check that it is the right file; split it into several files, or save it as “CSV UTF-8”",
  });
}

export function isProtected(name: string): CourierError {
  return fileError(`${name} is protected by a password`, {
    hint: "open it in the spreadsheet program, remove the password, save it as .xlsx or “CSV UTF-8”, and import that file",
  });
}

/** The names of streams in old Office files, which are UTF-16, and what has them. */
const oldKinds = [
  { stream: "Workbook", kind: "an old Excel workbook (.xls)" },
  { stream: "Book", kind: "an old Excel workbook (.xls)" },
  { stream: "WordDocument", kind: "an old Word document" },
] as const;

/** The error of a file in the format of Office before 2007, in which new ones are kept when they are encrypted. */
export function oldOfficeError(bytes: Buffer, name: string): CourierError {
  const has = (stream: string) => bytes.includes(stream, 0, "utf16le");
  if (has("EncryptedPackage")) return isProtected(name);
  const kind = oldKinds.find(({ stream }) => has(stream))?.kind ?? "an old Office file such as .xls";
  return fileError(`${name} is ${kind}, which courier does not read`, { hint: saveAnew });
}
