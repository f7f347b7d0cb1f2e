import { listOutside } from '@morsel/gsm';
import type { Outside } from '@morsel/gsm';
import type { Account } from '../core/account.ts';
import { permit, understand } from '../core/admission.ts';
import type { Draft, Way } from '../core/admission.ts';
import { charge } from '../core/ledger.ts';
import { toMicros } from '../core/money.ts';
import type { Micros } from '../core/money.ts';
import type { Rejection } from '../core/rejection.ts';
import { releaseTime } from '../core/release.ts';
import { ok, refused } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { Instant } from '../core/time.ts';
import type { Reader } from '../store/reader.ts';
import type { Limits } from './limits.ts';
import { optedOut, optedOutBefore } from './opt-out.ts';

interface QuoteNeeds {
  readonly snapshot: () => Snapshot;
  readonly reader: Pick<Reader, 'ask'>;
  readonly clock: { now(): Instant };
  /** Asked, and counting nothing. */
  readonly limits: Pick<Limits, 'ask'>;
}

/** What a message would cost, and why, if it were sent now. */
export interface Quote extends Way {
  readonly receiver: string;
  readonly numParts: number;
  /** As dcs names it: what `SMS` becomes. */
  readonly encoding: 'GSM' | 'UCS';
  /** What of the text needs UCS. */
  readonly outside: Outside;
  readonly clientBalance: Micros;
  /** What the balance would be; where it is not covered, what it would have to be. */
  readonly balanceAfter: Micros;
  readonly isCovered: boolean;
  readonly clientCurrency: string;
}

/** Characters that are named: enough to see what to change in a text, and an answer that stays small. */
const charactersMax = 20;

/**
 * Goes the way of `submit` up to its commit, and asks what that commit would say: the two cannot disagree. What a send
 * would refuse is refused alike, but for one thing: that the balance does not suffice is what a quote is asked for. It
 * charges and keeps nothing, and an idempotency key means nothing to it.
 */
export async function quote(needs: QuoteNeeds, account: Account, draft: Draft): Promise<Result<Quote, Rejection>> {
  const at = needs.clock.now();
  const understood = understand(draft, account, at);
  if (!understood.ok) return understood;
  const { receiver, text, sendAt, composed } = understood.value;
  const releaseAt = releaseTime(sendAt, at);
  if (!releaseAt.ok) return releaseAt;
  const limits = { judge: needs.limits.ask.bind(needs.limits) };
  const way = permit(understood.value, { account, snapshot: needs.snapshot(), limits, at });
  const between = { account: account.id, ...understood.value };
  if (!way.ok) return refused(await optedOutBefore(needs, way.error, between));
  const optOut = await optedOut(needs, between);
  if (optOut) return refused(optOut);
  const payer = await needs.reader.ask('payer', account.id);
  if (!payer.ok) return payer;
  if (!payer.value) return refused({ code: 'unauthorized' });
  const { status, balance } = payer.value;
  if (status !== 'active') return refused({ code: 'forbidden', detail: 'the account is suspended' });
  const { totalCost } = way.value.rated;
  const charged = charge(payer.value.account, payer.value, { cost: totalCost, at });
  if (!charged.ok && charged.error.code !== 'insufficient_balance') return charged;
  return ok({
    ...way.value,
    receiver,
    numParts: composed.numParts,
    encoding: composed.encoding === 'gsm7' ? 'GSM' : 'UCS',
    outside: listOutside(text, charactersMax),
    clientBalance: balance,
    balanceAfter: charged.ok ? charged.value.balance : toMicros(balance - totalCost),
    isCovered: charged.ok,
    clientCurrency: account.currency,
  });
}
