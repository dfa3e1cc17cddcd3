/** Where a draft comes from: file, template, an earlier order, address book, texts and flags, in that order. */

import type { Context } from "../command/command.ts";
import { type UnderstoodParty, understandText } from "../command/confirm-address.ts";
import { type OptionValues, parseOrderName, switchOption, textOption } from "../command/options.ts";
import { serviceOf } from "../config/accounts.ts";
import { defaultSender, findParty, parseAlias, savedTextError } from "../config/address-book.ts";
import { findTemplate } from "../config/templates.ts";
import { fileError, usageError } from "../core/errors.ts";
import { thisHost } from "../core/process-place.ts";
import { nameOperation } from "../ledger/operation.ts";
import type { Draft, DraftParty } from "../model/draft.ts";
import {
  orderFields,
  type PartyField,
  type PartyPart,
  partyFields,
  partyParts,
  partyWords,
} from "../model/fields.ts";
import { maskPattern } from "../model/masked-text.ts";
import { findTextProblems, type TextProblem } from "../model/text-problem.ts";
import { draftFlags, mergeDraft, nameField } from "./draft-flags.ts";
import { type BaseDraft, draftLike } from "./order-draft.ts";
import { parseOrderFile } from "./order-file.ts";

const group = "Parties by name or as text";
const fromBook = { group, values: "party" } as const;

export const sourceOptions = {
  file: textOption("FILE", "a JSON file with sender, receiver, item, service_type; - for stdin", {
    values: "file",
  }),
  template: textOption("NAME", "start from a saved template", { values: "template" }),
  repeat: switchOption("start from the last order sent from this machine"),
  like: {
    ...textOption(
      "ORDER",
      "start from an earlier order: its id, order or tracking number, ref:REF, or 12.3 of the log",
      {
        values: "order",
      },
    ),
    parse: parseOrderName,
  },
  sender: textOption("@NAME", "a sender from the address book", fromBook),
  receiver: textOption("@NAME", "a receiver from the address book", fromBook),
  senderText: textOption("TEXT", "the sender as one text, to be split into its fields", { group }),
  receiverText: textOption("TEXT", "the receiver as one text, to be split into its fields", { group }),
  ...draftFlags,
} as const;

export type Sources = OptionValues<typeof sourceOptions>;

/** A draft to start from. */
export interface StartingDraft {
  readonly draft: Draft;
  /** Dotted paths of fields, and whole parts, that were given and need no question. */
  readonly given: ReadonlySet<string>;
  /** Nothing came from the command line; there may still be a default sender. */
  readonly isBlank: boolean;
  /** For a hint: the same order whatever is sent meanwhile, where the same command would not be. */
  readonly again: string | undefined;
  /** The alias of the default sender, where nothing else names a sender. */
  readonly usualSender: string | undefined;
  /** The name under which the user knows a field, or undefined for a path that is none. */
  readonly nameOf: (path: string) => string | undefined;
}

/** Merges the sources of a draft; later ones win: base, address book, texts, single flags. */
export async function collectDraft(
  sources: Sources,
  context: Context,
  isDryRun: boolean,
): Promise<StartingDraft> {
  const fileName = sources.file === "-" ? "stdin" : sources.file;
  const { draft: base, declined = [], again, isShown } = await readBase(sources, fileName, context, isDryRun);
  const named = {
    sender: await readParty("sender", sources, context, isDryRun),
    receiver: await readParty("receiver", sources, context, isDryRun),
  };
  const sender = named.sender?.party ?? base?.sender;
  const receiver = named.receiver?.party ?? base?.receiver;
  /** The form asks for the fields of a party that is not right, and keeps what is typed. */
  const wrong = partyParts.filter((name) =>
    named[name] ? !named[name].isAgreed : declined.includes(name),
  ) as readonly string[];
  const hasSenderFlag = orderFields.some(
    ({ path, key }) => path.startsWith("sender.") && valueOfFlag(sources, key) !== undefined,
  );
  const config = await context.config.read();
  const usual = sender || hasSenderFlag ? undefined : defaultSender(config);
  const whole = { ...base, ...part("sender", sender ?? usual), ...part("receiver", receiver) } as Draft;
  const given = new Set<string>(Object.keys(whole).filter((name) => !wrong.includes(name)));
  const hasFlag = orderFields.some(({ key }) => valueOfFlag(sources, key) !== undefined);
  // An order that is whole but for its service level leaves that to the service.
  if (whole.sender && whole.receiver && whole.item) given.add("service_type");
  for (const { path, key } of orderFields) if (valueOfFlag(sources, key) !== undefined) given.add(path);
  const merged = mergeDraft(whole, sources);
  const canAsk = sources.like !== undefined && !isDryRun && !context.globals.yes && (await context.prompts());
  const shown = isShown ? { ...base, ...(named.receiver && { receiver: undefined }) } : undefined;
  const hidden = sources.like === undefined ? [] : findHidden(merged, shown, given);
  const draft = canAsk ? askForHidden(merged, hidden, given, context) : merged;
  // At a terminal, the review shows the goods.
  const unasked = canAsk ? [] : [...hidden, ...findHiddenGoods(draft, shown, given)];
  ensureTexts([...findTextProblems(draft), ...unasked], sources, {
    fileName,
    base,
    sender: usual && `@${config.default_sender}`,
    wrong,
  });
  return {
    draft,
    given,
    again,
    usualSender: usual && (config.default_sender ?? undefined),
    isBlank: !base && !sender && !receiver && !hasFlag,
    nameOf: (path) => nameField(path, sources, fileName),
  };
}

/**
 * Phones, and of what the service shows also names and addresses, of which a part is hidden, and what it does not show of
 * the receiver. A person may type a name or an address with such characters.
 */
function findHidden(draft: Draft, shown: Draft | undefined, given: ReadonlySet<string>): TextProblem[] {
  const needed = shown?.receiver ? (["name", "phone", "detail"] as const) : [];
  const leftOut = needed
    .filter((name) => draft.receiver?.[name] === undefined && !given.has(`receiver.${name}`))
    .map((name) => ({ path: `receiver.${name}`, ...notShown }));
  const inPart = partyParts.flatMap((part) =>
    partyFields.flatMap((name) => {
      const [path, value] = [`${part}.${name}`, draft[part]?.[name]];
      const mayHide = name === "phone" || value === shown?.[part]?.[name];
      if (value === undefined || !mayHide || given.has(path) || !maskPattern.test(value)) return [];
      return { path, value, message: `is only a part of the ${partyWords[name].label}: the rest is hidden` };
    }),
  );
  return [...inPart, ...leftOut];
}

const notShown = { value: "", message: "is not shown by the service" };

/** Goods may have such characters, as 椅子 × 2 and 5*3 cm have. */
const looksHidden = /[*＊•●…‥]\s*$|[*＊•●×…]{2}|[.．。]{3}/;

function findHiddenGoods(
  { item }: Draft,
  shown: Draft | undefined,
  given: ReadonlySet<string>,
): readonly TextProblem[] {
  const [path, value] = ["item.name", item?.name];
  if (value === undefined) return shown?.item && !given.has(path) ? [{ path, ...notShown }] : [];
  if (value !== shown?.item?.name || given.has(path) || !looksHidden.test(value)) return [];
  return [{ path, value, message: "may be only a part of the goods' name: the rest looks hidden" }];
}

/** Leaves out what the service shows only in part, and lets the form ask for that alone. */
function askForHidden(
  draft: Draft,
  hidden: readonly TextProblem[],
  given: Set<string>,
  { messages }: Context,
): Draft {
  const asked: Record<string, DraftParty> = {};
  for (const { path, value } of hidden) {
    const [part, name] = path.split(".") as [PartyPart, PartyField];
    const label = `the ${part}'s ${partyWords[name].label}`;
    messages.note(
      value === ""
        ? `The service does not show ${label}`
        : `The service shows only a part of ${label}: ${value}`,
    );
    const { [name]: _, ...rest } = asked[part] ?? draft[part] ?? {};
    asked[part] = rest;
    // Else all its fields are asked for anyway.
    if (given.delete(part)) for (const each of partyFields) given.add(`${part}.${each}`);
    given.delete(path);
  }
  return { ...draft, ...asked };
}

/** Throws for a damaged text, and names it as the user gave it. */
function ensureTexts(
  problems: readonly TextProblem[],
  sources: Sources,
  {
    fileName,
    base,
    sender,
    wrong,
  }: {
    readonly fileName: string | undefined;
    readonly base: Draft | undefined;
    readonly sender: string | undefined;
    readonly wrong: readonly string[];
  },
): void {
  const problem = problems.find(({ path }) => !wrong.includes(path.split(".")[0] ?? ""));
  if (!problem) return;
  const { path, value, message } = problem;
  const hint = "enter it again, as it is to be sent";
  const field = orderFields.find((each) => each.path === path);
  if (field && valueOfFlag(sources, field.key) !== undefined)
    throw usageError(`${field.flag} “${value}” ${message}`, hint);
  const [part] = path.split(".");
  const alias =
    part === "sender" ? (sources.sender ?? sender) : part === "receiver" ? sources.receiver : undefined;
  if (alias !== undefined) throw savedTextError(problem, alias);
  const isOfFile = fileName !== undefined && findTextProblems(base).some((each) => each.path === path);
  const shown = value === "" ? "" : ` “${value}”`;
  throw fileError(`${path}${isOfFile ? ` in ${fileName}` : ""}${shown} ${message}`, {
    hint: isOfFile || !field ? hint : `give it with ${field.flag}`,
    details: { path, value },
  });
}

async function readBase(
  sources: Sources,
  fileName: string | undefined,
  context: Context,
  isDryRun: boolean,
): Promise<Partial<BaseDraft> & { readonly again?: string }> {
  const named = (["file", "template", "repeat", "like"] as const).filter((key) => sources[key] !== undefined);
  if (named.length > 1) {
    throw usageError(
      `${named.map((key) => `--${key}`).join(" and ")} exclude each other`,
      "choose one to start from",
    );
  }
  if (sources.file !== undefined)
    return { draft: parseOrderFile(await context.readText(sources.file), fileName ?? sources.file) };
  if (sources.template !== undefined) return { draft: await readTemplate(sources.template, context) };
  if (sources.like !== undefined) return draftLike(sources.like, context, isDryRun || context.globals.yes);
  if (sources.repeat === undefined) return {};
  const account = await context.account();
  const ledger = await context.ledger();
  const { id: customer } = await context.customer(); // the account may have had another customer's key
  // The last order of a ledger that machines share may be another station's.
  const host = ledger.isShared ? thisHost() : undefined;
  const owner = { account: account.name, service: serviceOf(account), customer, host };
  const [last] = await ledger.recentCreates(owner, 1);
  if (last?.draft) {
    const again = context.sameCommand(["--like", nameOperation(last)], "--repeat");
    return { draft: last.draft, again: `run ${again}` };
  }
  throw usageError(
    `no order was sent from this machine with the account ${account.name} yet, so none can be repeated`,
  );
}

async function readTemplate(name: string, context: Context): Promise<Draft> {
  return findTemplate(await context.config.read(), name);
}

async function readParty(
  role: PartyPart,
  sources: Sources,
  context: Context,
  isDryRun: boolean,
): Promise<UnderstoodParty | undefined> {
  const [alias, text] = [sources[role], sources[`${role}Text`]];
  if (alias !== undefined && text !== undefined)
    throw usageError(`--${role} and --${role}-text exclude each other`);
  const hasName = sources[`${role}Name`] !== undefined;
  const hasPhone = sources[`${role}Phone`] !== undefined;
  if (text !== undefined)
    return understandText(role, text, context, { isShown: isDryRun, hasName, hasPhone });
  if (alias === undefined) return undefined;
  if (!alias.startsWith("@")) {
    throw usageError(
      `--${role} takes a name from the address book such as @shop, not “${alias}”`,
      `for a person's name there is --${role}-name`,
    );
  }
  return { party: findParty(await context.config.read(), parseAlias(alias)), isAgreed: true };
}

function part(name: string, value: DraftParty | undefined): object {
  return value === undefined ? {} : { [name]: value };
}

function valueOfFlag(sources: Sources, key: string): unknown {
  return (sources as Readonly<Record<string, unknown>>)[key];
}
