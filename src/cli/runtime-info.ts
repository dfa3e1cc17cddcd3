/** Versions, platform and directories of this run, for `courier doctor`. */

import type { RuntimeInfo } from "../command/runtime-info.ts";
import type { Directories } from "./directories.ts";
import { findProxy } from "./proxy.ts";
import { readVersion } from "./version.ts";

type Runtime = Pick<NodeJS.Process, "versions" | "platform" | "arch">;

export function readRuntimeInfo(
  { versions, platform, arch }: Runtime,
  env: RuntimeInfo["env"],
  directories: Directories,
  timeoutMs: number,
): RuntimeInfo {
  return {
    courierVersion: readVersion(),
    nodeVersion: versions.node,
    platform: `${platform} ${arch}`,
    configDirectory: directories.config,
    stateDirectory: directories.state,
    env,
    timeoutMs,
    proxy: (baseUrl) => findProxy(baseUrl, env),
  };
}
