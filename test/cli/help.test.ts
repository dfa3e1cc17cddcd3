/** Help is the manual: it fits the terminal, begins with examples, and tells where to go on. */

import { describe, expect, test } from "vitest";
import { createHome } from "../support/courier.ts";
import { screenWidths, tooWide } from "../support/screens.ts";

const topics = ["", "orders", "orders create", "orders import", "login", "sandbox serve"];

describe("as a person sees it", () => {
  test.each(topics)("courier %s --help", async (topic) => {
    const home = await createHome();
    const { exit, stdout, stderr } = await home.courier(`${topic} --help`, { terminal: 80 });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    await expect(stdout).toMatchFileSnapshot(`screens/help-${topic.replaceAll(" ", "-") || "courier"}.txt`);
  });

  test.each(topics)(
    "%s: examples stand before options; only commands and single words may be wider than the screen",
    async (topic) => {
      const home = await createHome();
      for (const width of screenWidths) {
        const { stdout } = await home.courier(`${topic} --help`, { terminal: width });
        expect(stdout.indexOf("Examples:")).toBeGreaterThan(0);
        expect(stdout.indexOf("Examples:")).toBeLessThan(stdout.indexOf("ptions:"));
        const isWhole = (line: string) => line.startsWith("  courier ") || !line.trim().includes(" ");
        const tooLong = tooWide(stdout, width).filter((line) => !isWhole(line));
        expect(tooLong).toEqual([]);
      }
    },
  );
});

describe("every way to ask for it gives the same", () => {
  test.each([
    ["orders create --help", "orders create -h"],
    ["orders --help", "help orders"],
    ["--help", "help"],
  ])("courier %s = courier %s", async (one, other) => {
    const home = await createHome();
    expect(await home.courier(other)).toEqual(await home.courier(one));
  });
});
