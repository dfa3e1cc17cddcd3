/** Reading a list page by page in raw calls (specification, 2.6 and 4.3). */

import { usageError } from "../core/errors.ts";
import { paginationSchema } from "../model/interface.ts";
import { isJsonObject, type Json, parseJson, stringifyJson } from "../model/json.ts";
import { check } from "../model/schema.ts";
import type { Client, RawCall } from "./client.ts";
import { ServiceFailure } from "./failure.ts";
import { mostIdlePages } from "./pages.ts";
import { toCount } from "./service.ts";

/** 4.3 and 8: the most that a page may hold, which takes the fewest calls. */
const pageSize = "100";

/**
 * Yields the body of each page, from the one that the call asks for to the last. `beforeOthers` gets the
 * number of calls that will follow the first; it may reject to stop. Throws ServiceFailure when a page is refused or
 * does not say how many there are, and when page after page brings nothing new.
 */
export async function* rawPages(
  client: Client,
  call: RawCall,
  beforeOthers: (calls: number) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const first = parameter(call, "page") ?? "1";
  if (!/^\d{1,9}$/.test(first)) throw usageError(`--paginate begins at a page number, not at “${first}”`);
  const sized = parameter(call, "limit") === undefined ? withParameter(call, "limit", pageSize) : call;
  let last = Number(first);
  let idlePages = 0;
  let before: string | undefined;
  for (let page = last; page <= last; page++) {
    const { answer, failure, url } = await client.exchange(
      page === Number(first) ? sized : withParameter(sized, "page", String(page)),
    );
    if (failure) throw failure;
    const read = readPage(answer.body);
    if (read === undefined) throw notPaged(url, answer.status);
    if (page === Number(first)) await beforeOthers(Math.max(0, read.pages - page));
    last = read.pages;
    yield answer.bytes;
    idlePages = read.data === "[]" || read.data === before ? idlePages + 1 : 0;
    before = read.data;
    if (idlePages > mostIdlePages) throw endless(url);
  }
}

/** The elements of `data` in the body of a page. Throws ServiceFailure when it holds no list. */
export function itemsOfPage(body: Uint8Array): readonly Json[] {
  const page = parseJson(new TextDecoder().decode(body));
  if (isJsonObject(page) && Array.isArray(page.data)) return page.data;
  throw new ServiceFailure("invalid_response", "a page of the list holds no array `data`", {
    code: "wrong_shape",
  });
}

/** How many pages there are, and what this one holds, as text. */
function readPage(body: string): { pages: number; data: string } | undefined {
  try {
    const page = parseJson(body);
    if (!isJsonObject(page)) return undefined;
    const checked = check(paginationSchema, page.pagination);
    const pages = "value" in checked ? toCount(checked.value.total_pages) : undefined;
    return pages === undefined ? undefined : { pages, data: stringifyJson(page.data ?? []) };
  } catch {
    return undefined; // not JSON
  }
}

function endless(url: URL): ServiceFailure {
  const message = `gave up on ${url.pathname}: the service returned ${mostIdlePages} pages in a row without new items`;
  return new ServiceFailure("invalid_response", message, { code: "wrong_shape" });
}

function notPaged(url: URL, status: number): ServiceFailure {
  return new ServiceFailure(
    "invalid_response",
    `the answer of ${url.pathname} has no usable \`pagination\``,
    {
      code: "wrong_shape",
      status,
      hint: "--paginate is for lists such as orders; leave it out to see the answer",
    },
  );
}

function parameter({ path, query }: RawCall, name: string): string | undefined {
  return [...parametersOf(path), ...query].findLast(([each]) => each === name)?.[1];
}

/** The same call with one value for a parameter, wherever it stood before. */
function withParameter(call: RawCall, name: string, value: string): RawCall {
  const [place = ""] = call.path.split("?");
  const others = [...parametersOf(call.path), ...call.query].filter(([each]) => each !== name);
  return { ...call, path: place, query: [...others, [name, value]] };
}

function parametersOf(path: string): [string, string][] {
  return [...new URLSearchParams(path.slice(`${path}?`.indexOf("?") + 1))];
}
