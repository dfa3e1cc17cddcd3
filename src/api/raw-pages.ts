/** Reading a list page by page in raw calls (specification, 2.6 and 4.3). */

import { usageError } from "../core/errors.ts";
import { paginationSchema } from "../model/interface.ts";
import { isJsonObject, type Json, parseJson, stringifyJson } from "../model/json.ts";
import { check } from "../model/schema.ts";
import type { Client, RawCall } from "./client.ts";
import { ServiceFailure } from "./failure.ts";
import { toCount } from "./service.ts";
import {
  afterPage,
  beginSweep,
  endPage,
  incomplete,
  isComplete,
  needsPageAfter,
  noteTotals,
} from "./sweep.ts";
import type { Answer } from "./transport.ts";

/** 4.3 and 8: the most that a page may hold, which takes the fewest calls. */
const pageSize = "100";

/**
 * Yields the body of each page, from the one that the call asks for to the last. `beforeOthers` gets the
 * number of calls that will follow the first; it may reject to stop. Throws ServiceFailure when a page is refused or
 * does not say how many there are, and after the last page where the list is not complete.
 */
export async function* rawPages(
  client: Client,
  call: RawCall,
  beforeOthers: (calls: number) => Promise<void>,
): AsyncGenerator<Answer> {
  const first = parameter(call, "page") ?? "1";
  if (!/^\d{1,9}$/.test(first)) throw usageError(`--paginate begins at a page number, not at “${first}”`);
  const sized = parameter(call, "limit") === undefined ? withParameter(call, "limit", pageSize) : call;
  const sweep = beginSweep(new Set(), { noun: "item", narrowBy: "-q" });
  const from = Number(first);
  for (let page = from; page === from || needsPageAfter(page - 1, sweep); page++) {
    const { answer, failure, url } = await client.exchange(
      page === from ? sized : withParameter(sized, "page", String(page)),
    );
    if (failure) throw page === from ? failure : afterPage(page - 1, sweep, failure);
    const read = readPage(answer.body);
    if (read === undefined) throw notPaged(url, answer.status);
    if (page === from) await beforeOthers(Math.max(0, read.pages - page));
    const isBeyond = page > Math.max(sweep.pages, read.pages);
    noteTotals(sweep, read.pages, totalFrom(from, read));
    const known = sweep.ids.size;
    for (const key of read.keys) sweep.ids.add(key);
    if (!isBeyond || sweep.ids.size > known) yield answer;
    endPage(sweep, known);
  }
  if (!isComplete(sweep)) throw incomplete(sweep);
}

/** How many items there are from that page on; undefined where the service does not say it. */
function totalFrom(page: number, { items, perPage }: Page): number | undefined {
  if (items === undefined || page === 1) return items;
  return perPage === undefined ? undefined : Math.max(0, items - (page - 1) * perPage);
}

/** The elements of `data` in the body of a page. Throws ServiceFailure when it holds no list. */
export function itemsOfPage({ body }: Pick<Answer, "body">): readonly Json[] {
  const page = parseJson(body);
  if (isJsonObject(page) && Array.isArray(page.data)) return page.data;
  throw new ServiceFailure("invalid_response", "a page of the list holds no array `data`", {
    code: "wrong_shape",
  });
}

interface Page {
  readonly pages: number;
  readonly items: number | undefined;
  readonly perPage: number | undefined;
  /** The ids of its items; where an item has none, its text with the number of equal ones before it on the page. */
  readonly keys: readonly string[];
}

function readPage(body: string): Page | undefined {
  try {
    const page = parseJson(body);
    if (!isJsonObject(page)) return undefined;
    const checked = check(paginationSchema, page.pagination);
    if (!("value" in checked)) return undefined;
    const { total_pages, total_items, per_page } = checked.value;
    const pages = toCount(total_pages);
    if (pages === undefined) return undefined;
    const data = Array.isArray(page.data) ? page.data : [page.data ?? null];
    return { pages, items: toCount(total_items), perPage: toCount(per_page), keys: keysOf(data) };
  } catch {
    return undefined; // not JSON
  }
}

function keysOf(items: readonly Json[]): string[] {
  const counts = new Map<string, number>();
  return items.map((item) => {
    if (isJsonObject(item) && item.id !== undefined) return stringifyJson(item.id);
    const text = stringifyJson(item);
    const before = counts.get(text) ?? 0;
    counts.set(text, before + 1);
    return `${before} ${text}`;
  });
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
