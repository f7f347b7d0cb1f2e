import type { message } from '@morsel/api/admin/message/message.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { answerKeysOf, carrierIdKey } from '../../../core/message/carrier-id.ts';
import { firstIdAt } from '../../../core/base/message-id.ts';
import { integer } from '../../tables/column.ts';
import { summaryColumns, summaryJoins, summaryShape } from './messages.ts';
import type { Queries } from '../queries.ts';

/*
 * Finds messages for the operator. Of the searched fields, only the carrier's id has an index. An index of receivers
 * would make each commit half as long again, and the store three times as large. So other searches read a limited
 * number of messages backwards in time, and return the place where they stopped.
 */

type Find = typeof message.operations.find;
export type FindInput = InputOf<Find>;

/**
 * The most messages that one query looks at. Such a query takes some tens of milliseconds, and other queries wait for
 * it.
 */
export const scannedMax = 50_000;

/**
 * Finds the newest matching messages in a limited range of ids, which grow with time. A page that is not full may still
 * have a next page.
 */
export function findMessages(queries: Queries, input: FindInput): AnswerOf<Find> {
  const upper = Math.min(
    Number(input.after ?? Infinity),
    input.until === undefined ? Number.MAX_SAFE_INTEGER : firstIdAt(input.until),
  );
  const lower = input.since === undefined ? 0 : firstIdAt(input.since);
  // A search for a carrier's id uses an index, so it needs no limited range.
  const floor =
    input.carrierMessageId === undefined
      ? queries.value(
          integer,
          'select id from message where id < ? and id >= ? order by id desc limit 1 offset ?',
          upper,
          lower,
          scannedMax,
        )
      : undefined;
  const from = floor ?? lower;
  const wanted = conditionsOf(input);
  const rows = queries.rows(
    summaryShape,
    `select ${summaryColumns} from message ${summaryJoins}
      where ${['message.id < ?', 'message.id >= ?', ...wanted.conditions].join(' and ')} order by message.id desc limit ?`,
    upper,
    from,
    ...wanted.values,
    input.limit + 1,
  );
  const items = rows.slice(0, input.limit);
  const last = rows.length > input.limit ? items.at(-1) : undefined;
  if (last) return { items, next: String(last.msgId) };
  return { items, next: floor === undefined ? null : String(from) };
}

function conditionsOf(input: FindInput): { readonly conditions: string[]; readonly values: (string | number)[] } {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const ask = (condition: string, value: string | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  ask('account.name = ?', input.account);
  ask('message.sender = ?', input.sender);
  ask('message.receiver = ?', input.receiver);
  ask('message.client_ref = ?', input.clientRef);
  ask('first_part.report_event = ?', input.event);
  const carriers = input.carrier === undefined ? 'select id from carrier' : 'select id from carrier where name = ?';
  if (input.carrierMessageId !== undefined) {
    const keys = answerKeysOf(carrierIdKey(input.carrierMessageId));
    const places = keys.map(() => '?').join(', ');
    conditions.push(
      `message.id in (select message from attempt where carrier in (${carriers}) and carrier_id_key in (${places}))`,
    );
    values.push(...(input.carrier === undefined ? keys : [input.carrier, ...keys]));
  } else {
    const given = `select message from attempt where attempt.message = message.id and carrier in (${carriers})
      union all select message from part where part.message = message.id and tried_by in (${carriers})`;
    if (input.carrier !== undefined) {
      conditions.push(`exists (${given})`);
      values.push(input.carrier, input.carrier);
    }
  }
  return { conditions, values };
}
