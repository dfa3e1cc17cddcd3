/** The global options: flags that mean the same for every command. */

import { type Option, quote, switchOption, textOption } from "../command/options.ts";
import { ensureWritableName } from "../command/output-name.ts";
import { usageError } from "../core/errors.ts";
import { parseDuration } from "../core/parse-duration.ts";
import { shellQuote } from "../core/shell-quote.ts";

const longestTimeoutMs = 3_600_000;

const timeoutOption: Option<number> = {
  placeholder: "TIME",
  summary: "give up a call after this long, retries included (default 30s)",
  parse(text, flag) {
    const timeoutMs = parseDuration(text);
    if (timeoutMs !== undefined && timeoutMs > 0 && timeoutMs <= longestTimeoutMs) return timeoutMs;
    throw usageError(`${flag} takes a time such as 90s, at most 1h, not ${quote(text)}`);
  },
};

export const globalOptions = {
  json: switchOption("print one JSON document"),
  ndjson: switchOption("print one JSON object a line, as it arrives"),
  account: textOption("NAME", "the account to use (courier accounts list)", { values: "account" }),
  quiet: switchOption("print nothing but errors and failures to stderr"),
  noInput: switchOption("never ask anything"),
  baseUrl: textOption("URL", "the service's base URL, for this run", { values: "base URL" }),
  debug: switchOption("show the calls to the service, and stacks of errors, on stderr"),
  timeout: timeoutOption,
  noColor: switchOption("no colour"),
} as const;

/** Only for the program itself. */
export const programOptions = {
  help: switchOption("show help", { short: "h" }),
  version: switchOption("print the version, as do -v and courier version", { short: "V" }),
} as const;

/** For every command whose result is objects or rows. */
export const rowOptions = {
  csv: switchOption("print a header line and rows for a spreadsheet"),
  fields: textOption(
    "PATHS",
    "only these fields, in this order; for example id,sender.name; --fields alone lists them (=NAME for one that courier does not know)",
  ),
} as const;

/** Only for commands that ask for a confirmation. */
export const confirmOptions = {
  yes: switchOption("do not ask for confirmation", { short: "y" }),
} as const;

/** Only for commands that export. */
export const exportOptions = {
  output: textOption(
    "FILE",
    "write to a file when it is complete; .csv, .xlsx, .json or .ndjson selects the form; - for stdout",
    {
      short: "o",
      values: "file",
    },
  ),
  bom: switchOption("begin a CSV file with a byte order mark, so that Excel shows Chinese"),
} as const;

/** The values of the global options. */
export interface GlobalValues {
  readonly account: string | undefined;
  readonly baseUrl: string | undefined;
  readonly form: Form;
  readonly fields: readonly string[] | undefined;
  readonly noInput: boolean;
  readonly quiet: boolean;
  readonly debug: boolean;
  readonly timeoutMs: number;
  readonly noColor: boolean;
  readonly yes: boolean;
  /** The file; undefined for stdout. */
  readonly output: string | undefined;
  /** `-o -` */
  readonly choosesStdout: boolean;
  /** The form by the extension of `output`. */
  readonly fileForm: Form | undefined;
  readonly bom: boolean;
}

/** How a result is printed. */
export type Form = "human" | "json" | "ndjson" | "csv" | "html" | "xlsx";

const defaultTimeoutMs = 30_000;

const formsByEnding: Readonly<Record<string, Form>> = {
  csv: "csv",
  xlsx: "xlsx",
  json: "json",
  ndjson: "ndjson",
  jsonl: "ndjson",
};

/** The form by the file's extension. Throws a usage error where a flag says something else. */
function formOfFile(output: string | undefined, flag: Form): Form | undefined {
  ensureWritableName("-o", output ?? "", { hasWorkbooks: true });
  const ending = /\.(\w+)$/.exec(output ?? "")?.[1]?.toLowerCase() ?? "";
  const form = Object.hasOwn(formsByEnding, ending) ? formsByEnding[ending] : undefined;
  const isPage = /^html?$/.test(ending);
  if ((form === undefined && !isPage) || flag === "human" || flag === form) return form;
  throw usageError(
    `--${flag} and the name ${output} contradict each other`,
    "leave the flag out, or give the file another extension",
  );
}

/** Reads the parsed values of all three groups. Throws a usage error when output flags exclude each other. */
export function readGlobals(values: Readonly<Record<string, unknown>>): GlobalValues {
  const forms = (["json", "ndjson", "csv"] as const).filter((form) => values[form] === true);
  if (forms.length > 1) {
    throw usageError(
      `${forms.map((form) => `--${form}`).join(" and ")} exclude each other`,
      "choose one of them",
    );
  }
  const text = (key: string) => values[key] as string | undefined;
  const output = text("output") === "-" ? undefined : text("output");
  const form = forms[0] ?? "human";
  const fileForm = formOfFile(output, form);
  return {
    account: text("account"),
    baseUrl: text("baseUrl"),
    form,
    fields: parseFields(text("fields")),
    noInput: values.noInput === true,
    quiet: values.quiet === true,
    debug: values.debug === true,
    timeoutMs: (values.timeout as number | undefined) ?? defaultTimeoutMs,
    noColor: values.noColor === true,
    yes: values.yes === true,
    output,
    choosesStdout: text("output") === "-",
    fileForm,
    bom: values.bom === true,
  };
}

/**
 * The form of a command's result; `exportsAs` is the one of a command that exports. Throws a usage error for a page that
 * would be printed to a terminal, and for options of another form.
 */
export function chooseForm(
  { form: flag, fileForm, output, choosesStdout, bom, fields }: GlobalValues,
  exportsAs: Form | undefined,
  isTerminal: boolean,
): Form {
  const form = flag === "human" ? (fileForm ?? exportsAs ?? flag) : flag;
  if (bom && form !== "csv") throw usageError(`--bom is for CSV, and not for ${form}`, "leave --bom out");
  ensureNoPdf(output, form);
  if (form === "html" && fields)
    throw usageError("--fields chooses columns, and the slips are a page", "leave it out, or add --json");
  if (form === "html" && isTerminal && output === undefined && !choosesStdout)
    throw usageError(
      "the slips are a page for a browser, and not for a terminal",
      "write them to a file: -o slips.html",
    );
  return form;
}

function ensureNoPdf(output = "", form: Form): void {
  const ending = /\.pdf$/i.exec(output)?.[0];
  if (ending === undefined) return;
  const [other, who] = form === "html" ? [".html", "a browser"] : [".xlsx", "a spreadsheet program"];
  const file = shellQuote(`${output.slice(0, -ending.length)}${other}`);
  throw usageError(`cannot write ${ending} files`, `use -o ${file}; ${who} prints it to a PDF file`);
}

function parseFields(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const paths = text.split(",").map((path) => path.trim());
  if (paths.some((path) => path === ""))
    throw usageError(`--fields takes names separated by commas, not ${quote(text)}`);
  return paths;
}
