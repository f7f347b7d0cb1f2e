/* Views of numbers and keywords. */

import { ok, refused } from '@morsel/api/values/result.ts';
import { integer, nullable, text } from '../../../state/tables/column.ts';
import { keywordTable, numberTable } from '../../../state/tables/inbound.ts';
import { shape } from '../../../state/tables/table.ts';
import { accountIdOf } from '../account/ids-of-names.ts';
import { pageOf } from '../page.ts';
import type { View } from '../view.ts';
import { Where } from '../where.ts';

/** The account is null for a shared number. `keywords` is the count of the number's keywords. */
const numberShape = shape({ ...numberTable.members, account: nullable(text), keywords: integer });

const listNumbers: View<'number.list'> = async (queries, { account: name, after, limit }) => {
  const account = await accountIdOf(queries, name);
  if (!account.ok) return account;
  const [digits = '', kind = ''] = after?.split('/') ?? [];
  const where = new Where('(number.digits, number.kind) > (?, ?)', digits, kind);
  where.given('number.account = ?', account.value);
  const rows = await queries.rows(
    numberShape,
    `select number.number, number.digits, number.kind, account.name as account, number.created_at,
        (select count(*) from keyword where keyword.digits = number.digits and keyword.kind = number.kind) as keywords
      from number left join account on account.id = number.account ${where.sql}
      order by number.digits, number.kind limit ?`,
    ...where.values,
    limit + 1,
  );
  return ok(pageOf(rows, limit, (row) => `${row.digits}/${row.kind}`));
};

const keywordShape = shape({ ...keywordTable.members, account: text, number: text });

/** Lists keywords by number or account, in the order of their numbers. The number is in the stored form. */
const listKeywords: View<'keyword.list'> = async (queries, { number, kind, account: name, after, limit }) => {
  if (number === undefined && kind === 'prefix')
    return refused({ code: 'invalid_parameter', field: 'kind', detail: 'must be given together with number' });
  const account = await accountIdOf(queries, name);
  if (!account.ok) return account;
  // The declaration of the operation has checked the form of `after`.
  const [fromDigits = '', fromKind = '', fromWord = ''] = after?.split('/') ?? [];
  const where = new Where('(keyword.digits, keyword.kind, keyword.word) > (?, ?, ?)', fromDigits, fromKind, fromWord);
  where.given('keyword.account = ?', account.value);
  if (number !== undefined) {
    const digits = number.replace(/^\+/, '');
    if (!(await queries.first(numberTable, 'where digits = ? and kind = ?', digits, kind))) {
      const detail = `no account has the ${kind} ${number}: number list shows the account of each number`;
      return refused({ code: 'does_not_exist', detail });
    }
    where.and('keyword.digits = ? and keyword.kind = ?', digits, kind);
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
  return ok(pageOf(rows, limit, (row) => `${row.digits}/${row.kind}/${row.word}`));
};

export const numberViews = { 'number.list': listNumbers, 'keyword.list': listKeywords };
