/** The tables of the ledger, as migrations from one version to the next. */

import { decided } from "./operation.ts";

/** `CRLG`: marks a file as a ledger. */
export const applicationId = 0x4352_4c47;

/**
 * Order ids are text: they may be larger than a number can hold. Times are milliseconds of this machine's clock.
 * A draft is personal data: `logout` empties the column and keeps the row. Events number what happens at the
 * service; they do not depend on a clock.
 */
const first = `
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO facts VALUES ('salt', hex(randomblob(32)));

CREATE TABLE events (last INTEGER NOT NULL) STRICT;
INSERT INTO events VALUES (0);

CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  service TEXT NOT NULL,
  profile_id TEXT,
  offset_ms INTEGER,
  UNIQUE (service, profile_id)
) STRICT;

CREATE TABLE keys (
  hash TEXT PRIMARY KEY,
  customer INTEGER NOT NULL REFERENCES customers
) STRICT, WITHOUT ROWID;

CREATE TABLE accounts (
  name TEXT NOT NULL,
  customer INTEGER NOT NULL REFERENCES customers,
  PRIMARY KEY (name, customer)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  command TEXT NOT NULL,
  account TEXT NOT NULL,
  service TEXT NOT NULL,
  customer INTEGER NOT NULL REFERENCES customers,
  source TEXT,
  undoes INTEGER REFERENCES runs,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  exit INTEGER,
  pid INTEGER NOT NULL,
  process_started TEXT,
  place TEXT NOT NULL
) STRICT;

CREATE TABLE files (
  run INTEGER PRIMARY KEY REFERENCES runs,
  customer INTEGER NOT NULL REFERENCES customers,
  shop TEXT NOT NULL,
  file INTEGER NOT NULL,
  path TEXT NOT NULL,
  bytes_hash TEXT NOT NULL,
  rows_hash TEXT NOT NULL
) STRICT;
CREATE INDEX files_by_path ON files (customer, path);
CREATE INDEX files_by_bytes ON files (customer, bytes_hash);
CREATE INDEX files_by_rows ON files (customer, rows_hash);

CREATE TABLE operations (
  run INTEGER NOT NULL REFERENCES runs,
  number INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('create', 'cancel')),
  state TEXT NOT NULL,
  customer INTEGER NOT NULL REFERENCES customers,
  owner INTEGER NOT NULL REFERENCES runs,
  attempt INTEGER NOT NULL DEFAULT 0,
  sent_at INTEGER,
  offset_ms INTEGER,
  assumed_offset_ms INTEGER,
  ended_at INTEGER,
  sent_event INTEGER,
  ended_event INTEGER,
  loss TEXT,
  first_look_at INTEGER,
  stamp_ahead_ms INTEGER,
  first_shown_ms INTEGER,
  missing_ms INTEGER,
  kept_fields INTEGER NOT NULL DEFAULT 0,
  changed_fields INTEGER NOT NULL DEFAULT 0,
  content TEXT,
  shop TEXT,
  ref TEXT,
  file INTEGER,
  row INTEGER,
  allowance TEXT NOT NULL DEFAULT 'none',
  is_superseded INTEGER NOT NULL DEFAULT 0,
  is_unwanted INTEGER NOT NULL DEFAULT 0,
  is_untold INTEGER NOT NULL DEFAULT 0,
  order_id TEXT,
  order_no TEXT,
  tracking_number TEXT,
  estimated_fee TEXT,
  order_state TEXT,
  error_code TEXT,
  error_message TEXT,
  error_field TEXT,
  draft TEXT,
  defaults TEXT,
  PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX one_create_for_each_order ON operations (customer, order_id)
  WHERE kind = 'create' AND order_id IS NOT NULL;
CREATE INDEX operations_by_content ON operations (content, customer) WHERE kind = 'create';
CREATE INDEX operations_by_ref ON operations (ref, customer) WHERE ref IS NOT NULL;
CREATE INDEX open_operations ON operations (customer, state) WHERE state IN ('ready', 'sending', 'unknown');
CREATE INDEX operations_by_order ON operations (order_id) WHERE kind = 'cancel';

CREATE TABLE listings (
  customer INTEGER NOT NULL REFERENCES customers,
  event INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  date_from TEXT,
  PRIMARY KEY (customer, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE sightings (
  customer INTEGER NOT NULL REFERENCES customers,
  order_id TEXT NOT NULL,
  event INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (customer, order_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE orders_elsewhere (
  customer INTEGER NOT NULL REFERENCES customers,
  content TEXT NOT NULL,
  order_id TEXT NOT NULL,
  PRIMARY KEY (customer, content, order_id)
) STRICT, WITHOUT ROWID;
`;

/** What only this machine needs. */
const local = `
CREATE TABLE drafts (
  account TEXT NOT NULL,
  service TEXT NOT NULL,
  position INTEGER NOT NULL,
  draft TEXT NOT NULL,
  open_parts TEXT NOT NULL,
  PRIMARY KEY (account, service, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE known_orders (
  number INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  service TEXT NOT NULL,
  id TEXT,
  tracking_number TEXT,
  status TEXT,
  item TEXT,
  receiver TEXT,
  created_at TEXT,
  seen_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX known_orders_by_id ON known_orders (account, service, id) WHERE id IS NOT NULL;
CREATE INDEX known_orders_by_tracking_number ON known_orders (account, service, tracking_number);
CREATE INDEX known_orders_by_time ON known_orders (account, service, seen_at);
`;

const second = "ALTER TABLE sightings RENAME TO listed_orders";

/** The version of how an import read the operation's row; without one, the first. */
const third = "ALTER TABLE operations ADD COLUMN reading INTEGER";

/** When a request was sent, since which boot of the machine: setting its clock does not change that. */
const fourth = `
ALTER TABLE operations ADD COLUMN sent_boot TEXT;
ALTER TABLE operations ADD COLUMN sent_since_boot_ms INTEGER;
`;

/** As the service wrote it. */
const fifth = "ALTER TABLE operations ADD COLUMN order_created_at TEXT";

/** Until when the service wants no request, and how long that was when it said so. */
const sixth = `
ALTER TABLE customers ADD COLUMN rest_until INTEGER;
ALTER TABLE customers ADD COLUMN rest_ms INTEGER;
`;

/** How many calls a run is about to make in all. */
const seventh = "ALTER TABLE runs ADD COLUMN calls INTEGER";

/** Creates whose orders were found, until an import has seen their rows. A cancelled order holds no row. */
const eighth = `
CREATE INDEX unseen_operations ON operations (customer) WHERE is_untold <> 0;
ALTER TABLE orders_elsewhere ADD COLUMN is_cancelled INTEGER NOT NULL DEFAULT 0;
`;

/** Until when imports have compared their rows with orders made elsewhere. */
const ninth = "ALTER TABLE customers ADD COLUMN compared_at INTEGER";

/** The refs of the rows that orders made elsewhere have held: a row may be corrected since. */
const tenth = `
ALTER TABLE orders_elsewhere ADD COLUMN shop TEXT;
ALTER TABLE orders_elsewhere ADD COLUMN ref TEXT;
CREATE INDEX orders_elsewhere_by_ref ON orders_elsewhere (ref, customer) WHERE ref IS NOT NULL;
`;

/** Orders that were taken from their creates: the answer to that operation had named another one's. */
const eleventh = `
CREATE TABLE withdrawn_orders (
  customer INTEGER NOT NULL REFERENCES customers,
  event INTEGER NOT NULL,
  order_id TEXT NOT NULL,
  run INTEGER NOT NULL,
  PRIMARY KEY (customer, event)
) STRICT, WITHOUT ROWID;
`;

/**
 * The order that was taken last from a create: it may be its own, and another person has changed it at the service. The
 * event of the first complete listing that lacked an order which a list had shown before. An order elsewhere that may have
 * equalled a row holds it by its ref.
 */
const twelfth = `
ALTER TABLE operations ADD COLUMN withdrawn_order TEXT;
ALTER TABLE operations ADD COLUMN unlisted_event INTEGER;
CREATE INDEX unlisted_operations ON operations (customer) WHERE unlisted_event IS NOT NULL;
ALTER TABLE orders_elsewhere ADD COLUMN is_certain INTEGER NOT NULL DEFAULT 1;
`;

/** An order elsewhere may have held rows with several refs: each is remembered. Without a ref it is empty. */
const thirteenth = `
ALTER TABLE orders_elsewhere RENAME TO former_orders_elsewhere;
CREATE TABLE orders_elsewhere (
  customer INTEGER NOT NULL REFERENCES customers,
  content TEXT NOT NULL,
  order_id TEXT NOT NULL,
  shop TEXT NOT NULL,
  ref TEXT NOT NULL,
  is_certain INTEGER NOT NULL,
  is_cancelled INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (customer, content, order_id, shop, ref)
) STRICT, WITHOUT ROWID;
INSERT INTO orders_elsewhere (customer, content, order_id, shop, ref, is_certain, is_cancelled)
  SELECT customer, content, order_id, coalesce(shop, ''), coalesce(ref, ''), is_certain, is_cancelled
  FROM former_orders_elsewhere;
DROP TABLE former_orders_elsewhere;
CREATE INDEX orders_elsewhere_by_ref ON orders_elsewhere (ref, customer) WHERE ref <> '';
`;

/** Orders that may be those of creates in doubt: a list has shown them, or an answer that was a failure named them. */
const fourteenth = `
CREATE TABLE possible_orders (
  customer INTEGER NOT NULL REFERENCES customers,
  run INTEGER NOT NULL,
  number INTEGER NOT NULL,
  order_id TEXT NOT NULL,
  was_listed INTEGER NOT NULL,
  PRIMARY KEY (run, number, order_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX possible_orders_by_customer ON possible_orders (customer);
`;

/** What a person decided was not told from what a list had shown: all of it stays as it is. The bit is `decided`. */
const fifteenth = `UPDATE operations SET kept_fields = kept_fields | ${decided} WHERE kind = 'create' AND state = 'found'`;

/** What SQLite says where one of the triggers below stops a write. */
export const movedMessage = "its orders are kept in a shared ledger now";

/** The customers whose orders moved to a shared ledger. Nothing is sent for them from here, whatever the config says. */
const moved = `
CREATE TABLE moved (customer INTEGER PRIMARY KEY REFERENCES customers, address TEXT NOT NULL) STRICT;
CREATE TRIGGER no_run_of_moved BEFORE INSERT ON runs WHEN NEW.customer IN (SELECT customer FROM moved)
  BEGIN SELECT RAISE(ABORT, '${movedMessage}'); END;
CREATE TRIGGER no_operation_of_moved BEFORE INSERT ON operations WHEN NEW.customer IN (SELECT customer FROM moved)
  BEGIN SELECT RAISE(ABORT, '${movedMessage}'); END;
CREATE TRIGGER no_request_of_moved BEFORE UPDATE OF state ON operations
  WHEN NEW.state = 'sending' AND NEW.customer IN (SELECT customer FROM moved)
  BEGIN SELECT RAISE(ABORT, '${movedMessage}'); END;
`;

/** A moved customer may turn out to be another one, whose key has moved then. */
const movedWithKeys = `
CREATE TRIGGER moved_with_key AFTER UPDATE OF customer ON keys WHEN OLD.customer IN (SELECT customer FROM moved)
  BEGIN INSERT OR IGNORE INTO moved SELECT NEW.customer, address FROM moved WHERE customer = OLD.customer; END;
`;

/** The shop's own number of an unfinished order. */
const draftRef = "ALTER TABLE drafts ADD COLUMN ref TEXT";

/** Which of the account's keys the order was shown to. */
const knownOrderKey = "ALTER TABLE known_orders ADD COLUMN key_tag TEXT";

/** What several machines may share, in SQLite's words; shared/shared-schema.ts has PostgreSQL's. */
export const sharedMigrations: readonly string[] = [
  first,
  second,
  third,
  fourth,
  fifth,
  sixth,
  seventh,
  eighth,
  ninth,
  tenth,
  eleventh,
  twelfth,
  thirteenth,
  fourteenth,
  fifteenth,
];

export const migrations: readonly string[] = [
  first + local,
  second,
  third,
  fourth,
  fifth,
  sixth,
  moved,
  seventh,
  draftRef,
  eighth,
  ninth,
  tenth,
  eleventh,
  twelfth,
  thirteenth,
  fourteenth,
  movedWithKeys,
  fifteenth,
  knownOrderKey,
];
