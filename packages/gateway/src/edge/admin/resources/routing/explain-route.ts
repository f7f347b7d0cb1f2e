import { countParts } from '@morsel/gsm';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import type { route as declared } from '@morsel/api/admin/routing/route.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { Account } from '../../../../core/account/account.ts';
import { invalid, type Rejection } from '../../../../core/base/rejection.ts';
import { findWay, type Way } from '../../../../core/routing/way.ts';
import { priorityNumbers } from '../../../../core/message/priority.ts';
import type { Snapshot } from '../../../../core/snapshot.ts';
import { marginOf } from '../../../../core/money/margin.ts';
import { parseReceiver, parseSender } from '../../../../core/number/address.ts';
import { accountNamed } from '../../../../core/named.ts';
import type { CarrierVerdict } from '../../../../core/routing/carrier-choice.ts';
import { isForNobody, unitCostOf } from '../../../../core/routing/carrier-cost.ts';
import { considerRoutes, type ConsideredRoute, type RouteCarrier } from '../../../../core/routing/route.ts';
import { placeOf } from '../../../../state/decide/routing/route.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

/*
 * Explains where a message would go now, and why. The explanation uses the functions of admission, carriers and claims,
 * and changes nothing.
 */

type Asked = InputOf<typeof declared.operations.explain>;
type Explained = AnswerOf<typeof declared.operations.explain>;

export function explainRoute(
  needs: Pick<OperatorNeeds, 'snapshot' | 'clock' | 'control'>,
  asked: Asked,
): Result<Explained, Rejection> {
  const snapshot = needs.snapshot();
  const named = accountNamed(snapshot, asked.account);
  if (!named.ok) return named;
  const account = named.value;
  const receiver = parseReceiver(asked.receiver);
  if (!receiver.ok) return receiver;
  const sender = asked.sender === undefined ? ok(null) : parseSender(asked.sender);
  if (!sender.ok) return sender;
  const counted = countText(asked);
  if (!counted.ok) return counted;
  const { encoding, numParts } = counted.value;
  const message = { receiver: receiver.value, sender: sender.value, account: account.id, encoding };
  const at = needs.clock.now();
  const way = findWay(message, numParts, { account, snapshot, at });
  return ok({
    ...message,
    account: account.name,
    numParts,
    currency: account.currency,
    routes: routesOf(considerRoutes(snapshot, message), account),
    ...(way.ok
      ? goesBy(needs, way.value, { account, snapshot, at, numParts, receiver: receiver.value })
      : { ...goesNowhere, refusal: refusalOf(way.error, account) }),
  });
}

/** Counts the parts of the text. Without a text, one part in the GSM alphabet is assumed. */
function countText({ text, encoding }: Asked): Result<{ encoding: string; numParts: number }, Rejection> {
  if (text === undefined) return ok({ encoding: encoding ?? 'gsm7', numParts: 1 });
  const counted = countParts(text, encoding === undefined ? 'SMS' : encoding === 'gsm7' ? 'GSM' : 'UCS');
  return counted.ok ? ok(counted) : invalid('text', 'must have only characters of the given encoding');
}

const goesNowhere = { route: null, unitPrice: null, chosen: null, by: null, carriers: [] };

function refusalOf(refusal: Rejection, { name }: Account): Explained['refusal'] {
  const detail =
    refusal.code === 'no_route'
      ? 'no route matches this message: add a route with route add'
      : `the price list of account ${name} has no price for this number: add a price with price set`;
  return { code: refusal.code, detail };
}

function routesOf(considered: readonly ConsideredRoute[], account: Account): Explained['routes'] {
  const first = considered.findIndex(({ miss }) => miss === null);
  return considered.map(({ route, miss }, at) => ({
    ...route,
    // The answer names the route's account only if it is the account in the question.
    account: route.account === null ? null : route.account === account.id ? account.name : 'another',
    verdict:
      miss === null
        ? at === first
          ? 'chosen'
          : 'would match, but the chosen route matches better'
        : `the ${miss} does not match`,
  }));
}

interface Question {
  readonly account: Account;
  readonly snapshot: Snapshot;
  readonly at: Instant;
  readonly numParts: number;
  readonly receiver: string;
}

function goesBy(
  needs: Pick<OperatorNeeds, 'clock' | 'control'>,
  { route, rated, eligible }: Way,
  { account, snapshot, numParts, ...question }: Question,
): Pick<Explained, 'route' | 'unitPrice' | 'chosen' | 'by' | 'carriers' | 'refusal'> {
  const { currency } = account;
  const weight = { numParts, priority: priorityNumbers.normal };
  const { chosen, verdicts } = needs.control.choose(route, weight, eligible);
  const carrierOf = (each: RouteCarrier) => snapshot.carriers.get(each.carrier) ?? removed;
  const carriers = route.carriers.map((each, at) => {
    const { name, status } = carrierOf(each);
    const { unboundSince, hasRoom } = needs.control.seen(each.carrier, weight);
    const cost = unitCostOf(each, snapshot, { ...question, currency });
    const verdict = verdicts[at] ?? { kind: 'paused' };
    return {
      carrier: name,
      ...placeOf(each),
      cost: cost?.amount ?? null,
      costCurrency: cost?.currency ?? null,
      margin: cost?.currency === currency ? marginOf(rated.unitPrice, cost.amount) : null,
      status,
      hasRoom,
      unboundSince,
      verdict: verdict.kind,
      why: sentenceOf(verdict, { status, unboundSince }),
    };
  });
  // A client would get the code no_route instead, because margins are secret.
  const detail = `every carrier of the route leaves less than the lowest margin of account ${account.name}, so clients get the error no_route`;
  return {
    route: route.prefix,
    unitPrice: rated.unitPrice,
    chosen: chosen ? carrierOf(chosen).name : null,
    by: route.by,
    carriers,
    refusal: isForNobody(route, eligible) ? { code: 'no_route', detail } : null,
  };
}

const removed = { name: 'removed', status: 'removed' };

function sentenceOf(
  verdict: CarrierVerdict,
  { status, unboundSince }: { readonly status: string; readonly unboundSince: Instant | null },
): string {
  switch (verdict.kind) {
    case 'chosen':
      return 'would send the message now';
    case 'next':
      return 'could send the message, but another carrier of the same rank comes first';
    case 'not-bound':
      return unboundSince === null
        ? 'no link is bound at this node; other nodes may send the message'
        : `no link is bound since ${new Date(unboundSince).toISOString()}`;
    case 'rank':
      return `a carrier of a better rank is bound${verdict.waitMs === null ? '' : `; sends messages that have waited ${verdict.waitMs / secondMs} s`}`;
    case 'behind':
      return 'other messages already wait for this carrier';
    case 'margin':
      return 'the margin would be too small: see account show';
    case 'no-room':
      return 'the links of the carrier have no room';
    // The carrier is paused, drained or removed.
    case 'paused':
      return status;
  }
}
