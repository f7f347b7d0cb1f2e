/* Quotes the cost of a message, with the same checks and the same charge as `submit`. */

import { listOutside, type Outside } from '@morsel/gsm';
import type { Account } from '../../core/account/account.ts';
import { authorize, parseDraft, hashRequest, type Draft, type ParsedDraft } from '../../core/message/admission.ts';
import type { Way } from '../../core/routing/way.ts';
import type { FirstAccepted } from '../../core/message/idempotency.ts';
import { contentOf } from '../../core/message/content.ts';
import type { LimitedMessage } from '../../core/account/limits.ts';
import { charge } from '../../core/money/ledger.ts';
import { toMicros, type Micros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { dueTime } from '../../core/message/schedule.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { AccountRow } from '../../state/tables/account.ts';
import type { Limits } from '../account/limits.ts';
import type { Readiness } from '../readiness.ts';
import { optedOut, optedOutBefore } from './opted-out.ts';
import { firstUnder } from './repeats.ts';
import type { Tools } from '../ports.ts';

export interface QuoteNeeds extends Pick<Tools, 'clock' | 'reader'> {
  readonly snapshot: () => Snapshot;
  readonly priceClock: { now(): Instant };
  /** True while the clock is not trusted: no idempotency key expires then. */
  readonly isHeld: () => boolean;
  /** The rules of accounts that count no messages. */
  readonly limits: Pick<Limits, 'ask'>;
  readonly readiness: Pick<Readiness, 'check'>;
}

export interface Quote {
  /** The route and the price. Null for a replay, which is not sent. */
  readonly way: Way | null;
  readonly receiver: string;
  readonly numParts: number;
  /** The encoding of the message. For `dcs` `SMS`, the gateway chose it. */
  readonly encoding: 'GSM' | 'UCS';
  /** Characters of the text that GSM 7-bit cannot encode. */
  readonly outside: Outside;
  readonly unitPrice: Micros;
  readonly totalCost: Micros;
  readonly routePrefix: string;
  readonly clientBalance: Micros;
  /** The balance after the message. It may be below the credit limit. */
  readonly balanceAfter: Micros;
  readonly isCovered: boolean;
  /** Whether a send would return the first answer and charge nothing. Price and route are those of that message. */
  readonly isReplay: boolean;
  readonly clientCurrency: string;
}

/** Characters that a quote lists at most, so that its answer stays small. */
const charactersMax = 20;

/**
 * Rejects the same messages as `submit`, except that a low balance is reported. A quote stores and charges nothing, and
 * does not use up its idempotency key.
 */
export async function quote(needs: QuoteNeeds, account: Account, draft: Draft): Promise<Result<Quote, Rejection>> {
  const ready = needs.readiness.check();
  if (!ready.ok) return ready;
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
  const limited = await limitOf(needs, account, { at, ...contentOf(parsed.value) });
  if (limited) return refused(limited);
  const optOut = await optedOut(needs, between);
  if (optOut) return refused(optOut);
  const payer = await payerOf(needs, account);
  if (!payer.ok) return payer;
  const { balance } = payer.value;
  const { rated, route } = way.value;
  const charged = charge(payer.value, payer.value, { cost: rated.totalCost, at });
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

/** Quotes a replay: the cost of the first message, and no new charge. */
async function quoteReplay(
  needs: QuoteNeeds,
  account: Account,
  { parsed, first }: { readonly parsed: ParsedDraft; readonly first: FirstAccepted },
): Promise<Result<Quote, Rejection>> {
  const payer = await payerOf(needs, account);
  if (!payer.ok) return payer;
  const message = await needs.reader.ask('message', first.message);
  if (!message.ok) return message;
  if (!message.value) throw new Error('the message of an idempotency key is missing in the store');
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
  return { receiver, encoding, outside: listOutside(text ?? '', charactersMax) };
}

/** The refusal by a limit that counts earlier messages. Most accounts have no rules. */
async function limitOf(needs: QuoteNeeds, account: Account, message: LimitedMessage & { readonly at: Instant }) {
  if (account.rules === null) return undefined;
  const broken = await needs.reader.ask('brokenLimit', { account: account.id, ...message });
  return broken.ok ? broken.value : broken.error;
}

async function payerOf(needs: QuoteNeeds, account: Account): Promise<Result<AccountRow, Rejection>> {
  const payer = await needs.reader.ask('payer', account.id);
  if (!payer.ok) return payer;
  if (!payer.value) return refused({ code: 'unauthorized' });
  return payer.value.status === 'active'
    ? ok(payer.value)
    : refused({ code: 'forbidden', detail: 'the account is suspended' });
}
