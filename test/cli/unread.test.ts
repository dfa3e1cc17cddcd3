/** A reader that closes the pipe: what changes something at the service goes on, and what only reads ends. */

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { interrupted } from "../../src/core/errors.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { requestCount } from "../support/answers.ts";
import { putConfig } from "../support/config-file.ts";
import { createHome, createServedHome } from "../support/courier.ts";
import { createImportHome, errorOf, lostForNow, row, sheet } from "../support/imports.ts";
import { createAtService, readRuns, recordRun, stateAtService } from "../support/ledger.ts";
import { plainDraft } from "../support/orders.ts";
import { Capture } from "../support/streams.ts";

/** Closes after the first write, as `head -1` does, and calls `then`. */
class ClosingPipe extends Capture {
  constructor(readonly then = () => {}) {
    super();
  }

  override _write(chunk: string | Uint8Array, encoding: string, done: (error?: Error | null) => void): void {
    super._write(chunk, encoding, done);
    this.destroy();
    this.then();
  }
}

/** A file on a full disk (ENOSPC), or a pipe without a reader (EPIPE). */
class Unwritable extends Capture {
  constructor(readonly code: "ENOSPC" | "EPIPE") {
    super();
  }

  override _write(_chunk: unknown, _encoding: string, done: (error?: Error | null) => void): void {
    done(Object.assign(new Error(`write ${this.code}`), { code: this.code }));
  }
}

const closing = (then?: () => void) => ({ stdout: new ClosingPipe(then) });
const told = (work: string, run: number) =>
  `the reader of the report is gone; the ${work} continues without it (courier log show ${run} has it)\n`;

const names = (count: number) => Array.from({ length: count }, (_, index) => `A-${index}`);

describe("an import goes on, and its exit code is its own", () => {
  test.each(["--ndjson", "--json", "--csv", ""])("all sent: 0 (“%s”)", async (flag) => {
    const home = await createImportHome(sheet(...names(150).map((name) => row(name))));
    const words = ["orders", "import", home.file, "--yes", ...(flag === "" ? [] : [flag])];
    const { exit, stderr } = await home.courier(words, closing());
    expect(exit, stderr).toBe(0);
    expect(stderr.split(told("import", 1))).toHaveLength(2);
    expect(stderr).toMatch(/\n150 rows: 150 created\n$/);
    expect(home.posts).toBe(150);
  });

  test("some refused: 3, with the error", async () => {
    const home = await createImportHome(
      sheet(...names(30).map((name) => row(name)), row("bad", "李四", "12")),
    );
    const ran = await home.run("--concurrency 1", closing());
    expect(ran.exit).toBe(3);
    expect(errorOf(ran)).toMatchObject({ code: "some_refused", message: "1 of 31 rows was refused" });
    expect(home.posts).toBe(31);
  });

  test("some in doubt: 6", async () => {
    const home = await createImportHome(sheet(...names(3).map((name) => row(name))));
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect((await home.run("--concurrency 2", closing())).exit).toBe(6);
    expect(home.posts).toBe(3);
  });

  test("--quiet says nothing of it", async () => {
    const home = await createImportHome(sheet(...names(30).map((name) => row(name))));
    expect(await home.run("--quiet", closing())).toMatchObject({ exit: 0, stderr: "" });
    expect(home.posts).toBe(30);
  });

  test("Ctrl-C stops it in order, with 130", async () => {
    const home = await createImportHome(sheet(...names(60).map((name) => row(name))));
    const interruption = new AbortController();
    const stdout = closing(() => interruption.abort(interrupted(130)));
    const ran = await home.run("--concurrency 1", { ...stdout, signal: interruption.signal });
    expect(ran.exit).toBe(130);
    expect(ran.stderr).toContain("stopping after the requests in progress");
    expect(ran.stderr).not.toContain("nobody reads");
    expect(home.posts).toBeLessThan(60);
    expect((await home.run()).exit).toBe(0);
    expect(home.posts).toBe(60);
  });
});

test("a cancel goes on, and its exit code is its own", async () => {
  const home = await createServedHome();
  const orders = [];
  for (let made = 0; made < 12; made++) orders.push(await createAtService(home));
  home.sandbox.advance({ trackingNumber: orders.at(-1)?.tracking_number ?? "", to: "picked" });
  const words = ["orders", "cancel", ...orders.map(({ id }) => id), "--yes", "--ndjson"];
  const { exit, stderr } = await home.courier(words, closing());
  expect(exit).toBe(3);
  const [run] = await readRuns(home);
  expect(stderr).toContain(told("cancelling", run?.number ?? 0));
  expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "").error).toMatchObject({
    message: "1 of 12 orders was not cancelled",
  });
  const states = await Promise.all(orders.map(({ id }) => stateAtService(home, id)));
  expect(states).toEqual([...Array.from({ length: 11 }, () => "cancelled"), "picked"]);
});

test.each(["--ndjson", "--json", ""])(
  "a cancel of orders that are all picked up is none: 3 (“%s”)",
  async (flag) => {
    const home = await createServedHome();
    const orders = [];
    for (let made = 0; made < 12; made++) {
      const order = await createAtService(home);
      home.sandbox.advance({ trackingNumber: order.tracking_number ?? "", to: "picked" });
      orders.push(order);
    }
    const words = ["orders", "cancel", ...orders.map(({ id }) => id), "--yes", flag].filter(
      (word) => word !== "",
    );
    const { exit, stderr } = await home.courier(words, closing());
    expect(exit, stderr).toBe(3);
    expect(stderr).toContain("12 of 12 orders were not cancelled");
  },
);

test("an undo goes on, and its exit code is its own", async () => {
  const home = await createServedHome();
  const { orders } = await recordRun(
    home,
    names(12).map(() => "created" as const),
  );
  const { exit, stderr } = await home.courier("undo 1 --yes --ndjson", closing());
  expect(exit, stderr).toBe(0);
  expect(stderr.split(told("undo", 2))).toHaveLength(2);
  const states = await Promise.all(orders.map((order) => stateAtService(home, order?.id ?? "")));
  expect(new Set(states)).toEqual(new Set(["cancelled"]));
});

test("what only reads ends at once, with 0 and without a word", async () => {
  const home = await createServedHome({ seedOrders: 3_000 });
  const { exit, stderr } = await home.courier("orders list --all --ndjson", closing());
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  expect(requestCount(home, "GET")).toBeLessThan(20);
});

test("a dry run only reads", async () => {
  const home = await createServedHome();
  const { id } = await createAtService(home);
  const { exit, stderr } = await home.courier(`orders cancel ${id} ${id}1 --dry-run --json`, closing());
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
});

describe("a single create whose reader is gone says that the order was made", () => {
  class ClosedPipe extends Capture {
    override _write(_chunk: unknown, _encoding: string, done: (error?: Error | null) => void): void {
      done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    }
  }
  const stdin = JSON.stringify(plainDraft);

  test.each(["orders create --file -", "orders create --file - --json", "api POST orders --input -"])(
    "%s",
    async (words) => {
      const home = await createServedHome();
      const { exit, stderr } = await home.courier(words, { stdin, stdout: new ClosedPipe() });
      expect(exit).toBe(0);
      expect(stderr).toContain("the reader of the result is gone; order 1000001 was created\n");
    },
  );

  test.each(["orders list", "api GET orders"])("%s says nothing", async (words) => {
    const home = await createServedHome();
    await createAtService(home);
    expect(await home.courier(words, { stdout: new ClosedPipe() })).toMatchObject({ exit: 0, stderr: "" });
  });
});

describe("a result on a full disk does not hide how the work ended", () => {
  test.each(["", "--json"])("an import with an order in doubt: 6 (“%s”)", async (flag) => {
    const home = await createImportHome(sheet(row("A-1")));
    home.sandbox.faults.set(lostForNow("drop_after"));
    const words = ["orders", "import", home.file, "--yes", flag].filter((word) => word !== "");
    const { exit, stderr } = await home.courier(words, { stdout: new Unwritable("ENOSPC") });
    expect(home.posts).toBe(1);
    expect(stderr).toContain("warning: the result cannot be written: the disk is full");
    expect(exit, stderr).toBe(6);
    expect(stderr).toContain("it is not known whether 1 of 1 order was created");
  });
});

describe.each(["accounts remove shop --yes", "logout"])(
  "%s that leaves personal data behind says so",
  (words) => {
    test.each(["EPIPE", "ENOSPC"] as const)("though its result meets %s", async (code) => {
      const home = await createHome();
      const account = { base_url: "https://api.example.com", key: "some-key-12345" };
      await putConfig(home, { current: "shop", accounts: { shop: account } });
      await mkdir(path.dirname(ledgerPath(home.stateDir)), { recursive: true });
      await writeFile(ledgerPath(home.stateDir), "no database, but it may hold names ".repeat(100));
      const { exit, stderr } = await home.courier(words, { stdout: new Unwritable(code) });
      expect(exit, stderr).toBe(5);
      expect(stderr).toContain("could not be deleted");
      expect(stderr).not.toContain("is done"); // as the hint of other results says
    });
  },
);
