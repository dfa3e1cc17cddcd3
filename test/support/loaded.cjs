/** Preloaded with `-r`: at its end, the process says on stderr which of Node.js's modules and which files it loaded. */
"use strict";

const { writeSync } = require("node:fs");
const { basename } = require("node:path");

const before = new Set(process.moduleLoadList);

process.on("exit", () => {
  const builtins = process.moduleLoadList
    .filter((entry) => !before.has(entry) && entry.startsWith("NativeModule "))
    .map((entry) => entry.slice("NativeModule ".length))
    .filter((name) => !/^_|^internal\//.test(name));
  const files = Object.keys(require.cache).filter((file) => file !== __filename);
  // The stream of stderr would be loaded by this very line.
  writeSync(2, JSON.stringify({ builtins: builtins.sort(), files: files.map((file) => basename(file)) }));
});
