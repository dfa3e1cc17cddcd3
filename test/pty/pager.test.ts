/** COURIER_PAGER at a terminal: what is long goes through it, and nothing else. */

import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createServedTerminalHome, createTerminalHome, keys } from "../support/terminal.ts";

/** Marks each line that goes through it, so that it can be told from what does not. */
const marking = "sed 's/^/| /'";

describe("with COURIER_PAGER", () => {
  test("help that is longer than the screen goes through it, split as a shell would, and a short text does not", async () => {
    const home = await createTerminalHome();
    const long = home.open("orders create --help", { env: { COURIER_PAGER: marking }, rows: 20 });
    expect((await long.ended).exit).toBe(0);
    expect(long.transcript()).toMatch(/^\| Create an order/);
    const short = home.open("profile", { env: { COURIER_PAGER: marking }, rows: 60 });
    expect((await short.ended).exit).toBe(0);
    expect(short.transcript()).not.toContain("| ");
  });

  test("colours stay, and the key stays out of its environment", async () => {
    const home = await createServedTerminalHome();
    const pager = path.join(home.directory, "pager.sh");
    await writeFile(pager, '#!/bin/sh\necho "key: $COURIER_API_KEY."\ncat\n');
    await chmod(pager, 0o700);
    const terminal = home.open("profile", { env: { COURIER_PAGER: pager }, rows: 3 });
    expect((await terminal.ended).exit).toBe(0);
    expect(terminal.transcript()).toContain("key: .");
    expect(terminal.output).toContain("\u001b[");
  });

  test("one that ends early is no error", async () => {
    const home = await createTerminalHome();
    const terminal = home.open("orders create --help", { env: { COURIER_PAGER: "head -n 1" }, rows: 20 });
    expect((await terminal.ended).exit).toBe(0);
    expect(terminal.transcript().trim().split("\n")).toEqual([expect.stringContaining("Create an order")]);
  });

  test("Ctrl-C is the pager's, and courier waits for it", async () => {
    const home = await createTerminalHome();
    const pager = path.join(home.directory, "pager.sh");
    await writeFile(
      pager,
      "#!/bin/sh\ntrap 'echo caught' INT\necho ready\nread -r answer < /dev/tty\necho left\n",
    );
    await chmod(pager, 0o700);
    const terminal = home.open("orders create --help", { env: { COURIER_PAGER: pager }, rows: 20 });
    await terminal.until("ready");
    terminal.type(keys.ctrlC);
    // Only that the key came: a shell that gets a signal just before it reads runs its trap after the line.
    await terminal.until("^C");
    terminal.type(keys.enter);
    expect((await terminal.ended).exit).toBe(0);
    expect(terminal.transcript()).toMatch(/caught\s+left/);
    expect(terminal.transcript()).not.toContain("interrupted");
  });

  test.each([
    ["TERM", 143, "terminated"],
    ["HUP", 129, "the terminal was closed"],
  ])("SIG%s ends the pager and courier", async (signal, exit, said) => {
    const home = await createTerminalHome();
    const pager = path.join(home.directory, "pager.sh");
    const script = `kill -${signal} $PPID; read -r answer < /dev/tty; echo left`;
    await writeFile(pager, `#!/bin/sh\n${script}\n`);
    await chmod(pager, 0o700);
    const terminal = home.open("orders create --help", { env: { COURIER_PAGER: pager }, rows: 20 });
    expect((await terminal.ended).exit).toBe(exit);
    expect(terminal.transcript()).not.toContain("left");
    expect(terminal.transcript()).not.toContain("COURIER_PAGER");
    expect(terminal.transcript()).toContain(said);
  });

  test("SIGTERM ends also a pager that hears of no signal", async () => {
    const home = await createTerminalHome();
    const pager = path.join(home.directory, "pager.sh");
    await writeFile(
      pager,
      "#!/bin/sh\ntrap '' TERM\necho $$ > pid\nkill -TERM $PPID\nwhile :; do sleep 1; done\n",
    );
    await chmod(pager, 0o700);
    const terminal = home.open("orders create --help", { env: { COURIER_PAGER: pager }, rows: 20 });
    expect((await terminal.ended).exit).toBe(143);
    const pid = Number(await home.read("pid"));
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  test.each([
    ["no-such-pager", /warning: COURIER_PAGER is not used: no-such-pager cannot be started/],
    ["less 'x", /warning: COURIER_PAGER is not used: it has a quote that is not closed/],
    ["false", /warning: COURIER_PAGER: false ended with exit code 1[\s\S]*Create an order/],
    ["sh -c 'kill -SEGV $$'", /warning: COURIER_PAGER: sh was ended by SIGSEGV[\s\S]*Create an order/],
  ])("%s: the text is shown without it", async (pager, warning) => {
    const home = await createTerminalHome();
    const terminal = home.open("orders create --help", { env: { COURIER_PAGER: pager }, rows: 20 });
    expect((await terminal.ended).exit).toBe(0);
    expect(terminal.transcript()).toContain("Create an order");
    expect(terminal.transcript()).toMatch(warning);
  });

  test("one that a signal ends is named", async () => {
    const home = await createTerminalHome();
    const env = { COURIER_PAGER: "sh -c 'kill -KILL $$'" };
    const terminal = home.open("orders create --help", { env, rows: 20 });
    expect((await terminal.ended).exit).toBe(0);
    expect(terminal.transcript()).toContain("warning: COURIER_PAGER: sh was ended by SIGKILL");
  });

  test("a pipe and a file have none", async () => {
    const home = await createTerminalHome();
    const env = { COURIER_PAGER: marking };
    const piped = home.open("orders create --help", { env, rows: 20, shell: '"$@" > said.txt' });
    expect((await piped.ended).exit).toBe(0);
    expect(await home.read("said.txt")).toMatch(/^Create an order/);
  });
});
