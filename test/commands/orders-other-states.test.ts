/** A service that lists orders in other states than it was asked for: what each order says of itself counts. */

import { expect, onTestFinished, test } from "vitest";
import { createTransport, type Transport } from "../../src/api/transport.ts";
import { answerData, requestCount } from "../support/answers.ts";
import { createServedHome, type Home } from "../support/courier.ts";

/** The sandbox, which hears no `status`, or another filter. */
async function homeWithDeafService(seedOrders: number, deafTo: readonly string[] = ["status"]) {
  const home = await createServedHome({ seedOrders });
  const real = await createTransport({}, 5_000);
  onTestFinished(() => real.close());
  const transport: Transport = {
    ...real,
    close: async () => {},
    send(request) {
      const url = new URL(request.url);
      for (const name of deafTo) url.searchParams.delete(name);
      return real.send({ ...request, url });
    },
  };
  const all = JSON.parse((await home.courier("orders list --all --json")).stdout) as Order[];
  return {
    ...home,
    /** Ids of the orders in this state, in the order of the list. */
    inState: (state: string) => all.filter(({ status }) => status === state).map(({ id }) => id),
    all,
    courier: ((words, options) => home.courier(words, { ...options, transport })) as Home["courier"],
  };
}

interface Order {
  readonly id: number;
  readonly status: string;
}

const idsIn = (stdout: string): number[] => (JSON.parse(stdout) as Order[]).map(({ id }) => id);
const leftOut = (count: number) =>
  `warning: the service also listed ${count} orders in other states, which are left out\n`;

test.each([
  "orders list --all --json",
  "orders export --json",
  "orders export --details --json",
  "orders slips --json",
])("%s --status delivered: only orders that are delivered, and how many are left out", async (words) => {
  const home = await homeWithDeafService(40);
  const delivered = home.inState("delivered");
  expect(delivered.length).toBeGreaterThan(1);
  const { exit, stdout, stderr } = await home.courier(`${words} --status delivered`);
  expect([exit, idsIn(stdout), stderr]).toEqual([0, delivered, leftOut(40 - delivered.length)]);
  const both = await home.courier(`${words} --status delivered,picked`);
  expect(both.stderr).toContain(leftOut(40 - delivered.length - home.inState("picked").length));
});

test("orders list reads on until enough orders match, and gives no count of the service as that of the state", async () => {
  const home = await homeWithDeafService(60);
  const delivered = home.inState("delivered");
  const { stdout, stderr } = await home.courier("orders list --status delivered --limit 2 --json");
  expect(idsIn(stdout)).toEqual(delivered.slice(0, 2));
  expect(stderr).toMatch(
    /^warning: the service also listed \d+ orders in other states, which are left out\n2 shown, more exist; --all shows every one\n$/,
  );
  const [newest] = home.all;
  const first = await home.courier(`orders list --status ${newest?.status} --limit 1 --json`);
  expect(idsIn(first.stdout)).toEqual([newest?.id]);
  expect(first.stderr).toBe("1 shown; the service counts 60 orders; --all shows every one\n");
});

test("orders list says what reading to the end takes, once the service is seen to ignore the state", async () => {
  const home = await homeWithDeafService(150);
  const { exit, stderr } = await home.courier("orders list --status nowhere --limit 2");
  expect(exit).toBe(0);
  expect(stderr).toMatch(/^This takes up to 74 calls; \d+ are left\.\n/);
  expect(stderr).toContain("unknown state “nowhere”; known are ");
});

test("orders list --page shows the page as the service sent it, and says that it has other states", async () => {
  const home = await homeWithDeafService(40);
  const { stdout, stderr } = await home.courier("orders list --status delivered --page 1 --limit 40 --json");
  expect(idsIn(stdout)).toEqual(home.all.map(({ id }) => id));
  const others = 40 - home.inState("delivered").length;
  expect(stderr).toBe(
    `warning: the service did not keep to --status delivered: ${others} orders of this page are in other states\n`,
  );
});

test.each([
  ["--from 2100-01-01", 3],
  ["--to 2000-01-01", 3],
  ["--from 2000-01-01", 0],
])("orders list --page 1 %s says where the page has orders of days far from these", async (days, count) => {
  const home = await homeWithDeafService(3, ["date_from", "date_to"]);
  const { stdout, stderr } = await home.courier(`orders list ${days} --page 1 --json`);
  expect(idsIn(stdout)).toHaveLength(3);
  const told = stderr.match(/did not keep to the days: (\d+) orders of this page are of other days/)?.[1];
  expect(Number(told ?? 0), stderr).toBe(count);
});

test("track --status looks up the parcels of orders in that state only", async () => {
  const home = await homeWithDeafService(30);
  const { exit, stderr } = await home.courier("track --status delivered --json");
  expect(exit).toBe(0);
  expect(stderr).toBe(leftOut(30 - home.inState("delivered").length));
  const tracked = home.sandbox.requests.filter(({ path }) => path.includes("/tracking/"));
  expect(tracked).toHaveLength(home.inState("delivered").length);
});

test("orders that do not say their state are kept, and counted", async () => {
  const home = await createServedHome();
  const orders = [
    { id: 4, status: "paid" },
    { id: 3, status: null },
    { id: 2 },
    { id: 1, status: "pending" },
  ];
  const pagination = '"pagination":{"current_page":1,"total_pages":1,"total_items":4,"per_page":10}';
  answerData(home, "GET /api/v1/orders", JSON.stringify(orders), pagination);
  for (const words of ["orders list --all", "orders list", "orders export"]) {
    const { stdout, stderr } = await home.courier(`${words} --status pending --json`);
    expect(idsIn(stdout)).toEqual([3, 2, 1]);
    expect(stderr).toBe(
      "warning: the service also listed 1 order in other states, which is left out\n" +
        "warning: 2 orders are kept although their status cannot be read\n",
    );
  }
  expect(requestCount(home, "GET")).toBe(3);
});
