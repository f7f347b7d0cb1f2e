import type { NumberKeywords } from '../../../core/number/inbound-route.ts';
import { keywordTable, numberKey } from '../../tables/inbound.ts';
import type { Rows } from '../../tables/rows.ts';
import type { Statements } from '../statements.ts';

/**
 * The account of each keyword, by number, in memory because there is one writing connection, so no message causes a
 * query. A group that changes them makes another map, which is used after its commit.
 */
export class KeywordCache {
  #keywords: ReadonlyMap<string, NumberKeywords>;

  constructor(statements: Statements) {
    const byNumber = Map.groupBy(statements.find(keywordTable, ''), numberKey);
    this.#keywords = new Map(
      [...byNumber].map(([key, ofNumber]) => {
        const words = new Map(ofNumber.map(({ word, account }) => [word, account]));
        return [key, { words, accounts: new Set(words.values()) }];
      }),
    );
  }

  begin(rows: Rows): void {
    rows.inbound.keywords = this.#keywords;
  }

  committed(rows: Rows): void {
    this.#keywords = rows.inbound.keywords;
  }
}
