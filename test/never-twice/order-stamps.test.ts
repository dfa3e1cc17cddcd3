/** What the time stamp of an order says of a create in doubt, where a clock or a time zone is not what it seems to be. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createTransport, type Transport } from "../../src/api/transport.ts";
import type { RunOptions } from "../support/courier.ts";
import { outcomes, row, sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import type { Rewriting, ShownOrder } from "../support/shown-order.ts";
import { createUnfaithfulHome, type UnfaithfulHome } from "../support/unfaithful-service.ts";
import type { OrderBody, Ways } from "../support/unfaithful-ways.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** 北京市北京市朝阳区 is shown without 朝阳区: an older order with it is ruled out, and no order is found by it. */
function withoutDistrict(shown: ShownOrder): ShownOrder {
  const { receiver } = shown;
  return receiver?.province === receiver?.city
    ? { ...shown, receiver: { ...receiver, district: "" } }
    : shown;
}

type Sender = Pick<UnfaithfulHome, "courier" | "clock" | "service">;

function send({ courier }: Sender, draft: object) {
  return courier("orders create --file - --json", { stdin: JSON.stringify(draft) });
}

/** Three orders to other cities, an hour ago. */
async function sendOthers(home: Sender): Promise<void> {
  for (const name of ["王五", "赵六", "孙七"]) {
    const receiver = { ...plainDraft.receiver, name, province: "广东省", city: "深圳市" };
    expect((await send(home, { ...plainDraft, receiver })).exit).toBe(0);
  }
  home.clock.advance(hourMs);
}

/** Sends the order whose answer is lost, and repeats the command until its absence would be proved. */
async function loseAndRepeat(home: Sender, afterLoss = () => {}): Promise<void> {
  expect((await send(home, plainDraft)).exit).toBe(6);
  expect(home.service.orders).toHaveLength(4);
  afterLoss();
  for (const _again of [1, 2]) {
    home.clock.advance(20 * minuteMs);
    expect((await send(home, plainDraft)).exit).not.toBe(0);
  }
  expect(home.service.orders).toHaveLength(4);
}

const known = Array.from({ length: 24 }, (_, index) =>
  row(`A-${index}`, `王五${index}`, `137001370${10 + index}`),
);

async function importOrders({ directory, courier }: UnfaithfulHome, ...rows: readonly string[]) {
  const file = path.join(directory, "orders.csv");
  await writeFile(file, sheet(...rows));
  return courier(["orders", "import", file, "--yes", "--json"]);
}

/** What the row B-1 sends, and what someone has sent elsewhere. */
function equalTo({ service }: UnfaithfulHome): OrderBody {
  const [own] = service.orders;
  if (!own) throw new Error("no order yet");
  return { ...own.body, receiver: { ...own.body.receiver, name: "赵六", phone: "13700137001" } };
}

test.each([0, 8])("a gateway whose clock is %d h ahead answers a create and the list", async (hours) => {
  const home = await createUnfaithfulHome({ rewrite: withoutDistrict });
  await sendOthers(home);
  const date = new Date(home.clock.now() + hours * hourMs).toUTCString();
  const gateway = { status: 502, headers: { Date: date } };
  home.service.ways = { rewrite: withoutDistrict, failAfterCommit: gateway, refuseList: gateway };
  await loseAndRepeat(home, () => {
    home.service.ways = { rewrite: withoutDistrict };
  });
});

describe.each([true, false])("where the system names its boots: %j", (namesBoots) => {
  test.each([0, 8])("our clock was %d h ahead, and is set right while the create is sent", async (hours) => {
    const home = await createUnfaithfulHome({ rewrite: withoutDistrict });
    if (!namesBoots) Object.assign(home.clock, { sinceBoot: () => undefined });
    await sendOthers(home);
    home.setOwnClock(hours * hourMs);
    home.service.ways = {
      rewrite: withoutDistrict,
      loss(_request, n) {
        if (n !== 4) return "answered";
        home.setOwnClock(-hours * hourMs);
        return "after";
      },
    };
    await loseAndRepeat(home);
  });
});

describe("an equal order of the website that is stamped two hours before a create is not found as its order", () => {
  test("where the list shows it late", async () => {
    const home = await createUnfaithfulHome();
    expect((await importOrders(home, ...known)).exit).toBe(0);
    const foreign = home.service.foreign(equalTo(home));
    home.clock.advance(2 * hourMs);
    home.service.ways = { omitFromList: ({ id }) => id === foreign.id, loss: () => "before" };
    const rows = [...known, row("B-1", "赵六", "13700137001")];
    expect((await importOrders(home, ...rows)).exit).toBe(6);
    home.clock.advance(20 * minuteMs);
    home.service.ways = {};
    const { exit, stdout, stderr } = await importOrders(home, ...rows);
    expect(outcomes(JSON.parse(stdout)), stderr).not.toContain("found");
    expect(exit).toBe(6);
  });

  test("where our clock was ahead when the list was read, and was set right since", async () => {
    const home = await createUnfaithfulHome();
    home.setOwnClock(8 * hourMs);
    expect((await importOrders(home, row("A-1"))).exit).toBe(0);
    home.setOwnClock(-8 * hourMs);
    home.clock.advance(10 * minuteMs);
    home.service.foreign(equalTo(home));
    home.clock.advance(2 * hourMs);
    home.service.ways = { loss: () => "before", refuseList: { status: 503, code: "AWAY" } }; // no list is read before
    expect((await send(home, equalTo(home))).exit).toBe(6);
    home.clock.advance(5 * minuteMs);
    home.service.ways = {};
    expect((await send(home, equalTo(home))).stderr).toContain("possible matches: 2");
  });
});

test.each([0, 8])("answers to creates are stamped %d h ahead of lists and details", async (hours) => {
  const rewrite = (shown: ShownOrder) => {
    const createdAt = new Date(Date.parse(String(shown.created_at)) - hours * hourMs).toISOString();
    return { ...withoutDistrict(shown), created_at: createdAt };
  };
  const ways = { rewrite, stampSkewMs: hours * hourMs };
  const home = await createUnfaithfulHome(ways);
  await sendOthers(home);
  home.service.ways = { ...ways, loss: (_request, n) => (n === 4 ? "after" : "answered") };
  await loseAndRepeat(home);
});

/** Answers to creates that tell no time stamp. */
async function withoutStamps(): Promise<Transport> {
  const real = await createTransport({}, 30_000);
  return {
    close: () => real.close(),
    async send(request) {
      const answer = await real.send(request);
      if (request.method !== "POST") return answer;
      const body = answer.body.replace(/,"created_at":"[^"]*"/, "");
      return { ...answer, body, bytes: Buffer.from(body) };
    },
  };
}

test.each([0, 8])(
  "no stamp of an own order is known, and lists stamp %d h ahead: an older order is not found",
  async (hours) => {
    const ways = { stampSkewMs: hours * hourMs };
    const home = await createUnfaithfulHome(ways);
    for (const _listed of [false, true])
      expect((await importOrders({ ...home, courier: without }, ...known)).exit).toBe(0);
    home.service.foreign(equalTo(home));
    home.clock.advance(2 * hourMs);
    home.service.ways = { ...ways, loss: () => "before" };
    const { exit } = await send({ ...home, courier: without }, equalTo(home));
    expect([exit, home.service.orders.length]).toEqual([6, 25]);

    async function without(words: string | readonly string[], options: RunOptions = {}) {
      return home.courier(words, { ...options, transport: await withoutStamps() });
    }
  },
);

/** Go's empty time, one in a zone, that of a database, and the start of Unix. */
test.each([
  "0001-01-01T00:00:00Z",
  "0001-01-01T08:05:43+08:05",
  "0000-00-00T00:00:00Z",
  "1970-01-01T00:00:00Z",
])("the answer to an earlier create was stamped %s: a lost order is proved absent and sent", async (zero) => {
  const refuseList: Ways["refuseList"] = ({ query: { date_from = "2026" } }) =>
    date_from < "2000" ? { status: 400, code: "INVALID_PARAMETER", message: "no such date" } : undefined;
  const home = await createUnfaithfulHome({ writeStamp: () => zero, refuseList });
  const { receiver } = plainDraft;
  expect((await send(home, { ...plainDraft, receiver: { ...receiver, name: "王一" } })).exit).toBe(0);
  home.clock.advance(hourMs);
  home.service.ways = { refuseList, loss: () => "before" };
  expect((await send(home, plainDraft)).exit).toBe(6);
  home.service.ways = { refuseList };
  let last = await send(home, plainDraft);
  for (let hours = 0; last.exit !== 0 && hours < 3; hours++) {
    home.clock.advance(hourMs);
    last = await send(home, plainDraft);
  }
  expect([last.exit, home.service.orders.length], last.stderr).toEqual([0, 2]);
});

/** The day alone, or the hour. */
test.each([
  ["day", 10, "T00:00:00Z"],
  ["hour", 13, ":00:00Z"],
])("lists stamp orders with their %s only, and details with their time", async (_unit, length, rest) => {
  const rewrite: Rewriting = (shown, view) => {
    const stamp = String(shown.created_at);
    return view === "list"
      ? { ...withoutDistrict(shown), created_at: stamp.slice(0, length) + rest }
      : withoutDistrict(shown);
  };
  const home = await createUnfaithfulHome({ rewrite });
  const untilTen = (34 * hourMs - (home.clock.now() % (24 * hourMs))) % (24 * hourMs);
  home.clock.advance(untilTen);
  await sendOthers(home);
  home.clock.advance(4 * hourMs + 58 * minuteMs);
  home.service.ways = { rewrite, loss: (_request, n) => (n === 4 ? "after" : "answered") };
  await loseAndRepeat(home);
});

/** Each as for the first three orders, and then for the one whose answer is lost. */
test.each<[string, (hasStarted: boolean) => Ways]>([
  ["are cut to the hour", () => ({ writeStamp: (iso) => `${iso.slice(0, 13)}:00:00Z` })],
  ["begin to be 33 minutes behind", (hasStarted) => ({ stampSkewMs: hasStarted ? -33 * minuteMs : 0 })],
  [
    "are behind by an hour more, as in winter",
    (hasStarted) => ({ stampSkewMs: (hasStarted ? -5 : -4) * hourMs }),
  ],
])("stamps of all answers %s, and one field is shown otherwise than it was sent", async (_how, waysOf) => {
  const ways = (hasStarted: boolean) => ({ rewrite: withoutDistrict, ...waysOf(hasStarted) });
  const home = await createUnfaithfulHome(ways(false));
  home.clock.advance(hourMs - (home.clock.now() % hourMs) + minuteMs);
  await sendOthers(home);
  home.clock.advance(46 * minuteMs);
  home.service.ways = { ...ways(true), loss: (_request, n) => (n === 4 ? "after" : "answered") };
  await loseAndRepeat(home);
});
