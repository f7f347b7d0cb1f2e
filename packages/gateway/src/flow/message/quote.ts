/* Quotes the cost of a message. It goes the way of `submit` up to the commit, and uses the same charge. */

import { listOutside } from '@morsel/gsm';
import type { Outside } from '@morsel/gsm';
import type { Account } from '../../core/account/account.ts';
import { authorize, parseDraft } from '../../core/message/admission.ts';
import type { Draft, ParsedDraft, Way } from '../../core/message/admission.ts';
import { hashRequest } from '../../core/message/admission.ts';
import type { FirstAccepted } from '../../core/message/idempotency.ts';
import { charge } from '../../core/money/ledger.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { dueTime } from '../../core/message/schedule.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Reader } from '../../store/reader.ts';
import type { AccountRow } from '../../store/tables/rows.ts';
import type { Limits } from '../account/limits.ts';
import { optedOut, optedOutBefore } from './opted-out.ts';
import { firstUnder } from './repeats.ts';

interface QuoteNeeds {
  readonly snapshot: () => Snapshot;
  readonly reader: Pick<Reader, 'ask'>;
  readonly clock: { now(): Instant };
  readonly priceClock: { now(): Instant };
  /** No key expires: the clock is not trusted. */
  readonly isHeld: () => boolean;
  /** Asked, and counting nothing. */
  readonly limits: Pick<Limits, 'ask'>;
}

/** What a message would cost, and why, if it were sent now. */
export interface Quote {
  /** The route and the price; null for a replay, which is not sent. */
  readonly way: Way | null;
  readonly receiver: string;
  readonly numParts: number;
  /** The encoding that `SMS` becomes. */
  readonly encoding: 'GSM' | 'UCS';
  /** Characters of the text that need UCS. */
  readonly outside: Outside;
  readonly unitPrice: Micros;
  readonly totalCost: Micros;
  readonly routePrefix: string;
  readonly clientBalance: Micros;
  /** The balance after the message, which may be below the limit. */
  readonly balanceAfter: Micros;
  readonly isCovered: boolean;
  /** A send would get the first answer of its key, and charge nothing: price and route are the former ones. */
  readonly isReplay: boolean;
  readonly clientCurrency: string;
}

/** Characters that are named: enough to see what to change in a text, and an answer that stays small. */
const charactersMax = 20;

/**
 * Goes the way of `submit` up to its commit, and asks what that commit would say: the two cannot disagree. What a send
 * would refuse is refused alike, but for one thing: that the balance does not suffice is what a quote is asked for. It
 * charges and keeps nothing, and uses no idempotency key up.
 */
export async function quote(needs: QuoteNeeds, account: Account, draft: Draft): Promise<Result<Quote, Rejection>> {
  const at = needs.clock.now();
  const parsed = parseDraft(draft, account, at);
  if (!parsed.ok) return parsed;
  const { sendAt, composed } = parsed.value;
  if (draft.idempotencyKey !== undefined) {
    const idempotency = { key: draft.idempotencyKey, hash: hashRequest(parsed.value) };
    const first = await firstUnder(needs, account, idempotency);
    if (!first.ok) return first;
    if (first.value) return quoteReplay(needs, account, { parsed: parsed.value, first: first.value });
  }
  const dueAt = dueTime(sendAt, at);
  if (!dueAt.ok) return dueAt;
  const limits = { judge: needs.limits.ask.bind(needs.limits) };
  const way = authorize(parsed.value, { account, snapshot: needs.snapshot(), limits, at: needs.priceClock.now() });
  const between = { account: account.id, ...parsed.value };
  if (!way.ok) return refused(await optedOutBefore(needs, way.error, between));
  const optOut = await optedOut(needs, between);
  if (optOut) return refused(optOut);
  const payer = await payerOf(needs, account);
  if (!payer.ok) return payer;
  const { balance } = payer.value;
  const { rated, route } = way.value;
  const charged = charge(payer.value.account, payer.value, { cost: rated.totalCost, at });
  if (!charged.ok && charged.error.code !== 'insufficient_balance') return charged;
  return ok({
    ...saidOf(parsed.value),
    way: way.value,
    numParts: composed.numParts,
    unitPrice: rated.unitPrice,
    totalCost: rated.totalCost,
    routePrefix: route.prefix,
    clientBalance: balance,
    balanceAfter: charged.ok ? charged.value.balance : toMicros(balance - rated.totalCost),
    isCovered: charged.ok,
    isReplay: false,
    clientCurrency: account.currency,
  });
}

/** What was charged then, and that nothing more is. */
async function quoteReplay(
  needs: QuoteNeeds,
  account: Account,
  { parsed, first }: { readonly parsed: ParsedDraft; readonly first: FirstAccepted },
): Promise<Result<Quote, Rejection>> {
  const payer = await payerOf(needs, account);
  if (!payer.ok) return payer;
  const message = await needs.reader.ask('message', first.message);
  if (!message.ok) return message;
  if (!message.value) throw new Error('a key stands for a message that is not there');
  const { balance } = payer.value;
  return ok({
    ...saidOf(parsed),
    way: null,
    numParts: first.numParts,
    unitPrice: message.value.unitPrice,
    totalCost: first.totalCost,
    routePrefix: message.value.route,
    clientBalance: balance,
    balanceAfter: balance,
    isCovered: true,
    isReplay: true,
    clientCurrency: account.currency,
  });
}

function saidOf({ receiver, composed, text }: ParsedDraft): Pick<Quote, 'receiver' | 'encoding' | 'outside'> {
  const encoding = composed.encoding === 'gsm7' ? 'GSM' : 'UCS';
  return { receiver, encoding, outside: listOutside(text, charactersMax) };
}

/** The account as a commit would find it. */
async function payerOf(needs: QuoteNeeds, account: Account): Promise<Result<AccountRow, Rejection>> {
  const payer = await needs.reader.ask('payer', account.id);
  if (!payer.ok) return payer;
  if (!payer.value) return refused({ code: 'unauthorized' });
  return payer.value.status === 'active'
    ? ok(payer.value)
    : refused({ code: 'forbidden', detail: 'the account is suspended' });
}
