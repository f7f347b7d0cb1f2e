import { parseMessageId } from '../../core/base/message-id.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import { parseOwnedNumber } from '../../core/number/owned-number.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { InboundReplayed } from '../../store/commands/inbound.ts';
import type { Journal } from '../../store/journal.ts';
import type { Reader } from '../../store/reader.ts';
import type { InboundFilter } from '../../store/views/message/inbound.ts';
import { parseKeyword } from '../../core/number/keyword.ts';
import { flag, instant, invalid, messageId, name, optional, readFields, sentence } from '../fields.ts';
import type { Fields } from '../fields.ts';

/* Replay of inbound messages: their notifications are delivered again. */

interface ReplayNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly reader: Pick<Reader, 'ask'>;
  readonly clock: { now(): Instant };
}

/** Messages of one commit: other commits wait some 20 ms for it. */
const batchMax = 250;
const wordMax = 64;

/** Filters of inbound messages. */
export const inboundFilterFields = {
  account: optional(name, null),
  unmatched: optional(flag, false),
  undelivered: optional(flag, false),
  number: optional(sentence(wordMax), null),
  sender: optional(sentence(wordMax), null),
  keyword: optional({ parse: parseKeyword }, null),
  since: optional(instant, null),
  until: optional(instant, null),
};

interface GivenFilter extends Omit<InboundFilter, 'digits'> {
  readonly number: string | null;
}

/** What is looked for, in the form in which it is stored. */
export async function readInboundFilter(
  needs: Pick<ReplayNeeds, 'reader' | 'clock'>,
  { number, ...given }: GivenFilter,
): Promise<Result<InboundFilter, Rejection>> {
  const { account, unmatched, since, until } = given;
  if (unmatched && account !== null) return invalid('unmatched', 'what has no account is in no list of an account');
  if (since !== null && until !== null && since >= until) return invalid('until', 'it has to be after since');
  const owned = number === null ? undefined : parseOwnedNumber(number, 'number');
  if (owned && !owned.ok) return invalid('number', owned.error);
  if (account !== null) {
    const found = await needs.reader.ask('account', { name: account, now: needs.clock.now() });
    if (!found.ok) return found;
    if (!found.value) return refused({ code: 'does_not_exist', detail: `there is no account named ${account}` });
  }
  return ok({ ...given, digits: owned?.value.digits ?? null, sender: senderOf(given.sender) });
}

/** Phones are stored with their plus; a short code, or a name, as it is. */
function senderOf(sender: string | null): string | null {
  const owned = sender === null ? undefined : parseOwnedNumber(sender, 'number');
  return owned?.ok ? owned.value.number : sender;
}

export interface ReplayAnswer extends InboundReplayed {
  /** Where to go on as `after`, with the same filter and this `until`, if there may be more. */
  readonly next: MessageId | null;
  readonly until: Instant | null;
}

const replayFields = {
  ...inboundFilterFields,
  reroute: optional(flag, false),
  after: optional(messageId, null),
};

/**
 * Replays the messages with these ids, or those of a filter, the oldest first and at most one commit of them. It ends
 * at messages that came after its first step, which were delivered already.
 */
export async function replayInbound(needs: ReplayNeeds, fields: Fields): Promise<Result<ReplayAnswer, Rejection>> {
  const { ids: given, ...rest } = fields;
  const read = readFields(replayFields, rest);
  if (!read.ok) return read;
  const { reroute: isRerouted, after, ...filter } = read.value;
  if (given !== undefined && given !== null) {
    const hasFilter = Object.keys(rest).some((field) => field !== 'reroute');
    if (hasFilter) return invalid('ids', 'messages are named by their ids, or by what else is known of them');
    const ids = readIds(given);
    return ids.ok ? replay(needs, ids.value, { isRerouted, next: null, until: null }) : ids;
  }
  if (Object.keys(rest).every((field) => ['reroute', 'after'].includes(field))) {
    return invalid(
      'ids',
      'say which messages: their ids, or what they have in common, such as unmatched or undelivered',
    );
  }
  const until = Math.min(filter.until ?? Number.POSITIVE_INFINITY, needs.clock.now());
  const wanted = await readInboundFilter(needs, { ...filter, until });
  if (!wanted.ok) return wanted;
  const page = { ...wanted.value, order: 'oldest', beyond: after, limit: batchMax } as const;
  const found = await needs.reader.ask('inbound', page);
  if (!found.ok) return found;
  const { messages, next } = found.value;
  return replay(
    needs,
    messages.map(({ id }) => id),
    { isRerouted, next, until },
  );
}

interface Step extends Pick<ReplayAnswer, 'next' | 'until'> {
  readonly isRerouted: boolean;
}

const nothing: InboundReplayed = { replayed: 0, waiting: 0, withoutDestination: 0, unmatched: 0, rerouted: 0 };

async function replay(
  needs: ReplayNeeds,
  ids: readonly MessageId[],
  { isRerouted, ...step }: Step,
): Promise<Result<ReplayAnswer, Rejection>> {
  if (ids.length === 0) return ok({ ...nothing, ...step });
  const at = needs.clock.now();
  const replayed = await needs.journal.append<'replay-inbound'>({ kind: 'replay-inbound', at, ids, isRerouted });
  return replayed.ok ? ok({ ...replayed.value, ...step }) : replayed;
}

/** One of many ids is named, unless it is no more than noise. */
function noSuch(id: unknown): string {
  const isWord = typeof id === 'string' && id.length <= wordMax && /^\w+$/.test(id);
  return `there is no message from a phone with ${isWord ? `the id ${id}` : 'one of these ids'}`;
}

/** Each once, the oldest first. */
function readIds(given: unknown): Result<readonly MessageId[], Rejection> {
  if (!Array.isArray(given) || given.length === 0 || given.length > batchMax) {
    return invalid('ids', `it has to be a list of 1 to ${batchMax} ids`);
  }
  const ids = new Set<MessageId>();
  for (const each of given as readonly unknown[]) {
    const id = typeof each === 'string' ? parseMessageId(each) : undefined;
    // Whatever cannot be an id is one that nobody has.
    if (id === undefined) return refused({ code: 'does_not_exist', detail: noSuch(each) });
    ids.add(id);
  }
  return ok([...ids].toSorted((one, other) => one - other));
}
