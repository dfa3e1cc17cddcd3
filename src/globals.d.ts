/** The package's version, which the build puts in its place; undefined when the sources run as they are. */
declare const __COURIER_VERSION__: string | undefined;
/** Names this build by what is in its files; undefined when the sources run as they are. */
declare const __COURIER_CONTENT__: string | undefined;
/** The commands as completion sees them, as JSON. */
declare const __COURIER_TREE__: string | undefined;
/** The completion scripts by shell, as JSON. */
declare const __COURIER_SCRIPTS__: string | undefined;

// undici's parts: the package declares their types under its own name alone.
declare module "undici/lib/dispatcher/agent.js" {
  import { Agent } from "undici";
  export = Agent;
}
declare module "undici/lib/core/connect.js" {
  import { buildConnector } from "undici";
  export = buildConnector;
}
declare module "undici/lib/dispatcher/env-http-proxy-agent.js" {
  import { EnvHttpProxyAgent } from "undici";
  export = EnvHttpProxyAgent;
}
declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici";
  export = Pool;
}
declare module "undici/lib/api/api-connect.js" {
  import { Dispatcher } from "undici";

  const connect: Dispatcher["connect"];
  export = connect;
}

// jsbarcode's encoders of Code 128 alone; the package declares the whole of it.
declare module "jsbarcode/bin/barcodes/CODE128/index.js" {
  /** `data` has a 1 for each module of a bar and a 0 for each one of a space. */
  export const CODE128: new (text: string, options: object) => { encode(): { readonly data: string } };
}
