import { createHash } from 'node:crypto';
import { readContent, repeatedWithinMs } from '../../core/inbound.ts';
import type { MessageId } from '../../core/message-id.ts';
import { ownersOf } from '../../core/owned-number.ts';
import { ok } from '../../core/result.ts';
import type { Result } from '../../core/result.ts';
import type { Instant } from '../../core/time.ts';
import type { ExpireInbound, InboundExpired, InboundRecorded, RecordInbound } from '../inbound-commands.ts';
import { inboundKey, numberKey } from '../inbound-rows.ts';
import type { InboundPartRow, JoinedRow } from '../inbound-rows.ts';
import type { Rows } from '../rows.ts';

/** Octets of a digest that are kept: more than enough to tell two parts with one reference apart. */
const digestOctets = 16;

/**
 * Keeps what a phone sent. The message is made in the commit of its last part; until then its parts wait, whichever link
 * or run of the process brought them. A part that is there already, octet for octet, changes nothing; another one in its
 * place begins a new message, and the one before is made as far as it came.
 */
export function decideInbound(rows: Rows, command: RecordInbound): Result<InboundRecorded, never> {
  const { concatenation, id } = command;
  const part = partOf(rows, command);
  if (!concatenation) {
    make(rows, [part], { id, at: command.at });
    return ok({ became: 'message' });
  }
  const key = inboundKey(command, concatenation);
  const waiting = waitingOf(rows, key);
  const same = waiting.find((each) => each.concatenation?.number === concatenation.number);
  if (same ? equal(same.octets, part.octets) : waiting.length === 0 && isRepeated(rows, key, part)) {
    return ok({ became: 'duplicate' });
  }
  if (same) make(rows, waiting.splice(0), { id, at: command.at });
  waiting.push(part);
  rows.counters.inboundPart += 1;
  if (waiting.length < concatenation.total) return ok({ became: 'waiting' });
  make(rows, waiting.splice(0), { id, at: command.at });
  return ok({ became: 'message' });
}

/** Makes messages of parts that have waited too long, as far as they came (O3). */
export function decideExpireInbound(rows: Rows, command: ExpireInbound): Result<InboundExpired, never> {
  const ids = command.ids.values();
  let messages = 0;
  for (const key of rows.inbound.overdue) {
    const waiting = waitingOf(rows, key);
    // An earlier command of this group may have joined them.
    if (!waiting.some((part) => part.receivedAt <= command.before)) continue;
    if (waiting.every((part) => isKnown(rows, key, part))) {
      // Nothing but parts that their carrier sent again after their message was made.
      rows.inbound.left.push(...waiting.splice(0));
      continue;
    }
    const id = ids.next();
    if (id.done === true) return ok({ isFull: true, messages });
    make(rows, waiting.splice(0), { id: id.value, at: command.at });
    messages += 1;
  }
  return ok({ isFull: rows.inbound.isFull, messages });
}

function make(rows: Rows, parts: readonly InboundPartRow[], { id, at }: { id: MessageId; at: Instant }): void {
  const inOrder = parts.toSorted((one, other) => numberOf(one) - numberOf(other));
  const [first] = inOrder;
  if (!first) return;
  const { carrier, sender, receiver, dataCoding } = first;
  const numParts = first.concatenation?.total ?? 1;
  const content = readContent(inOrder.map((part) => ({ ...part, number: numberOf(part) })));
  rows.inbound.made.push({
    ...content,
    id,
    carrier,
    sender,
    receiver,
    dataCoding,
    numParts,
    account: ownerOf(rows, receiver),
    partsReceived: parts.length,
    complete: parts.length === numParts,
    receivedAt: Math.max(...parts.map((part) => part.receivedAt)),
  });
  rows.lastMessageId = Math.max(rows.lastMessageId, id);
  rows.inbound.left.push(...parts);
  for (const part of parts) remember(rows, part, at);
}

function remember(rows: Rows, part: InboundPartRow, joinedAt: Instant): void {
  const { concatenation, carrier, sender, receiver } = part;
  if (!concatenation) return;
  const key = inboundKey(part, concatenation);
  const joined = rows.inbound.joined.get(key) ?? new Map<number, JoinedRow>();
  rows.inbound.joined.set(key, joined);
  const row = { carrier, sender, receiver, concatenation, joinedAt, digest: digestOf(part), isNew: true };
  joined.set(concatenation.number, row);
}

/** Whether a message was made of this very part, a little while ago. */
function isRepeated(rows: Rows, key: string, part: InboundPartRow): boolean {
  const joined = joinedAs(rows, key, part);
  return joined !== undefined && part.receivedAt - joined.joinedAt < repeatedWithinMs;
}

function isKnown(rows: Rows, key: string, part: InboundPartRow): boolean {
  return joinedAs(rows, key, part) !== undefined;
}

function joinedAs(rows: Rows, key: string, part: InboundPartRow): JoinedRow | undefined {
  const joined = rows.inbound.joined.get(key)?.get(numberOf(part));
  return joined && equal(joined.digest, digestOf(part)) ? joined : undefined;
}

/** The account of the longest match; null when nobody owns the number. */
function ownerOf(rows: Rows, receiver: string): number | null {
  for (const owner of ownersOf(receiver)) {
    const row = rows.inbound.numbers.get(numberKey(owner));
    if (row) return row.account;
  }
  return null;
}

function partOf(rows: Rows, command: RecordInbound): InboundPartRow {
  const { kind: _kind, at, id: _id, ...part } = command;
  return { ...part, isNew: true, id: rows.counters.inboundPart, receivedAt: at };
}

function waitingOf(rows: Rows, key: string): InboundPartRow[] {
  const waiting = rows.inbound.waiting.get(key) ?? [];
  rows.inbound.waiting.set(key, waiting);
  return waiting;
}

function numberOf(part: InboundPartRow): number {
  return part.concatenation?.number ?? 1;
}

function digestOf({ octets }: InboundPartRow): Uint8Array {
  return createHash('sha256').update(octets).digest().subarray(0, digestOctets);
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((octet, at) => octet === other[at]);
}
