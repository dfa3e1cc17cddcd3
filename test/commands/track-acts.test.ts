/** What a watch does at each change: the user's command, the bell, a notice; with a service that means harm. */

import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { interrupted } from "../../src/core/errors.ts";
import { answerData } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { expectInert, hostileText } from "../support/hostile.ts";
import { createOrder } from "../support/orders.ts";
import { until } from "../support/process.ts";
import { running } from "../support/running.ts";
import { Capture } from "../support/streams.ts";

/** Two looks: a first state, then another with one record that says what it is told to. */
async function homeWithChange(text: string, state = "delivered"): Promise<ServedHome> {
  const home = await createServedHome();
  const record = { location: text, description: text, occurred_at: text };
  const look = (status: string, records: object[]) =>
    JSON.stringify({ tracking_number: "T1", status, current_location: text, records });
  answerData(home, "GET /api/v1/tracking/T1", look("picked", []));
  home.sandbox.faults.set([]);
  const rule = {
    kind: "status",
    status: 200,
    path: "/api/v1/tracking/T1",
    contentType: "application/json",
  } as const;
  home.sandbox.faults.set([
    { ...rule, times: 1, body: `{"success":true,"data":${look("picked", [])}}` },
    { ...rule, body: `{"success":true,"data":${look(state, [record])}}` },
  ]);
  return home;
}

function watch(home: ServedHome, words: readonly string[], options = {}) {
  return home.courier(["track", "T1", "--watch", "--until", "change", ...words], {
    env: { PATH: `${home.directory}:/usr/bin:/bin`, OUT: home.directory },
    ...options,
  });
}

const read = (home: ServedHome, name: string) => readFile(path.join(home.directory, name), "utf8");

describe("a watch whose reader closes the pipe after the first line", () => {
  /** Closes after the first write, as `head -1` does. */
  class ClosingPipe extends Capture {
    override _write(
      chunk: string | Uint8Array,
      encoding: string,
      done: (error?: Error | null) => void,
    ): void {
      super._write(chunk, encoding, done);
      this.destroy();
    }
  }
  const gone = "the reader of the changes is gone; the watch continues without it";

  test.each(["", "--ndjson", "--json"])(
    "goes on until the state, and runs --exec for it (“%s”)",
    async (form) => {
      const home = await homeWithChange("北京市");
      const words = ["track", "T1", "--watch", "--until", "delivered", "--exec", "cat > $OUT/change"];
      const { exit, stderr } = await home.courier([...words, ...(form === "" ? [] : [form])], {
        env: { PATH: `${home.directory}:/usr/bin:/bin`, OUT: home.directory },
        stdout: new ClosingPipe(),
      });
      expect(exit, stderr).toBe(0);
      expect(JSON.parse(await read(home, "change"))).toMatchObject({
        previous: "picked",
        current: "delivered",
      });
      expect(stderr.split(gone)).toHaveLength(2);
    },
  );

  test("never says that a state was reached which was not: exit 7", async () => {
    const home = await homeWithChange("北京市", "in_transit");
    const { exit, stderr } = await home.courier("track T1 --watch --until delivered --for 1h", {
      stdout: new ClosingPipe(),
    });
    expect(exit, stderr).toBe(7);
    expect(stderr).toContain(gone);
  });

  test("only reads without --until: it ends, with exit 0", async () => {
    const home = await homeWithChange("北京市", "in_transit");
    const ended = await home.courier("track T1 --watch --for 1h", { stdout: new ClosingPipe() });
    expect([ended.exit, ended.stderr.includes("gone")], ended.stderr).toEqual([0, false]);
  });
});

describe("--exec", () => {
  test.each(["", " "])("of no command (“%s”) is refused before anything is asked", async (command) => {
    const home = await createServedHome();
    for (const watched of [["--watch"], []]) {
      const words = ["track", "T1", ...watched, "--exec", command];
      const { exit, stdout, stderr } = await home.courier(words);
      expect([exit, stdout, home.sandbox.requests]).toEqual([2, "", []]);
      expect(stderr).toBe(
        "error: --exec is given no command\nhint: give it the command to run; is a variable of the shell not set?\n",
      );
    }
  });

  test("runs for each change but not for the present state: JSON on stdin, the same in variables", async () => {
    const home = await homeWithChange("北京市");
    const { exit, stdout } = await watch(home, [
      "--ndjson",
      "--exec",
      'cat >> "$OUT/json"; env >> "$OUT/env"',
    ]);
    expect(exit).toBe(0);
    expect(await read(home, "json")).toBe(`${stdout.trimEnd().split("\n")[1]}\n`);
    const variables = (await read(home, "env")).split("\n").filter((line) => /^COURIER_[^K]/.test(line));
    expect(variables).toEqual(
      expect.arrayContaining([
        "COURIER_TRACKING_NUMBER=T1",
        "COURIER_PREVIOUS=picked",
        "COURIER_CURRENT=delivered",
        "COURIER_LOCATION=北京市",
        "COURIER_DESCRIPTION=北京市",
        "COURIER_OCCURRED_AT=北京市",
        expect.stringMatching(/^COURIER_OBSERVED_AT=2026-03-01T08:0\d:\d\d\.\d{3}Z$/),
      ]),
    );
  });

  test.each([
    "$(touch $OUT/pwned)",
    "`touch $OUT/pwned`",
    "'; touch $OUT/pwned; '",
    '"; touch $OUT/pwned; "',
    "x\ntouch $OUT/pwned\n",
    "| touch $OUT/pwned",
    "--help",
  ])("text of the service is no part of the command: %s", async (text) => {
    const home = await homeWithChange(text, text);
    const { exit, stderr } = await watch(home, [
      "--exec",
      'printf "%s" "$COURIER_DESCRIPTION" > "$OUT/text"; cat > "$OUT/json"; echo $COURIER_CURRENT "$COURIER_LOCATION"',
    ]);
    expect(exit).toBe(0);
    expectInert(stderr);
    expect(JSON.parse(await read(home, "json"))).toMatchObject({
      current: text,
      record: { description: text },
    });
    expect(await read(home, "text")).toBe(text.replaceAll("\n", "\\n"));
    expect(await readdir(home.directory)).not.toContain("pwned");
  });

  test("what could act on a terminal is harmless in variables, and whole in JSON", async () => {
    const home = await homeWithChange(`${hostileText}\u0000`);
    const { exit, stdout, stderr } = await watch(home, [
      "--exec",
      'printf "%s\\n" "$COURIER_DESCRIPTION"; cat > "$OUT/json"; printf "\\033[2Jgone"',
    ]);
    expect(exit).toBe(0);
    expectInert(stdout);
    expectInert(stderr);
    const { record } = JSON.parse(await read(home, "json")) as { record: { description: string } };
    expect(record.description).toBe(`${hostileText}\u0000`);
  });

  test("a text longer than a system takes is cut in variables only", async () => {
    const home = await homeWithChange("长".repeat(200_000));
    const { exit, stderr } = await watch(home, ["--exec", 'printf "%s" "$COURIER_LOCATION" > "$OUT/text"']);
    expect({ exit, stderr }).toMatchObject({ exit: 0, stderr: expect.not.stringContaining("warning") });
    expect((await read(home, "text")).length).toBe(4_096);
  });

  test("an environment longer than a system takes is told, and the watch goes on", async () => {
    const home = await homeWithChange("北京市");
    const { exit, stderr } = await watch(home, ["--exec", "true"], {
      env: { PATH: "/usr/bin:/bin", LONG: "x".repeat(3_000_000) },
    });
    expect(exit).toBe(0);
    expect(stderr).toContain(
      "warning: --exec at T1: /bin/sh cannot be started: what it is given is too long\n",
    );
  });

  test.each([
    ["exit 3", "it ended with exit code 3"],
    ["kill -9 $$", "it ended with SIGKILL"],
    ["no-such-command-here", "it ended with exit code 127"],
  ])("its failure is told and changes nothing else: %s", async (command, reason) => {
    const home = await homeWithChange("北京市");
    const { exit, stdout, stderr } = await watch(home, ["--ndjson", "--exec", command]);
    expect(exit).toBe(0);
    expect(stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(stderr).toContain(`warning: --exec at T1: ${reason}\n`);
    const quiet = await homeWithChange("北京市");
    const ran = await watch(quiet, ["--ndjson", "--quiet", "--exec", command]);
    expect(ran.stderr).toBe(`warning: --exec at T1: ${reason}\n`);
  });

  test("what it prints goes to stderr, and it need not read its stdin", async () => {
    const home = await homeWithChange("北京市");
    const { stdout, stderr } = await watch(home, [
      "--ndjson",
      "--exec",
      "exec <&-; echo told; echo complained >&2",
    ]);
    expect(stdout).not.toContain("told");
    expect(stderr).toMatch(/^told\n/m);
    expect(stderr).toMatch(/^complained\n/m);
  });

  test("it may print without end: the first 64 KiB are shown, and that there was more", async () => {
    const home = await homeWithChange("北京市");
    const command = "i=0; while [ $i -lt 8000 ]; do echo line $i; i=$((i + 1)); done";
    const { exit, stderr } = await watch(home, ["--ndjson", "--exec", command]);
    expect(exit).toBe(0);
    expect(stderr).toMatch(/^line 0\nline 1\n/m);
    expect(stderr).not.toContain("line 7999");
    expect(stderr).toMatch(/^\(it printed more, which is left out\)$/m);
  });

  test("a process that it leaves running does not hold the watch up", async () => {
    const home = await homeWithChange("北京市");
    const { exit } = await watch(home, ["--exec", "sleep 30 >/dev/null 2>&1 & echo begun"]);
    expect(exit).toBe(0);
  });
});

describe.runIf(process.platform === "linux")("the time limit of --exec (processes by /proc)", () => {
  const waiting = 'sleep 300 & echo $$ $! > "$OUT/pids.new"; mv "$OUT/pids.new" "$OUT/pids"; wait';

  const deaf = `sh -c 'trap "" TERM; echo '$$' $$ > "$OUT/pids.new"; mv "$OUT/pids.new" "$OUT/pids"; exec sleep 300' &`;

  test.each([
    ["and what it has started", waiting],
    ["that hears of no request to end, and what it has started", `trap "" TERM; ${waiting}`],
    ["and what it has started, which hears of no request to end", `${deaf} wait`],
  ])("ends a command %s", async (_what, command) => {
    const home = await homeWithChange("北京市");
    let isOver = false;
    const ending = watch(home, ["--exec", command]).finally(() => {
      isOver = true;
    });
    const pids = () => read(home, "pids").catch(() => "");
    await until("the command runs", async () => (await pids()) !== "");
    const started = (await pids()).trim().split(" ");
    expect(running(started)).toEqual(started);
    home.clock.advance(59_999);
    expect(running(started)).toEqual(started);
    home.clock.advance(1);
    const { exit, stderr } = await until("the watch has ended", () => {
      home.clock.advance(1_000);
      return isOver;
    }).then(() => ending);
    expect(exit).toBe(0);
    expect(stderr).toContain("warning: --exec at T1: it took longer than 60 s\n");
    await until("all have ended", () => running(started).length === 0);
  });
});

describe("what waits for --exec when the watch ends", () => {
  const numbers = ["T1", "T2", "T3"];

  /** Each parcel is picked at the first poll, and in the given state from then on. */
  async function homeWithChanges(state: string): Promise<ServedHome> {
    const home = await createServedHome();
    const rules = numbers.flatMap((number) => {
      const answer = (status: string, times?: number) =>
        ({
          kind: "status",
          status: 200,
          path: `/api/v1/tracking/${number}`,
          contentType: "application/json",
          body: `{"success":true,"data":{"tracking_number":"${number}","status":"${status}","records":[]}}`,
          ...(times === undefined ? {} : { times }),
        }) as const;
      return [answer("picked", 1), answer(state)];
    });
    home.sandbox.faults.set(rules);
    return home;
  }

  /** The program runs until its time limit; the clock goes on until the watch has ended. */
  async function watchWithSlowProgram(home: ServedHome, words: string) {
    let isOver = false;
    const command = 'echo "$COURIER_TRACKING_NUMBER" >> "$OUT/ran"; exec sleep 300';
    const options = [...words.split(" "), "--interval", "1s", "--exec", command];
    const ending = home
      .courier(["track", ...numbers, "--watch", ...options], {
        env: { PATH: "/usr/bin:/bin", OUT: home.directory },
      })
      .finally(() => {
        isOver = true;
      });
    await until("a program runs", async () => (await read(home, "ran").catch(() => "")) !== "");
    await until("the watch has ended", () => {
      home.clock.advance(1_000);
      return isOver;
    });
    return { ...(await ending), ran: (await read(home, "ran")).trim().split("\n") };
  }

  test.each(["", " --quiet"])(
    "at the end of --for it is not started, and a warning counts the changes: “%s”",
    async (flag) => {
      const home = await homeWithChanges("in_transit");
      const { exit, stderr, ran } = await watchWithSlowProgram(home, `--for 4s${flag}`);
      expect(exit).toBe(7);
      expect(ran).toHaveLength(1);
      expect(stderr).toContain("warning: --exec: time is up, so it was not run for 2 changes\n");
      const waits = expect(stderr);
      (flag === "" ? waits : waits.not).toContain(
        "waiting for --exec, which is stopped after 60 s: 1 change left; Ctrl-C ends the wait\n",
      );
    },
  );

  test("at the goal it still runs, and stderr says what is waited for", async () => {
    const home = await homeWithChanges("delivered");
    const { exit, stderr, ran } = await watchWithSlowProgram(home, "--for 9s");
    expect(exit).toBe(0);
    expect(ran.sort()).toEqual(numbers);
    expect(stderr).not.toContain("time is up");
    expect(stderr.match(/^waiting.*$/gm)).toEqual([
      "waiting for --exec, which is stopped after 60 s: 3 changes left; Ctrl-C ends the wait",
    ]);
  });

  /** The run with the program at the first of the changes, once it has started and all parcels have changed. */
  async function startSlowProgram(home: ServedHome, terminal?: number) {
    const stop = new AbortController();
    const stdout = new Capture(terminal);
    const command = 'echo "$COURIER_TRACKING_NUMBER" >> "$OUT/ran"; exec sleep 300';
    const words = ["track", ...numbers, "--watch", "--interval", "1s", "--yes", "--exec", command];
    let isOver = false;
    const ending = home
      .courier([...words, ...(terminal === undefined ? ["--ndjson"] : [])], {
        env: { PATH: "/usr/bin:/bin", OUT: home.directory, NO_COLOR: "1" },
        signal: stop.signal,
        stdout,
        ...(terminal === undefined ? {} : { terminal }),
      })
      .finally(() => {
        isOver = true;
      });
    const hasAll = () => numbers.every((number) => stdout.text.split(number).length > 2);
    await until("all have changed, and a program runs", async () => {
      if (!hasAll()) home.clock.advance(1_000);
      return hasAll() && (await read(home, "ran").catch(() => "")) !== "";
    });
    return {
      stdout,
      async stop() {
        stop.abort(interrupted(130));
        await until("it has ended", () => {
          home.clock.advance(1_000);
          return isOver;
        });
        return { ...(await ending), ran: (await read(home, "ran")).trim().split("\n") };
      },
    };
  }

  test("at Ctrl-C it is not started, and a warning counts the changes", async () => {
    const home = await homeWithChanges("delivered");
    const { stop } = await startSlowProgram(home);
    const { exit, stderr, ran } = await stop();
    expect({ exit, ran: ran.length }).toEqual({ exit: 130, ran: 1 });
    expect(stderr).toContain("warning: --exec: the watch was stopped, so it was not run for 2 changes\n");
  });

  test("a board names it in place of the next poll", async () => {
    const home = await homeWithChanges("delivered");
    const { stdout, stop } = await startSlowProgram(home, 80);
    const wait = "waiting for --exec, which is stopped after 60 s: 3 changes left";
    await until("the board says so", () => {
      home.clock.advance(500);
      return stdout.text.includes(wait);
    });
    const since = stdout.text.slice(stdout.text.indexOf(wait));
    expect(since).toContain("Ctrl-C ends the wait");
    expect(since).not.toMatch(/next poll|ends the watch/);
    const { exit, stderr } = await stop();
    expect(exit).toBe(130);
    expect(stderr).not.toContain("waiting for");
  });

  test("a program that ends at once is not mentioned", async () => {
    const home = await homeWithChange("北京市");
    expect((await watch(home, ["--exec", "true"])).stderr).not.toContain("waiting");
  });
});

describe("--bell", () => {
  test("rings at a terminal, once a change", async () => {
    const home = await homeWithChange("北京市");
    const { stderr } = await watch(home, ["--bell"], { terminal: 80 });
    expect(stderr.match(/\u0007/g)).toHaveLength(1);
  });

  test("is silent in a pipe", async () => {
    const home = await homeWithChange("北京市");
    const { stdout, stderr } = await watch(home, ["--bell"]);
    expect(stdout + stderr).not.toContain("\u0007");
  });
});

/** On another system than Linux the notice has another program. */
describe.runIf(process.platform === "linux")("--notify (with notify-send)", () => {
  async function notices(home: ServedHome): Promise<string[][]> {
    const program = path.join(home.directory, "notify-send");
    await writeFile(
      program,
      '#!/bin/sh\nfor word; do printf "%s\\n" "$word"; done >> "$OUT/notices"; echo >> "$OUT/notices"\n',
    );
    await chmod(program, 0o755);
    const { exit } = await home.courier(["track", "T1", "--watch", "--until", "change", "--notify"], {
      env: { PATH: `${home.directory}:/usr/bin:/bin`, OUT: home.directory },
    });
    expect(exit).toBe(0);
    return (await read(home, "notices"))
      .trimEnd()
      .split("\n\n")
      .map((notice) => notice.split("\n"));
  }

  test("one notice a change", async () => {
    const home = await homeWithChange("北京市");
    expect(await notices(home)).toEqual([
      ["--app-name=courier", "--", "Parcel T1: delivered", "北京市  北京市"],
    ]);
  });

  test("its program is not given the key of the environment", async () => {
    const home = await homeWithChange("北京市");
    await writeFile(path.join(home.directory, "notify-send"), '#!/bin/sh\nenv > "$OUT/environment"\n');
    await chmod(path.join(home.directory, "notify-send"), 0o755);
    const env = {
      PATH: `${home.directory}:/usr/bin:/bin`,
      OUT: home.directory,
      COURIER_API_KEY: "test-key-0123456789",
    };
    const words = ["track", "T1", "--watch", "--until", "change", "--notify"];
    expect((await home.courier(words, { env })).exit).toBe(0);
    const given = await read(home, "environment");
    expect(given).toContain(`OUT=${home.directory}`);
    expect(given).not.toContain("COURIER_API_KEY");
  });

  test("text of the service is neither option nor markup", async () => {
    const home = await homeWithChange("--urgency=critical <a href='x'>&amp;</a>\nmore");
    const [[, end, , text] = []] = await notices(home);
    expect(end).toBe("--");
    expect(text).not.toMatch(/[<>]/);
    expect(text).toContain("&#38;amp;");
  });

  test("a text longer than a system takes is cut", async () => {
    const home = await homeWithChange("b".repeat(200_000));
    const [[, , , text = ""] = []] = await notices(home);
    expect(text).toBe("b".repeat(4_096));
  });

  test.each([[`/nowhere`], [""]])(
    "a system without it (PATH=%s): one warning before the first poll",
    async (PATH) => {
      const home = await homeWithChange("北京市");
      home.sandbox.faults.set([
        { kind: "refuse", status: 401, code: "UNAUTHORIZED", message: "no such key" },
      ]);
      const early = await home.courier("track T1 --watch --notify", { env: { PATH } });
      expect(early.exit).toBe(4);
      const warning =
        "warning: --notify: notify-send is not installed; the watch shows no desktop notifications\n";
      expect(early.stderr).toMatch(new RegExp(`^${warning}`));
      const later = await homeWithChange("北京市");
      const { exit, stderr } = await later.courier("track T1 --watch --until change --notify", {
        env: { PATH },
      });
      expect(exit).toBe(0);
      expect(stderr.match(/notif/g), "once, and not again at the change").toEqual(warning.match(/notif/g));
    },
  );

  test("one that fails: one warning at the first change, and the watch goes on", async () => {
    const home = await homeWithChange("北京市");
    const program = path.join(home.directory, "notify-send");
    await writeFile(program, "#!/bin/sh\nexit 1\n");
    await chmod(program, 0o755);
    const { exit, stderr } = await watch(home, ["--notify"]);
    expect(exit).toBe(0);
    expect(stderr).toContain("warning: --notify: it ended with exit code 1; no further notifications\n");
  });
});

describe("--on", () => {
  async function watchAll(words: readonly string[]) {
    const home = await createServedHome();
    const { tracking_number } = await createOrder(home);
    const ran = await home.courier(["track", tracking_number, "--watch", ...words], {
      env: { PATH: "/usr/bin:/bin", OUT: home.directory },
      terminal: 80,
    });
    return { ...ran, told: await read(home, "told").catch(() => "") };
  }
  const tell = ["--exec", 'echo "$COURIER_CURRENT" >> "$OUT/told"'];

  test.each([
    ["delivered,delivering", "delivering\ndelivered\n"],
    // The sandbox has two movements in this state: the second is not a change to it.
    ["in_transit", "in_transit\n"],
    ["=at_pickup_point", ""],
  ])("%s: the command runs at a change to these states alone", async (states, told) => {
    const { exit, told: seen, stderr } = await watchAll([...tell, "--bell", "--on", states]);
    expect({ exit, told: seen }).toEqual({ exit: 0, told });
    expect(stderr.split("\u0007").length, "the bell, too").toBe(told.split("\n").length);
  });

  test("twice is the states of both", async () => {
    const { told } = await watchAll([...tell, "--on", "delivered", "--on", "picked"]);
    expect(told).toBe("picked\ndelivered\n");
  });

  test("a state that is unknown gives a warning", async () => {
    const { stderr } = await watchAll([...tell, "--on", "at_pickup_point"]);
    expect(stderr).toContain("warning: unknown state “at_pickup_point”; known are pending, ");
  });

  test.each([
    [
      "--watch --bell --on delivred",
      'error: unknown state “delivred”; did you mean delivered?\nhint: to use it as typed: --on "=delivred"\n',
    ],
    ["--watch --bell --on delivered,", "error: --on takes states separated by commas, not “delivered,”\n"],
    [
      "--watch --on delivered",
      "error: --on says at which changes to run a command, ring or notify, and none of them is asked for\n" +
        "hint: add --exec COMMAND, --bell or --notify\n",
    ],
    ["--bell --on delivered", "error: --bell needs --watch\nhint: add --watch\n"],
  ])("%s is refused before anything is asked", async (words, stderr) => {
    const home = await createServedHome();
    expect(await home.courier(`track T1 ${words}`)).toEqual({ exit: 2, stdout: "", stderr });
    expect(home.sandbox.requests).toEqual([]);
  });
});
