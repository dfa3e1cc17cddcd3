/** Receivers that a platform hides: stars for characters, or ciphertext. */

import { isHiddenPhone } from "../model/text-problem.ts";

const stars = /[*＊]{2,}/;
const ciphertext = /^(?:##|\$\$)[^#$]/;
/** 张* and *三. */
const hiddenName = /^\p{Script=Han}[*＊]|[*＊]\p{Script=Han}$/u;

export const hiddenMessage = "cannot be shipped: the platform hid it";

export function isHidden(path: string, text: string): boolean {
  if (stars.test(text) || ciphertext.test(text)) return true;
  if (path.endsWith(".phone")) return isHiddenPhone(text);
  return path.endsWith(".name") && hiddenName.test(text);
}
