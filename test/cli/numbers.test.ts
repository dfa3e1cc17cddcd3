/** Numbers come out as the service wrote them, unknown fields and states are kept, missing ones show as `-`. */

import { describe, expect, test } from "vitest";
import { answerData, onePage, sentBodies } from "../support/answers.ts";
import { createServedHome } from "../support/courier.ts";

const id = "9007199254740993123";
const fee = "12345678901234567890.10";

const summary = `{"id":${id},"order_no":"CO1","tracking_number":"T1","status":"held_by_customs","payment_status":"owed","actual_fee":${fee},"item_name":"茶","created_at":"2026-03-01T08:00:00Z","sender":{"name":"张三","city":"深圳","floor":12.50},"receiver":{"name":"李四","city":"北京"},"surcharge":12.50}`;
const detail = `{"id":${id},"order_no":"CO1","tracking_number":"T1","status":"held_by_customs","service_type":"drone","estimated_fee":1E+2,"actual_fee":${fee},"item":{"weight":0.10,"value":${fee},"quantity":${id}},"surcharge":12.50,"insured":{"sum":0.10}}`;
const profile = `{"id":${id},"name":"Wang","email":null,"balance":${fee},"api_calls_remaining":${id},"credit_limit":500.00}`;
const tracking = `{"tracking_number":"T1","status":"held_by_customs","current_location":"Hamburg","records":[],"duty":12.50}`;

async function served() {
  const home = await createServedHome();
  answerData(home, "GET /api/v1/orders", `[${summary}]`, onePage);
  answerData(home, "GET /api/v1/orders/\\d+", detail);
  answerData(home, "GET /api/v1/user/profile", profile);
  answerData(home, "GET /api/v1/tracking/T1", tracking);
  return home;
}

describe("JSON is the text that the service sent, digit for digit", () => {
  test.each([
    ["orders list --json", `[${summary}]`],
    ["orders list --all --json", `[${summary}]`],
    ["orders list --ndjson", summary],
    [`orders show ${id} --json`, detail],
    [`orders show ${id} --ndjson`, detail],
    ["profile --json", profile],
    ["track T1 --json", tracking],
    ["track T1 T1 --ndjson", `${tracking}\n${tracking}`],
    [
      "orders list --json --fields id,actual_fee,=sender.floor",
      `[{"id":${id},"actual_fee":${fee},"sender":{"floor":12.50}}]`,
    ],
  ])("%s", async (words, expected) => {
    const { courier } = await served();
    expect(await courier(words)).toEqual({ exit: 0, stdout: `${expected}\n`, stderr: "" });
  });
});

test("a large id is asked for, cancelled and suggested with all its digits", async () => {
  const { courier, sandbox } = await served();
  const shown = await courier(`orders show ${id}`, { terminal: 80 });
  expect(shown.stdout).toContain(id);
  expect(sandbox.requests.at(-1)?.path).toBe(`/api/v1/orders/${id}`);
  answerData({ sandbox }, "DELETE /api/v1/orders/\\d+", "null");
  const { stdout } = await courier(`orders cancel ${id} --yes --json`);
  expect(stdout).toContain(`"id":${id},`);
  expect(sandbox.requests.filter(({ method }) => method === "DELETE").map(({ path }) => path)).toEqual([
    `/api/v1/orders/${id}`,
  ]);
});

test("the created order's id and fee are printed as they came", async () => {
  const words = "orders create --sender-name A --receiver-name B --item-name C";
  const courier = async (line: string) => {
    const home = await createServedHome(); // its order has one id, which one create alone may have
    answerData(home, "POST /api/v1/orders", `{"id":${id},"estimated_fee":12.50,"status":"queued"}`);
    return home.courier(line);
  };
  expect((await courier(`${words} --json`)).stdout).toBe(
    `{"id":${id},"estimated_fee":12.50,"status":"queued"}\n`,
  );
  const { stdout } = await courier(words);
  expect(stdout).toContain("Estimated fee    12.50");
  expect(stdout).toContain("State            queued");
  expect(stdout).toContain(`courier orders show ${id}`);
});

test("numbers in CSV are the service's own text", async () => {
  const { courier } = await served();
  const { stdout } = await courier(
    "orders list --csv --fields id,actual_fee,=surcharge,=sender.floor,sender",
  );
  expect(stdout).toBe(
    `id,actual_fee,surcharge,sender.floor,sender\n${id},${fee},12.50,12.50,"{""name"":""张三"",""city"":""深圳"",""floor"":12.50}"\n`,
  );
});

test("the weight and the value that are sent keep the digits that were typed", async () => {
  const home = await createServedHome();
  await home.courier("orders create --sender-name A --receiver-name B --item-weight 2.50 --item-value 0.10");
  expect(sentBodies(home)[0]).toBe(
    '{"sender":{"name":"A"},"receiver":{"name":"B"},"item":{"weight":2.50,"value":0.10}}',
  );
  const file = `{"sender":{},"receiver":{},"item":{"weight":1.0,"value":${fee},"quantity":${id}}}`;
  await home.courier("orders create --file -", { stdin: file });
  expect(sentBodies(home)[1]).toBe(file);
});

describe.each([
  ["at a terminal", 80],
  ["in a pipe", undefined],
] as const)("a person sees %s", (_where, columns) => {
  const options = columns === undefined ? {} : { terminal: columns, env: { NO_COLOR: "1" } };

  test("every digit, unknown states, unknown fields, and - for what is missing", async () => {
    const { courier } = await served();
    const { stdout, stderr } = await courier(`orders show ${id}`, options);
    const lines = stdout.split("\n").map((line) => line.trim());
    expect(stderr).toBe("");
    for (const line of [
      `Order            ${id}`,
      "State            held_by_customs",
      "Payment          -",
      "Service          drone",
      "Estimated fee    1E+2",
      `Actual fee       ${fee}`,
      "Created          -",
      "Updated          -",
      "Phone    -",
      "Weight       0.10",
      `Quantity     ${id}`,
    ]) {
      expect(lines).toContain(line);
    }
    expect(stdout).toMatch(/^surcharge +12\.50$/m);
    expect(stdout).toMatch(/^insured +\{"sum":0\.10\}$/m);
    expect(stdout).not.toContain("Can be done now");
  });

  test("the profile's and the parcel's unknown fields", async () => {
    const { courier } = await served();
    const { stdout: profileText } = await courier("profile", options);
    expect(profileText).toContain(`Balance         ${fee}`);
    expect(profileText).toContain("E-mail          -");
    expect(profileText).toMatch(/^credit_limit +500\.00$/m);
    const { stdout: trackText } = await courier("track T1", options);
    expect(trackText).toContain("T1  held_by_customs");
    expect(trackText).toMatch(/^duty +12\.50$/m);
    expect(trackText).toMatch(/^Estimated delivery +-$/m);
    expect(trackText).toContain("No movements recorded yet");
  });
});

test("a list of orders with nothing but ids shows - everywhere else", async () => {
  const home = await createServedHome();
  answerData(home, "GET /api/v1/orders", `[{"id":${id}},{"id":2,"sender":null,"status":null}]`, onePage);
  const { exit, stdout } = await home.courier("orders list");
  expect(exit).toBe(0);
  const [, first, second] = stdout.split("\n");
  expect(first?.split(/ +/)).toEqual([id, ...Array<string>(11).fill("-")]);
  expect(second?.split(/ +/)).toEqual(["2", ...Array<string>(11).fill("-")]);
});
