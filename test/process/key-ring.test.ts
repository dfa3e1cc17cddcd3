/** Keys in a real key ring: GNOME Keyring as the Secret Service of a session bus of the test's own. */

import { cp, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createServedProcessHome, type ServedProcessHome } from "../support/process.ts";
import { startSecretService, startSilentBus } from "../support/secret-service.ts";
import { lacks } from "../support/tools.ts";

const apiKey = "k3y-in-the-ring/0123456789";
const nothing = { COURIER_API_KEY: undefined, COURIER_BASE_URL: undefined };

async function createHome() {
  const home = await createServedProcessHome({ apiKey });
  const login = (words = "", env: Readonly<Record<string, string>> = {}) =>
    home.courier(`login --base-url ${home.sandbox.baseUrl} ${words}`, {
      env: { ...nothing, ...env },
      stdin: apiKey,
    });
  return { ...home, login };
}

async function expectNoKeyInFiles({ directory }: ServedProcessHome) {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      expect(await readFile(path.join(entry.parentPath, entry.name), "latin1"), entry.name).not.toContain(
        apiKey,
      );
}

describe.skipIf(lacks("dbus-run-session", "dbus-send", "gnome-keyring-daemon", "cat"))(
  "GNOME Keyring (needs dbus and gnome-keyring)",
  () => {
    test("keeps a key, gives it back to every run, moves it out and in, and forgets it", async () => {
      const home = await createHome();
      const service = await startSecretService();
      const env = { ...nothing, ...service.env };
      const courier = (words: string) => home.courier(words, { env });

      const { exit, stdout, stderr } = await home.login("--key-store keychain", service.env);
      expect(exit, stderr).toBe(0);
      expect(await courier("accounts key-store keychain")).toMatchObject({ exit: 0, stderr: "" });
      expect(stdout).toContain("Logged in");
      await expectNoKeyInFiles(home);
      expect(await courier("profile")).toMatchObject({ exit: 0, stderr: "" });

      const out = await courier("accounts move-key default --to file --json");
      expect(JSON.parse(out.stdout)).toMatchObject({ from: "keychain", key_store: "file" });
      expect(await readFile(home.configFile, "utf8")).toContain(apiKey);
      expect(await home.courier("profile", { env: nothing }), "needs no key ring now").toMatchObject({
        exit: 0,
      });

      expect(await courier("accounts move-key default --to keychain")).toMatchObject({ exit: 0, stderr: "" });
      await expectNoKeyInFiles(home);
      expect(await courier("profile")).toMatchObject({ exit: 0 });
      expect(await courier("logout")).toMatchObject({ exit: 0 });
      const gone = await courier("profile");
      expect(gone).toMatchObject({ exit: 4, stdout: "" });
      expect(gone.stderr).toContain("no key is stored");
    });

    test("a locked key ring is refused by itself, and the key goes nowhere else", async () => {
      const home = await createHome();
      const service = await startSecretService("locked");
      const { exit, stdout, stderr } = await home.login("--key-store keychain", service.env);
      expect({ exit, stdout }).toEqual({ exit: 4, stdout: "" });
      expect(stderr).toMatch(/^error: the key ring (is locked|did not answer.*)\nhint: unlock it/m);
      await expectNoKeyInFiles(home);
      const chosen = await home.courier("accounts key-store keychain", {
        env: { ...nothing, ...service.env },
      });
      expect(chosen).toMatchObject({ exit: 4, stdout: "" });
      expect(chosen.stderr).toMatch(/^error: the key ring (is locked|did not answer.*)\nhint: unlock it/m);
    });

    test("10 logins at once to one key ring lose none", async () => {
      const names = Array.from({ length: 10 }, (_, index) => `account-${index}`);
      const attempt = async () => {
        const [home, service] = [await createHome(), await startSecretService()];
        const logins = names.map((name) => `--debug --no-verify --key-store keychain --account ${name}`);
        const ended = await Promise.all(logins.map((words) => home.login(words, service.env)));
        return { home, service, ended };
      };
      let { home, service, ended } = await attempt();
      // The daemon itself falls over now and then when many come at once, which says nothing about courier.
      const hasCrashed = () => ended.some(({ stderr }) => stderr.includes("disconnected from message bus"));
      for (let crashes = 1; crashes < 3 && hasCrashed(); crashes++)
        ({ home, service, ended } = await attempt());
      expect(ended.map(({ exit, stderr }) => (exit === 0 ? 0 : stderr))).toEqual(names.map(() => 0));
      for (const name of names) {
        const { exit } = await home.courier(`profile --account ${name}`, {
          env: { ...nothing, ...service.env },
        });
        expect(exit, name).toBe(0);
      }
      await expectNoKeyInFiles(home);
    });
  },
);

describe("where the key ring cannot be asked", () => {
  test("a session bus that never answers: ended after two seconds, with a way on", async () => {
    const home = await createHome();
    const env = await startSilentBus();
    const { exit, stdout, stderr } = await home.login("--key-store keychain", env);
    expect({ exit, stdout }).toEqual({ exit: 4, stdout: "" });
    expect(stderr).toMatch(/^error: the key ring did not answer within 2 seconds\nhint: .*--key-store file/m);
    await expectNoKeyInFiles(home);
  });

  test("no session bus, as in cron and containers: refused, not the kernel's fleeting keys", async () => {
    const home = await createHome();
    const env = { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent", XDG_RUNTIME_DIR: "/nonexistent" };
    const { exit, stdout, stderr } = await home.login("--key-store keychain", env);
    expect({ exit, stdout }).toEqual({ exit: 4, stdout: "" });
    const plain =
      /^error: no key ring is running in this session\nhint: start and unlock one, .*--key-command.*\n$/;
    expect(stderr).toMatch(plain);
    await expectNoKeyInFiles(home);
    const chosen = await home.courier("accounts key-store keychain", { env: { ...nothing, ...env } });
    expect(chosen).toEqual(
      expect.objectContaining({ exit: 4, stdout: "", stderr: expect.stringMatching(plain) }),
    );
    expect((await home.login("--key-store keychain --debug", env)).stderr).toContain("DBus error");
  });

  // The standalone executable contains it.
  if (!process.env.COURIER_BIN)
    test("the optional package is not installed: said so, with the way to it", async () => {
      const home = await createHome();
      const [node = "", program = ""] = home.program;
      const alone = path.join(home.directory, "package");
      for (const part of ["bin", "dist", "package.json"])
        await cp(path.join(program, "../..", part), path.join(alone, part), { recursive: true });
      const words = ["login", "--key-store", "keychain", "--base-url", home.sandbox.baseUrl];
      const ended = await home.run([node, path.join(alone, "bin", path.basename(program)), ...words], {
        env: nothing,
        stdin: apiKey,
      });
      expect(ended).toMatchObject({ exit: 4, stdout: "" });
      expect(ended.stderr).toContain("the key ring needs the optional package @napi-rs/keyring");
      expect(ended.stderr).toContain("npm install --include=optional");
    });
});
