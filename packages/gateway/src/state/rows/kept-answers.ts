/* Answers that are kept from group to group, so that a message asks the database only for what is its own. */

import type { Instant } from '@morsel/api/values/time.ts';
import type { Stored } from '../tables/column.ts';
import { keyOfValues, type Query, type RowLookup } from '../tables/lookup.ts';
import {
  accountById,
  accountTable,
  encryptionKeyTable,
  keysOfAccount,
  loginBySystemId,
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
import { evidenceFor, evidenceTable, learningOfCarrier, learningTable } from '../tables/learning.ts';
import { doubtTable, mayDoubt } from '../tables/message.ts';
import { numberKeyById, numberKeyTable } from '../tables/privacy/removal.ts';
import { hasUnmatched, unmatchedReceiptTable } from '../tables/receipt.ts';
import type { Rows } from './rows.ts';
import type { Table } from '../tables/table.ts';

/** What is kept from group to group: all, only what is right with several nodes, or nothing. */
export type Keeping = 'all' | 'shared' | 'nothing';

type Question = RowLookup<unknown> | Query<unknown>;

interface Kept {
  /** The tables that the answer is read from. */
  readonly from: readonly Table<unknown>[];
  /**
   * How it is kept where several nodes write. Without it, as long as with one: it is the operator's settings, whose
   * version is compared in each commit, or rows whose own version is compared when they are written.
   * `no`: not at all. `a second`: the decision may be a second late, because a receipt that fits nothing is looked at
   * again each second. `with its account`: a command that changes it writes the account's row, too, and so does a message that is accepted.
   */
  readonly amongNodes?: 'no' | 'a second' | 'with its account';
  /** Rows that may be asked for again; without it, all. */
  readonly only?: (row: never) => boolean;
}

/** What is asked for each message or notification and seldom changes. Members that rows are found by never change. */
const kept = new Map<Question, Kept>([
  [accountById, { from: [accountTable] }],
  [keysOfAccount, { from: [encryptionKeyTable] }],
  [tokenById, { from: [tokenTable] }],
  [loginBySystemId, { from: [loginTable] }],
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
  [evidenceFor, { from: [evidenceTable], amongNodes: 'a second' }],
  [hasUnmatched, { from: [unmatchedReceiptTable], amongNodes: 'a second' }],
  [mayDoubt, { from: [doubtTable], amongNodes: 'a second' }],
]);

function questionsKept(amongNodes: Kept['amongNodes']): Question[] {
  return [...kept].filter(([, how]) => how.amongNodes === amongNodes).map(([of]) => of);
}

const keptASecond = questionsKept('a second');
const keptWithAccount = questionsKept('with its account');

const secondMs = 1_000;

/** Answers of one lookup, some 20 MB. */
const answersMax = 20_000;

type Answers = Map<Stored, readonly unknown[]>;

/**
 * With one writing connection, the memory equals the database. A row that is found by its key stays when a commit changed
 * it, and an answer found by other members is dropped with the change of a row that belongs to it. Any other answer is
 * dropped by a commit that changed a table from which it is read.
 */
export class KeptAnswers {
  readonly #answers = new Map<Question, Answers>();

  readonly #keeping: Keeping;
  #secondBegan = 0;

  constructor(keeping: Keeping) {
    this.#keeping = keeping;
  }

  /** Begins a group at this time. The clock may be set back. */
  begin(at: Instant): void {
    if (this.#keeping !== 'shared' || Math.abs(at - this.#secondBegan) < secondMs) return;
    this.#secondBegan = at;
    for (const of of keptASecond) this.#answers.delete(of);
  }

  /** The kept answer, or the answer of `ask`, if there is one yet. */
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

  /** What is kept of an answer. */
  kept<Row>(of: RowLookup<Row> | Query<Row>, values: readonly Stored[]): readonly Row[] | undefined {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- answers are kept by their question
    return this.#answers.get(of)?.get(keyOfValues(values)) as readonly Row[] | undefined;
  }

  forget(of: Question, values: readonly Stored[]): void {
    this.#answers.get(of)?.delete(keyOfValues(values));
  }

  committed(rows: Rows): void {
    if (this.#keeping === 'nothing') return;
    const changed = [...kept].filter(([, { from }]) => from.some((table) => rows.isChanged(table)));
    for (const [of, how] of changed) {
      if ('table' in of && of.placeOf) this.#follow(of, how, rows);
      else this.#answers.delete(of);
    }
    for (const [, { from }] of changed) for (const table of from) for (const row of rows.of(table)) row.change = 'none';
  }

  /** Keeps changed rows that are found by their key, and drops other answers that they belong to. */
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
    const answers = this.#answers.get(of) ?? new Map<Stored, readonly unknown[]>();
    this.#answers.set(of, answers);
    return answers;
  }

  /** Drops accounts, and what is kept with them. */
  forgetAccounts(): void {
    for (const of of [accountById, ...keptWithAccount]) this.#answers.delete(of);
  }

  /** After a rollback the group may have changed the objects, and after a change of settings they are old. */
  clear(): void {
    this.#answers.clear();
  }
}

function mayStay({ only }: Kept, row: unknown): boolean {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a lookup and its condition have rows of one type
  return only?.(row as never) ?? true;
}

/** Keeps an answer in the place of the oldest ones. */
function put(answers: Answers, key: Stored, found: readonly unknown[]): void {
  answers.set(key, found);
  for (const oldest of answers.keys()) {
    if (answers.size <= answersMax) break;
    answers.delete(oldest);
  }
}
