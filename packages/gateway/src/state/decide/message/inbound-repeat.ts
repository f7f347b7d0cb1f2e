import type { NodeRow } from '../../tables/node.ts';
import { readContent, repeatedWithinMs, type InboundContent } from '../../../core/message/inbound.ts';
import { toMessageId, type MessageId } from '../../../core/base/message-id.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { hashingKey, readKeys } from '../../rows/keys.ts';
import { search } from '../../tables/lookup.ts';
import type { Reads } from '../../rows/reads.ts';
import {
  inboundTable,
  newestRepeat,
  repeatsBetween,
  repeatTable,
  type RecordInbound,
  type RepeatRow,
} from '../../tables/inbound.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { openInbound } from '../../rows/inbound-content.ts';
import { rehearsed } from '../rehearsal.ts';

/*
 * Recognises inbound messages of one part that a carrier sends again. Nothing distinguishes a repeat from a new message
 * with the same text. So a message counts as a repeat only if our answer to the first message may have been
 * lost: a link broke, or the process was killed, before the carrier had surely read the answer. Then one message with
 * the same content is ignored, for as long as carriers retry.
 */

/** How many octets of a digest are stored. They are enough to distinguish two texts of one sender. */
const digestOctets = 16;

/** The expected repeats that an inbound message of one part may be. While none are expected, no message causes a query. */
export function readRepeats(read: Reads, { at, carrier, sender, receiver }: RecordInbound): void {
  const newest = read.values(newestRepeat)[0]?.expectedAt ?? 0;
  if (at - newest < repeatedWithinMs) read.all(repeatsBetween, carrier, sender, receiver);
}

/** Finds the expected repeat that this message matches, of those that the group loaded or made. */
export function findRepeat(rows: Rows, command: RecordInbound): RepeatRow | undefined {
  const { at, carrier, sender, receiver } = command;
  const expected = rows.of(repeatTable).filter((each) => {
    const isBetween = each.carrier === carrier && each.sender === sender && each.receiver === receiver;
    return isBetween && each.takenBy === null && at - each.expectedAt < repeatedWithinMs;
  });
  if (expected.length === 0) return undefined;
  const digest = digestOf(rows, command.code, readContent([{ ...command, number: 1 }]));
  return expected.find((each) => Buffer.compare(each.digest, digest) === 0);
}

/** Marks an expected repeat as received. Each repeat is expected only once. */
export function takeRepeat(repeat: RepeatRow, id: MessageId): void {
  repeat.takenBy = id;
  touch(repeat);
}

/** A link ended before an inbound message was answered, so the carrier may send it again. */
interface ExpectRepeat {
  readonly at: Instant;
  readonly inbound: RecordInbound;
}

export const expectRepeatCommand = rehearsed((rows: Rows, { at, inbound }: ExpectRepeat): Result<null, never> => {
  if (inbound.concatenation) return ok(null);
  const digest = digestOf(rows, inbound.code, readContent([{ ...inbound, number: 1 }]));
  expect(rows, { ...inbound, digest, expectedAt: at });
  return ok(null);
});

/** Records that every inbound message with an id below `before` was answered. */
interface InboundAnswered {
  readonly at: Instant;
  readonly before: MessageId;
}

export const inboundAnsweredCommand = {
  decide(rows: Rows, { before }: InboundAnswered): Result<null, never> {
    rows.node.inboundAnswered = before;
    touch(rows.node);
    return ok(null);
  },
};

/** Messages up to the last of the node: other nodes may have received messages for years since. */
const unanswered = search<[node: number]>()('inbound.unanswered', inboundTable);
const takenUnanswered = search<[node: number]>()('inbound_repeat.taken-unanswered', repeatTable);

/** Messages that the last run of a node may not have answered, and repeats that it took without an answer. */
export function readUnanswered(read: Reads, node: number): void {
  readKeys(read, null);
  for (const { account } of read.all(unanswered, node)) readKeys(read, account);
  read.all(takenUnanswered, node);
}

/** Expects repeats of messages whose answers the last run of a node may not have written. */
export function expectUnanswered(rows: Rows, node: NodeRow, at: Instant): void {
  for (const repeat of rows.all(takenUnanswered, node.id)) {
    repeat.takenBy = null;
    touch(repeat);
  }
  for (const message of rows.all(unanswered, node.id)) {
    const digest = digestOf(rows, message.code, openInbound(rows, message));
    expect(rows, { ...message, digest, expectedAt: at });
  }
  node.inboundAnswered = toMessageId(node.lastMessageId + 1);
  touch(node);
}

function expect(rows: Rows, row: Pick<RepeatRow, 'carrier' | 'sender' | 'receiver' | 'digest' | 'expectedAt'>): void {
  const { carrier, sender, receiver, digest, expectedAt } = row;
  const id = rows.nextId(repeatTable);
  rows.add(repeatTable, { id, carrier, sender, receiver, digest, expectedAt, takenBy: null });
}

function digestOf(rows: Rows, code: number | null, { dcs, text, octets, header }: InboundContent): Uint8Array {
  const parts = [code, dcs, text, ...[octets, header].map((each) => each && Buffer.from(each).toString('hex'))];
  return hashingKey(rows)
    .mac(Buffer.from(JSON.stringify(parts)))
    .subarray(0, digestOctets);
}
