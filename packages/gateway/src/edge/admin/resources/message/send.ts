import { formatMarginMin } from '@morsel/api/values/margin.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Account } from '../../../../core/account/account.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import type { Way } from '../../../../core/routing/way.ts';
import type { Snapshot } from '../../../../core/snapshot.ts';
import { pricePrefix } from '../../../../core/money/rating.ts';
import { quote } from '../../../../flow/message/quote.ts';
import { submit } from '../../../../flow/message/submit.ts';
import { accountNamed } from '../../../../core/named.ts';
import type { Handlers } from '../../bind.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

/* Messages that the operator sends for an account, and quotes for such messages. */

/** Sends a message for an account, like a client of the account. The account pays, and must not be suspended. */
export const sendMessage: Handlers<'message'>['send'] = async (needs, { account: name, ...draft }) => {
  const account = activeAccount(needs, name);
  if (!account.ok) return account;
  // The entry of the audit log is in the same commit.
  const auditing = { ...needs.messages, journal: needs.journal };
  const by = { name: needs.caller.name };
  const accepted = await submit(auditing, account.value, { draft, source: 'operator', by });
  return accepted.ok ? accepted : refused(forOperator(accepted.error, account.value));
};

/**
 * The price that `sendMessage` would charge for the same message. The answer has the client's quote, the route and the
 * price list.
 */
export const quoteMessage: Handlers<'message'>['quote'] = async (needs, { account: name, ...draft }) => {
  const account = activeAccount(needs, name);
  if (!account.ok) return account;
  const quoted = await quote(needs.messages, account.value, draft);
  if (!quoted.ok) return refused(forOperator(quoted.error, account.value));
  const { way, outside, ...cost } = quoted.value;
  return ok({
    ...cost,
    ucsCount: outside.count,
    ucsCharacters: outside.characters,
    ...(way ? wayOf(way, cost.receiver, needs.snapshot()) : {}),
  });
};

function activeAccount(needs: Pick<OperatorNeeds, 'snapshot'>, name: string): Result<Account, Rejection> {
  const account = accountNamed(needs.snapshot(), name);
  if (!account.ok || account.value.status === 'active') return account;
  return refused({ code: 'forbidden', detail: 'the account is suspended and cannot send: use account resume' });
}

/** Tells an operator that the margin is the reason of a refusal. Clients must not learn of carriers' costs. */
function forOperator(rejection: Rejection, { name: account, marginMin }: Account): Rejection {
  if (rejection.code !== 'no_route' || rejection.isBelowMargin !== true || marginMin === null) return rejection;
  const { receiver } = rejection;
  const least = formatMarginMin(marginMin);
  const detail = `every carrier of the route leaves a margin below ${least}, and account ${account} refuses such messages (--below-margin): see route explain --account ${account} --receiver ${receiver}`;
  return { ...rejection, detail };
}

function wayOf({ route, rated }: Way, receiver: string, snapshot: Snapshot) {
  const list = snapshot.priceLists.get(rated.priceList);
  return {
    routeSender: route.sender,
    routeEncoding: route.encoding,
    carriers: route.carriers.flatMap(({ carrier }) => snapshot.carriers.get(carrier)?.name ?? []),
    priceList: list?.name ?? null,
    priceVersion: rated.priceVersion,
    pricePrefix: pricePrefix(list, receiver, rated.priceVersion) ?? null,
  };
}
