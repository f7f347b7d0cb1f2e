import { ok } from '@morsel/api/values/result.ts';
import { integer, nullable, text } from '../../../state/tables/column.ts';
import { shape } from '../../../state/tables/table.ts';
import { carrierIdOf } from '../account/ids-of-names.ts';
import { pageOf } from '../page.ts';
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

/** Reads the parts in doubt of one carrier, or of all carriers, the oldest first. */
export const inDoubt: View<'message.inDoubt'> = async (queries, { carrier: name, after = '0/0/0', limit }) => {
  const carrier = await carrierIdOf(queries, name);
  if (!carrier.ok) return carrier;
  const [id = 0, part = 0, last = 0] = after.split('/').map(Number);
  const where = new Where('(doubt.message, doubt.part, doubt.carrier) > (?, ?, ?)', id, part, last);
  // The plus keeps SQLite from the index of carriers, because it would sort all parts of the carrier.
  where.given('+doubt.carrier = ?', carrier.value);
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
  return ok(pageOf(rows, limit, (row) => `${row.msgId}/${row.part}/${row.carrierId}`));
};
