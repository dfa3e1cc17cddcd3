/** `orders create --repeat` that fails: what its hint says to type sends the same order, whatever was sent meanwhile. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { personWho, type Step } from "../support/answering.ts";
import { row, sheet } from "../support/imports.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const order = (name: string, phone: string) => ({
  sender: { name: "张三", phone: "13800138000", city: "北京市", detail: "建国路1号" },
  receiver: { name, phone, city: "上海市", detail: "人民路88号" },
  item: { name: "茶叶", quantity: 1 },
});

/** Where 李四 was sent an order an hour ago. */
async function homeWithOrder() {
  const home = await createUnfaithfulHome();
  const put = async (name: string, text: string) => {
    const file = path.join(home.directory, name);
    await writeFile(file, text);
    return file;
  };
  const send = async (name: string, phone: string) => {
    const file = await put(`${phone}.json`, JSON.stringify(order(name, phone)));
    expect((await home.courier(`orders create --file ${file}`)).exit).toBe(0);
  };
  const receivers = () => home.service.orders.map(({ body }) => body.receiver.name);
  await send("李四", "13900139000");
  home.clock.advance(3_600_000);
  return { ...home, put, send, receivers };
}

test.each(["a single order", "an import"])("in doubt, and %s is sent meanwhile", async (which) => {
  const home = await homeWithOrder();
  home.service.ways = { loss: () => "before" };
  const lost = await home.courier("orders create --repeat --item-quantity 2 --yes");
  expect(lost.exit).toBe(6);
  expect(lost.stderr).toMatch(
    /hint: run courier orders create --item-quantity 2 --yes --like 1\.1 after [\d:]+, when the outcome/,
  );
  home.service.ways = {};
  home.clock.advance(60_000);
  if (which === "an import") {
    const file = await home.put("b.csv", sheet(row("B-1", "王五", "13700137000")));
    expect((await home.courier(`orders import ${file} --yes`)).exit).toBe(0);
  } else await home.send("王五", "13700137000");
  const hinted = "orders create --item-quantity 2 --yes --like 1.1";
  home.clock.advance(16 * 60_000);
  expect((await home.courier(hinted)).exit).toBe(0);
  expect(home.receivers()).toEqual(["李四", "王五", "李四"]);
});

test("in doubt, and repeated at once: the hint does not lead back to --repeat", async () => {
  const home = await homeWithOrder();
  home.service.ways = { loss: () => "before" };
  for (const [words, exit] of [
    ["--repeat --yes", 6],
    ["--repeat --yes", 2],
    ["--repeat --yes --ref R-1", 2],
  ] as const) {
    const ran = await home.courier(`orders create ${words}`);
    expect(ran.exit, ran.stderr).toBe(exit);
    expect(ran.stderr).not.toContain("the same command");
    expect(ran.stderr).toMatch(/run courier orders create --yes (--ref R-1 )?--like [12]\.1 after/);
  }
});

test("a duplicate of a moment ago: the hint to send it nevertheless names the order", async () => {
  const home = await homeWithOrder();
  await home.send("赵六", "13600136000");
  const { exit, stderr } = await home.courier("orders create --repeat --yes");
  expect(exit, stderr).toBe(2);
  const hinted = "orders create --yes --like 2.1";
  expect(stderr).toContain(`hint: to ship it a second time, run courier ${hinted} with --allow-duplicate\n`);
  await home.send("王五", "13700137000");
  expect((await home.courier(`${hinted} --allow-duplicate`)).exit).toBe(0);
  expect(home.receivers()).toEqual(["李四", "赵六", "王五", "赵六"]);
});

test("not sent, because the service asks to wait: the hint names the order, too", async () => {
  const home = await homeWithOrder();
  home.service.ways = { failWithoutCommit: { status: 429, code: "RATE_LIMITED", message: "later" } };
  const { exit, stderr } = await home.courier("orders create --repeat --yes");
  expect(exit, stderr).toBe(5);
  expect(stderr).toContain("; or run courier orders create --yes --like 1.1");
});

test("in doubt after it was reviewed at a terminal", async () => {
  const home = await homeWithOrder();
  home.service.ways = { loss: () => "before" };
  const steps: Step[] = [
    ["What now?", "Send this order"],
    ["The same order was sent …", true],
  ];
  const prompts = personWho(...steps);
  const { exit, stderr } = await home.courier("orders create --repeat", {
    terminal: 80,
    prompts,
    env: { NO_COLOR: "1" },
  });
  expect(exit, stderr).toBe(6);
  expect(stderr).toContain("hint: run courier orders create --like 1.1 after");
  expect(prompts.left).toEqual([]);
});
