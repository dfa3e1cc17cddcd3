/** Text from the service is data: it is shown whole, and nothing of it acts on the terminal. */

import { describe, expect, test } from "vitest";
import { answerData, answerRaw, onePage } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { expectInert, expectInertCsv, hostileText } from "../support/hostile.ts";

const text = JSON.stringify(hostileText);
const party = `{"name":${text},"phone":${text},"address":${text},"city":${text}}`;
const order = `{"id":7,"order_no":${text},"tracking_number":${text},"status":${text},"payment_status":${text},"service_type":${text},"item_name":${text},"created_at":${text},"updated_at":${text},"sender":${party},"receiver":${party},"item":{"name":${text},"description":${text}},${text}:${text},"nested":{${text}:[${text}]}}`;
const profile = `{"id":1,"name":${text},"email":${text},${text}:${text}}`;
const record = `{"location":${text},"description":${text},"occurred_at":${text}}`;
const tracking = (number: string) =>
  `{"tracking_number":"${number}","status":${text},"current_location":${text},"estimated_delivery":${text},"records":[${record},${record}],${text}:${text}}`;

const create = "orders create --yes --sender-name A --receiver-name B --item-name C";

const commands = {
  profile: "profile",
  list: "orders list",
  "list of all": "orders list --all",
  "list with an unknown field": `orders list --fields id,=nested,sender`,
  show: "orders show 7",
  create,
  cancel: "orders cancel 7 --yes",
  track: "track T1",
  "track of several": "track T1 T2",
};

async function hostileHome(): Promise<ServedHome> {
  const home = await createServedHome();
  answerData(home, "GET /api/v1/user/profile", profile);
  answerData(home, "GET /api/v1/orders", `[${order}]`, onePage);
  answerData(home, "GET /api/v1/orders/\\d+", order);
  answerRaw(home, "POST /api/v1/orders", `{"success":true,"data":${order},"message":${text}}`);
  answerRaw(home, "DELETE /api/v1/orders/\\d+", `{"success":true,"message":${text}}`);
  for (const number of ["T1", "T2"]) answerData(home, `GET /api/v1/tracking/${number}`, tracking(number));
  return home;
}

/** The order that is read back after a cancel has a hostile state, and is not cancelled. */
const exitOf = (words: string) => (words === commands.cancel ? 3 : 0);

describe.each(Object.entries(commands))("%s", (_name, words) => {
  test.each([40, 80, 140, undefined])("shows hostile text inert (columns: %s)", async (columns) => {
    const { courier } = await hostileHome();
    const { exit, stdout, stderr } = await courier(words, columns === undefined ? {} : { terminal: columns });
    expect(exit).toBe(exitOf(words));
    expect(stdout).not.toBe("");
    expectInert(stdout);
    expectInert(stderr);
  });

  test.each(["--json", "--ndjson"])("%s gives the original text back", async (form) => {
    for (const options of [{}, { terminal: 80 }]) {
      const { courier } = await hostileHome(); // its order has one id, which one create alone may have
      const { exit, stdout, stderr } = await courier(`${words} ${form}`, options);
      expect(exit).toBe(exitOf(words));
      expectInert(stdout);
      expectInert(stderr);
      const document = JSON.parse(form === "--json" ? stdout : (stdout.split("\n")[0] ?? ""));
      expect(findTexts(document)).toContain(hostileText);
    }
  });
});

test("in a pipe nothing of hostile text is lost: each escape is the one that JSON uses", async () => {
  const home = await createServedHome();
  answerData(home, "GET /api/v1/user/profile", '{"name":"a\\u001b[31mb\\u009bc\\u202ed\\u200be\\nf\\ud800"}');
  const { stdout } = await home.courier("profile");
  expect(stdout).toContain("Name            a\\u001b[31mb\\u009bc\\u202ed\\u200be\\nf\\ud800\n");
});

test("CSV at a terminal is inert; in a pipe, which may end at one, only what does not act is kept", async () => {
  const { courier } = await hostileHome();
  const shown = await courier("orders list --csv", { terminal: 80 });
  expectInert(shown.stdout);
  expect(shown.stdout.trimEnd().split("\n")).toHaveLength(2);
  const piped = await courier("orders list --csv --fields item_name");
  expect(piped.stdout).toContain("\\u001b[31mred");
  expect(piped.stdout).toContain("first\nerror: forged\r\noverwritten\\rX");
  expect(piped.stdout).toContain("pay\u200bpal");
  expectInertCsv(piped.stdout);
});

describe("a failure that quotes the service", () => {
  const failure = `{"success":false,"error":{"code":${text},"message":${text},"details":{"field":${text},"value":${text}}}}`;

  test.each([
    ["a refusal", 400, failure],
    ["an answer that is not JSON", 200, hostileText],
    ["a failing service", 500, hostileText],
    ["an answer of the wrong shape", 200, `{"success":true,"data":${text}}`],
    ["a redirect", 302, ""],
  ])("%s is inert on stderr", async (_what, status, body) => {
    for (const words of [
      "profile",
      "orders list",
      "orders show 7",
      create,
      "orders cancel 7 --yes",
      "track T1",
    ]) {
      for (const form of ["", " --json", " --debug"]) {
        const home = await createServedHome();
        home.sandbox.faults.add({ kind: "status", status, body, headers: { Location: "http://[::1]/%1b" } });
        const { exit, stdout, stderr } = await home.courier(words + form, { terminal: 80 });
        expect(exit).not.toBe(0);
        expectInert(stdout);
        expectInert(stderr);
      }
    }
  });

  test("the JSON error holds the service's code and details unchanged", async () => {
    const home = await createServedHome();
    answerRaw(home, "GET /api/v1/user/profile", failure, { status: 400 });
    const { stderr } = await home.courier("profile --json");
    expect(stderr.split("\n")).toHaveLength(2);
    const { error } = JSON.parse(stderr);
    expect(error.service_code).toBe(hostileText);
    expect(error.details).toEqual({ field: hostileText, value: hostileText });
  });
});

test("words of the command line and of files are shown inert too", async () => {
  const home = await createServedHome();
  for (const words of [
    ["orders", "show", hostileText],
    ["orders", "list", "--from", hostileText],
    ["orders", "list", `--${hostileText}`],
    [hostileText],
    ["--account", hostileText, "profile"],
    ["--base-url", hostileText, "profile"],
    ["login", "--account", hostileText],
    ["orders", "create", "--file", hostileText.replaceAll("\u0000", "")],
  ]) {
    const { exit, stdout, stderr } = await home.courier(words, { terminal: 80 });
    expect(exit).not.toBe(0);
    expect(stdout).toBe("");
    expectInert(stderr);
  }
  const keys = JSON.stringify({ sender: { [hostileText]: 1 }, receiver: {}, item: {} });
  expectInert((await home.courier("orders create --file -", { stdin: keys })).stderr);
});

/** Every string in a document, keys included. */
function findTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return [...Object.keys(value), ...Object.values(value).flatMap(findTexts)];
}
