#!/usr/bin/env node
"use strict";
const { argv, env } = process;
// Only npx runs a package that is not installed yet: for all others `install` is no command.
if (argv[2] === "install" && env.npm_command === "exec" && /npm-cli\.js$/.test(env.npm_execpath))
  require("./install.cjs");
else start();

function start() {
  let isThere;
  try {
    isThere = Object.keys(require("../dist/main.cjs")).length > 0;
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND" && !(error instanceof SyntaxError && isCut())) throw error;
  }
  if (isThere) return;
  console.error("error: the files of courier were removed or are being replaced");
  process.exitCode = 5;
}

/** The build ends each file with its mark. */
function isCut() {
  const text = require("node:fs").readFileSync(require.resolve("../dist/main.cjs"), "utf8");
  return !/\/\/[\da-f]{16}$/.test(text);
}
