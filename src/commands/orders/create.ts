/** Owns `courier orders create`: one order from flags, a file, or both (specification, 4.2). */

import { ServiceFailure } from "../../api/failure.ts";
import { type CourierError, usageError } from "../../core/errors.ts";
import type { Draft } from "../../model/draft.ts";
import { type CreatedOrder, createdOrderSchema, orderDetailSchema } from "../../model/interface.ts";
import { fieldNames } from "../../model/schema.ts";
import {
  type Block,
  blank,
  fields,
  instant,
  line,
  otherFields,
  show,
  state,
  styled,
} from "../../terminal/blocks.ts";
import { defineCommand, document } from "../command.ts";
import { switchOption, textOption } from "../options.ts";
import { draftFlags, mergeDraft, nameField } from "./draft-flags.ts";
import { parseOrderFile } from "./order-file.ts";
import { sendOrder } from "./send.ts";

export const createOrder = defineCommand({
  name: "create",
  summary: "Create an order from flags, a JSON file, or both",
  description:
    "Flags win over the file. Fields that are not given are not sent: the service decides what it needs.\n" +
    "If the answer is lost on its way, courier looks for the order before it says anything, and never\n" +
    "sends it twice.",
  arguments: {},
  options: {
    file: textOption("FILE", "a JSON file with sender, receiver, item, service_type; - for stdin"),
    dryRun: switchOption("print the body that would be sent, and send nothing"),
    ...draftFlags,
  },
  examples: [
    { line: "orders create --file order.json", note: "an order from a file (examples/order.json shows one)" },
    {
      line: "orders create --file order.json --receiver-phone 13800138000",
      note: "the same with another phone number",
    },
    { line: "orders create --file - --json < order.json | jq -r .tracking_number", note: "in a pipeline" },
  ],
  async run({ file, dryRun, ...flags }, context) {
    const fileName = file === "-" ? "stdin" : file;
    const fromFile =
      file === undefined ? undefined : parseOrderFile(await context.readText(file), fileName ?? file);
    const draft = mergeDraft(fromFile, flags);
    checkParts(draft, fileName);
    if (dryRun) return document(draft, (body) => [{ kind: "json", value: body }]);
    const service = await context.service();
    try {
      return document(await sendOrder(draft, service, context), createdView);
    } catch (error) {
      throw error instanceof ServiceFailure ? nameRefusedField(error, flags, fileName) : error;
    }
  },
});

/** 4.2: sender, receiver and item are required; what must be inside them is not specified. */
function checkParts(draft: Draft, fileName: string | undefined): void {
  const missing = (["sender", "receiver", "item"] as const).filter((part) => draft[part] === undefined);
  if (missing.length === 0) return;
  const flags = missing.map((part) => `--${part}-name …`).join(" ");
  throw usageError(
    `the order has no ${missing.join(", no ")}${fileName === undefined ? "" : ` (neither in ${fileName} nor as flags)`}`,
    `give ${flags}, or a whole order with --file order.json`,
  );
}

/** Section 7: a refused field comes as a path such as `sender.phone`; the user gave it as a flag or in a file. */
function nameRefusedField(
  failure: ServiceFailure,
  flags: Readonly<Record<string, unknown>>,
  fileName: string | undefined,
): CourierError {
  const details = failure.details;
  const field =
    typeof details === "object" && details !== null && "field" in details && typeof details.field === "string"
      ? details.field
      : undefined;
  if (field === undefined) return failure;
  const name = nameField(field, flags, fileName) ?? field;
  return failure.with({
    message: failure.message.replace(/^the service refused/, `the service refused ${name}`),
  });
}

/** An order that had to be looked up comes as a detail, with more fields than a creation result. */
const knownFields = [...fieldNames(createdOrderSchema), ...fieldNames(orderDetailSchema)];

function createdView(order: CreatedOrder): readonly Block[] {
  const next = [
    ...(order.tracking_number
      ? [["  Follow it", styled("accent", `courier track ${order.tracking_number}`)] as const]
      : []),
    ["  See it", styled("accent", `courier orders show ${order.id.value}`)] as const,
    ["  Cancel it", styled("accent", `courier orders cancel ${order.id.value}`)] as const,
  ];
  return [
    line(styled("good", "Order created")),
    fields(
      ["Order", styled("strong", order.id)],
      ["Order number", show(order.order_no)],
      ["Tracking number", styled("strong", order.tracking_number)],
      ["State", state(order.status)],
      ["Estimated fee", show(order.estimated_fee)],
      ["Created", instant(order.created_at)],
    ),
    ...otherFields(order, knownFields),
    blank,
    fields(...next),
  ];
}
