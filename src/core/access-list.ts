/** The access list of a file on Linux. Node.js has no call for it, so other programs read and set it. */

import { platform } from "node:os";
import { runSubprocess } from "./subprocess.ts";

/** Who (`user:` is the owner, `user:1001` a person by number) and the rights, as bits from 0 to 7. */
export type AccessList = ReadonlyMap<string, number>;

/** Copies mode and list. False where they were not copied, as by a `cp` that is not GNU's. */
export async function copyAccessList(from: string, to: string): Promise<boolean> {
  if (platform() !== "linux") return false;
  return (await runSystemTool(["cp", "--attributes-only", "--preserve=mode", "--", from, to])) !== undefined;
}

/** Undefined where the package acl is missing, or the file system has no lists. */
export async function readAccessList(file: string): Promise<AccessList | undefined> {
  if (platform() !== "linux") return undefined;
  const words = ["--access", "--omit-header", "--no-effective", "--numeric", "--absolute-names"];
  const text = await runSystemTool(["getfacl", ...words, "--", file]);
  const entries = text?.matchAll(/^((?:user|group|mask|other):\d*):([r-])([w-])([x-])$/gm) ?? [];
  const list = new Map([...entries].map(([, who = "", ...bits]) => [who, toNumber(bits)]));
  return list.has("user:") ? list : undefined;
}

const toNumber = (bits: readonly string[]) => bits.reduce((sum, bit) => sum * 2 + (bit === "-" ? 0 : 1), 0);

/** Replaces the list. False where it could not. */
export async function setAccessList(file: string, list: AccessList): Promise<boolean> {
  const text = [...list].map(([who, rights]) => `${who}:${toText(rights)}\n`).join("");
  // Without an entry for the mask, setfacl makes the one that limits no entry.
  return (await runSystemTool(["setfacl", "--set-file=-", "--", file], text)) !== undefined;
}

const toText = (rights: number) =>
  ["r", "w", "x"].map((bit, at) => (rights & (4 >> at) ? bit : "-")).join("");

export const hasNames = (list: AccessList) => list.has("mask:");

/** Whose the file was, where it is so no longer. */
export interface Former {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
}

/**
 * The list for a file with another owner or group: all keep the rights that they had, the former owner and group by
 * their names, and the new group has those of others.
 */
export function nameFormer(list: AccessList, { uid, gid }: Former): AccessList {
  const limit = list.get("mask:") ?? 7;
  const isLimited = (who: string) => who !== "user:" && who !== "other:";
  const kept = new Map(
    [...list]
      .filter(([who]) => who !== "mask:")
      .map(([who, rights]) => [who, isLimited(who) ? rights & limit : rights]),
  );
  const [owner = 0, group = 0, others = 0] = ["user:", "group:", "other:"].map((who) => kept.get(who));
  if (uid !== undefined) kept.set(`user:${uid}`, owner);
  if (gid !== undefined) {
    const named = `group:${gid}`;
    if (group !== others || kept.has(named)) kept.set(named, group | (kept.get(named) ?? 0));
    kept.set("group:", others);
  }
  return kept;
}

/** What the program wrote; undefined where it failed. */
export async function runSystemTool(words: readonly string[], stdin = ""): Promise<string | undefined> {
  const ended = await runSubprocess({ words, env: { PATH: "/usr/bin:/bin" }, stdin, limitMs: 10_000 });
  return ended.kind === "ended" && ended.exit === 0 ? ended.stdout : undefined;
}
