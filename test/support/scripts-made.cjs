/** Preloaded with `-r`: at its end, the process says on stderr which scripts it made, and which of kept code. */
"use strict";

const { writeSync } = require("node:fs");
const { basename } = require("node:path");
const vm = require("node:vm");

const made = [];
const { Script } = vm;

vm.Script = class extends Script {
  constructor(text, options) {
    super(text, options);
    const isFromCache = options.cachedData !== undefined && this.cachedDataRejected === false;
    made.push({ name: basename(options.filename), isFromCache });
  }
};

process.on("exit", () => writeSync(2, JSON.stringify(made)));
