/* Answers to lookups, kept from group to group, so that a message asks the database only for its own rows. */

import { PassingMap } from '../../core/base/passing-map.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Stored } from '../tables/column.ts';
import { keyOfValues, type Query, type RowLookup } from '../tables/lookup.ts';
import {
  accountById,
  accountTable,
  encryptionKeyTable,
  keysOfAccount,
  loginByUser,
  loginsOfAccount,
  loginTable,
  tokenById,
  tokenTable,
} from '../tables/account.ts';
import {
  keywordsOfNumber,
  keywordTable,
  newestRepeat,
  numberByDigits,
  numberTable,
  repeatTable,
} from '../tables/inbound.ts';
import {
  anyErased,
  anyList,
  erasedOfAccount,
  handlingOfAccount,
  listOfAccount,
  optOutHandlingTable,
  optOutTable,
  optOutWordTable,
  wordsOfAccount,
} from '../tables/opt-out.ts';
import { notificationById, notificationTable, type NotificationRow } from '../tables/notification.ts';
import { webhookById, webhooksOfAccount, webhookTable } from '../tables/webhook.ts';
import { carrierById, carrierTable, placesOfRoute, routeCarrierTable, routeTable } from '../tables/route.ts';
import { learningOfCarrier, learningTable } from '../tables/learning.ts';
import { doubtTable, mayDoubt } from '../tables/message.ts';
import { numberKeyById, numberKeyTable } from '../tables/privacy/removal.ts';
import { hasUnmatched, unmatchedReceiptTable } from '../tables/receipt.ts';
import type { Rows } from './rows.ts';
import type { Table } from '../tables/table.ts';

/** Which answers are kept for later groups: all, or only those that stay right when several nodes write. */
export type Keeping = 'all' | 'shared';

type Question = RowLookup<unknown> | Query<unknown>;

interface Kept {
  /** The tables that the answer is read from. */
  readonly from: readonly Table<unknown>[];
  /**
   * How the answer is kept if several nodes write. Undefined: as with one node. Then each commit compares the version
   * of the settings or of the row.
   * - `no`: not kept.
   * - `a second`: kept for a second. Only receipts without a match use it, and they are checked again each second.
   * - `with its account`: kept while the account's count of these changes is unchanged (`optOutChanges`). Accepted
   *   messages compare it when they write the account's row.
   */
  readonly amongNodes?: 'no' | 'a second' | 'with its account';
  /** Only these rows may be asked for again; undefined if all may. */
  readonly only?: (row: never) => boolean;
}

/** Lookups of each message or notification whose rows seldom change. Members that they find rows by never do. */
const kept = new Map<Question, Kept>([
  [accountById, { from: [accountTable] }],
  [keysOfAccount, { from: [encryptionKeyTable] }],
  [tokenById, { from: [tokenTable] }],
  [loginByUser, { from: [loginTable] }],
  [carrierById, { from: [carrierTable] }],
  [numberByDigits, { from: [numberTable] }],
  [keywordsOfNumber, { from: [keywordTable] }],
  [newestRepeat, { from: [repeatTable], amongNodes: 'no' }],
  [listOfAccount, { from: [optOutTable], amongNodes: 'with its account' }],
  [erasedOfAccount, { from: [optOutTable], amongNodes: 'with its account' }],
  [anyErased, { from: [optOutTable], amongNodes: 'no' }],
  [numberKeyById, { from: [numberKeyTable], amongNodes: 'no' }],
  [anyList, { from: [optOutTable], amongNodes: 'no' }],
  [handlingOfAccount, { from: [optOutHandlingTable] }],
  [wordsOfAccount, { from: [optOutWordTable] }],
  [placesOfRoute, { from: [routeTable, routeCarrierTable] }],
  [webhooksOfAccount, { from: [webhookTable] }],
  [loginsOfAccount, { from: [loginTable] }],
  [webhookById, { from: [webhookTable] }],
  [notificationById, { from: [notificationTable], only: ({ state }: NotificationRow) => state === 'waiting' }],
  [learningOfCarrier, { from: [learningTable], amongNodes: 'a second' }],
  [hasUnmatched, { from: [unmatchedReceiptTable], amongNodes: 'a second' }],
  [mayDoubt, { from: [doubtTable], amongNodes: 'a second' }],
]);

function questionsKept(amongNodes: Kept['amongNodes']): Question[] {
  return [...kept].filter(([, how]) => how.amongNodes === amongNodes).map(([of]) => of);
}

const keptASecond = questionsKept('a second');
const keptWithAccount = questionsKept('with its account');

const secondMs = 1_000;

/** The most answers that are kept of one lookup, some 20 MB. */
const answersMax = 20_000;

type Answers = PassingMap<Stored, readonly unknown[]>;

/**
 * With one writing connection, the memory equals the database. After a commit, a changed row that is found by its key
 * is kept. An answer found by other members is dropped if one of its rows changed. Any other answer is dropped by a
 * commit that changed a table from which the answer is read.
 */
export class KeptAnswers {
  readonly #answers = new Map<Question, Answers>();

  readonly #keeping: Keeping;
  #secondBegan = 0;

  constructor(keeping: Keeping) {
    this.#keeping = keeping;
  }

  /** Begins a group at this time. The clock may have been set back, so both directions count. */
  begin(at: Instant): void {
    if (this.#keeping !== 'shared' || Math.abs(at - this.#secondBegan) < secondMs) return;
    this.#secondBegan = at;
    for (const of of keptASecond) this.#answers.delete(of);
  }

  /** The kept answer, or else the answer of `ask`, which is undefined until it is loaded. */
  get<Row>(
    of: RowLookup<Row> | Query<Row>,
    values: readonly Stored[],
    ask: () => readonly Row[] | undefined,
  ): readonly Row[] | undefined {
    const how = kept.get(of);
    if (!how || !this.#mayKeep(how)) return ask();
    const known = this.kept(of, values);
    if (known) return known;
    const key = keyOfValues(values);
    const found = ask();
    if (found?.every((row) => mayStay(how, row)) === true) put(this.#answersOf(of), key, found);
    if (of === accountById) for (const other of keptWithAccount) this.#answersOf(other).delete(key);
    return found;
  }

  /** The answer in memory; undefined if it is not kept. */
  kept<Row>(of: RowLookup<Row> | Query<Row>, values: readonly Stored[]): readonly Row[] | undefined {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- answers are kept by their question
    return this.#answers.get(of)?.get(keyOfValues(values)) as readonly Row[] | undefined;
  }

  forget(of: Question, values: readonly Stored[]): void {
    this.#answers.get(of)?.delete(keyOfValues(values));
  }

  committed(rows: Rows): void {
    const changed = [...kept].filter(([, { from }]) => from.some((table) => rows.isChanged(table)));
    for (const [of, how] of changed) {
      if ('table' in of && of.placeOf) this.#follow(of, how, rows);
      else this.#answers.delete(of);
    }
    for (const [, { from }] of changed) for (const table of from) for (const row of rows.of(table)) row.change = 'none';
  }

  /** Keeps changed rows that are found by their key. Drops other answers that contain a changed row. */
  #follow(of: RowLookup<unknown>, how: Kept, rows: Rows): void {
    const answers = this.#answersOf(of);
    for (const row of rows.of(of.table)) {
      if (row.change === 'none') continue;
      const key = keyOfValues(of.placeOf?.(row) ?? []);
      if (of.isByKey && row.change !== 'gone' && mayStay(how, row)) put(answers, key, [row]);
      else answers.delete(key);
    }
  }

  #mayKeep({ amongNodes }: Kept): boolean {
    return this.#keeping === 'all' || (this.#keeping === 'shared' && amongNodes !== 'no');
  }

  #answersOf(of: Question): Answers {
    const answers = this.#answers.get(of) ?? new PassingMap<Stored, readonly unknown[]>();
    this.#answers.set(of, answers);
    return answers;
  }

  /** Drops the kept accounts, and the answers that are kept with an account. */
  forgetAccounts(): void {
    for (const of of [accountById, ...keptWithAccount]) this.#answers.delete(of);
  }

  /** Called after a rollback: drops the answers that the group has read, and those with an object that it has changed. */
  rolledBack(rows: Rows): void {
    for (const [of, { from }] of kept) {
      const answers = this.#answers.get(of);
      if (!answers) continue;
      for (const key of rows.asked(of)) answers.delete(key);
      if (!from.some((table) => rows.isChanged(table))) continue;
      if ('table' in of && of.isByKey) this.#dropChanged(of, answers, rows);
      else answers.clear();
    }
  }

  #dropChanged({ table, placeOf }: RowLookup<unknown>, answers: Answers, rows: Rows): void {
    for (const row of rows.of(table)) {
      if (row.change !== 'none') answers.delete(keyOfValues(placeOf?.(row) ?? []));
    }
  }

  /** Called after a change of settings. */
  clear(): void {
    this.#answers.clear();
  }
}

function mayStay({ only }: Kept, row: unknown): boolean {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a lookup and its condition have rows of one type
  return only?.(row as never) ?? true;
}

/** Keeps an answer, and drops the oldest answers if there are too many. */
function put(answers: Answers, key: Stored, found: readonly unknown[]): void {
  answers.set(key, found);
  const { oldest } = answers;
  if (answers.size > answersMax && oldest !== undefined) answers.delete(oldest);
}
