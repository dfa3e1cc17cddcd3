/** Self-contained HTML pages: their head, and texts of others in them. */

import { createHash } from "node:crypto";
import { joinLines } from "../core/blanks.ts";
import { sanitise } from "./sanitise.ts";

/** The lines before a page's content. The page may load nothing, and use no other style than this one. */
export function htmlHead(title: string, style: string): readonly string[] {
  const digest = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`;
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width">',
    `<title>${toHtml(title)}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
  ];
}

/** On one line, and without characters that act on a reader or a terminal. */
export function toOneLine(text: string): string {
  return sanitise(joinLines(text.replaceAll("\t", "\n")).trim());
}

export function toHtml(text: string): string {
  return toOneLine(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
