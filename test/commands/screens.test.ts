import { mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createHome, createServedHome, type Home } from "../support/courier.ts";
import { createOrder } from "../support/orders.ts";
import { expectScreens, tooWide } from "../support/screens.ts";

const noColour = { NO_COLOR: "1" };

function at(home: Pick<Home, "courier">, words: string) {
  return (terminal: number) => home.courier(words, { terminal, env: noColour });
}

test("orders list fits its columns to the terminal", async () => {
  const home = await createServedHome({ seedOrders: 30 });
  await expectScreens("orders-list", at(home, "orders list --limit 12"));
});

test("orders list of some days and states, from the mirror", async () => {
  const home = await createServedHome({ seedOrders: 30 });
  await home.courier("sync");
  home.clock.advance(3 * 3_600_000);
  const words = "orders list --offline --last 2d --status pending,paid,cancelled --limit 4";
  await expectScreens("orders-list-offline", at(home, words));
});

test("orders show and track of an order on its way", async () => {
  const home = await createServedHome();
  const { tracking_number } = await createOrder(home);
  await expectScreens("orders-show-pending", at(home, "orders show 1000001"));
  await home.sandbox.advance({ trackingNumber: tracking_number, to: "delivering" });
  home.clock.advance(20 * 60_000);
  await expectScreens("orders-show-delivering", at(home, "orders show 1000001"));
  await expectScreens("track", at(home, `track ${tracking_number}`));
});

test("track of several parcels, one of them unknown", async () => {
  const home = await createServedHome();
  const first = await createOrder(home);
  const second = await createOrder(home);
  await home.courier(`orders cancel ${second.id} --yes`);
  await expectScreens(
    "track-several",
    at(home, `track ${first.tracking_number} CR000000000000 ${second.tracking_number}`),
  );
});

test("reports and late orders", async () => {
  const home = await createServedHome({ seedOrders: 60 });
  await home.courier("sync");
  await home.courier("track --status delivered");
  await expectScreens("report-spend", at(home, "report spend"));
  await expectScreens("report-time", at(home, "report time --by month"));
  await expectScreens("late", at(home, "late --limit 3"));
});

test("orders create", async () => {
  const words =
    "orders create --yes --sender-name 张三 --receiver-name 李四 --item-name 手机 --item-weight 0.50";
  await expectScreens("orders-create", async (terminal) => at(await createServedHome(), words)(terminal));
});

test("orders cancel of several orders with every outcome", async () => {
  const home = await createServedHome();
  const orders = [await createOrder(home), await createOrder(home), await createOrder(home)];
  await home.courier(`orders cancel ${orders[1]?.id} --yes`);
  await home.sandbox.advance({ trackingNumber: orders[2]?.tracking_number ?? "", to: "delivered" });
  await home.courier(`orders cancel ${orders[0]?.id} --yes`);
  const ids = orders.map(({ id }) => id).join(" ");
  await expectScreens("orders-cancel", at(home, `orders cancel ${ids} 9 --yes`));
});

test("profile", async () => {
  const home = await createHome();
  await expectScreens("profile", at(home, "--account sandbox profile"));
});

test("accounts list", async () => {
  const configDir = await mkdtemp("/tmp/courier-screen-");
  onTestFinished(() => rm(configDir, { recursive: true, force: true }));
  const accounts = {
    default: { base_url: "https://api.example.com", key: "secret-key-1" },
    shop: { base_url: "https://shop.example.com/courier", key: "secret-key-2" },
    仓库: { base_url: "https://warehouse.example.com" },
  };
  await writeFile(path.join(configDir, "config.json"), JSON.stringify({ current: "shop", accounts }));
  const { courier } = await createHome({ COURIER_CONFIG_DIR: configDir, ...noColour });
  await expectScreens("accounts-list", async (terminal) => {
    const ran = await courier("accounts list", { terminal });
    return { ...ran, stdout: ran.stdout.replaceAll(configDir, "/tmp/courier-screen-XXXXXX") };
  });
});

test("help", async () => {
  const { courier } = await createHome();
  for (const width of [80, 140])
    expect(tooWide((await courier("--help", { terminal: width })).stdout, width)).toEqual([]);
  await expectScreens("help-orders-show", (terminal) => courier("orders show --help", { terminal }));
});

test("errors", async () => {
  const home = await createServedHome();
  await expectScreens("error-refused", (terminal) =>
    home.courier(
      ["orders", "create", "--yes", "--sender-phone", "12", "--receiver-name", "李四", "--item-name", "手机"],
      {
        terminal,
        env: noColour,
      },
    ),
  );
});
