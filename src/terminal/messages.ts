/** Notes, warnings, errors and the trace on stderr, sanitised and redacted. */

import type { CourierError } from "../core/errors.ts";
import { type Json, stringifyJson } from "../model/json.ts";
import { sanitise, sanitiseJson } from "./sanitise.ts";
import type { TerminalStream } from "./streams.ts";
import { type Paint, plainPaint } from "./style.ts";

export interface MessageOptions {
  readonly stream: TerminalStream;
  readonly quiet: boolean;
  readonly debug: boolean;
  readonly colour: () => Promise<Paint>;
  /** Called before each line. */
  readonly beforeWrite: () => void;
}

export interface Messages {
  /** A note that is no part of the result. */
  note(text: string): void;
  warn(text: string): void;
  /** Of what failed while the command goes on, and of a key that others could read: shown with --quiet, too. */
  warnAlways(text: string): void;
  /** A line of `--debug`. */
  trace(line: string): void;
  /** The failure of the whole run, as lines for a person or as one line of JSON. Never silenced. */
  error(error: CourierError, form: "human" | "json"): Promise<void>;
  /** The same as text without colour, for a process that ends at once. */
  formatError(error: CourierError, form: "human" | "json"): string;
  /** Masks what the redactors so far know. */
  redact(text: string): string;
  /** Adds a redactor for all further output. */
  redactWith(redact: (text: string) => string): void;
}

export function createMessages({ stream, quiet, debug, colour, beforeWrite }: MessageOptions): Messages {
  let redact = (text: string) => text;
  const formatJson = (error: CourierError) => sanitiseJson(redact(stringifyJson(errorDocument(error))));
  const formatHuman = (error: CourierError, paint: Paint) => [
    `${paint("bad", "error:")} ${safe(error.message)}`,
    ...(error.hint === undefined ? [] : [`${paint("accent", "hint:")} ${safe(error.hint)}`]),
  ];
  const print = (text: string) => {
    beforeWrite();
    if (!stream.destroyed) stream.write(`${text}\n`);
  };
  const safe = (text: string) => sanitise(redact(text));

  return {
    note(text) {
      if (!quiet) print(safe(text));
    },
    warn(text) {
      if (!quiet) print(`warning: ${safe(text)}`);
    },
    warnAlways: (text) => print(`warning: ${safe(text)}`),
    trace(line) {
      if (debug) print(`debug: ${safe(line)}`);
    },
    async error(error, form) {
      if (form === "json") {
        print(formatJson(error));
        return;
      }
      // An update may have taken the files of the program away.
      const paint = stream.isTTY ? await colour().catch(() => plainPaint) : plainPaint;
      for (const text of formatHuman(error, paint)) print(text);
      if (debug) for (const text of stackLines(error)) print(`debug: ${safe(text)}`);
    },
    formatError(error, form) {
      beforeWrite();
      const lines = form === "json" ? [formatJson(error)] : formatHuman(error, plainPaint);
      return `${lines.join("\n")}\n`;
    },
    redact: (text) => redact(text),
    redactWith(next) {
      const before = redact;
      redact = (text) => next(before(text));
    },
  };
}

/** The JSON form of an error: field names are a contract with scripts. */
export function errorDocument(error: CourierError): Json {
  return {
    error: {
      code: error.code,
      message: error.message,
      hint: error.hint,
      status: error.status,
      service_code: error.serviceCode,
      details: error.details as Json | undefined,
      exit: error.exit,
    },
  };
}

function stackLines(error: Error): string[] {
  const own = (error.stack ?? error.message).split("\n");
  return error.cause instanceof Error ? [...own, "caused by:", ...stackLines(error.cause)] : own;
}
