/** The ledger's tables in PostgreSQL, in a schema of their own: the same migrations, in its words. */

import { sharedMigrations } from "../schema.ts";

export const schemaName = "courier";

/** The database's clock, in milliseconds. */
export const nowMs = "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)";

/** What PostgreSQL has besides: when each run gave its last sign of life, and the list that SQLite unfolds by itself. */
const additions = `
ALTER TABLE runs ADD COLUMN beat_at BIGINT NOT NULL DEFAULT ${nowMs};
CREATE FUNCTION json_each(list TEXT) RETURNS TABLE (value TEXT) LANGUAGE sql IMMUTABLE
  AS $$ SELECT jsonb_array_elements_text(list::jsonb) $$;
CREATE TABLE version (number BIGINT NOT NULL);
INSERT INTO version VALUES (1);
`;

/** The last transaction that each process has committed. */
const commits =
  "CREATE TABLE commits (writer TEXT PRIMARY KEY, count BIGINT NOT NULL, made_at BIGINT NOT NULL);";

/** By the place of the migration. */
const added = new Map([
  [0, additions],
  [10, commits],
]);

export const migrations: readonly string[] = sharedMigrations.map(
  (script, place) => translate(script) + (added.get(place) ?? ""),
);

/** Texts are compared by their bytes, as in SQLite. */
function translate(script: string): string {
  return script
    .replace(/\) STRICT(, WITHOUT ROWID)?;/g, ");")
    .replace("INTEGER PRIMARY KEY AUTOINCREMENT", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY")
    .replace("id INTEGER PRIMARY KEY,", "id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,")
    .replace(/\bINTEGER\b/g, "BIGINT")
    .replace(/ TEXT\b/g, ' TEXT COLLATE "C"')
    .replace("hex(randomblob(32))", "replace(concat(gen_random_uuid(), gen_random_uuid()), '-', '')");
}
