/** Owns the third-party notices: the licence texts that must travel with the packages in the bundle. */

import { readdir, readFile } from "node:fs/promises";

/** The licence text of every package that the bundled files (paths relative to `root`) come from. */
export async function collectNotices(root, files) {
  const folders = new Set(files.map(findPackage).filter((folder) => folder !== undefined));
  const notices = await Promise.all([...folders].sort().map((folder) => readNotice(`${root}${folder}`)));
  return `courier contains the following packages.\n\n${notices.join("\n")}`;
}

/** `node_modules/a/node_modules/@b/c/lib/d.js` comes from the package in `node_modules/a/node_modules/@b/c`. */
function findPackage(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

async function readNotice(folder) {
  const manifest = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
  const name = (await readdir(folder)).find((file) => /^licen[cs]e(\.|$)/i.test(file));
  if (name === undefined && manifest.license === undefined) throw new Error(`no licence in ${folder}`);
  const text =
    name === undefined ? `Licence: ${manifest.license}` : await readFile(`${folder}/${name}`, "utf8");
  return `== ${manifest.name} ${manifest.version}\n\n${text.trim()}\n`;
}
