/* Views of numbers and keywords. */

import { numberKinds } from '@morsel/api/values/number.ts';
import type { NumberKind } from '@morsel/api/values/number.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { integer, text, textOrNull } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import { pageOf } from '../page.ts';
import type { ListInput, Page } from '../page.ts';
import type { Queries } from '../queries.ts';

export interface NumberView {
  readonly number: string;
  readonly kind: NumberKind;
  /** The account of the number; null for a shared number. */
  readonly account: string | null;
  /** How many keywords the number has. */
  readonly keywords: number;
  readonly createdAt: Instant;
}

/** Reads the numbers of an account, or of all accounts. `after` has the digits and the kind of a number. */
export function readNumbers(
  queries: Queries,
  { account, after, limit }: ListInput & { readonly account: string | null },
): Page<NumberView> {
  const [digits = null, kind = null] = after?.split('/') ?? [];
  const rows = queries.all(
    `select number.number, number.digits, number.kind, account.name as account, number.created_at,
        (select count(*) from keyword where keyword.digits = number.digits and keyword.kind = number.kind) as keywords
      from number left join account on account.id = number.account
      where (?1 is null or account.name = ?1) and (?2 is null or (number.digits, number.kind) > (?2, ?3))
      order by number.digits, number.kind limit ?4`,
    account,
    digits,
    kind,
    limit + 1,
  );
  const { items, next } = pageOf(rows, limit, (row) => `${text(row, 'digits')}/${text(row, 'kind')}`);
  return {
    items: items.map((row) => ({
      number: text(row, 'number'),
      kind: kindFrom(row),
      account: textOrNull(row, 'account'),
      keywords: integer(row, 'keywords'),
      createdAt: integer(row, 'created_at'),
    })),
    next,
  };
}

/** The last keyword of a page, with its number. */
export interface KeywordPlace {
  readonly digits: string;
  readonly kind: NumberKind;
  readonly word: string;
}

export interface FindKeywordsInput {
  readonly number: Omit<KeywordPlace, 'word'> | null;
  readonly account: string | null;
  readonly after: KeywordPlace | null;
  readonly limit: number;
}

export interface KeywordView {
  readonly number: string;
  readonly kind: NumberKind;
  readonly word: string;
  readonly account: string;
  readonly createdAt: Instant;
}

/** Finds keywords by number or account, in the order of their numbers. Undefined if the number does not exist. */
export function findKeywords(queries: Queries, input: FindKeywordsInput): Page<KeywordView> | undefined {
  const { number, account, after, limit } = input;
  const conditions = ['keyword.word is not null'];
  const values: (string | number)[] = [];
  if (number) {
    if (!queries.get('select 1 from number where digits = ? and kind = ?', number.digits, number.kind))
      return undefined;
    conditions.push('keyword.digits = ? and keyword.kind = ?');
    values.push(number.digits, number.kind);
  }
  if (account !== null) {
    conditions.push('keyword.account = (select id from account where name = ?)');
    values.push(account);
  }
  if (after) {
    conditions.push('(keyword.digits, keyword.kind, keyword.word) > (?, ?, ?)');
    values.push(after.digits, after.kind, after.word);
  }
  const rows = queries.all(
    `select keyword.digits, keyword.kind, keyword.word, keyword.created_at, number.number, account.name as account
      from keyword join number on number.digits = keyword.digits and number.kind = keyword.kind
      join account on account.id = keyword.account where ${conditions.join(' and ')}
      order by keyword.digits, keyword.kind, keyword.word limit ?`,
    ...values,
    limit + 1,
  );
  const { items, next } = pageOf(rows, limit, (row) =>
    ['digits', 'kind', 'word'].map((name) => text(row, name)).join('/'),
  );
  return {
    items: items.map((row) => ({
      number: text(row, 'number'),
      kind: kindFrom(row),
      word: text(row, 'word'),
      account: text(row, 'account'),
      createdAt: integer(row, 'created_at'),
    })),
    next,
  };
}

function kindFrom(row: Record): NumberKind {
  return numberKinds.find((kind) => kind === row['kind']) ?? 'number';
}
