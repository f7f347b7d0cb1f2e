/* The handlers of inbound messages. They convert numbers, because the store's threads do not load the number plan. */

import { type inbound, replayMax } from '@morsel/api/admin/message/inbound.ts';
import type { InputOf } from '@morsel/api/admin/resource.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { parseMessageId, type MessageId } from '../../../../core/base/message-id.ts';
import { invalid, type Rejection } from '../../../../core/base/rejection.ts';
import { parseKeyword } from '../../../../core/number/keyword.ts';
import { parseOwnedNumber } from '../../../../core/number/owned-number.ts';
import type { ChosenInbound } from '../../../../state/decide/notification/replay-inbound.ts';
import type { Handlers } from '../../bind.ts';
import { decidedIf, viewed } from '../../direct.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

export const inboundHandlers: Handlers<'inbound'> = {
  list: viewed('inbound.list', readFilter),
  replay: decidedIf('inbound.replay', choose),
};

type Filter = Omit<InputOf<typeof inbound.operations.list>, 'after' | 'limit'>;

/** Converts a filter to the form in which messages are stored. */
function readFilter<Given extends Filter>(given: Given): Result<Given, Rejection> {
  const { account, unmatched, since, until } = given;
  if (unmatched && account !== undefined)
    return invalid('unmatched', 'cannot be combined with account: an unmatched message has no account');
  if (since !== undefined && until !== undefined && since >= until) return invalid('until', 'must be after since');
  const owned = given.number === undefined ? undefined : parseOwnedNumber(given.number, 'number');
  if (owned && !owned.ok) return invalid('number', owned.error);
  const keyword = given.keyword === undefined ? ok(undefined) : parseKeyword(given.keyword);
  if (!keyword.ok) return invalid('keyword', keyword.error);
  const sender = given.sender === undefined ? undefined : senderOf(given.sender);
  return ok({ ...given, number: owned?.value.digits, keyword: keyword.value, sender });
}

/** Numbers are stored with a plus. Short codes and names are stored unchanged. */
function senderOf(sender: string): string {
  const owned = parseOwnedNumber(sender, 'number');
  return owned.ok ? owned.value.number : sender;
}

/**
 * The messages of one step of a replay: the messages with the given ids, or those that match a filter, in the order of
 * arrival. Messages that arrived after the first step are left out, because they were delivered just now.
 */
async function choose(
  needs: OperatorNeeds,
  { ids: given, reroute: _reroute, after, ...filter }: InputOf<typeof inbound.operations.replay>,
): Promise<Result<ChosenInbound, Rejection>> {
  const hasFilter = Object.values(filter).some((each) => each !== undefined && each !== false);
  if (given) {
    if (hasFilter) return invalid('ids', 'give message ids or a filter, not both');
    const ids = readIds(given);
    return ids.ok ? ok({ ids: ids.value, next: null, until: null }) : ids;
  }
  if (!hasFilter) return invalid('ids', 'give message ids, or a filter such as unmatched or undelivered');
  const until = Math.min(filter.until ?? Number.POSITIVE_INFINITY, needs.clock.now());
  const wanted = readFilter({ ...filter, until });
  if (!wanted.ok) return wanted;
  const found = await viewed('inbound.list')(needs, { ...wanted.value, order: 'oldest', after, limit: replayMax });
  if (!found.ok) return found;
  const { items, next } = found.value;
  return ok({ ids: items.map(({ msgId }) => msgId), next, until });
}

/** Sorts the message ids, the oldest message first, and removes repeated ids. */
function readIds(given: readonly string[]): Result<readonly MessageId[], Rejection> {
  const ids = new Set<MessageId>();
  for (const each of given) {
    const id = parseMessageId(each);
    if (id === undefined) {
      // The error quotes the given text only if it is a short word.
      const which = /^\w{1,64}$/.test(each) ? `the id ${each}` : 'one of these ids';
      return refused({ code: 'does_not_exist', detail: `there is no inbound message with ${which}` });
    }
    ids.add(id);
  }
  return ok([...ids].toSorted((one, other) => one - other));
}
