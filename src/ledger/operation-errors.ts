/** Why an outcome is not recorded. */

import { CourierError } from "../core/errors.ts";
import { NotDone } from "../sqlite/write-queue.ts";
import { nameOperation, type OperationName } from "./operation.ts";

/** Another run has taken the operation over: this run must not send it. */
export class LostClaim extends NotDone {
  constructor(name: OperationName) {
    super(`operation ${nameOperation(name)} was taken over by another run`);
  }
}

/** The order id in an answer is of another order. */
export class OtherOrder extends NotDone {
  constructor(
    readonly orderId: string,
    why: string,
  ) {
    super(`order ${orderId} ${why}`);
  }

  /** Why the answer to a create is no proof that it made an order. */
  get reason(): string {
    return `the answer names another order: ${this.message}`;
  }
}

/** The order id in an answer belongs to another create. */
export class OrderTaken extends OtherOrder {
  constructor(
    orderId: string,
    readonly holder: OperationName,
  ) {
    super(orderId, `belongs to operation ${nameOperation(holder)}`);
  }
}

/** A new ledger does not know what was sent: to send it again may ship it twice. */
export function isLedgerLost(failure: unknown): failure is CourierError {
  return failure instanceof CourierError && failure.code === "ledger_lost";
}
