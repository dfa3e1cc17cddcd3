/** Imports at the same time: one goes on, the others end at once and say which; a file has one journal by any name. */

import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createImportHome, outcomes, row, sheet } from "../support/imports.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

const post = { method: "POST", path: "/api/v1/orders" } as const;

describe("two imports of one account at once", () => {
  test("a copy imported while the question is open is told of the other, and nothing doubles", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2")));
    const copy = await home.put(await readFile(home.file), "copy.csv");
    const meanwhile: Awaited<ReturnType<typeof home.courier>>[] = [];
    const prompts = {
      ...scriptedPrompts({}),
      async confirm() {
        meanwhile.push(await home.courier(["orders", "import", copy, "--yes", "--json"]));
        meanwhile.push(await home.courier(["orders", "import", copy, "--check", "--json"]));
        return true;
      },
    };
    const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
    expect(ran.exit).toBe(0);
    const [sending, checking] = meanwhile;
    expect([sending?.exit, sending?.stdout]).toEqual([2, ""]);
    expect(JSON.parse(sending?.stderr.trimEnd().split("\n").at(-1) ?? "").error).toMatchObject({
      code: "file",
      message: `another import with the account (environment) is under way`,
      hint: "nothing was sent; wait until it has ended, then run the same command again",
    });
    expect(checking?.exit, "looking harms nobody").toBe(0);
    expect(await home.receivers()).toHaveLength(2);
    const again = await home.courier(["orders", "import", copy, "--yes"]);
    expect(again.stderr).toContain("of the same ref: A-1");
    const left = (await readdir(home.stateDir)).filter((name) => !name.endsWith(".lock.db"));
    expect(left.sort()).toEqual(["journals.json", "seen-orders.ndjson"]);
  });

  test("of two copies that begin together one is imported", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2"), row("A-3")));
    const copy = await home.put(await readFile(home.file), "copy.csv");
    const both = await Promise.all([home.run(), home.courier(["orders", "import", copy, "--yes"])]);
    expect(both.map(({ exit }) => exit).sort()).toEqual([0, 2]);
    expect(await home.receivers()).toHaveLength(3);
  });

  test("needs a place for its lock, which is told before anything is sent", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    const { exit, stderr } = await home.run("", {
      env: { COURIER_STATE_DIR: path.join(home.file, "state") },
    });
    expect([exit, home.posts]).toEqual([2, 0]);
    expect(stderr).toContain("cannot lock the imports of the account (environment) in ");
    expect(stderr).toContain("choose another place with COURIER_STATE_DIR");
  });

  test("those of two accounts do not wait for each other", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    const copy = await home.put(await readFile(home.file), "copy.csv");
    const prompts = {
      ...scriptedPrompts({}),
      confirm: async () =>
        (await home.courier(["orders", "import", copy, "--yes", "--account", "sandbox"])).exit === 0,
    };
    expect((await home.courier(["orders", "import", home.file], { terminal: 120, prompts })).exit).toBe(0);
  });
});

describe("another name of a journal", () => {
  test("by a link is the same journal: it is held, and goes on", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2"), row("A-3")));
    const [real, link] = [path.join(home.directory, "real.ndjson"), path.join(home.directory, "link.ndjson")];
    await symlink("real.ndjson", link); // which leads nowhere yet
    const prompts = {
      ...scriptedPrompts({}),
      async confirm() {
        const { exit, stderr } = await home.run(`--journal ${real}`);
        expect([exit, stderr]).toEqual([2, expect.stringContaining("cannot lock the journal")]);
        return true;
      },
    };
    const words = ["orders", "import", home.file, "--journal", link];
    expect((await home.courier(words, { terminal: 120, prompts })).exit).toBe(0);
    for (const each of [real, link])
      expect(outcomes((await home.run(`--journal ${each}`)).report)).toBe("created created created");
    expect(home.posts).toBe(3);
  });

  test("by the directory's link is no other import: what was lost is looked for", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2")));
    home.sandbox.faults.set([
      { ...post, kind: "drop_after", after: 1 },
      { method: "GET", path: "/api/v1/orders", kind: "status", status: 500 },
    ]);
    expect((await home.run("--concurrency 1")).exit).toBe(5);
    home.sandbox.faults.clear();
    const linked = path.join(home.directory, "linked");
    await mkdir(path.join(home.directory, "below"));
    await symlink(home.directory, linked);
    const ran = await home.courier(["orders", "import", path.join(linked, "orders.csv"), "--yes"]);
    expect(ran.exit, ran.stderr).toBe(0);
    expect(await home.receivers()).toHaveLength(2);
  });

  test("that an earlier version kept with the link in it is known again", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    expect((await home.run()).exit).toBe(0);
    const index = path.join(home.stateDir, "journals.json");
    await symlink(home.directory, path.join(home.directory, "linked"));
    const text = await readFile(index, "utf8");
    await writeFile(index, text.replace(home.directory, `${home.directory}/linked`));
    await home.put(sheet(row("A-1"), row("A-2")));
    expect((await home.run()).exit).toBe(0);
    expect(await home.receivers()).toHaveLength(2);
  });
});
