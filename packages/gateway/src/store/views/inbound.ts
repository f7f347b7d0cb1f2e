import { inboundDcs } from '../../core/inbound.ts';
import type { InboundContent } from '../../core/inbound.ts';
import { toMessageId } from '../../core/message-id.ts';
import type { MessageId } from '../../core/message-id.ts';
import type { Instant } from '../../core/time.ts';
import { bytes, integer, integerOrNull, text, textOrNull } from '../sqlite/row-readers.ts';
import type { Record } from '../sqlite/row-readers.ts';
import type { Queries } from './queries.ts';

/** A message from a phone in a list, without its text. */
export interface InboundSummary {
  readonly id: MessageId;
  /** Null when nobody owned the number. */
  readonly account: string | null;
  readonly carrier: string;
  readonly sender: string;
  readonly receiver: string;
  readonly dcs: InboundContent['dcs'];
  readonly numParts: number;
  readonly partsReceived: number;
  readonly complete: boolean;
  readonly receivedAt: Instant;
}

/** All of it: shown to the operator who asks for this one message. */
export interface InboundView extends InboundSummary, InboundContent {
  readonly dataCoding: number | null;
}

const summaryColumns = `inbound.id, account.name as account, carrier.name as carrier, inbound.sender, inbound.receiver,
  inbound.dcs, inbound.num_parts, inbound.parts_received, inbound.complete, inbound.received_at`;
const joins =
  'from inbound join carrier on carrier.id = inbound.carrier left join account on account.id = inbound.account';

export function readInbound(queries: Queries, id: MessageId): InboundView | undefined {
  const row = queries.get(
    `select ${summaryColumns}, inbound.text, inbound.octets, inbound.header, inbound.data_coding ${joins}
      where inbound.id = ?`,
    id,
  );
  if (!row) return undefined;
  return {
    ...summaryFrom(row),
    text: textOrNull(row, 'text'),
    octets: row['octets'] === null ? null : bytes(row, 'octets'),
    header: row['header'] === null ? null : bytes(row, 'header'),
    dataCoding: integerOrNull(row, 'data_coding'),
  };
}

export interface FindInboundInput {
  readonly account: string | null;
  /** Of nobody. */
  readonly unmatched: boolean;
  /** Digits of the number or short code they were sent to. */
  readonly digits: string | null;
  /** Go on below this id: what the page before said. */
  readonly before: MessageId | null;
  readonly limit: number;
}

export interface FoundInbound {
  readonly messages: readonly InboundSummary[];
  /** The id to go on below, if there may be more. */
  readonly next: MessageId | null;
}

/** The newest messages that fit: a page from the end of one index, whatever is asked for. */
export function findInbound(queries: Queries, input: FindInboundInput): FoundInbound {
  const { digits, limit } = input;
  // A number that its carrier did not call international stands there without its plus.
  const receivers = digits === null ? [null] : [digits, `+${digits}`];
  const messages = receivers
    .flatMap((receiver) => findTo(queries, input, receiver))
    .toSorted((one, other) => other.id - one.id)
    .slice(0, limit);
  return { messages, next: messages.length === limit ? (messages.at(-1)?.id ?? null) : null };
}

function findTo(queries: Queries, input: FindInboundInput, receiver: string | null): InboundSummary[] {
  const conditions = ['inbound.id < ?'];
  const values: (number | string)[] = [input.before ?? Number.MAX_SAFE_INTEGER];
  if (input.account !== null) {
    conditions.push('inbound.account = (select id from account where name = ?)');
    values.push(input.account);
  }
  if (input.unmatched) conditions.push('inbound.account is null');
  if (receiver !== null) {
    conditions.push('inbound.receiver = ?');
    values.push(receiver);
  }
  return queries
    .all(
      `select ${summaryColumns} ${joins} where ${conditions.join(' and ')} order by inbound.id desc limit ?`,
      ...values,
      input.limit,
    )
    .map(summaryFrom);
}

export interface NumberView {
  readonly number: string;
  readonly kind: string;
  readonly account: string;
  readonly createdAt: Instant;
}

/** The numbers of an account, or all of them. */
export function readNumbers(queries: Queries, account: string | null): NumberView[] {
  return queries
    .all(
      `select number.number, number.kind, account.name as account, number.created_at
        from number join account on account.id = number.account where ? is null or account.name = ?
        order by number.digits, number.kind`,
      account,
      account,
    )
    .map((row) => ({
      number: text(row, 'number'),
      kind: text(row, 'kind'),
      account: text(row, 'account'),
      createdAt: integer(row, 'created_at'),
    }));
}

function summaryFrom(row: Record): InboundSummary {
  return {
    id: toMessageId(integer(row, 'id')),
    account: textOrNull(row, 'account'),
    carrier: text(row, 'carrier'),
    sender: text(row, 'sender'),
    receiver: text(row, 'receiver'),
    dcs: inboundDcs.find((dcs) => dcs === row['dcs']) ?? 'BIN',
    numParts: integer(row, 'num_parts'),
    partsReceived: integer(row, 'parts_received'),
    complete: integer(row, 'complete') === 1,
    receivedAt: integer(row, 'received_at'),
  };
}
