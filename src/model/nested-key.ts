/** JSON keys that are written as a path, as columns of a sheet are: "receiver.name" is the name in the receiver. */

import type { Mismatch } from "./schema.ts";

/** What to write for such a key that means `path`: `"receiver": {"name": …}`. Undefined for any other key. */
export function nestKey({ received }: Mismatch, path: string | undefined): string | undefined {
  const [part, name] = path?.split(".") ?? [];
  return received.includes(".") && name !== undefined ? `"${part}": {"${name}": …}` : undefined;
}
