/** What a preset says: how the order export of one platform is known, and what its columns are. */

/** Why an order of the file is not sent. */
export type SkipReason =
  | "fulfilled"
  | "partly fulfilled"
  | "refunded"
  | "in refund"
  | "cancelled"
  | "on hold"
  | "pick-up"
  | "unpaid"
  | "nothing to ship";

/** `--include-fulfilled` sends orders that are left out for these reasons. */
export const fulfilledReasons: readonly SkipReason[] = ["fulfilled", "partly fulfilled"];

/** Columns that give one field: the first that is filled counts; columns in a list of their own are joined. */
export type Choice = readonly (string | readonly string[])[];

export interface SkipRule {
  readonly reason: SkipReason;
  /** Matched where the column is in the file. */
  readonly column: string;
  readonly is: RegExp;
  /** Leaves out one line of an order, not the order. */
  readonly ofLine?: true;
  /** Of an order, where the file does not have this column, which says it of each line. */
  readonly unless?: string;
}

/** Names of columns are compared without case, blanks, brackets' width and marks such as `*` or `(必填)`. */
export interface Preset {
  /** For `--platform`. */
  readonly name: string;
  /** For messages: `a Shopify export`. */
  readonly title: string;
  /** The file is of this platform where it has all columns of one of these lists. */
  readonly keys: readonly (readonly string[])[];
  /** By field. A column of `receiver.detail` that `receiver.address` has too is a whole address without a column for the city. */
  readonly fields: Readonly<Record<string, Choice>>;
  /** The same as earlier versions knew it. */
  readonly formerFields?: Readonly<Record<string, Choice>>;
  /** Shops use its titles in tables of their own: columns that it does not know are read by the words of the header. */
  readonly isCopied?: true;
  /** Lines that follow each other are one order: with the same ref, or with blank columns of the order. */
  readonly hasLines?: true;
  /** The number that lines of an order share, where it is not the ref. */
  readonly orderKey?: Choice;
  /** A line of an order where all of these are blank sums up the others. */
  readonly blankInSummary?: readonly string[];
  readonly skips?: readonly SkipRule[];
  /** Columns for the state of an order, with the states in which it is to be sent: of others, a warning is given. */
  readonly sent?: Readonly<Record<string, RegExp>>;
  /** The column that says how many pieces of a line were refunded: they are not sent. */
  readonly refundedPieces?: string;
  /** What is wrong with an order without any address, where the file does not say that it is picked up. */
  readonly lacksAddress?: string;
  /** An order without any address is picked up. In its first row, one of these columns is filled, and in no other row. */
  readonly isPickUpWithoutAddress?: { readonly filledInFirstRow: readonly string[] };
  /** Texts that stand for an empty cell. */
  readonly empty?: readonly string[];
  /** A line behind the orders, known by its first filled cell. */
  readonly footer?: RegExp;
  /** Columns in which any text needs a person, with the reason. */
  readonly mustBeBlank?: Readonly<Record<string, string>>;
  /** The street may begin with the columns of its place. */
  readonly repeatsPlace?: true;
  /** In municipalities the district stands in the column of the city. */
  readonly shiftsMunicipalities?: true;
  /**
   * Why such a file cannot be imported, and what to do; where none of these columns is in it, and the words of the header
   * name none of these fields.
   */
  readonly lacks?: {
    readonly columns: readonly string[];
    readonly fields: readonly string[];
    readonly problem: string;
    readonly hint: string;
  };
}

/** Whether the words of a header may say what its columns do not. */
export const mayReadWords = ({ isCopied, lacks }: Preset) => isCopied === true || lacks !== undefined;
