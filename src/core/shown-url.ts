/** URLs, valid or not, as messages show them: without user, password, query and fragment. */

/** As it was written, where there is nothing to hide. */
export function shownAsWritten(text: string): string {
  return /[@?#]/.test(text) ? shownUrl(text) : text;
}

export function shownUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.host) return `${url.protocol}//${url.host}${url.pathname}`;
  const isPath = /^\/(?!\/)/.test(text);
  // A password may have any characters, also those that end it for a parser.
  const place = isPath ? text : text.replace(/^([a-z][a-z\d+.-]*:[\\/]+|[\\/]*).*@/is, "$1");
  return place.replace(/[?#].*$/s, "");
}
