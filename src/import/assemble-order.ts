/** Makes one order of its lines. */

import type { SplitText } from "../forms/address-text.ts";
import type { Draft, DraftParty } from "../model/draft.ts";
import { partyFields } from "../model/fields.ts";
import type { Json } from "../model/json.ts";
import { barePhone } from "../model/phone.ts";
import { type Chosen, createLineChooser } from "./choose-lines.ts";
import { cleanCell } from "./clean-cell.ts";
import { type FormerRecord, readFormerRecord } from "./columns/former-reading.ts";
import { hasLines, type Layout } from "./columns/layout.ts";
import { cleanHeader } from "./columns/title-words.ts";
import { type CellDraft, createCellDraft } from "./draft-from-cells.ts";
import { hiddenMessage, isHidden } from "./hidden-text.ts";
import { checkCell, isDitto, isZeroText, textOf } from "./order-fields.ts";
import { setItem } from "./order-goods.ts";
import type { OrderOptions, OrderRecord, ReadingTally } from "./order-record.ts";
import { type FilledCell, hasAddress, type Line, readLine } from "./sheet-line.ts";
import type { PartySplitter } from "./split-party.ts";

/** Undefined for an order that is not to be sent, where the options do not ask for it. `isEarlier`: as earlier versions read. */
export function createAssembler(
  options: OrderOptions,
  splitter: PartySplitter | undefined,
  isEarlier = false,
): (lines: readonly Line[]) => OrderRecord | undefined {
  const { layout, tally } = options;
  const { preset } = layout;
  const chooser = createLineChooser(options);
  const earlier = layout.earlier.map((each) => ({
    ...each,
    assemble: createAssembler({ ...options, layout: each.layout, tally: undefined }, splitter, true),
  }));

  /** The orders that earlier versions made of these lines: several, where they knew no ref. */
  function readEarlier(all: readonly Line[]): readonly FormerRecord[] {
    return earlier.flatMap(({ reading, layout: each, assemble }) => {
      const lines = all.map(({ source }) => readLine(source, each));
      const orders = lines[0]?.key === "" ? lines.map((line) => [line]) : [lines];
      return orders.flatMap((order) => {
        const record = assemble(order);
        if (record?.problems.length !== 0) return [];
        const { ref, draft, formerDrafts = [] } = record;
        return [draft, ...formerDrafts].map((each) => ({
          reading,
          ref,
          draft: each,
        }));
      });
    });
  }

  /**
   * Those versions compared less. In a platform's export, a further line may have a masked phone, and a row that sums the
   * order up lacks what the lines have.
   */
  const isCompared = (path: string, { cells }: Line) =>
    path.startsWith("receiver.")
      ? path !== "receiver.phone" || !(preset || isEarlier)
      : !isEarlier && (!preset || cells.has(path));

  /** A street is split with its region, and the columns of a place with the address beside them. */
  const isInOther = (path: string, { cells }: Line) => {
    const [part, name = ""] = path.split(".");
    if (name === "detail") return cells.has(`${part}.region`);
    return ["province", "city", "district", "region"].includes(name) && cells.has(`${part}.address`);
  };

  return (all) => {
    const [first] = all as readonly [Line];
    const rows = all.map(({ source }) => source.row);
    const chosen = chooser.choose(all);
    const { reason } = chosen;
    const isLeftOut = all.every(({ source }) => source.isHidden);
    if (reason !== undefined) {
      if (!isLeftOut) tally?.skip(reason, rows);
      if (isLeftOut || !options.keepsSkipped) return undefined;
    } else if (tally && !isLeftOut) count(all, chosen, tally);

    const filling = createCellDraft(options);
    reportFaults(all, layout, filling);
    reportNoValues(all, filling);
    const partProblem = isLeftOut ? undefined : chooser.findMissingPart(all, chosen.lines);
    if (partProblem !== undefined) filling.reportOrder(first, partProblem);
    if (preset?.lacksAddress !== undefined && reason === undefined && !all.some(hasAddress))
      filling.reportOrder(first, preset.lacksAddress);
    const hasFault = filling.problems().length > 0;
    const hasOwnItem = all.length === 1 && !first.cells.has("item.list");
    const formerParts = new Map<string, SplitText>();
    setCells(all, hasOwnItem, isCompared, filling, (line, path, cell) => {
      if (isInOther(path, line)) return;
      const split = splitter?.split(path, cell.text, line.cells);
      if (!split) return filling.set(line, path, cell);
      if ("message" in split) return filling.report(line, cell.index, cell.text, split.message);
      const part = path.slice(0, path.indexOf("."));
      if (split.former) formerParts.set(part, split);
      for (const [name, text] of Object.entries(split.party))
        filling.set(line, `${part}.${name}`, { text: text as string, index: cell.index });
      if (!tally || isLeftOut) return;
      const parts = partyFields.flatMap((name) => split.party[name] ?? []);
      tally.split(cleanHeader(layout.names[cell.index] ?? path), parts);
    });
    const { draft } = filling;
    if (preset?.repeatsPlace) dropRepeatedPlace(draft.receiver as DraftParty | undefined);
    if (preset?.shiftsMunicipalities) unshiftMunicipality(draft.receiver as DraftParty | undefined);
    const goods = hasOwnItem ? undefined : setItem(chosen.lines, filling, options.isMerged, isEarlier);
    const ref = findRef(all, layout, filling);
    const isReadAsBefore = first.isAsWritten && layout.isReadAsBefore;
    const asWritten =
      all.length > 1 || hasFault || isReadAsBefore || !layout.former
        ? undefined
        : readFormerRecord(first.source.cells, layout.former);
    const former = [
      ...(asWritten ? [asWritten] : []),
      ...(goods?.isReadAnew ? withGoodsAsBefore(draft, chosen.lines, options) : []).map((each) => ({
        reading: 3,
        ref,
        draft: each,
      })),
      ...(hasFault ? [] : readEarlier(all)),
    ];
    return {
      rows,
      line: first.source.line,
      ref,
      otherNumbers: findOtherNumbers(all, layout, ref),
      draft: draft as Draft,
      lines: all.map(({ source }) => source),
      problems: filling.problems(),
      faulty: filling.faulty,
      former,
      formerDrafts: asSplitBefore(draft, formerParts),
      mayBeLine: hasLines(layout) && mayBeLine(first),
      isHidden: isLeftOut,
      lacksPieces: goods?.lacksPieces,
      skipped: reason && chooser.describeSkipped(chosen),
    };
  };
}

function count(all: readonly Line[], { leftOut }: Chosen, tally: ReadingTally): void {
  for (const { cleanings } of all) for (const kind of cleanings) tally.clean(kind);
  for (const { reason, line } of leftOut) tally.skipLine(reason, line.source.row);
}

/** Of cells that cannot be read, or must be blank or a number. */
function reportFaults(
  all: readonly Line[],
  { fields, refunded, mustBeBlank, preset }: Layout,
  { report }: CellDraft,
): void {
  for (const { source } of all) {
    for (const [index, message] of source.faults ?? [])
      if (fields.some(({ choices }) => choices.some((choice) => choice.includes(index))))
        report({ source }, index, source.cells[index] ?? "", message);
    const pieces = refunded === undefined ? "" : (source.cells[refunded]?.trim() ?? "");
    if (refunded !== undefined && !/^(?:[-+]?\d+(?:\.0+)?|-)?$/.test(pieces))
      report({ source }, refunded, pieces, "must be a number of pieces");
    for (const [index, reason] of mustBeBlank) {
      const text = cleanCell("", source.cells[index] ?? "", preset?.empty).text;
      if (text !== "") report({ source }, index, text, reason);
    }
  }
}

/** Such a text is not the value of its field: a number has a message of its own. */
function findNoValue(path: string, text: string): string | undefined {
  if (isDitto(path, text)) return "says “as above”: write the value itself";
  return isZeroText(path, text)
    ? "is 0, as a formula shows an empty cell: write the value, or empty the cell"
    : undefined;
}

function reportNoValues(all: readonly Line[], { report }: CellDraft): void {
  for (const line of all)
    for (const [path, { text, index }] of line.cells) {
      const message = findNoValue(path, text);
      if (message !== undefined) report(line, index, text, message);
    }
}

/** Its ref and its receiver are empty, or those of the row above. */
function mayBeLine({ key, cells }: Line): boolean {
  const own = new Map([...cells].filter(([path, { text }]) => findNoValue(path, text) === undefined));
  return (key === "" || findNoValue("ref", key) !== undefined) && !hasAddress({ cells: own });
}

/** Sets the receiver's fields of the first line that has an address, and all others of the first line. */
function setCells(
  all: readonly Line[],
  hasOwnItem: boolean,
  isCompared: (path: string, one: Line) => boolean,
  filling: CellDraft,
  setCell: (line: Line, path: string, cell: FilledCell) => void,
): void {
  const [first] = all;
  const holder = all.find(hasAddress) ?? first;
  if (all.length > 1 && first && holder)
    for (const [part, what, one] of [
      ["receiver", "receiver", holder],
      ["sender", "sender", first],
      ["service_type", "service level", first],
    ] as const) {
      const isOfPart = (path: string) => path.split(".")[0] === part && isCompared(path, one);
      ensureAlike(all, what, one, isOfPart, filling);
    }
  for (const line of all) {
    for (const [path, cell] of line.cells) {
      const isOfReceiver = path.startsWith("receiver.");
      if (path === "ref" || line !== (isOfReceiver ? holder : first)) continue;
      if (path.startsWith("item.") && !hasOwnItem) continue;
      if (line.source.faults?.has(cell.index) || findNoValue(path, cell.text) !== undefined) continue;
      if (isOfReceiver && isHidden(path, cell.text))
        filling.report(line, cell.index, cell.text, hiddenMessage);
      else setCell(line, path, cell);
    }
  }
}

/** Lines of one order go to one receiver, from one sender. */
function ensureAlike(
  lines: readonly Line[],
  what: string,
  one: Line,
  isOfPart: (path: string) => boolean,
  { report }: CellDraft,
): void {
  const isOther = ([path, { text }]: readonly [string, FilledCell]) => {
    if (!isOfPart(path) || findNoValue(path, text) !== undefined) return false;
    const own = one.cells.get(path)?.text;
    if (!path.endsWith(".phone") || own === undefined) return own !== text;
    return barePhone(own) !== barePhone(text);
  };
  for (const line of lines) {
    const [, cell] = (line === one ? undefined : [...line.cells].find(isOther)) ?? [];
    if (cell)
      report(
        line,
        cell.index,
        cell.text,
        `another ${what} than row ${one.source.row}, which has the same order number`,
      );
  }
}

/** Undefined where its cell has a fault, or shows an empty one. */
function findRef(all: readonly Line[], layout: Layout, { report }: CellDraft): string | undefined {
  const found = readRef(all, layout);
  if (!found || found.line.source.faults?.has(found.cell.index)) return undefined;
  const { text, index } = found.cell;
  if (isZeroText("ref", text)) return undefined;
  const message = checkCell("ref", text);
  if (message !== undefined) report(found.line, index, text, message);
  return text;
}

/** The first line with a text in the best column that has one. */
function readRef(lines: readonly Line[], layout: Layout): { line: Line; cell: FilledCell } | undefined {
  const [only, ...others] = lines;
  const own = only?.cells.get("ref");
  if (only && others.length === 0) return own && { line: only, cell: own };
  const field = layout.fields.find(({ path }) => path === "ref");
  for (const choice of field?.choices ?? []) {
    for (const line of lines) {
      const cell = readLine(line.source, {
        ...layout,
        fields: [{ path: "ref", choices: [choice] }],
      }).cells.get("ref");
      if (cell && cell.text !== "") return { line, cell };
    }
  }
  return undefined;
}

/** The numbers of an order in the columns that do not give its ref. */
function findOtherNumbers(
  lines: readonly Line[],
  layout: Layout,
  ref: string | undefined,
): readonly string[] {
  const columns = layout.fields.find(({ path }) => path === "ref")?.choices.flat() ?? [];
  if (columns.length < 2) return [];
  const texts = columns.flatMap((index) =>
    lines.map(({ source }) => cleanCell("ref", textOf(source, index, "ref"), layout.preset?.empty).text),
  );
  return [...new Set(texts)].filter((text) => text !== "" && text !== ref);
}

/** The draft with the parts of parties as earlier versions split them, one for each of these. */
function asSplitBefore(
  draft: Readonly<Record<string, Json>>,
  parts: ReadonlyMap<string, SplitText>,
): readonly Draft[] {
  const versions = [...parts.values()].flatMap(({ former }) => [...(former?.keys() ?? [])]);
  return [...new Set(versions)].map((version) => {
    const before: Record<string, unknown> = { ...draft };
    for (const [part, { party, former }] of parts) {
      const others = Object.entries(draft[part] ?? {}).filter(([name]) => !Object.hasOwn(party, name));
      before[part] = { ...Object.fromEntries(others), ...(former?.[version] ?? party) };
    }
    return before as Draft;
  });
}

/** The draft as version 3 read it before: at first, a merged cell counted once for each line. */
function withGoodsAsBefore(
  draft: Readonly<Record<string, Json>>,
  lines: readonly Line[],
  options: OrderOptions,
): readonly Draft[] {
  return [() => false, options.isMerged].map((isMerged) => {
    const goods = createCellDraft(options);
    setItem(lines, goods, isMerged, true);
    return { ...draft, ...goods.draft } as Draft;
  });
}

/** A street that begins with the whole place above it. */
function dropRepeatedPlace(party: DraftParty | undefined): void {
  const { province = "", city = "", district = "", detail = "" } = party ?? {};
  let street = detail;
  for (const part of new Set([province, city, district])) {
    if (!street.startsWith(part)) return;
    street = street.slice(part.length).trimStart();
  }
  if (party && street !== "") party.detail = street;
}

const municipality = /^(?:北京|天津|上海|重庆)市?$/;

/** Puts a district that stands in the column of the city where it belongs; its own column then holds a street, or nothing. */
function unshiftMunicipality(party: DraftParty | undefined): void {
  const { province = "", city, district, detail } = party ?? {};
  if (!party || !municipality.test(province) || city === undefined || !/[区县]$/.test(city)) return;
  party.city = province;
  // The name of a level that has no city.
  if (/^(?:市辖区|县)$/.test(city)) return;
  party.district = city;
  if (district !== undefined && district !== city) party.detail = `${district}${detail ?? ""}`;
}
