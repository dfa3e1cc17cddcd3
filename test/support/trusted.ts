/**
 * The certificates that tests share: an authority that the test processes trust, since Node.js reads
 * NODE_EXTRA_CA_CERTS only when it starts, and servers' certificates that it has signed.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createAuthority, type PrivateAuthority } from "./certificates.ts";

export type TrustedName = "good" | "expired" | "foreign";

const loopback = ["127.0.0.1"];

/** Vitest calls this once, before any worker starts: they inherit the environment. Gives back the tidying up. */
export function setup(): () => void {
  const directory = mkdtempSync(path.join(tmpdir(), "courier-trusted-"));
  const made: Record<TrustedName, PrivateAuthority> = {
    good: createAuthority(loopback),
    expired: createAuthority(loopback, [-48, -24]),
    foreign: createAuthority(["service.test"]),
  };
  const authorities = path.join(directory, "authorities.pem");
  writeFileSync(
    authorities,
    Object.values(made)
      .map(({ authority }) => authority)
      .join(""),
  );
  writeFileSync(path.join(directory, "made.json"), JSON.stringify(made));
  process.env.NODE_EXTRA_CA_CERTS = authorities;
  process.env.COURIER_TEST_TRUSTED = directory;
  return () => rmSync(directory, { recursive: true, force: true });
}

/** A server's key and certificate, from an authority that this process trusts. */
export function trusted(name: TrustedName): PrivateAuthority {
  const file = path.join(process.env.COURIER_TEST_TRUSTED ?? "", "made.json");
  return (JSON.parse(readFileSync(file, "utf8")) as Record<TrustedName, PrivateAuthority>)[name];
}
