import { toMessageId } from '../../../core/base/message-id.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { integer, integerOrNull, text } from '../../sqlite/columns.ts';
import { pageOf } from '../page.ts';
import type { ListInput, Page } from '../page.ts';
import type { Queries } from '../queries.ts';

/** A part that a carrier was given, without a known answer. */
export interface InDoubtView {
  readonly msgId: MessageId;
  readonly part: number;
  readonly numParts: number;
  readonly account: string;
  readonly receiver: string;
  readonly carrier: string;
  readonly since: Instant;
  /** How often it was in doubt. */
  readonly times: number;
  /** When it is sent again, or given up. */
  readonly until: Instant | null;
}

interface InDoubtInput extends ListInput {
  readonly carrier?: string | undefined;
}

/** The parts in doubt of one carrier, or of all, the oldest first. The index of parts that wait for receipts finds them. */
export function readInDoubt(queries: Queries, { carrier, after = '0/0', limit }: InDoubtInput): Page<InDoubtView> {
  const [message = 0, part = 0] = after.split('/').map(Number);
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
      message,
      part,
      limit + 1,
    )
    .map((row) => ({
      msgId: toMessageId(integer(row, 'message')),
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
