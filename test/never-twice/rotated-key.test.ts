/** A new key of an account: of the same customer it keeps refs and mirror, of another one it leads to none of them. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createTransport, type Transport } from "../../src/api/transport.ts";
import { interrupted } from "../../src/core/errors.ts";
import type { Prompts } from "../../src/core/prompts.ts";
import { answerData } from "../support/answers.ts";
import { putConfig, readConfigText } from "../support/config-file.ts";
import { createTwoCustomers, firstKey, rotatedKey, secondKey } from "../support/customers.ts";
import { errorOf, row, sheet } from "../support/imports.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

/** The first customer's order with the is in the mirror, which is synced. The second one has an order of the same id. */
async function prepare() {
  const home = await createTwoCustomers();
  const login = (key: string, words = "") =>
    home.courier(`login --base-url ${home.baseUrl} --allow-http ${words}`, { stdin: key });
  const send = async (...rows: readonly string[]) => {
    const file = path.join(home.directory, "orders.csv");
    await writeFile(file, sheet(...rows));
    const sent = await home.courier(`orders import ${file} --yes`);
    expect(sent.exit, sent.stderr).toBe(0);
  };
  await login(secondKey, "--account second");
  const file = path.join(home.directory, "second.csv");
  await writeFile(file, sheet(row("B-1", "王五")));
  expect((await home.courier(`orders import ${file} --yes --account second`)).exit).toBe(0);
  await login(firstKey);
  await home.courier("accounts use default");
  await send(row("A-1"));
  expect((await home.courier("sync")).exit).toBe(0);
  const shown = JSON.parse((await home.courier("orders show ref:A-1 --json")).stdout);
  const found = async () => JSON.parse((await home.courier("find --json --all")).stdout) as { ref: string }[];
  return { ...home, login, send, shown, found };
}

test("a key whose customer cannot be asked for makes no claim about a ref, now and later", async () => {
  const home = await prepare();
  await home.login(rotatedKey, "--no-verify");
  home.setDown(true);
  expect(await home.found()).toMatchObject([{ ref: "A-1" }]);
  const unknown = await home.courier("orders show ref:A-9 --json");
  expect(errorOf(unknown).code).toBe("no_response");
  home.setDown(false);
  const shown = await home.courier("orders show ref:A-1 --json");
  expect(JSON.parse(shown.stdout), shown.stderr).toMatchObject({ id: home.shown.id });
  expect(errorOf(await home.courier("orders show ref:A-9 --json")).code).toBe("no_such_order");
});

test("a key of the same customer keeps the mirror, also where the account had another customer's before", async () => {
  const home = await prepare();
  for (const key of [secondKey, firstKey]) await home.login(key);
  expect((await home.courier("sync")).exit).toBe(0);
  await home.login(rotatedKey);
  home.setDown(true);
  expect(await home.found()).toMatchObject([{ ref: "A-1" }]);
  expect((await home.courier("find 李四")).stderr).not.toContain("no sync was completed");
});

test("a key that was changed in the config file drops the mirror of the customer before", async () => {
  const home = await prepare();
  await putConfig(home, (await readConfigText(home)).replace(firstKey, secondKey));
  const found = await home.courier("find --json --all");
  expect(JSON.parse(found.stdout)).toEqual([]);
  expect(found.stderr).toContain("the mirror of the one before is deleted");
  expect(found.stderr).not.toContain("cleanup failed");
  expect(errorOf(await home.courier("orders cancel ref:A-1 --yes --json")).code).toBe("no_such_order");
  expect((await home.courier("find --json --all")).stderr).not.toContain("deleted");
});

test("a ref that the customer sent under another account name is found", async () => {
  const home = await prepare();
  await home.login(rotatedKey, "--account shop");
  const shown = await home.courier("orders show ref:A-1 --json --account shop");
  expect(JSON.parse(shown.stdout), shown.stderr).toMatchObject({ id: home.shown.id });
  const other = await home.courier("orders show ref:A-1 --json --account second");
  expect(errorOf(other).code).toBe("no_such_order");
});

test("the form offers no sender or receiver of another customer", async () => {
  const home = await prepare();
  const offered = async () => {
    const labels: string[] = [];
    const search: Prompts["search"] = async (_question, find) => {
      labels.push(...find("").map(({ label }) => label));
      throw interrupted(130);
    };
    await home.courier("orders create", { terminal: 80, prompts: { ...scriptedPrompts({}), search } });
    return labels.join();
  };
  expect(await offered()).toContain("李四");
  await home.login(secondKey);
  expect(await offered()).toBe("new address,paste an address as text");
  await home.login(rotatedKey);
  expect(await offered()).toContain("李四");
});

test("a sheet gets no state of another customer's order with the same id", async () => {
  const home = await createTwoCustomers();
  const as = async (key: string, words: string) => {
    const env = { COURIER_API_KEY: key, COURIER_BASE_URL: home.baseUrl };
    const ran = await home.courier(words, { env });
    expect(ran.exit, ran.stderr).toBe(0);
    return ran;
  };
  const [first, second, output] = ["first.csv", "second.csv", "out.csv"].map((name) =>
    path.join(home.directory, name),
  ) as [string, string, string];
  await writeFile(first, sheet(row("A-1")));
  await writeFile(second, sheet(row("B-1", "王五")));
  await as(secondKey, `orders import ${second} --yes`);
  await as(firstKey, `orders import ${first} --yes`);
  await as(firstKey, "orders cancel ref:A-1 --yes");
  await as(secondKey, `orders write-back ${second} -o ${output}`);
  expect(await readFile(output, "utf8")).toContain(",pending,");
});

describe("another customer's key that comes while a command with the former one reads", () => {
  /** Calls `act` once the service has answered a request for this path. */
  async function actAfter(place: string, act: () => Promise<void>): Promise<Transport> {
    const real = await createTransport({}, 5_000);
    let isDone = false;
    return {
      close: () => real.close(),
      async send(request) {
        const answer = await real.send(request);
        if (!isDone && request.url.pathname.endsWith(place)) {
          isDone = true;
          await act();
        }
        return answer;
      },
    };
  }

  test.each(["file", "keychain"])(
    "finds none of the orders that it was shown; key store: %s",
    async (store) => {
      const home = await prepare();
      await home.login(firstKey, `--key-store ${store}`);
      const transport = await actAfter("/orders", async () => {
        await home.login(secondKey, `--key-store ${store}`);
        expect((await home.courier("sync")).exit).toBe(0);
        expect(await home.found()).toMatchObject([{ receiver: { name: "王五" } }]);
      });
      const listed = await home.courier("orders list", { transport });
      expect(listed.exit, listed.stderr).toBe(0);
      expect(await home.found()).toMatchObject([{ receiver: { name: "王五" } }]);
    },
  );

  test("puts no state and no number of them beside a row", async () => {
    const home = await prepare();
    const { id } = home.shown;
    const shown = { ...home.shown, tracking_number: "CROFFIRST", status: "in_transit" };
    answerData({ sandbox: home.first }, `GET /api/v1/orders/${id}`, JSON.stringify(shown));
    const transport = await actAfter(`/orders/${id}`, async () => void (await home.login(secondKey)));
    const { stdout } = await home.courier(`orders show ${id} --json`, { transport });
    expect(JSON.parse(stdout).status).toBe("in_transit");
    const [file, output] = [path.join(home.directory, "second.csv"), path.join(home.directory, "out.csv")];
    const ran = await home.courier(`orders write-back ${file} -o ${output}`);
    expect(ran.exit, ran.stderr).toBe(0);
    const written = await readFile(output, "utf8");
    expect([written.includes(",pending,"), written.includes("CROFFIRST")], written).toEqual([true, false]);
  });

  test("does not put the states of its orders beside the former customer's rows", async () => {
    const home = await prepare();
    await home.login(rotatedKey, "--no-verify");
    const transport = await actAfter("/profile", async () => {
      await home.login(secondKey);
      expect((await home.courier(`orders cancel ${home.shown.id} --yes`)).exit).toBe(0);
    });
    const [file, output] = [path.join(home.directory, "orders.csv"), path.join(home.directory, "out.csv")];
    const ran = await home.courier(`orders write-back ${file} -o ${output}`, { transport });
    expect(ran.exit, ran.stderr).toBe(0);
    expect(await readFile(output, "utf8")).toContain(",pending,");
  });
});
