/** What a person's name looks like, and which words of a pasted text are most likely one. */

import type { Label } from "./address-labels.ts";
import type { Span } from "./address-spans.ts";

const surnames =
  "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵湛汪祁毛禹狄米贝明臧计伏成戴谈宋茅庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯管卢莫房缪干解应宗丁宣邓单杭洪包左石崔吉龚程邢裴陆荣翁荀羊甄曲封储靳段焦巴车侯宓蓬全班仰仲伊宫宁仇栾甘厉祖武符刘景詹束龙叶幸司黎薄白蒲邰从索赖卓蔺池乔胥闻翟谭姬申冉雍桑桂牛边燕尚温庄晏柴阎连习艾向古易廖终步都耿满匡国文寇广欧利师巩聂辛简饶曾沙关查游权盖益桓公佟肖涂揭代闫税岳楚覃付邝";
const compound =
  /^(?:欧阳|上官|诸葛|司马|司徒|夏侯|东方|皇甫|尉迟|公孙|慕容|令狐|宇文|长孙|南宫|端木|轩辕|独孤)/;
const title = "(?:先生|女士|小姐|太太|夫人|老师|师傅|经理|医生|教授|同学|阿姨|叔叔|大爷|奶奶|总)";
const isTitle = new RegExp(`^${title}$`);
const titled = new RegExp(String.raw`^\p{sc=Han}{1,4}${title}$`, "u");
const minority = /^\p{sc=Han}{1,8}(?:[·•・‧．]\p{sc=Han}{1,8}){1,3}$/u;
const latin = /^(?=.*\p{sc=Latin}{2})[\p{sc=Latin}.'’-]+$/u;
const latinTitle = /^(?:mr|mrs|ms|miss|dr|prof)\.?$/i;
const streetWord = /^(?:blvd|boulevard|street|st|ave|avenue|road|rd|drive|lane|ln|way|court|plaza)\.?$/i;
/** Words at the end of what is more often a place, and words in the place of a name. */
const placeEnd =
  /[路街号楼室栋幢座层村镇乡区县市省园城厦苑场店馆院部厂司里巷弄道桥门站港湾洲岛湖山寨庄堡坊邸府社校局所台柜户铺屋寓]$/;
const noName =
  /^(?:前台|门卫|保安|物业|驿站|丰巢|快递|菜鸟|代收|自提|同上|本人|学校|公司|单位|家里|暂无|没有|谢谢|你好|您好|麻烦|备注|中国|大陆|邮编|左侧|右侧|左边|右边|大堂|对面|旁边|附近|楼上|楼下|高层|商铺|车库|东侧|西侧|南侧|北侧)/;

export interface NameHints {
  readonly labels: readonly Label[];
  /** The spans of telephone numbers and of the place. */
  readonly phones: readonly Span[];
  readonly place: readonly Span[];
  /** Japanese and Korean texts, and those without Chinese: only a label or a title makes a name there. */
  readonly isChinese: boolean;
}

/** Surname and one or two characters more; a surname and a title. */
export function looksLikeName(text: string): boolean {
  return (
    titled.test(text) ||
    minority.test(text) ||
    (/^\p{sc=Han}{2,4}$/u.test(text) && hasSurname(text) && !placeEnd.test(text))
  );
}

/** The words that are taken for the name; undefined when none is likely enough. */
export function findName(normalized: string, words: readonly Span[], hints: NameHints): Span | undefined {
  for (const { kind, end } of hints.labels) {
    if (kind !== "name") continue;
    const index = words.findIndex(({ start }) => start >= end);
    const first = words[index];
    const isItsValue = first && /^[\s([{【]*$/.test(normalized.slice(end, first.start));
    if (isItsValue && first.end - first.start <= 40) return extend(normalized, words, index);
  }
  return hints.isChinese ? findLikelyName(normalized, words, hints) : findTitledName(normalized, words);
}

/** Takes in the following words of the same name: Latin ones, a title, and 三 of 张 三. */
function extend(normalized: string, words: readonly Span[], index: number): Span {
  const first = words[index] ?? { start: 0, end: 0 };
  let { end } = first;
  for (const word of words.slice(index + 1, index + 6)) {
    if (!/^ {1,2}$/.test(normalized.slice(end, word.start))) break;
    const before = normalized.slice(first.start, end);
    const text = normalized.slice(word.start, word.end);
    const isSame = /\p{sc=Han}/u.test(before)
      ? isTitle.test(text) || (/^\p{sc=Han}$/u.test(before) && /^\p{sc=Han}{1,2}$/u.test(text))
      : /^[\p{sc=Latin}.'’-]+$/u.test(text);
    if (!isSame) break;
    end = word.end;
  }
  // A platform's number for the receiver, as in 张三[1234].
  const code = /^\[\d{3,4}\]/.exec(normalized.slice(end, end + 6))?.[0] ?? "";
  return { start: first.start, end: end + code.length };
}

function findLikelyName(normalized: string, words: readonly Span[], hints: NameHints): Span | undefined {
  const unlabelled = clear(normalized, hints.labels);
  const surroundings = { ...hints, unlabelled, bare: clear(unlabelled, hints.phones) };
  let best: { span: Span; score: number } | undefined;
  for (let index = 0; index < words.length; index += 1) {
    const span = nameAt(normalized, words, index, hints);
    if (!span) continue;
    // A place without any detail is rare: what follows it is more likely that.
    const isAll = words.every((word) => span.start <= word.start && word.end <= span.end);
    const score = scoreName(normalized, span, surroundings) - (isAll && hints.place.length > 0 ? 1 : 0);
    if (score >= 4 && score > (best?.score ?? 0)) best = { span, score };
  }
  return best?.span;
}

/** The text with blanks instead of the spans. */
function clear(normalized: string, spans: readonly Span[]): string {
  const units = normalized.split("");
  for (const { start, end } of spans) units.fill(" ", start, end);
  return units.join("");
}

/** The name that a word may be, may begin, or may have at its end: 科技园1号楼张三. */
function nameAt(
  normalized: string,
  words: readonly Span[],
  index: number,
  hints: NameHints,
): Span | undefined {
  const word = words[index];
  if (!word) return undefined;
  const text = normalized.slice(word.start, word.end);
  const previous = words[index - 1];
  const isLatin = latin.test(text);
  // In the middle of a Latin run; the run was checked at its beginning.
  if (isLatin && previous && /^ +$/.test(normalized.slice(previous.end, word.start))) {
    if (latin.test(normalized.slice(previous.start, previous.end))) return undefined;
  }
  if (isLatin || /^\p{sc=Han}{1,4}$/u.test(text) || titled.test(text) || minority.test(text)) {
    return extend(normalized, words, index);
  }
  const glued = /(?<=[号室楼栋幢层座元\d])(?![号室楼栋幢层座单])\p{sc=Han}{2,3}$/u.exec(text);
  const isBeforePhone = hints.phones.some(
    ({ start }) => normalized.slice(word.end, start).trim() === "" && start >= word.end,
  );
  const start = word.start + (glued?.index ?? 0);
  return glued && isBeforePhone && looksLikeName(glued[0]) ? { start, end: word.end } : undefined;
}

interface Surroundings extends NameHints {
  /** The text without its labels, and without its telephone numbers too. */
  readonly unlabelled: string;
  readonly bare: string;
}

/** Four points make a name. */
function scoreName(
  normalized: string,
  span: Span,
  { phones, place, unlabelled, bare }: Surroundings,
): number {
  const text = normalized.slice(span.start, span.end);
  const name = text.replace(/ |\[\d+\]$/g, "");
  if (noName.test(name) || name.length < 2) return 0;
  const isAtEdge = isBlank(bare.slice(0, span.start)) || isBlank(bare.slice(span.end));
  const isNextToPhone = phones.some(({ start, end }) => {
    if (start >= span.end) return isBlank(unlabelled.slice(span.end, start));
    return end <= span.start && isBlank(unlabelled.slice(end, span.start));
  });
  const where = (isNextToPhone ? 2 : 0) + (isAtEdge ? 1 : 0);
  const hasPlace = place.length > 0 ? 1 : 0;
  if (titled.test(name) || minority.test(name)) return 4 + where;
  if (latin.test(name)) return where + hasPlace + (/^\p{Lu}/u.test(text) ? 1 : 0);
  const isShort = name.length < 4 || (isNextToPhone && isAtEdge);
  return where + (hasSurname(name) ? 2 : 0) + (isShort ? 1 : 0) - (placeEnd.test(name) ? 2 : 0);
}

/** Nothing but separators and marks. */
function isBlank(stretch: string): boolean {
  return /^[\s,;|/、。\-_:()[\]【】]*$/.test(stretch);
}

function hasSurname(text: string): boolean {
  return (
    compound.test(text) ||
    (surnames.includes(text.charAt(0)) && text.length < 4) ||
    /^[小老阿]\p{sc=Han}$/u.test(text)
  );
}

/** `Mr. John Smith` on its own, in a text without Chinese. */
function findTitledName(normalized: string, words: readonly Span[]): Span | undefined {
  const index = words.findIndex(({ start, end }) => latinTitle.test(normalized.slice(start, end)));
  if (index < 0) return undefined;
  const span = extend(normalized, words, index);
  const last = words.findLast(({ end }) => end === span.end);
  const isAlone =
    /^ *(?:$|[,;|\n(+\d])/.test(normalized.slice(span.end)) &&
    /(?:^|[,;|\n]) *$/.test(normalized.slice(0, span.start));
  const isStreet = last !== undefined && streetWord.test(normalized.slice(last.start, last.end));
  return isAlone && !isStreet && last !== words[index] ? span : undefined;
}
