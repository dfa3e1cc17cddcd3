/** A process of its own that takes the lock on a file, says so, and holds it until it is ended: `lock-holder.ts FILE`. */

import { takeLock } from "../../src/config/config-lock.ts";

const [file = ""] = process.argv.slice(2);
const release = await takeLock(file, "config file");
process.stdout.write("held\n");
process.stdin.once("end", release).resume();
