/* Views of the removal of old texts, numbers and records. */

import type { retention } from '@morsel/api/admin/privacy/retention.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok } from '@morsel/api/values/result.ts';
import { firstIdAt, instantOf, toMessageId } from '../../../core/base/message-id.ts';
import { daysFor, newAccountSettings, type Retained, retained } from '@morsel/api/values/account.ts';
import { dayMs, type Instant } from '@morsel/api/values/time.ts';
import { integer } from '../../../state/tables/column.ts';
import { leftBehindTable, retentionTable } from '../../../state/tables/privacy/removal.ts';
import { columnOf, shape, type RowOf } from '../../../state/tables/table.ts';
import { eachOf } from '../page.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';

/** The progress of removing one kind of data after one number of days. */
export interface RetentionView extends Shown {
  /** The first message id that is not due for removal. */
  readonly before: number;
}
type Shown = AnswerOf<typeof retention.operations.list>['items'][number];

const countedShape = shape({ days: integer, accounts: integer });

/** Reads a row for each number of days that any account has. */
export async function readRetention(queries: Queries, now: Instant): Promise<readonly RetentionView[]> {
  const stored = await queries.find(retentionTable, 'order by what, days');
  return (await eachOf(retained, (what) => readOf(queries, what, { now, stored }))).flat();
}

export const retentionViews: { readonly 'retention.list': View<'retention.list'> } = {
  'retention.list': async (queries, { now }) => ok({ items: await readRetention(queries, now), next: null }),
};

interface Read {
  readonly now: Instant;
  readonly stored: readonly RowOf<typeof retentionTable>[];
}

async function readOf(queries: Queries, what: Retained, { now, stored }: Read): Promise<RetentionView[]> {
  const setting = daysFor(what);
  const name = columnOf(setting);
  const counted = await queries.rows(
    countedShape,
    `select ${name} as days, count(*) as accounts from account group by ${name} order by ${name}`,
  );
  const usual = newAccountSettings[setting];
  // Inbound messages without an account are kept as long as those of a new account.
  const isUsual = counted.some(({ days }) => days === usual);
  const all = isUsual ? counted : [...counted, { days: usual, accounts: 0 }];
  const left = await queries.value(integer, `select count(*) from ${leftBehindTable.name} where what = ?`, what);
  const table = what.startsWith('inbound') ? 'inbound' : 'message';
  return eachOf([...all.entries()], async ([at, { days, accounts }]) => {
    const row = stored.find((each) => each.what === what && each.days === days);
    const dueUntil = now - days * dayMs;
    const before = firstIdAt(dueUntil);
    const through = row?.through ?? 0;
    const due = `select count(*) from (select 1 from ${table} where id > ? and id < ? limit 1) as due`;
    const isDue = (await queries.value(integer, due, through, before)) === 1;
    return {
      what,
      days,
      accounts,
      dueUntil,
      doneUntil: through === 0 ? null : instantOf(toMessageId(through)),
      removed: row?.removed ?? 0,
      lastAt: row && row.removed > 0 ? row.at : null,
      leftBehind: at === 0 ? (left ?? 0) : 0,
      before,
      isDue,
    };
  });
}
