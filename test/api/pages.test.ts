/** A whole list of orders: every order once, even while the list changes, or an error after the last one. */

import { describe, expect, test } from "vitest";
import { ServiceFailure } from "../../src/api/failure.ts";
import { type AllOrdersOptions, allOrders, restOfOrders } from "../../src/api/pages.ts";
import type { CourierService } from "../../src/api/service.ts";
import type { OrderSummary, Pagination } from "../../src/model/interface.ts";
import { jsonNumber } from "../../src/model/json.ts";
import { fc } from "../support/effort.ts";

/** A list of order ids, newest first, and what happens to it before each request. */
interface FakeList {
  ids: number[];
  readonly pages: number[];
}

/** A service with nothing but the list; `change` is called before each page is read. */
function createFake(
  count: number,
  change: (list: FakeList, request: number) => void = () => {},
  describePage: (facts: { total: number; pages: number }) => object = ({ total, pages }) => ({
    total_items: jsonNumber(String(total)),
    total_pages: jsonNumber(String(pages)),
  }),
): { service: CourierService; list: FakeList } {
  const list: FakeList = { ids: Array.from({ length: count }, (_, index) => count - index), pages: [] };
  const service = {
    async listOrders(_filter: object, page = 1, limit = 10) {
      list.pages.push(page);
      if (list.pages.length > 200) throw new Error("asks without end");
      change(list, list.pages.length);
      const ids = list.ids.slice((page - 1) * limit, page * limit);
      const facts = { total: list.ids.length, pages: Math.ceil(list.ids.length / limit) };
      return {
        orders: ids.map((id): OrderSummary => ({ id: jsonNumber(String(id)) })),
        pagination: describePage(facts) as Pagination,
      };
    },
  };
  return { service: service as Partial<CourierService> as CourierService, list };
}

async function read(
  service: CourierService,
  options: Partial<AllOrdersOptions> = {},
): Promise<{ ids: number[]; failure: unknown }> {
  const ids: number[] = [];
  try {
    for await (const { id } of allOrders(service, {}, { concurrency: 1, ...options }))
      ids.push(Number(id.value));
  } catch (failure) {
    return { ids, failure };
  }
  return { ids, failure: undefined };
}

describe("a list that holds still", () => {
  test.each([
    [0, 10, 1],
    [1, 10, 1],
    [10, 10, 1],
    [11, 10, 2],
    [250, 100, 3],
    [7, 1, 7],
  ])("%i orders at %i a page take %i requests", async (count, pageSize, requests) => {
    for (const concurrency of [1, 4]) {
      const { service, list } = createFake(count);
      const { ids, failure } = await read(service, { pageSize, concurrency });
      expect(failure).toBeUndefined();
      expect(ids).toEqual(list.ids);
      expect(list.pages).toEqual(Array.from({ length: requests }, (_, index) => index + 1));
    }
  });

  test("a hundred orders a page, unless told otherwise", async () => {
    const { service, list } = createFake(300);
    await read(service);
    expect(list.pages).toHaveLength(3);
  });

  test("an empty page is not the end", async () => {
    const { service, list } = createFake(30);
    const hollow: CourierService = {
      ...service,
      async listOrders(filter, page, limit) {
        const whole = await service.listOrders(filter, page, limit);
        return page === 2 && list.pages.length < 4 ? { ...whole, orders: [] } : whole;
      },
    };
    const { ids, failure } = await read(hollow, { pageSize: 10 });
    expect(failure).toBeUndefined();
    expect([...ids].sort((a, b) => b - a)).toEqual(list.ids);
  });

  test("orders that are there although the count denies it are all read, once", async () => {
    const { service, list } = createFake(25, undefined, ({ pages }) => ({
      total_items: jsonNumber("3"),
      total_pages: jsonNumber(String(pages)),
    }));
    const { ids, failure } = await read(service, { pageSize: 10 });
    expect(ids).toEqual(list.ids);
    expect(failure).toMatchObject({
      code: "list_incomplete",
      exit: 5,
      message: "the list of orders is incomplete: 25 orders were seen, but the service counts 3",
    });
  });

  test("fewer orders than the count says: the list is not called whole", async () => {
    const { service } = createFake(5, undefined, () => ({
      total_items: jsonNumber("6"),
      total_pages: jsonNumber("1"),
    }));
    const { ids, failure } = await read(service);
    expect(ids).toHaveLength(5);
    expect(failure).toMatchObject({ code: "list_incomplete", exit: 5 });
  });

  test("a number of pages that nobody could hold takes no memory", async () => {
    const { service } = createFake(5, undefined, () => ({ total_pages: jsonNumber("999999999999") }));
    const stream = allOrders(service, {}, { concurrency: 2 });
    for (let order = 0; order < 5; order++) expect((await stream.next()).done).toBe(false);
    await stream.return(undefined);
  });
});

/** What the pagination object says, field by field; `size` is what a page holds at most. */
type Paging = (facts: { total: number; pages: number; size: number }) => Record<string, number>;

interface StrictFake {
  readonly service: CourierService;
  /** `page/limit` of each request. */
  readonly asked: string[];
}

/**
 * A service that serves at most `cap` orders a page, whatever it is asked for. It counts its pages by what it
 * serves, or by what it was asked for, where the rest of each page is cut off.
 */
function createCapped(
  count: number,
  { cap, cutsOff = false, say }: { cap: number; cutsOff?: boolean; say: Paging },
): StrictFake {
  const asked: string[] = [];
  const ids = Array.from({ length: count }, (_, index) => count - index);
  const service: Partial<CourierService> = {
    async listOrders(_filter, page = 1, limit = 10) {
      asked.push(`${page}/${limit}`);
      if (asked.length > 200) throw new Error("asks without end");
      const size = Math.min(limit, cap);
      const step = cutsOff ? limit : size;
      const start = (page - 1) * step;
      const told = say({ total: count, pages: Math.ceil(count / step), size });
      return {
        orders: ids.slice(start, start + size).map((id): OrderSummary => ({ id: jsonNumber(String(id)) })),
        pagination: Object.fromEntries(
          Object.entries(told).map(([name, value]) => [name, jsonNumber(String(value))]),
        ) as Pagination,
      };
    },
  };
  return { service: service as CourierService, asked };
}

describe("a service that serves fewer orders a page than it is asked for", () => {
  const says: Readonly<Record<string, Paging>> = {
    everything: ({ total, pages, size }) => ({ total_items: total, total_pages: pages, per_page: size }),
    "no total_items": ({ pages, size }) => ({ total_pages: pages, per_page: size }),
    "no total_pages": ({ total, size }) => ({ total_items: total, per_page: size }),
    "no per_page": ({ total, pages }) => ({ total_items: total, total_pages: pages }),
    "total_items alone": ({ total }) => ({ total_items: total }),
    "total_pages alone": ({ pages }) => ({ total_pages: pages }),
    "per_page alone": ({ size }) => ({ per_page: size }),
    nothing: () => ({}),
  };

  test.each(Object.entries(says))("and says %s: every order, once", async (_what, say) => {
    for (const count of [0, 1, 49, 50, 51, 100, 230])
      for (const cap of [50, 100])
        for (const cutsOff of [false, true])
          for (const concurrency of [1, 4]) {
            const { service } = createCapped(count, { cap, cutsOff, say });
            const { ids, failure } = await read(service, { concurrency });
            expect({ failure, ids, cap, cutsOff }).toEqual({
              failure: undefined,
              ids: Array.from({ length: count }, (_, index) => count - index),
              cap,
              cutsOff,
            });
          }
  });

  test("a smaller per_page means more pages, of that size", async () => {
    const { service, asked } = createCapped(230, { cap: 50, say: says.everything as Paging });
    await read(service);
    expect(asked).toEqual(["1/100", "2/50", "3/50", "4/50", "5/50"]);
  });
});

describe("a list that does not say how many orders it has", () => {
  test.each([
    ["how many pages", ({ pages }) => ({ total_pages: pages }), 4],
    ["nothing", () => ({}), 4],
    ["fewer pages than there are", () => ({ total_pages: 1 }), 4],
    ["no page at all", () => ({ total_pages: 0 }), 4],
  ] satisfies [string, Paging, number][])(
    "but %s ends with a page that brings nothing new",
    async (_what, say, requests) => {
      const { service, asked } = createCapped(25, { cap: 100, say });
      const { ids, failure } = await read(service, { pageSize: 10 });
      expect(failure).toBeUndefined();
      expect(ids).toHaveLength(25);
      expect(asked).toHaveLength(requests);
    },
  );

  test("and none takes one request, unless a page is promised", async () => {
    for (const [pages, requests] of [
      [undefined, 1],
      [0, 1],
      [1, 2],
    ] as const) {
      const say = () => (pages === undefined ? {} : { total_pages: pages });
      const { service, asked } = createCapped(0, { cap: 100, say: say as Paging });
      expect(await read(service)).toEqual({ ids: [], failure: undefined });
      expect(asked).toHaveLength(requests);
    }
  });

  test("ends too where the last page comes again instead of an empty one", async () => {
    const { service, list } = createFake(25, undefined, () => ({}));
    const repeating: CourierService = {
      ...service,
      listOrders: (filter, page = 1, limit) => service.listOrders(filter, Math.min(page, 3), limit),
    };
    expect(await read(repeating, { pageSize: 10 })).toEqual({ ids: list.ids, failure: undefined });
    expect(list.pages).toHaveLength(4);
  });

  test("and refuses the page after the last is incomplete, with what was seen", async () => {
    const { service } = createFake(25, undefined, ({ pages }) => ({
      total_pages: jsonNumber(String(pages)),
    }));
    const strict: CourierService = {
      ...service,
      async listOrders(filter, page = 1, limit) {
        if (page > 3) throw new ServiceFailure("refused", "the service refused: no such page");
        return service.listOrders(filter, page, limit);
      },
    };
    const { ids, failure } = await read(strict, { pageSize: 10 });
    expect(ids).toHaveLength(25);
    expect(failure).toMatchObject({
      code: "list_incomplete",
      exit: 5,
      message:
        "the list of orders is incomplete: 25 orders were seen, and the service does not say of how many; the service refused: no such page",
      hint: "run the same command again",
    });
  });

  test("asks for nothing after the page that is read", async () => {
    const { service, asked } = createCapped(250, { cap: 100, say: () => ({}) });
    const stream = allOrders(service, {}, { concurrency: 8 });
    await stream.next();
    await stream.return(undefined);
    expect(asked).toHaveLength(1);
  });
});

test("how many calls the others need is told as far as the service says", async () => {
  const told: unknown[] = [];
  const cases: [Paging, number, number | undefined][] = [
    [({ total, pages }) => ({ total_items: total, total_pages: pages }), 4, 230],
    [({ total }) => ({ total_items: total }), 4, 230],
    [({ pages }) => ({ total_pages: pages }), 5, undefined],
    [() => ({}), 0, undefined],
  ];
  for (const [say] of cases) {
    const { service } = createCapped(230, { cap: 50, say });
    await read(service, { beforeOthers: async (calls, orders) => void told.push([calls, orders]) });
  }
  expect(told).toEqual(cases.map(([, calls, orders]) => [calls, orders]));
});

test("a failed page fails the list, after the orders before it", async () => {
  const { service } = createFake(30, (_list, request) => {
    if (request === 2) throw new ServiceFailure("refused", "no");
  });
  const { ids, failure } = await read(service, { pageSize: 10 });
  expect(ids).toHaveLength(10);
  expect(failure).toMatchObject({ kind: "refused" });
});

describe("a list that changes while it is read", () => {
  test("new orders push others to the next page: each comes once, and one reading will do", async () => {
    const { service, list } = createFake(30, ({ ids }, request) => {
      if (request <= 3) ids.unshift(1_000 + request);
    });
    const { ids, failure } = await read(service, { pageSize: 10 });
    expect(failure).toBeUndefined();
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).toEqual(expect.arrayContaining(Array.from({ length: 30 }, (_, index) => index + 1)));
    expect(list.pages.length).toBeLessThanOrEqual(4);
  });

  test("an order that leaves pulls another to a page already read: it is found by reading again", async () => {
    const { service, list } = createFake(30, (own, request) => {
      if (request === 2) own.ids = own.ids.filter((id) => id !== 25);
    });
    const { ids, failure } = await read(service, { pageSize: 10 });
    expect(failure).toBeUndefined();
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).toEqual(expect.arrayContaining(list.ids));
    expect(list.pages).toEqual([1, 2, 3, 1, 2, 3]);
  });

  test("one that never holds still fails in the end, with what to do", async () => {
    const { service } = createFake(60, ({ ids }) => void ids.shift());
    const { failure } = await read(service, { pageSize: 10 });
    expect(failure).toMatchObject({ code: "list_incomplete", kind: "server_error", exit: 5 });
    expect((failure as ServiceFailure).hint).toBe("run the same command again");
  });

  test("no order twice; if it ends without an error, all that were there throughout were read", async () => {
    const change = fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 2, arbitrary: fc.constant("arrives" as const) },
      { weight: 3, arbitrary: fc.nat() },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 24 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(change, { maxLength: 40 }),
        async (count, pageSize, changes) => {
          const { service, list } = createFake(count, (own, request) => {
            const next = changes[request - 1];
            if (next === "arrives") own.ids.unshift(1_000 + request);
            else if (next !== undefined) own.ids.splice(next % Math.max(1, own.ids.length), 1);
          });
          const before = list.ids.slice();
          const { ids, failure } = await read(service, { pageSize });
          expect(ids).toEqual([...new Set(ids)]);
          if (failure !== undefined) {
            expect(failure).toMatchObject({ code: "list_incomplete" });
            return;
          }
          const throughout = list.ids.filter((id) => before.includes(id));
          expect(ids).toEqual(expect.arrayContaining(throughout));
        },
      ),
      { numRuns: 800 },
    );
  });

  test("with several pages at once, answered in any order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 2, max: 4 }),
        fc.array(fc.nat(), { maxLength: 2 }),
        async (scheduler, count, pageSize, leaving) => {
          const { service, list } = createFake(count);
          const slow: CourierService = {
            ...service,
            listOrders: async (...call) => {
              await scheduler.schedule(Promise.resolve());
              return service.listOrders(...call);
            },
          };
          const before = list.ids.slice();
          for (const place of leaving) {
            void scheduler.schedule(Promise.resolve()).then(() => {
              list.ids.splice(place % Math.max(1, list.ids.length), 1);
            });
          }
          const reading = read(slow, { pageSize, concurrency: 3 });
          const { ids, failure } = await scheduler.waitFor(reading);
          expect(ids).toEqual([...new Set(ids)]);
          if (failure === undefined)
            expect(ids).toEqual(expect.arrayContaining(list.ids.filter((id) => before.includes(id))));
        },
      ),
      { numRuns: 200 },
    );
  });
});

test("a list that calls itself endless, and repeats itself, is left", async () => {
  for (const pages of ["1000000000000", `1${"0".repeat(400)}`]) {
    const { service, list } = createFake(
      5,
      ({ pages: asked }) => {
        if (asked.length > 150) throw new Error("asks without end");
      },
      () => ({ total_items: jsonNumber("5"), total_pages: jsonNumber(pages) }),
    );
    const { ids, failure } = await read(service, { concurrency: 8 });
    expect(ids).toEqual([5, 4, 3, 2, 1]);
    expect(failure).toMatchObject({ kind: "invalid_response", code: "wrong_shape", exit: 70 });
    expect(String(failure)).toContain("gave up: the service returned 100 pages in a row without new orders");
    expect(list.pages.length).toBeLessThan(120);
  }
});

test("a list that grows as fast as it is read is left, and a list that grows less is not", async () => {
  /** Each page has 5000 further orders; after `pages` pages it ends. */
  const growing = (pages: number) => {
    let page = 0;
    const service = {
      async listOrders() {
        page += 1;
        if (page > 50) throw new Error("asks without end");
        const orders = Array.from({ length: 5_000 }, (_, index) => ({
          id: jsonNumber(`${page * 5_000 + index}`),
        }));
        const last = Math.min(pages, page + 1);
        const count = (number: number) => jsonNumber(String(number));
        return {
          orders,
          pagination: { total_items: count(last * 5_000), total_pages: count(last) } as Pagination,
        };
      },
    };
    return service as Partial<CourierService> as CourierService;
  };
  const { failure } = await read(growing(Number.POSITIVE_INFINITY));
  expect(failure).toMatchObject({ kind: "invalid_response", code: "wrong_shape", exit: 70 });
  expect(String(failure)).toContain("gave up after 125000 orders: the service counted 10000 at first");
  const rest = async () => {
    for await (const _order of restOfOrders(growing(Number.POSITIVE_INFINITY), new Set(), {
      concurrency: 1,
      hasShrunk: false,
    }));
  };
  await expect(rest()).rejects.toThrow("orders: the service counted 10000 at first");
  expect(await read(growing(20))).toMatchObject({ failure: undefined, ids: { length: 100_000 } });
});

test("the rest of a list that tells a million pages, and has no further orders, is left", async () => {
  let asked = 0;
  const service = {
    async listOrders() {
      asked += 1;
      return { orders: [], pagination: { total_items: jsonNumber("5"), total_pages: jsonNumber("1000000") } };
    },
  };
  const rest = async () => {
    const list = service as Partial<CourierService> as CourierService;
    for await (const _order of restOfOrders(list, new Set(["1"]), { concurrency: 1, hasShrunk: false }));
  };
  await expect(rest()).rejects.toThrow("gave up: the service returned 100 pages in a row without new orders");
  expect(asked).toBeLessThan(200);
});

test("the rest of a list that becomes shorter while it is read is no rest: the whole list is read", async () => {
  const { service } = createFake(600, (list, request) => {
    // An order of the page before leaves, and another one moves to that page.
    if (request === 4) list.ids = list.ids.filter((id) => id !== 250);
  });
  const seen = new Set(Array.from({ length: 300 }, (_, index) => String(600 - index)));
  const options = { concurrency: 1, hasShrunk: false };
  const ids = new Set(seen);
  for await (const order of restOfOrders(service, seen, options)) ids.add(order.id.value);
  expect(ids.size).toBe(600);
});

/** Pages of a service that does not say how many there are. */
function withPages(size: number, total: number): CourierService {
  const service = {
    async listOrders(_filter: object, page = 1) {
      const first = (page - 1) * size;
      const count = Math.max(0, Math.min(size, total - first));
      const orders = Array.from({ length: count }, (_, index) => ({ id: jsonNumber(`${first + index}`) }));
      return { orders, pagination: {} as Pagination };
    },
  };
  return service as Partial<CourierService> as CourierService;
}

test("a bounded list of 100,000 orders is read, and one with ever one order more a page is left", async () => {
  const whole = await read(withPages(100, 100_000), { isBounded: true });
  expect(whole).toMatchObject({ failure: undefined, ids: { length: 100_000 } });
  expect(await read(withPages(10, 100_000), { isBounded: true })).toMatchObject({ failure: undefined });
  const { failure, ids } = await read(withPages(1, Number.POSITIVE_INFINITY), { isBounded: true });
  expect(failure).toMatchObject({ code: "list_incomplete", exit: 5 });
  expect(ids.length).toBeLessThan(13_000);
});

test("a list without totals is read up to a million orders, and left where it goes on", async () => {
  expect(await read(withPages(5_000, 1_000_000))).toMatchObject({ failure: undefined });
  for (const size of [5_000, 1]) {
    const { failure, ids } = await read(withPages(size, Number.POSITIVE_INFINITY));
    expect(failure).toMatchObject({ kind: "invalid_response", code: "wrong_shape", exit: 70 });
    expect(String(failure)).toContain("orders: the service does not say how many there are");
    expect(ids.length).toBeLessThan(size === 1 ? 100_010 : 1_010_000);
  }
});

test("a list that is bounded only where it is uncounted is read to its end where the service counts it", async () => {
  const { failure } = await read(withPages(5_000, Number.POSITIVE_INFINITY), { isBounded: "uncounted" });
  expect(failure).toMatchObject({ code: "list_incomplete", exit: 5 });
  const count = 310_000;
  const counted = {
    listOrders: async (_filter: object, page = 1) => ({
      orders: (await withPages(5_000, count).listOrders({}, page)).orders,
      pagination: { total_items: jsonNumber(`${count}`) } as Pagination,
    }),
  } as Partial<CourierService> as CourierService;
  expect(await read(counted, { isBounded: "uncounted" })).toMatchObject({ ids: { length: count } });
});

test("after each page its reader may stop", async () => {
  const { service, list } = createFake(1_000);
  const afterPage = (pages: number) => {
    if (pages === 3) throw new Error("enough");
  };
  expect(String((await read(service, { afterPage })).failure)).toContain("enough");
  expect(list.pages).toEqual([1, 2, 3]);
});
