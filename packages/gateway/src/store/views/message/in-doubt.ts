import type { message } from '@morsel/api/admin/message/message.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { integer, integerOrNull, text } from '../../sqlite/columns.ts';
import { pageOf } from '../page.ts';
import type { Queries } from '../queries.ts';

type Shown = typeof message.operations.inDoubt;

/** Reads the parts in doubt of one carrier, or of all carriers, the oldest first. */
export function readInDoubt(queries: Queries, { carrier, after = '0/0', limit }: InputOf<Shown>): AnswerOf<Shown> {
  const [id = 0, part = 0] = after.split('/').map(Number);
  const rows = queries
    .all(
      `select part.message, part.number, message.num_parts, account.name as account, message.receiver, carrier.name as carrier,
        part.changed_at, part.in_doubt, part.deadline
        from (select distinct carrier, message, part from doubt
          where ?1 is null or carrier = (select id from carrier where name = ?1 and status <> 'removed')) as doubt
        join part on part.message = doubt.message and part.number = doubt.part and part.state = 'in_doubt'
        join message on message.id = part.message join account on account.id = message.account
        join carrier on carrier.id = doubt.carrier
        where (part.message, part.number) > (?2, ?3) order by part.message, part.number limit ?4`,
      carrier ?? null,
      id,
      part,
      limit + 1,
    )
    .map((row) => ({
      msgId: integer(row, 'message'),
      part: integer(row, 'number'),
      numParts: integer(row, 'num_parts'),
      account: text(row, 'account'),
      receiver: text(row, 'receiver'),
      carrier: text(row, 'carrier'),
      since: integer(row, 'changed_at'),
      times: integer(row, 'in_doubt'),
      until: integerOrNull(row, 'deadline'),
    }));
  return pageOf(rows, limit, (row) => `${row.msgId}/${row.part}`);
}
