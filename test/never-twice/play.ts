/** Plays one case over the wire, and compares what courier said with what the service holds. */

import { cpSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Clock } from "../../src/core/clock.ts";
import { applicationId, migrations } from "../../src/ledger/schema.ts";
import { openDatabase } from "../../src/sqlite/database.ts";
import { copyState } from "../support/copy-state.ts";
import { createHome, type Home, type Ran } from "../support/courier.ts";
import type { ShownOrder, View } from "../support/shown-order.ts";
import { startUnfaithfulService, type UnfaithfulService } from "../support/unfaithful-service.ts";
import type { Fate, MadeOrder, OrderBody, ReceivedRequest, Ways } from "../support/unfaithful-ways.ts";
import {
  type Case,
  type Draft,
  draftsFor,
  type Knowledge,
  knownOrders,
  type Manner,
  nameOf,
  type Way,
} from "./cases.ts";

const second = 1_000;
const minute = 60 * second;
const clientTimeoutMs = 3 * second;
/** What passes between two runs of the same command while the service is unfaithful. */
const pausesMs = [20 * second, 3 * minute, 5 * minute];
/** How long a create is on its way to the service. */
const travelMs = 120;
const finalPauseMs = 20 * minute;

/** Where a time is named, the same command is run again until then: six hours at most, ten times a delay of 36 minutes. */
const finalRuns = 18;
const timePattern = /after \d\d:\d\d/;
/** A person has something to decide by: possible matches, how to look for them, or which cannot be read. */
const candidatesPattern = /possible matches: \d|orders resolve|state_unknown|which this ledger does not know/;

/** A home and its service, with a ledger that knows what it is to know, which every case begins from. */
export interface Stage {
  readonly manners: readonly Manner[];
  readonly knows: Knowledge;
  readonly home: Home;
  readonly service: UnfaithfulService;
  readonly drafts: readonly Draft[];
  /** Sets this machine's clock, and leaves the service's alone. */
  readonly setClock: (byMs: number) => void;
  /** Takes everything back to how it was when the stage was ready. */
  readonly reset: () => Promise<void>;
}

export interface Breach {
  readonly of: Case;
  readonly kind: "twice" | "false claim" | "no end" | "odd";
  readonly what: string;
  readonly transcript: string;
}

export async function setStage(manners: readonly Manner[], knows: Knowledge): Promise<Stage> {
  const apiKey = "test-key-0123456789";
  const env: Record<string, string> = { COURIER_API_KEY: apiKey };
  const home = await createHome(env);
  const { clock } = home;
  let aheadMs = 0;
  const serviceClock: Clock = {
    ...clock,
    now: () => clock.now() - aheadMs,
  };
  const setClock = (byMs: number) => {
    aheadMs += byMs;
    clock.jump(byMs);
  };
  const service = await startUnfaithfulService({ clock: serviceClock, apiKey });
  onTestFinished(() => service.close());
  env.COURIER_BASE_URL = service.baseUrl;
  const rewriter = manners.find(({ rewriting }) => rewriting)?.name ?? "";

  service.ways = waysOf(manners, { isLearning: true, looks: () => 0 });
  const known = knownOrders(rewriter, knows);
  if (known.length > 0) {
    const [last, beforeLast, ...first] = known.toReversed() as [OrderBody, OrderBody, ...OrderBody[]];
    for (const [index, bodies] of [first.toReversed(), [beforeLast], [last]].entries()) {
      const ran = await importBodies(home, `known-${index}.json`, bodies);
      if (ran.exit !== 0) throw new Error(`the known orders were not made: ${ran.stderr}`);
      if (index === 0) for (const { learningJumpMs = 0 } of manners) setClock(learningJumpMs);
      clock.advance(Math.max(service.ways.listLagMs ?? 0, service.ways.detailLagMs ?? 0) + 500);
    }
    const ran = await importBodies(home, "known-2.json", [last]);
    if (ran.exit !== 0) throw new Error(`the known orders were not looked at: ${ran.stderr}`);
    clock.advance(5 * minute);
  }
  const drafts = draftsFor(rewriter);
  for (const { others } of manners) {
    if (others === "equal an hour before") {
      for (const key of ["base", "equal", "everything"]) service.foreign(bodyOf(drafts, key));
      clock.advance(60 * minute);
    }
    if (others === "alike before") for (const body of alike(drafts)) service.foreign(body);
    if (others === "alike before") clock.advance(2 * minute);
  }
  for (const { startMinute } of manners) {
    if (startMinute === undefined) continue;
    const dayMs = 24 * 60 * minute;
    clock.advance((startMinute * minute - (clock.now() % dayMs) + 2 * dayMs) % dayMs);
  }

  const saved = path.join(home.directory, "saved");
  await mkdir(home.stateDir, { recursive: true });
  await copyState(home.stateDir, saved);
  const startMs = clock.now();
  const startAheadMs = aheadMs;
  const { length } = service.orders;
  return {
    manners,
    knows,
    home,
    service,
    drafts,
    setClock,
    async reset() {
      clock.advance(60 * minute); // whatever is still to be made
      if (service.uncommitted > 0) throw new Error("the service is still at work");
      (service.orders as MadeOrder[]).length = length;
      (service.requests as ReceivedRequest[]).length = 0;
      aheadMs = startAheadMs;
      clock.advance(startMs - clock.now());
      await copyState(saved, home.stateDir);
    },
  };
}

/** What one run of a command said of one draft. */
interface Claim {
  readonly draft: Draft;
  readonly says: "made" | "not made" | "in doubt" | "held";
  readonly id?: number;
  readonly text: string;
}

interface Told {
  readonly command: string;
  readonly ran: Ran;
  readonly claims: readonly Claim[];
  /** Create requests that had come in by the end of the command. */
  readonly creates: number;
  /** Undo only: nothing is left to cancel. */
  readonly isUndone?: boolean;
}

export async function play(stage: Stage, of: Case): Promise<Breach[]> {
  await stage.reset();
  const { home, service, manners } = stage;
  const { clock } = home;
  const { loss, way } = of;
  const isSingle = way === "create" || way === "create one" || way === "api";
  const drafts = choose(stage.drafts, way);
  const told: Told[] = [];
  const breaches: Breach[] = [];
  const report = (kind: Breach["kind"], what: string) =>
    breaches.push({ of, kind, what, transcript: transcribe(told, service) });

  let round = 0;
  let lost = 0;
  let stalls = 0;
  let firstLook: number | undefined;
  let killed = false;
  const fates = new Map<number, { readonly isMade: boolean }>();
  const arrivals = new Map<string, number>();
  const lists = () => service.requests.filter(({ endpoint }) => endpoint === "list").length;
  const late = manners.find(({ lateMs }) => lateMs)?.lateMs;
  const killDir = path.join(home.directory, "killed");

  const decide = (request: ReceivedRequest): Fate => {
    clock.advance(travelMs);
    const key = keyOf(JSON.parse(request.body));
    const rows = drafts.filter((draft) => draft.key === key);
    const arrival = arrivals.get(key) ?? 0;
    arrivals.set(key, arrival + 1);
    if (killed) return "before";
    const isLost = rows[arrival]?.isLost ?? (rows.some((draft) => draft.isLost) && round < 3);
    if (!isLost || (loss.how === "killed" && round > 0)) return "answered";
    firstLook ??= lists();
    const isMade = loss.isMade(lost++);
    fates.set(request.number, { isMade });
    if (loss.how === "killed") {
      killed = true;
      cpSync(home.stateDir, killDir, { recursive: true });
    }
    if (loss.how === "broken" || loss.how === "killed")
      return !isMade ? "before" : late ? "dropped" : "after";
    if (loss.how !== "timeout") return "answered";
    stalls++;
    return isMade ? "timeout" : "timeout_before";
  };
  const failure = (isMade: boolean, isEarly: boolean) => (request: ReceivedRequest) => {
    const fate = fates.get(request.number);
    const { how } = loss;
    if (!fate || typeof how === "string" || fate.isMade !== isMade) return undefined;
    return !isMade || isEarly === (late !== undefined) ? how : undefined;
  };
  const moment = {
    isLearning: false,
    looks: () => (firstLook === undefined ? 0 : lists() - firstLook),
  };
  service.ways = {
    ...waysOf(manners, moment),
    loss: decide,
    failWithoutCommit: failure(false, false),
    failBeforeCommit: failure(true, true),
    failAfterCommit: failure(true, false),
    commitDelayMs: ({ number }) => {
      if (!late || !fates.get(number)?.isMade) return 0;
      return loss.how === "timeout" ? clientTimeoutMs + late.timedOut : late.broken;
    },
  };

  /** Runs one command line; a request that is never answered meets the client's timeout. */
  const run = async (words: readonly string[], stdin?: string): Promise<Ran> => {
    const before = service.requests.length;
    let isOver = false;
    const timeout = loss.how === "timeout" ? ["--timeout", String(clientTimeoutMs / second)] : [];
    const running = home.courier([...words, ...timeout], stdin === undefined ? {} : { stdin }).finally(() => {
      isOver = true;
    });
    if (loss.how === "timeout") await answerStalls(before);
    return await running;

    async function answerStalls(from: number): Promise<void> {
      let seen = from;
      let quiet = 0;
      while (!isOver) {
        await wait(2);
        quiet = service.requests.length === seen ? quiet + 1 : 0;
        seen = service.requests.length;
        if (stalls === 0 || quiet < 6) continue;
        stalls = 0;
        clock.advance(clientTimeoutMs);
      }
    }
  };

  const after = async (command: string, ran: Ran, claims: readonly Claim[], isUndone?: boolean) => {
    if (killed && round === 0) {
      await asIfKilled(stage, killDir);
      killed = false;
      told.push({ command: `${command} (killed)`, ran, claims: [], creates: createsOf(service) });
    } else
      told.push({
        command,
        ran,
        claims,
        creates: createsOf(service),
        ...(isUndone === undefined ? {} : { isUndone }),
      });
  };

  const finished = new Set<string>();
  const file = path.join(home.directory, "drafts.json");
  await writeFile(file, JSON.stringify(drafts.map(({ body }) => body)));
  const importNumber = stage.knows === "fresh" ? 1 : 5;

  const step = async (): Promise<void> => {
    if (isSingle) {
      for (const draft of drafts) {
        if (finished.has(draft.key)) continue;
        const words =
          way === "api" ? "api POST orders --input - --json" : "orders create --file - --yes --json";
        const ran = await run(words.split(" "), JSON.stringify(draft.body));
        const claim = readSingle(draft, ran);
        const isKilled = killed;
        await after(`${way} ${draft.key}`, ran, [claim]);
        if (claim.says === "made" && !isKilled) finished.add(draft.key);
        if (isKilled) return;
      }
      return;
    }
    if (way === "undo" && round > 0) {
      const posts = createsOf(service);
      const ran = await run(["undo", String(importNumber), "--yes", "--include-found", "--json"]);
      await after("undo", ran, readUndo(drafts, ran), isUndone(ran));
      if (createsOf(service) !== posts) report("odd", "undo sent a create");
      return;
    }
    const turn = way === "import in turn" ? ["--concurrency", "1"] : [];
    const ran = await run(["orders", "import", file, "--yes", "--ndjson", ...turn]);
    await after("import", ran, readImport(drafts, ran));
  };

  await step();
  for (const { clockJumpMs = 0 } of manners) stage.setClock(clockJumpMs);
  const serviceJumpMs = manners.reduce((sum, manner) => sum + (manner.serviceJumpMs ?? 0), 0);
  const afterJump = (ways: Ways) => ({ ...ways, dateSkewMs: (ways.dateSkewMs ?? 0) + serviceJumpMs });
  service.ways = afterJump(service.ways);
  for (const { others } of manners)
    if (others === "alike after") for (const body of alike(drafts)) service.foreign(body);
  for (const pauseMs of pausesMs) {
    round++;
    clock.advance(pauseMs);
    await step();
  }

  const isSettled = () => {
    const last = isSingle ? lastOfEach(told) : (told.at(-1)?.claims ?? []);
    if (way === "undo") return told.at(-1)?.isUndone === true;
    return last.every(({ says }) => says === "made" || says === "not made");
  };
  service.ways = afterJump(waysOf(manners, undefined));
  round++;
  const open = () => {
    const last = isSingle ? lastOfEach(told) : (told.at(-1)?.claims ?? []);
    return last.filter(({ says }) => says === "in doubt" || says === "held");
  };
  for (let runs = 0; runs < finalRuns; runs++) {
    clock.advance(finalPauseMs);
    await step();
    if (isSettled() || !open().every(({ text }) => timePattern.test(text))) break;
  }
  if (!isSettled()) {
    const left = open().filter(({ draft, says, text }) => {
      if (says === "held" && isEqualElsewhere(of, draft)) return false;
      return !(isForPerson(of) && candidatesPattern.test(text));
    });
    const texts = left.map((claim) => {
      const count = ownOrders(service, claim.draft.key).length;
      return `${claim.draft.key} (${count} made): ${claim.text}`;
    });
    if (texts.length > 0 || told.at(-1)?.claims.length === 0)
      report("no end", `exit ${told.at(-1)?.ran.exit}: ${texts.join("; ")}`);
  }
  clock.advance(120 * minute);
  judge(told, drafts, service, report);
  return breaches;
}

/** Compares every claim with all that was ever made of the requests that had come by then. */
function judge(
  told: readonly Told[],
  drafts: readonly Draft[],
  service: UnfaithfulService,
  report: (kind: Breach["kind"], what: string) => void,
): void {
  for (const key of new Set(drafts.map((draft) => draft.key))) {
    const count = drafts.filter((draft) => draft.key === key).length;
    const orders = ownOrders(service, key);
    if (orders.length > count) report("twice", `${orders.length} orders of ${count} ${key}`);
    for (const { command, claims, creates } of told) {
      const ofKey = claims.filter(({ draft }) => draft.key === key);
      const soFar = orders.filter(({ request }) => (request?.number ?? 0) <= creates).length;
      const notMade = ofKey.filter(({ says }) => says === "not made").length;
      if (notMade > 0 && soFar > count - notMade)
        report("false claim", `${command}: ${notMade} of ${count} ${key} not made, but ${soFar} were`);
      const ids = ofKey.flatMap(({ says, id }) => (says === "made" ? [id] : []));
      if (new Set(ids).size < ids.length) report("false claim", `${command}: ${key} has one order twice`);
      for (const id of ids)
        if (!orders.some((order) => order.id === id))
          report("false claim", `${command}: order ${id} was not made from ${key}`);
    }
  }
  for (const { command, ran, isUndone, claims, creates } of told) {
    const left = service.orders.filter(
      ({ status, request, body }) =>
        status === "pending" &&
        request &&
        request.number <= creates &&
        drafts.some(({ key }) => key === keyOf(body)),
    );
    if (isUndone && left.length > 0)
      report("false claim", `${command} is done, and ${left.length} orders are left`);
    const doubts = claims.filter(({ says }) => says === "in doubt").length;
    if (doubts > 0 && ![6, 2, 3, 130].includes(ran.exit))
      report("odd", `${command}: exit ${ran.exit}, with ${doubts} in doubt`);
    if (doubts > 0 && command === "import" && ran.exit !== 6)
      report("odd", `${command}: exit ${ran.exit}, with ${doubts} in doubt`);
    if (ran.exit === 70 || /internal error|internal error/.test(ran.stderr))
      report("odd", `${command}: ${ran.stderr}`);
  }
}

function waysOf(
  manners: readonly Manner[],
  moment: Parameters<NonNullable<Manner["ways"]>>[0] | undefined,
): Ways {
  const rewritings = manners.flatMap(({ rewriting }) => (rewriting ? [rewriting] : []));
  const rewrite = (order: ShownOrder, view: View) =>
    rewritings.reduce((shown, rewriting) => rewriting(shown, view), order);
  const parts = manners.flatMap(({ lasting, ways }) => [lasting ?? {}, moment ? (ways?.(moment) ?? {}) : {}]);
  return Object.assign({ rewrite }, ...parts) as Ways;
}

function readSingle(draft: Draft, { exit, stdout, stderr }: Ran): Claim {
  const text = lastLine(stderr);
  if (exit === 0) {
    const answer = JSON.parse(stdout);
    return { draft, says: "made", id: Number(answer.id ?? answer.data?.id), text };
  }
  if (exit === 2) {
    const id = /sent [^,]*, as (\d+)/.exec(text)?.[1];
    return id === undefined
      ? { draft, says: "in doubt", text }
      : { draft, says: "made", id: Number(id), text };
  }
  if (exit === 6) return { draft, says: "in doubt", text };
  return { draft, says: "not made", text };
}

interface Reported {
  readonly row: number;
  readonly outcome: string;
  readonly id: number | null;
  readonly error?: { readonly code: string; readonly message: string } | null;
}

function readImport(drafts: readonly Draft[], { stdout, stderr, exit }: Ran): Claim[] {
  const rows = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Reported);
  const claims = rows.flatMap(({ row, outcome, id, error }): Claim[] => {
    const draft = drafts[row - 1];
    if (!draft) return [];
    const text = `${outcome} ${error?.message ?? ""}`;
    switch (outcome) {
      case "created":
      case "found":
      case "shipped":
      case "cancelled":
        return [{ draft, says: "made", id: Number(id), text }];
      case "refused":
      case "unsent":
        return [{ draft, says: "not made", text }];
      case "unknown":
        return [{ draft, says: "in doubt", text }];
      default:
        return [{ draft, says: "held", text }];
    }
  });
  if (claims.length < drafts.length)
    return drafts.map((draft) => ({
      draft,
      says: "held",
      text: `no report, exit ${exit}: ${lastLine(stderr)}`,
    }));
  return claims;
}

/** What an undo says of an order in doubt names no draft that could be relied on, so only its exit code counts. */
function readUndo(drafts: readonly Draft[], { stdout, stderr, exit }: Ran): Claim[] {
  const [draft] = drafts;
  if (isUndone({ exit, stdout, stderr }) || !draft) return [];
  return [{ draft, says: "held", text: `${stderr} ${stdout}` }];
}

/**
 * What is not told apart for certain: a rewritten order; one of another writer, since the drafts have values of which
 * nothing is learned; a new one whose stamp looks old or is far off, as long as no own order and no Date header has
 * shown what the service's clock says.
 */
function isForPerson({ manners, knows }: Case): boolean {
  return manners.some(({ rewriting, others, lasting }) => {
    const skewMs = lasting?.stampSkewMs;
    const isBehind = typeof skewMs === "number" ? skewMs < 0 : skewMs !== undefined;
    const isUnknown = isBehind || lasting?.hideDate;
    return rewriting || others || (isUnknown && knows === "fresh");
  });
}

/** An order of another writer that equals a draft holds its row: that is told, and a person decides. */
function isEqualElsewhere({ manners, way }: Case, { key }: Draft): boolean {
  const isHeld = manners.some(({ others }) => others === "equal an hour before");
  return isHeld && way.startsWith("import") && ["base", "equal", "everything"].includes(key);
}

function isUndone({ exit, stderr }: Ran): boolean {
  return exit === 0 || /run \d+ has nothing to undo: it created no order/.test(stderr);
}

function lastOfEach(told: readonly Told[]): Claim[] {
  const last = new Map<string, Claim>();
  for (const { claims } of told) for (const claim of claims) last.set(claim.draft.key, claim);
  return [...last.values()];
}

async function importBodies(home: Home, name: string, bodies: readonly OrderBody[]): Promise<Ran> {
  const file = path.join(home.directory, name);
  await writeFile(file, JSON.stringify(bodies));
  return home.courier(["orders", "import", file, "--yes", "--ndjson"]);
}

/** The ledger as it was when the request arrived, and its process dead. */
async function asIfKilled({ home }: Stage, killDir: string): Promise<void> {
  await copyState(killDir, home.stateDir);
  await rm(killDir, { recursive: true, force: true });
  const file = path.join(home.stateDir, "ledger.db");
  const database = await openDatabase({ path: file, title: "ledger", applicationId, migrations });
  const [deadPid, last] = [2 ** 22 + 1, "(SELECT max(number) FROM runs)"];
  await database.transaction(() =>
    database.exec(
      `UPDATE runs SET ended_at = NULL, exit = NULL, pid = ${deadPid}, process_started = NULL WHERE number = ${last}`,
    ),
  );
  database.close();
}

/** Other orders for the same receiver and the same address: two of the telling fields differ. */
function alike(drafts: readonly Draft[]): OrderBody[] {
  const [first] = drafts;
  if (!first) return [];
  const { receiver, item, ...rest } = first.body;
  return [
    { ...rest, receiver: { ...receiver, phone: "13712345678" }, item: { ...item, name: "Umbrella" } },
    { ...rest, receiver: { ...receiver, name: "王五" }, item: { ...item, name: "Umbrella" } },
  ];
}

function bodyOf(drafts: readonly Draft[], key: string): OrderBody {
  const draft = drafts.find((each) => each.key === key);
  if (!draft) throw new Error(`no draft ${key}`);
  return draft.body;
}

function choose(drafts: readonly Draft[], way: Way): readonly Draft[] {
  if (way === "create one") return drafts.filter(({ key }) => key === "everything");
  return way === "create" || way === "api" ? distinct(drafts) : drafts;
}

function distinct(drafts: readonly Draft[]): Draft[] {
  return drafts.filter(({ key }, index) => drafts.findIndex((each) => each.key === key) === index);
}

const keys = new Map<string, string>();

/** The draft that a body was made from: three fields tell all drafts apart. */
function keyOf({ receiver, item }: OrderBody): string {
  const text = (value?: string) => value?.trim().replace(/\s+/g, " ").normalize("NFC");
  const told = (body: Pick<OrderBody, "receiver" | "item">) =>
    JSON.stringify([text(body.receiver.name), text(body.receiver.phone), text(body.item.name)]);
  if (keys.size === 0) for (const { key, body } of draftsFor("")) keys.set(told(body), key);
  return keys.get(told({ receiver, item })) ?? "";
}

function ownOrders(service: UnfaithfulService, key: string): MadeOrder[] {
  return service.orders.filter(({ request, body }) => request && keyOf(body) === key);
}

function createsOf({ requests }: UnfaithfulService): number {
  return requests.filter(({ endpoint }) => endpoint === "create").length;
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}

function transcribe(told: readonly Told[], service: UnfaithfulService): string {
  const runs = told.map(
    ({ command, ran, creates }) =>
      `$ ${command} => exit ${ran.exit}, ${creates} creates\n${ran.stdout}${ran.stderr}`,
  );
  const orders = service.orders.map(
    ({ id, body, request, createdAt, status }) =>
      `${id} ${keyOf(body)} ${request ? `request ${request.number}` : "another writer"} ${createdAt} ${status}`,
  );
  const wire = service.requests
    .slice(0, 60)
    .map(
      ({ endpoint, number, atMs, query, path: at }) =>
        `${new Date(atMs).toISOString()} ${endpoint} ${number} ${at} ${query.page ?? ""}`,
    );
  return [...runs, "orders:", ...orders, "requests:", ...wire].join("\n");
}

/** A breach as a test prints it. */
export function describeBreach({ of, kind, what }: Breach): string {
  return `${nameOf(of)}: ${kind}: ${what}`;
}
