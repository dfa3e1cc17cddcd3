/** Which creates count as sent at the same time: those that were on their way together, whatever their numbers are. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const dayMs = 86_400_000;
const receiver = { name: "李勇敏", phone: "13910008032", city: "北京市", detail: "建国路2号" };

/** Two letters that no other place has. */
function nameOf(place: number): string {
  return String.fromCodePoint(0x4e00 + 7 * place, 0x5f00 + 11 * place);
}

/** From `exchange` on, each of two orders is shown with the data of the other. */
async function createExchangingHome() {
  let pair: readonly number[] = [];
  const home = await createUnfaithfulHome({
    rewrite: (shown) => {
      const id = Number(shown.id);
      const other = pair.includes(id) ? pair.find((each) => each !== id) : undefined;
      const body = other === undefined ? undefined : home.service.orders[other - 1]?.body;
      return body ? { ...shown, receiver: { ...body.receiver }, item: { ...body.item } } : shown;
    },
  });
  const exchange = (ids: readonly number[]) => {
    pair = ids;
  };
  const create = (data: object) =>
    home.courier("orders create --file - --yes --json", {
      stdin: JSON.stringify({ ...plainDraft, ...data }),
    });
  const cancelled = () =>
    home.service.orders.filter(({ status }) => status === "cancelled").map(({ id }) => id);
  return { home, exchange, create, cancelled };
}

test("a single order beside a late row of an import: cancel leaves the row's parcel alone", async () => {
  const { home, exchange, create, cancelled } = await createExchangingHome();
  const count = 90;
  const rows = Array.from({ length: count }, (_, place) =>
    place === count - 1
      ? `A-${place},张三,13800138000,${receiver.name},${receiver.phone},${receiver.city},${receiver.detail},手机,1.20,3`
      : `A-${place},张三,13800138000,${nameOf(place)},139${10_000_000 + place * 7919},北京市,中山路${place}号,茶叶,1.20,3`,
  );
  const file = path.join(home.directory, "orders.csv");
  await writeFile(file, sheet(...rows));
  const importing = home.courier(`orders import ${file} --yes --json --concurrency 1`);
  await home.service.received("create", count - 1);
  const sender = { name: "张三", phone: "13800138000" };
  const [imported, created] = await Promise.all([
    importing,
    create({ sender, receiver, item: { name: "书" } }),
  ]);
  expect([imported.exit, created.exit], imported.stderr + created.stderr).toEqual([0, 0]);
  exchange(
    ["手机", "书"].map((goods) => home.service.orders.find(({ body }) => body.item.name === goods)?.id ?? 0),
  );
  const { stdout, stderr } = await home.courier(`orders cancel ${JSON.parse(created.stdout).id} --yes`);
  expect(cancelled(), stdout + stderr).toEqual([]);
  expect(stdout + stderr).toContain("the service shows the data of");
});

test("the first and the last of nine orders that a script sends at once: cancel leaves the other's parcel alone", async () => {
  const { home, exchange, create, cancelled } = await createExchangingHome();
  const drafts = Array.from({ length: 9 }, (_, place) =>
    place === 0 || place === 8
      ? { receiver, item: { name: place === 0 ? "手机" : "书" } }
      : { receiver: { ...receiver, name: nameOf(place), phone: `1391000900${place}` }, item: { name: "书" } },
  );
  const made = await Promise.all(drafts.map(create));
  for (const { exit, stderr } of made) expect(exit, stderr).toBe(0);
  const ids = [0, 8].map((place) => JSON.parse(made[place]?.stdout ?? "").id);
  exchange(ids);
  const { stdout, stderr } = await home.courier(`orders cancel ${ids[1]} --yes`);
  expect(cancelled(), stdout + stderr).toEqual([]);
});

test("goods that someone changes at the service to those of the order of the day before: the order stays its create's", async () => {
  let isEdited = false;
  const home = await createUnfaithfulHome({
    rewrite: (shown) => (isEdited ? { ...shown, item: { ...shown.item, name: "手机壳" } } : shown),
  });
  const create = (ref: string, name: string) =>
    home.courier(`orders create --file - --ref ${ref} --yes --json`, {
      stdin: JSON.stringify({ ...plainDraft, item: { ...plainDraft.item, name } }),
    });
  expect((await create("A", "手机壳")).exit).toBe(0);
  home.clock.advance(dayMs);
  const made = await create("B", "充电器");
  expect(made.exit, made.stderr).toBe(0);
  home.clock.advance(dayMs);
  isEdited = true;
  const shown = await home.courier(`orders show ${JSON.parse(made.stdout).id} --json`);
  const known = await home.courier("orders resolve --json");
  expect([shown.stderr, JSON.parse(known.stdout)]).toEqual(["", []]);
});
