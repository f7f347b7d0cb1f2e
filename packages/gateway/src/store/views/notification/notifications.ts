import { inboundDcs } from '../../../core/message/inbound.ts';
import { messageEvents } from '../../../core/base/message.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import type {
  AlertNotice,
  InboundNotice,
  Notice,
  NoticeContent,
  ReceiptNotice,
} from '../../../core/notification/notification.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Heard } from '../../tables/notification.ts';
import type { NoticeLane } from '../../commands/notification.ts';
import { amount, bytes, integer, integerOrNull, text, textOrNull } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import type { Queries } from '../queries.ts';

export interface DueNoticesInput {
  readonly lane: NoticeLane;
  /** A session of the account is bound: it gets what may go there, and the webhook the rest. */
  readonly isBound: boolean;
  readonly at: Instant;
  /** Those that are known already: they count, and are not read again. */
  readonly known: ReadonlySet<number>;
  readonly limit: number;
}

export interface DueNotices {
  /** The first that were due come first. */
  readonly notices: readonly Notice[];
  /** There may be more that are due. */
  readonly isFull: boolean;
  /** When the next one is due that is not yet; null if none waits. */
  readonly nextDue: Instant | null;
}

/** What an outlet is to be told now: a step into an index, and the rows of each. */
export function readDueNotices(queries: Queries, input: DueNoticesInput): DueNotices {
  const { lane, isBound, at, known, limit } = input;
  const ids = lanesOf(lane, isBound)
    .flatMap(({ where, value }) =>
      queries.all(`select id, due from notice where ${where} and due <= ? order by due limit ?`, value, at, limit),
    )
    .toSorted((one, other) => integer(one, 'due') - integer(other, 'due') || integer(one, 'id') - integer(other, 'id'))
    .slice(0, limit);
  return {
    notices: ids.flatMap((row) => {
      const id = integer(row, 'id');
      return known.has(id) ? [] : (readNotice(queries, id) ?? []);
    }),
    isFull: ids.length === limit,
    nextDue: ids.length === limit ? at : nextDue(queries, input),
  };
}

function nextDue(queries: Queries, { lane, isBound, at }: DueNoticesInput): Instant | null {
  const found = lanesOf(lane, isBound).flatMap(({ where, value }) => {
    const row = queries.get(`select min(due) as due from notice where ${where} and due > ?`, value, at);
    return row ? (integerOrNull(row, 'due') ?? []) : [];
  });
  return found.length === 0 ? null : Math.min(...found);
}

function lanesOf(lane: NoticeLane, isBound: boolean): { where: string; value: number }[] {
  if (lane.kind === 'sessions') return [{ where: 'account = ? and by_session = 1', value: lane.account }];
  const own = { where: 'webhook = ? and by_session = 0', value: lane.webhook };
  return isBound ? [own] : [own, { where: 'webhook = ? and by_session = 1', value: lane.webhook }];
}

/** What somebody hears who listens to an account: as a notice of it would tell it, whether one was made or not. */
export function readHeard(queries: Queries, { kind, subject, told }: Heard): NoticeContent | undefined {
  return contentOf(queries, {
    kind,
    subject,
    event: told?.event ?? null,
    event_at: told?.eventAt ?? null,
    error_code: told?.errorCode ?? null,
  });
}

/** A notice with all that is told; undefined if there is none. */
function readNotice(queries: Queries, id: number): Notice | undefined {
  const row = queries.get('select * from notice where id = ?', id);
  const content = row && contentOf(queries, row);
  if (!content) return undefined;
  return {
    id,
    account: integer(row, 'account'),
    tries: integer(row, 'tries') - integer(row, 'replayed_after'),
    createdAt: integer(row, 'created_at'),
    triedFrom: integerOrNull(row, 'replayed_at') ?? integer(row, 'created_at'),
    ...content,
  };
}

function contentOf(queries: Queries, notice: Record): NoticeContent | undefined {
  const subject = integer(notice, 'subject');
  switch (notice['kind']) {
    case 'inbound':
      return inboundOf(queries.get('select * from inbound where id = ?', subject));
    case 'receipt':
      return receiptOf(queries, notice);
    default:
      return alertOf(
        queries.get(
          'select alert.*, account.currency from alert join account on account.id = alert.account where alert.id = ?',
          subject,
        ),
      );
  }
}

function inboundOf(row: Record | undefined): InboundNotice | undefined {
  if (!row) return undefined;
  return {
    kind: 'inbound',
    msgId: toMessageId(integer(row, 'id')),
    sender: text(row, 'sender'),
    receiver: text(row, 'receiver'),
    dcs: inboundDcs.find((dcs) => dcs === row['dcs']) ?? 'BIN',
    text: textOrNull(row, 'text'),
    octets: row['octets'] === null ? null : bytes(row, 'octets'),
    header: row['header'] === null ? null : bytes(row, 'header'),
    dataCoding: integerOrNull(row, 'data_coding'),
    numParts: integer(row, 'num_parts'),
    complete: integer(row, 'complete') === 1,
    receivedAt: integer(row, 'received_at'),
  };
}

function receiptOf(queries: Queries, notice: Record): ReceiptNotice | undefined {
  const row = queries.get(
    'select id, sender, receiver, num_parts, release_at, client_ref from message where id = ?',
    integer(notice, 'subject'),
  );
  if (!row) return undefined;
  const numParts = integer(row, 'num_parts');
  return {
    kind: 'receipt',
    msgId: toMessageId(integer(row, 'id')),
    sender: text(row, 'sender'),
    receiver: text(row, 'receiver'),
    event: messageEvents.find((event) => event === notice['event']) ?? 'unknown',
    eventAt: integer(notice, 'event_at'),
    errorCode: textOrNull(notice, 'error_code'),
    numParts,
    deliveredParts: deliveredOf(queries, notice, numParts),
    sendTime: integer(row, 'release_at'),
    clientRef: textOrNull(row, 'client_ref'),
  };
}

/** It may have been put right since, of which another notice tells: this one speaks of before. */
function deliveredOf(queries: Queries, notice: Record, numParts: number): number {
  if (notice['event'] === 'delivered') return numParts;
  if (numParts === 1) return 0;
  const row = queries.get(
    "select count(*) as delivered from part where message = ? and state = 'delivered'",
    integer(notice, 'subject'),
  );
  return Math.min(numParts - 1, row ? integer(row, 'delivered') : 0);
}

function alertOf(row: Record | undefined): AlertNotice | undefined {
  if (row?.['kind'] !== 'low-balance') return undefined;
  return {
    kind: 'alert',
    alert: 'low-balance',
    threshold: amount(row, 'threshold'),
    balance: amount(row, 'balance'),
    currency: text(row, 'currency'),
    at: integer(row, 'created_at'),
  };
}
