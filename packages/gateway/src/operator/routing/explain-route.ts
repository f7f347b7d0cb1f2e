/* Explains where a message would go now, and why: it asks what admission, dispatch and claims ask. */

import { countParts } from '@morsel/gsm';
import type { Account } from '../../core/account/account.ts';
import { parseReceiver, parseSender } from '../../core/number/address.ts';
import { findWay } from '../../core/message/admission.ts';
import type { Way } from '../../core/message/admission.ts';
import type { Choice } from '../../core/routing/carrier-choice.ts';
import type { Carrier } from '../../core/routing/carrier.ts';
import { unitCostOf } from '../../core/routing/carrier-cost.ts';
import type { UnitCost } from '../../core/routing/carrier-cost.ts';
import { priorityNumbers } from '../../core/message/priority.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { considerRoutes, routeEncodings } from '../../core/routing/route.ts';
import type { ConsideredRoute, RouteCarrier, RouteQuestion } from '../../core/routing/route.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { anyText, invalid, name, oneOf, optional, readFields } from '../fields.ts';
import type { Fields } from '../fields.ts';
import type { Routing, Seen } from '../../flow/routing/routing.ts';

export interface ExplainNeeds {
  readonly snapshot: () => Snapshot;
  readonly clock: { now(): Instant };
  readonly routing: Pick<Routing, 'choose' | 'seen'>;
}

/** Where a message would go now, and why. */
export interface Explanation {
  readonly account: Account;
  readonly message: RouteQuestion;
  readonly numParts: number;
  /** Every route that its number begins like, in the order in which they were looked at; the first that fits is its own. */
  readonly considered: readonly ConsideredRoute[];
  /** Its route and price, or why we would not carry it. */
  readonly way: Result<Way, Rejection>;
  /** Who would take it now; undefined without a way. */
  readonly choice: Choice | undefined;
  /** What a part takes through a carrier of the route; null when nobody said. */
  readonly costOf: (each: RouteCarrier) => UnitCost | null;
  readonly seen: (carrier: number) => Seen;
  readonly carriers: ReadonlyMap<number, Carrier>;
}

const explainFields = {
  account: name,
  receiver: anyText,
  sender: optional(anyText, null),
  text: optional(anyText, null),
  encoding: optional(oneOf(routeEncodings), null),
};

/** Asks what admission, dispatch and claims ask, of the same snapshot and links, and changes nothing. */
export function explainRoute(needs: ExplainNeeds, fields: Fields): Result<Explanation, Rejection> {
  const read = readFields(explainFields, fields);
  if (!read.ok) return read;
  const snapshot = needs.snapshot();
  const account = [...snapshot.accounts.values()].find((each) => each.name === read.value.account);
  if (!account) return refused({ code: 'does_not_exist', detail: `there is no account named ${read.value.account}` });
  const receiver = parseReceiver(read.value.receiver);
  if (!receiver.ok) return receiver;
  const sender = read.value.sender === null ? ok(null) : parseSender(read.value.sender);
  if (!sender.ok) return sender;
  const counted = countText(read.value);
  if (!counted.ok) return counted;
  const { encoding, numParts } = counted.value;
  const message = { receiver: receiver.value, sender: sender.value, account: account.id, encoding };
  const weight = { numParts, priority: priorityNumbers.normal };
  const at = needs.clock.now();
  const way = findWay(message, numParts, { account, snapshot, at });
  return ok({
    account,
    message,
    numParts,
    considered: considerRoutes(snapshot, message),
    way,
    choice: way.ok ? needs.routing.choose(way.value.route, weight, way.value.eligible) : undefined,
    costOf: (each) => unitCostOf(each, snapshot, { receiver: message.receiver, currency: account.currency, at }),
    seen: (carrier) => needs.routing.seen(carrier, weight),
    carriers: snapshot.carriers,
  });
}

/** One part of GSM, unless a text or an encoding says otherwise. */
function countText(given: {
  readonly text: string | null;
  readonly encoding: (typeof routeEncodings)[number] | null;
}): Result<{ readonly encoding: string; readonly numParts: number }, Rejection> {
  const { text, encoding } = given;
  if (text === null) return ok({ encoding: encoding ?? 'gsm7', numParts: 1 });
  const counted = countParts(text, encoding === null ? 'SMS' : encoding === 'gsm7' ? 'GSM' : 'UCS');
  return counted.ok ? ok(counted) : invalid('text', 'it cannot be sent in this encoding');
}
