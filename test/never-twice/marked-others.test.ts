/** Orders that the service has shown as others than were sent: the ledger remembers it until it shows them as they were sent. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { sheet } from "../support/imports.ts";
import type { Rewriting, ShownOrder } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const rows = [
  "A-1,张三,13800138000,刘洋,13847488266,成都市,人民南路四段124号,茶叶,1.20,3",
  "A-2,张三,13800138000,刘芳,13851130569,武汉市,解放大道127号2单元,茶杯,0.50,1",
];

/** Parts of the name, the phone and the address. */
const hide = (shown: ShownOrder): ShownOrder => ({
  ...shown,
  receiver: {
    ...shown.receiver,
    name: `${String(shown.receiver?.name).charAt(0)}**`,
    phone: String(shown.receiver?.phone).replace(/(?<=^.{3})..../, "****"),
    address: `${shown.receiver?.city}****`,
  },
  item: { ...shown.item, name: `${String(shown.item?.name).charAt(0)}*` },
});

/** The answers to the two rows were exchanged, and what the service shows is hidden in part. */
async function exchangedHome() {
  const home = await createUnfaithfulHome();
  const { service } = home;
  const exchanged: Rewriting = (shown) => {
    const { receiver, item } = service.orders[(Number(shown.id) - 1) ^ 1]?.body ?? {};
    return hide(receiver && item ? { ...shown, receiver: { ...receiver }, item: { ...item } } : shown);
  };
  service.ways = { rewrite: exchanged };
  const file = path.join(home.directory, "orders.csv");
  await writeFile(file, sheet(...rows));
  const done = path.join(home.directory, "done.csv");
  const writeBack = async () => {
    const ran = await home.courier(`orders write-back ${file} -o ${done} --yes --json`);
    return { ...ran, text: await readFile(done, "utf8") };
  };
  return { home, file, writeBack };
}

test("an import that gave rows the numbers of others fails, and no later write-back has them", async () => {
  const { home, file, writeBack } = await exchangedHome();
  const imported = await home.courier(`orders import ${file} --yes --json --concurrency 1`);
  expect(imported.stderr).toMatch(/the answer to 1\.1 named order 1, but the service shows/);
  expect(imported.exit, imported.stderr).toBe(6);
  const written = await writeBack();
  expect(written.text, written.stderr).not.toContain("UT0000000");
  expect(written.text).toContain("the service showed order 1 with other data than was sent");
  // From here on, the service shows the orders as they were sent.
  home.service.ways = { rewrite: hide };
  home.clock.advance(60_000);
  await home.courier(`orders import ${file} --yes --json`);
  const later = await writeBack();
  expect(later.text, later.stderr).toMatch(/^A-1,.*UT00000001/m);
  expect(later.text).toMatch(/^A-2,.*UT00000002/m);
  expect(home.service.orders).toHaveLength(2);
});

test("a person may say that an order which is shown as another one is the row's own", async () => {
  const { home, file, writeBack } = await exchangedHome();
  await home.courier(`orders import ${file} --yes --json --concurrency 1`);
  for (const number of [1, 2]) {
    const decided = await home.courier(`orders resolve 1.${number} --as ${number} --yes --json`);
    expect([decided.exit, JSON.parse(decided.stdout || "{}")], decided.stderr).toEqual([
      0,
      expect.objectContaining({ state: "found", id: number }),
    ]);
  }
  const again = await home.courier(`orders import ${file} --yes --json`);
  expect(again.exit, again.stderr).toBe(0);
  expect((await writeBack()).text).toMatch(/^A-1,.*UT00000001/m);
});
