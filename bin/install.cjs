/**
 * Installs the package that npx has fetched for good, with completions and manual pages:
 * `npx --yes --package ./courier-cli-VERSION.tgz courier install`. What follows `install` goes to `courier completion`.
 */
"use strict";
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const { execPath, env, platform } = process;
const words = process.argv.slice(3);
const isWindows = platform === "win32";

const usage = `Usage: npx --yes --package ./courier-cli-VERSION.tgz courier install [SHELL...] [--yes]

Runs npm install --global, then courier completion --install with the words after install.
--yes agrees to a line in ~/.zshrc. Run it again to update or repair.
To remove: courier completion --remove; npm uninstall --global courier-cli
`;

if (words.includes("--help") || words.includes("-h")) process.stdout.write(usage);
else process.exitCode = install();

/** Gives back the exit code of the step that failed, or 0. */
function install() {
  // Ctrl-C ends the step, and then this program in order.
  process.on("SIGINT", () => {});
  const work = fs.mkdtempSync(path.join(os.tmpdir(), "courier-install-"));
  try {
    // npm would only link to a directory, and npx's own is deleted some day.
    const packed = npm(work, ["pack", "--ignore-scripts", "--loglevel=error", path.join(__dirname, "..")]);
    if (packed.status !== 0) return failed("npm could not pack courier: nothing was changed", packed);
    const [tarball] = fs.readdirSync(work);
    const found = npm(work, ["root", "--global", "--loglevel=error"]);
    if (found.status !== 0) return failed("npm names no global directory: nothing was changed", found);
    // npx has just fetched the optional packages.
    const flags = ["--global", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
    const installed = npm(work, ["install"].concat(flags, path.join(work, tarball)), "inherit");
    if (installed.status !== 0)
      return failed("npm did not install courier; completions and manual pages were left alone", installed);
    return installCompletion(found.stdout.trim());
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

/** `root` is npm's global node_modules. */
function installCompletion(root) {
  const bin = isWindows ? path.join(root, "..") : path.join(root, "../../bin");
  const launcher = path.join(root, "courier-cli/bin/courier.cjs");
  // npx puts directories of its own first, which are gone in the next shell.
  const directories = env.PATH.split(path.delimiter).filter((each) => !/node_modules[\\/]\.bin$/.test(each));
  const first = directories.find((each) =>
    fs.existsSync(path.join(each, isWindows ? "courier.cmd" : "courier")),
  );
  say(`Installed courier in ${bin}`);
  if (first === undefined) say(`Add ${bin} to PATH: no courier is in PATH yet`);
  else if (fs.realpathSync(first) !== fs.realpathSync(bin))
    say(`PATH has another courier first, in ${first}`);
  if (isWindows) {
    say("For Tab: courier completion powershell > courier.ps1, and add to $PROFILE: . path/to/courier.ps1");
    return 0;
  }
  const person = process.getuid() === 0 ? env.SUDO_USER : undefined;
  const completed = spawnSync(execPath, [launcher, "completion", "--install"].concat(words), {
    stdio: "inherit",
    env: Object.assign({}, env, {
      PATH: directories.concat(bin).join(path.delimiter),
      // sudo may leave the person's: root would own files there.
      HOME: person ? os.userInfo().homedir : env.HOME,
    }),
  });
  if (completed.status !== 0)
    return failed("courier is installed; try again: courier completion --install", completed);
  if (person)
    say(`These completions are root's. For ${person}'s, without sudo: courier completion --install`);
  say("To update, run this again with the newer file.");
  say("To remove: courier completion --remove; npm uninstall --global courier-cli");
  return 0;
}

/** The npm that npx belongs to. As a script of Node.js it needs no shell, on Windows either. */
function npm(cwd, args, stdout) {
  return spawnSync(execPath, [env.npm_execpath].concat(args), {
    cwd,
    encoding: "utf8",
    stdio: ["inherit", stdout || "pipe", "inherit"],
  });
}

function failed(text, { status, error }) {
  process.stderr.write(`error: ${text}${error ? ` (${error.message})` : ""}\n`);
  return status || 1;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
