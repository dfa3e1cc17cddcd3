/** Owns the tests of reading a whole list: every order once, even while the list changes. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ServiceFailure } from "../../src/api/failure.ts";
import { type AllOrdersOptions, allOrders } from "../../src/api/pages.ts";
import type { CourierService } from "../../src/api/service.ts";
import type { OrderSummary, Pagination } from "../../src/model/interface.ts";
import { jsonNumber } from "../../src/model/json.ts";

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

  test("a service that does not count the orders is believed", async () => {
    const { service, list } = createFake(25, undefined, ({ pages }) => ({
      total_pages: jsonNumber(String(pages)),
    }));
    expect(await read(service, { pageSize: 10 })).toEqual({ ids: list.ids, failure: undefined });
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
    expect((await read(service, { pageSize: 10 })).ids).toEqual(list.ids);
    expect(list.pages).toHaveLength(3);
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
    expect(failure).toMatchObject({ code: "list_incomplete", kind: "failing", exit: 5 });
    expect((failure as ServiceFailure).hint).toContain("--from");
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
    expect(failure).toMatchObject({ kind: "garbled", code: "wrong_shape", exit: 70 });
    expect(String(failure)).toContain("goes on without further orders");
    expect(list.pages.length).toBeLessThan(120);
  }
});
