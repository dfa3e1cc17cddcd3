/** The endpoint by which another process reads and sets the fault plan of a served sandbox. */

import { type Answer, success } from "./answer.ts";
import { acceptFaultRules, faultCountView } from "./fault-rules.ts";
import type { FaultPlan } from "./faults.ts";
import { type Route, readJson } from "./routes.ts";

export function faultRoutes(plan: FaultPlan): readonly Route[] {
  const report = (): Answer => success(plan.counts().map(faultCountView));
  return [
    {
      path: /^\/_sandbox\/faults$/,
      methods: {
        GET: report,
        PUT(call) {
          plan.set(acceptFaultRules(readJson(call)));
          return report();
        },
        DELETE() {
          plan.clear();
          return report();
        },
      },
    },
  ];
}
