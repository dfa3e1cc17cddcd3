/** The proof of what `courier sandbox advance` stands on: moving a parcel on with and without a server. */

import { describe, expect, test } from "vitest";
import { wayStates } from "../../src/model/states.ts";
import { advanceParcel } from "../../src/sandbox/control.ts";
import { trackingNumberOf } from "../../src/sandbox/numbers.ts";
import { draft, serve } from "./serving.ts";

async function serveParcel() {
  const serving = await serve();
  const { id, tracking_number: trackingNumber } = (await serving.call("POST", "/api/v1/orders", draft)).json
    .data;
  const { stateDir, clock } = serving;
  const move = (to?: string) => advanceParcel({ stateDir, clock, trackingNumber, to });
  return { ...serving, id, trackingNumber, move };
}

describe("advancing a parcel", () => {
  test("goes state by state to the end, and answers what the service would answer", async () => {
    const { call, trackingNumber, move } = await serveParcel();
    for (const state of wayStates.slice(1)) {
      const moved = await move();
      expect(moved.status).toBe(state);
      expect((await call("GET", `/api/v1/tracking/${trackingNumber}`)).json.data).toEqual(moved);
    }
    await expect(move()).rejects.toMatchObject({
      code: "refused",
      exit: 1,
      hint: "nothing follows completed",
    });
  });

  test("goes straight to a state, through those between", async () => {
    const { move } = await serveParcel();
    const moved = (await move("delivered")) as unknown as { records: { occurred_at: string }[] };
    const times = moved.records.map(({ occurred_at }) => occurred_at);
    expect(times).toEqual([...new Set(times)].sort().reverse());
    expect(times.length).toBeGreaterThanOrEqual(wayStates.length - 1);
  });

  test("lets the later states follow from there", async () => {
    const { call, clock, id, move } = await serveParcel();
    await move("delivering");
    clock.advance(2 * 3_600_000);
    expect((await call("GET", `/api/v1/orders/${id}`)).json.data.status).toBe("delivering");
    clock.advance(3_600_000);
    expect((await call("GET", `/api/v1/orders/${id}`)).json.data.status).toBe("delivered");
  });

  test("is refused backwards, to the same state, and after a cancellation", async () => {
    const { call, id, move } = await serveParcel();
    await move("paid");
    for (const to of ["pending", "paid", "cancelled"]) {
      await expect(move(to)).rejects.toMatchObject({ code: "refused", exit: 1 });
    }
    await call("DELETE", `/api/v1/orders/${id}`);
    for (const to of [undefined, "delivered"]) {
      await expect(move(to)).rejects.toMatchObject({ code: "refused", hint: "nothing follows cancelled" });
    }
  });

  test("of an unknown number is refused, to an unknown state is a wrong command line", async () => {
    const { clock, stateDir, move } = await serveParcel();
    const unknown = advanceParcel({ stateDir, clock, trackingNumber: "CR000000000000" });
    await expect(unknown).rejects.toMatchObject({ code: "refused", exit: 1, hint: undefined });
    const generated = advanceParcel({ stateDir, clock, trackingNumber: trackingNumberOf(5) });
    await expect(generated).rejects.toMatchObject({
      code: "refused",
      hint: expect.stringContaining("generated"),
    });
    await expect(move("lost")).rejects.toMatchObject({
      code: "usage",
      exit: 2,
      hint: expect.stringContaining("pending, paid, processing"),
    });
  });
});
