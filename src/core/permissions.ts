/** Who may read and write a draft that becomes a file: as few as may the file that it replaces or is made of. */

import { type FileHandle, open, stat } from "node:fs/promises";
import { platform } from "node:os";
import { runSubprocess } from "./subprocess.ts";

export interface OutputDraft {
  readonly handle: FileHandle;
  /** Gives it the permissions that the file is to have. */
  share(): Promise<void>;
}

/**
 * Opens a draft that no one else reads until it is shared: with the owner, the group and the permissions of the file at
 * `target`, as far as this process may, since a shell's `>` keeps them, too. Where there is none, with the permissions
 * of `like` and what the umask leaves of them.
 */
export async function openDraft(
  draft: string,
  target: string,
  like: string | undefined,
): Promise<OutputDraft> {
  const findModel = async () => (await find(target)) ?? (like === undefined ? undefined : find(like));
  const handle = await open(draft, "wx", (await findModel())?.mode);
  const { mode: umasked } = await handle.stat();
  await handle.chmod(0o600).catch(ignore);
  const share = async () => {
    const model = await findModel();
    if (!model) return handle.chmod(umasked & 0o777).catch(ignore);
    const isReplaced = model.file === target;
    const { uid, gid } = await handle.stat();
    if (isReplaced && (model.uid !== uid || model.gid !== gid))
      await handle
        .chown(model.uid, model.gid)
        .catch(() => handle.chown(uid, model.gid)) // only root may give a file away
        .catch(ignore);
    const isSameGroup = (await handle.stat()).gid === model.gid;
    if (isSameGroup) await copyAccessList(model.file, draft);
    const mode = isReplaced ? model.mode : umasked;
    // What one group may do is not meant for another, whose people were others.
    const shared = isSameGroup ? mode : (mode & 0o707) | ((mode & 0o007) << 3);
    await handle.chmod(shared & 0o777).catch(ignore);
  };
  return { handle, share };
}

async function find(file: string) {
  const found = await stat(file).catch(() => undefined);
  return found && { file, uid: found.uid, gid: found.gid, mode: found.mode & 0o777 };
}

/** Not every file system has permissions. */
function ignore(): void {}

/**
 * Where a file has an access list, its bits for the group are the most that anyone in the list may do: without the list
 * the group would get them. Node.js has no call for it.
 */
async function copyAccessList(from: string, to: string): Promise<void> {
  if (platform() !== "linux") return;
  const words = ["cp", "--attributes-only", "--preserve=mode", "--", from, to];
  await runSubprocess({ words, env: { PATH: "/usr/bin:/bin" }, limitMs: 10_000 });
}
