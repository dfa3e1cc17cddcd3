/** The order form on a disk that fills up while it is filled in: nothing typed is lost, and nothing is sent twice. */

import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTransport, type Transport } from "../../src/api/transport.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { ctrlC, enter, personWho, type Step, shortDraft, shortForm } from "../support/answering.ts";
import { requestCount } from "../support/answers.ts";
import { createServedHome } from "../support/courier.ts";
import { canMount, mountDisk } from "../support/small-disk.ts";

const send: Step = ["What now?", "Send this order"];
const keep: Step = ["What now?", "Keep as a draft and quit"];
const declined: readonly Step[] = [
  ["Save 张三…", false],
  ["Save 李四…", false],
];

async function homeOnSmallDisk() {
  const disk = await mountDisk("size=700k");
  const home = await createServedHome();
  const state = path.join(disk, "state");
  const filler = path.join(disk, "filler");
  const fill = () => writeFile(filler, Buffer.alloc(700 * 1_024)).catch(() => undefined);
  const makeRoom = () => rm(filler, { force: true });
  return {
    ...home,
    /** Answers the form; `at` names what happens before a question is answered, the first or the second time. */
    async compose(
      steps: readonly Step[],
      at: Readonly<Record<string, "fill" | "make room">>,
      transport?: Transport,
    ) {
      const person = personWho(...steps);
      const times = new Map<string, number>();
      const happen = async (question: string) => {
        const time = (times.get(question) ?? 0) + 1;
        times.set(question, time);
        const event = at[time === 1 ? question : `${question} ${time}`];
        if (event) await (event === "fill" ? fill() : makeRoom());
      };
      const prompts: typeof person = {
        ...person,
        async search(question, find) {
          await happen(question);
          return person.search(question, find);
        },
        async choose(question, choices) {
          await happen(question);
          return person.choose(question, choices);
        },
        async confirm(question, isYes) {
          await happen(question);
          return person.confirm(question, isYes);
        },
      };
      const env = { NO_COLOR: "1", COURIER_STATE_DIR: state };
      const options = { terminal: 300, prompts, env, ...(transport ? { transport } : {}) };
      const ran = await home.courier("orders create", options);
      return { ...ran, left: person.left };
    },
    async draft() {
      const ledger = await openLedger(state);
      const owner = { account: "(environment)", service: home.sandbox.baseUrl };
      return ledger
        .findDrafts(owner)
        .then(([newest]) => newest)
        .finally(() => ledger.close());
    },
    fill,
  };
}

const content = "Sender         张三\nReceiver       李四\nItem           书\n";
const full = /the ledger cannot be used: the disk (is|may be) full/;

describe.skipIf(!canMount())("a disk that fills up (needs root)", () => {
  test("Ctrl-C: says that the draft is not kept, and why, and shows it", async () => {
    const home = await homeOnSmallDisk();
    const { exit, stderr } = await home.compose([...shortForm(), ["What now?", ctrlC]], { Sender: "fill" });
    expect(exit).toBe(130);
    expect(stderr).toMatch(full);
    const told = stderr.slice(stderr.indexOf("The draft could not be kept: "));
    expect(told).toMatch(full);
    expect(told).toContain(content);
    expect(told).toMatch(/error: interrupted\nhint: your draft is not kept: copy it from above\n$/);
  });

  test("Ctrl-C in a draft that was kept before: what was added is shown, and the draft is still there", async () => {
    const home = await homeOnSmallDisk();
    await home.compose(
      [
        ["Sender", "new address"],
        ["Sender name", "张三"],
        ["Sender phone", ctrlC],
      ],
      {},
    );
    const before = await home.draft();
    const { exit, stderr } = await home.compose(
      [
        ["Continue with it?", enter],
        ["Sender name", enter],
        ["Sender phone", "13800138000"],
        ["Sender province", ctrlC],
      ],
      { "Continue with it?": "fill" },
    );
    expect(exit).toBe(130);
    expect(stderr).toMatch(
      /The changes to your draft could not be kept: .*\n\nSender +张三 {2}13800138000\n/,
    );
    expect(await home.draft()).toEqual(before);
  });

  test("“keep” goes back to the menu with the reason, and keeps it once there is room", async () => {
    const home = await homeOnSmallDisk();
    const { exit, stderr, left } = await home.compose([...shortForm(), keep, keep], {
      Sender: "fill",
      "What now? 2": "make room",
    });
    expect({ exit, left }, stderr).toEqual({ exit: 0, left: [] });
    expect(stderr).toMatch(full);
    expect(stderr).toContain("Nothing was sent, and the order is still here: make room, then choose again\n");
    expect(await home.draft()).toMatchObject({ draft: shortDraft });
  });

  test("“send” goes back to the menu with the reason, and sends one order once there is room", async () => {
    const home = await homeOnSmallDisk();
    const { exit, stderr, left } = await home.compose([...shortForm(), send, send, ...declined], {
      Sender: "fill",
      "What now? 2": "make room",
    });
    expect({ exit, left }, stderr).toEqual({ exit: 0, left: [] });
    expect(stderr).toMatch(full);
    expect(requestCount(home, "POST")).toBe(1);
    expect(await home.draft()).toBeUndefined();
  });

  test("that is full when the order is looked for, whose answer is lost: the outcome is unknown, and it is no draft", async () => {
    const home = await homeOnSmallDisk();
    home.sandbox.faults.add({ kind: "drop_after", method: "POST" });
    const wire = await createTransport({}, 5_000);
    onTestFinished(() => wire.close());
    const transport: Transport = {
      ...wire,
      async send(request) {
        if (request.method === "GET" && requestCount(home, "POST") > 0) await home.fill();
        return wire.send(request);
      },
    };
    const { exit, stderr, left } = await home.compose([...shortForm(), send], {}, transport);
    expect({ exit, left }, stderr).toEqual({ exit: 6, left: [] });
    expect(stderr).toMatch(
      /error: it is not known whether the order was created: .*, and the check failed too: the ledger cannot be used/,
    );
    expect(stderr).not.toContain("Nothing was sent");
    expect(stderr).not.toContain("draft");
    expect(requestCount(home, "POST")).toBe(1);
  });
});
