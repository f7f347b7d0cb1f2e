/* Replay of inbound messages: their notifications are delivered again. */

import { type inbound, replayMax } from '@morsel/api/admin/message/inbound.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { parseMessageId, type MessageId } from '../../core/base/message-id.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { parseKeyword } from '../../core/number/keyword.ts';
import { parseOwnedNumber } from '../../core/number/owned-number.ts';
import type { Journal } from '../../store/journal.ts';
import type { Reader } from '../../store/reader.ts';
import type { InboundFilter } from '../../store/views/message/inbound.ts';
import { knownAccount } from '../account/known-account.ts';
import { invalid } from '../../state/decide/decided.ts';

interface ReplayNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly reader: Pick<Reader, 'ask'>;
  readonly clock: { now(): Instant };
}

type Operations = typeof inbound.operations;
type GivenFilter = Omit<InputOf<Operations['list']>, 'after' | 'limit'>;
type Replayed = AnswerOf<Operations['replay']>;

/** Brings the filter into the form in which messages are stored. */
export async function readInboundFilter(
  needs: Pick<ReplayNeeds, 'reader' | 'clock'>,
  { number, ...given }: GivenFilter,
): Promise<Result<InboundFilter, Rejection>> {
  const { account, unmatched, since, until } = given;
  if (unmatched && account !== undefined)
    return invalid('unmatched', 'cannot be combined with account: an unmatched message has no account');
  if (since !== undefined && until !== undefined && since >= until) return invalid('until', 'must be after since');
  const owned = number === undefined ? undefined : parseOwnedNumber(number, 'number');
  if (owned && !owned.ok) return invalid('number', owned.error);
  const keyword = given.keyword === undefined ? ok(undefined) : parseKeyword(given.keyword);
  if (!keyword.ok) return invalid('keyword', keyword.error);
  const known = await knownAccount(needs, account);
  if (!known.ok) return known;
  const sender = given.sender === undefined ? undefined : senderOf(given.sender);
  return ok({ ...given, digits: owned?.value.digits, keyword: keyword.value, sender });
}

/** Numbers are stored with a plus. Short codes and names are stored unchanged. */
function senderOf(sender: string): string {
  const owned = parseOwnedNumber(sender, 'number');
  return owned.ok ? owned.value.number : sender;
}

/**
 * One step of a replay: replays the messages with these ids, or the messages that match a filter, in at most one
 * commit. The oldest messages come first. Messages that arrived after the first step are left out, because they were
 * just delivered.
 */
export async function replayInbound(
  needs: ReplayNeeds,
  { ids: given, reroute: isRerouted, after, ...filter }: InputOf<Operations['replay']>,
): Promise<Result<Replayed, Rejection>> {
  const hasFilter = Object.values(filter).some((each) => each !== undefined && each !== false);
  if (given) {
    if (hasFilter) return invalid('ids', 'give message ids or a filter, not both');
    const ids = readIds(given);
    return ids.ok ? replay(needs, ids.value, { isRerouted, next: null, until: null }) : ids;
  }
  if (!hasFilter) return invalid('ids', 'give message ids, or a filter such as unmatched or undelivered');
  const until = Math.min(filter.until ?? Number.POSITIVE_INFINITY, needs.clock.now());
  const wanted = await readInboundFilter(needs, { ...filter, until });
  if (!wanted.ok) return wanted;
  const found = await needs.reader.ask('inbound', { ...wanted.value, order: 'oldest', after, limit: replayMax });
  if (!found.ok) return found;
  const { items, next } = found.value;
  return replay(
    needs,
    items.map(({ msgId }) => msgId),
    { isRerouted, next, until },
  );
}

const nothing = { replayed: 0, waiting: 0, withoutDestination: 0, unmatched: 0, rerouted: 0 };

async function replay(
  needs: ReplayNeeds,
  ids: readonly MessageId[],
  { isRerouted, ...step }: Pick<Replayed, 'next' | 'until'> & { readonly isRerouted: boolean },
): Promise<Result<Replayed, Rejection>> {
  if (ids.length === 0) return ok({ ...nothing, ...step });
  const at = needs.clock.now();
  const replayed = await needs.journal.append<'replay-inbound'>({ kind: 'replay-inbound', at, ids, isRerouted });
  return replayed.ok ? ok({ ...replayed.value, ...step }) : replayed;
}

/** Sorts the ids, the oldest message first, and removes repeated ids. */
function readIds(given: readonly string[]): Result<readonly MessageId[], Rejection> {
  const ids = new Set<MessageId>();
  for (const each of given) {
    const id = parseMessageId(each);
    if (id === undefined) {
      // The error quotes a text that cannot be an id only if it is a short word.
      const which = /^\w{1,64}$/.test(each) ? `the id ${each}` : 'one of these ids';
      return refused({ code: 'does_not_exist', detail: `there is no inbound message with ${which}` });
    }
    ids.add(id);
  }
  return ok([...ids].toSorted((one, other) => one - other));
}
