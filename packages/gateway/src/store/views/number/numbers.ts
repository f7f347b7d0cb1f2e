/* Views of numbers and keywords. */

import { integer, nullable, text } from '../../../state/tables/column.ts';
import { keywordTable, numberTable, type KeywordRow } from '../../../state/tables/inbound.ts';
import { shape, type ShapeOf } from '../../../state/tables/table.ts';
import { pageOf, type ListInput, type Page } from '../page.ts';
import type { Queries } from '../queries.ts';
import { Where } from '../where.ts';

/** The account is null for a shared number. `keywords` says how many keywords the number has. */
const numberShape = shape({ ...numberTable.members, account: nullable(text), keywords: integer });
type NumberView = ShapeOf<typeof numberShape>;

/** Reads the numbers of an account, or of all accounts. `after` has the digits and the kind of a number. */
export async function readNumbers(
  queries: Queries,
  { account, after, limit }: ListInput & { readonly account: string | null },
): Promise<Page<NumberView>> {
  const [digits = '', kind = ''] = after?.split('/') ?? [];
  const where = new Where('(number.digits, number.kind) > (?, ?)', digits, kind);
  where.given('number.account = (select id from account where name = ?)', account);
  const rows = await queries.rows(
    numberShape,
    `select number.number, number.digits, number.kind, account.name as account, number.created_at,
        (select count(*) from keyword where keyword.digits = number.digits and keyword.kind = number.kind) as keywords
      from number left join account on account.id = number.account ${where.sql}
      order by number.digits, number.kind limit ?`,
    ...where.values,
    limit + 1,
  );
  return pageOf(rows, limit, (row) => `${row.digits}/${row.kind}`);
}

/** The last keyword of a page, with its number. */
export type KeywordPlace = Pick<KeywordRow, 'digits' | 'kind' | 'word'>;

export interface FindKeywordsInput {
  readonly number: Omit<KeywordPlace, 'word'> | null;
  readonly account: string | null;
  readonly after: KeywordPlace | null;
  readonly limit: number;
}

const keywordShape = shape({ ...keywordTable.members, account: text, number: text });
type KeywordView = ShapeOf<typeof keywordShape>;

/** Finds keywords by number or account, in the order of their numbers. Undefined if the number does not exist. */
export async function findKeywords(queries: Queries, input: FindKeywordsInput): Promise<Page<KeywordView> | undefined> {
  const { number, account, after, limit } = input;
  const { digits = '', kind = '', word = '' } = after ?? {};
  const where = new Where('(keyword.digits, keyword.kind, keyword.word) > (?, ?, ?)', digits, kind, word);
  where.given('keyword.account = (select id from account where name = ?)', account);
  if (number) {
    if (!(await queries.first(numberTable, 'where digits = ? and kind = ?', number.digits, number.kind)))
      return undefined;
    where.and('keyword.digits = ? and keyword.kind = ?', number.digits, number.kind);
  }
  const rows = await queries.rows(
    keywordShape,
    `select keyword.digits, keyword.kind, keyword.word, keyword.created_at, number.number, account.name as account
      from keyword join number on number.digits = keyword.digits and number.kind = keyword.kind
      join account on account.id = keyword.account ${where.sql}
      order by keyword.digits, keyword.kind, keyword.word limit ?`,
    ...where.values,
    limit + 1,
  );
  return pageOf(rows, limit, (row) => `${row.digits}/${row.kind}/${row.word}`);
}
