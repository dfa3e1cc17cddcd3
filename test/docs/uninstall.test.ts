/** What README.md says stays on the disk is what stays, and its command removes it. */

import { readFileSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findDirectories } from "../../src/cli/directories.ts";
import { createProcessHome } from "../support/process.ts";
import { lacks } from "../support/tools.ts";

const readme = readFileSync(path.resolve(import.meta.dirname, "../../README.md"), "utf8");

test.skipIf(lacks("sh", "rm"))("on Linux nothing is left in the home directory (needs rm)", async () => {
  const home = await createProcessHome();
  const user = path.join(home.directory, "user");
  await mkdir(path.join(user, ".cache"), { recursive: true });
  const env = { COURIER_CONFIG_DIR: undefined, COURIER_STATE_DIR: undefined, HOME: user };
  const order = "orders create --account sandbox --sender-name a --receiver-name b --item-name c";
  for (const words of ["addresses add shop --name x", order, "sync --account sandbox"])
    expect(await home.courier(words, { env })).toMatchObject({ exit: 0 });
  const left = async () => (await readdir(user, { recursive: true })).filter((each) => /courier/.test(each));
  expect((await left()).map((each) => path.join("~", each))).toEqual(
    expect.arrayContaining(placesOf("Linux")),
  );
  const [command = ""] = /^rm -rf .*(?= # on Linux)/m.exec(readme) ?? [];
  expect(await home.run(["/bin/sh", "-ec", command], { env })).toMatchObject({ exit: 0, stderr: "" });
  expect(await left()).toEqual([]);
});

test.each([
  ["macOS", "darwin"],
  ["Windows", "win32"],
  ["Linux", "linux"],
])("the directories of %s are those that are named", async (system, platform) => {
  const before = process.platform;
  onTestFinished(() => void Object.defineProperty(process, "platform", { value: before }));
  Object.defineProperty(process, "platform", { value: platform });
  const { config, state } = await findDirectories({});
  const [namedConfig, namedState] = placesOf(system);
  expect([config, state]).toEqual([onDisk(namedConfig), onDisk(namedState)]);
});

function placesOf(system: string): string[] {
  const row = readme.split("\n").find((line) => line.startsWith(`| ${system} |`)) ?? expect.fail(system);
  return [...row.matchAll(/`(.*?)`/g)].map(([, place = ""]) => place);
}

/** The usual meaning of what stands in the table. */
function onDisk(place = ""): string {
  return place
    .replaceAll("\\", "/")
    .replace("~", homedir())
    .replace("%APPDATA%", path.join(homedir(), "AppData/Roaming"))
    .replace("%LOCALAPPDATA%", path.join(homedir(), "AppData/Local"));
}
