/** The tests of the one error type, its table of exit codes, the suggestions and the clock. */

import { constants } from "node:os";
import { describe, expect, test } from "vitest";
import { ServiceFailure } from "../../src/api/failure.ts";
import { systemClock } from "../../src/core/clock.ts";
import { diskHint } from "../../src/core/disk-errors.ts";
import { CourierError, fileError, interrupted, systemCode, usageError } from "../../src/core/errors.ts";
import { exitCodes } from "../../src/core/exit-codes.ts";
import { suggest } from "../../src/core/suggest.ts";
import { explainSystemError } from "../../src/core/system-errors.ts";

test("an error that Node.js has no name for is explained by the name that the system has", () => {
  const failure = (number: number) => ({ code: `Unknown system error -${number}` });
  expect(diskHint(failure(constants.errno.EDQUOT))).toMatch(/^make room/);
  expect(explainSystemError(failure(constants.errno.EDQUOT))).toBe("the disk quota is used up");
  expect(explainSystemError(failure(constants.errno.ESTALE))).toContain(
    "network disk does not know it any more",
  );
  expect(explainSystemError(failure(9_999))).toBe("Unknown system error -9999");
});

describe("errors", () => {
  const facts = {
    hint: "h",
    status: 400,
    serviceCode: "C",
    details: { field: "f" },
    cause: new Error("why"),
  };

  test("`with` changes what it is given and keeps every other fact", () => {
    const error = new CourierError("refused", 1, "before", facts);
    const changed = error.with({ message: "after" });
    expect(changed).toMatchObject({ ...facts, code: "refused", exit: 1, message: "after" });
    expect(error.with({ hint: "other" })).toMatchObject({ message: "before", hint: "other", status: 400 });
    expect(error.with({ details: 1 }).details).toBe(1);
    expect(error.message).toBe("before");
  });

  test("`with` names the first error as the cause where there was none", () => {
    const error = new CourierError("refused", 1, "before");
    expect(error.with({ message: "after" }).cause).toBe(error);
  });

  test("`with` of a service failure is still one: what may be sent again stays known", () => {
    const failure = new ServiceFailure("server_error", "m", { ...facts, code: "stalled", retryAfterMs: 5 });
    const changed = failure.with({ message: "told better" });
    expect(changed).toBeInstanceOf(ServiceFailure);
    expect(changed).toMatchObject({
      ...facts,
      kind: "server_error",
      code: "stalled",
      exit: 5,
      retryAfterMs: 5,
      mayHaveHappened: true,
      message: "told better",
    });
  });

  test("the makers give the exit codes of the table", () => {
    expect(usageError("m", "h")).toMatchObject({ code: "usage", exit: 2, hint: "h" });
    expect(fileError("m")).toMatchObject({ code: "file", exit: 2 });
    expect(interrupted(130)).toMatchObject({ code: "interrupted", exit: 130, message: "interrupted" });
    expect(interrupted(143)).toMatchObject({ code: "terminated", exit: 143, message: "terminated" });
    expect(Object.keys(exitCodes).map(Number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 70, 129, 130, 131, 143]);
  });

  test("the code of a failed system call", () => {
    expect(systemCode(Object.assign(new Error(), { code: "ENOENT" }))).toBe("ENOENT");
    for (const other of [undefined, null, "ENOENT", {}, { code: 5 }, new Error("ENOENT")]) {
      expect(systemCode(other)).toBeUndefined();
    }
  });
});

describe("suggestions", () => {
  const known = ["pending", "paid", "processing", "picked", "in_transit", "delivered"];

  test.each([
    ["pendign", "pending"],
    ["piad", "paid"],
    ["in-transit", "in_transit"],
    ["deliverd", "delivered"],
    ["paid", "paid"],
  ])("%s: %s", (word, expected) => {
    expect(suggest(word, known)).toBe(expected);
  });

  test("none for a word that is like no other, or where nothing is known", () => {
    expect(suggest("xylophone", known)).toBeUndefined();
    expect(suggest("paid", [])).toBeUndefined();
  });
});

describe("the machine's clock", () => {
  const clock = systemClock();

  test("sleeps, and stops at once when told to", async () => {
    await clock.sleep(1);
    const stop = new AbortController();
    const sleeping = clock.sleep(60_000, stop.signal);
    stop.abort(new Error("enough"));
    await expect(sleeping).rejects.toThrow("enough");
    await expect(clock.sleep(1, stop.signal)).rejects.toThrow("enough");
  });

  test("a timer fires, unless it is called off", async () => {
    const fired = await new Promise<string[]>((resolve) => {
      const calls: string[] = [];
      clock.after(1, () => calls.push("called off"))();
      clock.after(2, () => resolve([...calls, "fired"]));
    });
    expect(fired).toEqual(["fired"]);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
  });
});

test.each([
  ["EBUSY", "another program is using it, or it is mounted on its own"],
  ["EINVAL", "the system does not accept it. Is the name allowed here?"],
  ["UNKNOWN", "the system does not say why. Is the file open in another program?"],
  ["ENOSPC", "the disk is full"],
  ["EROFS", "its disk is read-only"],
  ["EIO", "the disk reports an error"],
  ["EMFILE", "too many files are open"],
  ["EDQUOT", "the disk quota is used up"],
  ["EISDIR", "it is a directory"],
  ["ENAMETOOLONG", "the name is too long"],
])("a failure of the system has plain words: %s", (code, words) => {
  expect(explainSystemError(Object.assign(new Error(`${code}: x`), { code }))).toBe(words);
});
