/** Owns `courier orders import`: many orders from a spreadsheet, each created exactly once (4.2 to 4.4). */

import path from "node:path";
import { parseMapping } from "../../bulk/columns.ts";
import { openJournal } from "../../bulk/journal.ts";
import { createRejects } from "../../bulk/rejects.ts";
import { inspectSource } from "../../bulk/source.ts";
import { defaultSender, findParty, parseAlias } from "../../config/address-book.ts";
import { rememberJournal } from "../../config/journals.ts";
import { usageError } from "../../core/errors.ts";
import { checkBudget } from "../budget.ts";
import {
  type Context,
  confirmOrStop,
  defineCommand,
  document,
  ensureCanConfirm,
  type Output,
  rows,
} from "../command.ts";
import {
  countOption,
  listOption,
  type OptionValues,
  switchOption,
  textArgument,
  textOption,
} from "../options.ts";
import { checkRows } from "./import-input.ts";
import { openOtherOrders } from "./import-others.ts";
import { type ImportPlan, overviewView, planImport, summarise, toSummary } from "./import-plan.ts";
import { reportColumns, runImport } from "./import-run.ts";

const options = {
  map: listOption(
    "COLUMN=FIELD",
    'a column of the file is this field: "Ship Name=receiver.name" (repeatable)',
    parseMapping,
  ),
  useMap: textOption("NAME", "column names that were saved"),
  saveMap: textOption("NAME", "save the column names that --map gives"),
  sender: textOption("@NAME", "the sender of rows that have none, from the address book"),
  check: switchOption("check every row, and send nothing"),
  concurrency: countOption("N", "rows sent at once (default 4)", { min: 1, max: 64 }),
  rate: countOption("N", "send at most N rows a second", { min: 1, max: 1_000 }),
  journal: textOption("PATH", "where the journal is kept (default: FILE.journal.ndjson)"),
  retryRefused: switchOption("send rows again that were refused before, although they have not changed"),
  rejects: textOption("FILE", "write refused rows to a file, in the input's form, with what was wrong"),
  allowDuplicate: switchOption("send rows although another import created orders of the same ref"),
} as const;

export const importOrders = defineCommand({
  description:
    "The first line of a CSV file names its columns: ref, sender.name, receiver.phone, item.quantity and so\n" +
    "on, or their usual English or Chinese names. Every row is checked before anything is sent. A journal\n" +
    "beside the file keeps what became of each row: after a lost connection, Ctrl-C or a crash, run the same\n" +
    "command again and it goes on where it was. Refused rows: mend the file of --rejects and import that,\n" +
    "or mend the file itself and run the same command again.",
  arguments: { file: textArgument("the file; - for stdin, together with --journal") },
  options,
  hasRows: true,
  confirms: true,
  examples: [
    { line: "orders import orders.csv --check", note: "is every row right?" },
    {
      line: "orders import orders.csv --rejects rejects.csv",
      note: "send them; the refused ones come out as a file",
    },
    {
      line: 'orders import shop.csv --map "Ship Name=receiver.name" --sender @shop',
      note: "a shop's own export",
    },
  ],
  exits: [0, 2, 3, 5, 6, 130],
  seeAlso: ["orders list", "orders export", "addresses add"],
  async run(input, context): Promise<Output> {
    const { file, check } = input;
    const retryRefused = input.retryRefused === true;
    const name = file === "-" ? "stdin" : file;
    if (input.rejects !== undefined && path.resolve(input.rejects) === path.resolve(file)) {
      throw usageError("the file of --rejects is the one that is imported", "give it another name");
    }
    const journalPath = path.resolve(input.journal ?? `${file}.journal.ndjson`);
    if (file === "-" && input.journal === undefined) {
      throw usageError("an import from stdin needs a place for its journal", "give one with --journal PATH");
    }
    if (!check) await ensureCanConfirm(context);
    if (!check || file === "-") context.defer(await context.lock(journalPath, "the journal"));
    const filePath = file === "-" ? await context.spool(`${journalPath}.input`) : file;
    const source = {
      path: filePath,
      name,
      facts: await inspectSource(filePath, name),
      mapping: await chooseMapping(input, context),
      sender: await findSender(input.sender, context),
    };
    if (check) {
      const overview = await checkRows(source, async () => {}, context);
      return document(toSummary(overview), overviewView);
    }
    const account = await context.account();
    const identity = {
      account: account.name,
      base_url: account.kind === "sandbox" ? "sandbox" : account.baseUrl,
    };
    const journal = await openJournal(journalPath, identity, source.facts.fingerprint);
    context.defer(() => journal.close());
    const others = openOtherOrders(journalPath, identity, context);
    const plan = await planImport(
      source,
      journal,
      { others: input.allowDuplicate === true ? undefined : others, retryRefused },
      context,
    );
    summarise(plan, identity, context);
    if (plan.toSend + plan.open > 0) {
      await checkBudget(plan.toSend + plan.open, await context.service(), context);
      await confirmOrStop(context, question(plan, identity.account));
      await rememberJournal(context.journals, identity.account, journalPath);
    }
    const { csvRecord } = await import("../../terminal/csv.ts");
    const rejects =
      input.rejects === undefined
        ? undefined
        : createRejects({
            path: input.rejects,
            form: source.facts.form,
            header: () => plan.overview.header,
            csvRecord,
          });
    const settings = {
      concurrency: input.concurrency ?? 4,
      ratePerSecond: input.rate,
      retryRefused,
    };
    const run = { settings, rejects, rejectsPath: input.rejects, others };
    return rows(runImport(source, plan, journal, run, context), reportColumns, "No rows");
  },
});

type Input = OptionValues<typeof options>;

function question({ toSend, open }: ImportPlan, account: string): string {
  const lost = open > 0 ? `, after looking for ${open} whose answer was lost` : "";
  return `Create ${toSend} ${toSend === 1 ? "order" : "orders"} with the account ${account}${lost}?`;
}

async function findSender(alias: string | undefined, context: Context) {
  if (alias === undefined) return defaultSender(await context.config.read());
  if (!alias.startsWith("@"))
    throw usageError(`--sender takes a name from the address book such as @shop, not “${alias}”`);
  return findParty(await context.config.read(), parseAlias(alias));
}

/** Saved column names, with those of `--map` over them. */
async function chooseMapping(
  { map = [], useMap, saveMap }: Input,
  context: Context,
): Promise<ReadonlyMap<string, string>> {
  const { maps } = await context.config.read();
  const saved = useMap !== undefined && Object.hasOwn(maps, useMap) ? maps[useMap] : undefined;
  if (useMap !== undefined && !saved) {
    throw usageError(
      `there are no column names saved as ${useMap}`,
      `saved: ${Object.keys(maps).join(", ") || "none yet"}`,
    );
  }
  const mapping = { ...saved, ...Object.fromEntries(map.map(({ header, path }) => [header, path])) };
  if (saveMap !== undefined) {
    const name = parseAlias(saveMap);
    await context.config.update((config) => ({ ...config, maps: { ...config.maps, [name]: mapping } }));
  }
  return new Map(Object.entries(mapping));
}
