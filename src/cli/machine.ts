/** What courier knows of the machine that it runs on, for diagnosis. */

import type { Machine } from "../command/runtime-info.ts";
import type { Directories } from "./directories.ts";
import { findProxy } from "./proxy.ts";
import { readVersion } from "./version.ts";

type Runtime = Pick<NodeJS.Process, "versions" | "platform" | "arch">;

export function describeMachine(
  { versions, platform, arch }: Runtime,
  env: Machine["env"],
  directories: Directories,
  timeoutMs: number,
): Machine {
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
