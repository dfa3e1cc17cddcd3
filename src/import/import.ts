/** Owns `courier orders import`: many orders from a spreadsheet, each created exactly once (4.2 to 4.4). */

import path from "node:path";
import { checkBudget } from "../command/budget.ts";
import {
  type Context,
  confirmOrStop,
  defineCommand,
  document,
  ensureCanConfirm,
  type Output,
} from "../command/command.ts";
import {
  countOption,
  flagOf,
  listOption,
  type OptionValues,
  quote,
  switchOption,
  textArgument,
  textOption,
} from "../command/options.ts";
import type { ActiveAccount } from "../config/accounts.ts";
import { rememberJournal } from "../config/journals.ts";
import { CourierError, usageError } from "../core/errors.ts";
import { findRealPath } from "../core/real-path.ts";
import { isPassing, type NamedEncoding, namedEncodings } from "../sheets/source.ts";
import { parseMapping } from "./columns.ts";
import { importAlone } from "./import-alone.ts";
import { checkView, toSummary } from "./import-check.ts";
import { openOtherOrders } from "./import-others.ts";
import { type ImportPlan, planImport, summarise } from "./import-plan.ts";
import { runImport } from "./import-run.ts";
import { openSource } from "./import-source.ts";
import { duplicates, settleTwins } from "./import-twins.ts";
import { type JournalIdentity, openJournal, viewJournal } from "./journal.ts";
import { createRejects } from "./rejects.ts";
import type { RowsOptions } from "./rows.ts";

const options = {
  map: listOption(
    "COLUMN=FIELD",
    'a column of the file is this field: "Ship Name=receiver.name"; "Notes=" leaves one out (repeatable)',
    parseMapping,
  ),
  useMap: textOption("NAME", "column names that were saved", { values: "column names" }),
  saveMap: textOption("NAME", "save the column names that --map gives", { values: "column names" }),
  sender: textOption("@NAME", "the sender of rows that have none, from the address book", {
    values: "party",
  }),
  encoding: {
    placeholder: "NAME",
    summary: "what the file is written in: utf-8, gb18030 or windows-1252 (default: UTF-8, else GB18030)",
    parse: parseEncoding,
    candidates: namedEncodings.map((value) => ({ value })),
  },
  check: switchOption("read every row and compare it with earlier imports, and send nothing"),
  concurrency: countOption("N", "rows sent at once (default 4)", { min: 1, max: 64 }),
  rate: countOption("N", "send at most N rows a second", { min: 1, max: 1_000 }),
  journal: textOption("PATH", "where the journal is kept (default: FILE.journal.ndjson)", { values: "file" }),
  retryRefused: switchOption("send rows again that were refused before, although they have not changed"),
  rejects: textOption("FILE", "write refused rows to a file, in the input's form, with what was wrong", {
    values: "file",
  }),
  allowDuplicate: switchOption("send rows although another import has created the same orders"),
} as const;

function parseEncoding(text: string, flag: string): NamedEncoding {
  const encoding = namedEncodings.find((each) => each === text.toLowerCase());
  if (encoding !== undefined) return encoding;
  throw usageError(`${flag} takes ${namedEncodings.join(", ")}, not ${quote(text)}`);
}

export const importOrders = defineCommand({
  description:
    "The first line of a CSV file names its columns, by these fields or by their usual English or Chinese\n" +
    "names such as Recipient Phone or 收件人电话: ref (your own order number), service_type, sender.name,\n" +
    "sender.phone, sender.province, sender.city, sender.district, sender.detail, the same with receiver, and\n" +
    "item.name, item.description, item.weight, item.value, item.quantity. Cells are parted by commas,\n" +
    "semicolons or tabs; an Excel sheet is saved as CSV UTF-8 first.\n\n" +
    "Every row is checked before anything is sent. A journal beside the file keeps what became of each row:\n" +
    "after a lost connection, Ctrl-C or a crash, run the same command again and it goes on where it was.\n" +
    "Rows that were created are not sent again, and neither are the same rows in another file.\n\n" +
    "Refused rows: mend them in the file of --rejects and import that, or mend them in the file itself and run\n" +
    "the same command again. After exit 5, 6 or 130 the same command goes on where it was.",
  arguments: {
    file: textArgument("the file; - for stdin, which needs --journal, as a named pipe does", {
      values: "file",
    }),
  },
  options,
  hasRows: true,
  confirms: true,
  examples: [
    { line: "orders import orders.csv --check", note: "find mistakes before anything is sent" },
    {
      line: "orders import orders.csv --rejects rejects.csv",
      note: "send them; the refused ones come out as a file, with what was wrong",
    },
    { line: "orders import rejects.csv", note: "the refused ones, once they are mended in that file" },
    {
      line: 'orders import shop.csv --map "Ship Name=receiver.name" --sender @shop --save-map shop',
      note: "a shop's own export; the next time --use-map shop will do",
    },
  ],
  exits: [0, 2, 3, 5, 6, 130],
  seeAlso: ["orders list", "orders export", "addresses add"],
  async run(input, context): Promise<Output> {
    const { file, check } = input;
    const retryRefused = input.retryRefused === true;
    if (input.rejects !== undefined && path.resolve(input.rejects) === path.resolve(file)) {
      throw usageError("the file of --rejects is the one that is imported", "give it another name");
    }
    const journalPath = await findJournalPath(input);
    if (check) return checkFile(input, journalPath, context);
    if (journalPath === undefined) {
      const name = file === "-" ? "stdin" : file;
      throw usageError(
        `an import from ${name} needs a place for its journal`,
        "give one with --journal PATH",
      );
    }
    await ensureCanConfirm(context);
    context.defer(await context.lock(journalPath, "the journal"));
    const source = await openSource(input, context);
    const identity = identify(await context.account());
    await importAlone(identity, file === "-" ? journalPath : path.resolve(file), context);
    const journal = await openJournal(journalPath, identity, source.facts.fingerprint);
    context.defer(() => journal.close());
    const others = openOtherOrders(journalPath, identity, context);
    const compared = input.allowDuplicate === true ? undefined : others;
    const plan = await planImport(source, journal, { others: compared, retryRefused }, context);
    summarise(plan, identity, context);
    await settleTwins(plan.twins, context);
    const rejects = await openRejects(input.rejects, source, plan);
    if (rejects) context.defer(rejects.abandon);
    if (plan.toSend + plan.open > 0) {
      await checkBudget(plan.toSend + plan.open, await context.service(), context);
      await confirmOrStop(context, question(plan, identity.account));
      await rememberJournal(context.journals, identity.account, journalPath);
    }
    const settings = { concurrency: input.concurrency ?? 4, ratePerSecond: input.rate, retryRefused };
    const readBy = readingOptions.filter((name) => input[name] !== undefined).map(flagOf);
    return runImport({ source, plan, journal, others, settings, readBy, rejects }, context);
  },
});

/** Without them the rows of a file of rejects would not be what they were. */
const readingOptions = ["map", "useMap", "sender"] as const;

type Input = OptionValues<typeof options> & { readonly file: string };

/** Without links, so that one journal has one name; undefined for stdin and for a pipe without `--journal`. */
async function findJournalPath({ file, journal }: Input): Promise<string | undefined> {
  if (journal === undefined && (await isPassing(file))) return undefined;
  const given = journal ?? `${file}.journal.ndjson`;
  return findRealPath(given).catch(() => path.resolve(given)); // what opens it tells what is wrong
}

function identify(account: ActiveAccount): JournalIdentity {
  return {
    account: account.name,
    base_url: account.kind === "sandbox" ? "sandbox" : account.baseUrl,
  };
}

/** Compares with what was imported before, where there is an account and so something to compare with. */
async function checkFile(input: Input, journalPath: string | undefined, context: Context): Promise<Output> {
  const source = await openSource(input, context);
  const account = await context.account().catch((error) => {
    const isNamed = context.globals.account !== undefined;
    if (error instanceof CourierError && error.code === "no_account" && !isNamed) return undefined;
    throw error;
  });
  const identity = account && identify(account);
  const journal = identity && journalPath ? await viewJournal(journalPath, identity) : undefined;
  if (journal) context.defer(journal.close);
  const compares = identity !== undefined && input.allowDuplicate !== true;
  const others = compares ? openOtherOrders(journalPath, identity, context) : undefined;
  const plan = await planImport(
    source,
    journal,
    { others, retryRefused: input.retryRefused === true },
    context,
  );
  const [twin] = plan.twins;
  if (twin) throw duplicates(twin);
  const comparison = compares
    ? `none of the account ${identity.account} has a row of this file`
    : `not compared: ${identity ? "--allow-duplicate was given" : "there is no account"}`;
  return document(toSummary(plan, compares ? identity.account : undefined), () =>
    checkView(plan, comparison),
  );
}

async function openRejects(file: string | undefined, { facts }: RowsOptions, { overview }: ImportPlan) {
  if (file === undefined) return undefined;
  const { csvRecord } = await import("../terminal/csv.ts");
  return createRejects({ path: file, facts, header: overview.header, csvRecord });
}

function question({ toSend, open }: ImportPlan, account: string): string {
  const lost = open > 0 ? `, after looking for ${open} whose answer was lost` : "";
  return `Create ${toSend} ${toSend === 1 ? "order" : "orders"} with the account ${account}${lost}?`;
}
