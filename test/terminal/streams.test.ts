/** The tests of writing: a slow reader is waited for, one that has gone is no failure. */

import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { createWriter, joinWrites, PipeClosed, Unwritten } from "../../src/terminal/streams.ts";
import { Capture } from "../support/streams.ts";

/** A stream whose reader takes nothing until it is told to. */
class SlowReader extends Writable {
  readonly taken: string[] = [];
  #waiting: (() => void)[] = [];

  constructor() {
    super({ decodeStrings: false, highWaterMark: 4 });
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.#waiting.push(() => {
      this.taken.push(chunk);
      done();
    });
  }

  take(): void {
    this.#waiting.shift()?.();
  }
}

function failingWith(code: string): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
  });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("writes come out in order", async () => {
  const stream = new Capture();
  const writer = createWriter(stream);
  for (const text of ["a", "b", "", "c\n"]) await writer.write(text);
  expect(stream.text).toBe("abc\n");
  expect(writer.stream).toBe(stream);
});

test("a full pipe is waited for until its reader has taken everything", async () => {
  const stream = new SlowReader();
  const writer = createWriter(stream);
  const progress: string[] = [];
  const writing = (async () => {
    for (const text of ["12345", "67890"]) {
      await writer.write(text);
      progress.push(text);
    }
  })();
  for (let wait = 0; wait < 5; wait++) await turn();
  expect(progress).toEqual([]);
  stream.take();
  await turn();
  await turn();
  expect(progress).toEqual(["12345"]);
  stream.take();
  await writing;
  expect(stream.taken).toEqual(["12345", "67890"]);
});

test("several that wait for one reader are all woken", async () => {
  const stream = new SlowReader();
  const writer = createWriter(stream);
  const writing = Promise.all([writer.write("12345"), writer.write("67890"), writer.write("abcde")]);
  for (let taken = 0; taken < 3; taken++) {
    await turn();
    stream.take();
  }
  await writing;
  expect(stream.taken).toHaveLength(3);
});

test("a terminal gets all that a run says after a signal to stop", async () => {
  const stream = new Capture(80);
  const long = "x".repeat(200_000);
  await createWriter(stream, undefined, () => AbortSignal.abort()).write(long);
  expect(stream.text).toBe(long);
});

describe("the reader has gone", () => {
  test.each(["EPIPE", "ERR_STREAM_DESTROYED"])("%s is a closed pipe, now and ever after", async (code) => {
    const writer = createWriter(failingWith(code));
    const first = writer.write("x").then(turn);
    await first.catch((error) => expect(error).toBeInstanceOf(PipeClosed));
    await expect(writer.write("y")).rejects.toBeInstanceOf(PipeClosed);
    await expect(writer.write("z")).rejects.toBeInstanceOf(PipeClosed);
  });

  test("while it is waited for", async () => {
    const stream = new SlowReader();
    const writing = createWriter(stream).write("12345");
    stream.destroy(Object.assign(new Error("gone"), { code: "EPIPE" }));
    await expect(writing).rejects.toBeInstanceOf(PipeClosed);
  });

  test("without a word: nothing waits for ever", async () => {
    const stream = new SlowReader();
    const writer = createWriter(stream);
    const writing = writer.write("12345");
    stream.destroy();
    await expect(writing).rejects.toBeInstanceOf(PipeClosed);
    await expect(writer.write("more")).rejects.toBeInstanceOf(PipeClosed);
  });
});

test("any other failure is told as such: what was asked for may have been done all the same", async () => {
  const writer = createWriter(failingWith("ENOSPC"));
  await writer.write("x").then(turn, () => {});
  await expect(writer.write("y")).rejects.toMatchObject({ cause: { code: "ENOSPC" } });
});

describe("texts that are joined", () => {
  test("within one turn they are one write", async () => {
    const stream = new SlowReader();
    const joined = joinWrites(createWriter(stream));
    for (const text of ["a", "b", "c"]) await joined.write(text);
    const ending = joined.end();
    await turn();
    stream.take();
    await ending;
    expect(stream.taken).toEqual(["abc"]);
  });

  test.each([
    ["EPIPE", PipeClosed],
    ["ENOSPC", Unwritten],
  ])("%s is thrown by every write after it, and by the end", async (code, kind) => {
    const joined = joinWrites(createWriter(failingWith(code)));
    await joined.write("x");
    for (let turns = 0; turns < 5; turns++) await turn();
    for (let more = 0; more < 3; more++) await expect(joined.write("y")).rejects.toBeInstanceOf(kind);
    await expect(joined.end()).rejects.toBeInstanceOf(kind);
  });
});
