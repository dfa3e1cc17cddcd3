/** What is made on first use. */

/** Makes a value on the first call and gives the same one to every later call. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
