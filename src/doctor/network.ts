/** Checks of the connection to the service: proxy, certificates, DNS, TCP, TLS, one call, clock. */

import { ServiceFailure } from "../api/failure.ts";
import { proxyFor, withoutPassword } from "../api/proxy-route.ts";
import { toCount } from "../api/service.ts";
import type { Context } from "../command/command.ts";
import { hideHome, type RuntimeInfo } from "../command/runtime-info.ts";
import type { ActiveAccount } from "../config/accounts.ts";
import { holdsCertificates } from "../config/inspect-path.ts";
import { describeOffset, largestOffsetMs } from "../core/clock-offset.ts";
import { certificateHint } from "../core/connection-errors.ts";
import { CourierError } from "../core/errors.ts";
import type { CheckResult } from "./check-result.ts";

const longestProbeMs = 10_000;
/** A `Date` header counts whole seconds, and the answer takes its time. */
const momentMs = 2_000;

/** Runs all checks; skips those that an earlier failure makes impossible. */
export async function* checkNetwork(
  account: ActiveAccount | undefined,
  context: Context,
): AsyncGenerator<CheckResult> {
  const checks = ["proxy", "certificates", "dns", "tcp", "tls", "service", "clock"] as const;
  const done = new Set<CheckResult["check"]>();
  let reason = "no account to reach a service with";
  if (account) {
    for await (const result of checkRoute(account, context)) {
      done.add(result.check);
      if (result.status === "fail") reason = `${result.check} failed`;
      yield result;
    }
  } else {
    yield { check: "proxy", status: "skip", detail: reason };
    yield await checkCertificates(context.machine);
    done.add("proxy").add("certificates");
  }
  for (const check of checks) if (!done.has(check)) yield { check, status: "skip", detail: reason };
}

async function* checkRoute(account: ActiveAccount, context: Context): AsyncGenerator<CheckResult> {
  const { machine } = context;
  if (account.kind === "sandbox") {
    yield { check: "proxy", status: "skip", detail: "the sandbox is inside courier" };
    yield await checkCertificates(machine);
    for (const check of ["dns", "tcp", "tls"] as const) {
      yield { check, status: "skip", detail: "the sandbox is inside courier" };
    }
  } else {
    const { result, proxy } = checkProxy(account.baseUrl, machine);
    yield result;
    if (result.status === "fail") return;
    yield await checkCertificates(machine);
    let isReachable = true;
    for await (const probed of probeTarget(account.baseUrl, proxy, context)) {
      isReachable = probed.status !== "fail";
      yield probed;
    }
    if (!isReachable) return;
  }
  yield* checkService(context);
}

function checkProxy(
  baseUrl: string,
  machine: RuntimeInfo,
): { result: CheckResult; proxy: string | undefined } {
  try {
    const settings = machine.proxy(baseUrl);
    const proxy = proxyFor(new URL(baseUrl), settings);
    const detail = proxy
      ? `${withoutPassword(proxy)}, from the environment`
      : settings.proxy
        ? "none: NO_PROXY names the service"
        : "none for this service";
    return { result: { check: "proxy", status: "ok", detail }, proxy };
  } catch (error) {
    if (!(error instanceof CourierError)) throw error;
    const { message: detail, hint: advice, exit } = error;
    return { result: { check: "proxy", status: "fail", detail, advice, exit }, proxy: undefined };
  }
}

async function checkCertificates(machine: RuntimeInfo): Promise<CheckResult> {
  const { NODE_EXTRA_CA_CERTS: file, NODE_TLS_REJECT_UNAUTHORIZED: verify } = machine.env;
  if (verify === "0") {
    const detail = "NODE_TLS_REJECT_UNAUTHORIZED=0 is set; courier verifies certificates anyway";
    return { check: "certificates", status: "warn", detail, advice: "unset it: other programs obey it" };
  }
  if (!file) return { check: "certificates", status: "ok", detail: "those that Node.js trusts" };
  const name = hideHome(file, machine);
  if (await holdsCertificates(file)) {
    return { check: "certificates", status: "ok", detail: `those that Node.js trusts, and those in ${name}` };
  }
  const detail = `NODE_EXTRA_CA_CERTS names ${name}, which cannot be read or holds no certificate`;
  const advice = "name a file in PEM form; Node.js continues without it";
  return { check: "certificates", status: "fail", detail, advice, exit: 2 };
}

/** Through a proxy, only the proxy can be probed; the profile call checks the rest. */
async function* probeTarget(
  baseUrl: string,
  proxy: string | undefined,
  { clock, signal, machine }: Context,
): AsyncGenerator<CheckResult> {
  const { probe } = await import("../api/probe.ts");
  const url = new URL(proxy === undefined ? baseUrl : proxy.includes("://") ? proxy : `http://${proxy}`);
  const isSecure = url.protocol === "https:";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const target = { host, port: Number(url.port) || (isSecure ? 443 : 80), isSecure };
  const whose = proxy === undefined ? host : `the proxy ${host}`;
  const timeoutMs = Math.min(longestProbeMs, machine.timeoutMs);
  for await (const { step, durationMs, found, problem } of probe(target, { clock, signal, timeoutMs })) {
    if (!problem) {
      yield { check: step, status: "ok", detail: `${whose}: ${found}`, durationMs };
      continue;
    }
    const [named, remedy] =
      proxy === undefined
        ? ["the base URL (courier accounts list)", advices[step]]
        : ["HTTPS_PROXY or HTTP_PROXY", "check the proxy that HTTPS_PROXY or HTTP_PROXY names"];
    const advice = certificateHint(problem.causeCode, named) ?? remedy;
    yield { check: step, status: "fail", detail: `${whose}: ${problem.reason}`, advice, durationMs, exit: 5 };
    return;
  }
  if (isSecure) return;
  const detail =
    proxy === undefined ? "not used: plain http" : "to the service: shown by its call through the proxy";
  yield { check: "tls", status: "skip", detail };
}

const advices = {
  dns: "check the base URL (courier accounts list), the network, and whether a proxy is needed (HTTPS_PROXY)",
  tcp: "check the port in the base URL, firewalls, and whether a proxy is needed (HTTPS_PROXY)",
  tls: "check the port in the base URL, and firewalls and proxies on the way",
} as const;

/** One profile call without retries. The result says nothing of the profile. */
async function* checkService(context: Context): AsyncGenerator<CheckResult> {
  const startedMs = context.clock.elapsed();
  const elapsed = () => Math.round(context.clock.elapsed() - startedMs);
  let offsetMs: number | undefined;
  try {
    const service = await context.service();
    const profile = await service.profile({ retries: false }).finally(() => {
      offsetMs = service.clockOffsetMs();
    });
    const left = toCount(profile.api_calls_remaining);
    const durationMs = elapsed();
    if (left === 0) {
      const detail = "the key is accepted, but no API calls are left";
      yield {
        check: "service",
        status: "warn",
        detail,
        advice: "calls may be refused until there are more",
        durationMs,
      };
    } else yield { check: "service", status: "ok", detail: "answers, and accepts the key", durationMs };
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof CourierError)) throw error;
    const { hint: advice, exit } = error;
    const detail =
      error instanceof ServiceFailure ? inOurWords(error) : hideHome(error.message, context.machine);
    yield { check: "service", status: "fail", detail, advice, durationMs: elapsed(), exit };
  }
  yield checkClock(offsetMs);
}

/** The service's own words could name the holder, and are left out. So is what it gives for a code, unless it looks like one. */
function inOurWords(failure: ServiceFailure): string {
  const { kind, status, serviceCode } = failure;
  if (status === undefined) return failure.message;
  const code = /^[A-Z][A-Z\d_]{0,63}$/.test(serviceCode ?? "") ? `, ${serviceCode}` : "";
  return `${meanings[kind]} (HTTP ${status}${code})`;
}

const meanings: Readonly<Record<ServiceFailure["kind"], string>> = {
  unreachable: "it cannot be reached",
  no_response: "the answer was cut short",
  rate_limited: "rate limited",
  server_error: "it is failing",
  refused: "it refuses the call",
  key_refused: "it refuses the key",
  redirected: "it redirects, which is not followed",
  invalid_response: "its answer breaks the interface: is the base URL that of the service's API?",
};

function checkClock(offsetMs: number | undefined): CheckResult {
  if (offsetMs === undefined) {
    return { check: "clock", status: "skip", detail: "the service does not tell its time" };
  }
  const awayMs = Math.abs(offsetMs);
  if (awayMs <= momentMs) return { check: "clock", status: "ok", detail: "agrees with the service's" };
  const detail = describeOffset(offsetMs);
  if (awayMs <= largestOffsetMs) return { check: "clock", status: "ok", detail };
  return {
    check: "clock",
    status: "warn",
    detail,
    advice: "set this machine's clock: certificates and dates depend on it",
  };
}
