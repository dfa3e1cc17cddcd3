/** A machine without SQLite: what only reads works, and what would send an order stops before it is sent. */

import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createServedProcessHome, type ServedProcessHome, type StartOptions } from "../support/process.ts";

const hasOwnDriver = Number(process.versions.node.split(".")[0]) >= 22;

describe.skipIf(hasOwnDriver || process.env.COURIER_BIN)("without SQLite (needs Node.js 20)", () => {
  test.each(["orders list --json", "profile --json", "accounts list --json"])("%s works", async (words) => {
    const { courier } = await createBareHome();
    expect(await courier(words)).toMatchObject({ exit: 0, stderr: "" });
  });

  // Commands that change something at the service.
  test.each([
    "orders create --sender-name a --receiver-name b --item-name c --json",
    "orders import orders.csv --yes --json",
  ])("%s ends with exit 5 before anything is sent", async (words) => {
    const home = await createBareHome();
    const stdin = "ref,sender.name,receiver.name,item.name\nA1,a,b,c\n";
    const { exit, stdout, stderr } = await home.courier(words.replace("orders.csv", "-"), { stdin });
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
    expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "").error).toMatchObject({
      code: "database",
      message: expect.stringContaining("the ledger cannot be opened: SQLite is missing"),
      hint: "use Node.js 22.16 or later, or install again without --omit=optional",
    });
    expect(JSON.parse((await home.courier("orders list --json")).stdout)).toEqual([]);
  });

  test("a driver that is there and does not load is not called missing, and the reason is shown", async () => {
    const home = await createBareHome();
    const driver = path.join(home.directory, "bare/node_modules/@photostructure/sqlite");
    await mkdir(driver, { recursive: true });
    await writeFile(path.join(driver, "index.js"), 'require("./native.node");');
    await writeFile(path.join(driver, "native.node"), "");
    const { exit, stderr } = await home.courier(
      "orders create --sender-name a --receiver-name b --item-name c --json",
    );
    expect(exit).toBe(5);
    const { error } = JSON.parse(stderr);
    expect(error.code).toBe("database");
    expect(error.message).toMatch(
      /^the ledger cannot be opened: SQLite cannot be loaded \(.*native\.node.*\)$/,
    );
    expect(error.hint).toBe(
      "free some memory, or allow more: ulimit -v unlimited; if enough is free, use Node.js 22.16 or later, or install again",
    );
  });

  test("doctor says so", async () => {
    const { courier } = await createBareHome();
    const { exit, stdout } = await courier("doctor --json");
    expect(exit).toBe(5);
    const checks: { check: string }[] = JSON.parse(stdout);
    expect(checks.find(({ check }) => check === "ledger")).toMatchObject({
      status: "fail",
      advice: "use Node.js 22.16 or later, or install again without --omit=optional",
    });
  });
});

/** The program without its optional packages. */
async function createBareHome(): Promise<
  Pick<ServedProcessHome, "run" | "directory"> & {
    courier(words: string, options?: StartOptions): ReturnType<ServedProcessHome["run"]>;
  }
> {
  const home = await createServedProcessHome();
  const built = path.resolve(home.program.at(-1) ?? "", "../..");
  const copy = path.join(home.directory, "bare");
  await mkdir(copy);
  for (const part of ["bin", "dist", "package.json"])
    await cp(path.join(built, part), path.join(copy, part), { recursive: true });
  const program = [process.execPath, path.join(copy, "bin/courier.cjs")];
  return {
    run: home.run,
    directory: home.directory,
    courier: (words, options) => home.run([...program, ...words.split(" ")], options),
  };
}
