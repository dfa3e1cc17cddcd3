/** Why an outcome is not recorded. */

import { CourierError } from "../core/errors.ts";
import { NotDone } from "../sqlite/write-queue.ts";
import { nameOperation, numberOf, type OperationName, type Run } from "./operation.ts";
import { ask, type Work } from "./statements.ts";

/** Another run has taken the operation over: this run must not send it. */
export class LostClaim extends NotDone {
  constructor(name: OperationName) {
    super(`operation ${nameOperation(name)} was taken over by another run`);
  }
}

/** Another command has found out whose key the run has: what it knows of the customer is of the one before. */
class OtherCustomer extends NotDone {}

/** To be called before anything is changed. The error is for `explainOtherCustomer`. */
export function* ensureCustomer(run: Run): Work<void> {
  const [row] = yield ask("SELECT customer FROM runs WHERE number = ?", run.number);
  if (numberOf(row?.customer) !== run.customer) throw new OtherCustomer();
}

export function explainOtherCustomer(error: unknown): never {
  if (!(error instanceof OtherCustomer)) throw error;
  throw new CourierError(
    "customer_changed",
    5,
    "another command has found out meanwhile that this key belongs to the customer of another key; nothing more was sent",
    { hint: "run the same command again: it knows what both keys have sent", cause: error },
  );
}

/** The order id in an answer is of another order. */
export class OtherOrder extends NotDone {
  constructor(
    readonly orderId: string,
    why: string,
  ) {
    super(`order ${orderId} ${why}`);
  }

  /** It may be the create's nevertheless: another create may have it by a wrong answer. */
  get possibleOrder(): string | undefined {
    return undefined;
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

  override get possibleOrder(): string {
    return this.orderId;
  }
}

/** A new ledger does not know what was sent: to send it again may ship it twice. */
export function isLedgerLost(failure: unknown): failure is CourierError {
  return failure instanceof CourierError && failure.code === "ledger_lost";
}
