import type { Way } from '../../core/message/admission.ts';
import { isForNobody } from '../../core/routing/carrier-cost.ts';
import { marginOf } from '../../core/money/margin.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { CarrierVerdict } from '../../core/routing/carrier-choice.ts';
import type { ConsideredRoute, RouteCarrier } from '../../core/routing/route.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import type { AdministerNeeds } from '../../operator/administer.ts';
import { explainRoute } from '../../operator/routing/explain-route.ts';
import type { ExplainNeeds, Explanation } from '../../operator/routing/explain-route.ts';
import type { Fields } from '../../operator/fields.ts';
import { setRoute } from '../../operator/routing/set-route.ts';
import type { WaitingNeeds } from '../../operator/message/waiting-messages.ts';
import type { RouteView } from '../../store/views/routing/routes.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import { time } from './present.ts';
import type { Answer } from './answer.ts';

/* Routes as the operator sees them, and `route explain`. */

export function showRoute(route: Omit<RouteView, 'createdAt'>): { readonly [member: string]: Json } {
  return {
    prefix: route.prefix,
    carrier: route.carrier,
    sender: route.sender,
    account: route.account,
    encoding: route.encoding,
    by: route.by,
    rank: route.rank,
    weight: route.weight,
    cost: route.cost,
    after: secondsOf(route.waitMs),
  };
}

/** Changes a route, and shows it as it was and as it is. */
export async function changeRoute(needs: AdministerNeeds & WaitingNeeds, fields: Fields): Answer {
  const before = needs.snapshot();
  const set = await setRoute(needs, fields);
  if (!set.ok) return set;
  const { id, moved } = set.value;
  return ok({ before: showCarriersOf(before, id), after: showCarriersOf(needs.snapshot(), id), moved });
}

function showCarriersOf({ routes, carriers, accounts }: Snapshot, id: number): Json {
  const route = routes.get(id);
  if (!route) return [];
  const account = route.account === null ? null : (accounts.get(route.account)?.name ?? null);
  return route.carriers.map((each) =>
    showRoute({ ...route, ...each, account, carrier: carriers.get(each.carrier)?.name ?? '' }),
  );
}

export async function askExplanation(needs: ExplainNeeds, fields: Fields): Answer {
  const explained = explainRoute(needs, fields);
  return explained.ok ? ok(showExplanation(explained.value)) : explained;
}

function showExplanation(explanation: Explanation): Json {
  const { account, message, numParts, way, choice, carriers } = explanation;
  const nameOf = (carrier: number) => carriers.get(carrier)?.name ?? null;
  return {
    account: account.name,
    receiver: message.receiver,
    sender: message.sender,
    encoding: message.encoding,
    numParts,
    refusal: way.ok ? marginRefusalOf(way.value, explanation) : refusalOf(way.error, explanation),
    route: way.ok ? way.value.route.prefix : null,
    unitPrice: way.ok ? way.value.rated.unitPrice : null,
    currency: account.currency,
    chosen: choice?.chosen ? nameOf(choice.chosen.carrier) : null,
    routes: explanation.considered.map((each, at) => showConsidered(each, at, explanation)),
    by: way.ok ? way.value.route.by : null,
    carriers: way.ok
      ? way.value.route.carriers.map((each, at) => showCarrier(each, choice?.verdicts[at], explanation))
      : [],
  };
}

function refusalOf(refusal: Rejection, { account }: Explanation): Json {
  const detail =
    refusal.code === 'no_route'
      ? 'no route fits: make one with route add'
      : `no price: the price list of account ${account.name} has none for this number; set one with price set`;
  return { code: refusal.code, detail };
}

/** No carrier is left: the client is told of no route. */
function marginRefusalOf({ route, eligible }: Way, { account }: Explanation): Json {
  if (!isForNobody(route, eligible)) return null;
  const detail = `each carrier of its route is below the margin of account ${account.name}: its clients are told that there is no route`;
  return { code: 'no_route', detail };
}

function showConsidered({ route, miss }: ConsideredRoute, at: number, { considered, account }: Explanation): Json {
  const first = considered.findIndex((each) => each.miss === null);
  return {
    prefix: route.prefix,
    sender: route.sender,
    // Its name is known only when it is the account that was asked about.
    account: route.account === null ? null : route.account === account.id ? account.name : 'another',
    encoding: route.encoding,
    verdict: miss === null ? (at === first ? 'chosen' : 'behind the chosen one') : `${miss} is another`,
  };
}

function showCarrier(each: RouteCarrier, verdict: CarrierVerdict | undefined, explanation: Explanation): Json {
  const { name, status } = explanation.carriers.get(each.carrier) ?? { name: 'removed', status: 'removed' };
  const { unboundSince, hasRoom } = explanation.seen(each.carrier);
  const kind = verdict?.kind ?? 'paused';
  const cost = explanation.costOf(each);
  const { currency } = explanation.account;
  const price = explanation.way.ok ? explanation.way.value.rated.unitPrice : null;
  return {
    carrier: name,
    rank: each.rank,
    weight: each.weight,
    cost: cost?.amount ?? null,
    costCurrency: cost?.currency ?? null,
    margin: cost && price !== null && cost.currency === currency ? marginOf(price, cost.amount) : null,
    after: secondsOf(each.waitMs),
    status,
    hasRoom,
    unboundSince: unboundSince === null ? null : time(unboundSince),
    verdict: kind,
    // Paused, drained or removed: its status says which.
    why: kind === 'paused' ? status : sentenceOf(verdict, unboundSince),
  };
}

function sentenceOf(verdict: CarrierVerdict | undefined, unboundSince: Instant | null): string {
  switch (verdict?.kind) {
    case 'chosen':
      return 'takes it now';
    case 'next':
      return 'could take it; another of its rank comes first';
    case 'not-bound':
      return unboundSince === null ? 'no link is bound' : `no link is bound since ${time(unboundSince)}`;
    case 'rank':
      return verdict.waitMs === null
        ? 'a better rank is there'
        : `a better rank is there; takes what waits ${verdict.waitMs / secondMs} s`;
    case 'behind':
      return 'others wait for it already';
    case 'margin':
      return 'too little of the price would be left: see account show';
    case 'no-room':
      return 'no room on its links';
    case 'paused':
    case undefined:
      return 'takes nothing';
  }
}

function secondsOf(waitMs: number | null): number | null {
  return waitMs === null ? null : waitMs / secondMs;
}
