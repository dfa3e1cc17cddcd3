/** The environment variables, as help, the manual page and docs/commands.md describe them. */

/** Names, and what they do. A flag wins over the environment, which wins over the stored account. */
export const environment: readonly (readonly [names: string, meaning: string])[] = [
  ["COURIER_API_KEY", "the key, instead of a stored one"],
  [
    "COURIER_BASE_URL",
    "the service's base URL, instead of a stored one; needs COURIER_API_KEY when it is another service's",
  ],
  ["COURIER_ACCOUNT", "the account, instead of the current one"],
  ["COURIER_CONFIG_DIR", "where accounts, keys, addresses and templates are kept"],
  ["COURIER_STATE_DIR", "where the sandbox's orders and what this machine remembers of orders are kept"],
  ["COURIER_SETTLE", "how long the service may take to list an order, as --settle takes it"],
  ["NO_COLOR, FORCE_COLOR", "no colour when not empty; colour also in a pipe"],
  ["HTTPS_PROXY, HTTP_PROXY", "the proxies to go through; never for a service on this machine"],
  ["NO_PROXY", "the hosts to reach without a proxy"],
  ["NODE_EXTRA_CA_CERTS", "a file with certificates of a private certificate authority"],
];
