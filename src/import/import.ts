/** `courier orders import`: many orders from a spreadsheet, each created exactly once (4.2 to 4.4). */

import { ServiceFailure } from "../api/failure.ts";
import { checkApiQuota } from "../command/api-quota.ts";
import {
  type Context,
  confirmOrStop,
  defineCommand,
  document,
  ensureCanConfirm,
  type Output,
} from "../command/command.ts";
import { findCustomerOfKey } from "../command/customer-of-key.ts";
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
import { ensureWritableName } from "../command/output-name.ts";
import { ensureReplaces } from "../command/replace.ts";
import { settleOption } from "../command/value-options.ts";
import { CourierError, usageError } from "../core/errors.ts";
import { byCount, counted } from "../core/wording.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Survey } from "../sending/elsewhere.ts";
import { checkRun, releaseDeadRuns } from "../sending/owners.ts";
import { isPassing } from "../sheets/source.ts";
import { checkRows, describeWrong, type Overview } from "./check-rows.ts";
import { checkView, toSummary } from "./check-summary.ts";
import { identifyFile, readFacts } from "./file-identity.ts";
import { findElsewhere } from "./import-elsewhere.ts";
import { runImport } from "./import-output.ts";
import {
  createPolicy,
  describeReading,
  describeSentBefore,
  findUnwanted,
  type ImportPlan,
  type PlanChoice,
  planImport,
  summarise,
} from "./import-plan.ts";
import { openSource, type Source } from "./import-source.ts";
import { ensureNoPdf, ensurePromisedForm } from "./promised-form.ts";
import { flagsOfReading, readOptions } from "./read-options.ts";
import { createRejects } from "./rejects.ts";
import { untilAborted } from "./until-aborted.ts";
import { openSheetAfterImport } from "./write-back/import-sheet.ts";
import { chooseTarget } from "./write-back/write-sheet.ts";

const options = {
  ...readOptions,
  check: switchOption("read every row and compare it with earlier imports, and send nothing"),
  skipWrong: switchOption("leave out rows that are wrong, and send the others"),
  concurrency: countOption("N", "rows sent at once (default 4)", { min: 1, max: 64 }),
  keepGoing: switchOption("do not stop when 20 rows in a row are refused for the same reason"),
  rate: countOption("N", "send at most N rows a second", { min: 1, max: 1_000 }),
  settle: settleOption,
  retryRefused: switchOption("send unchanged rows again that were refused before"),
  rejects: textOption(
    "FILE",
    "write refused and wrong rows to a file, in the form of the input (CSV for .xlsx), in UTF-8, with the errors",
    {
      values: "file",
    },
  ),
  writeBack: textOption(
    "FILE",
    "write the sheet again with what became of its rows: tracking and order numbers, states, fees, errors",
    { values: "file" },
  ),
  inPlace: switchOption("write these columns into the sheet itself; FILE.bak keeps the old one"),
  skipShipped: switchOption(
    "count rows that equal an order of another file or command, or have an order's number, as shipped",
  ),
  skipChanged: switchOption(
    "accept rows that were edited since they were shipped: nothing is sent, exit code 0",
  ),
  allowDuplicate: listOption(
    "ROWS",
    "ship these rows although an equal order is known: refs or row numbers, 1001,row:17 (repeatable)",
    parseRowNames,
  ),
} as const;

/** `1001,row:17`. */
function parseRowNames(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (!names.includes("")) return names;
  throw usageError(
    `--allow-duplicate takes refs or row numbers, for example 1001,row:17, not ${quote(text)}`,
  );
}

export const importOrders = defineCommand({
  description:
    "The first line of a CSV file names its columns, by these fields or by their usual English or Chinese\n" +
    "names such as Recipient Phone or 收件人电话: ref (your own order number), service_type, sender.name,\n" +
    "sender.phone, sender.province, sender.city, sender.district, sender.detail, the same with receiver, and\n" +
    "item.name, item.description, item.weight, item.value, item.quantity. receiver.address is split into province,\n" +
    "city, district and street, receiver.region into those above the street, receiver.text into all fields of the\n" +
    "receiver. Cells are separated by commas, semicolons or tabs. An Excel workbook (.xlsx) is read as it is: the first row of its sheet names the columns,\n" +
    "and reports name rows by their numbers in the sheet.\n\n" +
    "The order exports of Shopify, WooCommerce, eBay, Etsy, Amazon, Taobao, JD, Pinduoduo, Douyin, Xiaohongshu,\n" +
    "Youzan, Weidian and 1688, and batch sheets of couriers, are known by their headers: several lines of one order\n" +
    "are one order, and orders that are fulfilled, refunded, cancelled or picked up are not sent.\n\n" +
    "What the columns of an unknown header are is asked once at a terminal, and kept for files with that header\n" +
    "(courier maps); elsewhere one error names all columns in doubt, with the flags to give. A wrong row stops the\n" +
    "import, unless --skip-wrong leaves it out.\n\n" +
    "Every row is checked before anything is sent, and recorded in the ledger of this machine before it leaves.\n" +
    "After a lost connection, Ctrl-C or a crash, run the same command again: it continues where it stopped. Rows\n" +
    "that were shipped are skipped, in a longer export of the next day as well: a row is known by its ref, and\n" +
    "without one by its place among equal rows of the same file. Several processes share the rows of one file.\n\n" +
    "Refused or wrong rows: fix them in the file of --rejects and import that, or fix them in the file itself and run\n" +
    "the same command again. A row that equals an order of another file or command is held and not sent.",
  arguments: {
    file: textArgument("the file with the orders; - for stdin", {
      values: "file",
    }),
  },
  options,
  confirms: true,
  mentionsDoubt: true,
  examples: [
    { line: "orders import orders.csv --check", note: "find mistakes before anything is sent" },
    {
      line: "orders import orders.csv --rejects rejects.csv",
      note: "send them; refused rows are written to a file, with the errors",
    },
    { line: "orders import rejects.csv", note: "send refused rows after you have fixed them in that file" },
    {
      line: "orders import orders.xlsx --write-back shipped.xlsx",
      note: "send them, and get the sheet with the tracking numbers",
    },
    {
      line: "orders import orders.csv --skip-wrong --rejects rejects.csv",
      note: "send the right rows, and get the wrong ones as a file",
    },
    {
      line: "orders import orders_export.csv --sender @shop",
      note: "the export of a known platform, as it is",
    },
    {
      line: 'orders import shop.csv --map "To=receiver.name" --sender @shop --save-map shop',
      note: "the export of another shop; next time, use --use-map shop",
    },
  ],
  exits: [0, 2, 3, 4, 5, 6, 130],
  seeAlso: ["orders write-back", "orders list", "orders export", "addresses add"],
  async run(input, context): Promise<Output> {
    const { file, check } = input;
    ensureReplaces(input.replace, input.saveMap, "saveMap");
    if (input.rejects !== undefined) await checkRejects(input.rejects, file, context);
    const target = await chooseSheetTarget(input, context);
    if (check) return checkFile(input, context);
    const sending = `sending the orders of ${file === "-" ? "stdin" : file}`;
    if (await isPassing(file)) await ensureCanConfirm(context, sending); // before it waits for the writer
    const opened = await openInput(input, context);
    const source = untilAborted(opened, context.signal);
    await ensureCanConfirm(context, sending); // a file that is missing is the first thing to say
    const overview = await checkRows(source, context);
    await ensureMaySkip(input, source, overview, context);
    const ledger = await context.ledger();
    const { id: customer } = await context.customer({ isFresh: true }).catch(async (error) => {
      throw await withDoubts(error, ledger, context);
    });
    const releaseDead = () => releaseDeadRuns(ledger, customer, context);
    await releaseDead();
    const identity = await identifyFile(input, source, overview);
    const choice = chooseOf(input);
    const lookup = { ledger, customer, settleMs: input.settle };
    const others = new Map<string, string>();
    const hasTerminal = (await context.prompts()) !== undefined;
    const undone = await ledger.findUndone(customer);
    const earlier = await ledger.findFiles(customer, identity);
    const openRows = new Set<number>();
    const decideRows = async (before?: Survey) => {
      const { survey, known } = await findElsewhere(source, overview, { ...lookup, others, before }, context);
      const wasInDoubt = ({ row }: { readonly row: number }) => openRows.has(row);
      const policy = { ...createPolicy(choice, overview, hasTerminal), ...known, undone, wasInDoubt };
      const file = await readFacts(source, overview, earlier, lookup);
      const plan = await planImport(source, overview, policy, { ledger, customer, file }, context);
      for (const row of plan.allowedInDoubt) openRows.add(row);
      return { survey, policy, plan };
    };
    let decided = await decideRows();
    const { plan } = decided;
    summarise(plan, source.name, (await context.account()).name, context);
    const rejects = await openRejects(input.rejects, source, plan, context);
    if (rejects) context.addCleanup(rejects.abandon);
    const sheet = await openSheetAfterImport(opened, overview, target, flagsOfReading(input), context);
    const resent = await askAboutUndone(plan, context);
    const toSend = plan.toSend + resent.size;
    const inDoubt = plan.unknown + plan.heldByDoubt - plan.unwanted;
    if (toSend + inDoubt > 0) {
      const planned = await findPlannedCalls(ledger, customer, context);
      await checkApiQuota(toSend + inDoubt, await context.service(), context, { planned });
      const asked = question(toSend, inDoubt, (await context.account()).name);
      // Another machine may have sent some of the rows meanwhile.
      if (await confirmOrStop(context, asked)) decided = await decideRows(decided.survey);
    }
    const run = await context.beginRun({ command: "orders import", source: identity.path || "-" });
    await ledger.planCalls(run.number, toSend + inDoubt);
    const facts = await readFacts(source, overview, [await ledger.openFile(run, identity)], lookup);
    const settings = { concurrency: input.concurrency ?? 4, ratePerSecond: input.rate };
    const readBy = readingOptions.filter((name) => input[name] !== undefined).map(flagOf);
    const tools = {
      ledger,
      run,
      file: facts,
      policy: { ...decided.policy, rewritten: decided.plan.rewritten, resent },
      releaseDead,
      found: decided.survey.found,
    };
    const skipsChanged = input.skipChanged === true;
    const keepsGoing = input.keepGoing === true;
    const settleMs = input.settle;
    return runImport(
      {
        source: opened,
        plan: decided.plan,
        tools,
        settings,
        skipsChanged,
        keepsGoing,
        settleMs,
        readBy,
        rejects,
        sheet,
        comparedMs: decided.survey.comparedMs,
        others,
      },
      context,
    );
  },
});

/** Where the service cannot be reached, says what earlier runs may have sent. */
async function withDoubts(error: unknown, ledger: Ledger, context: Context): Promise<unknown> {
  if (!(error instanceof ServiceFailure) || error.exit !== 5 || context.signal.aborted) return error;
  const known = await context.knownCustomer();
  const open = known ? await ledger.openOperations(known.id) : [];
  const count = open.filter(
    ({ operation: { kind, state } }) => kind === "create" && state === "unknown",
  ).length;
  const doubts =
    count > 0
      ? `; ${counted(count, "order")} of earlier runs ${byCount(count, "is", "are")} in doubt: ${context.nextCommand("orders resolve")}`
      : "";
  return error.with({ message: `${error.message}; nothing was sent${doubts}` });
}

/** A file of rejects must be read with the same flags. */
const readingOptions = ["map", "useMap", "platform", "includeFulfilled", "sender", "shop"] as const;

type Input = OptionValues<typeof options> & { readonly file: string };

function chooseOf(input: Input): PlanChoice {
  return {
    retryRefused: input.retryRefused === true,
    skipShipped: input.skipShipped === true,
    duplicates: (input.allowDuplicate ?? []).flat(),
  };
}

/** Rows that are wrong are left out only where that is said. */
async function ensureMaySkip(
  { skipWrong }: Input,
  source: Source,
  overview: Overview,
  context: Context,
): Promise<void> {
  const { rows, wrong } = overview;
  if (wrong.wrong === 0) return;
  if (skipWrong && rows > 0) return;
  const prompts = context.globals.yes || rows === 0 ? undefined : await context.prompts();
  if (!prompts) for (const note of describeReading(overview, source.name)) context.messages.note(note);
  const refusal = await describeWrong(source, overview, context);
  const reason = overview.spoiled.size > 0 ? "wrong, or part of a wrong order" : "wrong";
  const question = `${wrong.wrong} of ${counted(wrong.count, overview.noun)} ${byCount(wrong.wrong, "is", "are")} ${reason}. Import the ${counted(rows, "other")}?`;
  if (await prompts?.confirm(question, false)) return;
  await warnOfUnwanted(source, overview, context);
  throw refusal;
}

/** Where the platform hides the receivers of old orders, every export of a day may stop at wrong rows. */
async function warnOfUnwanted(source: Source, overview: Overview, context: Context): Promise<void> {
  const customer = overview.reading.skipped.size > 0 ? await context.knownCustomer() : undefined;
  if (!customer) return;
  const known = { ledger: await context.ledger(), customer: customer.id, shop: source.shop };
  const unwanted = await findUnwanted(source, known, context);
  if (unwanted.length > 0) context.messages.warn(describeSentBefore(unwanted, context.nextCommand));
}

/** Asks once about all undone orders, because they were taken back on purpose. Returns those to ship again. */
async function askAboutUndone({ undone }: ImportPlan, context: Context): Promise<ReadonlySet<string>> {
  const count = undone.size;
  const prompts = count === 0 || context.globals.yes ? undefined : await context.prompts();
  const question = `${counted(count, "order")} of this file ${byCount(count, "was", "were")} undone. Ship ${byCount(count, "it", "them")} again?`;
  return (await prompts?.confirm(question, false)) ? undone : new Set();
}

/** The calls that the customer's other imports are about to make, on all machines that share the ledger. */
async function findPlannedCalls(ledger: Ledger, customer: number, { processes }: Context): Promise<number> {
  const open = await ledger.openRuns();
  const others = open.filter((run) => run.customer === customer && checkRun(run, processes) !== "dead");
  return others.reduce((sum, { callsLeft }) => sum + callsLeft, 0);
}

/** The customer with whose orders a file is compared: none where nothing was sent yet, or where `whyNot` says why. */
interface Compared {
  readonly customer?: number | undefined;
  /** Why it is not known whose orders to compare with. */
  readonly whyNot?: string | undefined;
}

const noAccount: Compared = { whyNot: "there is no account" };

async function findCompared(context: Context): Promise<Compared> {
  try {
    return { customer: (await findCustomerOfKey(context))?.id };
  } catch (error) {
    const isUnknown = error instanceof CourierError && error.code === "customer_unknown";
    if (context.signal.aborted || !(isUnknown || error instanceof ServiceFailure)) throw error;
    context.messages.warn(`the rows were compared with no orders: ${error.message}`);
    return { whyNot: "it is not known which customer this key belongs to" };
  }
}

/** Compares the file with the ledger, where there is an account. */
async function checkFile(input: Input, context: Context): Promise<Output> {
  const source = untilAborted(await openInput(input, context), context.signal);
  const overview = await checkRows(source, context);
  const account = await context.account().catch((error) => {
    const isNamed = context.globals.account !== undefined;
    if (error instanceof CourierError && error.code === "no_account" && !isNamed) return undefined;
    throw error;
  });
  const policy = createPolicy(chooseOf(input), overview, (await context.prompts()) !== undefined);
  const { customer, whyNot } = account ? await findCompared(context) : noAccount;
  const ledger = customer === undefined ? undefined : await context.ledger();
  const identity = await identifyFile(input, source, overview);
  const known =
    ledger && customer !== undefined
      ? {
          ledger,
          customer,
          file: await readFacts(source, overview, await ledger.findFiles(customer, identity), {
            ledger,
            customer,
          }),
        }
      : undefined;
  const plan = await planImport(source, overview, policy, known, context);
  if (plan.sentBefore?.length)
    context.messages.warn(describeSentBefore(plan.sentBefore, context.nextCommand));
  const rejects = await openRejects(input.rejects, source, plan, context);
  await rejects?.abandon(); // the import would fail where it cannot be created
  const comparison =
    account && whyNot === undefined
      ? `the orders sent from this machine with the account ${account.name}`
      : undefined;
  const isWrong = overview.wrong.wrong > 0 && !(input.skipWrong && overview.rows > 0);
  const failure = isWrong ? await describeWrong(source, overview, context) : undefined;
  const summary = document(toSummary(plan, account?.name, comparison !== undefined), () =>
    checkView(plan, comparison, whyNot),
  );
  return failure ? { ...summary, failure } : summary;
}

async function chooseSheetTarget({ file, check, writeBack, inPlace }: Input, context: Context) {
  const choice = { sheet: file, flag: "--write-back", output: writeBack, inPlace };
  const target = await chooseTarget(choice, context);
  if (target && check) throw usageError("--check writes no sheet", "leave --write-back and --in-place out");
  return target;
}

async function checkRejects(rejects: string, file: string, context: Context): Promise<void> {
  await context.checkOutput("--rejects", rejects, file);
  ensureWritableName("--rejects", rejects, { input: file });
  ensureNoPdf("--rejects", rejects);
}

/** Of the form of the input depends what the rejects are written in. */
async function openInput(input: Input, context: Context): Promise<Source> {
  const source = await openSource(input, context);
  const { rejects } = input;
  if (rejects !== undefined) ensurePromisedForm("--rejects", rejects, source.name, source.facts.form);
  return source;
}

async function openRejects(
  file: string | undefined,
  { facts }: Source,
  { overview }: ImportPlan,
  { clock, processes }: Context,
) {
  if (file === undefined) return undefined;
  const { csvRecord } = await import("../terminal/csv.ts");
  return createRejects({ path: file, facts, header: overview.header, csvRecord, clock, processes });
}

function question(toSend: number, unknown: number, account: string): string {
  const lost = unknown > 0 ? `, and up to ${unknown} more, now in doubt, if they were not created` : "";
  return `Create ${counted(toSend, "order")} with the account ${account}${lost}?`;
}
