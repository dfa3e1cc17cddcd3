/** What the package brings with it: known packages, their licences, no scripts that run when it is installed. */

import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { prepareProgram } from "./support/program.ts";

const root = path.resolve(import.meta.dirname, "..");

async function readDist(name: string): Promise<string> {
  const [, program = ""] = await prepareProgram();
  return readFile(path.join(program, "../../dist", name), "utf8");
}

async function readJson(name: string) {
  return JSON.parse(await readFile(path.join(root, name), "utf8"));
}

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly scope?: string;
  readonly hashes?: readonly { readonly content: string }[];
  readonly licenses: readonly { readonly license: { readonly id: string } }[];
}

const fullName = ({ group, name }: Component) => (group ? `${group}/${name}` : name);

test("the bill of materials and the licences name the same packages, each as it was locked", async () => {
  const { components } = JSON.parse(await readDist("sbom.cdx.json")) as { components: readonly Component[] };
  const licences = await readDist("THIRD_PARTY_LICENSES");
  const bundled = components.filter(({ scope }) => scope === undefined);
  const headings = [...licences.matchAll(/^== (.*)$/gm)].map(([, heading]) => heading);
  expect(headings.sort()).toEqual(
    bundled.map((each) => `${fullName(each)} ${each.version} (${each.licenses[0]?.license.id})`).sort(),
  );
  expect(bundled.map(fullName)).toEqual(expect.arrayContaining(["commander", "conf", "undici", "zod"]));

  const { packages } = await readJson("package-lock.json");
  const locked = new Set(
    Object.values<{ integrity?: string }>(packages).flatMap(({ integrity }) =>
      integrity ? Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex") : [],
    ),
  );
  for (const each of components)
    expect(locked.has(each.hashes?.[0]?.content ?? ""), fullName(each)).toBe(true);
});

test("what is not in the bundle is optional: the key ring and SQLite, and nothing else", async () => {
  const { components } = JSON.parse(await readDist("sbom.cdx.json")) as { components: readonly Component[] };
  const { dependencies, optionalDependencies } = await readJson("package.json");
  expect(dependencies).toBeUndefined();
  const native = ["@napi-rs/keyring", "@photostructure/sqlite"];
  expect(Object.keys(optionalDependencies)).toEqual(native);
  expect(components.filter(({ scope }) => scope === "optional").map(fullName)).toEqual(native);
});

test("nothing has to run when the package is installed, nor when its optional ones are", async () => {
  const { scripts } = await readJson("package.json");
  // npm takes `prepare` for one where a package is a file or a repository.
  for (const script of ["preinstall", "install", "postinstall", "prepare"])
    expect(scripts).not.toHaveProperty(script);
  const { packages } = await readJson("package-lock.json");
  const running = Object.entries<{ hasInstallScript?: boolean }>(packages)
    .filter(
      ([name, { hasInstallScript }]) => hasInstallScript && /@napi-rs|@photostructure|node-gyp/.test(name),
    )
    .map(([name]) => name);
  // Its script only looks whether the binary that it brings is there.
  expect(running).toEqual(["node_modules/@photostructure/sqlite"]);
  const files = pack().files.map((file) => file.path);
  // npm compiles what has one of these, script or not.
  expect(files.filter((file) => file.endsWith(".gyp"))).toEqual([]);
  for (const file of files)
    expect(file).toMatch(/^(bin|dist|share)\/|^(README|SECURITY)\.md$|^LICENSE$|^package\.json$/);
});

test("less than 1.75 mebibytes, unpacked, beside the man pages", async () => {
  await prepareProgram(); // builds what is packed, but man pages, which are there only after a whole build
  const program = pack().files.filter(({ path: file }) => !file.startsWith("dist/man/"));
  const sizeBytes = program.reduce((sum, { size }) => sum + size, 0);
  expect(sizeBytes).toBeLessThan(1.75 * 1_024 * 1_024);
});

/** What npm would put into the package. */
function pack(): { readonly files: readonly { readonly path: string; readonly size: number }[] } {
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    shell: process.platform === "win32",
  });
  return JSON.parse(packed)[0];
}
