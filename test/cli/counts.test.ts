/** Numbers in messages agree with their nouns: none, one and two. */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createHome } from "../support/courier.ts";
import { createOrder } from "../support/orders.ts";

test.each([0, 1, 2])("%i orders", async (count) => {
  const home = await createHome({ COURIER_ACCOUNT: "sandbox" });
  for (let number = 0; number < count; number++) await createOrder(home);
  const file = path.join(home.directory, "all.csv");
  const said: string[] = [];
  for (const words of [
    "sync",
    "find",
    "late",
    "report spend",
    "orders list --offline",
    `orders export -o ${file}`,
  ]) {
    const { exit, stdout, stderr } = await home.courier(words);
    expect({ words, exit }).toEqual({ words, exit: 0 });
    said.push(stdout, stderr);
  }
  const text = said.join("");
  expect(text).toContain(`The mirror has ${count} ${count === 1 ? "order" : "orders"} (`);
  expect(text).not.toMatch(
    /(?<![\d.,:-])1 (?:orders|rows|calls|parcels|runs)\b|(?<![\d.,:-])[02] (?:order|row|call|parcel|run)\b/,
  );
});

test("no message leaves the number open", () => {
  const root = path.resolve(import.meta.dirname, "../../src");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const open = files.filter((file) =>
    /["`][^"`\n]*\w\(s\)/.test(readFileSync(path.join(root, file), "utf8")),
  );
  expect(open).toEqual([]);
});
