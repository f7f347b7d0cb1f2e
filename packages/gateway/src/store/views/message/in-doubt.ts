/* Parts in doubt, for lists and for jobs. */

import type { DoubtSettlement } from '@morsel/api/values/message.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { integer, nullable, text } from '../../../state/tables/column.ts';
import { shape } from '../../../state/tables/table.ts';
import { carrierIdOf } from '../account/ids-of-names.ts';
import { pageOf } from '../page.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';
import { Where } from '../where.ts';

const inDoubtShape = shape({
  msgId: integer,
  part: integer,
  numParts: integer,
  account: text,
  receiver: text,
  carrier: text,
  carrierId: integer,
  since: integer,
  times: integer,
  until: nullable(integer),
});

/** A part may be in doubt several times with one carrier; only the first counts. */
const isFirst = `not exists (select 1 from doubt as other where other.message = doubt.message and other.part = doubt.part
  and other.carrier = doubt.carrier and other.attempt < doubt.attempt)`;

/** The parts in doubt that a job settles. */
interface InDoubtFilter {
  readonly carrier: number | null;
  readonly account: number | null;
  /** Only parts that have been in doubt since before this instant. */
  readonly until: Instant | null;
}

async function readParts(
  queries: Queries,
  { carrier, account, until }: InDoubtFilter,
  { after, limit }: { readonly after: string; readonly limit: number },
) {
  const [id = 0, part = 0, last = 0] = after.split('/').map(Number);
  const where = new Where('(doubt.message, doubt.part, doubt.carrier) > (?, ?, ?)', id, part, last);
  // The plus keeps SQLite from the index of carriers, because it would sort all parts of the carrier.
  where.given('+doubt.carrier = ?', carrier).given('message.account = ?', account).given('part.changed_at <= ?', until);
  const rows = await queries.rows(
    inDoubtShape,
    `select part.message as msg_id, part.number as part, message.num_parts, account.name as account, message.receiver, carrier.name as carrier, carrier.id as carrier_id,
        part.changed_at as since, part.in_doubt as times, part.deadline as until
        from doubt join part on part.message = doubt.message and part.number = doubt.part and part.state = 'in_doubt'
        join message on message.id = part.message join account on account.id = message.account
        join carrier on carrier.id = doubt.carrier
        ${where.sql} and ${isFirst} order by doubt.message, doubt.part, doubt.carrier limit ?`,
    ...where.values,
    limit + 1,
  );
  return pageOf(rows, limit, (row) => `${row.msgId}/${row.part}/${row.carrierId}`);
}

const firstPlace = '0/0/0';

/** Reads the parts in doubt of one carrier, or of all carriers, the oldest message first. */
export const inDoubt: View<'message.inDoubt'> = async (queries, { carrier: name, after = firstPlace, limit }) => {
  const carrier = await carrierIdOf(queries, name);
  if (!carrier.ok) return carrier;
  const filter = { carrier: carrier.value ?? null, account: null, until: null };
  return ok(await readParts(queries, filter, { after, limit }));
};

/** Reads the parts in doubt for a job. */
export async function readInDoubt(
  queries: Queries,
  {
    filter,
    after,
    limit,
  }: {
    readonly filter: InDoubtFilter & { readonly as: DoubtSettlement; readonly until: Instant };
    readonly after: string;
    readonly limit: number;
  },
) {
  const { items, next } = await readParts(queries, filter, { after: after === '' ? firstPlace : after, limit });
  return { rows: items.map(({ msgId: message, part }) => ({ message, part })), next };
}
