/** Makes a private certificate authority and a server certificate (X.509 in DER), fresh for each test. */

import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

export interface PrivateAuthority {
  /** The authority's certificate, for NODE_EXTRA_CA_CERTS. */
  readonly authority: string;
  readonly key: string;
  readonly certificate: string;
}

type Lifetime = readonly [fromHours: number, toHours: number];

/**
 * `addresses` are the IPv4 addresses and host names that the server's certificate is for, `lifetime` the
 * hours from now between which it is valid.
 */
export function createAuthority(
  addresses: readonly string[],
  lifetime: Lifetime = [-24, 24],
): PrivateAuthority {
  const issuer = `courier test authority ${randomBytes(4).toString("hex")}`;
  const root = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const server = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const isAuthority = extension("2.5.29.19", sequence(boolean(true)));
  const names = extension("2.5.29.17", sequence(...addresses.map(alternativeName)));
  return {
    authority: certificate(issuer, issuer, root.publicKey, root.privateKey, isAuthority, [-24, 24]),
    certificate: certificate(
      issuer,
      "courier test server",
      server.publicKey,
      root.privateKey,
      names,
      lifetime,
    ),
    key: server.privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

function certificate(
  issuer: string,
  subject: string,
  publicKey: KeyObject,
  issuerKey: KeyObject,
  more: Buffer,
  lifetime: Lifetime,
): string {
  const algorithm = sequence(objectId("1.2.840.10045.4.3.2")); // ECDSA with SHA-256
  const content = sequence(
    tagged(0xa0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    commonName(issuer),
    sequence(...lifetime.map(instant)),
    commonName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(more)),
  );
  const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", content, issuerKey)]));
  const body =
    sequence(content, algorithm, signature)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${body.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0]));
}

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [40 * first + second];
  for (const part of rest) {
    const digits = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) digits.unshift(0x80 | (left & 0x7f));
    bytes.push(...digits);
  }
  return tagged(0x06, Buffer.from(bytes));
}

function commonName(text: string): Buffer {
  return sequence(tagged(0x31, sequence(objectId("2.5.4.3"), tagged(0x0c, Buffer.from(text)))));
}

/** So many hours from now. */
function instant(hours: number): Buffer {
  const iso = new Date(Date.now() + hours * 3_600_000).toISOString();
  return tagged(0x18, Buffer.from(`${iso.replace(/\D/g, "").slice(0, 14)}Z`));
}

function extension(id: string, content: Buffer): Buffer {
  return sequence(objectId(id), tagged(0x04, content));
}

function alternativeName(address: string): Buffer {
  const isNumeric = /^[\d.]+$/.test(address);
  return isNumeric
    ? tagged(0x87, Buffer.from(address.split(".").map(Number)))
    : tagged(0x82, Buffer.from(address));
}
