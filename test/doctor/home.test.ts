/** `doctor` names directories by `~` only where they are below the user's home: its advice is to be pasted. */

import { chmod, mkdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { hideHome, type RuntimeInfo } from "../../src/command/runtime-info.ts";
import { createHome } from "../support/courier.ts";

const machine = { env: { HOME: "/data/" } } as unknown as RuntimeInfo;

test.each([
  ["/data", "~"],
  ["/data/x", "~/x"],
  ["cannot read /data/x: “/data”, /data.", "cannot read ~/x: “~”, ~."],
  ["/data2/x", "/data2/x"],
  ["/data.old/x", "/data.old/x"],
  ["/data-old and /data", "/data-old and ~"],
  ["/srv/data/x", "/srv/data/x"],
])("%s: %s", (text, hidden) => {
  expect(hideHome(text, machine)).toBe(hidden);
});

test("a directory whose name only begins like the home is named as it is, also in the advice", async () => {
  const home = await createHome();
  await mkdir(home.configDir);
  await chmod(home.configDir, 0o755);
  const env = { HOME: home.directory.slice(0, -1), COURIER_ACCOUNT: "sandbox" };
  const { stdout } = await home.courier("doctor --json", { env });
  const check = JSON.parse(stdout).find(({ check }: { check: string }) => check === "config");
  expect(check.detail).toContain(home.configDir);
  expect(check.advice).toContain(home.configDir);
});
