/** `courier find`: orders by any part of a name, phone, address, number, item or ref, from the mirror. */

import {
  asksForKey,
  describeNotShown,
  describeUnsynced,
  openAccountMirror,
} from "../command/account-mirror.ts";
import { type Context, defineCommand, rows } from "../command/command.ts";
import { countOption, switchOption, textOption } from "../command/options.ts";
import { checkFilter, createOwnFilter, filterOptions, type OrderQuery } from "../command/order-filter.ts";
import { usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { formatRelative } from "../core/time.ts";
import { byCount, counted } from "../core/wording.ts";
import type { MirrorFacts, OrderSearch } from "../mirror/mirror.ts";
import type { MirroredOrder } from "../mirror/mirrored-order.ts";
import type { FoundOrder } from "../model/results.ts";
import { type Column, instant, show, state, styled } from "../terminal/blocks.ts";

const defaultLimit = 20;

export const findOrders = defineCommand({
  description:
    "Each word must occur somewhere in the order: any part of a name, phone, address, tracking number, order\n" +
    "number, item or ref; one Chinese character is enough. The search makes no call: it reads the mirror, which\n" +
    "courier sync brings up to date.\n" +
    "Without TEXT, a terminal shows a screen: type to filter, go up and down with the arrows, and open an order\n" +
    "with Enter. There t tracks it, c cancels it, r repeats it and y copies its tracking number, each as the\n" +
    "command does that the screen shows. Esc goes back, Ctrl-C quits. --limit and --all print a table.",
  arguments: {
    words: {
      summary: "parts of the order's texts",
      parse: (text: string) => text,
      isList: true as const,
      isOptional: true,
      usage: "[TEXT...]",
    },
  },
  options: {
    ...filterOptions,
    service: textOption("TYPE", "only orders of this service type"),
    limit: countOption("N", `at most N orders (default ${defaultLimit})`, { min: 1 }, { short: "L" }),
    all: switchOption("every order that matches", { short: "a" }),
  },
  examples: [
    { line: "find", note: "a screen to search in" },
    { line: "find 李 4466", note: "the parcel to a 李 with a phone that has 4466" },
    { line: "find mug --status delivered --json", note: "for a script" },
  ],
  exits: [5],
  seeAlso: ["sync", "orders show"],
  async run({ words, service, limit, all, ...options }, context) {
    if (all && limit !== undefined) throw usageError("--all and --limit exclude each other");
    const query = checkFilter(options, context.clock);
    const own = createOwnFilter(query, context.clock);
    const mirror = await openAccountMirror(context);
    const search: OrderSearch = {
      text: words.join(" "),
      statuses: query.statuses.length === 0 ? undefined : query.statuses,
      serviceType: service,
      isInTime: own.hasDay,
    };
    const { createNameCheck } = await import("../sending/sent-names.ts");
    const names = createNameCheck(mirror, context);
    if (words.length === 0 && !all && limit === undefined && context.hasScreen) {
      const { openSearchScreen } = await import("./screen.ts");
      const { text: _text, ...narrowed } = search;
      const filter = typeFilter(query, service);
      const setup = {
        mirror,
        search: narrowed,
        filter,
        columns: foundColumns,
        toRow: toFoundOrder,
        describeNames: names.describe,
        asksForKey: await asksForKey(context),
      };
      return openSearchScreen(setup, context);
    }
    const most = all ? Number.POSITIVE_INFINITY : (limit ?? defaultLimit);
    const found = takeFirst(most, names.check(mirror.search(search)));
    return {
      ...rows(own.counted(found.orders), foundColumns, "No orders found"),
      after: async () => {
        own.warn(context.messages);
        await names.warn(context.messages);
        if (own.note !== undefined) context.messages.note(own.note);
        const shown = found.left();
        if (shown !== undefined)
          context.messages.note(`${counted(shown, "order")} shown, more exist; --all shows every one`);
        context.messages.note(describeAge(await mirror.facts(), context));
      },
    };
  },
});

/** The filters, as they may be typed. */
function typeFilter({ statuses, days }: OrderQuery, service: string | undefined): string {
  const flags = [
    statuses.length > 0 ? `--status ${shellQuote(statuses.join(","))}` : "",
    days?.from === undefined ? "" : `--from ${days.from}`,
    days?.to === undefined ? "" : `--to ${days.to}`,
    days?.zone === "utc" ? "--utc" : "",
    service === undefined ? "" : `--service ${shellQuote(service)}`,
  ];
  return flags.filter((flag) => flag !== "").join(" ");
}

/** `left()` is how many orders were taken, where there are more. */
function takeFirst(limit: number, found: AsyncGenerator<MirroredOrder, void>) {
  let count = 0;
  let hasMore = false;
  async function* take(): AsyncGenerator<FoundOrder, void> {
    for await (const order of found) {
      hasMore = count === limit;
      if (hasMore) return;
      count += 1;
      yield toFoundOrder(order);
    }
  }
  return { orders: take(), left: () => (hasMore ? count : undefined) };
}

function toFoundOrder({ fields, ref, seenAtMs, notShownSinceMs }: MirroredOrder): FoundOrder {
  const { id, order_no, tracking_number, status, ...others } = fields;
  const seen_at = new Date(seenAtMs).toISOString();
  const marks =
    notShownSinceMs === undefined ? {} : { not_shown_since: new Date(notShownSinceMs).toISOString() };
  return {
    id,
    order_no,
    tracking_number,
    status,
    ...others,
    ref: ref ?? null,
    seen_at,
    ...marks,
  } as FoundOrder;
}

/** What the search did not see: an old mirror, and phones that no answer had. */
function describeAge({ orders, notShown, withoutPhone, syncedAtMs }: MirrorFacts, context: Context): string {
  if (syncedAtMs === undefined) return describeUnsynced(orders, context);
  const phones =
    withoutPhone === 0
      ? ""
      : `; ${counted(withoutPhone, "order")} ${byCount(withoutPhone, "has", "have")} no phone (${context.nextCommand(`sync --fetch-details ${withoutPhone}`)})`;
  const age = formatRelative(syncedAtMs, context.clock.now());
  return `searched ${counted(orders, "order")}${describeNotShown(notShown)}, synced ${age}${phones}`;
}

export const foundColumns: readonly Column<FoundOrder>[] = [
  { path: "id", title: "ID", cell: ({ id }) => styled("strong", id) },
  { path: "order_no", title: "ORDER NO", cell: ({ order_no }) => show(order_no), spare: 1 },
  { path: "tracking_number", title: "TRACKING", cell: ({ tracking_number }) => show(tracking_number) },
  {
    path: "status",
    title: "STATE",
    cell: ({ status, not_shown_since: since }) =>
      since === undefined ? state(status) : [state(status), `, not shown since ${since.slice(0, 10)}`],
  },
  { path: "receiver.name", title: "TO", cell: ({ receiver }) => show(receiver?.name), flexible: true },
  { path: "receiver.phone", title: "PHONE", cell: ({ receiver }) => show(receiver?.phone), spare: 6 },
  {
    path: "receiver.address",
    title: "ADDRESS",
    cell: ({ receiver }) => show(receiver?.address ?? receiver?.detail ?? receiver?.city),
    flexible: true,
    spare: 3,
  },
  {
    path: "item.name",
    title: "ITEM",
    cell: ({ item, item_name }) => show(item?.name ?? item_name),
    flexible: true,
    spare: 5,
  },
  { path: "ref", title: "REF", cell: ({ ref }) => show(ref), spare: 4 },
  { path: "created_at", title: "CREATED", cell: ({ created_at }) => instant(created_at), spare: 2 },
];
