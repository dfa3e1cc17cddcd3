/** Fields that may have several columns: a phone, a street, and a name in two parts. */

/** A field and its columns by index: the first choice that is filled counts; its columns are joined. */
export interface LayoutField {
  readonly path: string;
  readonly choices: readonly (readonly number[])[];
  /** Its columns are the first and the last name. */
  readonly isName?: boolean;
}

/** Whether a person may give a field to several columns: of phones, the first that is filled counts; a street is joined. */
export function maySeveral(path: string): boolean {
  return isPhone(path) || isStreet(path);
}

export const isPhone = (path: string) => path.endsWith(".phone");
export const isStreet = (path: string) => path.endsWith(".detail");

const mobile = /手机|手機|行动|行動|mobile|cell/i;

/** How a field is read from the columns that a person gave it. Of phones, one of mobiles comes before others. */
export function choicesOf(
  path: string,
  columns: readonly number[],
  headers: readonly string[],
): readonly (readonly number[])[] {
  const inOrder = columns.toSorted((one, other) => one - other);
  if (!isPhone(path)) return [inOrder];
  const isMobile = (index: number) => mobile.test(headers[index] ?? "");
  return [...inOrder.filter(isMobile), ...inOrder.filter((index) => !isMobile(index))].map((index) => [
    index,
  ]);
}

/** Makes one field of those with the same path, and of the first and the last name. */
export function joinColumns(
  fields: readonly LayoutField[],
  headers: readonly string[],
): readonly LayoutField[] {
  return fields.flatMap((field, at) => {
    const { path } = field;
    const [part = "", name = ""] = path.split(".");
    if (/^(?:first|last)_name$/.test(name)) return joinName(part, field, fields);
    const same = fields.filter((each) => each.path === path);
    if (same.length === 1 || !maySeveral(path)) return [field];
    if (fields.findIndex((each) => each.path === path) < at) return [];
    return [
      {
        path,
        choices: choicesOf(
          path,
          same.flatMap((each) => each.choices.flat()),
          headers,
        ),
      },
    ];
  });
}

/** A part of the street that a map names is joined to a whole address, and split with it. */
export function joinStreets(fields: readonly LayoutField[]): readonly LayoutField[] {
  const streetOf = (path: string) =>
    fields.find((field) => field.path === path.replace(/address$/, "detail"));
  const isJoined = ({ path }: LayoutField) => path.endsWith(".address") && streetOf(path);
  const joined = fields.filter(isJoined);
  return fields.flatMap((field) => {
    const { path, choices } = field;
    if (joined.some((each) => each !== field && streetOf(each.path) === field)) return [];
    const street = joined.includes(field) ? (streetOf(path)?.choices.flat() ?? []) : [];
    return [
      street.length > 0 ? { ...field, choices: choices.map((choice) => [...choice, ...street]) } : field,
    ];
  });
}

function joinName(part: string, field: LayoutField, fields: readonly LayoutField[]): readonly LayoutField[] {
  const both = ["first_name", "last_name"].flatMap((name) =>
    fields.filter((each) => each.path === `${part}.${name}`),
  );
  if (both[0] !== field) return [];
  return [{ path: `${part}.name`, choices: [both.flatMap((each) => each.choices.flat())], isName: true }];
}
