/**
 * Answers that name any order: another create's, the website's, or none. Whatever a service hides and refuses besides, each
 * create makes one order at most, however often it is run again.
 */

import { expect, test } from "vitest";
import { effort, fc, seed } from "../support/effort.ts";
import { plainDraft } from "../support/orders.ts";
import type { Rewriting, ShownOrder } from "../support/shown-order.ts";
import { createUnfaithfulHome, type UnfaithfulHome } from "../support/unfaithful-service.ts";
import type { MadeOrder, Ways } from "../support/unfaithful-ways.ts";

const minuteMs = 60_000;
const neverMs = 100_000 * minuteMs;

const withName =
  (change: (name: string) => string): Rewriting =>
  (shown) => ({ ...shown, receiver: { ...shown.receiver, name: change(String(shown.receiver?.name)) } });
const inList =
  (rewrite: Rewriting): Rewriting =>
  (shown, view) =>
    view === "list" ? rewrite(shown, view) : shown;
const withoutCity: Rewriting = (shown) => ({ ...shown, receiver: { ...shown.receiver, city: null } });
const withoutItem: Rewriting = (shown) => ({ ...shown, item: { ...shown.item, name: null } });
const hide = (name: string) => `${name.charAt(0)}*`;
const rewritings: readonly Rewriting[] = [
  (shown) => shown,
  (shown) => shown,
  withName(hide),
  inList(withName(hide)),
  inList(withName(() => "***")),
  withName((name) => `${name}先生`),
  inList(withoutCity),
  inList((shown, view) => withName(hide)(withoutItem(shown, view), view)),
  (shown: ShownOrder) => ({ ...shown, receiver: { ...shown.receiver, phone: "138****0000" } }),
  (shown: ShownOrder) => ({ ...shown, item: { ...shown.item, name: String(shown.item?.name).slice(0, 1) } }),
];

const pick = (most: number) => fc.integer({ min: 0, max: most });
const parcel = fc.record({ name: pick(2), phone: pick(1), street: pick(1), city: pick(1), item: pick(1) });
const step = fc.record({
  parcel: pick(3),
  kind: fc.constantFrom(
    "lost",
    "lost",
    "not made",
    "named",
    "named",
    "named and made",
    "failed",
    "fine",
    "website",
  ),
  named: pick(5),
  lists: fc.constantFrom("shown", "refused"),
  details: fc.constantFrom("shown", "shown", "refused", "unknown"),
  waitMs: fc.constantFrom(2_000, 20_000, minuteMs, 20 * minuteMs),
});
const play = fc.record({
  parcels: fc.array(parcel, { minLength: 4, maxLength: 4 }),
  rewriting: pick(rewritings.length - 1),
  listLagMs: fc.constantFrom(0, 0, 20_000, 5 * minuteMs),
  steps: fc.array(step, { minLength: 3, maxLength: 8 }),
});
type Play = typeof play extends { generate(...words: never[]): { value: infer T } } ? T : never;

const at = (texts: readonly string[], place: number) => texts[place] ?? "";

const bodyOf = ({ name, phone, street, city, item }: Play["parcels"][number], index: number) => ({
  ...plainDraft,
  receiver: {
    name: at(["孙大力", "孙小明", "周文"], name),
    phone: at(["13722223333", "13533334444"], phone),
    province: "广东省",
    city: at(["广州市", "深圳市"], city),
    district: "南山区",
    detail: at(["人民南路12号", "解放大道127号"], street),
  },
  // No two creates are each other's equals.
  item: { name: at(["台灯", "毛巾"], item), weight: 1, quantity: index + 1 },
});

const refusal = { shown: undefined, refused: { status: 500 }, unknown: { status: 404, code: "NOT_FOUND" } };

function waysOf(
  { kind, named, details, lists }: Play["steps"][number],
  home: UnfaithfulHome,
  kept: Ways,
): Ways {
  const refuseDetail = refusal[details];
  const shown: Ways = {
    ...kept,
    ...(refuseDetail ? { refuseDetail } : {}),
    ...(lists === "refused" ? { refuseList: { status: 503 } } : {}),
  };
  const ids = home.service.orders.map(({ id }) => id);
  const answerWith = ids[named % Math.max(1, ids.length)];
  switch (kind) {
    case "lost":
      return { ...shown, loss: () => "after" };
    case "not made":
      return { ...shown, loss: () => "before" };
    case "named":
      return answerWith === undefined ? shown : { ...shown, answerWith, commitDelayMs: neverMs };
    case "named and made":
      return answerWith === undefined ? shown : { ...shown, answerWith };
    case "failed":
      return { ...shown, failAfterCommit: { status: 500, code: "X", message: "y" } };
    default:
      return shown;
  }
}

async function playOn({ parcels, rewriting, listLagMs, steps }: Play): Promise<readonly number[]> {
  const rewrite = rewritings[rewriting] as Rewriting;
  const kept = { rewrite, listLagMs };
  const home = await createUnfaithfulHome(kept);
  const bodies = parcels.map(bodyOf);
  const website = new Set<MadeOrder>();
  const create = (index: number) =>
    home.courier(`orders create --file - --ref R-${index} --yes --json`, {
      stdin: JSON.stringify(bodies[index]),
    });
  const tried = new Set<number>();
  for (const each of steps) {
    home.service.ways = waysOf(each, home, kept);
    if (each.kind === "website") {
      const body = bodyOf(parcels[each.parcel] as Play["parcels"][number], 8);
      website.add(home.service.foreign({ ...body, receiver: { ...body.receiver, name: "赵云飞" } }));
    } else {
      tried.add(each.parcel);
      await create(each.parcel);
    }
    home.clock.advance(each.waitMs);
  }
  home.service.ways = kept;
  for (let time = 0; time < 3; time++) {
    home.clock.advance(16 * minuteMs);
    for (const index of tried) await create(index);
  }
  return bodies.map(
    ({ item }) =>
      home.service.orders.filter((order) => !website.has(order) && order.body.item.quantity === item.quantity)
        .length,
  );
}

const numRuns = effort(20, 400);

test(
  "no create makes a second order",
  async () => {
    await fc.assert(
      fc.asyncProperty(play, async (given) => {
        expect(Math.max(...(await playOn(given)))).toBeLessThanOrEqual(1);
      }),
      { numRuns, seed },
    );
    console.log(`claims played: ${numRuns} (TEST_SEED=${seed})`);
  },
  numRuns * 10_000,
);
