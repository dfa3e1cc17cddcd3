/** Keys of a live screen: characters, control characters and named keys, however the bytes are cut. */

import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createKeys, ctrlBackslash, ctrlC, ctrlZ } from "../../src/terminal/keypress.ts";

function openKeys() {
  const keys: string[] = [];
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => void modes.push(isRaw),
  });
  const reader = createKeys(input, (key) => keys.push(key));
  const type = async (...chunks: (string | Uint8Array)[]) => {
    for (const chunk of chunks) {
      input.write(chunk);
      await new Promise<void>((resume) => setImmediate(resume));
    }
    return keys.splice(0);
  };
  return { reader, type, modes };
}

test("characters of any script, whole or in pieces", async () => {
  const { reader, type } = openKeys();
  reader.take();
  expect(await type("a李 Q")).toEqual(["a", "李", " ", "Q"]);
  const bytes = Buffer.from("明");
  expect(await type(bytes.subarray(0, 1), bytes.subarray(1))).toEqual(["明"]);
});

test("arrows and pages have names; keys with Alt and function keys mean nothing", async () => {
  const { reader, type } = openKeys();
  reader.take();
  expect(await type("\u001b[A\u001b[B", "\u001bOA", "\u001b[5~\u001b[6~")).toEqual([
    "up",
    "down",
    "up",
    "pageup",
    "pagedown",
  ]);
  expect(await type("\u001b[", "B")).toEqual(["down"]);
  expect(await type("\u001bq", "\u001bOP", "\u001b[15~")).toEqual([]);
  expect(await type("\r", "\u007f", ctrlC, "\u0015")).toEqual(["return", "backspace", ctrlC, "\u0015"]);
});

test.each([ctrlC, ctrlZ, ctrlBackslash])("%j counts right after Esc, in one piece or in two", async (key) => {
  const { reader, type } = openKeys();
  reader.take();
  expect(await type(`\u001b${key}`)).toEqual([key]);
  expect(await type("\u001b", key)).toEqual([key]);
  expect(await type("\u001b[", key)).toEqual([key]);
});

test("a released keyboard hears nothing, and the mode is restored", async () => {
  const { reader, type, modes } = openKeys();
  reader.take();
  reader.release();
  expect(await type("q")).toEqual([]);
  expect(modes).toEqual([true, false]);
});

test("of a marked paste, the text comes as such, its line breaks and tabs as blanks, and its arrows as no keys", async () => {
  const pasted: string[] = [];
  const typed: string[] = [];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  createKeys(input, (key, isPasted) => (isPasted ? pasted : typed).push(key)).take();
  input.write(`a\u001b[200~张三\r\n139\tq\u001b[A\u001b[201~q\u001b[200~b${ctrlC}`);
  await new Promise<void>((resume) => setImmediate(resume));
  expect(pasted.join("")).toMatch(/^张三 {1,2}139 qb$/);
  expect(typed).toEqual(["a", "q", ctrlC]);
});
