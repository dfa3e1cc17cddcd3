/** A service that hides receivers' names in part, or leaves out what tells orders apart: orders of other machines hold rows. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { personWho } from "../support/answering.ts";
import { copyState } from "../support/copy-state.ts";
import { outcomes } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import type { Rewriting } from "../support/shown-order.ts";
import { joinAddress } from "../support/shown-order.ts";
import { createUnfaithfulHome, type UnfaithfulHome } from "../support/unfaithful-service.ts";

const minuteMs = 60_000;
type Change = (text: string) => string | undefined;
const kept: Change = (text) => text;
const leftOut: Change = () => undefined;
const empty: Change = () => "";
const family: Change = (text) => `${text.charAt(0)}*`;
const middle: Change = (text) => `${text.slice(0, 3)}****${text.slice(-4)}`;
const district: Change = () => "北京市北京市朝阳区";
const oneForAll: Change = () => "物品";
const firstLetter: Change = (text) => `${text.charAt(0)}**`;

function showAs(name: Change, phone: Change, address: Change, goods: Change): Rewriting {
  return ({ receiver = {}, item, ...order }) => ({
    ...order,
    receiver: {
      name: name(String(receiver.name)),
      phone: phone(String(receiver.phone)),
      city: receiver.city,
      address: address(joinAddress(receiver)) ?? null, // without one, the test's service shows the city
    },
    item: { ...item, name: goods(String(item?.name)) },
  });
}

const draft = (name: string, index: number, goods = "茶叶") => ({
  ...plainDraft,
  receiver: {
    ...plainDraft.receiver,
    name,
    phone: `1390013${9001 + index}`,
    detail: `建国路${11 + index}号`,
  },
  item: { ...plainDraft.item, name: goods },
});
const rows = ["王大力", "李小明", "赵一航"].map((name, index) => draft(name, index, `货物${index}`));

async function importRows(home: UnfaithfulHome, all: readonly object[], machine?: string) {
  const stdin = JSON.stringify(all);
  const env = machine ? { COURIER_STATE_DIR: path.join(home.directory, machine) } : {};
  const ran = await home.courier("orders import - --yes --json", { stdin, env });
  home.clock.advance(minuteMs);
  return { ...ran, report: outcomes(JSON.parse(ran.stdout)) };
}

const byFamilyName = showAs(family, leftOut, leftOut, oneForAll);
const services: readonly (readonly [string, Rewriting])[] = [
  ["a part of the name, and one name for all goods", byFamilyName],
  ["a part of the name alone", showAs(family, leftOut, leftOut, leftOut)],
  ["a part of the name and of the goods", showAs(family, empty, leftOut, firstLetter)],
  ["a part of the phone, and one name for all goods", showAs(leftOut, middle, leftOut, oneForAll)],
  ["the phone alone", showAs(leftOut, kept, leftOut, leftOut)],
  ["the address alone", showAs(leftOut, leftOut, kept, leftOut)],
  ["a part of the address, and one name for all goods", showAs(leftOut, leftOut, district, oneForAll)],
  ["the goods alone", showAs(leftOut, leftOut, leftOut, kept)],
  ["nothing", showAs(leftOut, empty, leftOut, leftOut)],
];

describe.each(services)("a service that shows %s", (_, rewrite) => {
  test("an import of a second machine holds the rows", async () => {
    const home = await createUnfaithfulHome({ rewrite });
    expect((await importRows(home, rows, "another machine")).exit).toBe(0);
    const { exit, report, stderr } = await importRows(home, rows);
    expect([exit, report, home.service.orders.length], stderr).toEqual([3, "held held held", 3]);
    expect(stderr).toContain("where the order that a row may equal is its own");
  });

  test("an own order holds no new row, and with a ledger of before no order is sent again", async () => {
    const home = await createUnfaithfulHome({ rewrite });
    const known = ["王", "李", "赵"].map((name, index) => draft(`${name}一`, 30 + index, "货物9"));
    expect((await importRows(home, known)).exit).toBe(0);
    const backup = path.join(home.directory, "backup");
    await copyState(home.stateDir, backup);
    const sent = await importRows(home, rows);
    expect([sent.exit, sent.report], sent.stderr).toEqual([0, "created created created"]);
    await copyState(backup, home.stateDir);
    const { exit, report, stderr } = await importRows(home, rows);
    expect([exit, report, home.service.orders.length], stderr).toEqual([3, "held held held", 6]);
  });
});

const hidden: Change = () => "***";
const onePhone: Change = () => "139****0000";

test.each([
  ["addresses", showAs(hidden, onePhone, kept, oneForAll)],
  ["parts of addresses", showAs(hidden, onePhone, (text) => `${text.slice(0, 8)}...`, oneForAll)],
  ["parts of names", showAs(family, onePhone, leftOut, oneForAll)],
])("one phone for all own orders makes no order another one: %s", async (_, rewrite) => {
  const home = await createUnfaithfulHome({ rewrite });
  const known = ["王", "李", "赵"].map((name, index) => draft(`${name}一`, 30 + index, "货物9"));
  await importRows(home, known);
  expect((await importRows(home, rows, "another machine")).report).toBe("created created created");
  const { report, stderr } = await importRows(home, rows);
  expect([report, home.service.orders.length], stderr).toEqual(["held held held", 6]);
});

test.each([
  ["a row of another family name", byFamilyName, draft("钱多多", 7)],
  ["another phone", showAs(family, kept, leftOut, leftOut), draft("王小红", 7)],
  ["another end of the phone", showAs(leftOut, middle, leftOut, oneForAll), draft("王小红", 7)],
  ["another address", showAs(leftOut, leftOut, kept, leftOut), draft("王小红", 7)],
])("holds no row that is shown as another: %s", async (_, rewrite, row) => {
  const home = await createUnfaithfulHome({ rewrite });
  for (const each of rows) home.service.foreign(each);
  home.clock.advance(minuteMs);
  const { exit, report, stderr } = await importRows(home, [row]);
  expect([exit, report], stderr).toEqual([0, "created"]);
});

test("nor one for another name in the list, where details show none", async () => {
  const hidden = showAs(leftOut, leftOut, leftOut, leftOut);
  const rewrite: Rewriting = (order, view) => (view === "list" ? order : hidden(order, view));
  const home = await createUnfaithfulHome({ rewrite });
  home.service.foreign(draft("王大力", 0));
  home.clock.advance(minuteMs);
  const { exit, report, stderr } = await importRows(home, [draft("王大力", 0), draft("王小红", 7)]);
  expect([exit, report], stderr).toEqual([3, "held created"]);
});

test("nor one with other goods, once the service is known to keep their names", async () => {
  const home = await createUnfaithfulHome({ rewrite: showAs(family, leftOut, leftOut, kept) });
  const known = Array.from({ length: 20 }, (_, index) => draft(`王${"一二三四五".at(index % 5)}`, index));
  expect((await importRows(home, known)).exit).toBe(0);
  home.service.foreign(draft("王大力", 50, "台灯"));
  home.clock.advance(minuteMs);
  const { exit, report, stderr } = await importRows(home, [draft("王小红", 60), draft("王小红", 61, "台灯")]);
  expect([exit, report], stderr).toEqual([3, "created held"]);
});

test.each([
  ["one name for all goods", byFamilyName],
  ["no goods", showAs(family, leftOut, leftOut, leftOut)],
  ["a part of the goods", showAs(family, leftOut, empty, firstLetter)],
])("a person is asked before an order of another machine is sent again: %s", async (_, rewrite) => {
  const home = await createUnfaithfulHome({ rewrite });
  const [row] = rows;
  const { id } = home.service.foreign(row as (typeof rows)[0]);
  home.clock.advance(minuteMs);
  const file = path.join(home.directory, "order.json");
  await writeFile(file, JSON.stringify(row));
  const question = `Order ${id}, which this ledger does not know, may be equal. Send this one?`;
  const person = personWho(["What now?", "Send this order"], [question, false], ["What now?", "Quit"]);
  await home.courier(`orders create --file ${file}`, { terminal: 80, prompts: person });
  expect(home.service.orders).toHaveLength(1);
});

test.each([
  ["another phone is shown", showAs(family, middle, leftOut, oneForAll), draft("王小红", 7)],
  ["the receiver has other goods", showAs(family, middle, district, kept), draft("王大力", 0)],
  ["other orders of the list have other goods", showAs(family, leftOut, leftOut, kept), draft("王小红", 7)],
])("and is asked nothing where %s", async (_, rewrite, order) => {
  const home = await createUnfaithfulHome({ rewrite });
  for (const each of rows) home.service.foreign(each);
  home.clock.advance(minuteMs);
  const file = path.join(home.directory, "order.json");
  await writeFile(file, JSON.stringify(order));
  const person = personWho(["What now?", "Send this order"]);
  const ran = await home.courier(`orders create --file ${file}`, { terminal: 80, prompts: person });
  expect([ran.exit, home.service.orders.length], ran.stderr).toEqual([0, rows.length + 1]);
});
