/** A sheet without refs that two processes import under two paths: they find out meanwhile that it is one file. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { allCreates, type Report, withLedger } from "../support/imports.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const header =
  "sender.name,sender.phone,receiver.name,receiver.phone,receiver.city,receiver.detail,item.name,item.quantity";

function sheetTo(...names: readonly string[]): string {
  const rows = names.map(
    (name, index) => `张三,13800138000,${name},1390013900${index},北京市,建国路${index}8号,茶叶,1`,
  );
  return [header, ...rows, ""].join("\n");
}

test("all rows are of the one file, also where an earlier import gave it another number", async () => {
  const home = await createUnfaithfulHome();
  const { service } = home;
  const [one = "", other = ""] = ["a.csv", "b.csv"].map((name) => path.join(home.directory, name));
  const run = async (file: string) => {
    const words = ["orders", "import", file, "--yes", "--json", "--concurrency", "1", "--settle", "10s"];
    const ran = await home.courier(words);
    const report = JSON.parse(ran.stdout) as readonly Report[];
    return { ...ran, ids: report.map(({ id }) => id) };
  };
  await writeFile(one, sheetTo("周日"));
  expect((await run(one)).exit).toBe(0);

  for (const file of [one, other]) await writeFile(file, sheetTo("王一", "王二", "王三"));
  let second: ReturnType<typeof run> | undefined;
  service.ways = {
    before: async (create) => {
      if (create === 2) second = run(one);
      if (create === 2 || create === 3) await service.received("create", create + 1);
    },
  };
  const first = await run(other);
  await second;
  service.ways = {};
  const creates = await withLedger(home.stateDir, allCreates);
  expect(creates.map(({ file }) => file)).toEqual(creates.map(() => 1));
  expect(service.orders.map(({ body }) => body.receiver.name).sort()).toEqual(
    ["周日", "王一", "王二", "王三"].sort(),
  );

  const again = await run(other);
  expect([again.exit, again.ids.toSorted()], again.stderr).toEqual([0, [2, 3, 4]]);
  const last = first.ids[2];
  expect((await home.courier(`orders cancel ${last} --yes`)).exit).toBe(0);
  home.clock.advance(3_600_000);
  expect((await run(other)).ids[2]).not.toBe(5);
  expect(service.orders).toHaveLength(4);
});
