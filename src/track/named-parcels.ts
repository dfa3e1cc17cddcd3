/** Tracking of parcels by any name of their orders: a tracking number takes one call, and nothing else is loaded. */

import { ServiceFailure } from "../api/failure.ts";
import type { CourierService } from "../api/service.ts";
import type { Context } from "../command/command.ts";
import { isOrderId, refOf } from "../command/options.ts";
import { lazy } from "../core/lazy.ts";
import type { Tracking } from "../model/interface.ts";

export interface NamedParcels {
  /**
   * What a tracking number looks like is not specified, so a name is tracked as it was typed. Where the service refuses
   * it, the order with this name is looked up: again at once where the lookup fails, and after a while where it found none. Throws ServiceFailure, and as `openParcelNames` does.
   */
  track(name: string, options?: { retries: boolean }): Promise<Tracking>;
  /** The tracking number of a name, once it is known; until then, the name. */
  numberOf(name: string): string;
}

/** The service may show an order later than it takes its number. */
const lookAgainMs = 10 * 60_000;

interface NameLookup {
  readonly number: Promise<string | undefined>;
  readonly atMs: number;
}

export function nameParcels(service: CourierService, context: Context): NamedParcels {
  const numbers = new Map<string, string>();
  const lookups = new Map<string, NameLookup>();
  const names = lazy(async () => (await import("../command/order-name.ts")).openParcelNames(context));

  async function look(name: string): Promise<string | undefined> {
    try {
      const number = await (await names())(name);
      if (number !== undefined) numbers.set(name, number);
      return number;
    } catch (error) {
      lookups.delete(name);
      throw error;
    }
  }

  function find(name: string): Promise<string | undefined> {
    const nowMs = context.clock.elapsed();
    const last = lookups.get(name);
    if (last && nowMs - last.atMs < lookAgainMs) return last.number;
    const number = look(name);
    lookups.set(name, { number, atMs: nowMs });
    return number;
  }

  async function explain(name: string, refusal: ServiceFailure): Promise<ServiceFailure> {
    const { describeSearch } = await import("../command/order-name.ts");
    const { where, next } = await describeSearch(name, context);
    const what = isOrderId(name) ? "id or number" : "number";
    return refusal.with({ hint: `no order has this ${what} ${where}; ${next}` });
  }

  return {
    numberOf: (name) => numbers.get(name) ?? name,
    async track(name, options) {
      const known = numbers.get(name) ?? (refOf(name) === undefined ? undefined : await find(name));
      try {
        const tracking = await service.tracking(known ?? name, options);
        numbers.set(name, known ?? name);
        return tracking;
      } catch (error) {
        const isRefused = error instanceof ServiceFailure && error.kind === "refused";
        if (!isRefused || known !== undefined) throw error;
        const isNew = !lookups.has(name);
        const number = await find(name).catch((failure) => {
          if (failure instanceof ServiceFailure) throw error;
          throw failure;
        });
        if (number === undefined && isNew) throw await explain(name, error);
        if (number === undefined || number === name) throw error;
        return service.tracking(number, options);
      }
    },
  };
}
