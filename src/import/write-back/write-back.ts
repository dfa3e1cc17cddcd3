/** `courier orders write-back`: tracking numbers into the sheet that was imported, later and without sending anything. */

import { ServiceFailure, saysNoSuchOrder } from "../../api/failure.ts";
import { checkApiQuota } from "../../command/api-quota.ts";
import { type Context, defineCommand, document, type Output } from "../../command/command.ts";
import { findCustomerOfOwnOrders } from "../../command/customer-of-key.ts";
import { switchOption, textArgument, textOption } from "../../command/options.ts";
import { ensureWritableName } from "../../command/output-name.ts";
import { mapInOrder } from "../../core/concurrent.ts";
import { usageError } from "../../core/errors.ts";
import { byCount, counted } from "../../core/wording.ts";
import type { OrderDetail } from "../../model/interface.ts";
import type { WrittenBack } from "../../model/results.ts";
import { readOwner } from "../../sending/another-order.ts";
import type { SheetRow } from "../../sheets/sheet.ts";
import { type Block, fields, instant } from "../../terminal/blocks.ts";
import { checkRows, type Overview } from "../check-rows.ts";
import { identifyFile, readFacts } from "../file-identity.ts";
import { createPolicy } from "../import-plan.ts";
import { openSource, type Source } from "../import-source.ts";
import { ensurePromisedForm } from "../promised-form.ts";
import { readAgainOptions } from "../read-options.ts";
import { readRows } from "../rows.ts";
import { untilAborted } from "../until-aborted.ts";
import { statesOfLedger } from "./import-sheet.ts";
import type { KnownRows } from "./row-notes.ts";
import type { ReadStates, Seen } from "./row-order.ts";
import { type FilledRows, fillRows } from "./row-values.ts";
import { findNumber, formNames, formRecords, isInForm, parseForm, type ShopForm } from "./shop-forms.ts";
import { createNumberReader } from "./titles.ts";
import { chooseTarget, openSheetOutput } from "./write-sheet.ts";

export const writeBackOrders = defineCommand({
  description:
    "Adds columns to the sheet: tracking number, order number, state, estimated fee and error, on every line of an\n" +
    "order; all else stays as it is. Give the flags with which the sheet was imported. Its rows are known again as an\n" +
    "import knows them, by their refs or their content, and nothing is sent. Rows of which this machine knows no order\n" +
    "are left as they are, and counted. States are those that this machine saw last; --refresh asks the service, with\n" +
    "one call for each order.",
  arguments: {
    // The option --sheet has the other name.
    file: { ...textArgument("the sheet that was imported; - for stdin", { values: "file" }), usage: "SHEET" },
  },
  options: {
    output: textOption("FILE", "the new file, in the form of the sheet", { short: "o", values: "file" }),
    inPlace: switchOption("write the columns into the sheet itself; SHEET.bak keeps the old one"),
    refresh: switchOption("ask the service for the states of all orders"),
    form: {
      placeholder: "NAME",
      summary: `write the file that people upload to this shop instead of the sheet: ${formNames.join(", ")}`,
      parse: parseForm,
      candidates: formNames.map((value) => ({ value })),
    },
    carrier: textOption("NAME", "with --form: the name of this courier, as the shop lists it"),
    ...readAgainOptions,
  },
  confirms: true,
  examples: [
    { line: "orders write-back orders.xlsx -o shipped.xlsx", note: "a copy with the tracking numbers" },
    {
      line: "orders write-back orders.csv --in-place --refresh",
      note: "the sheet itself, with states of now",
    },
  ],
  exits: [5],
  seeAlso: ["orders import", "orders export"],
  async run({ file, output, inPlace, refresh, form, carrier, ...choice }, context): Promise<Output> {
    const upload = chooseUpload({ form, carrier, inPlace });
    const target = await chooseTarget({ sheet: file, flag: "-o", output, inPlace }, context);
    if (!target)
      throw usageError(
        "it is not said where the sheet is written",
        "add -o NEW for a new file, or --in-place for the sheet itself",
      );
    const source = untilAborted(await openSource({ ...choice, file }, context), context.signal);
    const overview = await checkRows(source, context);
    const known = await findCustomerOfOwnOrders(context);
    if (!known)
      throw usageError(
        `this machine has sent no orders with the account ${(await context.account()).name}`,
        (await hasNumbers(source, overview))
          ? "the sheet has tracking numbers: its rows may be shipped; write it back on the machine and with the account that sent them"
          : `${context.nextCommand("orders import SHEET --write-back NEW")} sends them, and writes the sheet`,
      );
    const { id: customer } = known;
    const ledger = await context.ledger();
    const sheet = upload
      ? await openUpload(target.file, upload, context)
      : await openSheetOutput(source, target, "-o", context);
    context.addCleanup(sheet.abandon);
    const files = await ledger.findFiles(customer, await identifyFile({ file }, source, overview));
    const policy = createPolicy({ retryRefused: false, skipShipped: false, duplicates: [] }, overview, false);
    const rows = {
      ledger,
      customer,
      file: await readFacts(source, overview, files, { ledger, customer }),
      policy,
    };
    const readStates = refresh ? statesOfService(rows, context) : await statesOfLedger(rows, context);
    const numberOf = upload && findNumber(upload.form, overview.header);
    const options = { afterImport: false, readStates, ...(numberOf ? { numberOf } : {}) };
    const filled = await fillRows(source, overview, rows, options, context);
    await sheet.write(filled);
    if (filled.senderless > 0)
      context.messages.warn(
        `${counted(filled.senderless, "row")} ${byCount(filled.senderless, "has", "have")} no sender, so it is not known which ${byCount(filled.senderless, "order it is", "orders they are")}: give --sender as at the import`,
      );
    const changed = filled.orders.filter(({ isChanged }) => isChanged).length;
    if (upload) noteLeftOut(filled, upload, target.file, context);
    const { orders, notCreated, wrong, misfits, inDoubt, unknown, statesFromMs } = filled;
    const result = {
      file: target.file,
      kept: sheet.kept ?? null,
      orders: orders.length,
      tracking_numbers: orders.filter(upload ? isInForm : ({ isNumbered }) => isNumbered).length,
      changed,
      not_created: notCreated,
      in_doubt: inDoubt,
      unknown: unknown + wrong + misfits,
      states_from: statesFromMs === undefined ? null : new Date(statesFromMs).toISOString(),
    };
    return document(result, view);
  },
});

/** The form has a part of the sheet's orders. */
function noteLeftOut({ orders }: FilledRows, { form }: Upload, file: string, { messages }: Context): void {
  const changed = orders.filter(({ isChanged }) => isChanged).length;
  const unwanted = orders.filter(({ isChanged, isUnwanted }) => isUnwanted && !isChanged).length;
  if (changed > 0)
    messages.warn(
      `${counted(changed, "changed order")} left out of ${file}: the sheet has other values than were sent with the same ref`,
    );
  if (unwanted > 0)
    messages.warn(
      `${counted(unwanted, "order")} left out of ${file}: the sheet says not to send ${byCount(unwanted, "it", "them")}`,
    );
  if (form.note) messages.note(form.note);
}

/** Whether a row has the tracking number of an earlier write-back. */
async function hasNumbers(source: Source, { header }: Overview): Promise<boolean> {
  const readNumbers = createNumberReader(header, ["tracking_number"]);
  let isFound = false;
  const onLine = ({ cells }: SheetRow) => {
    isFound ||= readNumbers([cells]).length > 0;
  };
  for await (const _ of readRows({ ...source, onLine })) if (isFound) break;
  return isFound;
}

interface Upload {
  readonly form: ShopForm;
  readonly carrier: string;
}

function chooseUpload({
  form,
  carrier,
  inPlace,
}: {
  readonly form: ShopForm | undefined;
  readonly carrier: string | undefined;
  readonly inPlace: boolean | undefined;
}): Upload | undefined {
  if (!form) {
    if (carrier === undefined) return undefined;
    throw usageError("--carrier is for --form, which is not given", "leave it out, or add --form NAME");
  }
  if (inPlace) throw usageError("--form writes a file of its own, and not in place", "use -o NEW.csv");
  if (carrier !== undefined) return { form, carrier };
  throw usageError(
    `--form ${form.name} has a column with the courier's name`,
    "add --carrier with the name that the shop lists for this courier",
  );
}

/** The file for the shop in the place of the sheet. */
async function openUpload(file: string, { form, carrier }: Upload, context: Context) {
  ensureWritableName("-o", file);
  ensurePromisedForm("-o", file, `--form ${form.name}`, "csv");
  const output = await context.openOutput(file, { flag: "-o" });
  return {
    kept: undefined,
    async write({ orders }: FilledRows) {
      const { csvRecord } = await import("../../terminal/csv.ts");
      try {
        for (const record of formRecords(form, orders, carrier)) await output.write(csvRecord(record));
        await output.finish();
      } catch (error) {
        await output.abandon().catch(() => {});
        throw error;
      }
    },
    abandon: output.abandon,
  };
}

const readsAtOnce = 8;

/** An order that the service does not show keeps what the ledger knows of it. */
function statesOfService(known: Pick<KnownRows, "customer" | "ledger">, context: Context): ReadStates {
  return async (ids) => {
    const service = await context.service();
    await checkApiQuota(ids.length, service, context);
    const meter = context.meter();
    const read = async (id: string): Promise<OrderDetail | undefined> =>
      service.order(id).catch((error) => {
        if (saysNoSuchOrder(error)) return undefined;
        if (!(error instanceof ServiceFailure)) throw error;
        throw error.with({
          message: `order ${id} could not be read, and the sheet is as it was: ${error.message}`,
          hint: error.hintBefore("run the same command again"),
        });
      });
    // Of an order that the service no longer shows, the last that it showed.
    const before = await (await statesOfLedger(known, context))(ids);
    const states = new Map<string, Seen>();
    for (const id of ids) {
      const last = before.get(id);
      if (last) states.set(id, last);
    }
    let [seen, unshown] = [0, 0];
    try {
      for await (const order of mapInOrder(ids, readsAtOnce, read)) {
        seen += 1;
        meter.update(() => `${seen} of ${counted(ids.length, "order")}`);
        if (!order) unshown += 1;
        else {
          let isWithdrawn = false;
          const { other } = await readOwner(order, {
            ...known,
            clock: context.clock,
            warn: context.messages.warn,
            nextCommand: context.nextCommand,
            onWithdrawn: () => {
              isWithdrawn = true;
            },
          });
          states.set(order.id.value, {
            other,
            isWithdrawn,
            isRead: true,
            status: order.status ?? undefined,
            trackingNumber: order.tracking_number || undefined,
            orderNumber: order.order_no || undefined,
            seenAtMs: context.clock.now(),
          });
        }
      }
    } finally {
      meter.end();
    }
    if (unshown > 0)
      context.messages.warn(
        `the service does not show ${counted(unshown, "order")}: what this machine knows of ${byCount(unshown, "it", "them")} is used`,
      );
    return states;
  };
}

function view(result: WrittenBack): readonly Block[] {
  const { file, kept, orders, tracking_numbers, changed, not_created, in_doubt, unknown, states_from } =
    result;
  return [
    fields(
      ["Sheet", file],
      ...(kept === null ? [] : ([["Old sheet", kept]] as const)),
      ["Orders", String(orders)],
      ["Tracking numbers", String(tracking_numbers)],
      ...(changed === 0 ? [] : ([["Made from other values", String(changed)]] as const)),
      ["Not created", String(not_created)],
      ["In doubt", String(in_doubt)],
      ["Not known here", String(unknown)],
      ...(states_from === null ? [] : ([["States as of", instant(states_from)]] as const)),
    ),
  ];
}
