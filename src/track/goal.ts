/** What a watch waits for, and whether a parcel's state has reached it, may reach it, or cannot. */

import { isFinal, wayStates } from "../model/states.ts";

/** Every parcel in a final state; every parcel in one state or past it; the first change of any. */
export type Goal =
  | { readonly kind: "final" }
  | { readonly kind: "state"; readonly state: string }
  | { readonly kind: "change" };

export type GoalResult = "open" | "reached" | "missed";

/** No state follows these. */
const lastStates: readonly string[] = ["completed", "cancelled"];

/** A parcel that is further on its way passed the state between two polls. */
export function checkGoal(state: string | null | undefined, goal: Goal): GoalResult {
  if (goal.kind === "final") return isFinal(state) ? "reached" : "open";
  const isLast = lastStates.includes(state ?? "");
  if (goal.kind === "change") return isLast ? "missed" : "open";
  if (state === goal.state) return "reached";
  const [present, wanted] = [wayStates.indexOf(state ?? ""), wayStates.indexOf(goal.state)];
  if (wanted >= 0 && present > wanted) return "reached";
  const isCancelledTooLate = state === "delivered" && goal.state === "cancelled";
  return isLast || isCancelledTooLate ? "missed" : "open";
}
