/** Where `courier track` gets its numbers from, and how several parcels are shown at one look. */

import { expect, test } from "vitest";
import { answerRaw, onePage } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { createOrder } from "../support/orders.ts";

async function createOrders(home: ServedHome, count: number): Promise<string[]> {
  const numbers: string[] = [];
  for (let index = 0; index < count; index++) numbers.push((await createOrder(home)).tracking_number);
  return numbers;
}

function numbersIn(stdout: string): string[] {
  return (JSON.parse(stdout) as { tracking_number: string }[]).map(({ tracking_number }) => tracking_number);
}

test("several parcels are a table; --records adds the movements of each", async () => {
  const home = await createServedHome();
  const [one, two] = await createOrders(home, 2);
  const { exit, stdout } = await home.courier(`track ${one} ${two}`);
  expect(exit).toBe(0);
  expect(stdout.split("\n")[0]).toMatch(/^TRACKING +STATE +PLACE +LAST MOVEMENT +ESTIMATED DELIVERY$/);
  expect(stdout.trimEnd().split("\n")).toHaveLength(3);
  const detailed = await home.courier(`track ${one} ${two} CR000000000000 --records`);
  expect(detailed.exit).toBe(3);
  expect(detailed.stdout.match(/\[pending\] > paid/g)).toHaveLength(2);
  expect(detailed.stdout).toContain(
    "\nCR000000000000  the service refused: tracking number CR000000000000 does not exist",
  );
  const json = await home.courier(`track ${one} ${two} --records --json`);
  expect(numbersIn(json.stdout)).toEqual([one, two]);
});

test("one that begins with a hyphen: the hint says how to give it", async () => {
  const home = await createServedHome();
  const { exit, stderr } = await home.courier("track -R1000001234");
  expect(exit).toBe(2);
  expect(stderr).toMatch(
    /hint: courier track --help shows what there is; a value that begins with - comes after --\n/,
  );
  expect((await home.courier("track -- -R1000001234")).stderr).toContain("-R1000001234 does not exist");
});

test.each(["GET", "json"])(
  "one that the service fails for is named, and the others are answered: %s",
  async (form) => {
    const home = await createServedHome();
    const [one, two, three] = await createOrders(home, 3);
    home.sandbox.faults.set([
      { method: "GET", path: `/api/v1/tracking/${two}`, kind: "status", status: 500, body: "oops" },
    ]);
    const flag = form === "json" ? " --json" : "";
    const { exit, stdout, stderr } = await home.courier(`track ${one} ${two} ${three}${flag}`);
    expect(exit).toBe(5);
    for (const number of [one, two, three]) expect(stdout).toContain(number);
    expect(stderr).toContain(`1 of 3 tracking numbers got no answer; ${two}: the service is failing`);
    if (form === "json") expect(JSON.parse(stdout)[1]).toMatchObject({ error: { code: "server_error" } });
  },
);

test("a service that fails for all of many is not asked for each", async () => {
  const home = await createServedHome();
  home.sandbox.faults.set([{ method: "GET", path: "/api/v1/tracking/.*", kind: "status", status: 500 }]);
  const numbers = Array.from({ length: 40 }, (_, index) => `CR${1000 + index}`);
  const { exit, stderr } = await home.courier(["track", ...numbers, "--yes"]);
  expect(exit).toBe(5);
  expect(stderr).toContain("CR1000: the service is failing");
  expect(home.sandbox.requests.length).toBeLessThan(15);
});

test("numbers from stdin: any white space between them, a BOM before them, words beside them", async () => {
  const home = await createServedHome();
  const [one, two, three] = await createOrders(home, 3);
  const piped = await home.courier(`track - --json`, { stdin: `\uFEFF${one}\r\n\t${two}\n\n` });
  expect(numbersIn(piped.stdout)).toEqual([one, two]);
  const mixed = await home.courier(`track ${three} - --json`, { stdin: `${one}` });
  expect(numbersIn(mixed.stdout)).toEqual([three, one]);
});

test("one number from stdin is a list of one, and none are an empty one", async () => {
  const home = await createServedHome();
  const [one] = await createOrders(home, 1);
  expect(numbersIn((await home.courier("track - --json", { stdin: `${one}\n` })).stdout)).toEqual([one]);
  const none = await home.courier("track - --json", { stdin: " \n" });
  expect(none).toEqual({ exit: 0, stdout: "[]\n", stderr: "" });
  const shown = await home.courier("track -", { stdin: "" });
  expect(shown).toEqual({ exit: 0, stdout: "", stderr: "No tracking numbers on stdin\n" });
});

test("--status: the parcels of all orders in that state, over all pages", async () => {
  const home = await createServedHome({ seedOrders: 400 });
  const listed = await home.courier("orders list --status in_transit --all --json");
  const { exit, stdout } = await home.courier("track --status in_transit --json --yes");
  expect(exit).toBe(0);
  expect(numbersIn(stdout)).toEqual(numbersIn(listed.stdout));
  expect(numbersIn(stdout).length).toBeGreaterThan(0);
});

test("--all-active: everything that is not delivered, completed or cancelled, other states included", async () => {
  const home = await createServedHome();
  const numbers = await createOrders(home, 4);
  await home.sandbox.advance({ trackingNumber: numbers[0] ?? "", to: "delivered" });
  await home.sandbox.advance({ trackingNumber: numbers[1] ?? "", to: "delivering" });
  await home.courier("orders cancel 1000003 --yes");
  const { stdout } = await home.courier("track --all-active --json");
  expect(numbersIn(stdout)).toEqual([numbers[3], numbers[1]]);
  expect(await home.courier("track --all-active --from 2026-03-02 --json")).toEqual({
    exit: 0,
    stdout: "[]\n",
    stderr: "",
  });
  const watched = await home.courier("track --all-active --watch --include-unpaid --ndjson");
  expect(watched.exit).toBe(0);
  const none = await home.courier("track --all-active --watch");
  expect(none).toMatchObject({ exit: 0, stdout: "", stderr: "No active orders to track\n" });
});

test("--all-active --watch leaves out what awaits payment, says so, and --include-unpaid adds it", async () => {
  const home = await createServedHome();
  const [unpaid = "", paid = ""] = await createOrders(home, 3);
  await home.sandbox.advance({ trackingNumber: paid, to: "paid" });
  const watch = async (words: string) => {
    const { exit, stdout, stderr } = await home.courier(`track ${words} --watch --ndjson --for 1s`);
    const lines = stdout.split("\n").filter((line) => line !== "");
    return { exit, stderr, numbers: lines.map((line) => JSON.parse(line).tracking_number) };
  };
  const told = "2 orders not watched, awaiting payment; to watch all: add --include-unpaid\n";
  const active = await watch("--all-active");
  expect(active.numbers).toEqual([paid]);
  expect(active.stderr.startsWith(told), active.stderr).toBe(true);
  const all = await watch("--all-active --include-unpaid");
  expect(all.numbers).toHaveLength(3);
  expect(all.stderr).not.toContain("payment");
  const chosen = await watch("--status pending");
  expect([chosen.numbers.length, chosen.numbers.includes(unpaid)]).toEqual([2, true]);
  expect(chosen.stderr).not.toContain("payment");
});

test("a watch of nothing but unpaid orders ends with what was left out; one lookup shows them", async () => {
  const home = await createServedHome();
  const numbers = await createOrders(home, 2);
  expect(await home.courier("track --all-active --watch")).toEqual({
    exit: 0,
    stdout: "",
    stderr:
      "2 orders not watched, awaiting payment; to watch all: add --include-unpaid\nNo active orders to track\n",
  });
  const once = await home.courier("track --all-active --json");
  expect(numbersIn(once.stdout).sort()).toEqual([...numbers].sort());
  expect((await home.courier("track --changes --all-active --ndjson")).stdout.split("\n")).toHaveLength(3);
});

test.each([
  "--all-active --watch --until delivered",
  "--all-active --watch --until change --ndjson",
  "--status in_transit --watch --until change",
  "- --watch --until delivered",
])("track %s: without a parcel, nothing that was waited for has happened: exit 7", async (words) => {
  const home = await createServedHome();
  await createOrder(home); // it awaits payment
  const { exit, stdout, stderr } = await home.courier(`track ${words}`, { stdin: "" });
  expect({ exit, stdout }).toEqual({ exit: 7, stdout: "" });
  expect(stderr).toContain("there is no parcel to watch");
});

test.each([
  ["track --all-active --include-unpaid", "--include-unpaid needs --watch"],
  ["track T1 --watch --include-unpaid", "--include-unpaid adds orders to --all-active, which is not given"],
])("%s: exit 2", async (line, message) => {
  const home = await createServedHome();
  const { exit, stderr } = await home.courier(line);
  expect({ exit, asked: home.sandbox.requests }).toEqual({ exit: 2, asked: [] });
  expect(stderr).toContain(message);
});

test("orders without a tracking number yet are counted, and are no reason to say that there are none", async () => {
  const home = await createServedHome();
  const order =
    '{"id":7,"order_no":"CO7","tracking_number":"","status":"picked","created_at":"2026-03-01T00:00:00Z"}';
  answerRaw(home, "GET /api/v1/orders", `{"success":true,"data":[${order}],${onePage}}`);
  expect(await home.courier("track --status picked")).toEqual({
    exit: 0,
    stdout: "",
    stderr:
      "warning: 1 order has no tracking number yet and cannot be tracked\nNo orders to track with the state picked\n",
  });
});
