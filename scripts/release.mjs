/**
 * Makes all that a release consists of, in dist-release/, and publishes nothing: `npm run release [-- --tag]`.
 * The package, executables, Debian packages, the bill of materials, notes from CHANGELOG.md, and checksums; with --tag
 * also the tag in git.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { compileExecutable } from "./executable.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "dist-release");

/**
 * Those whose executables can be made anywhere. macOS starts none that was not signed there: it gets the package, or
 * `npm run build:executable` on a Mac.
 */
const platforms = [
  { os: "linux", cpu: "x64", libc: "glibc", debian: "amd64" },
  { os: "linux", cpu: "arm64", libc: "glibc", debian: "arm64" },
  { os: "win32", cpu: "x64" },
];

const { version, description } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const changelog = await readFile(join(root, "CHANGELOG.md"), "utf8");
const { notes, isDated } = readNotes();
const asked = process.argv.includes("--tag");
if (asked && !isDated)
  throw new Error(`CHANGELOG.md gives no day for ${version}; put it in, then run this again`);
if (asked && run("git", "status", "--porcelain") !== "")
  throw new Error("there are changes that are not committed");
// So that the same commit makes the same Debian packages.
process.env.SOURCE_DATE_EPOCH = run("git", "log", "-1", "--format=%ct").trim();

await rm(out, { recursive: true, force: true });
await mkdir(out);
run("npm", "pack", "--loglevel=error", "--pack-destination", out); // builds first
for (const platform of platforms) await makeExecutable(platform);
await cp(join(root, "dist/sbom.cdx.json"), join(out, `courier-${version}.sbom.cdx.json`));
await writeFile(join(out, "SHA256SUMS"), await listSums());
await writeFile(join(out, "notes.md"), notes);
if (asked) run("git", "tag", "-a", `v${version}`, "-m", `courier ${version}`);
console.log((await readdir(out)).map((name) => join("dist-release", name)).join("\n"));

function run(program, ...words) {
  return execFileSync(program, words, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** The section of this version, and whether it names the day. */
function readNotes() {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`[${version}]`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}`);
  const [title = "", ...lines] = section.split("\n");
  return { notes: `${lines.join("\n").trim()}\n`, isDated: /\d{4}-\d\d-\d\d/.test(title) };
}

async function makeExecutable({ debian, ...platform }) {
  const name = `courier-${version}-${platform.os}-${platform.cpu}${platform.os === "win32" ? ".exe" : ""}`;
  const file = join(out, name);
  compileExecutable(file, platform);
  if (debian !== undefined) await makeDebianPackage(file, debian);
}

/** The executable with what belongs to it on Debian: manual pages, completions, licences. */
async function makeDebianPackage(executable, architecture) {
  const folder = await mkdtemp(join(tmpdir(), "courier-debian-"));
  const place = async (path, content, mode = 0o644) => {
    const file = join(folder, path);
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(file, content);
    await chmod(file, mode);
  };
  try {
    await chmod(folder, 0o755);
    await place("usr/bin/courier", await readFile(executable), 0o755);
    for (const page of await readdir(join(root, "dist/man")))
      await place(
        `usr/share/man/man1/${page}.gz`,
        gzipSync(await readFile(join(root, "dist/man", page)), { level: 9 }),
      );
    for (const [script, path] of Object.entries({
      "bash-completion/completions/courier.bash": "usr/share/bash-completion/completions/courier",
      "zsh/site-functions/_courier": "usr/share/zsh/vendor-completions/_courier",
      "fish/vendor_completions.d/courier.fish": "usr/share/fish/vendor_completions.d/courier.fish",
    }))
      await place(path, await readFile(join(root, "share", script)));
    await place("usr/share/doc/courier/copyright", await readFile(join(root, "dist/THIRD_PARTY_LICENSES")));
    await place("usr/share/doc/courier/changelog.gz", gzipSync(changelog, { level: 9 }));
    const bytes = (await readFile(executable)).length;
    const control = [
      "Package: courier",
      `Version: ${version}`,
      `Architecture: ${architecture}`,
      "Maintainer: the makers of courier",
      `Installed-Size: ${Math.ceil(bytes / 1024)}`,
      "Depends: libc6",
      "Section: utils",
      "Priority: optional",
      `Description: ${description}`,
    ];
    await place("DEBIAN/control", `${control.join("\n")}\n`);
    run(
      "dpkg-deb",
      "--root-owner-group",
      "-Zgzip",
      "--build",
      folder,
      join(out, `courier_${version}_${architecture}.deb`),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function listSums() {
  const names = (await readdir(out)).filter((name) => name !== "SHA256SUMS").sort();
  const sums = names.map(async (name) => {
    const sum = createHash("sha256")
      .update(await readFile(join(out, name)))
      .digest("hex");
    return `${sum}  ${name}\n`;
  });
  return (await Promise.all(sums)).join("");
}
