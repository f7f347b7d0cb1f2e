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
 * Finds carriers' repeats of inbound messages of one part. Nothing on the wire tells a repeat from a second message
 * with the same text. A message counts as a repeat only if our answer to the first may have been lost: a link ended, or
 * the process was killed, before the answer was written. Then one message with the same content is ignored, for as long
 * as carriers retry.
 */

/** Octets of a digest that are kept: enough to tell two texts of one sender apart. */
const digestOctets = 16;

/** The expected message that this one may repeat. */
export function findRepeat(rows: Rows, command: RecordInbound): RepeatRow | undefined {
  const expected = (rows.inbound.repeats.get(repeatKey(command)) ?? []).filter(
    (each) => each.takenBy === null && command.at - each.expectedAt < repeatedWithinMs,
  );
  if (expected.length === 0) return undefined;
  const digest = digestOf(command.dataCoding, readContent([{ ...command, number: 1 }]));
  return expected.find((each) => Buffer.compare(each.digest, digest) === 0);
}

/** Takes a message as that repeat. Each repeat is expected once. */
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
  rows.inbound.answered = before;
  return ok(null);
}

/** After a start: messages whose answers the last run may not have written are expected again. */
export function expectUnanswered(rows: Rows, at: Instant): void {
  for (const message of rows.inbound.unanswered) {
    const digest = digestOf(message.dataCoding, message);
    expect(rows, { ...message, digest, expectedAt: at });
  }
  rows.inbound.answered = toMessageId(rows.lastMessageId + 1);
}

function expect(rows: Rows, row: Pick<RepeatRow, 'carrier' | 'sender' | 'receiver' | 'digest' | 'expectedAt'>): void {
  const { carrier, sender, receiver, digest, expectedAt } = row;
  const key = repeatKey(row);
  const expected = rows.inbound.repeats.get(key) ?? [];
  rows.inbound.repeats.set(key, expected);
  expected.push({ change: 'new', id: null, carrier, sender, receiver, digest, expectedAt, takenBy: null });
}

function digestOf(dataCoding: number | null, { dcs, text, octets, header }: InboundContent): Uint8Array {
  const parts = [dataCoding, dcs, text, ...[octets, header].map((each) => each && Buffer.from(each).toString('hex'))];
  return createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, digestOctets);
}
