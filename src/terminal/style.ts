/** Styles of text, and the paint function for output without colour. */

import type { Style } from "./blocks.ts";

/** Styles an already sanitised text. */
export type Paint = (style: Style, text: string) => string;

export const plainPaint: Paint = (_style, text) => text;
