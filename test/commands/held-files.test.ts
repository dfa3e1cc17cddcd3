/** Files that another program holds open while courier replaces them, as virus scanners on Windows do. */

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createHome, createServedHome, type Home } from "../support/courier.ts";
import { createImportHome, row, sheet } from "../support/imports.ts";
import { canKeepFiles, canMount, holdFile, keepFiles } from "../support/small-disk.ts";

/** Calls `act` when the run has slept `times` times. */
function afterSleeps({ clock }: Home, times: number, act: () => void): void {
  const { sleep } = clock;
  let left = times;
  clock.sleep = async (...given) => {
    await sleep(...given);
    left -= 1;
    if (left === 0) act();
  };
}

const waitedMs = ({ clock }: Home) => clock.delays.reduce((sum, delay) => sum + delay, 0);

describe.skipIf(!canMount())("a file that cannot be replaced (needs root)", () => {
  async function homeWithAddress() {
    const home = await createHome();
    await home.courier("addresses add shop --name 张三");
    return { ...home, file: path.join(home.configDir, "config.json") };
  }

  test("for a moment: the address is saved", async () => {
    const home = await homeWithAddress();
    const release = holdFile(home.file);
    afterSleeps(home, 3, release);
    expect(await home.courier("addresses add li --name 李四")).toMatchObject({ exit: 0 });
    expect(Object.keys(JSON.parse(await readFile(home.file, "utf8")).addresses)).toEqual(["shop", "li"]);
    expect(await readdir(home.configDir)).toEqual(["config.json", "config.lock.db"]);
  });

  test("for longer: after two seconds the command fails, says why, and leaves no draft", async () => {
    const home = await homeWithAddress();
    holdFile(home.file);
    const before = await readFile(home.file, "utf8");
    const { exit, stderr } = await home.courier("addresses add li --name 李四");
    expect([exit, stderr]).toEqual([
      2,
      `error: cannot write the config file ${home.file}: another program is using it, or it is mounted on its own\n` +
        `hint: close that program; in a container, mount the directory ${home.configDir} instead\n`,
    ]);
    expect(waitedMs(home)).toBeGreaterThan(1_500);
    expect(waitedMs(home)).toBeLessThanOrEqual(2_000);
    expect(await readFile(home.file, "utf8")).toBe(before);
    expect(await readdir(home.configDir)).toEqual(["config.json", "config.lock.db"]);
  });

  async function homeWithExport() {
    const home = await createServedHome({ seedOrders: 3 });
    const file = path.join(home.directory, "a.ndjson");
    await writeFile(file, "old");
    return { ...home, file, export: () => home.courier(["orders", "export", "-o", file]) };
  }

  test("for a moment: the export is written", async () => {
    const home = await homeWithExport();
    afterSleeps(home, 3, holdFile(home.file));
    expect((await home.export()).exit).toBe(0);
    expect((await readFile(home.file, "utf8")).split("\n")).toHaveLength(4);
  });

  test("for longer: the export says where its rows are", async () => {
    const home = await homeWithExport();
    holdFile(home.file);
    const { exit, stderr } = await home.export();
    expect(exit).toBe(5);
    const [, draft = ""] =
      /^error: .* cannot be written: another program is using it, or it is mounted on its own; the rows are in (.*)$/m.exec(
        stderr,
      ) ?? [];
    expect(path.dirname(draft)).toBe(home.directory);
    expect((await readFile(draft, "utf8")).split("\n")).toHaveLength(4);
    expect(await readFile(home.file, "utf8")).toBe("old");
    expect((await readdir(home.directory)).filter((name) => name.endsWith(".old"))).toEqual([]);
  });

  test("for longer: an import in place says where the new sheet is, and leaves no copy of the old one", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    holdFile(home.file);
    const { exit, stderr } = await home.courier(["orders", "import", home.file, "--in-place", "--yes"]);
    expect(exit).toBe(5);
    const [, draft = ""] =
      /another program is using it, or it is mounted on its own; the rows are in (\S*)$/m.exec(stderr) ?? [];
    expect(await readFile(draft, "utf8")).toContain("Courier tracking number");
    expect((await readdir(home.directory)).filter((name) => name.startsWith("orders.csv")).sort()).toEqual(
      ["orders.csv", path.basename(draft)].sort(),
    );
  });

  test("earlier rejects, for a moment: they are moved aside; for longer: the new ones are named", async () => {
    const home = await createImportHome(sheet(row("A-1", "王五", "12")));
    const rejects = await home.put("fixed by hand", "rejects.csv");
    const release = holdFile(rejects);
    const held = await home.run(`--rejects ${rejects}`);
    const [, draft = ""] =
      /^warning: cannot write the rejects to .*: another program is using it, or it is mounted on its own; they are in (.*)$/m.exec(
        held.stderr,
      ) ?? [];
    expect([held.exit, await readFile(draft, "utf8")]).toEqual([3, expect.stringContaining("A-1")]);
    expect((await readdir(home.directory)).filter((name) => /rejects/.test(name)).sort()).toEqual(
      ["rejects.csv", path.basename(draft)].sort(),
    );
    afterSleeps(home, 3, release);
    const ran = await home.run(`--retry-refused --rejects ${rejects}`);
    expect([ran.exit, await readFile(rejects, "utf8")]).toEqual([3, expect.stringContaining("A-1")]);
    expect(await readFile(`${rejects}.old`, "utf8")).toBe("fixed by hand");
  });
});

describe.skipIf(!canKeepFiles())("a directory that takes files and lets none go (needs root)", () => {
  async function homeWithDirectory() {
    const home = await createImportHome(sheet(row("A-1")));
    const directory = path.join(home.directory, "drop");
    await mkdir(directory);
    keepFiles(directory);
    return { ...home, drop: directory };
  }

  test("login: the key that is left there is named", async () => {
    const { directory, courier } = await createHome();
    const configDir = path.join(directory, "kept");
    await mkdir(configDir, { mode: 0o700 });
    keepFiles(configDir);
    const { exit, stderr } = await courier("login --no-verify --base-url https://service.example", {
      stdin: "a-key-12345\n",
      env: { COURIER_CONFIG_DIR: configDir, COURIER_API_KEY: "", COURIER_BASE_URL: "" },
    });
    const [left = ""] = (await readdir(configDir)).filter((name) => name.includes(".part-"));
    const draft = path.join(configDir, left);
    expect([exit, await readFile(draft, "utf8")]).toEqual([2, expect.stringContaining("a-key-12345")]);
    expect(stderr).toContain(
      `permission denied; ${draft} is left there\nhint: delete it, for it may hold a key: rm ${draft}\n`,
    );
  });

  test.each(["--write-back", "--rejects"])("import %s: refused before anything is sent", async (flag) => {
    const home = await homeWithDirectory();
    const output = path.join(home.drop, "out.csv");
    const { exit, stderr } = await home.courier(["orders", "import", home.file, "--yes", flag, output]);
    const [left = ""] = await readdir(home.drop);
    expect(exit).toBe(flag === "--rejects" ? 2 : 5);
    expect(stderr).toContain(`permission denied; ${path.join(home.drop, left)} is left there\n`);
    expect(await home.receivers()).toEqual([]);
  });
});
