/** The tables of a mirror, and how older ones become newer ones. */

/** `CRMR`: marks a file as a mirror. */
export const applicationId = 0x4352_4d52;

/**
 * An order's number grows with its creation time, so that a search reads the newest orders first. Order ids are text:
 * they may be larger than a number can hold. Times are milliseconds of this machine's clock. `pass` is the last complete
 * reading of the list that showed the order.
 */
const first = `
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE shapes (number INTEGER PRIMARY KEY, shape TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE orders (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  status TEXT,
  created_at TEXT,
  ref TEXT,
  pass INTEGER
) STRICT;
CREATE INDEX orders_by_status ON orders (status);

CREATE TABLE answers (
  order_number INTEGER NOT NULL REFERENCES orders,
  kind INTEGER NOT NULL,
  shape INTEGER NOT NULL REFERENCES shapes,
  leaves TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (order_number, kind)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE grams USING fts5 (
  terms, content = '', detail = none, columnsize = 0, tokenize = 'ascii'
);
`;

/** For reports. `figures_after`: orders with a larger number may have no figures yet. */
const second = `
CREATE TABLE texts (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE figures (chunk INTEGER PRIMARY KEY, packed BLOB NOT NULL) STRICT;
INSERT INTO facts SELECT 'figures_after', '0' WHERE EXISTS (SELECT 1 FROM orders);
`;

/** Texts are normalised in another way. `terms_after`: orders with a larger number are not in the index yet. */
const third = `
DROP TABLE grams;
CREATE VIRTUAL TABLE grams USING fts5 (
  terms, content = '', detail = none, columnsize = 0, tokenize = 'ascii'
);
INSERT INTO facts SELECT 'terms_after', '0' WHERE EXISTS (SELECT 1 FROM orders);
`;

/** Milliseconds; NULL while the service shows the order. */
const fourth = `
ALTER TABLE orders ADD COLUMN not_shown_since INTEGER;
CREATE INDEX orders_not_shown ON orders (not_shown_since) WHERE not_shown_since IS NOT NULL;
`;

/** The index has runs of four digits. `hashsize`: many orders in one transaction are one part of the index. */
const fifth = `
DROP TABLE grams;
CREATE VIRTUAL TABLE grams USING fts5 (
  terms, content = '', detail = none, columnsize = 0, tokenize = 'ascii'
);
INSERT INTO grams (grams, rank) VALUES ('hashsize', 16000000);
DELETE FROM facts WHERE name = 'terms_after';
INSERT INTO facts SELECT 'terms_after', '0' WHERE EXISTS (SELECT 1 FROM orders);
`;

export const migrations: readonly string[] = [first, second, third, fourth, fifth];
