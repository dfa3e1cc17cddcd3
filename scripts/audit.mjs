/**
 * Checks for known vulnerabilities. Fails for one in the bundle, and for a serious one in a development dependency.
 * Where the registry answers no audit, it says that nothing was checked.
 */

import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";

const bom = JSON.parse(await readFile(new URL("../dist/sbom.cdx.json", import.meta.url), "utf8"));
const shipped = new Set(bom.components.map(({ group, name }) => (group ? `${group}/${name}` : name)));

const { stdout } = spawnSync("npm", ["audit", "--json"], {
  encoding: "utf8",
  shell: process.platform === "win32",
});
const report = parse(stdout);
if (report?.vulnerabilities === undefined) {
  const reason = report?.statusCode ?? report?.message ?? "no answer";
  console.log(`NOT AUDITED: the registry in use here answers no audit (${reason}); run npm audit elsewhere`);
} else {
  const found = Object.values(report.vulnerabilities);
  const serious = found.filter(
    ({ name, severity }) => shipped.has(name) || ["high", "critical"].includes(severity),
  );
  for (const { name, severity, range } of found)
    console.log(
      `${severity}: ${name} ${range}${shipped.has(name) ? ", in the bundle" : ", in development only"}`,
    );
  console.log(`${found.length} vulnerabilities known, ${serious.length} of them to be fixed now`);
  if (serious.length > 0) process.exitCode = 1;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
