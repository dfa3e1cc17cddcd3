/**
 * What travels with the program about where it comes from: the licences of the packages in the bundle, and
 * its bill of materials (CycloneDX). Both say the same for the same bundle: no times, no random numbers.
 */

import { readdir, readFile, writeFile } from "node:fs/promises";

/** Licences whose terms are met by passing their text on. Another one needs a decision, and fails the build. */
const accepted = [
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "Unlicense",
];

/** Writes THIRD_PARTY_LICENSES and sbom.cdx.json for the bundled files, given as paths relative to `root`. */
export async function writeSupply(root, outdir, files) {
  const manifest = JSON.parse(await readFile(`${root}package.json`, "utf8"));
  const lock = JSON.parse(await readFile(`${root}package-lock.json`, "utf8"));
  const folders = [...new Set(files.flatMap((file) => findPackage(file) ?? []))].sort();
  const packages = await Promise.all(folders.map((folder) => readPackage(root, folder, lock)));
  const refused = packages.filter(({ licence }) => !accepted.includes(licence));
  if (refused.length > 0) {
    const named = refused.map(({ name, version, licence }) => `${name} ${version} (${licence})`);
    throw new Error(`licences that scripts/supply.mjs does not know: ${named.join(", ")}`);
  }
  await writeFile(`${outdir}/THIRD_PARTY_LICENSES`, describeLicences(packages));
  await writeFile(`${outdir}/sbom.cdx.json`, `${JSON.stringify(listMaterials(manifest, packages, lock))}\n`);
}

/** `node_modules/a/node_modules/@b/c/lib/d.js` comes from the package in `node_modules/a/node_modules/@b/c`. */
function findPackage(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

async function readPackage(root, folder, lock) {
  const {
    name,
    version,
    license: licence,
  } = JSON.parse(await readFile(`${root}${folder}/package.json`, "utf8"));
  const files = (await readdir(`${root}${folder}`)).filter((file) =>
    /^((mit-)?licen[cs]e|copying|notice)([.-]|$)/i.test(file),
  );
  const texts = await Promise.all(files.sort().map((file) => readFile(`${root}${folder}/${file}`, "utf8")));
  const text = texts.map((each) => each.trim()).join("\n\n") || (await readOwnCopy(root, name));
  if (text === "") throw new Error(`no text of the licence in ${folder}`);
  return { name, version, licence, text, integrity: lock.packages[folder]?.integrity };
}

/** The terms and notices of a package that does not bring them. */
async function readOwnCopy(root, name) {
  const text = await readFile(`${root}scripts/licences/${name}.txt`, "utf8").catch(() => "");
  return text.trim();
}

/**
 * Most licences are the same terms, in lines of another length, under another copyright notice: the terms come
 * once, below the notices of all packages that come under them.
 */
function describeLicences(packages) {
  const groups = new Map();
  for (const { name, version, licence, text } of packages) {
    const start = Math.max(0, text.search(/^Permission (is hereby granted|to use, copy)/m));
    const terms = text.slice(start);
    const words = terms.replace(/\s+/g, " ");
    const { notices } = groups.get(words) ?? groups.set(words, { notices: new Map(), terms }).get(words);
    const notice = text.slice(0, start).trim();
    const heading = `== ${name} ${version} (${licence})\n`;
    notices.set(notice, `${notices.get(notice) ?? ""}${heading}`);
  }
  const sections = [...groups.values()].map(({ notices, terms }) => {
    const named = [...notices].map(([notice, headings]) => (notice ? `${headings}\n${notice}\n` : headings));
    return `${named.join("\n")}\n${terms}\n`;
  });
  return `courier contains the following packages.\n\n${sections.join("\n")}`;
}

function listMaterials(manifest, packages, lock) {
  const optional = Object.keys(manifest.optionalDependencies ?? {}).map((name) => {
    const { version, license, integrity } = lock.packages[`node_modules/${name}`];
    return { name, version, licence: license, integrity, scope: "optional" };
  });
  const components = [...packages, ...optional].map(describeComponent);
  const self = describeComponent({ ...manifest, licence: manifest.license });
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: { ...self, type: "application" } },
    components,
  };
}

function describeComponent({ name, version, licence, integrity, scope }) {
  const [group, short] = name.startsWith("@") ? name.split("/") : [undefined, name];
  const purl = `pkg:npm/${group ? `${encodeURIComponent(group)}/` : ""}${short}@${version}`;
  const [algorithm, base64] = integrity?.split("-", 2) ?? [];
  return {
    type: "library",
    ...(group ? { group } : {}),
    name: short,
    version,
    ...(scope ? { scope } : {}), // by the standard, a component without one is required
    ...(algorithm === "sha512"
      ? { hashes: [{ alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") }] }
      : {}),
    licenses: [{ license: { id: licence } }],
    purl,
  };
}
