import type { NumberKeywords } from '../../../core/number/inbound-route.ts';
import { numberKinds } from '@morsel/api/values/number.ts';
import { numberKey } from '../../tables/inbound.ts';
import type { InboundRows } from '../../tables/inbound.ts';
import type { Rows } from '../../tables/rows.ts';
import { integer, text } from '../columns.ts';
import type { Statements } from '../statements.ts';

/**
 * The account of each keyword, by number, in memory because there is one writing connection, so no message causes a
 * query. A group that changes them makes another map, which is used after its commit.
 */
export class KeywordTable {
  #keywords: ReadonlyMap<string, NumberKeywords>;

  constructor(statements: Statements) {
    const words = new Map<string, Map<string, number>>();
    for (const row of statements.all('select * from keyword')) {
      const kind = numberKinds.find((each) => each === row['kind']) ?? 'number';
      const key = numberKey({ kind, digits: text(row, 'digits') });
      const ofNumber = words.get(key) ?? new Map<string, number>();
      words.set(key, ofNumber.set(text(row, 'word'), integer(row, 'account')));
    }
    this.#keywords = new Map(
      [...words].map(([key, ofNumber]) => [key, { words: ofNumber, accounts: new Set(ofNumber.values()) }]),
    );
  }

  begin(rows: Rows): void {
    rows.inbound.keywords = this.#keywords;
  }

  committed(rows: Rows): void {
    this.#keywords = rows.inbound.keywords;
  }
}

/** Before the numbers that the keywords refer to. */
export function writeRemovedKeywords(rows: InboundRows, statements: Statements): void {
  for (const { digits, kind, word, account } of rows.changedKeywords.values()) {
    if (account !== null) continue;
    statements.run('delete from keyword where digits = ? and kind = ? and word = ?', digits, kind, word);
  }
}

/** After the numbers that they refer to. */
export function writeKeywords(rows: InboundRows, statements: Statements): void {
  for (const { digits, kind, word, account, createdAt } of rows.changedKeywords.values()) {
    if (account === null) continue;
    statements.run('insert or replace into keyword values (?, ?, ?, ?, ?)', digits, kind, word, account, createdAt);
  }
}
