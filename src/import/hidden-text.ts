/** Receivers that a platform hides: stars for characters, or ciphertext. */

import { isHiddenPhone } from "../model/text-problem.ts";

const stars = /[*＊]{2,}|[●×]{2,}/;
/** As Taobao, Douyin and Pinduoduo write it. */
const ciphertext = /^(?:##|\$\$)[^#$]|^~[^~]+~\d+~$|^\$[^$]+\$[^$]+\$\d*\$+$|^#[^#]+#\d+#+$/;
/** 张* and *三. */
const hiddenName = /^\p{Script=Han}[*＊●×]|[*＊●×]\p{Script=Han}$|^[*＊●×]$/u;
const word = /^(?:已加密|已脱敏|已隐藏|隐私保护)$/;

export const hiddenMessage = "cannot be shipped: the platform hid it";

export function isHidden(path: string, text: string): boolean {
  if (stars.test(text) || ciphertext.test(text) || word.test(text)) return true;
  if (path.endsWith(".phone")) return isHiddenPhone(text);
  return path.endsWith(".name") && hiddenName.test(text);
}
