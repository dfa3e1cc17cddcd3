/**
 * The shapes of what courier itself prints as JSON: their field names are a contract with scripts.
 * Commands take only the types from here; the schemas are loaded for `courier schema` and its documents.
 */

import { draftSchema, partySchema } from "./draft.ts";
import {
  createdOrderSchema,
  orderDetailSchema,
  orderSummarySchema,
  profileSchema,
  trackingRecordSchema,
  trackingSchema,
} from "./interface.ts";
import type { JsonObject } from "./json.ts";
import {
  array,
  boolean,
  decimalSchema,
  extend,
  type Infer,
  int,
  integerSchema,
  jsonSchema,
  literal,
  looseObject,
  maybe,
  nullable,
  object,
  optional,
  record,
  string,
  union,
} from "./schema.ts";

const text = string();
const count = int();
const textOrNull = nullable(text);

const errorFields = object({
  code: text,
  message: text,
  hint: optional(text),
  status: optional(count),
  service_code: optional(text),
  details: optional(jsonSchema),
  exit: count,
});

/** One line on stderr when a command with an output flag fails. */
const errorSchema = object({ error: errorFields });

const loginSchema = object({
  account: text,
  base_url: text,
  key_kept_in: text,
  verified: boolean(),
  holder: textOrNull,
});

/**
 * `details_deleted`: names, phones and addresses of the account's orders were deleted from this machine;
 * `details_kept`: except those of so many orders in doubt.
 */
const deletedDetails = { details_deleted: boolean(), details_kept: count };
const logoutSchema = object({ account: text, logged_out: boolean(), ...deletedDetails });

const keyStore = literal(["file", "keychain"]);

/** `key`: where it is kept: a path, `keychain`, the command that prints it, or `none`. */
const accountRowSchema = object({
  account: text,
  current: boolean(),
  base_url: textOrNull,
  key: text,
  key_store: nullable(literal(["file", "keychain", "command"])),
});
export type AccountRow = Infer<typeof accountRowSchema>;

const accountUsedSchema = object({ account: text, current: boolean() });
const keyMovedSchema = object({ account: text, from: keyStore, key_store: keyStore, moved: boolean() });
const keyStoreChosenSchema = object({ key_store: keyStore });
const accountRemovedSchema = object({ account: text, removed: boolean(), ...deletedDetails });

/** `running`: false where the run has no recorded end, and gave no sign of life for a while. */
const ledgerRunSchema = object({
  run: count,
  command: text,
  account: text,
  host: text,
  here: boolean(),
  pid: count,
  since: text,
  running: boolean(),
  rows_held: count,
});
export type LedgerRun = Infer<typeof ledgerRunSchema>;

/**
 * `ledger`: a file, or an address; `named_by`: `account` or `COURIER_LEDGER`, null for the local one; `moved_to`: the
 * address that has the account's orders, where the local one sends nothing for it any more.
 */
const ledgerStatusSchema = object({
  account: text,
  ledger: text,
  shared: boolean(),
  named_by: textOrNull,
  moved_to: textOrNull,
  engine: textOrNull,
  tables_version: nullable(count),
  latency_us: nullable(count),
  size_bytes: count,
  runs: count,
  operations: count,
  in_doubt: count,
  running: array(ledgerRunSchema),
  weaknesses: array(text),
});
export type LedgerStatus = Infer<typeof ledgerStatusSchema>;

const ledgerUsedSchema = object({
  account: text,
  ledger: text,
  shared: boolean(),
  engine: text,
  tables_version: count,
  latency_us: count,
  runs: count,
  operations: count,
  weaknesses: array(text),
});
export type LedgerUsed = Infer<typeof ledgerUsedSchema>;

const ledgerMovedSchema = object({
  ledger: text,
  from: text,
  runs: count,
  operations: count,
  accounts: array(text),
});
const ledgerForgottenSchema = object({ account: text, ledger: text, runs: count, ...deletedDetails });

const addressRowSchema = extend(partySchema(), { alias: text, default: boolean() });
export type AddressRow = Infer<typeof addressRowSchema>;

const addressRemovedSchema = object({ alias: text, removed: boolean() });
const addressesImportedSchema = object({ imported: count, replaced: array(text) });

/**
 * - `cancelled`: the order read back is cancelled. - `already_cancelled`: it was before.
 * - `accepted`: the service accepted, but the order read back is not (yet) cancelled.
 * - `refused`: the service refused. - `not_cancellable`: by its state; nothing was sent. - `would_cancel`: of `--dry-run`.
 * - `left_alone`: nothing was changed: the run ended before its turn, or the request had no effect, which `error` tells.
 * - `unknown`: there was no clear answer; another request may be needed.
 * `status` is the state read back afterwards: what is true now.
 */
const cancellationSchema = object({
  id: integerSchema,
  order_no: textOrNull,
  tracking_number: textOrNull,
  outcome: literal([
    "cancelled",
    "already_cancelled",
    "accepted",
    "refused",
    "left_alone",
    "unknown",
    "would_cancel",
    "not_cancellable",
  ]),
  status_before: textOrNull,
  status: textOrNull,
  message: textOrNull,
  error: optional(errorFields),
});
export type Cancellation = Infer<typeof cancellationSchema>;

/**
 * One run of the log. `outcome`: `done`: exit 0. `failed`: it ended with `exit`. `running`. `killed`: its process is
 * gone and no end is recorded: it was killed, or could not record its end. `unknown`: no end is recorded, and its process
 * cannot be seen from this machine.
 * The counts are of operations: rows that an import did not reach are none. `unsent`: begun, and no order was created.
 */
const runRowSchema = object({
  run: count,
  started_at: text,
  ended_at: textOrNull,
  command: text,
  account: text,
  service: text,
  source: textOrNull,
  undoes: nullable(count),
  outcome: literal(["done", "failed", "running", "killed", "unknown"]),
  exit: nullable(count),
  summary: text,
  created: count,
  found: count,
  refused: count,
  unsent: count,
  ready: count,
  in_doubt: count,
  cancelled: count,
  cancels_accepted: count,
  not_cancelled: count,
  cancels_in_doubt: count,
});
export type RunRow = Infer<typeof runRowSchema>;

/**
 * One operation of a run. `order_state` is the state in which a command of this machine last saw the order.
 * `receiver` is null once personal data was deleted, and for a cancel.
 */
const operationRowSchema = object({
  operation: text,
  kind: literal(["create", "cancel"]),
  state: literal([
    "ready",
    "sending",
    "created",
    "found",
    "cancelled",
    "accepted",
    "refused",
    "unsent",
    "unknown",
  ]),
  unwanted: boolean(),
  row: nullable(count),
  ref: textOrNull,
  id: nullable(integerSchema),
  order_no: textOrNull,
  tracking_number: textOrNull,
  order_state: textOrNull,
  receiver: textOrNull,
  sent_at: textOrNull,
  ended_at: textOrNull,
  error: nullable(object({ code: text, message: text, field: textOrNull })),
});
export type OperationRow = Infer<typeof operationRowSchema>;

/**
 * One order of a run that is undone. `left_alone` and `unknown` have a `reason`: `not_cancellable`: by its state.
 * `found`: it was found after its answer was lost, or a person confirmed it, and `--include-found` was not given.
 * `in_doubt`: whether it exists is unknown. `stopped`: the run ended before its turn. `failed`: its request had no
 * effect, such as after HTTP 429. `not_read`: its state could not be read. `not_shown`: the service accepted the
 * cancel, and does not show the order any more. `other_order`: the order has another receiver than was sent.
 * `changed`: its state is not the one that a person was asked about. `not_made`: it was in doubt then, and no order
 * was made. `status` is the state read last.
 */
const undoneSchema = object({
  operation: text,
  row: nullable(count),
  ref: textOrNull,
  id: nullable(integerSchema),
  order_no: textOrNull,
  tracking_number: textOrNull,
  outcome: literal([
    "cancelled",
    "already_cancelled",
    "accepted",
    "refused",
    "left_alone",
    "unknown",
    "would_cancel",
  ]),
  reason: nullable(
    literal([
      "not_cancellable",
      "found",
      "in_doubt",
      "stopped",
      "failed",
      "not_read",
      "not_shown",
      "other_order",
      "changed",
      "not_made",
    ]),
  ),
  status_before: textOrNull,
  status: textOrNull,
  message: textOrNull,
  error: optional(errorFields),
});
export type Undone = Infer<typeof undoneSchema>;

const slipPartySchema = object({ name: textOrNull, phone: textOrNull, address: textOrNull });

/** What a packing slip shows, as the service sent it; null where it says nothing. `ref` is from the ledger of this machine. */
const slipSchema = object({
  id: integerSchema,
  order_no: textOrNull,
  tracking_number: textOrNull,
  ref: textOrNull,
  status: textOrNull,
  sender: slipPartySchema,
  receiver: slipPartySchema,
  item: object({ name: textOrNull, description: textOrNull, quantity: nullable(integerSchema) }),
});
export type Slip = Infer<typeof slipSchema>;

const reportRowSchema = object({
  ref: textOrNull,
  row: count,
  /** All rows of an order that has several. */
  rows: optional(array(count)),
  /**
   * `found`: the answer was lost, and the order was found. `shipped`: an earlier run has made the order. `wrong`: the row
   * could not be read, and was left out.
   */
  outcome: literal([
    "created",
    "found",
    "shipped",
    "refused",
    "held",
    "changed",
    "cancelled",
    "unknown",
    "unsent",
    "wrong",
  ]),
  id: nullable(integerSchema),
  order_no: textOrNull,
  tracking_number: textOrNull,
  estimated_fee: nullable(decimalSchema),
  /** `value`: what the row has in the column. */
  error: nullable(object({ code: text, message: text, column: optional(text), value: optional(text) })),
});
/** One row of the report of an import. */
export type ReportRow = Infer<typeof reportRowSchema>;

const checkSummarySchema = object({
  /** Orders to send or sent: several lines of one order count once. */
  rows: count,
  /** Lines of the file, those of skipped orders included. */
  lines: count,
  /** The platform whose export the file is; null where it was read by its headers. */
  platform: textOrNull,
  /** Orders that the file marks as not to be sent, by reason. */
  skipped: record(text, count),
  /** Cells of which something was removed, such as an apostrophe, by what it was. */
  cleaned: record(text, count),
  service_levels: record(text, count),
  senders: array(text),
  unused_columns: array(text),
  rows_with_ref: count,
  /** The encoding that was used; guessed where neither a mark nor `--encoding` names it. */
  encoding: literal(["utf-8", "gb18030", "big5", "windows-1252", "utf-16le", "utf-16be"]),
  /** The account whose imports the rows were compared with; null where there is none. */
  account: textOrNull,
  to_send: count,
  shipped: count,
  refused: count,
  changed: count,
  cancelled: count,
  held: count,
  unknown: count,
  /** Rows that cannot be sent. */
  wrong: count,
  /** False where there is no account: the counts of what is new and known are then not known. */
  compared: boolean(),
  /** Rows that can be sent, and may not be meant so; the first few by name. */
  warnings: array(
    object({
      code: literal([
        "no_receiver_name",
        "no_address",
        "no_street",
        "no_phone",
        "phone_in_name",
        "sender_name_only",
        "quantity_0",
        "quantity_incomplete",
        "unknown_service_type",
        "unclear_state",
        "unread_state",
        "unread_goods",
        "tracking_number",
        "other_refs",
        "cancelled_before",
      ]),
      count,
      rows: array(text),
    }),
  ),
  /** The first row that can be sent, as it was understood. */
  first_order: nullable(extend(draftSchema(), { ref: textOrNull, row: count })),
});
/** The result of `orders import --check`. */
export type CheckSummary = Infer<typeof checkSummarySchema>;

const writtenBackSchema = object({
  /** The sheet with the new columns, and the file that has the old one after `--in-place`. */
  file: text,
  kept: textOrNull,
  /** Orders of the sheet that this machine knows, and how many of them have a tracking number there now. */
  orders: count,
  tracking_numbers: count,
  /** Of these orders, those that were made from other values than the sheet has now; the sheet names the columns. */
  changed: count,
  /** Orders of the sheet that were not created; the sheet has the reasons. */
  not_created: count,
  /** Orders of the sheet of which it is not known whether they were created; the sheet says how to settle them. */
  in_doubt: count,
  /** Orders of the sheet that this machine does not know: their rows are as they were, or have what is wrong there. */
  unknown: count,
  /** When the oldest of the states was seen. */
  states_from: textOrNull,
});
/** The result of `orders write-back`. */
export type WrittenBack = Infer<typeof writtenBackSchema>;
const syncResultSchema = object({
  orders: count,
  listed: count,
  /** Looked up one by one: they were in no list. */
  looked_up: count,
  /** Orders of the mirror that the service no longer shows. */
  not_shown: count,
  /** Their phones are in no list, and they were not looked up. */
  without_phone: count,
  calls: count,
});
export type SyncResult = Infer<typeof syncResultSchema>;

const foundParty = maybe(
  looseObject({
    name: maybe(text),
    phone: maybe(text),
    address: maybe(text),
    city: maybe(text),
    detail: maybe(text),
  }),
);
/** An order of the mirror: the newest value of each field that the service showed. */
const foundOrderSchema = looseObject({
  id: optional(integerSchema),
  order_no: maybe(text),
  tracking_number: maybe(text),
  status: maybe(text),
  created_at: maybe(text),
  item_name: maybe(text),
  item: maybe(looseObject({ name: maybe(text) })),
  sender: foundParty,
  receiver: foundParty,
  ref: textOrNull,
  seen_at: text,
  /** When the service was first found to show the order no longer; only where it does not. */
  not_shown_since: optional(text),
});
export type FoundOrder = Infer<typeof foundOrderSchema> & JsonObject;

/** Exact, except for the mean, which is rounded. Null where no order has the fee. `orders`: those that have it. */
const amountSchema = object({
  orders: count,
  sum: nullable(decimalSchema),
  mean: nullable(decimalSchema),
  median: nullable(decimalSchema),
});
/** Charged fees are `actual_fee`, estimated ones `estimated_fee`. Neither is part of the other. */
const spendFields = { orders: count, charged: amountSchema, estimated: amountSchema, without_fee: count };
/** `key`: a day, week or month of this machine's time zone, or a text of the service; null: the order lacks it. */
export const spendRowSchema = object({ key: textOrNull, ...spendFields });
export type SpendRow = Infer<typeof spendRowSchema>;

/** What a report is about. */
const reportFields = {
  by: text,
  from: textOrNull,
  to: textOrNull,
  /** Chosen states; none: any. */
  statuses: array(text),
  /** When the mirror was brought up to date; null: never. */
  synced_at: textOrNull,
  /** Orders in the mirror. */
  mirror_orders: count,
  /** Orders whose created_at is missing or cannot be read; with `from` or `to`, they are not counted. */
  without_created_at: count,
};
const spendSchema = object({
  ...reportFields,
  ...spendFields,
  /** Cancelled orders are not counted, unless `statuses` asks for them. */
  cancelled: object(spendFields),
  /** Counted orders by payment_status; an empty text where it is not known. */
  payment_status: record(text, count),
  rows: array(spendRowSchema),
});
/** The result of `report spend`. */
export type SpendDocument = Infer<typeof spendSchema>;

/** Whole seconds from created to delivered: the half, or nine of ten, took at most so long. */
const durationFields = {
  delivered: count,
  p50_seconds: nullable(count),
  p90_seconds: nullable(count),
};
export const timeRowSchema = object({ key: textOrNull, ...durationFields });
export type TimeRow = Infer<typeof timeRowSchema>;
const timeSchema = object({
  ...reportFields,
  ...durationFields,
  orders: count,
  /** Orders that have no duration, by the reason. */
  without_tracking: count,
  not_delivered: count,
  /** Tracking has no readable time of the delivery, or one before the order was created. */
  without_delivery_time: count,
  rows: array(timeRowSchema),
});
/** The result of `report time`. */
export type TimeDocument = Infer<typeof timeSchema>;

/** An order that is not delivered, completed or cancelled. */
const lateRowSchema = object({
  id: integerSchema,
  order_no: textOrNull,
  tracking_number: textOrNull,
  status: textOrNull,
  tracking_status: textOrNull,
  /** The newest movement that tracking showed, or else when the order was created. */
  last_change: text,
  last_change_from: literal(["tracking", "created_at"]),
  /** Since the last change. */
  waiting_seconds: count,
  receiver: object({ name: textOrNull, city: textOrNull }),
});
export type LateRow = Infer<typeof lateRowSchema>;

const templateRowSchema = extend(draftSchema(), { template: text });
/** One template of the list: its name, and the order that it holds. */
export type TemplateRow = Infer<typeof templateRowSchema>;
const templateRemovedSchema = object({ template: text, removed: boolean() });

const mapRowSchema = object({
  map: text,
  /** How it is used: by name, or for each file with its header. */
  applies: text,
  /** Column to field; "" is a column that is not used. */
  columns: record(text, text),
});
/** Saved column names of imports. */
export type MapRow = Infer<typeof mapRowSchema>;
const mapRemovedSchema = object({ map: text, removed: boolean() });

const refusedTrackingSchema = object({ tracking_number: text, error: errorFields });

/**
 * What is new of a parcel. `previous` is null at the first check. `records` are the new movements, in the order of the
 * service; `record` is the newest of them, null where the state changed without one.
 */
const parcelChangeSchema = object({
  tracking_number: text,
  previous: textOrNull,
  current: textOrNull,
  current_location: textOrNull,
  estimated_delivery: textOrNull,
  record: nullable(trackingRecordSchema),
  records: array(trackingRecordSchema),
  observed_at: text,
});

/** In place of an order that could not be shown: the name that was given. */
const refusedOrderSchema = object({ order: text, error: errorFields });

const servedSandboxSchema = object({ base_url: text, api_key: text, settle: text });
export type ServedSandbox = Infer<typeof servedSandboxSchema>;
const sandboxResetSchema = object({ reset: boolean() });

/** Checks come in this order; `skip`: there was nothing to check, or an earlier check failed. */
const doctorCheckSchema = object({
  check: literal([
    "node",
    "config",
    "state",
    "ledger",
    "account",
    "mirror",
    "proxy",
    "certificates",
    "dns",
    "tcp",
    "tls",
    "service",
    "clock",
    "completion",
  ]),
  status: literal(["ok", "warn", "fail", "skip"]),
  detail: text,
  advice: textOrNull,
  duration_ms: nullable(count),
});
export type DoctorCheck = Infer<typeof doctorCheckSchema>;

const schemaRowSchema = object({ name: text, title: text });
export type SchemaRow = Infer<typeof schemaRowSchema>;

/**
 * What is printed with `--json`, by the command's words joined by dashes; where that is an array, `--ndjson`
 * prints its elements. Beside them: `order`, an order file, `error`, what goes to stderr, and `track-changes`.
 */
export const resultSchemas = {
  order: draftSchema(),
  error: errorSchema,
  "orders-create": union([createdOrderSchema, draftSchema()]),
  "orders-list": array(orderSummarySchema),
  "orders-show": union([orderDetailSchema, array(union([refusedOrderSchema, orderDetailSchema]))]),
  "orders-cancel": array(cancellationSchema),
  "orders-import": union([array(reportRowSchema), checkSummarySchema]),
  "orders-write-back": writtenBackSchema,
  "orders-resolve": union([operationRowSchema, array(operationRowSchema)]),
  log: union([array(runRowSchema), array(operationRowSchema)]),
  undo: array(undoneSchema),
  sync: syncResultSchema,
  find: array(foundOrderSchema),
  "report-spend": spendSchema,
  "report-time": timeSchema,
  late: array(lateRowSchema),
  "orders-export": union([array(orderSummarySchema), array(orderDetailSchema)]),
  "orders-slips": array(slipSchema),
  track: union([trackingSchema, array(union([refusedTrackingSchema, trackingSchema]))]),
  "track-changes": array(union([refusedTrackingSchema, parcelChangeSchema])),
  profile: profileSchema,
  login: loginSchema,
  logout: logoutSchema,
  "ledger-status": ledgerStatusSchema,
  "ledger-use": ledgerUsedSchema,
  "ledger-move": ledgerMovedSchema,
  "ledger-forget": ledgerForgottenSchema,
  "accounts-list": array(accountRowSchema),
  "accounts-use": accountUsedSchema,
  "accounts-move-key": keyMovedSchema,
  "accounts-key-store": keyStoreChosenSchema,
  "accounts-remove": accountRemovedSchema,
  "addresses-add": addressRowSchema,
  "addresses-list": array(addressRowSchema),
  "addresses-show": addressRowSchema,
  "addresses-edit": addressRowSchema,
  "addresses-use": addressRowSchema,
  "addresses-remove": addressRemovedSchema,
  "addresses-import": addressesImportedSchema,
  "templates-list": array(templateRowSchema),
  "templates-show": draftSchema(),
  "templates-remove": templateRemovedSchema,
  "maps-list": array(mapRowSchema),
  "maps-remove": mapRemovedSchema,
  "sandbox-serve": array(servedSandboxSchema),
  "sandbox-reset": sandboxResetSchema,
  "sandbox-advance": trackingSchema,
  doctor: array(doctorCheckSchema),
  schema: array(schemaRowSchema),
} as const;

export type SchemaName = keyof typeof resultSchemas;

export const schemaNames = Object.keys(resultSchemas) as SchemaName[];

/** One line that says what a schema describes. */
export function schemaTitle(name: SchemaName): string {
  if (name === "order") return "an order file, for courier orders create --file";
  if (name === "error") return "an error on stderr, with an output flag";
  if (name === "track-changes") return "courier track --changes --json, and track --watch --json";
  return `courier ${name.replace("-", " ")} --json`;
}
