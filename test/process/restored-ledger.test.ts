/** A ledger that is restored from a backup while the log of the lost one is beside it: no row is sent twice. */

import { copyFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createServedProcessHome, type ProcessHome, type Running, until } from "../support/process.ts";

const header =
  "ref,sender.name,sender.phone,sender.province,sender.city,sender.district,sender.detail,receiver.name,receiver.phone,receiver.province,receiver.city,receiver.district,receiver.detail,item.name,item.quantity";

async function writeSheet({ directory }: ProcessHome, from: number, count: number): Promise<string> {
  const rows = Array.from({ length: count }, (_, index) => {
    const at = from + index;
    return `A-${at},店,13800138000,北京市,北京市,朝阳区,建国路1号,李${at},${13_900_130_000 + at},北京市,北京市,朝阳区,建国路${at}号,书,1`;
  });
  const file = path.join(directory, `from-${from}.csv`);
  await writeFile(file, `${[header, ...rows].join("\n")}\n`);
  return file;
}

const endings: Readonly<Record<string, (running: Running, ledger: string) => unknown>> = {
  "a process was killed": ({ pid }) => process.kill(pid, "SIGKILL"),
  "it was removed during an import": (_running, ledger) => rm(ledger),
};

test.each(Object.entries(endings))(
  "after %s: no row is sent, and a log is refused until it is deleted",
  async (_name, end) => {
    const home = await createServedProcessHome({ latencyMs: 2 });
    const ledger = path.join(home.stateDir, "ledger.db");
    const backup = path.join(home.directory, "backup.db");
    const posts = () => home.sandbox.requests.filter(({ method }) => method === "POST").length;
    const send = (file: string) => home.courier(`orders import ${file} --yes`);
    expect((await send(await writeSheet(home, 0, 20))).exit).toBe(0);
    await copyFile(ledger, backup);
    const today = await writeSheet(home, 1_000, 20);
    expect((await send(today)).exit).toBe(0);
    const before = posts();
    const running = home.start(`orders import ${await writeSheet(home, 2_000, 300)} --yes`);
    await until("rows are sent", () => posts() > before + 30);
    await end(running, ledger);
    await running.ended;

    // Bun's SQLite empties the log of a file that is gone: then the rows are held as orders made elsewhere.
    const hasLog = (await stat(`${ledger}-wal`)).size > 0;
    await copyFile(backup, ledger);
    const sent = posts();
    const { exit, stderr } = await send(today);
    expect({ exit, sent: posts() - sent }).toEqual({ exit: hasLog ? 5 : 3, sent: 0 });
    if (!hasLog) return;
    expect(stderr).toContain(`the log of the ledger cannot be used: it is of another file: ${ledger}-wal`);
    const [, remove = ""] = /(delete .*), then restore the ledger from a backup/.exec(stderr) ?? [];
    expect(
      await home.run(["sh", "-c", remove.replace("delete", "rm -f").replace(" and ", " ")]),
    ).toMatchObject({ exit: 0 });
    await send(today);
    expect(posts() - sent).toBe(0);
  },
);

test("no command says that there is no ledger yet while its log is refused", async () => {
  const home = await createServedProcessHome({ latencyMs: 2 });
  const running = home.start(`orders import ${await writeSheet(home, 0, 300)} --yes`);
  const posts = () => home.sandbox.requests.filter(({ method }) => method === "POST").length;
  await until("rows are sent", () => posts() > 30);
  process.kill(running.pid, "SIGKILL");
  await running.ended;
  await rm(path.join(home.stateDir, "ledger.db"));
  for (const words of ["ledger status", "doctor", "log", "orders resolve", "ledger forget --yes"]) {
    const { exit, stdout, stderr } = await home.courier(words);
    expect(exit, words).toBe(5);
    expect(stdout + stderr).toContain("its file is missing");
  }
});
