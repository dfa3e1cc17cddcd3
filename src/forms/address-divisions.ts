/** The names of China's administrative divisions (@vant/area-data), as they are written in addresses. */

import { areaList } from "@vant/area-data";

/** 0: province, 1: city, 2: district; the fields of a party for a division's name. */
export type Level = 0 | 1 | 2;

export interface Division {
  readonly level: Level;
  readonly code: string;
  /** What the codes of the divisions inside it begin with. */
  readonly prefix: string;
  /** Written with what it is (深圳市), not for short (深圳). */
  readonly isFull: boolean;
  /** A city of whatever level: the ones that are named for short in the middle of an address. */
  readonly isCity: boolean;
}

/** By name, simplified. Several divisions share a name. */
export type Divisions = ReadonlyMap<string, readonly Division[]>;

/** Placeholders in the data that are no names. */
const placeholder = /^(?:省直辖县|自治区直辖县级行政区划|县|市辖区|其它区)$/;
/** What a name ends in that says what it is. */
const kinds = "省市区县旗州盟镇岛";
const peoples =
  /(?<!内)(?:蒙古族?|回族|藏族|维吾尔族?|苗族|彝族|壮族|布依族|朝鲜族|满族|侗族|瑶族|白族|土家族|哈尼族|哈萨克族?|傣族|黎族|傈僳族|佤族|畲族|拉祜族|水族|东乡族|纳西族|景颇族|柯尔克孜族?|土族|达斡尔族|仫佬族|羌族|布朗族|撒拉族|毛南族|仡佬族|锡伯族?|塔吉克族?|怒族|鄂温克族|保安族|裕固族|独龙族|各族)+(?=自治)/;

export function readDivisions(): Divisions {
  const divisions = new Map<string, Division[]>();
  const rows = [
    ...Object.entries(areaList.province_list),
    ...Object.entries(areaList.city_list),
    ...Object.entries(areaList.county_list),
  ];
  for (const [code, name] of rows) {
    if (placeholder.test(name)) continue;
    const level = levelOf(code, name);
    const prefix = code.replace(/(?:00){1,2}$/, "");
    const isCity = level < 2 || name.endsWith("市");
    for (const [written, isFull] of writeNames(name)) {
      const division: Division = { level, code, prefix, isFull, isCity };
      const known = divisions.get(written);
      if (known) known.push(division);
      else divisions.set(written, [division]);
    }
  }
  return divisions;
}

/** A county-level city directly under its province (仙桃市) is written where a city is: it has none above it. */
function levelOf(code: string, name: string): Level {
  if (code.endsWith("0000")) return 0;
  if (code.endsWith("00")) return 1;
  return code.slice(2, 4) === "90" && name.endsWith("市") ? 1 : 2;
}

/** Every way in which a name is written, with whether it says what it is. */
function writeNames(name: string): Map<string, boolean> {
  const names = new Map([[name, kinds.includes(name.slice(-1)) || name.endsWith("街道")]]);
  const add = (written: string, isFull: boolean) => {
    if (written.length >= 2 && !names.has(written)) names.set(written, isFull);
  };
  if (name.includes("自治")) {
    const [, short = "", kind = ""] = /^(.{2,})自治(.)$/.exec(name.replace(peoples, "")) ?? [];
    if (short === "") return names;
    add(`${short}自治${kind}`, true);
    add(kind === "区" ? `${short}省` : `${short}${kind}`, true);
    add(short, false);
    if (short === "内蒙古") add("内蒙", false);
  } else if (name.endsWith("特别行政区")) {
    add(name.replace("特别行政区", "特区"), true);
    add(name.replace("特别行政区", ""), false);
  } else if (name.endsWith("地区") || name.endsWith("新区")) {
    add(name.slice(0, -2), false);
  } else if ("省市区县旗盟".includes(name.slice(-1))) {
    add(name.slice(0, -1), false);
  }
  return names;
}
