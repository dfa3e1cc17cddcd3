/** A shop's week: imports, edits, cancels and undos in any order, at a service that loses answers and exchanges them. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createRandom } from "../../src/sandbox/random.ts";
import { copyState } from "../support/copy-state.ts";
import { rewritings } from "../support/rewritings.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";
import type { Fate, MadeOrder, Ways } from "../support/unfaithful-ways.ts";
import { createParcels, type Parcel, readWritten, toSheet } from "./parcels.ts";

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;
const lastImports = 4;

interface ReportRow {
  readonly row: number;
  readonly outcome: string;
  readonly id: number | null;
}

/** What went wrong, with all that was done before; empty where nothing did. */
export async function liveWeek(seed: number, steps: number): Promise<readonly string[]> {
  const random = createRandom(seed);
  const chance = (share: number) => random() < share;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  /** Nothing is edited: then another machine and a restored ledger know each row by the list. */
  const isPlain = chance(0.35);
  const hasRefs = chance(0.6);
  const hasNumbers = chance(0.5);
  const lasting: Ways = {
    ...(!isPlain && chance(0.6) ? { rewrite: pick(Object.values(rewritings)) } : {}),
    ...(!isPlain && chance(0.4) ? { listLagMs: pick([3, 40, 240, 540]) * second } : {}),
    ...(chance(0.2) ? { stampSkewMs: pick([-5, 3]) * minute } : {}),
    ...(chance(0.2) ? { pageCap: 3, hideTotals: chance(0.5) } : {}),
    ...(chance(0.15) ? { detailLagMs: 20 * second } : {}),
  };
  const { service, clock, ...home } = await createUnfaithfulHome();
  const parcels = createParcels(random, hasRefs);
  for (let count = 4 + Math.floor(random() * 5); count > 0; count--) parcels.add();
  let rows: readonly Parcel[] = [...parcels.all];
  /** The orders that the ledger does not know: of another machine, or younger than the copy that was restored. */
  let foreign: ReadonlySet<number> = new Set();
  /** When the first single create of a parcel without a ref was sent whose outcome was not known. */
  const lostAt = new Map<Parcel, number>();
  const log: string[] = [];
  const problems: string[] = [];
  const file = () => path.join(home.directory, name);
  let name = "day.csv";

  const liveOf = (parcel: Parcel) =>
    service.orders.filter((order) => order.status !== "cancelled" && parcels.ownerOf(order) === parcel);
  const orderOf = (id: unknown) => service.orders.find((order) => String(order.id) === String(id));
  const describe = ({ id, status, createdAt, ...order }: MadeOrder) =>
    `order ${id} of parcel ${parcels.ownerOf(order)?.number}, ${status}, ${createdAt}`;

  function setWeather(lossRate: number, delayMs: number, exchangeRate: number, refused: string | undefined) {
    let fate: Fate = "answered";
    service.ways = {
      ...lasting,
      loss: () => {
        clock.advance(100);
        fate = chance(lossRate) ? pick<Fate>(["before", "after", "after", "dropped"]) : "answered";
        return fate;
      },
      commitDelayMs: () => (fate === "dropped" ? delayMs : 0),
      failWithoutCommit: ({ body }) =>
        refused !== undefined && body.includes(refused)
          ? { status: 400, code: "INVALID_PARAMETER", details: { field: "receiver.phone", value: refused } }
          : undefined,
      failAfterCommit: () => (chance(lossRate / 6) ? { status: 500, code: "INTERNAL" } : undefined),
      answerWith: () => (chance(exchangeRate) ? service.orders.at(-1)?.id : undefined),
    };
    log.push(
      `  loss ${lossRate}, delay ${delayMs} ms, exchange ${exchangeRate}, refused ${refused ?? "none"}`,
    );
  }

  async function run(
    words: readonly string[],
    options: { readonly stdin?: string; readonly state?: string | undefined } = {},
  ) {
    const { stdin, state } = options;
    const ran = await home.courier(words, {
      ...(stdin === undefined ? {} : { stdin }),
      ...(state === undefined ? {} : { env: { COURIER_STATE_DIR: state } }),
    });
    log.push(
      `${new Date(clock.now()).toISOString()} $ ${words.join(" ")} => ${ran.exit}`,
      ran.stdout + ran.stderr,
    );
    if (ran.exit === 70) problems.push("exit code 70");
    return ran;
  }

  async function importSheet(words = "", state?: string) {
    await writeFile(file(), toSheet(rows));
    const numbersBefore = new Map(rows.map((parcel) => [parcel, parcel.written?.[0] ?? ""]));
    log.push(
      `  rows of parcels ${rows.map(({ number, edits }) => `${number}${"'".repeat(edits)}`).join(" ")}`,
    );
    const flags = words.split(" ").filter(Boolean);
    const { stdout } = await run(["orders", "import", file(), "--yes", "--ndjson", ...flags], { state });
    const report = stdout.split("\n").filter((line) => line.startsWith("{"));
    for (const row of report.map((line): ReportRow => JSON.parse(line))) checkRow(row, numbersBefore);
    if (!isWritten(words)) return;
    const text = await readFile(file(), "utf8");
    log.push(text);
    readWritten(text, rows);
    for (const [parcel, before] of numbersBefore) checkWritten(parcel, before);
  }

  const isWritten = (words: string) => words.includes("--in-place");

  /** The number beside a row is that of its order, and no number of a parcel that is on its way is lost. */
  function checkWritten(parcel: Parcel, before: string) {
    const [number = "", , state] = parcel.written ?? [];
    const [order, former] = [ofNumber(number), ofNumber(before)];
    const what = `sheet of parcel ${parcel.number}: ${number} ${state}, before ${before}`;
    if (order && parcels.ownerOf(order) !== parcel) problems.push(`${what}: ${describe(order)}`);
    // A row with another name and another phone is one of another person.
    const isSame = parcel.edits < 2 && former !== undefined && parcels.ownerOf(former) === parcel;
    const isLost = isSame && former.status !== "cancelled";
    if (isLost && !order) problems.push(`${what}: ${describe(former)}`);
  }

  const ofNumber = (wanted: string) => service.orders.find(({ trackingNumber }) => trackingNumber === wanted);

  /** Of a row that counts as shipped by the number beside it, only that is known. */
  function checkRow({ row, outcome, id }: ReportRow, numbers: ReadonlyMap<Parcel, string>) {
    const parcel = rows[row - 1] as Parcel;
    const order = id === null ? ofNumber(numbers.get(parcel) ?? "") : orderOf(id);
    const what = `row of parcel ${parcel.number}: ${outcome} ${id}`;
    if (["created", "found", "shipped"].includes(outcome)) {
      if (!order || parcels.ownerOf(order) !== parcel)
        problems.push(`${what}: ${order ? describe(order) : "none"}`);
      parcel.isOpen = false;
    }
    if (outcome === "refused" && liveOf(parcel).length > 0) problems.push(what);
    const isOfOther = order !== undefined && parcels.ownerOf(order) !== parcel;
    if (outcome === "cancelled" && order && (order.status !== "cancelled" || isOfOther))
      problems.push(`${what}: ${describe(order)}`);
  }

  function checkPrinted(what: string, parcel: Parcel, { exit, stdout }: { exit: number; stdout: string }) {
    if (exit !== 0) return;
    const order = orderOf(JSON.parse(stdout).id);
    if (!order || parcels.ownerOf(order) !== parcel)
      problems.push(`${what} of parcel ${parcel.number}: ${order ? describe(order) : stdout}`);
    parcel.isOpen = false;
  }

  async function create() {
    const parcel = pick(rows);
    // Of a row without a ref that was edited, or is known to be an order, a create makes another one, with a warning.
    if (!hasRefs && (parcel.edits > 0 || !parcel.isOpen)) return;
    // A single create compares with the ledger alone.
    if (liveOf(parcel).some(({ id }) => foreign.has(id))) return;
    const ref = hasRefs ? ["--ref", parcel.ref] : [];
    const words = ["orders", "create", "--file", "-", "--yes", "--json", ...ref];
    const ran = await run(words, { stdin: JSON.stringify(parcel.body) });
    if (ran.exit === 6 && !hasRefs && !lostAt.has(parcel)) lostAt.set(parcel, clock.now());
    checkPrinted("create", parcel, ran);
  }

  async function cancel() {
    const standing = service.orders.filter(({ status }) => status !== "cancelled");
    if (standing.length === 0) return;
    const order = pick(standing);
    const owner = parcels.ownerOf(order) as Parcel;
    const isByRef = hasRefs && chance(0.6);
    const name = isByRef ? `ref:${owner.ref}` : String(order.id);
    const { exit, stdout } = await run(["orders", "cancel", name, "--yes", "--json"]);
    if (exit !== 0) return;
    for (const { id } of JSON.parse(stdout))
      if (orderOf(id)?.status !== "cancelled") problems.push(`cancel of ${describe(order)}`);
    owner.isOpen = false;
  }

  async function undo() {
    const found = chance(0.4) ? ["--include-found"] : [];
    await run(["undo", String(1 + Math.floor(random() * 4)), "--yes", ...found]);
    for (const order of service.orders) {
      const owner = parcels.ownerOf(order);
      if (owner && liveOf(owner).length === 0) owner.isOpen = false;
    }
  }

  /** A person who looked at the service says what is true. */
  async function resolve() {
    const { exit, stdout } = await run(["orders", "resolve", "--json"]);
    const open: { operation: string; ref: string | null }[] = exit === 0 ? JSON.parse(stdout) : [];
    const parcel = parcels.all.find(({ ref }) => ref !== "" && ref === open[0]?.ref);
    if (!parcel || service.uncommitted > 0) return;
    const made = service.orders.filter((order) => parcels.ownerOf(order) === parcel);
    if (made.length > 1) return;
    const outcome = made[0] ? ["--as", String(made[0].id)] : ["--not-created"];
    await run(["orders", "resolve", open[0]?.operation ?? "", ...outcome, "--yes"]);
  }

  function edit() {
    const able = rows.filter((each) => (hasRefs ? each.edits < 5 : each.isOpen && each.edits < 1));
    if (!isPlain && able.length > 0) parcels.edit(pick(able));
  }

  const backup = path.join(home.directory, "backup");
  let known: ReadonlySet<number> | undefined;
  const madeIds = () => service.orders.map(({ id }) => id);
  async function keepBackup() {
    await copyState(home.stateDir, backup);
    known = new Set(madeIds().filter((id) => !foreign.has(id)));
    log.push("  backup");
  }
  async function restore() {
    if (!known) return;
    clock.advance(5 * second); // what was sent is listed
    await copyState(backup, home.stateDir);
    const restored = known;
    foreign = new Set(madeIds().filter((id) => !restored.has(id)));
    log.push("  restored");
  }
  /** Another machine imports the sheet, or takes back what it has sent. */
  async function workElsewhere() {
    clock.advance(5 * second);
    const before = new Set(madeIds());
    const state = path.join(home.directory, "another machine");
    if (chance(0.3)) await run(["undo", String(1 + Math.floor(random() * 2)), "--yes"], { state });
    else await importSheet(hasNumbers && chance(0.7) ? "--in-place" : "", state);
    clock.advance(5 * second); // what was sent is made
    foreign = new Set([...foreign, ...madeIds().filter((id) => !before.has(id))]);
  }

  const actions: readonly (readonly [weight: number, act: () => unknown])[] = [
    [5, () => importSheet()],
    [1, () => importSheet("--concurrency 1")],
    [hasNumbers ? 4 : 0, () => importSheet("--in-place")],
    [hasNumbers ? 1 : 0, () => importSheet("--in-place --skip-shipped")],
    [1, () => importSheet("--skip-shipped")],
    [1, () => importSheet("--retry-refused --skip-changed")],
    [5, edit],
    [2, () => parcels.respell(pick(rows))],
    [1, () => (rows = [...rows, parcels.add()])],
    [1, () => (rows = rows.toSorted(() => random() - 0.5))],
    [1, () => (rows = rows.length > 1 ? rows.slice(1) : rows)],
    [1, () => (rows = [...parcels.all])],
    [1, () => (name = pick(["day.csv", "day2.csv", "copy.csv"]))],
    [2, create],
    [1, cancel],
    [1, undo],
    [1, resolve],
    [1, () => run(["orders", "list", "--all", "--json"])],
    [1, () => run(["sync"])],
    [3, () => clock.advance(pick([2, 20, 90, 300, 1_200, 7_200, 90_000]) * second)],
    [
      2,
      () => {
        const refused = chance(0.3) ? pick(rows).body.receiver.phone : undefined;
        // Another machine cannot tell a lost answer from an exchanged one.
        setWeather(
          pick([0, 0, 0.2, 0.5, 1]),
          pick([0, 0, 500, 1_800]),
          isPlain ? 0 : pick([0, 0, 0, 0.3]),
          refused,
        );
      },
    ],
    [
      hasRefs ? 1 : 0,
      async () => {
        const parcel = pick(parcels.all);
        checkPrinted("show", parcel, await run(["orders", "show", `ref:${parcel.ref}`, "--json"]));
      },
    ],
    [isPlain ? 2 : 0, keepBackup],
    [isPlain ? 2 : 0, restore],
    [isPlain ? 2 : 0, workElsewhere],
  ];
  const weights = actions.reduce((sum, [weight]) => sum + weight, 0);
  async function act() {
    let left = random() * weights;
    for (const [weight, does] of actions) {
      left -= weight;
      if (left < 0) return does();
    }
  }
  function checkAll() {
    for (const parcel of parcels.all) {
      const live = liveOf(parcel);
      // Once a list has found the order of a single create, it is taken for an edited row for a day only.
      const isLongLost = parcel.edits > 0 && clock.now() - (lostAt.get(parcel) ?? clock.now()) > day;
      if (live.length > 1 && !isLongLost)
        problems.push(`parcel ${parcel.number} has ${live.map(describe).join("; ")}`);
    }
  }

  setWeather(pick([0, 0.2, 0.5, 0.9]), 0, 0, undefined);
  await importSheet();
  for (let step = 0; step < steps && problems.length === 0; step++) {
    await act();
    checkAll();
  }
  setWeather(0, 0, 0, undefined);
  for (let count = 0; count < lastImports && problems.length === 0; count++) {
    clock.advance(40 * minute);
    await importSheet();
    checkAll();
  }
  return problems.length === 0 ? [] : [...problems, ...log, ...service.orders.map(describe), `seed ${seed}`];
}
