/** An order that was sent, or may have been, is no unfinished draft: it would be sent a second time. */

import { expect, test } from "vitest";
import { interrupted } from "../../src/core/errors.ts";
import { personWho, type Step, shortForm } from "../support/answering.ts";
import { createHome } from "../support/courier.ts";
import { plainDraft } from "../support/orders.ts";
import { createUnfaithfulHome, type UnfaithfulHome } from "../support/unfaithful-service.ts";

const send: Step = ["What now?", "Send this order"];
const keep: Step = ["What now?", "Keep as a draft and quit"];
const declined: readonly Step[] = [
  ["Save 张三…", false],
  ["Save 李四…", false],
];
const shortOrder = JSON.stringify({
  sender: { name: "张三" },
  receiver: { name: "李四" },
  item: { name: "书" },
});

const compose = (
  { courier }: Pick<UnfaithfulHome, "courier">,
  steps: readonly Step[],
  words = "",
  signal?: AbortSignal,
) =>
  courier(`orders create${words}`, {
    terminal: 80,
    prompts: personWho(...steps),
    ...(signal ? { signal } : {}),
  });

/** Ctrl-C while the service is at work on the order, which it makes afterwards. */
async function stopped(
  home: UnfaithfulHome,
  run: (signal: AbortSignal) => ReturnType<UnfaithfulHome["courier"]>,
) {
  const stop = new AbortController();
  let goOn = () => {};
  const ended = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  home.service.ways = {
    before: () => {
      stop.abort(interrupted(130));
      return ended;
    },
  };
  const ran = await run(stop.signal);
  goOn();
  await home.service.received("create", 1);
  home.service.ways = {};
  expect(ran.exit, ran.stderr).toBe(130);
  expect(ran.stderr).toContain("it may or may not have been created");
  return ran;
}

test("Ctrl-C while the form sends: nothing is said of a draft, and none is offered", async () => {
  const home = await createUnfaithfulHome();
  const ran = await stopped(home, (signal) => compose(home, [...shortForm(), send], "", signal));
  expect(ran.stderr).not.toContain("draft");
  home.clock.advance(3 * 24 * 3_600_000);
  const again = await compose(home, [...shortForm(), keep]);
  expect(again.exit, again.stderr).toBe(0);
});

test("Ctrl-C of a create with --yes: its draft of before is not offered any more", async () => {
  const home = await createUnfaithfulHome();
  expect((await compose(home, [...shortForm(), keep])).exit).toBe(0);
  const file = "orders create --file - --yes";
  await stopped(home, (signal) => home.courier(file, { stdin: shortOrder, signal }));
  const again = await compose(home, [...shortForm(), keep]);
  expect(again.exit, again.stderr).toBe(0);
});

test("a draft of the sandbox is offered also after its reset", async () => {
  const home = await createHome();
  const words = " --account sandbox";
  const made = await home.courier(`orders create${words} --file - --yes`, {
    stdin: JSON.stringify(plainDraft),
  });
  expect(made.exit, made.stderr).toBe(0);
  expect((await compose(home, [...shortForm(), keep], words)).exit).toBe(0);
  expect((await home.courier("sandbox reset --yes")).exit).toBe(0);
  const again = await compose(home, [["Continue with it?", true], send, ...declined], words);
  expect(again.exit, again.stderr).toBe(0);
});

test("--like takes an id with zeros in front for the same order", async () => {
  const home = await createUnfaithfulHome();
  const made = await home.courier("orders create --file - --yes --json", {
    stdin: JSON.stringify(plainDraft),
  });
  const like = `orders create --like 00${JSON.parse(made.stdout).id} --dry-run --json --yes`;
  const ran = await home.courier(like);
  expect(ran.exit, ran.stderr).toBe(0);
  expect(JSON.parse(ran.stdout).receiver).toEqual(plainDraft.receiver);
});
