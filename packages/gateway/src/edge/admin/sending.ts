import type { Account } from '../../core/account/account.ts';
import type { Draft, Way } from '../../core/message/admission.ts';
import { formatMarginMin } from '@morsel/api/values/margin.ts';
import { pricePrefix } from '../../core/money/rating.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import { actor, anyText, flag, name, optional, readFields, wholeNumber } from '../../operator/fields.ts';
import type { Fields } from '../../operator/fields.ts';
import type { AcceptedMessage } from '../../flow/ports.ts';
import type { Quote } from '../../flow/message/quote.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import type { Answer } from './answer.ts';

/* Messages that the operator sends for an account, and what they would cost. */

export interface SendingNeeds {
  readonly snapshot: () => Snapshot;
  /** The one way in for messages: the same as everybody's. */
  readonly submit: (account: Account, draft: Draft, actor?: string) => Promise<Result<AcceptedMessage, Rejection>>;
  readonly quote: (account: Account, draft: Draft) => Promise<Result<Quote, Rejection>>;
}

const fieldTable = {
  account: name,
  sender: anyText,
  receiver: anyText,
  text: anyText,
  dcs: optional(anyText, 'SMS'),
  clientRef: optional(anyText, undefined),
  // Which seconds are allowed, admission says.
  validity: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER), undefined),
  priority: optional(anyText, undefined),
  sendAt: optional(anyText, undefined),
  flash: optional(flag, false),
  idempotencyKey: optional(anyText, undefined),
};

/** Sends as the account's own client would: its balance pays, and its suspension holds. */
export async function send(needs: SendingNeeds, fields: Fields): Answer {
  const { actor: given, ...message } = fields;
  const named = readFields({ actor }, { actor: given });
  if (!named.ok) return named;
  const read = readMessage(needs, message);
  if (!read.ok) return read;
  const accepted = await needs.submit(read.value.account, read.value.draft, named.value.actor);
  if (!accepted.ok) return refused(forOperator(accepted.error, read.value.account));
  return ok({ ...accepted.value, msgId: String(accepted.value.msgId) });
}

/** What `send` of the same would cost, and why. */
export async function askQuote(needs: SendingNeeds, fields: Fields): Answer {
  const read = readMessage(needs, fields);
  if (!read.ok) return read;
  const quoted = await needs.quote(read.value.account, read.value.draft);
  if (!quoted.ok) return refused(forOperator(quoted.error, read.value.account));
  return ok(showQuote(quoted.value, needs.snapshot()));
}

/** What carriers take is the operator's business, and no client's. */
function forOperator(rejection: Rejection, { name: account, marginMin }: Account): Rejection {
  if (rejection.code !== 'no_route' || rejection.isBelowMargin !== true || marginMin === null) return rejection;
  const { receiver } = rejection;
  const least = formatMarginMin(marginMin);
  const detail = `every carrier of the route would leave less of the price than ${least}, and account ${account} refuses that (--below-margin): route explain --account ${account} --receiver ${receiver} shows what each takes`;
  return { ...rejection, detail };
}

function readMessage(
  needs: SendingNeeds,
  fields: Fields,
): Result<{ readonly account: Account; readonly draft: Draft }, Rejection> {
  const read = readFields(fieldTable, fields);
  if (!read.ok) return read;
  const { account: wanted, ...draft } = read.value;
  const account = [...needs.snapshot().accounts.values()].find((each) => each.name === wanted);
  if (!account) return refused({ code: 'does_not_exist', detail: `there is no account named ${wanted}` });
  if (account.status !== 'active') return refused({ code: 'forbidden', detail: 'the account is suspended' });
  return ok({ account, draft });
}

/** The words of the client's quote, and whose route and price they are. */
function showQuote(quote: Quote, snapshot: Snapshot): Json {
  return {
    numParts: quote.numParts,
    encoding: quote.encoding,
    ucsCount: quote.outside.count,
    ucsCharacters: quote.outside.characters.map(({ character, position }) => ({ character, position })),
    unitPrice: quote.unitPrice,
    totalCost: quote.totalCost,
    clientBalance: quote.clientBalance,
    balanceAfter: quote.balanceAfter,
    isCovered: quote.isCovered,
    isReplay: quote.isReplay,
    clientCurrency: quote.clientCurrency,
    routePrefix: quote.routePrefix,
    ...(quote.way ? showWay(quote.way, quote.receiver, snapshot) : {}),
  };
}

function showWay({ route, rated }: Way, receiver: string, snapshot: Snapshot): { readonly [member: string]: Json } {
  const list = snapshot.priceLists.get(rated.priceList);
  return {
    routeSender: route.sender,
    routeEncoding: route.encoding,
    carriers: route.carriers.map(({ carrier }) => snapshot.carriers.get(carrier)?.name ?? null),
    priceList: list?.name ?? null,
    priceVersion: rated.priceVersion,
    pricePrefix: pricePrefix(list, receiver, rated.priceVersion) ?? null,
  };
}
