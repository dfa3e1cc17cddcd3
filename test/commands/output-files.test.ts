/** Files that a command writes: never over its input, and never over what courier keeps. */

import { execFileSync } from "node:child_process";
import { chmod, link, lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { nameOutputDraft } from "../../src/core/output-draft.ts";
import { createServedHome } from "../support/courier.ts";
import { deadPid } from "../support/dead-process.ts";
import { createImportHome, errorOf, type ImportHome, row, sheet } from "../support/imports.ts";
import { lacks } from "../support/tools.ts";
import { asUser } from "../support/unprivileged.ts";

const refusedRow = row("A-2", "王五", "12");

/** All files in a home by name, with their text; of a database only its first words. */
async function contents(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const folder of ["", "config", "state", "state/sandbox"]) {
    for (const name of await readdir(path.join(directory, folder)).catch(() => [])) {
      if (/-(wal|shm)$/.test(name)) continue; // SQLite's own: gone, perhaps, before they can be looked at
      const at = path.join(directory, folder, name);
      if (!(await lstat(at)).isFile()) continue;
      const text = await readFile(at, "latin1");
      found[path.join(folder, name)] = name.endsWith(".db") ? text.slice(0, 16) : text;
    }
  }
  return found;
}

describe("--rejects that names the input by another way", () => {
  const ways: readonly (readonly [string, (home: ImportHome) => Promise<string>])[] = [
    ["its own name", async ({ file }) => file],
    ["a name with dots", async ({ directory }) => `${directory}/../${path.basename(directory)}/orders.csv`],
    [
      "a link to its directory",
      async ({ directory }) => {
        await symlink(directory, path.join(directory, "link"));
        return path.join(directory, "link/orders.csv");
      },
    ],
    [
      "a symbolic link",
      async ({ directory, file }) => {
        await symlink(file, path.join(directory, "bad.csv"));
        return path.join(directory, "bad.csv");
      },
    ],
    [
      // What a case-insensitive file system shows for another letter case: another name, the same inode.
      "a hard link",
      async ({ directory, file }) => {
        await link(file, path.join(directory, "ORDERS.csv"));
        return path.join(directory, "ORDERS.csv");
      },
    ],
  ];

  test.each(ways)("%s: exit 2 with both names, nothing sent, nothing moved", async (_way, make) => {
    const home = await createImportHome(sheet(row("A-1"), refusedRow));
    const rejects = await make(home);
    const before = await contents(home.directory);
    const ran = await home.run(`--rejects ${rejects}`);
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    expect(errorOf(ran).message).toBe(`--rejects ${rejects} is the same file as the input ${home.file}`);
    expect(errorOf(ran).hint).toBe("give --rejects another name");
    expect(await contents(home.directory)).toEqual(before);
  });

  test("and where the input is a link to it", async () => {
    const home = await createImportHome(sheet(row("A-1"), refusedRow));
    const input = path.join(home.directory, "today.csv");
    await symlink(home.file, input);
    const ran = await home.importFile(input, `--rejects ${home.file}`);
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    expect(errorOf(ran).message).toContain(`the same file as the input ${input}`);
  });

  test("another file of the same name elsewhere is none of them", async () => {
    const home = await createImportHome(sheet(row("A-1"), refusedRow));
    await mkdir(path.join(home.directory, "bad"));
    const ran = await home.run(`--rejects ${path.join(home.directory, "bad/orders.csv")}`);
    expect([ran.exit, home.posts]).toEqual([3, 2]);
  });

  test("a pipe with a name is no place for rejects, and stays", async () => {
    const home = await createImportHome(sheet(row("A-1"), refusedRow));
    const pipe = path.join(home.directory, "pipe");
    execFileSync("mkfifo", [pipe]);
    const ran = await home.run(`--rejects ${pipe}`);
    expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
    expect(errorOf(ran).message).toBe(`cannot write the rejects to ${pipe}: it is not a regular file`);
    expect((await lstat(pipe)).isFIFO()).toBe(true);
  });
});

describe("a name that is no file's is refused before anything is sent", () => {
  const unset = "give it the name of a file; is a variable of the shell not set?";
  const noStdout = "give it the name of a file; one that is called - is ./-";

  test.each([
    ["", "--rejects is given no name", unset],
    ["-", "--rejects writes a file, and not to stdout", noStdout],
  ])("--rejects “%s”", async (name, message, hint) => {
    const home = await createImportHome(sheet(row("A-1"), refusedRow));
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json", "--rejects", name]);
    expect([ran.exit, home.sandbox.requests, errorOf(ran)]).toMatchObject([2, [], { message, hint }]);
  });

  test("--output “”", async () => {
    const home = await createServedHome({ seedOrders: 1 });
    const { exit, stdout, stderr } = await home.courier(["orders", "export", "-o", ""]);
    expect([exit, stdout, home.sandbox.requests]).toEqual([2, "", []]);
    expect(stderr).toBe(`error: --output is given no name\nhint: ${unset}\n`);
  });
});

describe("what courier keeps is never written over", () => {
  const names: Readonly<Record<string, string>> = {
    "config/config.json": "the config file",
    "config/config.lock.db": "the lock of the config file",
    "state/ledger.db": "the ledger",
    "state/completion-orders.json": "the orders for the Tab key",
    "state/sandbox/sandbox.db": "the sandbox",
  };

  test("any of the files that there are after a few commands, by its own name or through a link", async () => {
    const home = await createImportHome(sheet(row("A-1"), refusedRow));
    await home.courier("addresses add shop --name 张三");
    await home.courier("orders create --account sandbox --sender-name a --receiver-name b --item-name c", {
      env: { COURIER_BASE_URL: "", COURIER_API_KEY: "" },
    });
    await symlink(home.directory, path.join(home.directory, "link"));
    const before = await contents(home.directory);
    const kept = Object.keys(before).filter((name) => /^(config|state)\//.test(name));
    expect(kept.sort()).toEqual(Object.keys(names).sort());
    for (const name of kept) {
      for (const at of [path.join(home.directory, name), path.join(home.directory, "link", name)]) {
        const taken = `${at} is the same file as ${names[name]} ${path.join(home.directory, name)}`;
        const imported = await home.run(`--rejects ${at}`);
        expect([imported.exit, errorOf(imported).message]).toEqual([2, `--rejects ${taken}`]);
        const exported = await home.courier(["orders", "export", "-o", at]);
        expect([exported.exit, exported.stderr]).toEqual([2, expect.stringContaining(`--output ${taken}\n`)]);
      }
    }
    expect(home.sandbox.requests).toEqual([]);
    expect(await contents(home.directory)).toEqual(before);
  });

  test("also where it is yet to be made, in whatever letter case", async () => {
    const home = await createServedHome({ seedOrders: 1 });
    await mkdir(home.stateDir);
    for (const name of ["ledger.db", "Ledger.DB", "ledger.db-shm"]) {
      const { exit, stderr } = await home.courier(["orders", "export", "-o", path.join(home.stateDir, name)]);
      expect([exit, stderr]).toEqual([2, expect.stringContaining("as the ledger ")]);
    }
    expect(await readdir(home.stateDir)).toEqual([]);
  });

  test("other files in these directories are free", async () => {
    const home = await createServedHome({ seedOrders: 1 });
    await mkdir(home.stateDir);
    const file = path.join(home.stateDir, "january.csv");
    expect((await home.courier(["orders", "export", "-o", file])).exit).toBe(0);
    expect(await readFile(file, "utf8")).toMatch(/^id,/);
  });
});

test.each([
  ["orders export -o all.csv.gz", "cannot write compressed files (.gz)", "use -o all.csv, and compress it"],
  ["orders export -o all.ZIP", "cannot write compressed files (.ZIP)", "use -o all.csv, and compress it"],
  ["orders export -o all.xls", "cannot write .xls files", "use -o all.xlsx"],
  ["orders export -o all.ods", "cannot write .ods files", "use -o all.xlsx"],
  [
    "orders import orders.csv --rejects all.xlsx",
    "cannot write .xlsx files",
    "use --rejects all.csv; Excel opens it",
  ],
  [
    "orders import orders.csv --rejects orders.xlsx",
    "cannot write .xlsx files",
    "use --rejects orders-new.csv; Excel opens it",
  ],
  [
    "orders import orders.csv --rejects bad.json.gz",
    "cannot write compressed files (.gz)",
    "use --rejects bad.json, and compress it",
  ],
  [
    "orders import orders.csv --rejects bad.PDF",
    "cannot write .PDF files",
    "use --rejects bad.csv; a spreadsheet program prints it to a PDF file",
  ],
])("a name that promises another form is refused: %s", async (words, message, hint) => {
  const home = await createServedHome();
  const { exit, stdout, stderr } = await home.courier(`${words}`);
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
  expect(stderr).toContain(`error: ${message}\nhint: ${hint}`);
});

const wrongJson = JSON.stringify({ ref: "A-1", receiver: { name: "李四" }, item: { weight: "heavy" } });

test.each([
  ["CSV", sheet(row("A-1")), "--rejects bad.json", "bad.csv"],
  ["CSV", sheet(row("A-1")), "--rejects bad.jsonl --check", "bad.csv"],
  ["CSV", sheet(row("A-1")), "--write-back done.ndjson", "done.csv"],
  ["JSON", `[${wrongJson}]`, "--rejects bad.csv", "bad.json"],
  ["NDJSON", wrongJson, "--rejects bad.json", "bad.ndjson"],
])("rows of %s are not written under the name of another form", async (form, content, words, name) => {
  const home = await createImportHome(content);
  const [flag = "", file = ""] = words.split(" ");
  const { exit, stdout, stderr } = await home.courier([
    "orders",
    "import",
    home.file,
    "--yes",
    ...words.split(" "),
  ]);
  expect({ exit, stdout, posts: home.posts }).toEqual({ exit: 2, stdout: "", posts: 0 });
  expect(stderr).toContain(
    `error: the rows of ${home.file} are written as ${form}, and ${file} is a name of another form\n` +
      `hint: use ${flag} ${name}\n`,
  );
});

test("--output does not write over a file that an import has read", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  expect((await home.run()).exit).toBe(0);
  const refused = await home.courier(["orders", "export", "-o", home.file]);
  expect(refused).toMatchObject({ exit: 2, stdout: "" });
  expect(refused.stderr).toBe(
    `error: --output ${home.file} is the input of an import (run 1), and would be overwritten\n` +
      `hint: give --output another name, or move ${home.file} away first\n`,
  );
  expect(await readFile(home.file, "utf8")).toBe(sheet(row("A-1")));
  const other = path.join(home.directory, "all.csv");
  for (let time = 0; time < 2; time++)
    expect((await home.courier(["orders", "export", "-o", other])).exit).toBe(0);
});

describe("a file that is there already", () => {
  const writers: readonly (readonly [string, (home: ImportHome, output: string) => readonly string[]])[] = [
    ["orders export -o", (_home, output) => ["orders", "export", "-o", output]],
    ["orders slips -o", (_home, output) => ["orders", "slips", "1000001", "-o", output]],
    ["orders write-back -o", ({ file }, output) => ["orders", "write-back", file, "-o", output]],
    [
      "orders import --write-back",
      ({ file }, output) => ["orders", "import", file, "--yes", "--write-back", output],
    ],
  ];

  test.each(writers)("%s: is kept as .old, and the next one beside it", async (_name, words) => {
    const home = await createImportHome(sheet(row("A-1")));
    expect((await home.run()).exit).toBe(0);
    const output = await home.put("my notes", "shipped.csv");
    const first = await home.courier(words(home, output));
    expect(first.exit).toBe(0);
    expect(first.stderr).toContain(`warning: an earlier, different file is now ${output}.old\n`);
    expect(await readFile(`${output}.old`, "utf8")).toBe("my notes");
    const written = await readFile(output, "utf8");
    await writeFile(output, `${written}edited`);
    const second = await home.courier(words(home, output));
    expect(second.exit).toBe(0);
    expect(second.stderr).toContain(`is now ${output}.old2\n`);
    expect(await readFile(output, "utf8")).toBe(written);
    expect(await readFile(`${output}.old2`, "utf8")).toBe(`${written}edited`);
    expect(await readFile(`${output}.old`, "utf8")).toBe("my notes");
  });

  test("a link to the file itself does not keep it", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    const output = await home.put("my notes", "all.csv");
    await symlink("all.csv", `${output}.old`);
    const { exit, stderr } = await home.courier(["orders", "export", "-o", output]);
    expect([exit, stderr]).toEqual([0, expect.stringContaining(`is now ${output}.old2\n`)]);
    expect(await readFile(`${output}.old2`, "utf8")).toBe("my notes");
  });

  /** A file of root's in a directory such as /tmp, where everybody may add names, and take away only their own. */
  test.skipIf(process.geteuid?.() !== 0)(
    "that may not be replaced, in a sticky directory: its second name is told (needs root)",
    async () => {
      const home = await createServedHome({ seedOrders: 1 });
      const shared = path.join(home.directory, "shared");
      await mkdir(shared);
      await chmod(shared, 0o1777);
      const output = path.join(shared, "all.csv");
      await writeFile(output, "my notes");
      await chmod(output, 0o666);
      await asUser([home.directory], async () => {
        const { exit, stderr } = await home.courier(["orders", "export", "-o", output]);
        expect(exit, stderr).toBe(5);
        expect(stderr).toContain(
          `warning: ${output}.old, a second name of ${output}, cannot be removed: permission denied\n`,
        );
      });
      expect(await readFile(output, "utf8")).toBe("my notes");
    },
  );

  test("that only its owner may read stays so", async () => {
    const home = await createServedHome({ seedOrders: 1 });
    const output = path.join(home.directory, "all.csv");
    for (const mode of [0o600, 0o640]) {
      await writeFile(output, "");
      await chmod(output, mode);
      for (let count = 0; count < 2; count++) {
        expect((await home.courier(["orders", "export", "-o", output])).exit).toBe(0);
        expect((await lstat(output)).mode & 0o777).toBe(mode);
      }
    }
  });

  test.skipIf(lacks("setfacl", "getfacl"))(
    "that has an access list keeps it: its bits for the group are not the group's",
    async () => {
      const home = await createServedHome({ seedOrders: 1 });
      const output = path.join(home.directory, "all.csv");
      await writeFile(output, "");
      execFileSync("setfacl", ["-m", "u:nobody:rw,g::---,o::---,m::rw", output]);
      const list = () => execFileSync("getfacl", ["--omit-header", "--absolute-names", output]).toString();
      const before = list();
      expect((await home.courier(["orders", "export", "-o", output])).exit).toBe(0);
      expect((await lstat(output)).size).toBeGreaterThan(0);
      expect(list()).toBe(before);
    },
  );

  test("is replaced where courier wrote it there, and nobody has changed it since", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    const output = path.join(home.directory, "all.csv");
    for (const orders of [0, 1]) {
      const { exit, stderr } = await home.courier(["orders", "export", "-o", output]);
      expect([exit, stderr]).toEqual([0, `wrote ${orders === 1 ? "1 row" : "0 rows"} to ${output}\n`]);
      await home.run();
    }
    expect((await readdir(home.directory)).filter((name) => name.startsWith("all.csv"))).toEqual(["all.csv"]);
  });

  test("a sheet that was written in place stays the user's own: it is kept", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    expect((await home.run()).exit).toBe(0);
    const copy = await home.put(sheet(row("A-1")), "copy.csv");
    expect((await home.courier(["orders", "write-back", copy, "--in-place"])).exit).toBe(0);
    const inPlace = await readFile(copy, "utf8");
    expect((await readdir(home.directory)).filter((name) => name.endsWith(".old"))).toEqual([]);
    expect((await home.courier(["orders", "export", "-o", copy])).exit).toBe(0);
    expect(await readFile(`${copy}.old`, "utf8")).toBe(inPlace);
  });

  test("is replaced where it is empty", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    const output = await home.put("", "all.csv");
    const { exit, stderr } = await home.courier(["orders", "export", "-o", output]);
    expect([exit, stderr]).toEqual([0, `wrote 0 rows to ${output}\n`]);
  });
});

test.each([
  ["orders export -o", (_home: ImportHome, output: string) => ["orders", "export", "-o", output]],
  [
    "orders import --rejects",
    ({ file }: ImportHome, output: string) => ["orders", "import", file, "--yes", "--rejects", output],
  ],
] as const)(
  "%s removes the drafts that dead processes left of this file, and no other",
  async (_name, words) => {
    const home = await createImportHome(sheet(row("A-1"), refusedRow));
    const output = path.join(home.directory, "all.csv");
    const table = (pid: number) => ({ pid, isAlive: (id: number) => id === process.pid });
    const dead = nameOutputDraft(output, table(deadPid()));
    const others = [
      nameOutputDraft(output, table(process.pid)),
      nameOutputDraft(path.join(home.directory, "other.csv"), table(deadPid())),
      dead.replace(/-[0-9a-f]{8}-(?=[^-]*$)/, "-00000000-"), // of another machine
      `${output}.part-notes`,
      `${output}.part-${deadPid()}`,
    ];
    for (const file of [dead, ...others]) await writeFile(file, "x");
    await home.courier(words(home, output));
    const left = await readdir(home.directory);
    expect(left).toContain("all.csv");
    expect(left.filter((name) => name.includes(".part-")).sort()).toEqual(
      others.map((file) => path.basename(file)).sort(),
    );
  },
);
