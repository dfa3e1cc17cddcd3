/** One pass over a paged list: what its pages said, whether more may follow, and whether it is complete (2.6). */

import { byCount, counted } from "../core/wording.ts";
import { ServiceFailure } from "./failure.ts";

/** A list that shifts has fewer pages in a row without a new item; after so many, it has no end. */
const mostIdlePages = 100;

/** While a list is read, no account gains as many items as it had, and these. */
const mostGrowth = 100_000;

/** A list whose length the service does not tell: a million items are read even where it gives 10 a page. */
const mostUncounted = 1_000_000;
const mostUncountedPages = 100_000;

/** A bounded list: 100,000 orders are read even where the service gives 10 a page, its default (4.3). */
const mostPages = 12_000;
/** Limits the memory that a bounded list takes. */
const mostOrders = 300_000;

const again = "run the same command again";

/** The words of messages about a list. */
interface ListWords {
  /** "order" */
  readonly noun: string;
  /** The command's flags that make the list shorter, where it has any. */
  readonly narrowBy?: string | undefined;
}

export interface Sweep extends ListWords {
  readonly ids: Set<number | string>;
  /** The first `total_items`; undefined where no page had one. */
  wanted: number | undefined;
  /** The highest `total_items`. */
  highest: number;
  hasShrunk: boolean;
  /** The highest `total_pages`; 0 where no page had one. */
  pages: number;
  /** Pages that were read. */
  read: number;
  /** Pages in a row that brought no new item. */
  idlePages: number;
}

export function beginSweep(ids: Set<number | string>, words: ListWords): Sweep {
  return { ...words, ids, wanted: undefined, highest: 0, hasShrunk: false, pages: 0, read: 0, idlePages: 0 };
}

/** Notes what a page says of the whole list. */
export function noteTotals(sweep: Sweep, pages: number | undefined, total: number | undefined): void {
  sweep.pages = Math.max(sweep.pages, pages ?? 0);
  if (total === undefined) return;
  sweep.wanted ??= total;
  sweep.hasShrunk ||= total < sweep.highest;
  sweep.highest = Math.max(sweep.highest, total);
}

/** Notes that the items of a page are in `ids`, which had `known` before. Throws ServiceFailure for a list without end. */
export function endPage(sweep: Sweep, known: number): void {
  sweep.read += 1;
  ensureEnds(sweep.ids.size, sweep.wanted, sweep.noun, sweep.read);
  sweep.idlePages = sweep.ids.size > known ? 0 : sweep.idlePages + 1;
  ensureBusy(sweep.idlePages, sweep.noun);
}

/** Throws ServiceFailure after too many pages in a row without a new item. */
export function ensureBusy(idlePages: number, noun: string): void {
  if (idlePages <= mostIdlePages) return;
  const message = `gave up: the service returned ${mostIdlePages} pages in a row without new ${noun}s`;
  throw new ServiceFailure("invalid_response", message, { code: "wrong_shape" });
}

/** Throws ServiceFailure for a list that goes on far beyond the number that its first page told, or without any. */
export function ensureEnds(seen: number, told: number | undefined, noun: string, pages = 0): void {
  const goesOn =
    told === undefined ? seen > mostUncounted || pages > mostUncountedPages : seen > 2 * told + mostGrowth;
  if (!goesOn) return;
  const counts = told === undefined ? "does not say how many there are" : `counted ${told} at first`;
  throw new ServiceFailure(
    "invalid_response",
    `gave up after ${counted(seen, noun)}: the service ${counts}`,
    { code: "wrong_shape" },
  );
}

/** Throws ServiceFailure for a bounded list that goes on after so many pages, or orders. */
export function ensureShort(pages: number, orders: number): void {
  if (pages <= mostPages && orders <= mostOrders) return;
  throw new ServiceFailure(
    "server_error",
    `the list of orders has no end so far: gave up after ${counted(pages, "page")} with ${counted(orders, "order")}`,
    { code: "list_incomplete" },
  );
}

/** Items that were created during the pass may be among those seen, or not. */
export function isComplete({ ids, wanted, highest, hasShrunk }: Sweep): boolean {
  return wanted === undefined || (!hasShrunk && ids.size >= wanted && ids.size <= highest);
}

/** Whether there may be items after so many pages. */
export function needsPageAfter(read: number, { ids, wanted, hasShrunk, pages, idlePages }: Sweep): boolean {
  if (read < pages) return true;
  const isIdle = idlePages > 0;
  if (wanted === undefined) return read === pages || !isIdle;
  return ids.size < wanted && !hasShrunk && !isIdle;
}

export function incomplete(
  { noun, narrowBy, ids, wanted, highest, hasShrunk }: Sweep,
  cause?: ServiceFailure,
): ServiceFailure {
  const seen = ids.size;
  const wereSeen = `${counted(seen, noun)} ${byCount(seen, "was", "were")} seen`;
  const progress =
    wanted === undefined
      ? `${wereSeen}, and the service does not say of how many`
      : seen > highest
        ? `${wereSeen}, but the service counts ${highest}`
        : `${seen} of ${counted(highest, noun)} ${byCount(highest, "was", "were")} seen`;
  const problem = hasShrunk ? "the list kept changing" : `the list of ${noun}s is incomplete`;
  return new ServiceFailure("server_error", `${problem}: ${progress}${cause ? `; ${cause.message}` : ""}`, {
    code: "list_incomplete",
    hint: narrowBy === undefined ? again : `${again}, or narrow it with ${narrowBy}`,
    cause,
  });
}

/** The failure of the page after `read`: a refused page does not prove that the page before it was the last. */
export function afterPage(read: number, sweep: Sweep, error: unknown): unknown {
  const isRefused = error instanceof ServiceFailure && error.kind === "refused";
  return isRefused && read >= sweep.pages ? incomplete(sweep, error) : error;
}
