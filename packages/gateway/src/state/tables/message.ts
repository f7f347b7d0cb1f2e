/* Messages, their parts, the attempts to send them, the queue, and other tables about messages. */

import type { Dcs } from '@morsel/gsm';
import type { MessageEvent } from '@morsel/api/values/message.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { FinalEvent, PartState } from '../../core/base/message.ts';
import type { MessageCallback } from '../../core/message/callback.ts';
import type { PartEncoding } from '../../core/message/client-encoded-part.ts';
import type { Outcome } from '../../core/message/outcome.ts';
import type { CarrierState } from '../../core/message/receipt.ts';
import type { AccountQueue } from '../../core/routing/turns.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { WantedReceipts } from '../../core/message/content.ts';
import type { MessageSource } from '@morsel/api/client-apis.ts';
import type { Extra } from '../../core/routing/extras.ts';
import {
  bytes,
  flag,
  idOf,
  integer,
  json,
  keyed,
  messageId,
  micros,
  nullable,
  personal,
  refersTo,
  sealed,
  text,
  within,
  word,
} from './column.ts';
import { by, query, search } from './lookup.ts';
import { nullableGroup, shape, table, type RowOf, type ValuesOf } from './table.ts';

export const messageTable = table('message', {
  key: ['id'],
  about: { of: 'message', by: 'id' },
  dividedBy: 'id',
  fixed: {
    id: messageId,
    account: idOf('account'),
    source: word<MessageSource>(),
    /** The token or login of the client that sent the message, its address and its session. */
    submitter: nullable(personal('row', text)),
    address: nullable(personal('extra', text)),
    session: nullable(personal('row', text)),
    sender: personal('number', text),
    receiver: personal('number', text),
    dcs: word<Dcs | 'BIN'>(),
    encoding: word<PartEncoding>(),
    /** The text, or the octets of a client-encoded part (state/sealing/content.ts). Null once they are erased. */
    content: nullable(personal('text', sealed)),
    numParts: integer,
    /** The concatenation reference of the parts (3GPP TS 23.040, 9.2.3.24.1); null for a message of one part. */
    reference: nullable(integer),
    clientRef: nullable(personal('extra', text)),
    tags: nullable(personal('extra', json<readonly string[]>())),
    flash: flag,
    /** False: the text is deleted as soon as no carrier needs it any more. */
    storeText: flag,
    callback: nullable(personal('extra', json<MessageCallback>())),
    /** The receipts that the client's sessions get. */
    wantedReceipts: word<WantedReceipts>(),
    /** What the carrier gets from the client unchanged. */
    extras: nullable(personal('text', json<readonly Extra[]>())),
    priority: integer,
    route: idOf('route'),
    acceptedAt: integer,
    dueAt: integer,
    expiresAt: integer,
    priceList: integer,
    priceVersion: integer,
    unitPrice: micros,
    totalCost: micros,
    balanceAfter: micros,
    /** The ledger entry that charges the message, and the message's place among the messages of that entry. */
    entry: idOf('entry'),
    entryPlace: integer,
  },
});

export const messageById = by(messageTable, ['id']);

/** The report of a message, which clients see. It is stored in the row of part 1, which changes at the same time. */
export const reportMembers = {
  event: word<MessageEvent>(),
  eventAt: integer,
  corrected: flag,
  /** The gateway ended the message by itself, without a receipt or a final answer of a carrier. */
  ownEnd: flag,
  errorCode: nullable(text),
};
type Report = { -readonly [Member in keyof typeof reportMembers]: ValuesOf<typeof reportMembers>[Member] };

export interface MessageRow extends RowOf<typeof messageTable>, Report {
  /** All parts of the message, in order. */
  readonly parts: PartRow[];
}

export const partTable = table('part', {
  key: ['message', 'number'],
  about: { of: 'message', by: 'message' },
  dividedBy: 'message',
  indexes: {
    part_claimed: { on: ['tried_by'], where: [{ claim_link: { not: null } }] },
    part_deadline: { on: ['deadline'], where: [{ deadline: { not: null } }] },
  },
  fixed: { message: refersTo('message', messageId), number: integer },
  moving: {
    state: word<PartState>(),
    changedAt: integer,
    /** When the part's validity or its wait for a receipt ends, or when it is sent again; null once it is final. */
    deadline: nullable(integer),
    /** The part's place in the queue while it waits. */
    due: nullable(integer),
    /** The carrier that accepted the part, or refused it permanently. */
    carrier: nullable(idOf('carrier')),
    /** Claims of the part by links, failed tries among them (busy ones are not), and how often it was in doubt. */
    attempts: integer,
    tries: integer,
    inDoubt: integer,
    carrierState: nullable(word<CarrierState>()),
    errorCode: nullable(text),
    refundEntry: nullable(idOf('entry')),
    /** Eligible carriers of a waiting part, and those tried in this round (core/routing/eligible.ts). */
    eligible: text,
    /** The carrier of the part's newest attempt. */
    triedBy: nullable(idOf('carrier')),
    /** When carriers that could not take the part may be tried again; null if there are none. */
    roundEnds: nullable(integer),
    /** The attempt under way: a link has claimed the part, and its outcome is not known. */
    claim: nullableGroup({ link: integer, lease: integer, at: integer, isWhole: flag }),
    /** In part 1: the report of the message. */
    report: nullableGroup(reportMembers),
    /** The id of the part's newest CDR; null until the part ends. */
    cdr: nullable(integer),
    /** Nothing but its text marked the receipt that ended it. A marked receipt confirms or corrects the end. */
    endedByText: flag,
  },
});

export const partsOfMessage = search<[message: MessageId]>()('part.of-message', partTable);

export interface PartRow extends RowOf<typeof partTable> {
  /** The part's attempts that this group of commands loaded or made. There may be others. */
  readonly loaded: AttemptRow[];
}

/** The link that claims a part: a link of a carrier, in this run of the gateway process. */
export interface LinkClaim {
  readonly carrier: number;
  readonly link: number;
  readonly lease: number;
  /** The carrier takes a long message in one request: its parts are claimed and answered together. */
  readonly isWhole: boolean;
}

/** Attempts with an outcome. While an attempt is under way, its claim is stored in the row of its part. */
export const attemptTable = table('attempt', {
  key: ['message', 'part', 'number'],
  about: { of: 'message', by: 'message' },
  dividedBy: 'message',
  indexes: {
    attempt_carrier_id: { on: ['carrier', 'carrier_id_key'], where: [{ carrier_id_key: { not: null } }] },
  },
  fixed: {
    message: messageId,
    part: integer,
    number: integer,
    carrier: idOf('carrier'),
    link: integer,
    lease: integer,
    claimedAt: integer,
    /** One request carried the whole message: each part has such an attempt, with one answer and receipt. */
    isWhole: flag,
  },
  moving: {
    answeredAt: nullable(integer),
    /** Null while the attempt is under way; such an attempt is not stored. */
    outcome: nullable(word<Outcome>()),
    /** The carrier's own code of a refusal, in the form of its kind. */
    code: nullable(text),
    carrierId: nullable(personal('row', text)),
    carrierIdKey: nullable(personal('row', text)),
    /** The carrier's charge for the attempt; set with the outcome. */
    cost: nullableGroup({ amount: within({ min: 0 }, micros), currency: text }),
  },
});
export type AttemptRow = RowOf<typeof attemptTable>;
export const attemptsOfMessage = by(attemptTable, ['message']);

export const attemptById = by(attemptTable, ['message', 'part', 'number']);
/** The attempts of one request that carried a whole message. */
export const wholeAttempts = search<[message: MessageId, claimedAt: Instant]>()('attempt.whole', attemptTable);

/** The most attempts with one carrier id that a receipt is compared with. Older attempts are ignored. */
export const sameIdMax = 16;

/** The attempts with a carrier's id. */
export const attemptsOfId = search<[carrier: number, carrierIdKey: string]>()(
  'attempt.of-id',
  attemptTable,
  ({ carrier, carrierIdKey }) => (carrierIdKey === null ? undefined : [carrier, carrierIdKey]),
);

/**
 * Call detail records (CDRs): one for each part at its end, and one for each later correction. CDRs are never changed.
 * Their ids are times, as those of messages are (core/base/message-id.ts).
 */
export const cdrTable = table('cdr', {
  key: ['id'],
  dividedBy: 'id',
  fixed: {
    id: integer,
    account: idOf('account'),
    message: messageId,
    part: integer,
    endedAt: integer,
    event: word<FinalEvent>(),
    errorCode: nullable(text),
    /** The carrier that accepted the part, or refused it for good. */
    carrier: nullable(idOf('carrier')),
    /** The entry of the refund that came with this end of the part. */
    refundEntry: nullable(idOf('entry')),
    /** The id of the earlier CDR of the part that this CDR corrects. */
    corrects: nullable(integer),
  },
});
export type CdrRow = RowOf<typeof cdrTable>;

export const queueTable = table('queue', {
  key: ['route', 'eligible', 'priority', 'account', 'due', 'message', 'part'],
  fixed: {
    route: integer,
    /** The eligible carriers of the part, in the form of core/routing/eligible.ts. */
    eligible: text,
    priority: integer,
    account: integer,
    due: integer,
    message: messageId,
    part: integer,
  },
});
export type QueueRow = Omit<RowOf<typeof queueTable>, 'change'>;

/** Waiting parts for a claim. */
export interface WaitingFound {
  /** Due parts, in a queue for each account and priority, with no more parts than the claim can need. */
  readonly queues: readonly AccountQueue<QueueRow>[];
  /** When the next part becomes due, of the parts that are not due yet; null if there is none. */
  readonly nextDue: Instant | null;
}

/** Messages that are not due yet. */
export const scheduledTable = table('scheduled', {
  key: ['due_at', 'message'],
  fixed: { dueAt: integer, message: messageId },
});

/** The messages of each tag, for searches. A message without tags has no row here. */
export const taggedTable = table('tagged', {
  key: ['tag', 'message'],
  fixed: { tag: personal('extra', text), message: messageId },
});

/** Notes on the events of a message, which are shown to the operator. */
export const noteTable = table('note', {
  key: ['id'],
  about: { of: 'message', by: 'message' },
  ids: 'traffic',
  dividedBy: 'id',
  indexes: { note_message: { on: ['message'] } },
  fixed: {
    id: integer,
    message: messageId,
    at: integer,
    part: nullable(integer),
    kind: word<
      | 'receipt'
      | 'duplicate-receipt'
      | 'corrected'
      | 'matched-in-doubt'
      | 'in-doubt'
      | 'settled'
      | 'sender-replaced'
      | 'rerouted'
      | 'canceled'
    >(),
    detail: personal('row', text),
  },
});
export type NoteRow = Omit<RowOf<typeof noteTable>, 'id' | 'change'>;

/** The last concatenation reference that was used between two numbers. */
export const referenceTable = table('reference', {
  erased: 'rows',
  key: ['receiver', 'sender'],
  indexes: { reference_used: { on: ['used_at'] } },
  fixed: { receiver: personal('number', text), sender: personal('number', text) },
  moving: { last: integer, usedAt: integer },
});
export const referenceBetween = by(referenceTable, ['receiver', 'sender']);

export const idempotencyKeyTable = table('idempotency_key', {
  key: ['account', 'key'],
  indexes: { idempotency_key_created: { on: ['created_at'] } },
  /** The hash of the request is made with the gateway's key for hashes. */
  fixed: {
    account: idOf('account'),
    key: personal('extra', text),
    hash: personal('row', keyed(bytes)),
    message: refersTo('message', messageId),
    createdAt: integer,
  },
});

/** An idempotency key of an account (M7). The row of its message has the first answer. */
export const keyOfAccount = by(idempotencyKeyTable, ['account', 'key']);

/** Attempts in doubt, found by their sender and receiver, for receipts with an unknown id. */
export const doubtTable = table('doubt', {
  key: ['carrier', 'receiver', 'sender', 'message', 'part', 'attempt'],
  indexes: { doubt_part: { on: ['message', 'part'] } },
  fixed: {
    carrier: idOf('carrier'),
    receiver: personal('number', text),
    sender: personal('number', text),
    message: messageId,
    part: integer,
    attempt: integer,
  },
});

/** Whether a carrier may have a part in doubt. If not, receipts with an unknown id cause no further lookup. */
export const mayDoubt = query<[carrier: number]>()('doubt.any', shape({ may: flag }));

/** Copies the report of a message into the row of its part 1. */
export function keepReport({ event, eventAt, corrected, ownEnd, errorCode, parts: [first] }: MessageRow): void {
  if (!first) throw new Error('a message has no part');
  first.report = { event, eventAt, corrected, ownEnd, errorCode };
  if (first.change === 'none') first.change = 'changed';
}

/** The attempt of a part that is under way; undefined if there is none. */
export function openAttempt({
  message,
  number,
  attempts,
  triedBy,
  claim,
}: RowOf<typeof partTable>): AttemptRow | undefined {
  if (claim === null || triedBy === null) return undefined;
  return {
    change: 'new',
    message,
    part: number,
    number: attempts,
    carrier: triedBy,
    link: claim.link,
    lease: claim.lease,
    claimedAt: claim.at,
    isWhole: claim.isWhole,
    answeredAt: null,
    outcome: null,
    code: null,
    carrierId: null,
    carrierIdKey: null,
    cost: null,
  };
}

export function attemptKey(message: MessageId, part: number, number: number): string {
  return `${message}.${part}.${number}`;
}
