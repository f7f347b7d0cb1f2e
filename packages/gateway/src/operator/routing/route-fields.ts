import { parseSender } from '../../core/number/address.ts';
import { rankOrders, routeEncodings } from '../../core/routing/route.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { amount, name, oneOf, optional, orAny, orNone, prefix, wholeNumber } from '../fields.ts';
import type { Field } from '../fields.ts';

/* What the operator says of a route. */

/** More ranks than a route has carriers serve nobody. */
const rankMax = 100;
const weightMax = 1_000;
/** Whole units a part, as prices have. */
const costMax = 1_000_000_000;
/** The longest validity there is: who waits longer has given up. */
const afterMax = (72 * 3_600 * secondMs) / secondMs;

/** As messages have it, or the beginning of one with a `*` behind it: `+41*`, `ACME*`. */
export const sender: Field<string> = {
  parse: (text) => {
    if (text.endsWith('*')) return beginning.test(text) ? ok(text) : refused(beginningHint);
    const exact = parseSender(text);
    return exact.ok ? ok(exact.value) : refused('detail' in exact.error ? exact.error.detail : beginningHint);
  },
};

/** A plus and digits, digits of a short code, or up to ten characters of a name. */
const beginning = /^(?:\+[1-9]\d{0,14}|[^+*\p{Cc}]{1,10})\*$/u;
const beginningHint = 'it has to be a sender, or the beginning of one with a * behind it, such as +41* or ACME*';

const matchFields = {
  prefix,
  sender: optional(sender, null),
  account: optional(name, null),
  encoding: optional(oneOf(routeEncodings), null),
};

export const addRouteFields = {
  ...matchFields,
  carrier: name,
  rank: optional(wholeNumber(1, rankMax), 1),
  weight: optional(wholeNumber(1, weightMax), 1),
  cost: optional(amount(0, costMax), null),
  after: optional(wholeNumber(0, afterMax), null),
  by: optional(oneOf(rankOrders), null),
};

/** A new match is wider with `any`. */
export const setRouteFields = {
  ...matchFields,
  carrier: optional(name, null),
  newCarrier: optional(name, undefined),
  rank: optional(wholeNumber(1, rankMax), undefined),
  weight: optional(wholeNumber(1, weightMax), undefined),
  cost: optional(orNone(amount(0, costMax)), undefined),
  after: optional(orNone(wholeNumber(0, afterMax)), undefined),
  by: optional(oneOf(rankOrders), undefined),
  newPrefix: optional(prefix, undefined),
  newSender: optional(orAny(sender), undefined),
  newAccount: optional(orAny(name), undefined),
  newEncoding: optional(orAny(oneOf(routeEncodings)), undefined),
};

export const removeRouteFields = { ...matchFields, carrier: optional(name, null) };
