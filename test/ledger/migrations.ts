/** A database of the tests: a first version, and a second that is slow enough to be killed in its middle. */

export const testApplicationId = 0x7e57_0001;

const first = "CREATE TABLE rows (n INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;";
const second = `ALTER TABLE rows ADD COLUMN more TEXT;
  WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 200000)
    INSERT INTO rows SELECT n, 'row ' || n, hex(randomblob(40)) FROM count;`;

export const quickMigrations: readonly string[] = [first];
export const slowMigrations: readonly string[] = [first, second];
