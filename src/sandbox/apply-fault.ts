/** Carries out a fault on one request. */

import { refused } from "./answer.ts";
import { failures } from "./defaults.ts";
import { createFaultPlan, type Fault, type FaultPlan, type Spoil } from "./faults.ts";
import { Refusal } from "./refusal.ts";
import { send, toWire } from "./wire.ts";

export function createPlainFaultPlan(): FaultPlan {
  return createFaultPlan(spoilPlainly);
}

export function spoilPlainly(fault: Fault): Spoil {
  return async (response, serve) => {
    switch (fault.kind) {
      case "latency":
        return send(response, await serve());
      case "status":
        if (fault.processed) await serve();
        return send(response, { status: fault.status, headers: { "Content-Type": "text/plain" }, body: "" });
      case "rate_limit": {
        const headers = fault.retryAfter === undefined ? {} : { "Retry-After": fault.retryAfter };
        const refusal = new Refusal(failures.rateLimited, "too many requests", undefined, headers);
        return send(response, toWire(refused(refusal)));
      }
      case "drop_after":
        await serve();
        response.destroy();
        return;
      case "drop_before":
        response.destroy();
        return;
      case "stall":
        await serve();
    }
  };
}
