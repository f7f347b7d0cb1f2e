import { createHash } from 'node:crypto';
import { readContent, repeatedWithinMs } from '../../../core/message/inbound.ts';
import type { InboundContent } from '../../../core/message/inbound.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { ExpectRepeat, InboundAnswered, RecordInbound } from '../../commands/inbound.ts';
import { repeatKey } from '../../tables/inbound.ts';
import type { RepeatRow } from '../../tables/inbound.ts';
import { touch } from '../../tables/rows.ts';
import type { Rows } from '../../tables/rows.ts';

/*
 * Recognises inbound messages of one part that a carrier sends again. SMPP does not distinguish a repeat from a new
 * message with the same text. So a message counts as a repeat only if our answer to the first message may have been
 * lost: a link ended, or the process was killed, before the answer was written. Then one message with the same content
 * is ignored, for as long as carriers retry.
 */

/** How many octets of a digest are stored. They are enough to distinguish two texts of one sender. */
const digestOctets = 16;

/** Finds the expected repeat that this message matches. */
export function findRepeat(rows: Rows, command: RecordInbound): RepeatRow | undefined {
  const expected = (rows.inbound.repeats.get(repeatKey(command)) ?? []).filter(
    (each) => each.takenBy === null && command.at - each.expectedAt < repeatedWithinMs,
  );
  if (expected.length === 0) return undefined;
  const digest = digestOf(command.dataCoding, readContent([{ ...command, number: 1 }]));
  return expected.find((each) => Buffer.compare(each.digest, digest) === 0);
}

/** Marks an expected repeat as received. Each repeat is expected only once. */
export function takeRepeat(repeat: RepeatRow, id: MessageId): void {
  repeat.takenBy = id;
  touch(repeat);
}

export function decideExpectRepeat(rows: Rows, { at, inbound }: ExpectRepeat): Result<null, never> {
  if (inbound.concatenation) return ok(null);
  const digest = digestOf(inbound.dataCoding, readContent([{ ...inbound, number: 1 }]));
  expect(rows, { ...inbound, digest, expectedAt: at });
  return ok(null);
}

export function decideInboundAnswered(rows: Rows, { before }: InboundAnswered): Result<null, never> {
  rows.node.inboundAnswered = before;
  touch(rows.node);
  return ok(null);
}

/** Expects repeats, after a start, of messages whose answers the last run may not have written. */
export function expectUnanswered(rows: Rows, at: Instant): void {
  for (const message of rows.inbound.unanswered) {
    const digest = digestOf(message.dataCoding, message);
    expect(rows, { ...message, digest, expectedAt: at });
  }
  rows.node.inboundAnswered = toMessageId(rows.node.lastMessageId + 1);
  touch(rows.node);
}

function expect(rows: Rows, row: Pick<RepeatRow, 'carrier' | 'sender' | 'receiver' | 'digest' | 'expectedAt'>): void {
  const { carrier, sender, receiver, digest, expectedAt } = row;
  const key = repeatKey(row);
  const expected = rows.inbound.repeats.get(key) ?? [];
  rows.inbound.repeats.set(key, expected);
  const id = rows.counters.inboundRepeat++;
  expected.push({ change: 'new', id, carrier, sender, receiver, digest, expectedAt, takenBy: null });
}

function digestOf(dataCoding: number, { dcs, text, octets, header }: InboundContent): Uint8Array {
  const parts = [dataCoding, dcs, text, ...[octets, header].map((each) => each && Buffer.from(each).toString('hex'))];
  return createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, digestOctets);
}
