import type { message } from '@morsel/api/admin/message/message.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { integer, nullable, text } from '../../tables/column.ts';
import { shape } from '../../tables/table.ts';
import { pageOf } from '../page.ts';
import type { Queries } from '../queries.ts';

type Shown = typeof message.operations.inDoubt;

const inDoubtShape = shape({
  msgId: integer,
  part: integer,
  numParts: integer,
  account: text,
  receiver: text,
  carrier: text,
  since: integer,
  times: integer,
  until: nullable(integer),
});

/** Reads the parts in doubt of one carrier, or of all carriers, the oldest first. */
export function readInDoubt(queries: Queries, { carrier, after = '0/0', limit }: InputOf<Shown>): AnswerOf<Shown> {
  const [id = 0, part = 0] = after.split('/').map(Number);
  const rows = queries.rows(
    inDoubtShape,
    `select part.message as msg_id, part.number as part, message.num_parts, account.name as account, message.receiver, carrier.name as carrier,
        part.changed_at as since, part.in_doubt as times, part.deadline as until
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
  );
  return pageOf(rows, limit, (row) => `${row.msgId}/${row.part}`);
}
