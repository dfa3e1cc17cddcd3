/** Probes of a host: DNS lookup, TCP connection, TLS certificate. */

import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectSecurely, type TLSSocket } from "node:tls";
import type { Clock } from "../core/clock.ts";
import { explainCause } from "../core/connection-errors.ts";
import { systemCode } from "../core/errors.ts";

export interface Target {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** TLS follows the connection. */
  readonly isSecure: boolean;
}

export interface ProbeOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** For each probe. */
  readonly timeoutMs: number;
}

export interface Probed {
  readonly step: "dns" | "tcp" | "tls";
  readonly durationMs: number;
  /** What was found; undefined where it failed. */
  readonly found?: string;
  readonly problem?: { readonly reason: string; readonly causeCode: string | undefined };
}

/** Probes name, connection and certificate in turn, and stops at the first failure. */
export async function* probe(target: Target, options: ProbeOptions): AsyncGenerator<Probed> {
  const { host, port, isSecure } = target;
  let socket: Socket | undefined;

  async function attempt(
    step: Probed["step"],
    act: (signal: AbortSignal) => Promise<string>,
  ): Promise<Probed> {
    const startedMs = options.clock.elapsed();
    const outcome = await within(options, act).then(
      (found) => ({ found }),
      (error: unknown) => {
        options.signal.throwIfAborted();
        const causeCode = systemCode(error);
        const reason = explainCause(causeCode) ?? causeCode ?? String(error);
        return { problem: { reason, causeCode } };
      },
    );
    return { step, durationMs: Math.round(options.clock.elapsed() - startedMs), ...outcome };
  }

  try {
    const named = await attempt("dns", async () => {
      const addresses = isIP(host) ? [] : await lookup(host, { all: true });
      return isIP(host) ? "not needed, it is an address" : addresses.map(({ address }) => address).join(", ");
    });
    yield named;
    if (named.problem) return;
    const connected = await attempt("tcp", async (signal) => {
      socket = await opened(connect({ host, port, signal }), "connect");
      return `port ${port}`;
    });
    yield connected;
    if (connected.problem || !isSecure) return;
    yield await attempt("tls", async (signal) => {
      const given = socket;
      const secure = connectSecurely({
        ...(given ? { socket: given } : {}),
        ...(isIP(host) ? { host } : { host, servername: host }),
        rejectUnauthorized: true, // explicit: NODE_TLS_REJECT_UNAUTHORIZED would override the default
      });
      signal.addEventListener("abort", () => secure.destroy(signal.reason), { once: true });
      socket = await opened(secure, "secureConnect");
      return describeCertificate(secure);
    });
  } finally {
    socket?.destroy();
  }
}

function describeCertificate(socket: TLSSocket): string {
  const { issuer, valid_to } = socket.getPeerCertificate();
  const name = issuer?.O ?? issuer?.CN;
  return [socket.getProtocol(), name && `certificate by ${name}`, valid_to && `valid until ${valid_to}`]
    .filter(Boolean)
    .join(", ");
}

function opened<T extends Socket>(socket: T, event: "connect" | "secureConnect"): Promise<T> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve(socket));
    socket.once("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
    socket.on("error", reject); // stays, since the socket may fail after its part is done
  });
}

/** Rejects with `timed_out` after the time of the clock, or as soon as the run ends. */
async function within<T>(
  { clock, signal, timeoutMs }: ProbeOptions,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const late = Object.assign(new Error("timed out"), { code: "timed_out" });
  const cancel = clock.after(timeoutMs, () => ending.abort(late));
  const onAbort = () => ending.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([
      act(ending.signal),
      new Promise<never>((_, reject) => {
        ending.signal.addEventListener("abort", () => reject(ending.signal.reason), { once: true });
      }),
    ]);
  } finally {
    cancel();
    signal.removeEventListener("abort", onAbort);
  }
}
