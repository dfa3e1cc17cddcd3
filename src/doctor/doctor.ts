/** `courier doctor`: checks what courier needs, and says how to fix what is wrong. */

import { type Context, defineCommand, events, type Items } from "../command/command.ts";
import { CourierError } from "../core/errors.ts";
import { counted } from "../core/wording.ts";
import type { DoctorCheck } from "../model/results.ts";
import { type Block, fields, type Span, type Style, styled } from "../terminal/blocks.ts";
import type { CheckResult } from "./check-result.ts";

export const diagnose = defineCommand({
  description:
    "Each check passes, warns, fails, or is skipped because an earlier one failed. It makes one call, for the\n" +
    "profile, and changes nothing. No key, password, address or name of a person is shown, so that the result can be\n" +
    "pasted into a ticket: account names, hosts and paths are. The exit code is 0 unless something failed; else\n" +
    "it is that of the first failure: 1 where the service refuses the call, 2 for files and settings, 4 for the account\n" +
    "or its key, 5 for the ledger, the mirror or the connection to the service, 70 for an answer that breaks the interface.",
  arguments: {},
  options: {},
  examples: [
    { line: "doctor", note: "does everything work?" },
    {
      line: "doctor --json | jq -r '.[] | select(.status == \"fail\") | .advice'",
      note: "what to do, for a script",
    },
  ],
  exits: [1, 2, 4, 5],
  seeAlso: ["accounts list", "profile"],
  async run(_input, context) {
    const columns = ["check", "status", "detail", "advice", "duration_ms"];
    return { ...events(tell(context), checkView), columns };
  },
});

async function* tell(context: Context): Items<DoctorCheck> {
  const failed: CheckResult[] = [];
  for await (const result of results(context)) {
    if (result.status === "fail") failed.push(result);
    const { check, status, detail, advice = null, durationMs = null } = result;
    yield { check, status, detail, advice, duration_ms: durationMs };
  }
  const [first] = failed;
  if (!first) return undefined;
  const names = failed.map(({ check }) => check).join(", ");
  return new CourierError(
    "checks_failed",
    first.exit ?? 70,
    `${counted(failed.length, "check")} failed: ${names}`,
  );
}

async function* results(context: Context): AsyncGenerator<CheckResult> {
  const [
    { checkAccount, checkCompletion, checkConfig, checkNode, checkState },
    { checkLedger },
    { checkMirror },
    { checkNetwork },
  ] = await Promise.all([
    import("./setup.ts"),
    import("./ledger.ts"),
    import("./mirror.ts"),
    import("./network.ts"),
  ]);
  yield checkNode(context.machine);
  const config = await checkConfig(context);
  yield config;
  const state = await checkState(context);
  yield state;
  yield state.status === "fail"
    ? { check: "ledger", status: "skip", detail: "state failed" }
    : await checkLedger(context);
  const { result, account } = await checkAccount(config, context);
  yield result;
  const failed = state.status === "fail" ? "state" : "account";
  yield state.status === "fail" || !account
    ? { check: "mirror", status: "skip", detail: `${failed} failed` }
    : await checkMirror(account, context);
  yield* checkNetwork(account, context);
  yield await checkCompletion(context);
}

const styles: Readonly<Record<CheckResult["status"], Style>> = {
  ok: "good",
  warn: "warn",
  fail: "bad",
  skip: "dim",
};

function checkView({ check, status, detail, advice, duration_ms }: DoctorCheck): readonly Block[] {
  const label = check.padEnd("certificates".length);
  const time = duration_ms === null ? "" : ` (${duration_ms} ms)`;
  const said = `  ${detail}${time}`;
  const value: readonly Span[] = [
    styled(styles[status], status.padEnd(4)),
    status === "skip" ? styled("dim", said) : said,
  ];
  if (advice === null) return [fields([label, value])];
  return [fields([label, value], ["", [{ style: "accent", text: "do" }, `    ${advice}`]])];
}
