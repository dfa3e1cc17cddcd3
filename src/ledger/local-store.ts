/** The statements of the ledger on an SQLite file of this machine. */

import { CourierError } from "../core/errors.ts";
import { quoteAddress, showAddress } from "../postgres/shown-address.ts";
import type { Database } from "../sqlite/database.ts";
import type { SqlRow, SqlValue } from "../sqlite/driver.ts";
import type { Write } from "../sqlite/write-queue.ts";
import type { NewRun } from "./runs.ts";
import { movedMessage } from "./schema.ts";
import { type Question, runNow, type Store } from "./statements.ts";

export function createLocalStore(database: Database, write: Write): Store {
  /** A change is not asked for all of its rows: the drivers tell more of why it failed where they expect one, or none. */
  function answer({ text, values }: Question): readonly SqlRow[] {
    const statement = database.sql(text);
    const own = values.map(withoutNul);
    if (text.startsWith("SELECT")) return statement.all(...own);
    if (text.includes("RETURNING")) {
      const row = statement.get(...own);
      return row ? [row] : [];
    }
    statement.run(...own);
    return [];
  }

  /** A trigger that stops one work takes back all that shares its commit: the others are done again. */
  async function writeOrExplain<T>(...[work, options]: Parameters<typeof write<T>>): Promise<T> {
    let hasStopped = false;
    const noting = () => {
      hasStopped = true;
      const value = work();
      hasStopped = false;
      return value;
    };
    try {
      return await write(noting, options);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes(movedMessage)) throw error;
      if (hasStopped) throw explainMoved(database);
      return writeOrExplain(work, options);
    }
  }

  return {
    write: (work, options) => writeOrExplain(() => runNow(work(), answer), options),
    read: async (work) => runNow(work(), answer),
    // Without it, each statement takes and drops the file's locks.
    snapshot: (work) => database.read(() => runNow(work(), answer)),
    holdsClaim({ run, number }, owner) {
      const row = database
        .sql("SELECT state, owner FROM operations WHERE run = ? AND number = ?")
        .get(run, number);
      return database.isInPlace() && row?.owner === owner && row.state === "sending";
    },
  };
}

/** SQLite gives a text back up to its first NUL. A ledger on a server stores the same character for it. */
function withoutNul(value: SqlValue): SqlValue {
  return typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value;
}

/** Names the ledger that has the orders now. */
function explainMoved({ sql, path }: Database): KeptElsewhere {
  const [moved, other] = sql("SELECT DISTINCT address FROM moved").all();
  return new KeptElsewhere(path, other ? undefined : String(moved?.address));
}

/**
 * Throws `database`, exit 5, for a run of a customer whose orders are kept in a shared ledger, or may be: where the service
 * does not say whose a key is, one that has sent nothing from here may be a renewed one of such a customer.
 */
export function ensureKeptHere({ sql, path }: Database, { customer }: Pick<NewRun, "customer">) {
  const moved = sql("SELECT address FROM moved WHERE customer = ?").get(customer);
  if (moved) throw new KeptElsewhere(path, String(moved.address));
  const maybe = sql(
    `SELECT address FROM customers AS own JOIN customers AS other USING (service) JOIN moved ON moved.customer = other.id
     WHERE own.id = ? AND own.profile_id IS NULL AND other.profile_id IS NULL
       AND NOT EXISTS (SELECT 1 FROM operations WHERE operations.customer = own.id) ORDER BY other.id DESC`,
  ).get(customer);
  if (maybe) throw new KeptElsewhere(path, String(maybe.address), true);
}

class KeptElsewhere extends CourierError {
  constructor(
    path: string,
    readonly address: string | undefined,
    /** The customer may be one without orders there: then that ledger is right as well. */
    isUnsure = false,
  ) {
    const place = address === undefined ? "" : `: ${showAddress(address).place}`;
    const use = `courier ledger use ${address === undefined ? "ADDRESS" : quoteAddress(address)}`;
    const why = isUnsure
      ? "the service does not say whose key this is, and its orders may be kept in a shared ledger"
      : movedMessage;
    super("database", 5, `nothing is sent from the ledger ${path}: ${why}${place}`, {
      hint: nameWays(`${use}, or COURIER_LEDGER where no account is stored`, "courier ledger use local"),
    });
  }
}

function nameWays(toThere: string, back: string): string {
  return `name it: ${toThere}; back to this machine's own: ${back}`;
}

/** The refusal of a run with the commands for its account, or for its key in the environment. Another error stays as it is. */
export function withCommands(
  error: unknown,
  isKeyInEnv: boolean,
  command: (words: string) => string,
): unknown {
  if (!(error instanceof KeptElsewhere) || error.address === undefined) return error;
  const address = quoteAddress(error.address);
  const use = isKeyInEnv ? `COURIER_LEDGER=${address}` : command(`ledger use ${address}`);
  return error.with({ hint: nameWays(use, command("ledger use local")) });
}

/** Also one whose message names more: to run the same command again is no use. */
export function isKeptElsewhere(error: CourierError): boolean {
  return [error, error.cause].some((each) => each instanceof KeptElsewhere);
}
