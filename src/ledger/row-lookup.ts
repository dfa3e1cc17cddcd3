/** What the ledger has of the rows of a batch, asked for all of them at once. */

import type { SqlRow } from "../sqlite/driver.ts";
import { ofContents, ofName, ofRefs } from "./find-operations.ts";
import { nameOperation, type Operation, type OperationName } from "./operation.ts";
import { contentsBefore } from "./order-of-row.ts";
import { type FileFacts, type RowToSend, recordedContents } from "./row-to-send.ts";
import { askTogether, type Work } from "./statements.ts";

/** Creates that may be of a row, or of one like it. */
export interface Known {
  /** By today's content, and by those that earlier versions recorded of the same data. */
  readonly same: readonly Operation[];
  readonly named: readonly Operation[];
  /** With the number of the row's cells. */
  readonly numbered: Operation | undefined;
  /** By the contents and the refs that the row had in its former readings. */
  readonly formerSame: readonly Operation[];
  readonly formerNamed: readonly Operation[];
  /** By the contents that the row had with earlier default senders. */
  readonly ofOtherSender: readonly Operation[];
}

export function createRowLookup(
  readAll: (rows: readonly SqlRow[]) => Operation[],
  customer: number,
  rows: readonly RowToSend[],
  file: FileFacts,
) {
  /** What was not asked yet has no entry. */
  const byContent = new Map<string, Operation[]>();
  const byRef = new Map<string, Operation[]>();
  const byName = new Map<string, Operation | undefined>();
  const numberedOf = ({ row }: RowToSend) => file.byNumber?.numberOf(row)?.operation;
  const before = new Map(rows.map((row) => [row, contentsBefore(row, file)]));
  /** Equal rows may have been written in several ways. */
  const recorded = new Map<string, Set<string>>();
  for (const row of rows) {
    const known = recorded.get(row.content) ?? new Set();
    for (const each of recordedContents(row)) recorded.set(row.content, known.add(each));
  }
  const sameOf = (row: RowToSend) => recorded.get(row.content) ?? new Set(recordedContents(row));
  const formerOf = (row: RowToSend) => {
    const same = sameOf(row);
    return [...new Set(row.former?.map(({ content }) => content))].filter((each) => !same.has(each));
  };
  const contentsOf = (row: RowToSend) => [
    ...new Set([...sameOf(row), ...formerOf(row), ...(before.get(row) ?? [])]),
  ];
  const refsOf = ({ ref, former = [] }: RowToSend) =>
    [...new Set([ref, ...former.map((each) => (ref === undefined ? undefined : each.ref))])].filter(
      (each) => each !== undefined,
    );

  function* askFor(asked: readonly RowToSend[]): Work<void> {
    const contents = without(byContent, asked.flatMap(contentsOf));
    const refs = without(byRef, asked.flatMap(refsOf));
    const names = asked.map(numberedOf).filter((each): each is OperationName => each !== undefined);
    const [same = [], named = [], ...numbered] = yield* askTogether([
      contents.length > 0 ? ofContents(customer, contents) : undefined,
      refs.length > 0 ? ofRefs(customer, file.shop, refs) : undefined,
      ...names.map(ofName),
    ]);
    for (const content of contents) byContent.set(content, []);
    for (const ref of refs) byRef.set(ref, []);
    for (const each of readAll(same)) byContent.get(each.content ?? "")?.push(each);
    for (const each of readAll(named)) byRef.get(each.ref ?? "")?.push(each);
    for (const [index, name] of names.entries())
      byName.set(nameOperation(name), readAll(numbered[index] ?? [])[0]);
  }

  return {
    /** Asks for all rows before the first is needed. */
    askForAll: () => askFor(rows),
    *find(row: RowToSend): Work<Known> {
      const { ref } = row;
      if (byContent.size === 0) yield* askFor(rows.slice(rows.indexOf(row)));
      const isKnown =
        contentsOf(row).every((each) => byContent.has(each)) && refsOf(row).every((each) => byRef.has(each));
      if (!isKnown) yield* askFor([row]);
      const numbered = numberedOf(row);
      return {
        same: [...sameOf(row)]
          .flatMap((each) => byContent.get(each) ?? [])
          .sort((a, b) => a.run - b.run || a.number - b.number),
        named: byRef.get(ref ?? "") ?? [],
        numbered: numbered && byName.get(nameOperation(numbered)),
        formerSame: formerOf(row).flatMap((each) => byContent.get(each) ?? []),
        formerNamed: refsOf(row).flatMap((each) => (each === ref ? [] : (byRef.get(each) ?? []))),
        ofOtherSender: (before.get(row) ?? []).flatMap((each) => byContent.get(each) ?? []),
      };
    },
    /** A row was sent: rows like it are looked up anew. */
    forget({ content, ref }: RowToSend): void {
      byContent.delete(content);
      if (ref !== undefined) byRef.delete(ref);
    },
    forgetAll(): void {
      for (const each of [byContent, byRef, byName]) each.clear();
    },
  };
}

function without(known: ReadonlyMap<string, unknown>, keys: readonly string[]): readonly string[] {
  return [...new Set(keys)].filter((each) => !known.has(each));
}
