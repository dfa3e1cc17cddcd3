/** A mirror on a disk that is full, or that may only be read: what asks the service still answers. */

import { execFileSync } from "node:child_process";
import { chmod, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createServedProcessHome, type Ended } from "../support/process.ts";
import { canKeepFiles, canMount, keepFiles, mountDisk } from "../support/small-disk.ts";
import { lacks } from "../support/tools.ts";

interface Listed {
  readonly id: number;
  readonly order_no: string;
}

async function homeWithMirror() {
  const disk = await mountDisk("size=600k");
  const home = await createServedProcessHome({ seedOrders: 12 });
  const env = { COURIER_STATE_DIR: path.join(disk, "state") };
  expect(await home.courier("sync", { env })).toMatchObject({ exit: 0 });
  const [order] = JSON.parse((await home.courier("orders list --json", { env })).stdout) as Listed[];
  return { ...home, disk, env, order: order as Listed };
}

/** What the service answers comes out; what only the mirror answers fails with its reason and the way out. */
async function expectOnlyTheService(
  courier: (words: string) => Promise<Ended>,
  { id, order_no }: Listed,
  problem: RegExp,
): Promise<void> {
  for (const words of ["orders list --json", `orders show ${id} --json`, `orders show ${order_no} --json`]) {
    const { exit, stdout, stderr } = await courier(words);
    expect([words, exit, stdout.includes(order_no)], stderr).toEqual([words, 0, true]);
    expect(stderr).not.toContain("mirror");
  }
  for (const words of ["sync", "find mug", "orders list --offline", "orders show nosuch", "report spend"]) {
    const { exit, stdout, stderr } = await courier(words);
    expect([words, exit, stdout]).toEqual([words, 5, ""]);
    expect(stderr).toMatch(problem);
  }
}

test.skipIf(!canMount())(
  "on a full disk (needs root): exit 5 for what needs the mirror, until there is room",
  async () => {
    const { courier, disk, env, order } = await homeWithMirror();
    const filler = path.join(disk, "filler");
    await writeFile(filler, Buffer.alloc(512 * 1_024)).catch(() => {});
    const full =
      /^error: the mirror cannot be used: the disk (is|may be) full: .*\.db\nhint: make room, then run the same command again\n$/;
    await expectOnlyTheService((words) => courier(words, { env }), order, full);
    await rm(filler);
    expect(await courier("sync", { env })).toMatchObject({ exit: 0 });
    expect((await courier(`find ${order.order_no} --json`, { env })).stdout).toContain(order.order_no);
  },
);

test.skipIf(!canMount() || lacks("setpriv"))(
  "for a user who may only read it (needs root and setpriv): exit 5 for what needs the mirror",
  async () => {
    const { run, program, disk, env, directory, order } = await homeWithMirror();
    for (const each of [disk, path.dirname(path.dirname(program.at(-1) ?? ""))]) await chmod(each, 0o755);
    execFileSync("chown", ["-R", "65534:65534", env.COURIER_STATE_DIR, directory]);
    execFileSync("chmod", ["-R", "a-w", env.COURIER_STATE_DIR]);
    const user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", ...program];
    const readOnly =
      /^error: the mirror cannot be used: .*: .*\.db\nhint: .*: SQLite writes beside a file that it reads, too\n$/;
    await expectOnlyTheService((words) => run([...user, ...words.split(" ")], { env }), order, readOnly);
  },
);

test.skipIf(!canKeepFiles())("sync --rebuild, where the mirror cannot be deleted (needs root)", async () => {
  const home = await createServedProcessHome({ seedOrders: 3 });
  expect(await home.courier("sync")).toMatchObject({ exit: 0 });
  keepFiles(path.join(home.stateDir, "mirror"));
  const { exit, stderr } = await home.courier("sync --rebuild");
  expect(exit, stderr).toBe(5);
  expect(stderr).toMatch(
    /^error: the mirror cannot be deleted: permission denied: .*\.db-wal\nhint: once that is fixed, run the same command again$/m,
  );
});
