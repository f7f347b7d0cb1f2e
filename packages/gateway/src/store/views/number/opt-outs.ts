/* Views of opt-outs, their history and their settings. */

import { coversSender, usualHandling } from '../../../core/number/opt-out.ts';
import type { OptOutHandling } from '../../../core/number/opt-out.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { readHandlings } from '../../sqlite/tables/opt-out-tables.ts';
import { integer, integerOrNull, text, textOrNull } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import type { Queries } from '../queries.ts';

interface OptOutCauseView {
  readonly account: string;
  readonly receiver: string;
  /** Null for every sender. */
  readonly sender: string | null;
  readonly inbound: MessageId | null;
  readonly word: string | null;
  readonly actor: string | null;
  readonly reason: string | null;
}

export interface OptOutView extends OptOutCauseView {
  readonly since: Instant;
}

export interface OptOutEventView extends OptOutCauseView {
  readonly id: number;
  readonly at: Instant;
  readonly wish: string;
}

/** The opt-out that forbids this sender to write to the receiver: its sender, empty for every sender. */
export function readOptOutOf(
  queries: Queries,
  { account, receiver, sender }: { readonly account: number; readonly receiver: string; readonly sender: string },
): string | undefined {
  return queries
    .all('select sender from opt_out where account = ? and receiver = ?', account, receiver)
    .map((row) => text(row, 'sender'))
    .find((listed) => coversSender(listed, sender));
}

/** Where a page of a list ended. */
export interface OptOutPlace {
  readonly account: number;
  readonly receiver: string;
  readonly sender: string;
}

export interface FindOptOutsInput {
  readonly account: string | null;
  readonly receiver: string | null;
  readonly after: OptOutPlace | null;
  readonly limit: number;
}

export interface FoundOptOuts {
  readonly optOuts: readonly OptOutView[];
  /** Where to go on, if there may be more. */
  readonly next: OptOutPlace | null;
}

const idOfName = '(select id from account where name = ?)';
const causes = `account.name as account_name, event.inbound, event.word, event.actor, event.reason`;

/** A page of lists, by account, receiver and sender, at the same cost for ten entries and for ten million. */
export function findOptOuts(queries: Queries, input: FindOptOutsInput): FoundOptOuts {
  const { account, after, limit } = input;
  const place = [after?.receiver ?? '', after?.sender ?? ''];
  // For one account the place is within its part of the index: SQLite would start at its first entry otherwise.
  const [conditions, values]: [string[], (number | string)[]] =
    account === null
      ? [['(opt_out.account, opt_out.receiver, opt_out.sender) > (?, ?, ?)'], [after?.account ?? 0, ...place]]
      : [
          [`opt_out.account = ${idOfName}`, '(opt_out.receiver, opt_out.sender) > (?, ?)'],
          [account, ...place],
        ];
  if (input.receiver !== null) {
    conditions.push('opt_out.receiver = ?');
    values.push(input.receiver);
  }
  const found = queries.all(
    `select opt_out.*, ${causes} from opt_out join account on account.id = opt_out.account
      join opt_out_event as event on event.id = opt_out.event where ${conditions.join(' and ')}
      order by opt_out.account, opt_out.receiver, opt_out.sender limit ?`,
    ...values,
    limit,
  );
  const last = found.at(-1);
  const next = found.length === limit && last ? placeFrom(last) : null;
  return { optOuts: found.map((row) => ({ ...causeFrom(row), since: integer(row, 'since') })), next };
}

export interface FindOptOutEventsInput {
  readonly account: string | null;
  readonly receiver: string | null;
  /** Go on below this id. */
  readonly before: number | null;
  readonly limit: number;
}

/** The newest changes of lists: a page from the end of one index. */
export function findOptOutEvents(
  queries: Queries,
  input: FindOptOutEventsInput,
): { readonly events: readonly OptOutEventView[]; readonly next: number | null } {
  const conditions = ['event.id < ?'];
  const values: (number | string)[] = [input.before ?? Number.MAX_SAFE_INTEGER];
  if (input.account !== null) {
    conditions.push(`event.account = ${idOfName}`);
    values.push(input.account);
  }
  if (input.receiver !== null) {
    conditions.push('event.receiver = ?');
    values.push(input.receiver);
  }
  const found = queries.all(
    `select event.id, event.receiver, event.sender, event.at, event.wish, ${causes} from opt_out_event as event
      join account on account.id = event.account where ${conditions.join(' and ')} order by event.id desc limit ?`,
    ...values,
    input.limit,
  );
  const events = found.map((row) => ({
    ...causeFrom(row),
    id: integer(row, 'id'),
    at: integer(row, 'at'),
    wish: text(row, 'wish'),
  }));
  return { events, next: events.length === input.limit ? (events.at(-1)?.id ?? null) : null };
}

/** The opt-out settings of an account, by its id. */
export function readOptOutHandling(queries: Queries, account: number): OptOutHandling {
  return readHandlings(queries).get(account) ?? usualHandling;
}

function placeFrom(row: Record): OptOutPlace {
  return { account: integer(row, 'account'), receiver: text(row, 'receiver'), sender: text(row, 'sender') };
}

function causeFrom(row: Record): OptOutCauseView {
  const inbound = integerOrNull(row, 'inbound');
  return {
    account: text(row, 'account_name'),
    receiver: text(row, 'receiver'),
    sender: text(row, 'sender') || null,
    inbound: inbound === null ? null : toMessageId(inbound),
    word: textOrNull(row, 'word'),
    actor: textOrNull(row, 'actor'),
    reason: textOrNull(row, 'reason'),
  };
}
