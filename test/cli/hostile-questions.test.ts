/** Questions quote the service too: nothing of it acts on the terminal that shows them. */

import { expect, test } from "vitest";
import { answerData } from "../support/answers.ts";
import { createServedHome } from "../support/courier.ts";
import { expectInert, hostileText, hostileTexts } from "../support/hostile.ts";
import { courierTyping } from "../support/typing.ts";

test.each(Object.entries(hostileTexts))("the check of these tests notices %s", (_name, text) => {
  expect(() => expectInert(`before ${text.replace("\u001b[31m", "\u001b[35m")} after`)).toThrow(/acting/);
});

test("the confirmation of a cancel shows hostile text as escapes, and No does nothing", async () => {
  const home = await createServedHome();
  const text = JSON.stringify(hostileText);
  answerData(
    home,
    "GET /api/v1/orders/\\d+",
    `{"id":7,"status":${text},"item":{"name":${text}},"receiver":{"name":${text}}}`,
  );
  const env = { COURIER_BASE_URL: home.sandbox.baseUrl, COURIER_API_KEY: home.sandbox.apiKey };
  const question = /Cancel order 7/;
  const { exit, stdout, stderr } = await courierTyping(home, "orders cancel 7", {
    env,
    question,
    keys: "n\r",
  });
  expect({ exit, stdout }).toEqual({ exit: 130, stdout: "" });
  expect(stderr).toContain("\\u202e");
  // The prompt library moves the cursor and colours by itself; none of the service's codes is among them.
  for (const code of ["\u001b[2J", "\u001b]", "\u0007", "\u009b", "\u009d", "\u0090", "\u202e", "\u200b"]) {
    expect(stderr).not.toContain(code);
  }
  expect(home.sandbox.requests.every(({ method }) => method === "GET")).toBe(true);
});
