/** Results in a file: written under a temporary name and renamed when they are complete. */

import { closeSync, constants, rmSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { Writable } from "node:stream";
import type { Clock } from "../core/clock.ts";
import { type EarlierFile, haveSameContent, keepEarlier } from "../core/earlier-file.ts";
import { fileError, systemCode } from "../core/errors.ts";
import { nameOutputDraft, removeDeadDrafts, removeDraft } from "../core/output-draft.ts";
import { type OutputDraft, openDraft } from "../core/permissions.ts";
import type { ProcessTable } from "../core/process-identity.ts";
import { findRealPath } from "../core/real-path.ts";
import { replaceFile } from "../core/replace-file.ts";
import { explainSystemError, unwrittenError } from "../core/system-errors.ts";
import type { OutputFile } from "../terminal/streams.ts";
import type { Host } from "./host.ts";
import { isOwnOutput, recordOwnOutput } from "./own-outputs.ts";

export interface OutputRun {
  readonly clock: Clock;
  /** Ends the wait for a reader that does not come, or does not read. */
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly processes: ProcessTable;
  /** What removes a draft where the process ends in the middle, as by a second Ctrl-C. */
  readonly onExit: Host["job"]["onExit"];
  /** Has the record of what courier wrote before. */
  readonly stateDirectory: string;
  /** Keeps the file that is there, the last thing before its next version takes its place. Throws where it must stay. */
  readonly keep?: (() => Promise<EarlierFile>) | undefined;
  /** Where the file is: what has come to its path since it was checked is not followed. */
  readonly realPath?: string | undefined;
  /** A file that is made gets the permissions of this one. */
  readonly permissionsOf?: string | undefined;
}

/**
 * A different file that is there is kept as `.old`, unless courier wrote it there and it is unchanged since, or it is empty.
 * Throws a file error when the file cannot be opened; what cannot be written to it later is exit 5.
 */
export async function openOutputFile(path: string, run: OutputRun): Promise<OutputFile> {
  const { clock } = run;
  const fail = (error: unknown) =>
    fileError(`cannot write ${path}: ${explainSystemError(error, "directory")}`, { cause: error });
  const { target, draft, isPipe } = await findPlace(path, run).catch((error) => {
    throw fail(error);
  });
  let opened: FileHandle | undefined;
  const keepDraft = draft === undefined ? undefined : run.onExit?.(() => removeAtOnce(draft, opened));
  const opening: Promise<Pick<OutputDraft, "handle"> & Partial<OutputDraft>> =
    draft === undefined
      ? (isPipe ? openPipe(target, run) : open(target, "w")).then((handle) => ({ handle }))
      : openDraft(draft, target, run.permissionsOf);
  const { handle, share } = await opening.catch((error) => {
    keepDraft?.();
    throw fail(error);
  });
  opened = handle;
  // No command that writes its result to a file makes or cancels orders.
  const failLate = (error: unknown, left?: string) =>
    unwrittenError(path, error, { mayHaveSent: false, ...(left === undefined ? {} : { left }) });
  /** An error has said where the rows are. */
  let isNamed = false;
  const abandon = async () => {
    await handle.close().catch(() => {});
    if (draft === undefined || isNamed) return;
    await removeDraft(draft)
      .catch((error) => {
        throw failLate(error, `; ${draft} is left there`);
      })
      .finally(keepDraft);
  };
  return {
    stream: new Writable(),
    async write(text) {
      await (isPipe ? writeToPipe(handle, text, run) : handle.appendFile(text)).catch((error) => {
        throw failLate(error);
      });
    },
    async finish() {
      let losses: readonly string[] = [];
      try {
        losses = (await share?.()) ?? [];
        if (draft !== undefined) await handle.sync();
        await handle.close();
      } catch (error) {
        await abandon().catch(() => {});
        throw failLate(error);
      }
      if (draft === undefined) return;
      let earlier: EarlierFile | undefined;
      try {
        earlier = await run.keep?.();
      } catch (error) {
        await abandon();
        throw error;
      }
      try {
        if (!run.keep) earlier = await keepOther(draft, target, run);
        await replaceFile(draft, target, clock);
      } catch (error) {
        isNamed = true;
        keepDraft?.();
        await earlier?.drop();
        throw failLate(error, `; the rows are in ${draft}`);
      }
      keepDraft?.();
      for (const loss of losses) run.warn(loss);
      if (earlier && !run.keep) run.warn(`an earlier, different file is now ${earlier.name}`);
      await removeDeadDrafts(target, run.processes);
      if (!run.keep) await recordOwnOutput(run.stateDirectory, target); // else it is the user's own sheet
    },
    abandon,
  };
}

/** The process ends after it. Windows keeps the name of a removed file until the file is closed. */
function removeAtOnce(draft: string, handle: FileHandle | undefined): void {
  try {
    if (handle && handle.fd !== -1) closeSync(handle.fd);
    rmSync(draft, { force: true });
  } catch {
    // the next command that writes the file removes it
  }
}

/** The new name of a file at `target` that would be lost. */
async function keepOther(
  draft: string,
  target: string,
  { stateDirectory, warn }: OutputRun,
): Promise<EarlierFile | undefined> {
  const found = await stat(target).catch(() => undefined);
  if (!found || found.size === 0 || (await isOwnOutput(stateDirectory, target))) return undefined;
  return (await haveSameContent(draft, target)) ? undefined : keepEarlier(target, ".old", warn);
}

/** Replaces the target of a link, not the link; writes to a device or a pipe directly. */
async function findPlace(
  path: string,
  { processes, realPath }: OutputRun,
): Promise<{ target: string; draft?: string; isPipe?: boolean }> {
  if (realPath !== undefined) return { target: realPath, draft: nameOutputDraft(realPath, processes) };
  // A shell's pipe, as of /dev/stdout or bash's >(…), has no path of its own.
  const named = await stat(path).catch(() => undefined);
  if (named?.isFIFO()) return { target: path, isPipe: true };
  const target = await findRealPath(path);
  const facts = await stat(target).catch(() => undefined);
  if (facts?.isDirectory()) throw Object.assign(new Error("a directory"), { code: "EISDIR" });
  return !facts || facts.isFile() ? { target, draft: nameOutputDraft(target, processes) } : { target };
}

const pollEveryMs = 50;

/** Polls for a reader: a blocking open would wait in a thread that no signal ends. */
async function openPipe(target: string, { clock, signal, note }: OutputRun): Promise<FileHandle> {
  for (let isReported = false; ; isReported = true) {
    try {
      return await open(target, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (systemCode(error) !== "ENXIO") throw error;
    }
    if (!isReported) note(`waiting for a reader of ${target}`);
    await clock.sleep(pollEveryMs, signal);
  }
}

/** A full pipe waits for its reader here, too. */
async function writeToPipe(
  handle: FileHandle,
  text: string | Uint8Array,
  { clock, signal }: OutputRun,
): Promise<void> {
  let rest = typeof text === "string" ? Buffer.from(text) : text;
  while (rest.length > 0) {
    try {
      rest = rest.subarray((await handle.write(rest)).bytesWritten);
    } catch (error) {
      if (systemCode(error) !== "EAGAIN") throw error;
      await clock.sleep(pollEveryMs, signal);
    }
  }
}
