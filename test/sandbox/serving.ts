/** Runs a sandbox for one test, on a hand clock and in a directory of its own, and speaks plain HTTP to it. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/server.ts";
import { createHandClock, type HandClock } from "../support/hand-clock.ts";
import { type FaultySandbox, startFaultySandbox } from "../support/wire-faults.ts";

export const apiKey = "key-of-the-sandbox";
export const startOfTime = "2026-03-01T08:00:00.000Z";

export async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-sandbox-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** What came back, with the body as text and, where it is JSON, as a value. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever should be there, and fails if it is not.
  readonly json: any;
}

export interface Serving {
  readonly server: FaultySandbox;
  readonly clock: HandClock;
  readonly stateDir: string;
  /** `body` is sent as it is when it is text, else as JSON. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

export async function serve(options: Partial<SandboxOptions> = {}): Promise<Serving> {
  const clock = createHandClock(startOfTime);
  const stateDir = options.stateDir ?? path.join(await createDirectory(), "sandbox");
  const server = await startFaultySandbox({ clock, apiKey, ...options, stateDir });
  onTestFinished(() => server.close());
  return {
    server,
    clock,
    stateDir,
    async call(method, path, body, headers) {
      const response = await fetch(server.baseUrl + path, {
        method,
        redirect: "manual",
        headers: {
          authorization: `Bearer ${apiKey}`,
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: parsed(text) };
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const draft = {
  sender: {
    name: "张三",
    phone: "13800138000",
    province: "广东省",
    city: "深圳市",
    district: "南山区",
    detail: "科技园南路1号",
  },
  receiver: {
    name: "李四",
    phone: "010-88886666",
    province: "北京市",
    city: "北京市",
    district: "朝阳区",
    detail: "建国路88号",
  },
  item: { name: "茶叶", description: "礼盒装", weight: 1.5, value: 200, quantity: 2 },
  service_type: "express",
};
