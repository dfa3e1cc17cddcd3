/** Who may read and write a draft that becomes a file: as few as may the file that it replaces or is made of. */

import { type FileHandle, open, stat } from "node:fs/promises";
import { platform } from "node:os";
import {
  copyAccessList,
  type Former,
  hasNames,
  nameFormer,
  readAccessList,
  runSystemTool,
  setAccessList,
} from "./access-list.ts";
import { shellQuoteFile } from "./shell-quote-path.ts";

export interface OutputDraft {
  readonly handle: FileHandle;
  /** Gives it the permissions that the file is to have. Says what of them people lose once it takes the file's place. */
  share(): Promise<readonly string[]>;
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
    if (!model) {
      await handle.chmod(umasked & 0o777).catch(ignore);
      return [];
    }
    const isReplaced = model.file === target;
    const { uid, gid } = await handle.stat();
    if (isReplaced && (model.uid !== uid || model.gid !== gid))
      await handle
        .chown(model.uid, model.gid)
        .catch(() => handle.chown(uid, model.gid)) // only root may give a file away
        .catch(ignore);
    const now = await handle.stat();
    const former: Former = {
      uid: isReplaced && now.uid !== model.uid ? model.uid : undefined,
      gid: now.gid !== model.gid ? model.gid : undefined,
    };
    const isSameGroup = former.gid === undefined;
    const mode = isReplaced ? model.mode : umasked;
    // What one group may do is not meant for another, whose people were others. Those of a group that may do less than
    // others are others now.
    const ofAll = mode & (mode >> 3) & 0o007;
    const withoutGroup = (mode & 0o700) | (ofAll << 3) | ofAll;
    const shared = isSameGroup ? mode : withoutGroup;
    const losses = isReplaced ? await findLosses(model, former, shared) : undefined;
    if (losses && (await keepByName(draft, model, former, losses))) return [];
    // Where a file has an access list, its bits for the group are the most that anyone in the list may do: without the
    // list the group would get them.
    const isCopied = isSameGroup && (await copyAccessList(model.file, draft));
    const isLost = losses?.hasList === true && !isCopied;
    await handle.chmod((isLost ? withoutGroup : shared) & 0o777).catch(ignore);
    return losses ? describe(target, losses.owner, isLost) : [];
  };
  return { handle, share };
}

type Model = NonNullable<Awaited<ReturnType<typeof find>>>;

async function find(file: string) {
  const found = await stat(file).catch(() => undefined);
  return found && { file, uid: found.uid, gid: found.gid, mode: found.mode & 0o777 };
}

/** Not every file system has permissions. */
function ignore(): void {}

/** What people may lose with the file that is replaced. */
interface Losses {
  readonly owner: { readonly name: string; readonly cannot: "read" | "change" } | undefined;
  readonly hasList: boolean;
}

/** Undefined where the owner and the group are kept. `mode` is what the new file gets. */
async function findLosses(model: Model, { uid, gid }: Former, mode: number): Promise<Losses | undefined> {
  if (uid === undefined && gid === undefined) return undefined;
  const shown = await runSystemTool(["ls", "-ld", "--", model.file]);
  const [, listed = "", name = `${uid}`] = /^\S{10}(\S?)\s+\d+\s+(\S+)/.exec(shown ?? "") ?? [];
  const hasList = platform() === "linux" && listed === "+";
  if (uid === undefined) return { owner: undefined, hasList };
  const groups = ((await runSystemTool(["id", "-G", "--", name])) ?? "").trim().split(" ");
  const isInGroup = gid === undefined && groups.includes(String(model.gid));
  const lost = (model.mode >> 6) & ~(isInGroup ? mode >> 3 : mode);
  const cannot = lost & 4 ? "read" : lost & 2 ? "change" : undefined;
  return { owner: cannot && { name, cannot }, hasList };
}

/** True where an access list gives all people what they had. No list is made for a file of which no one loses anything. */
async function keepByName(draft: string, model: Model, former: Former, { owner }: Losses): Promise<boolean> {
  const list = await readAccessList(model.file);
  if (!list || !(owner || hasNames(list))) return false;
  return setAccessList(draft, nameFormer(list, former));
}

function describe(target: string, owner: Losses["owner"], isListLost: boolean): readonly string[] {
  const file = shellQuoteFile(target);
  return [
    owner &&
      `${target} belongs to this user now, and its former owner ${owner.name} may no longer ${owner.cannot} it, ` +
        `since only root may give a file away; as root, run: chown ${owner.name} ${file}`,
    isListLost &&
      `${target} has lost its access list, so that people whom it named may no longer read it; ` +
        "name them again with setfacl, which is in the package acl",
  ].filter((each) => typeof each === "string");
}
