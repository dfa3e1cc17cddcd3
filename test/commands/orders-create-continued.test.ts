/** "Same without questions" after an order that was continued from a draft. */

import { expect, test } from "vitest";
import { ctrlC, enter, personWho, type Step, shortForm } from "../support/answering.ts";
import { requestCount } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";

const send: Step = ["What now?", "Send this order"];
const declined: readonly Step[] = [
  ["Save 张三…", false],
  ["Save 李四…", false],
];
const compose = (home: ServedHome, steps: readonly Step[], words: string) =>
  home.courier(words, { terminal: 80, prompts: personWho(...steps), env: { NO_COLOR: "1" } });
const posts = (home: ServedHome) => requestCount(home, "POST");

test.each([
  ["given with --ref", true],
  ["of the continued draft", false],
])("names the ref %s, so that following it an hour later ships no second parcel", async (_, isGiven) => {
  const home = await createServedHome();
  await compose(home, [...shortForm(), ["What now?", ctrlC]], "orders create --ref A-9");
  const words = isGiven ? "orders create --ref A-9" : "orders create";
  const ran = await compose(home, [["Continue with it?", enter], send, ...declined], words);
  expect(posts(home), ran.stderr).toBe(1);
  const hint = /Same without questions: courier (.*)/.exec(ran.stderr.replaceAll("\n ", " "))?.[1] ?? "";
  home.clock.advance(3_600_000);
  const again = await home.courier(hint.replaceAll('"', "").split(" "));
  expect(posts(home), `${hint}\n${again.stderr}`).toBe(1);
});
