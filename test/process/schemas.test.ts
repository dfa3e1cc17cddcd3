/** The build makes the JSON Schemas, so that the program has none of what makes them. */

import { expect, test } from "vitest";
import { toJsonSchema } from "../../src/model/json-schema.ts";
import { createProcessHome } from "../support/process.ts";

test.each(["order", "orders-list", "track"] as const)(
  "the built program prints the schema of the sources: %s",
  async (name) => {
    const { courier } = await createProcessHome();
    const { exit, stdout } = await courier(`schema ${name}`);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual(toJsonSchema(name));
  },
);
