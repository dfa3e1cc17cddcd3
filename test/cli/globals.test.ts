/** What every command has in common: output flags, global options in any place, help, usage errors. */

import { describe, expect, test } from "vitest";
import { requestCount } from "../support/answers.ts";
import { createHome, createServedHome } from "../support/courier.ts";

const sandboxProfile = '{"id":55000000,"name":"Sandbox Account"';

describe("output flags exclude each other", () => {
  test.each([
    ["orders list --json --csv", "--json and --csv exclude each other"],
    ["orders list --ndjson --csv", "--ndjson and --csv exclude each other"],
    ["--json orders list --ndjson", "--json and --ndjson exclude each other"],
    ["orders list --json --ndjson --csv", "--json and --ndjson and --csv exclude each other"],
    ["profile --json --ndjson", "--json and --ndjson exclude each other"],
  ])("%s", async (words, message) => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier(words);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(JSON.parse(stderr).error).toMatchObject({ code: "usage", message, exit: 2 });
    expect(home.sandbox.requests).toEqual([]);
  });
});

describe("global options mean the same before and after the command", () => {
  test.each([
    "--account sandbox --json profile",
    "profile --account sandbox --json",
    "profile --json --account=sandbox",
    "--json profile --account sandbox",
  ])("%s", async (words) => {
    const { courier } = await createHome();
    const { exit, stdout, stderr } = await courier(words);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toContain(sandboxProfile);
  });

  test("between noun and verb too; the innermost wins", async () => {
    const { courier } = await createHome();
    const { exit, stdout } = await courier("--account nobody orders --json list --account sandbox");
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "[]\n" });
  });
});

describe("wrong words end with exit 2, help on the way, and nothing sent", () => {
  test.each([
    ["orders list --limti 5", "unknown option '--limti'", "Did you mean --limit?"],
    ["sandbox serve --fields id", "unknown option '--fields'", "Did you mean --faults?"],
    ["profile --yes", "unknown option '--yes'", undefined],
    ["ordres list", "unknown command 'ordres'", "did you mean courier orders list?"],
    ["orders lsit", "unknown command 'lsit'", "did you mean courier orders list?"],
    ["orders list --limit", "option '-L, --limit <N>' argument missing", undefined],
    ["orders show", "no order given", "name some, or pipe them in with -"],
    [
      "addresses edit",
      "ALIAS is missing: the address's short name",
      "for example courier addresses edit shop --phone 13800138000; courier addresses edit --help shows what there is",
    ],
    ["orders cancel", "no order given", "name some, pipe them in with -, or use --status STATE"],
    [
      "track",
      "no tracking number given",
      "name some, pipe them in with -, or use --status STATE or --all-active",
    ],
    ["profile extra", "too many arguments for 'profile'. Expected 0 arguments but got 1.", undefined],
  ])("%s", async (words, message, hint) => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier(words);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    const [first, second, ...rest] = stderr.split("\n");
    expect(first).toBe(`error: ${message}`);
    const command = words.replace(/ (--.*|extra)$/, "");
    expect(second).toBe(`hint: ${hint ?? `courier ${command} --help shows what there is`}`);
    expect(rest).toEqual([""]);
    expect(home.sandbox.requests).toEqual([]);
  });

  test("as one line of JSON where JSON was asked for", async () => {
    const { courier } = await createHome();
    for (const form of ["--json", "--ndjson", "--csv"]) {
      const { exit, stdout, stderr } = await courier(`orders list ${form} --limti 5`);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
      expect(JSON.parse(stderr)).toEqual({
        error: {
          code: "usage",
          message: "unknown option '--limti'",
          hint: "Did you mean --limit?",
          exit: 2,
        },
      });
    }
  });
});

describe("help", () => {
  test.each(["orders", "accounts", "sandbox"])("a bare %s shows its help on stderr, exit 2", async (noun) => {
    const { courier } = await createHome();
    const { exit, stdout, stderr } = await courier(noun);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`courier ${noun} COMMAND [options]`);
    const asked = await courier(`${noun} --help`);
    expect(asked).toEqual({ exit: 0, stdout: stderr, stderr: "" });
  });

  test("--help, -h and help show the whole on stdout", async () => {
    const { courier } = await createHome();
    const asked = await courier("--help");
    expect(asked).toMatchObject({ exit: 0, stderr: "" });
    expect(asked.stdout).toContain("courier --account sandbox orders list");
    for (const words of ["-h", "help"]) {
      expect(await courier(words)).toEqual(asked);
      expect(await courier(words, { fromStart: true })).toEqual(asked);
    }
  });

  test("help options shows what every command takes, to which every other help points", async () => {
    const { courier } = await createHome();
    const { exit, stdout } = await courier("help options");
    expect(exit).toBe(0);
    for (const name of ["--account NAME", "--timeout TIME", "COURIER_API_KEY", "NO_PROXY"])
      expect(stdout).toContain(`  ${name}`);
    for (const words of ["--help", "orders --help", "orders create --help", "track --help"]) {
      const help = (await courier(words)).stdout;
      expect(help).toMatch(/Global options: --json.*courier\shelp\soptions/s);
      expect(help).not.toContain("--timeout TIME");
    }
  });

  test("the options that most people look for come first", async () => {
    const { courier } = await createHome();
    const { stdout } = await courier("orders create --help");
    const [first = ""] = stdout.split("\nOptions:\n")[1]?.split("\n") ?? [];
    expect(first).toContain("--file FILE");
  });

  test.each(["--account sandbox version", "--account help -v", "--json version", "--quiet -v"])(
    "%s, too",
    async (words) => {
      const home = await createHome();
      const { stdout } = await home.courier("--version");
      expect(await home.courier(words)).toEqual({ exit: 0, stdout, stderr: "" });
    },
  );

  test.each(["help", "help orders list", "help options"])(
    "%s means the same behind global options",
    async (words) => {
      const home = await createHome();
      const { stdout } = await home.courier(words);
      expect(await home.courier(`--account sandbox --json ${words}`)).toEqual({
        exit: 0,
        stdout,
        stderr: "",
      });
    },
  );

  test.each(["--version", "-V"])("%s prints the version and nothing else", async (flag) => {
    const { courier } = await createHome();
    const { exit, stdout, stderr } = await courier(flag);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("help with a command is that command's own", async () => {
    const { courier } = await createHome();
    const own = await courier("orders list --help");
    expect(own.stdout).toContain("courier orders list [options]");
    expect(await courier("help orders list")).toEqual(own);
    expect(await courier("help orders")).toEqual(await courier("orders --help"));
    expect(await courier("help")).toEqual(await courier("--help"));
  });

  test.each([
    ["orders list --nowhere", "courier orders list --help"],
    ["orders show --nowhere", "courier orders show --help"],
    ["nowhere", "courier --help"],
    ["--account sandbox orders list --nowhere", "courier orders list --help"],
  ])("wrong words name the nearest help: %s", async (words, help) => {
    const { courier } = await createHome();
    const { exit, stderr } = await courier(words);
    expect(exit).toBe(2);
    expect(stderr).toContain(`hint: ${help} shows what there is`);
  });

  test.each([
    ["--json", "courier"],
    ["orders --json", "courier orders"],
    ["--account sandbox orders --json", "courier orders"],
    ["accounts --ndjson", "courier accounts"],
  ])("a noun alone fails as one line of JSON where that was asked for: %s", async (words, group) => {
    const { courier } = await createHome();
    const { exit, stdout, stderr } = await courier(words);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "usage",
      message: `${group} needs a command`,
      hint: `${group} --help shows what there is`,
    });
  });

  test("help needs no account, touches no file and asks for no service", async () => {
    const home = await createHome();
    await home.courier("orders create --help");
    const { readdir } = await import("node:fs/promises");
    expect(await readdir(home.directory)).toEqual([]);
  });
});

describe("--timeout", () => {
  test.each(["0", "0s", "-1", "abc", "", "1e3", "3601", "61m", "0x10", "s"])(
    "refuses “%s”",
    async (value) => {
      const home = await createServedHome();
      const { exit, stdout, stderr } = await home.courier([`--timeout=${value}`, "profile"]);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
      expect(stderr).toContain(`--timeout takes a time such as 90s, at most 1h, not “${value}”`);
      expect(home.sandbox.requests).toEqual([]);
    },
  );

  test.each(["0.5", "1", "3600", "1.5s", "1m30s", "1h"])("accepts %s", async (value) => {
    const { courier } = await createHome();
    expect((await courier(`--account sandbox profile --timeout ${value}`)).exit).toBe(0);
  });

  test.each(["7", "7s"])("%s is the deadline of a call", async (value) => {
    const home = await createServedHome();
    home.sandbox.faults.add({ kind: "stall" });
    const running = home.courier(`profile --timeout ${value}`);
    while (requestCount(home, "GET") === 0 || home.clock.waiting === 0) await new Promise(setImmediate);
    home.clock.advance(6_999);
    expect(home.clock.waiting).toBe(1);
    home.clock.advance(1);
    const { exit, stdout, stderr } = await running;
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
    expect(stderr).toContain("did not answer within 7 s\nhint: allow more time with --timeout TIME\n");
    expect(requestCount(home, "GET")).toBe(1);
  });
});

describe("--quiet", () => {
  test("silences notes, and leaves the result and errors", async () => {
    const home = await createServedHome({ seedOrders: 30 });
    const loud = await home.courier("orders list");
    expect(loud.stderr).toBe("10 shown, more exist (30 in all); --all shows every one\n");
    const quiet = await home.courier("orders list --quiet");
    expect(quiet).toEqual({ exit: 0, stdout: loud.stdout, stderr: "" });
    const failed = await home.courier("--quiet orders show 999");
    expect(failed).toMatchObject({ exit: 1, stdout: "" });
    expect(failed.stderr).toMatch(/^error: .*order 999 does not exist/);
  });
});

test("--debug shows calls on stderr, never the key, and leaves stdout alone", async () => {
  const home = await createServedHome();
  const plain = await home.courier("profile --json");
  const { exit, stdout, stderr } = await home.courier("profile --json --debug");
  expect(exit).toBe(0);
  expect(Object.keys(JSON.parse(stdout))).toEqual(Object.keys(JSON.parse(plain.stdout)));
  expect(stderr).toMatch(/^debug: > GET http:\/\/127\.0\.0\.1:\d+\/api\/v1\/user\/profile$/m);
  expect(stderr).toMatch(/^debug: < 200 application\/json/m);
  expect(stderr).not.toContain(home.sandbox.apiKey);
});
