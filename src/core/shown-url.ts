/** A URL, valid or not, as messages show it: without user, password, query and fragment. */

export function shownUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.host) return `${url.protocol}//${url.host}${url.pathname}`;
  const isPath = /^\/(?!\/)/.test(text);
  // A password may have any characters, also those that end it for a parser.
  const place = isPath ? text : text.replace(/^([a-z][a-z\d+.-]*:[\\/]+|[\\/]*).*@/is, "$1");
  return place.replace(/[?#].*$/s, "");
}
