/** Whether a directory is on a file system that other machines share, where locks of files may not hold. */

import { statfs as systemStatfs } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "./errors.ts";

/** The type's number, as `statfs` of Linux gives it. */
export type Statfs = (path: string) => Promise<{ readonly type: number | bigint }>;

export interface NetworkFileSystem {
  readonly name: string;
  /** False for a type that local file systems have too. */
  readonly isCertain: boolean;
}

/** The numbers of linux/magic.h, and of file systems outside of the kernel. */
const networkTypes: Readonly<Record<number, NetworkFileSystem>> = {
  26985: certain("NFS"),
  20859: certain("SMB"),
  4266872130: certain("SMB2"),
  4283649346: certain("CIFS"),
  16914839: certain("9p"),
  1397113167: certain("AFS"),
  1799439955: certain("AFS"),
  1937076805: certain("Coda"),
  12805120: certain("Ceph"),
  198183888: certain("Lustre"),
  1196443219: certain("GPFS"),
  18225520: certain("GFS2"),
  1952539503: certain("OCFS2"),
  2020557398: certain("VirtualBox shared folder"),
  1702057286: { name: "FUSE", isCertain: false },
};

function certain(name: string): NetworkFileSystem {
  return { name, isCertain: true };
}

/**
 * The network file system that a directory is on, or the first one above it that exists. Undefined for a local
 * one, and where the system does not tell: the numbers are those of Linux.
 */
export async function findNetworkFileSystem(
  directory: string,
  platform: string,
  statfs: Statfs = systemStatfs,
): Promise<NetworkFileSystem | undefined> {
  if (!platform.startsWith("linux")) return undefined;
  try {
    const { type } = await statfs(directory);
    return networkTypes[Number(BigInt.asUintN(32, BigInt(type)))];
  } catch (error) {
    const above = dirname(directory);
    const isMissing = systemCode(error) === "ENOENT" && above !== directory;
    return isMissing ? findNetworkFileSystem(above, platform, statfs) : undefined;
  }
}
