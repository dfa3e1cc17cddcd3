/** Rows that can be sent, and may not be meant so. */

import type { Draft, DraftParty } from "../model/draft.ts";
import { partyFields, serviceTypes } from "../model/fields.ts";
import type { Layout } from "./columns/layout.ts";
import { cleanHeader, simplifyTitle } from "./columns/title-words.ts";
import { skipByStatus, skipRefunded } from "./presets/status-words.ts";
import { nameOfRow } from "./row-words.ts";
import type { ImportRow } from "./rows.ts";

/** A warning with the rows that it is about. */
export interface RowWarning {
  readonly code: keyof typeof warningTests | "cancelled_before";
  readonly count: number;
  /** The first few, as they are named. */
  readonly rows: readonly string[];
}

const warningTests = {
  no_receiver_name: ({ receiver }: Draft) => receiver?.name === undefined,
  no_address: ({ receiver }: Draft) => isWithoutAddress(receiver),
  no_street: ({ receiver }: Draft) => !isWithoutAddress(receiver) && receiver?.detail === undefined,
  no_phone: ({ receiver }: Draft, { hasPhoneColumn }: Facts) =>
    hasPhoneColumn && receiver?.phone === undefined,
  phone_in_name: ({ receiver }: Draft) => phoneLike.test(receiver?.name ?? ""),
  sender_name_only: ({ sender }: Draft, { isSenderSaved }: Facts) =>
    isSenderSaved && sender?.phone === undefined && isWithoutAddress(sender),
  quantity_0: ({ item }: Draft) => item?.quantity !== undefined && /^0+$/.test(item.quantity.value),
  quantity_incomplete: (_: Draft, { lacksPieces }: Facts) => lacksPieces,
  unknown_service_type: ({ service_type: type }: Draft) =>
    type !== undefined && !(serviceTypes as readonly string[]).includes(type),
  unread_goods: (_: Draft, { goods }: Facts) => goods !== undefined,
  tracking_number: (_: Draft, { number }: Facts) => number !== undefined,
  unclear_state: (_: Draft, { state }: Facts) => state !== undefined,
  unread_state: (_: Draft, { unreadState }: Facts) => unreadState !== undefined,
};
type WarningCode = keyof typeof warningTests;
const warningCodes = Object.keys(warningTests) as readonly WarningCode[];
const rowsNamed = 3;

function isWithoutAddress(party: DraftParty | undefined): boolean {
  return partyFields.slice(2).every((name) => party?.[name] === undefined);
}

const phoneLike = /\d{3,4}[- ]?\d{4}[- ]?\d{3,4}/;

/** What a row has that is no part of the order, and what is known of the file. */
interface Facts {
  /** In a further column of goods, in a sheet of no known platform. */
  readonly goods: string | undefined;
  /** Another courier's. */
  readonly number: string | undefined;
  readonly state: string | undefined;
  /** Of an order that may not be wanted, in a sheet of no known platform. */
  readonly unreadState: string | undefined;
  readonly lacksPieces: boolean;
  readonly hasPhoneColumn: boolean;
  /** Rows without a sender get one from the address book. */
  readonly isSenderSaved: boolean;
}

const goodsTitle =
  /^(?:(?:商品|货品|产品|物品|宝贝)(?:名称|标题)?|品名|item|product|goods)[ _]?[2-9]$|^(?:赠品|gift|free ?gift)(?:名称)?$/i;
const noValue = /^(?:无|没有|否|空|不[需用]要?|[-—/0]+|n\/?a|no(?:ne)?|nil|)$/i;
/** Another courier's, in a sheet of no known platform. */
const trackingTitle = /^(?:(?:快递|物流)(?:运)?单号|运单号|tracking (?:number|no\.?|code))$/i;
/** Columns that may say that an order is not wanted, in such a sheet, with the texts that say so. */
const stateColumns: readonly { readonly title: RegExp; readonly unwanted: readonly RegExp[] }[] = [
  {
    title:
      /^(?:(?:订单|交易|发货|物流)?状态|(?:商品)?发货|(?:(?:order|fulfill?ment|shipping) )?(?:status|state))$/i,
    unwanted: [
      ...skipByStatus("").map(({ is }) => is),
      /作废|退货|^(?:已|全额|部分)?退款$/,
      /^(?:cancell?ed\b.*|on[- ]?hold|void(?:ed)?|(?:partially )?(?:shipped|fulfilled|refunded)|delivered|completed?)$/i,
    ],
  },
  {
    // 已取消 says there that the refund was cancelled.
    title: /^(?:(?:退款|售后|退货)状态|(?:商品)?售后|(?:payment|financial|refund) (?:status|state))$/i,
    unwanted: [...skipRefunded("").map(({ is }) => is), /^(?:(?:partially |fully )?refunded|void(?:ed)?)$/i],
  },
  { title: /^(?:取消时间|cancell?ed (?:at|on|date))$/i, unwanted: [/\d/] },
];

/** A state in which the platform's orders are neither sent nor left out. */
function findUnclearState(raw: ImportRow["raw"], states: Layout["states"]): string | undefined {
  if (!("cells" in raw)) return undefined;
  for (const { index, isKnown } of states)
    for (const cells of [raw.cells, ...(raw.more ?? [])]) {
      const text = cells[index]?.trim() ?? "";
      if (text !== "" && text !== "-" && !isKnown(text)) return text;
    }
  return undefined;
}

/** What is shown beside the row. */
function textOfWarning(code: WarningCode, { goods, state, unreadState }: Facts): string | undefined {
  if (code === "unread_goods") return goods;
  return code === "unclear_state" || code === "unread_state" ? (state ?? unreadState) : undefined;
}

export interface RowWarnings {
  noteHeader(layout: Layout): void;
  noteRow(row: ImportRow): void;
  all(): readonly RowWarning[];
}

export function createRowWarnings(isSenderSaved: boolean): RowWarnings {
  const warnings = new Map<WarningCode, { count: number; rows: string[] }>();
  let hasPhoneColumn = false;
  let goods: readonly number[] = [];
  let tracking: readonly number[] = [];
  let unread: readonly { readonly index: number; readonly unwanted: readonly RegExp[] }[] = [];
  let states: Layout["states"] = [];
  return {
    noteHeader(layout) {
      const findUnread = (title: RegExp) =>
        layout.names.flatMap((name, index) =>
          (layout.preset?.isCopied ?? true) &&
          layout.unused.includes(name) &&
          title.test(simplifyTitle(cleanHeader(name)))
            ? [index]
            : [],
        );
      hasPhoneColumn = layout.columns.has("receiver.phone");
      goods = findUnread(goodsTitle);
      tracking = findUnread(trackingTitle);
      unread = stateColumns.flatMap(({ title, unwanted }) =>
        findUnread(title).map((index) => ({ index, unwanted })),
      );
      states = layout.states;
    },
    noteRow(row) {
      const { raw, draft } = row;
      const textAt = (index: number) => ("cells" in raw ? (raw.cells[index]?.trim() ?? "") : "");
      const isUnwanted = ({ index, unwanted }: (typeof unread)[number]) =>
        unwanted.some((is) => is.test(textAt(index)));
      const found = unread.find(isUnwanted);
      const facts: Facts = {
        goods: goods.map(textAt).find((text) => !noValue.test(text)),
        number: tracking.map(textAt).find((text) => !noValue.test(text)),
        state: findUnclearState(raw, states),
        unreadState: found && textAt(found.index),
        lacksPieces: row.lacksPieces === true,
        hasPhoneColumn,
        isSenderSaved,
      };
      for (const code of warningCodes) {
        if (!warningTests[code](draft, facts)) continue;
        const seen = warnings.get(code) ?? { count: 0, rows: [] };
        warnings.set(code, seen);
        seen.count += 1;
        const shown = textOfWarning(code, facts);
        if (seen.rows.length < rowsNamed)
          seen.rows.push(`${nameOfRow(row)}${shown === undefined ? "" : ` “${shown}”`}`);
      }
    },
    all: () => [...warnings].map(([code, seen]) => ({ code, ...seen })),
  };
}
