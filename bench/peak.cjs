/** Preloaded with `-r`: at its end, the process says on stderr how many kilobytes of memory it took at most. */
"use strict";

process.on("exit", () => process.stderr.write(String(process.resourceUsage().maxRSS)));
