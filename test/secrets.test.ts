/**
 * The key in nothing that courier prints or writes: every command, under every failure, with and without --debug.
 * `npm test` plays a third of the failures for each command, each of them for some.
 */

import { expect, test } from "vitest";
import { configPath, putConfig } from "./support/config-file.ts";
import { someOf } from "./support/effort.ts";
import { type CommandLine, linesOfEveryCommand } from "./support/every-command.ts";
import { createFaultHome, type FaultHome } from "./support/fault-home.ts";
import { recordRun } from "./support/ledger.ts";
import { echo, expectNoKey, filesBelow, marker } from "./support/marker.ts";
import type { WireFault } from "./support/wire-faults.ts";

/** What the service does, and says where it can: the key, in every form. */
const failures: readonly WireFault[] = [
  { kind: "latency", ms: 1 },
  { kind: "refuse", status: 400, code: marker, message: echo, details: { field: echo, value: [echo] } },
  { kind: "refuse", status: 401, code: marker, message: echo, details: { [marker]: echo } },
  { kind: "status", status: 500, body: echo, contentType: "text/html", processed: true },
  { kind: "status", status: 503, body: echo, contentType: marker },
  { kind: "drop_before" },
  { kind: "drop_after" },
  { kind: "drop_mid_body" },
  { kind: "stall" },
  { kind: "stall_body" },
  { kind: "truncate" },
  { kind: "garbage", content: "binary" },
  { kind: "wrong_shape", data: echo, processed: true },
  { kind: "rate_limit", retryAfter: marker },
  { kind: "redirect", location: `https://elsewhere.test/?key=${encodeURIComponent(marker)}` },
  { kind: "raw", bytes: `${echo}\r\n\r\n` },
];

/** The config file is the one place where the key may be. */
function putMarkedAccount(home: FaultHome): Promise<void> {
  const shop = { base_url: home.sandbox.baseUrl, key: marker };
  return putConfig(home, { current: "shop", accounts: { shop } });
}

const fromFile = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };

const needRun = ["log", "undo", "orders resolve"];

async function linesOf(name: string, home: FaultHome): Promise<readonly CommandLine[]> {
  const [order] = home.orders;
  const lines = linesOfEveryCommand({
    baseUrl: home.sandbox.baseUrl,
    apiKey: marker,
    id: order?.id ?? "",
    trackingNumber: order?.trackingNumber ?? "",
    run: needRun.includes(name) ? (await recordRun(home, ["created", "unknown"], { exit: 6 })).number : 1,
    directory: home.directory,
  });
  return lines.get(name) ?? [];
}

const names = [
  ...linesOfEveryCommand({
    baseUrl: "",
    apiKey: "",
    id: "",
    trackingNumber: "",
    run: 1,
    directory: "",
  }).keys(),
];

/** What each line is run with: whatever says more than the plain run, and the two places that a key can come from. */
const manners = [
  { flags: [], env: fromFile, failures: [] },
  { flags: ["--json"], env: {}, failures: [] },
  { flags: ["--debug"], env: fromFile, failures },
  { flags: ["--debug", "--json"], env: {}, failures },
] as const;

test.each(names.map((name, part) => [name, part] as const))("courier %s", async (name, part) => {
  const home = await createFaultHome({ apiKey: marker });
  let runs = 0;
  for (const { flags, env, failures: all } of manners) {
    for (const failure of [undefined, ...someOf(all, 3, part)]) {
      for (const { words, stdin = "", isEndless } of await linesOf(name, home)) {
        // An import waits out what stalls, call by call, for as long as its clock allows.
        if (failure && (isEndless || (name === "orders import" && failure.kind.startsWith("stall"))))
          continue;
        const given = [
          ...words.filter((word) => !flags.join().includes("json") || word !== "--csv"),
          ...flags,
        ];
        const options = { stdin, env, ...(isEndless ? { signal: AbortSignal.timeout(300) } : {}) };
        await putMarkedAccount(home);
        const { stdout, stderr } = failure
          ? await home.suffer(given, failure, options)
          : await home.courier(given, options);
        // A raw call prints what the service says, byte for byte; here the service says the key.
        const said = name === "api" && failure ? stderr : stdout + stderr;
        expectNoKey(said, `${given.join(" ")} ${JSON.stringify(failure)}`);
        runs += 1;
      }
    }
  }
  expect(runs).toBeGreaterThan(3);
  for (const { file, text } of await filesBelow(home.directory))
    if (file !== configPath(home)) expectNoKey(text, file);
});
