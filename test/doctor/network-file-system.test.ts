/** File systems that other machines share are told by their number, and those that may be one. */

import { expect, test } from "vitest";
import { findNetworkFileSystem } from "../../src/doctor/ledger.ts";

const on = (type: number | bigint) => async () => ({ type });

test.each<[number | bigint, string]>([
  [0x6969, "NFS"],
  [0xfe534d42, "SMB2"],
  [0xff534d42, "CIFS"],
  [-11317950, "CIFS"], // as a signed number of 32 bits
  [0x01021997n, "9p"],
  [0x5346414f, "AFS"],
  [0x0bd00bd0, "Lustre"],
])("%i is %s", async (type, name) => {
  expect(await findNetworkFileSystem("/state", "linux x64", on(type))).toEqual({ name, isCertain: true });
});

test("FUSE may be one", async () => {
  expect(await findNetworkFileSystem("/state", "linux x64", on(0x65735546))).toEqual({
    name: "FUSE",
    isCertain: false,
  });
});

test.each([
  [0xef53, "linux x64"], // ext4
  [0x01021994, "linux x64"], // tmpfs
  [0x6969, "darwin arm64"], // the numbers are Linux's
  [0, "win32 x64"],
])("%i on %s is none", async (type, platform) => {
  expect(await findNetworkFileSystem("/state", platform, on(type))).toBeUndefined();
});

test("what does not exist yet is on the file system of the directory above it", async () => {
  const asked: string[] = [];
  const statfs = async (path: string) => {
    asked.push(path);
    if (path !== "/mnt") throw Object.assign(new Error("gone"), { code: "ENOENT" });
    return { type: 0x6969 };
  };
  expect(await findNetworkFileSystem("/mnt/home/state", "linux x64", statfs)).toMatchObject({ name: "NFS" });
  expect(asked).toEqual(["/mnt/home/state", "/mnt/home", "/mnt"]);
});

test("where the system does not tell, nothing is said", async () => {
  const statfs = async () => Promise.reject(Object.assign(new Error("no"), { code: "EACCES" }));
  expect(await findNetworkFileSystem("/state", "linux x64", statfs)).toBeUndefined();
});
