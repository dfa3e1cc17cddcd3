/** Drafts of an account that has one customer's key, and later another one's. */

import { describe, expect, test } from "vitest";
import { ctrlC, enter, personWho, type Step, shortForm } from "../support/answering.ts";
import { createTwoCustomers, firstKey, rotatedKey, secondKey } from "../support/customers.ts";

describe.each(["the environment", "a login"])("a draft that was typed with a key of %s", (which) => {
  async function createForms() {
    const home = await createTwoCustomers();
    const compose = async (key: string, ...steps: readonly Step[]) => {
      const given = { COURIER_API_KEY: key, COURIER_BASE_URL: home.baseUrl };
      const env: Record<string, string> = which === "a login" ? {} : given;
      if (which === "a login") {
        const login = await home.courier(`login --base-url ${home.baseUrl} --allow-http`, { stdin: key });
        expect(login.exit, login.stderr).toBe(0);
      }
      const prompts = personWho(...steps);
      const ran = await home.courier("orders create", {
        terminal: 80,
        prompts,
        env: { NO_COLOR: "1", ...env },
      });
      expect(prompts.left).toEqual([]);
      return ran;
    };
    const first = await compose(firstKey, ...shortForm(), ["What now?", ctrlC]);
    expect(first.stderr).toContain("your draft is kept");
    return compose;
  }

  test("is not offered with another customer's key, and is with its own", async () => {
    const compose = await createForms();
    const other = await compose(secondKey, ["Sender", ctrlC]);
    expect(other.stderr).not.toContain("李四");
    const own = await compose(firstKey, ["Continue with it?", enter], ["What now?", ctrlC]);
    expect(own.stderr).toContain("李四");
  });

  test("is offered with a new key of the same customer", async () => {
    const compose = await createForms();
    const { stderr } = await compose(rotatedKey, ["Continue with it?", enter], ["What now?", ctrlC]);
    expect(stderr).toContain("李四");
  });

  test("is not shown where another customer's drafts take its place", async () => {
    const compose = await createForms();
    const typed = shortForm("店", "王五", "钟");
    const another: readonly Step[] = [
      ["Continue with it?", false],
      ["Delete this draft?", enter],
    ];
    for (let count = 0; count < 10; count++) {
      const choice: readonly Step[] = count > 1 ? [["Which order?", enter]] : [];
      const steps = count === 0 ? typed : [...another, ...choice, ...typed];
      const { stderr } = await compose(secondKey, ...steps, ["What now?", "Keep as a draft and quit"]);
      expect(stderr).not.toContain("李四");
    }
  });
});
