/** Width and colour of an output stream. */

import type { View } from "../terminal/render.ts";
import type { TerminalStream } from "../terminal/streams.ts";
import type { Paint } from "../terminal/style.ts";
import { plainPaint } from "../terminal/style.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A terminal has a width and may have colours; a pipe has neither. */
export async function createView(
  stream: TerminalStream,
  env: Env,
  noColor: boolean,
  nowMs: number,
): Promise<View> {
  return {
    width: stream.isTTY ? stream.columns || 80 : undefined,
    paint: await choosePaint(stream, env, noColor),
    nowMs,
  };
}

/** NO_COLOR and FORCE_COLOR, which colours a pipe too, count when they are not empty. */
export async function choosePaint(stream: TerminalStream, env: Env, noColor: boolean): Promise<Paint> {
  const forced = env.FORCE_COLOR;
  const isForbidden = noColor || Boolean(env.NO_COLOR) || forced === "0" || forced === "false";
  const isColourful = Boolean(forced) || (stream.isTTY === true && env.TERM !== "dumb");
  if (isForbidden || !isColourful) return plainPaint;
  const { createPaint } = await import("../terminal/theme.ts");
  return createPaint();
}
