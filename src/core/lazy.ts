/** Lazy values. */

/** Makes a value on the first call and gives the same one to every later call. */
export function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
