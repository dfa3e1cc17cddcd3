/** What commands about this machine and the sandbox use beside the service. */

import type { ProxySettings } from "../api/proxy-route.ts";
import type { Json } from "../model/json.ts";

/** What courier runs on and is set up with. */
export interface RuntimeInfo {
  readonly courierVersion: string;
  readonly nodeVersion: string;
  /** `linux x64` */
  readonly platform: string;
  readonly configDirectory: string;
  readonly stateDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** The proxies in force for a base URL. Throws a usage error for one that is not a URL. */
  proxy(baseUrl: string): ProxySettings;
}

/** A sandbox that listens on this machine. */
export interface ServedSandbox {
  readonly baseUrl: string;
  readonly apiKey: string;
  close(): Promise<void>;
}

/** The embedded sandbox, on this machine's state directory. */
export interface SandboxControl {
  serve(options: {
    port?: number;
    seedOrders?: number;
    latencyMs?: number;
    faults?: boolean;
  }): Promise<ServedSandbox>;
  reset(): Promise<void>;
  /** Moves a parcel on, by one state or to a named one; answers with its tracking. */
  advance(trackingNumber: string, to: string | undefined): Promise<Json>;
}

/** Names a directory below the user's own by `~`, in a path or in a sentence: `~` hides the user's name. */
export function hideHome(text: string, { env }: RuntimeInfo): string {
  const home = (env.HOME || env.USERPROFILE || "").replace(/[\\/]+$/, "");
  if (home.length < 2) return text;
  // Neither /data2 nor /srv/data is below /data.
  return text.split(home).reduce((before, after) => {
    const isWhole = /(?:^|[\s"'`“(=:,])$/.test(before) && /^(?:$|[\s"'`”)\\/:;,]|\.(?:$|\s))/.test(after);
    return before + (isWhole ? "~" : home) + after;
  });
}
