/** `courier completion --install` and `--remove`: what is written where, what is asked, and what is left alone. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createHome, type Home } from "../support/courier.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { asUser } from "../support/unprivileged.ts";

const scripts = {
  bash: ".local/share/bash-completion/completions/courier",
  zsh: ".zfunc/_courier",
  fish: ".config/fish/completions/courier.fish",
};
const zshLine =
  "[[ -r ~/.zfunc/_courier ]] && { (( $+functions[compdef] )) || { autoload -U compinit; compinit }; " +
  ". ~/.zfunc/_courier }";

const bashLine = `[ -r ~/${scripts.bash} ] && . ~/${scripts.bash}`;
/** As in the start-up file of a new user on Debian. */
const loadsPackage = "  . /usr/share/bash-completion/bash_completion\n";

/** Arch Linux loads the package for all users. */
const systemLoads = existsSync("/etc/bash.bashrc")
  ? /^[^#]*bash_completion/m.test(readFileSync("/etc/bash.bashrc", "utf8"))
  : false;

/** A home with these shells in PATH, and the package bash-completion, which bash loads. */
async function createPersonsHome(shells: readonly string[] = ["bash", "zsh", "fish"], login = "bash") {
  const env: Record<string, string> = {};
  const home = await createHome(env);
  const at = (name: string) => path.join(home.directory, name);
  await mkdir(at("bin"));
  for (const shell of shells) await writeFile(at(`bin/${shell}`), "", { mode: 0o755 });
  await mkdir(at("share/bash-completion"), { recursive: true });
  await writeFile(at("share/bash-completion/bash_completion"), "");
  await writeFile(at(".bashrc"), loadsPackage);
  Object.assign(env, {
    HOME: home.directory,
    PATH: at("bin"),
    SHELL: `/bin/${login}`,
    XDG_DATA_DIRS: at("share"),
  });
  return { ...home, at, read: (name: string) => readFile(at(name), "utf8") };
}

async function scriptOf(home: Home, shell: string): Promise<string> {
  return (await home.courier(`completion ${shell}`)).stdout;
}

test("the scripts of the shells in PATH go to the user's own directories", async () => {
  const home = await createPersonsHome(["bash", "fish"]);
  const { exit, stdout, stderr } = await home.courier("completion --install");
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  expect(stdout).toBe(
    [
      "Installed",
      `bash  ~/${scripts.bash}`,
      `fish  ~/${scripts.fish}`,
      "Open a new shell: Tab after courier completes the rest",
      "",
    ].join("\n"),
  );
  expect(await home.read(scripts.bash)).toBe(await scriptOf(home, "bash"));
  expect(await home.read(scripts.fish)).toBe(await scriptOf(home, "fish"));
  expect(existsSync(home.at(".zfunc"))).toBe(false);
});

test("shells that are named, as JSON, in XDG directories", async () => {
  const home = await createPersonsHome([]);
  const env = { XDG_DATA_HOME: home.at("data"), XDG_CONFIG_HOME: home.at("own") };
  const ran = await home.courier("completion fish bash --install --json", { env });
  expect(ran).toMatchObject({ exit: 0, stderr: "" });
  expect(JSON.parse(ran.stdout)).toEqual({
    installed: [
      { for: "bash", path: home.at("data/bash-completion/completions/courier") },
      { for: "fish", path: home.at("own/fish/completions/courier.fish") },
    ],
  });
});

test("a second time replaces an older script", async () => {
  const home = await createPersonsHome();
  await home.courier("completion bash --install");
  await writeFile(home.at(scripts.bash), "command courier __complete bash # older\n");
  expect(await home.courier("completion bash --install")).toMatchObject({ exit: 0 });
  expect(await home.read(scripts.bash)).toBe(await scriptOf(home, "bash"));
});

describe("zsh reads no directory of the user's by itself", () => {
  test("its start-up file gets a line, once, when the person agrees", async () => {
    const home = await createPersonsHome(["zsh"], "zsh");
    await writeFile(home.at("zshrc-of-mine"), "bindkey -e", { mode: 0o600 });
    await symlink("zshrc-of-mine", home.at(".zshrc"));
    const prompts = scriptedPrompts({ confirms: [true] });
    const ran = await home.courier("completion --install --no-color", { terminal: 200, prompts });
    expect(ran.exit).toBe(0);
    expect(prompts.asked).toEqual(["Add this line to ~/.zshrc?"]);
    expect(ran.stderr).toContain(zshLine);
    expect(ran.stdout).toContain("zsh  ~/.zfunc/_courier\nzsh  ~/.zshrc\n");
    const text = `bindkey -e\n${zshLine}  # courier completion, and the line end before\n`;
    expect(await home.read("zshrc-of-mine")).toBe(text);
    expect((await stat(home.at("zshrc-of-mine"))).mode & 0o777).toBe(0o600);
    const again = await home.courier("completion --install", { terminal: 200, prompts: scriptedPrompts({}) });
    expect(again.exit).toBe(0);
    expect(await home.read(".zshrc")).toBe(text);
  });

  test("no is an answer: the line is shown, and the file stays", async () => {
    const home = await createPersonsHome(["zsh"], "zsh");
    const prompts = scriptedPrompts({ confirms: [false] });
    const ran = await home.courier("completion --install", { terminal: 80, prompts });
    expect(ran.exit).toBe(0);
    expect(existsSync(home.at(".zshrc"))).toBe(false);
    expect(await home.read(scripts.zsh)).toBe(await scriptOf(home, "zsh"));
  });

  test("a script is asked nothing; --yes agrees", async () => {
    const home = await createPersonsHome(["zsh"], "zsh");
    const ran = await home.courier("completion --install");
    expect(ran).toMatchObject({ exit: 0, stderr: expect.stringContaining(`~/.zshrc: ${zshLine}`) });
    expect(existsSync(home.at(".zshrc"))).toBe(false);
    await home.courier("completion --install --yes", { env: { ZDOTDIR: home.at("bin") } });
    expect(await home.read("bin/.zshrc")).toBe(`${zshLine}  # courier completion\n`);
  });

  test("a start-up file that has the directory needs no line", async () => {
    const home = await createPersonsHome(["zsh"], "zsh");
    const text = "fpath=(~/.zfunc $fpath)\nautoload -U compinit && compinit\n";
    await writeFile(home.at(".zshrc"), text);
    expect(await home.courier("completion --install")).toMatchObject({ exit: 0, stderr: "" });
    expect(await home.read(".zshrc")).toBe(text);
  });

  test("the start-up file of a shell that is named gets the line, whatever the person works with", async () => {
    const home = await createPersonsHome(["bash", "zsh"], "bash");
    const ran = await home.courier("completion zsh --install --yes");
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    expect(await home.read(".zshrc")).toBe(`${zshLine}  # courier completion\n`);
  });

  test("the start-up file of a shell that the person does not use stays as it is", async () => {
    const home = await createPersonsHome(["bash", "zsh"], "bash");
    const ran = await home.courier("completion --install --yes");
    expect(ran).toMatchObject({ exit: 0, stderr: expect.stringContaining("zsh does not read") });
    expect(ran.stdout).toMatch(/Tab after courier completes the rest, in zsh once that line is there\n$/);
    expect(existsSync(home.at(".zshrc"))).toBe(false);
  });
});

test("bash without the package bash-completion gets a line", async () => {
  const home = await createPersonsHome(["bash"]);
  const env = { XDG_DATA_DIRS: home.at("none") };
  expect(await home.courier("completion --install --yes", { env })).toMatchObject({ exit: 0, stderr: "" });
  expect(await home.read(".bashrc")).toBe(`${loadsPackage}${bashLine}  # courier completion\n`);
  const brew = { ...env, HOMEBREW_PREFIX: home.directory };
  await writeFile(home.at(".bashrc"), loadsPackage);
  expect(await home.courier("completion --install", { env: brew })).toMatchObject({ exit: 0, stderr: "" });
});

describe.skipIf(systemLoads)("bash with the package bash-completion", () => {
  test.each([
    ["an empty start-up file", ""],
    ["the line as a comment", "#  . /usr/share/bash-completion/bash_completion\n"],
    ["a line that reads something else", ". ~/.bash_completion; . /etc/bash_completion.d/git\n"],
    ["courier's own line as a comment", `# ${bashLine}\n`],
  ])("and %s gets a line", async (_what, text) => {
    const home = await createPersonsHome(["bash"]);
    await writeFile(home.at(".bashrc"), text);
    const noted = await home.courier("completion --install");
    expect(noted).toMatchObject({ exit: 0, stderr: expect.stringContaining(`of ~/.bashrc: ${bashLine}\n`) });
    expect(noted.stdout).toMatch(/completes the rest, in bash once that line is there\n$/);
    expect(await home.courier("completion --install --yes")).toMatchObject({ exit: 0, stderr: "" });
    expect(await home.read(".bashrc")).toBe(`${text}${bashLine}  # courier completion\n`);
  });

  test.each([
    loadsPackage,
    "[ -r /opt/x ] && source /opt/share/bash-completion/bash_completion\n",
    '[[ -r a ]] && . "$(brew --prefix)/etc/profile.d/bash_completion.sh"\n',
  ])("that its start-up file loads needs no line: %s", async (text) => {
    const home = await createPersonsHome(["bash"]);
    await writeFile(home.at(".bashrc"), text);
    expect(await home.courier("completion --install")).toMatchObject({ exit: 0, stderr: "" });
    expect(await home.read(".bashrc")).toBe(text);
  });
});

test.each([
  ["alias ll='ls -l'", "", "alias ll='ls -l'"],
  ["alias ll='ls -l'\r\nx", "", "alias ll='ls -l'\r\nx"],
  ["alias ll='ls -l'\n", "", "alias ll='ls -l'\n"],
  ["alias ll='ls -l'", "bindkey -e\n", "alias ll='ls -l'\nbindkey -e\n"],
])("--remove takes away what --install added to %j, before %j", async (before, below, after) => {
  const home = await createPersonsHome(["zsh"], "zsh");
  await writeFile(home.at(".zshrc"), before);
  expect(await home.courier("completion --install --yes")).toMatchObject({ exit: 0, stderr: "" });
  await writeFile(home.at(".zshrc"), `${await home.read(".zshrc")}${below}`);
  expect(await home.courier("completion --remove")).toMatchObject({ exit: 0, stderr: "" });
  expect(await home.read(".zshrc")).toBe(after);
});

test("--remove deletes what was installed, and nothing else", async () => {
  const home = await createPersonsHome(["bash", "zsh", "fish"], "zsh");
  await writeFile(home.at(".zshrc"), "bindkey -e\n");
  await home.courier("completion --install --yes");
  await writeFile(home.at(".zshrc"), `${await home.read(".zshrc")}alias ll='ls -l'\n`);
  await writeFile(home.at(scripts.fish), "# another courier\n");
  const { exit, stdout, stderr } = await home.courier("completion --remove");
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  expect(stdout).toBe(`Deleted\nbash  ~/${scripts.bash}\nzsh   ~/.zfunc/_courier\nzsh   ~/.zshrc\n`);
  expect(existsSync(home.at(scripts.bash))).toBe(false);
  expect(existsSync(home.at(scripts.zsh))).toBe(false);
  expect(await home.read(scripts.fish)).toBe("# another courier\n");
  expect(await home.read(".zshrc")).toBe("bindkey -e\nalias ll='ls -l'\n");
  expect(await home.courier("completion --remove")).toMatchObject({
    exit: 0,
    stdout: "Nothing was there to delete\n",
  });
});

test("another program's file stays, and nothing is installed", async () => {
  const home = await createPersonsHome();
  await mkdir(path.dirname(home.at(scripts.fish)), { recursive: true });
  await writeFile(home.at(scripts.fish), "complete -c courier\n");
  const ran = await home.courier("completion --install");
  expect(ran).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(`~/${scripts.fish} is not from courier`),
  });
  expect(existsSync(home.at(scripts.bash))).toBe(false);
});

test("a directory that cannot be written to is named", async () => {
  const home = await createPersonsHome(["fish"]);
  await writeFile(home.at(".config"), "");
  const ran = await home.courier("completion --install");
  expect(ran.exit).toBe(2);
  expect(ran.stderr).toMatch(/^error: cannot (change|read) .*courier\.fish: /m);
});

test("where the user may not write, the way out is said", async () => {
  const home = await createPersonsHome(["fish"]);
  await chmod(home.directory, 0o755);
  await mkdir(home.at(".config"), { mode: 0o555 });
  await asUser([], async () => {
    const ran = await home.courier("completion --install");
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain("courier completion fish > FILE");
  });
});

test.each([
  ["completion", "the SHELL is missing", "courier completion --install"],
  ["completion bash zsh", "one SHELL is enough", ""],
  ["completion --install --remove", "exclude each other", ""],
  ["completion powershell --install", "PowerShell reads no completions by itself", "$PROFILE"],
  ["completion --install", "found no bash, zsh, fish in PATH", "name one"],
])("courier %s is a usage error", async (words, message, hint) => {
  const home = await createPersonsHome([]);
  const { exit, stderr, stdout } = await home.courier(words);
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
  expect(stderr).toContain(message);
  expect(stderr).toContain(hint);
});

test.each([
  ["", {}],
  [
    ", and with a place for the script, since the start-up file has none",
    { XDG_DATA_HOME: "/data/of/a/person" },
  ],
])("without HOME, nothing is written%s", async (_what, places) => {
  const home = await createPersonsHome(["bash"]);
  const ran = await home.courier("completion bash --install --yes", { env: { HOME: "", ...places } });
  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining("HOME is not set") });
});

test("a start-up file that may not be changed ends it with the reason", async () => {
  const home = await createPersonsHome(["zsh"], "zsh");
  await mkdir(home.at(".zshrc"));
  const ran = await home.courier("completion --install --yes");
  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining("it is a directory") });
});

test("a start-up file in another encoding keeps each of its bytes", async () => {
  const home = await createPersonsHome(["zsh"], "zsh");
  const before = Buffer.from([
    ...Buffer.from("# d"),
    0xe9,
    ...Buffer.from("j"),
    0xe0,
    ...Buffer.from(" vu\n"),
  ]);
  await writeFile(home.at(".zshrc"), before);
  expect(await home.courier("completion --install --yes")).toMatchObject({ exit: 0, stderr: "" });
  const installed = await readFile(home.at(".zshrc"));
  expect(installed.subarray(0, before.length)).toEqual(before);
  expect(installed.length).toBeGreaterThan(before.length);
  expect(await home.courier("completion --remove")).toMatchObject({ exit: 0, stderr: "" });
  expect(await readFile(home.at(".zshrc"))).toEqual(before);
});

test("a script in a directory of Chinese name gets its line once", async () => {
  const home = await createPersonsHome(["bash"]);
  const env = { XDG_DATA_DIRS: home.at("none"), XDG_DATA_HOME: home.at("店") };
  for (const _ of [1, 2])
    expect(await home.courier("completion --install --yes", { env })).toMatchObject({ exit: 0, stderr: "" });
  const file = '~/"店/bash-completion/completions/courier"';
  expect((await home.read(".bashrc")).split("\n")).toEqual([
    loadsPackage.trimEnd(),
    `[ -r ${file} ] && . ${file}  # courier completion`,
    "",
  ]);
});

describe.each([".zshrc", scripts.zsh])("%s that is no file", (name) => {
  const flags = ["--install --yes", "--remove"];

  test.each(flags)("is refused where it is a named pipe: %s", async (flag) => {
    const home = await createPersonsHome(["zsh"], "zsh");
    await mkdir(path.dirname(home.at(name)), { recursive: true });
    execFileSync("mkfifo", [home.at(name)]);
    expect(await home.courier(`completion zsh ${flag}`)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("it is a named pipe, not a regular file"),
    });
  });

  test("is refused where it is a link to nothing", async () => {
    const home = await createPersonsHome(["zsh"], "zsh");
    await mkdir(path.dirname(home.at(name)), { recursive: true });
    await symlink(home.at("missing/file"), home.at(name));
    const { exit, stderr } = await home.courier("completion zsh --install --yes");
    expect([exit, stderr]).toEqual([2, expect.stringContaining("where no file is")]);
    expect(stderr).toContain("is a disk missing");
  });
});
