/** The password of a database in PostgreSQL's own file: PGPASSFILE, or ~/.pgpass (owner of pgpass). */

interface Place {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

interface PasswordFile {
  (place: Place, found: (password: string | undefined) => void): void;
  warnTo(stream: undefined): void;
}

/** The driver would do the same, and warn on stderr that it will not for ever. Undefined where there is none. */
export async function readPasswordFile(place: Place): Promise<string | undefined> {
  // @ts-expect-error: the package has no types
  const { default: find } = (await import("pgpass")) as { readonly default: PasswordFile };
  find.warnTo(undefined); // the error says what to do about a file that others may read
  return new Promise((resolve) => find(place, resolve));
}
