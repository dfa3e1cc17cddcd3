/** The character encoding of answers: the one that they declare, else UTF-8; other bytes are an error. */

import { expect, test } from "vitest";
import { requestCount } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { plainDraft } from "../support/orders.ts";

/** 张三 in GBK, a byte for each character. */
const gbkName = "\xd5\xc5\xc8\xfd";

function answerBytes({ sandbox }: ServedHome, call: string, type: string, body: string, processed = false) {
  const [method = "", path = ""] = call.split(" ");
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\nConnection: close`;
  sandbox.faults.add({ kind: "raw", method, path, bytes: `${head}\r\n\r\n${body}`, processed });
}

const profile = (name: string) =>
  `{"success":true,"data":{"id":7,"name":"${name}","email":"a@example.com","balance":1,"api_calls_remaining":9}}`;
const utf8 = (text: string) => Buffer.from(text).toString("latin1");

test.each([
  ["application/json; charset=GBK", gbkName, "张三"],
  ['application/json;charset="gb18030"', gbkName, "张三"],
  ["application/json; charset=no-such", utf8("张三"), "张三"],
  ["application/json; charset=ISO-8859-1", utf8("张三"), "张三"],
  ["application/json; charset=ISO-8859-1", "Jos\xe9", "José"],
  ["application/json", utf8("张三"), "张三"],
])("%s, %j: read as %s", async (type, bytes, name) => {
  const home = await createServedHome();
  answerBytes(home, "GET /api/v1/user/profile", type, profile(bytes));
  const { exit, stdout, stderr } = await home.courier("profile --json");
  expect(exit, stderr).toBe(0);
  expect(JSON.parse(stdout).name).toBe(name);
});

test.each([
  ["application/json", "UTF-8"],
  ["application/json; charset=no-such", "UTF-8"],
  ["application/json; charset=Shift_JIS", "SHIFT_JIS"],
])("%s, other bytes: exit 70, nothing on stdout", async (type, encoding) => {
  const home = await createServedHome();
  answerBytes(home, "GET /api/v1/user/profile", type, profile(`${gbkName}\xff\xff`));
  const { exit, stdout, stderr } = await home.courier("profile --json");
  expect({ exit, stdout }).toEqual({ exit: 70, stdout: "" });
  expect(JSON.parse(stderr).error).toMatchObject({ code: "undecodable", status: 200 });
  expect(stderr).toContain(`is not text in ${encoding}`);
});

test("a refusal keeps its code, whatever its message is in", async () => {
  const home = await createServedHome();
  const body = `{"success":false,"error":{"code":"SOME_CODE","message":"${gbkName}"}}`;
  answerBytes(home, "GET /api/v1/user/profile", "application/json", body);
  const { exit, stderr } = await home.courier("profile --json");
  expect(exit).toBe(1);
  expect(JSON.parse(stderr).error).toMatchObject({ code: "refused", service_code: "SOME_CODE" });
});

test("the answer to a create in other bytes is a lost one: the order is found, and sent once", async () => {
  const home = await createServedHome();
  const body = `{"success":true,"data":{"id":1000001},"message":"${gbkName}"}`;
  answerBytes(home, "POST /api/v1/orders", "application/json", body, true);
  const { exit, stdout, stderr } = await home.courier("orders create --file - --json", {
    stdin: JSON.stringify(plainDraft),
  });
  expect(exit, stderr).toBe(0);
  expect(JSON.parse(stdout).id).toBe(1000001);
  expect(stderr).toContain("is not text in UTF-8");
  expect(requestCount(home, "POST")).toBe(1);
});

test("a file that a GET fetches stays byte for byte", async () => {
  const home = await createServedHome();
  answerBytes(home, "GET /api/v1/labels/1", "application/pdf", `%PDF-1.4 ${gbkName}`);
  const { exit } = await home.courier("api GET /labels/1");
  expect(exit).toBe(0);
});

test.each([
  ["GBK", gbkName],
  ["utf-16le", "张三"],
])("raw pages in %s: their items have the names, and so has a terminal", async (charset, name) => {
  const home = await createServedHome();
  const paging = '{"current_page":1,"total_pages":1,"total_items":1,"per_page":100}';
  const text = `{"success":true,"data":[{"id":1,"item_name":"${name}"}],"pagination":${paging}}`;
  const body = charset === "GBK" ? text : Buffer.from(text, "utf16le").toString("latin1");
  answerBytes(home, "GET /api/v1/orders", `application/json; charset=${charset}`, body);
  const { stdout, stderr } = await home.courier("api orders --paginate --json");
  expect(JSON.parse(stdout), stderr).toEqual([{ id: 1, item_name: "张三" }]);
  expect((await home.courier("api orders", { terminal: 80 })).stdout).toContain('"item_name": "张三"');
});
