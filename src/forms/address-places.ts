/** Finds province, city and district in a text; adds none that the text does not have. */

import type { Division, Divisions, Level } from "./address-divisions.ts";
import { looksLikeName } from "./address-names.ts";
import type { Span } from "./address-spans.ts";

export interface Step extends Span {
  readonly level: Level;
}

/** `gap`: a separator or a label; `barrier`: a telephone number; `closed`: text in which no place may begin. */
export type CharClass = "text" | "gap" | "barrier" | "closed";

/** The input of the search; all positions are of the normalised text. */
export interface AddressText {
  readonly normalized: string;
  readonly divisions: Divisions;
  /** The class of each character. */
  readonly classes: readonly CharClass[];
  /** As earlier versions of courier read it. */
  readonly isFormer?: boolean;
  /** As the first ones did. */
  readonly isFirst?: boolean;
}

export interface FoundPlace {
  readonly steps: readonly Step[];
  /** The text names another place, too, which may be the one that is meant. */
  readonly hasOther: boolean;
  /** Earlier versions may have found another one. */
  readonly isReadAnew: boolean;
}

interface Search extends AddressText {
  /** Called where earlier versions go another way. */
  readonly onReadAnew: () => void;
}

interface Chain {
  readonly steps: readonly Step[];
  readonly score: number;
  /** The smallest division that the data knows. */
  readonly division?: Division | undefined;
}

interface Candidate extends Step {
  /** Absent for a name that only its last character makes a division, behind one that is known. */
  readonly division?: Division;
}

const nothing: Chain = { steps: [], score: 0 };
const longestName = 15;
/** What makes a name for short, or a city, part of another name: 南京西路, 中山大学, 深圳市民中心. */
const street =
  /^(?:[东西南北中上下]?[一二三四五六七八九十]?(?:路|街(?!道)|大道|巷|弄|里|道|桥|站)|大学|学院|大厦|大楼|大酒店|饭店|宾馆|酒店|银行|商会|会馆|城|村|镇|乡|港|湖|湾|山|花园|广场|公寓|师范|理工|交通|医院|机场)/;
const road = /^(?:路|街(?!道)|大道|大街)/;
const notCity = /^(?:场|民(?:中心|广场|之家|公园|服务|活动|族)|立|郊)/;
const joint = /[->·]/;
/** Names that the data does not hold: of new zones, and of divisions that were renamed since. */
const zone =
  /^\p{sc=Han}{0,8}?(?:高新技术产业开发区|经济技术开发区|技术开发区|经济开发区|开发区|高新区|经开区|工业园区|示范区|合作区|保税区|新区)/u;
/** Of zones that are no districts by law; the last one is 江北新区. */
const zoneCode = /^\d{4}[79]\d$|^320112$/;
const county =
  /^\p{sc=Han}{2,3}(?:(?<![园社小校厂景院库片街业宅墅活属住税假险营辖]|\p{sc=Han}{2}[东西南北中一二三四五])区|县(?![城道府医中一])|旗(?!舰))/u;
const city = /^\p{sc=Han}{2,3}市/u;
const company = /^[^\s,;|/、。\d]*(?:公司|集团|事务所|驻)/;

/**
 * The most convincing run of divisions, from the larger to the smaller; empty when there is none. Where a whole name opens
 * a text, another place inside a later word is a landmark: 三河市燕郊镇北京市通州区对面.
 */
export function findPlace(text: AddressText): FoundPlace {
  const { normalized, classes } = text;
  let best = nothing;
  let opening: Chain | undefined;
  let nameEnd = 0;
  let hasOther = false;
  let isReadAnew = false;
  const onReadAnew = () => {
    isReadAnew = true;
  };
  const input: Search = { ...text, onReadAnew };
  for (let start = 0; start < normalized.length; start += 1) {
    if (classes[start] !== "text") continue;
    const chain = bestChain(input, start, undefined);
    const [first] = chain.steps;
    const last = chain.steps.at(-1);
    if (!first || !last) continue;
    const isOpening =
      start === 0 || !isText(input, start - 1) || /[([【《"“:]/.test(normalized.charAt(start - 1));
    // In the middle of a word one name alone is more often a street's: 深圳市福田区上海路.
    if (!isOpening && !isConvincing(input, start, chain)) continue;
    const isOther = opening !== undefined && !isAlike(input, opening, chain);
    // 鞍山市 in 马鞍山市 is no place.
    if (start < nameEnd || (isOther && !isOpening)) {
      onReadAnew();
      if (!input.isFormer) continue;
    }
    nameEnd = first.end;
    const penalty = company.test(normalized.slice(last.end, last.end + 40)) ? 3 : 0;
    const score = chain.score + (isOpening ? 1 : 0) - penalty;
    const isBetter = score > best.score;
    if (isOther && penalty === 0 && (isBetter || chain.steps.length > 1)) hasOther = true;
    if (isOpening && penalty === 0 && isFullAt(input, first)) opening ??= chain;
    if (isBetter) best = { ...chain, score };
  }
  return { steps: best.steps, hasOther, isReadAnew };
}

function isFullAt({ normalized, divisions }: AddressText, { start, end }: Span): boolean {
  return divisions.get(normalized.slice(start, end))?.some(({ isFull }) => isFull) ?? false;
}

/**
 * One is in the other: 三河市 and 河北省廊坊市三河市. Several divisions have the name of a single one. A zone may be in a
 * district of its city: 成都市武侯区 and 成都高新区.
 */
function isAlike({ normalized, divisions }: AddressText, { steps, division }: Chain, other: Chain): boolean {
  const [first] = steps;
  const single = steps.length === 1 && first && divisions.get(normalized.slice(first.start, first.end));
  return [single || division || []].flat().some(({ prefix }) => {
    const own = other.division?.prefix ?? "";
    const isWithZone = zoneCode.test(own) || zoneCode.test(prefix);
    return (
      own.startsWith(prefix) || prefix.startsWith(own) || (isWithZone && own.startsWith(prefix.slice(0, 4)))
    );
  });
}

function isConvincing(input: AddressText, start: number, { steps, score }: Chain): boolean {
  if (steps.length > 1) return score >= 4;
  let open = start;
  while (isText(input, open - 1) && start - open < 6) open -= 1;
  const before = input.normalized.slice(open, start);
  return score >= 3 && steps[0]?.level !== 2 && (before === "中国" || looksLikeName(before));
}

/** The best run of divisions that begins here, inside `parent` when there is one. */
function bestChain(input: Search, start: number, parent: Candidate | undefined): Chain {
  let best = nothing;
  for (const step of candidatesAt(input, start, parent)) {
    const rest = step.level === 2 ? nothing : bestChain(input, skipGap(input, step.end), step);
    if (!isPlausible(input, step, parent, rest)) continue;
    const weight = step.division === undefined ? 1 : step.division.isFull ? 3 : 2;
    const score = weight + rest.score;
    if (score > best.score) {
      const steps = [{ start: step.start, end: step.end, level: step.level }, ...rest.steps];
      best = { steps, score, division: rest.division ?? step.division };
    }
  }
  return best;
}

function candidatesAt(input: Search, start: number, parent: Candidate | undefined): Candidate[] {
  const { normalized, divisions } = input;
  const known: Candidate[] = [];
  for (let end = start + 2; end <= start + longestName && isText(input, end - 1); end += 1) {
    for (const division of divisions.get(normalized.slice(start, end)) ?? []) {
      if (parent && !isInside(division, parent)) continue;
      known.push({ start, end, level: division.level, division });
    }
  }
  known.sort((a, b) => a.level - b.level);
  return known.length > 0 || !parent ? known : guessAt(input, start, parent);
}

function isInside(division: Division, parent: Candidate): boolean {
  if (division.level <= parent.level) return false;
  // What a name that is not in the data holds is not known either.
  return parent.division !== undefined && division.code.startsWith(parent.division.prefix);
}

function guessAt(input: Search, start: number, parent: Candidate): Candidate[] {
  let end = start;
  while (end < start + longestName && isText(input, end)) end += 1;
  const text = input.normalized.slice(start, end);
  const isDirect = /^(?:11|12|31|50|8[12])/.test(parent.division?.code ?? "");
  // 东区 in 中山市东区 and 立山区 in 鞍山市立山区 are districts, 市东区 and 市立山区 are none.
  if (parent.division?.isFull === false && /^市(?!中区)/.test(text)) {
    input.onReadAnew();
    if (!input.isFormer) return [];
  }
  const guesses: Candidate[] = [];
  const guess = (pattern: RegExp, level: Level) => {
    const found = pattern.exec(text)?.[0];
    if (found) guesses.push({ start, end: start + found.length, level });
  };
  if (isDirect && text.startsWith("市辖区")) guess(/^市辖区/, 1);
  else {
    if (parent.level === 0 && !isDirect) guess(city, 1);
    if (parent.level === 1 || isDirect) guess(zone, 2);
    guess(county, 2);
  }
  return guesses;
}

/** Whether what follows leaves the name a division's. */
function isPlausible(input: Search, step: Candidate, parent: Candidate | undefined, rest: Chain): boolean {
  const { normalized } = input;
  const written = normalized.slice(step.start, step.end);
  const next = normalized.slice(step.end, step.end + 8);
  if (written.endsWith("市") && notCity.test(next)) {
    // 阳泉市郊区
    if (rest.division === undefined) return false;
    input.onReadAnew();
    if (input.isFormer) return false;
  }
  const { division } = step;
  if (division === undefined) return true;
  if (division.isFull) {
    if (written.length === 2 && !parent) return false;
    // 台州市路桥区路桥街道: no road has the name of a district behind that of its city.
    if (rest.steps.length > 0 || !road.test(next)) return true;
    if (parent === undefined || division.level !== 2) return false;
    input.onReadAnew();
    return !input.isFirst;
  }
  const isAtEnd = !isText(input, step.end) || joint.test(next.charAt(0));
  const isFollowed = rest.score > 1;
  const isPartOfName = street.test(next);
  if (division.level === 0) {
    const isIsland = /^(?:71|8[12])/.test(division.code);
    return isFollowed || isAtEnd || (isIsland && !isPartOfName);
  }
  if (division.level === 1) return isFollowed || isAtEnd || (parent !== undefined && !isPartOfName);
  return parent !== undefined && (isAtEnd || (division.isCity && !isPartOfName));
}

/** Skips characters between a province and its city: separators, labels and dashes. */
function skipGap({ normalized, classes }: AddressText, start: number): number {
  let index = start;
  while (classes[index] === "gap" || joint.test(normalized.charAt(index))) index += 1;
  return index;
}

function isText({ classes }: AddressText, index: number): boolean {
  return classes[index] === "text" || classes[index] === "closed";
}
