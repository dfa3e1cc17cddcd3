#!/usr/bin/env node
"use strict";
const { argv, env } = process;
// Only npx runs a package that is not installed yet: for all others `install` is no command.
if (argv[2] === "install" && env.npm_command === "exec" && /npm-cli\.js$/.test(env.npm_execpath))
  require("./install.cjs");
else require("../dist/main.cjs");
