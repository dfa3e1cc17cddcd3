/** The vocabulary of colour: what a painter is, and the one that paints nothing. */

import type { Style } from "./blocks.ts";

/** Styles an already sanitised text. */
export type Paint = (style: Style, text: string) => string;

export const plainPaint: Paint = (_style, text) => text;
