/* Answers that are kept from group to group, so that a message asks the database only for what is its own. */

import type { Stored } from '../../tables/column.ts';
import { keyOfValues } from '../../rows/lookup.ts';
import type { Query, RowLookup } from '../../rows/lookup.ts';
import { accountById, accountTable } from '../../tables/account.ts';
import {
  keywordsOfNumber,
  keywordTable,
  newestRepeat,
  numberByDigits,
  numberTable,
  repeatTable,
} from '../../tables/inbound.ts';
import {
  anyList,
  handlingOfAccount,
  listOfAccount,
  optOutHandlingTable,
  optOutTable,
  optOutWordTable,
  wordsOfAccount,
} from '../../tables/opt-out.ts';
import { carrierById, carrierTable, placesOfRoute, routeCarrierTable, routeTable } from '../../tables/route.ts';
import type { Rows } from '../../tables/rows.ts';
import type { Table } from '../../tables/table.ts';

type Question = RowLookup<unknown> | Query<unknown>;

/** What is asked for each message and seldom changes, with the tables that it is read from. */
const kept = new Map<Question, readonly Table<unknown>[]>([
  [accountById, [accountTable]],
  [carrierById, [carrierTable]],
  [numberByDigits, [numberTable]],
  [keywordsOfNumber, [keywordTable]],
  [newestRepeat, [repeatTable]],
  [listOfAccount, [optOutTable]],
  [anyList, [optOutTable]],
  [handlingOfAccount, [optOutHandlingTable]],
  [wordsOfAccount, [optOutWordTable]],
  [placesOfRoute, [routeTable, routeCarrierTable]],
]);

/** Answers of one lookup, some 20 MB. */
const answersMax = 20_000;

/**
 * With one writing connection, the memory equals the database. A row that is found by its key stays when a commit changed
 * it; any other answer is dropped by a commit that changed a table from which it is read.
 */
export class KeptAnswers {
  readonly #answers = new Map<Question, Map<Stored, readonly unknown[]>>();

  readonly #isKeeping: boolean;

  constructor(isKeeping: boolean) {
    this.#isKeeping = isKeeping;
  }

  /** The kept answer, or the answer of `ask`. */
  get<Row>(of: RowLookup<Row> | Query<Row>, values: readonly Stored[], ask: () => readonly Row[]): readonly Row[] {
    if (!this.#isKeeping || !kept.has(of)) return ask();
    const answers = this.#answers.get(of) ?? new Map<Stored, readonly unknown[]>();
    this.#answers.set(of, answers);
    const key = keyOfValues(values);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- answers are kept by their question
    const known = answers.get(key) as readonly Row[] | undefined;
    if (known) return known;
    if (answers.size >= answersMax) answers.clear();
    const found = ask();
    answers.set(key, found);
    return found;
  }

  committed(rows: Rows): void {
    const byKey: RowLookup<unknown>[] = [];
    for (const of of this.#answers.keys()) {
      if ('table' in of && of.isByKey === true) byKey.push(of);
      else if (kept.get(of)?.some((table) => rows.isChanged(table))) this.#answers.delete(of);
    }
    for (const of of byKey) this.#stay(of, rows);
  }

  #stay(of: RowLookup<unknown>, rows: Rows): void {
    const answers = this.#answers.get(of);
    for (const row of rows.of(of.table)) {
      if (row.change === 'none') continue;
      const key = keyOfValues(of.table.key.write(row));
      if (row.change === 'gone') answers?.delete(key);
      else answers?.set(key, [row]);
      row.change = 'none';
    }
  }

  /** After a rollback: the group may have changed the objects. */
  clear(): void {
    this.#answers.clear();
  }
}
