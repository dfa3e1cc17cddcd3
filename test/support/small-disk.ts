/** Disks that are full or read-only: file systems of a few kilobytes in memory, unmounted when the test ends. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { mkdtemp, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** Whether this process may mount one: root on Linux, outside narrow containers. */
export function canMount(): boolean {
  try {
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", tmpdir()], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Mounts a file on itself: until it is released it cannot be replaced (EBUSY). Gives what releases it. */
export function holdFile(file: string): () => void {
  execFileSync("mount", ["--bind", file, file]);
  let isHeld = true;
  const release = () => {
    if (isHeld) execFileSync("umount", ["-l", file]);
    isHeld = false;
  };
  onTestFinished(release);
  return release;
}

/** A second path of a directory. */
export async function mountTwice(directory: string): Promise<string> {
  const second = await mkdtemp(path.join(tmpdir(), "courier-second-"));
  execFileSync("mount", ["--bind", directory, second]);
  onTestFinished(async () => {
    execFileSync("umount", ["-l", second]);
    await rmdir(second);
  });
  return second;
}

/** A directory on a disk of its own. */
export async function mountDisk(options: string): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory]);
  onTestFinished(async () => {
    execFileSync("umount", ["-l", directory]);
    await rm(directory, { recursive: true });
  });
  return directory;
}

/** Whether this process may forbid that files are removed from a directory: root, on most file systems of Linux. */
export function canKeepFiles(): boolean {
  const directory = mkdtempSync(path.join(tmpdir(), "courier-kept-"));
  try {
    for (const change of ["+a", "-a"]) execFileSync("chattr", [change, directory], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(directory);
  }
}

/** From now on files can be made in the directory, and neither removed nor renamed. */
export function keepFiles(directory: string): void {
  execFileSync("chattr", ["+a", directory]);
  onTestFinished(() => void execFileSync("chattr", ["-a", directory]));
}
