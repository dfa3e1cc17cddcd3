/** What the build writes into the program: its version, the commands as completion sees them, shell scripts. */

import { readFile, rm } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { optionalPackages } from "./bundle.mjs";

/** Stands for the name of the content until the files are there. */
export const contentMark = "content-to-come.";

/** Values for esbuild's `define`. `root` ends with a slash. */
export async function describeBuild(root) {
  const { version } = JSON.parse(await readFile(`${root}package.json`, "utf8"));
  return {
    __COURIER_VERSION__: JSON.stringify(version),
    __COURIER_CONTENT__: JSON.stringify(contentMark),
    __COURIER_TREE__: JSON.stringify(await describeCommands(root)),
    // As text: esbuild would put an object into a module of its own that every file loads.
    __COURIER_SCRIPTS__: JSON.stringify(JSON.stringify(await readScripts(root))),
  };
}

/** The commands as completion sees them, as JSON: their own code would take too long to load at the Tab key. */
async function describeCommands(root) {
  const contents = `
    import { describeProgram } from "./src/cli/command-tree.ts";
    import { program } from "./src/cli/program.ts";
    export const tree = await describeProgram(program);`;
  const file = `${root}dist/tree.mjs`;
  await build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: root },
    outfile: file,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.18",
    external: [...optionalPackages, "bun:sqlite"], // loaded on demand, and not by this
    // Packages in CommonJS require Node's own modules at run time; an ES module has no `require` of its own.
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  const { tree } = await import(pathToFileURL(file));
  await rm(file);
  return JSON.stringify(tree);
}

async function readScripts(root) {
  const files = {
    bash: "bash-completion/completions/courier.bash",
    zsh: "zsh/site-functions/_courier",
    fish: "fish/vendor_completions.d/courier.fish",
    powershell: "powershell/courier.ps1",
  };
  const read = ([shell, file]) => readFile(`${root}share/${file}`, "utf8").then((text) => [shell, text]);
  return Object.fromEntries(await Promise.all(Object.entries(files).map(read)));
}
