/** Made-up answers of the service: bodies as text, so that every digit and every byte is the test's own. */

import type { FaultySandbox } from "./wire-faults.ts";

type Served = { readonly sandbox: FaultySandbox };

/** From now on, `method` and `path` (a regular expression's source) are answered with this body. */
export function answerRaw(
  { sandbox }: Served,
  call: string,
  body: string,
  facts: { status?: number; times?: number; processed?: boolean; headers?: Record<string, string> } = {},
): void {
  const [method = "GET", path = ""] = call.split(" ");
  const { status = 200, ...rest } = facts;
  sandbox.faults.add({
    kind: "status",
    status,
    method,
    path,
    body,
    contentType: "application/json",
    ...rest,
  });
}

/** Answers with `{success: true, data}`; `data` is JSON text. */
export function answerData(served: Served, call: string, data: string, beside = ""): void {
  answerRaw(served, call, `{"success":true,"data":${data}${beside === "" ? "" : `,${beside}`}}`);
}

/** The profile shows so many API calls as left. */
export function showCallsLeft(served: Served, count: number): void {
  answerData(served, "GET /api/v1/user/profile", `{"id":1,"api_calls_remaining":${count}}`);
}

export const onePage = '"pagination":{"current_page":1,"total_pages":1,"total_items":1,"per_page":10}';

/** How many requests of a method reached the service, optionally for one path without its query. */
export function requestCount({ sandbox }: Served, method: string, path?: string): number {
  return sandbox.requests.filter(
    (request) =>
      request.method === method && (path === undefined || request.path.replace(/\?.*$/, "") === path),
  ).length;
}

/** The bodies of the orders that were sent, oldest first. */
export function sentBodies({ sandbox }: Served): string[] {
  return sandbox.requests.filter(({ method }) => method === "POST").map(({ body }) => body);
}
