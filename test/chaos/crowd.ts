/** Many processes at once on one home: logins, address books, orders, lists; and what must be true afterwards. */

import { readdir, readFile } from "node:fs/promises";
import { expect } from "vitest";
import { createProcessHome } from "../support/process.ts";

/**
 * Runs `count` processes, `width` of them at a time, in turn a login, an address, an order, a list of accounts
 * and a list of orders. Everything that was told to be done is there, no file is torn, nothing is left behind.
 */
export async function crowd(count: number, width: number): Promise<string> {
  const home = await createProcessHome();
  const numbers = [...Array(count).keys()];
  const kinds = [
    (number: number) => ({
      words: `login --no-verify --base-url https://service.invalid --account a${number}`,
      stdin: `key-of-a${number}`,
    }),
    (number: number) => ({ words: `addresses add p${number} --name Anna`, stdin: "" }),
    (number: number) => ({
      words: "--account sandbox orders create --file - --json",
      stdin: JSON.stringify({
        sender: { name: "A" },
        receiver: { name: "B" },
        item: { name: `Parcel ${number}` },
      }),
    }),
    () => ({ words: "accounts list --json", stdin: "" }),
    () => ({ words: "--account sandbox orders list --json", stdin: "" }),
  ];
  const left = [...numbers];
  const failures: string[] = [];
  async function work() {
    for (let number = left.shift(); number !== undefined; number = left.shift()) {
      const { words, stdin } = kinds[number % kinds.length]?.(number) ?? { words: "", stdin: "" };
      const { exit, stderr } = await home.courier(words, { stdin, limitMs: 300_000 });
      if (exit !== 0) failures.push(`${words}: ${exit} ${stderr}`);
    }
  }
  await Promise.all(Array.from({ length: width }, work));
  expect(failures).toEqual([]);

  const config = JSON.parse(await readFile(home.configFile, "utf8"));
  const ofKind = (kind: number) => numbers.filter((number) => number % kinds.length === kind);
  for (const number of ofKind(0)) expect(config.accounts[`a${number}`]?.key).toBe(`key-of-a${number}`);
  for (const number of ofKind(1)) expect(config.addresses[`p${number}`]?.name).toBe("Anna");
  expect(Object.keys(config.accounts)).toHaveLength(ofKind(0).length);
  expect(Object.keys(config.addresses)).toHaveLength(ofKind(1).length);
  expect((await readdir(home.configDir)).sort()).toEqual(["config.json", "config.lock.db"]);
  const listed = JSON.parse((await home.courier("--account sandbox orders list --all --json")).stdout);
  expect(new Set(listed.map(({ id }: { id: number }) => id)).size).toBe(ofKind(2).length);
  const state = await readdir(home.stateDir, { recursive: true });
  expect(state.filter((name) => /\.tmp|\.lock$|-journal$/.test(name))).toEqual([]);
  for (const name of state.filter((file) => file.endsWith(".json")))
    JSON.parse(await readFile(`${home.stateDir}/${name}`, "utf8"));
  return `${count} processes, ${width} at a time: ${ofKind(0).length} logins, ${ofKind(1).length} addresses, ${ofKind(2).length} orders, none lost`;
}
