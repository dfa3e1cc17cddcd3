/** The tables of the matrix: how a service can be unfaithful, how an answer is lost, and every case made of them. */

import { brokenTypes, draftFor, rewritings } from "../support/rewritings.ts";
import type { Rewriting } from "../support/shown-order.ts";
import type { Failure, OrderBody, Ways } from "../support/unfaithful-ways.ts";

/** What a manner may look at when it says what the service does now. */
export interface Moment {
  /** Whether the orders that teach the ledger are still being made. */
  readonly isLearning: boolean;
  /** Lists that were asked for since the first loss. */
  readonly looks: () => number;
}

/** One way of being unfaithful, within the limits of docs/never-twice.md. */
export interface Manner {
  readonly name: string;
  readonly rewriting?: Rewriting;
  /** What a service does until it answers well. */
  readonly ways?: (moment: Moment) => Ways;
  /** What it is like, and so stays when it answers well. */
  readonly lasting?: Ways;
  /** An order is made so long after its connection broke, or after its request timed out. */
  readonly lateMs?: { readonly broken: number; readonly timedOut: number };
  /** Minutes into the day of the first command; 480 where left out. */
  readonly startMinute?: number;
  /** This machine's clock is set so far between the first command and the second. */
  readonly clockJumpMs?: number;
  /** The same between the orders that teach the ledger and the list that shows them. */
  readonly learningJumpMs?: number;
  /** The service's clock is set so far between the first command and the second. */
  readonly serviceJumpMs?: number;
  /** Orders of another writer, that equal the drafts or resemble them. */
  readonly others?: "equal an hour before" | "alike before" | "alike after";
  /** Ledgers for which the limits allow it; all where left out. */
  readonly ledgers?: readonly Knowledge[];
}

/** What the ledger knows of the service: nothing, or 22 own orders that tell what it rewrites, or that do not. */
export type Knowledge = "fresh" | "telling" | "plain";
/** `create one` sends a single order, from which nothing can be learned about the others. */
export type Way = "create" | "create one" | "api" | "import" | "import in turn" | "undo";

/** What becomes of a create whose answer is lost. */
export interface Loss {
  readonly name: string;
  /** Whether the n-th lost request is made all the same; n counts from 0. */
  readonly isMade: (n: number) => boolean;
  readonly how: "broken" | "timeout" | "killed" | Failure;
}

export interface Case {
  readonly manners: readonly Manner[];
  readonly way: Way;
  readonly loss: Loss;
  readonly knows: Knowledge;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const webPage: Failure = { status: 403 };
const notFound: Failure = { status: 404, code: "NOT_FOUND" };
const softFailure: Failure = { status: 200, code: "FORBIDDEN" };

const after =
  (ways: Ways) =>
  ({ isLearning }: Moment): Ways =>
    isLearning ? {} : ways;
const firstLooks =
  (refuseList: Failure) =>
  ({ isLearning, looks }: Moment): Ways =>
    isLearning ? {} : ({ refuseList: () => (looks() <= 3 ? refuseList : undefined) } as Ways);
const knowing = ["telling", "plain"] as const;

const rewriting = (entries: Record<string, Rewriting>): Manner[] =>
  Object.entries(entries).map(([name, rewrite]) => ({ name, rewriting: rewrite }));

export const faithful: Manner = { name: "faithful" };

export const rewriters: readonly Manner[] = rewriting({ ...rewritings, ...brokenTypes });

export const others: readonly Manner[] = [
  { name: "list late by 3 s", lasting: { listLagMs: 3 * second } },
  { name: "list late by 40 s", lasting: { listLagMs: 40 * second } },
  { name: "list late by 9 min", lasting: { listLagMs: 9 * minute } },
  { name: "details later than the list", lasting: { listLagMs: 3 * second, detailLagMs: 40 * second } },
  { name: "details late by 5 min", lasting: { detailLagMs: 5 * minute } },
  { name: "made late", lateMs: { broken: 1_900, timedOut: 55 * second } },
  { name: "stamps 5 min behind", lasting: { stampSkewMs: -5 * minute } },
  { name: "stamps 3 min ahead", lasting: { stampSkewMs: 3 * minute } },
  { name: "stamps 10 min ahead", lasting: { stampSkewMs: 10 * minute }, ledgers: knowing },
  { name: "stamps 8 h ahead", lasting: { stampSkewMs: 8 * hour }, ledgers: knowing },
  { name: "stamps 8 h behind", lasting: { stampSkewMs: -8 * hour } },
  { name: "stamps 3 days behind", lasting: { stampSkewMs: -3 * day }, ledgers: knowing },
  { name: "stamps of two clocks", lasting: { stampSkewMs: [0, -7 * minute, 3 * minute] } },
  { name: "service clock 3 days ahead", lasting: { dateSkewMs: 3 * day } },
  { name: "service clock 3 days behind", lasting: { dateSkewMs: -3 * day } },
  { name: "service clock 30 days ahead, not told", lasting: { dateSkewMs: 30 * day, hideDate: true } },
  { name: "service clock 30 days behind, not told", lasting: { dateSkewMs: -30 * day, hideDate: true } },
  { name: "own clock set back by 2 days", clockJumpMs: -2 * day },
  { name: "own clock set ahead by 2 days", clockJumpMs: 2 * day },
  { name: "own clock set back by 5 min", clockJumpMs: -5 * minute },
  { name: "own clock set back by an hour while learning", learningJumpMs: -hour, ledgers: knowing },
  { name: "service clock set ahead by an hour", serviceJumpMs: hour },
  { name: "service clock set back by an hour", serviceJumpMs: -hour },
  { name: "shortly before midnight", startMinute: 24 * 60 - 1 },
  {
    name: "shortly before midnight, stamps behind",
    startMinute: 24 * 60 + 1,
    lasting: { stampSkewMs: -4 * minute },
  },
  { name: "details refused by a web page", ways: after({ refuseDetail: webPage }) },
  { name: "details refused by 404", ways: after({ refuseDetail: notFound }) },
  { name: "details refused by 200", ways: after({ refuseDetail: softFailure }) },
  { name: "list refused at first", ways: firstLooks({ status: 503 }) },
  { name: "list refused at first by 403", ways: firstLooks(webPage) },
  { name: "list refused for ever", ways: after({ refuseList: softFailure }) },
  { name: "future date_to refused", lasting: { refuseFutureDateTo: true } },
  { name: "3 orders a page without totals", lasting: { pageCap: 3, hideTotals: true } },
  { name: "3 orders a page", lasting: { pageCap: 3 } },
  { name: "equal orders of another writer, an hour before", others: "equal an hour before" },
  { name: "orders alike of another writer, before", others: "alike before" },
  { name: "orders alike of another writer, after", others: "alike after" },
];

export const manners: readonly Manner[] = [faithful, ...rewriters, ...others];

const yes = () => true;
const no = () => false;
const even = (n: number) => n % 2 === 0;
const odd = (n: number) => n % 2 === 1;

const failures: readonly (readonly [string, Failure])[] = [
  ["200 TIMEOUT", { status: 200, code: "TIMEOUT" }],
  ["400 SYSTEM_BUSY", { status: 400, code: "SYSTEM_BUSY" }],
  ["409 CONFLICT", { status: 409, code: "CONFLICT" }],
  ["500", { status: 500, code: "INTERNAL" }],
  ["503 as a page", { status: 503 }],
  ["a web page with 403", webPage],
  ["302", { status: 302, headers: { location: "/login" } }],
];

/** Answers that the limits count as certain: they are never given to an order that is made. */
const refusals: readonly (readonly [string, Failure])[] = [
  ["401", { status: 401, code: "UNAUTHORIZED" }],
  ["429", { status: 429, code: "RATE_LIMITED", headers: { "retry-after": "1" } }],
  [
    "INVALID_PARAMETER",
    { status: 400, code: "INVALID_PARAMETER", details: { field: "receiver.phone", value: "1" } },
  ],
];

export const losses: readonly Loss[] = [
  { name: "before processing", isMade: no, how: "broken" },
  { name: "after processing", isMade: yes, how: "broken" },
  { name: "after and before processing in turn", isMade: even, how: "broken" },
  { name: "before and after processing in turn", isMade: odd, how: "broken" },
  { name: "timeout, made", isMade: yes, how: "timeout" },
  { name: "timeout, not made", isMade: no, how: "timeout" },
  { name: "timeout, made in turn", isMade: odd, how: "timeout" },
  { name: "killed, made", isMade: yes, how: "killed" },
  { name: "killed, not made", isMade: no, how: "killed" },
  ...failures.flatMap(([name, how]): Loss[] => [
    { name: `${name}, made`, isMade: yes, how },
    { name: `${name}, not made`, isMade: no, how },
    { name: `${name}, made in turn`, isMade: even, how },
  ]),
  ...refusals.map(([name, how]): Loss => ({ name: `${name}, not made`, isMade: no, how })),
];

export const waysIn: readonly Way[] = ["create", "create one", "api", "import", "import in turn", "undo"];
export const knowledge: readonly Knowledge[] = ["fresh", "telling", "plain"];

/**
 * A refusal of another kind than a wrong field is checked once, two seconds later: a list that is later than that, and
 * not known to be so, is beyond the limits.
 */
function isWithinLimits({ manners: of, loss }: Case): boolean {
  const isChecked = /^(200|400) /.test(loss.name) && !loss.name.endsWith("not made");
  return !(isChecked && of.some(({ lasting }) => (lasting?.listLagMs ?? 0) > 2_000));
}

/** Every loss by every way in, for one service and one ledger. */
export function casesOf(mannersOfService: readonly Manner[], knows: Knowledge): Case[] {
  if (!mannersOfService.every(({ ledgers }) => ledgers?.includes(knows) ?? true)) return [];
  return waysIn.flatMap((way) =>
    losses.map((loss): Case => ({ manners: mannersOfService, way, loss, knows })).filter(isWithinLimits),
  );
}

/** Two manners at once, where neither takes back what the other does. */
export function pairs(): (readonly [Manner, Manner])[] {
  const all = [...rewriters, ...others];
  return all.flatMap((first, index) =>
    all.slice(index + 1).flatMap((next) => (areCompatible(first, next) ? [[first, next] as const] : [])),
  );
}

/** Two manners at once where that is possible, and each in one of them. */
export function inPairs(): (readonly Manner[])[] {
  const left = [...manners];
  const found: (readonly Manner[])[] = [];
  for (let first = left.shift(); first; first = left.shift()) {
    const one = first;
    const other = one === faithful ? -1 : left.findIndex((next) => areCompatible(one, next));
    found.push([one, ...(other < 0 ? [] : left.splice(other, 1))]);
  }
  return found;
}

function areCompatible(first: Manner, next: Manner): boolean {
  const moment: Moment = { isLearning: false, looks: () => 0 };
  const keys = ({ ways, lasting, rewriting: _, name: __, ...facts }: Manner) => [
    ...Object.keys(ways?.(moment) ?? {}),
    ...Object.keys(lasting ?? {}),
    ...Object.keys(facts).filter((key) => key !== "ledgers"),
  ];
  const taken = new Set(keys(first));
  return !keys(next).some((key) => taken.has(key));
}

/** One case for each manner; ways in, losses and ledgers change from one to the next, so that each occurs. */
export function sampleOf(list: readonly (readonly Manner[])[]): Case[] {
  const turns: readonly Knowledge[] = ["fresh", "telling", "fresh", "plain"];
  return list.flatMap((of, index): Case[] => {
    const knows = turns[Math.floor(index / waysIn.length) % turns.length] ?? "fresh";
    const allowed = of.every(({ ledgers }) => ledgers?.includes(knows) ?? true) ? knows : "telling";
    const way = waysIn[index % waysIn.length] ?? "import";
    const cases = losses.map((_, next): Case => {
      const loss = losses[(index * 7 + next) % losses.length] as Loss;
      return { manners: of, way, loss, knows: allowed };
    });
    return cases.filter(isWithinLimits).slice(0, 1);
  });
}

/** Cases in which a service of several manners is hardest to see through. */
export function hardCases(): Case[] {
  const lists: readonly (readonly [string, Way, string, Knowledge])[] = [
    ["list late by 3 s", "import", "400 SYSTEM_BUSY, made", "telling"],
    ["made late", "import", "400 SYSTEM_BUSY, made", "fresh"],
    ["details refused by 404", "create", "after processing", "fresh"],
    ["list late by 9 min", "create", "after processing", "fresh"],
    ["stamps 3 days behind", "import", "killed, made", "telling"],
    ["& shown as &amp;", "import", "after processing", "plain"],
    ["traditional characters simplified", "create", "after processing", "plain"],
    ["all of HTML escaped + phone without its extension", "create one", "after processing", "fresh"],
    ["faithful", "api", "409 CONFLICT, made", "telling"],
    ["faithful", "api", "after processing", "fresh"],
    [
      "list late by 40 s + own clock set back by an hour while learning",
      "create",
      "after processing",
      "telling",
    ],
    ["list late by 9 min + own clock set back by 2 days", "import", "killed, made", "fresh"],
    ["list late by 9 min + own clock set ahead by 2 days", "import", "killed, made", "fresh"],
    ["list late by 9 min + service clock set ahead by an hour", "import", "after processing", "fresh"],
  ];
  return lists.map(([names, way, lossName, knows]) => {
    const of = names.split(" + ").map((name) => manners.find((manner) => manner.name === name) ?? faithful);
    const loss = losses.find(({ name }) => name === lossName);
    if (!loss) throw new Error(`no loss ${lossName}`);
    return { manners: of, way, loss, knows };
  });
}

export interface Draft {
  readonly key: string;
  readonly body: OrderBody;
  readonly isLost: boolean;
}

/** Orders that resemble each other, and three that are equal; most of their answers are lost. */
export function draftsFor(rewriter: string): Draft[] {
  const base = draftFor(rewriter);
  const long: OrderBody = {
    ...base,
    receiver: { ...base.receiver, name: "Maria  Müller-Lüdenscheidt", phone: "010-61234567-8001" },
  };
  const named = (key: string, isLost: boolean, body: OrderBody): Draft => ({ key, body, isLost });
  const again = (isLost: boolean) => named("equal", isLost, long);
  return [
    named("base", true, base),
    named("other receiver", false, {
      ...base,
      receiver: { ...base.receiver, name: "張偉", phone: "+86 139-0055-9000" },
    }),
    again(true),
    named("everything", true, {
      ...base,
      receiver: {
        ...base.receiver,
        name: '麗麗 & Ｌi cafe\u0301 🎁 "Zoë"',
        phone: "+86 010-67654321-8002",
        detail: "建國路８號 & cafe\u0301 🎁 a座\n1层",
      },
      item: { ...base.item, name: '🎁 陳 & Ｔea cafe\u0301 "set", very long in its name' },
    }),
    again(false),
    named("other surname", false, { ...long, receiver: { ...long.receiver, name: "Maria  Müller-Schmidt" } }),
    again(true),
    named("other item", true, {
      ...base,
      item: { ...base.item, name: "Tea set, deep blue with silver 🍵" },
    }),
  ];
}

/** Orders from before the loss; plain ones look the same after every rewriting of texts. */
export function knownOrders(rewriter: string, knows: Knowledge): OrderBody[] {
  if (knows === "fresh") return [];
  return Array.from({ length: 22 }, (_, index) => {
    const [first = "", next = ""] = [...String(10 + index)];
    if (knows === "plain") {
      const party = {
        name: `NAME${first}${next}`,
        phone: `139001${first}${next}000`,
        province: "P",
        city: "C",
        district: "D",
        detail: `N${first}${next}`,
      };
      const item = { name: `I${first}${next}`, description: "D", weight: 1.5, value: 10, quantity: 1 };
      return { sender: party, receiver: party, item, service_type: "standard" };
    }
    const drafts = draftsFor(rewriter);
    const { body } = drafts[index % drafts.length] as Draft;
    const { receiver, item } = body;
    return {
      ...body,
      receiver: {
        ...receiver,
        name: `${first}${next} ${receiver.name}`,
        phone: receiver.phone?.replace(/\d{4}/, `77${first}${next}`) ?? "",
        detail: `${first}${next} ${receiver.detail}`,
      },
      item: { ...item, name: `${first}${next} ${item.name}` },
    };
  });
}

export function nameOf({ manners: of, way, loss, knows }: Case): string {
  return `${of.map(({ name }) => name).join(" + ")} | ${way} | ${loss.name} | ${knows}`;
}
