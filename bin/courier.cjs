#!/usr/bin/env node
"use strict";
const { argv, env } = process;
// Only npx runs a package that is not installed yet: for all others `install` is no command.
if (argv[2] === "install" && env.npm_command === "exec" && /npm-cli\.js$/.test(env.npm_execpath))
  require("./install.cjs");
else
  try {
    require("../dist/main.cjs");
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    console.error("error: the files of courier were removed or are being replaced");
    process.exitCode = 5;
  }
