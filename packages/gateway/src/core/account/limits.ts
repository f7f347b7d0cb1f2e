/*
 * Limits of an account that depend on its earlier messages: a rate, velocities and repeats. Their counts are stored, so
 * that they are exact over all nodes and restarts.
 */

import { hash } from 'node:crypto';
import type { Pace, RuleMode, RuleName } from '@morsel/api/values/account.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { minuteMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { Rejection } from '../base/rejection.ts';
import { clientEncodedContent, restoreClientEncoded } from '../message/client-encoded-part.ts';
import type { MessageContent } from '../message/content.ts';
import type { Account } from './account.ts';
import { fullAfter, noUse, partsLeft, useWith, waitOf, type FullAt, type RateUse } from './rate-bucket.ts';
import { burstOf, modeOf, type AccountRules } from './rules.ts';

export type LimitingRule = Rejection<'rate_limited'>['rule'];

/** A limit as it applies to one message: at most `count` in any period of `seconds`. */
export interface Limit extends Pace {
  readonly rule: LimitingRule;
  readonly mode: RuleMode;
  /** Equal for messages that the limit counts together. For the rate: equal for messages that wait equally long. */
  readonly subject: string;
}

/** The messages with one subject that a limit has counted. */
export interface LimitCount {
  /** The numbers of messages by the number of their slice, the oldest first. A repeat counts none. */
  readonly slices: readonly (readonly [slice: number, messages: number])[];
  /** From this time on, the messages count no more. */
  readonly expiresAt: Instant;
}

/** The members of a message by which limits count. */
export type LimitedMessage = Pick<
  MessageContent,
  'receiver' | 'text' | 'octets' | 'header' | 'reference' | 'encoding' | 'numParts'
>;

type LimitedAccount = Pick<Account, 'rules' | 'partsMax'> & { readonly rateFullAt: FullAt };

/** In the order in which they are checked. */
const limitingRules: readonly LimitingRule[] = ['rate', 'receiver-velocity', 'prefix-velocity', 'repeat'];
/** A period has so many slices, and a message counts until its slice is a whole period ago: at most a tenth longer. */
const slicesOfPeriod = 10;
/**
 * A time that is further ahead than any count can be was stored before the clock was set back, and counts no more. A
 * request may wait for its commit for so long, and is then compared with counts that are newer.
 */
const lateMaxMs = 5 * minuteMs;

/** The limits that are set, in the order of the rules. */
export function limitsFor(rules: AccountRules, message: LimitedMessage): Limit[] {
  return limitingRules.flatMap((rule): Limit[] => {
    const mode = modeOf(rules, rule);
    const limit = mode === 'off' ? undefined : settingsOf(rule, rules, message);
    return limit ? [{ ...limit, rule, mode }] : [];
  });
}

function settingsOf(
  rule: LimitingRule,
  rules: AccountRules,
  message: LimitedMessage,
): Omit<Limit, 'rule' | 'mode'> | undefined {
  const { receiver, numParts } = message;
  const { rate, receiverVelocity, prefixVelocity, repeatSeconds } = rules;
  switch (rule) {
    case 'rate':
      return rate ? { ...rate, subject: String(Math.min(numParts, burstOf(rules, rate))) } : undefined;
    case 'receiver-velocity':
      return receiverVelocity ? { ...receiverVelocity, subject: receiver } : undefined;
    case 'prefix-velocity':
      return prefixVelocity ? { ...prefixVelocity, subject: receiver.slice(0, 1 + prefixVelocity.digits) } : undefined;
    case 'repeat':
      return repeatSeconds === null ? undefined : { count: 1, seconds: repeatSeconds, subject: repeatSubject(message) };
  }
}

function repeatSubject({ receiver, text, octets, encoding, ...kept }: LimitedMessage): string {
  const content = octets
    ? clientEncodedContent(restoreClientEncoded(kept, { octets, encoding }))
    : seenText(text ?? '');
  return hash('sha256', `${receiver} ${content}`, 'base64');
}

/** Invisible characters: joiners, direction and variation marks, fillers. */
const unseen = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Brings texts into the form in which repeats are compared, without differences in blanks, invisible characters and
 * case.
 */
export function seenText(text: string): string {
  return text.normalize('NFKC').replaceAll(unseen, '').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

/** A limit that applies to a message, and what it has counted. */
export interface LimitFound {
  readonly limit: Limit;
  /** Undefined for the rate, which the account has, and if nothing was counted. */
  readonly counted: LimitCount | undefined;
}

/** Refuses a message that breaks a limit. Returns the rules that it breaks but that are only watched, and the others. */
export function judgeLimits<Found extends LimitFound>(
  account: LimitedAccount,
  limits: readonly Found[],
  at: Instant,
): Result<{ readonly watched: readonly RuleName[]; readonly kept: readonly Found[] }, Rejection> {
  const watched: RuleName[] = [];
  const kept: Found[] = [];
  for (const found of limits) {
    const { limit, counted } = found;
    const broken = limit.rule === 'rate' ? brokenRate(account, limit, at) : brokenLimit(limit, counted, at);
    if (!broken) kept.push(found);
    else if (limit.mode === 'refuse') return refused(broken);
    else watched.push(limit.rule);
  }
  return ok({ watched, kept });
}

/** The refusal of a message that breaks its account's rate. Undefined if the rate allows it. */
function brokenRate(account: LimitedAccount, limit: Limit, at: Instant): Rejection<'rate_limited'> | undefined {
  const [bucket, fullAt] = [bucketOf(account, limit), trustedFullAt(account, limit, at)];
  const waitMs = waitOf(bucket, fullAt, { ms: at, parts: Number(limit.subject) });
  return waitMs <= 0 ? undefined : limited(limit, partsLeft(bucket, fullAt, at), waitMs);
}

/** When the bucket of the account's rate will be full again, after it allowed these parts, and what was taken. */
export function takeParts(
  account: LimitedAccount,
  limit: Limit,
  { use, ...now }: { readonly ms: Instant; readonly parts: number; readonly use: RateUse },
): { readonly fullAt: FullAt; readonly use: RateUse } {
  const [bucket, fullAt] = [bucketOf(account, limit), trustedFullAt(account, limit, now.ms)];
  const taken = useWith(use, bucket, now);
  // What is taken from a time that counts no more holds for no other time.
  const latest = fullAt === account.rateFullAt ? taken.latest : -1;
  return { fullAt: fullAfter(fullAt, useWith(noUse, bucket, now)), use: { ...taken, latest } };
}

function bucketOf({ rules }: LimitedAccount, { count, seconds }: Limit) {
  return { msPerPart: (seconds * secondMs) / count, burst: burstOf(rules ?? { burst: null }, { count, seconds }) };
}

function trustedFullAt(account: LimitedAccount, limit: Limit, at: Instant): FullAt {
  const { msPerPart, burst } = bucketOf(account, limit);
  const furthestMs = at + Math.max(burst, account.partsMax) * msPerPart + lateMaxMs;
  return account.rateFullAt > furthestMs * 1_000 ? 0 : account.rateFullAt;
}

/** The refusal of a message that breaks a velocity or is a repeat. Undefined if the limit allows it. */
function brokenLimit(
  limit: Limit,
  counted: LimitCount | undefined,
  at: Instant,
): Rejection<'rate_limited'> | undefined {
  const waitMs =
    limit.rule === 'repeat' ? (trusted(limit, counted, at)?.expiresAt ?? at) - at : waitUntilBelow(limit, counted, at);
  return waitMs <= 0 ? undefined : limited(limit, 0, waitMs);
}

function waitUntilBelow(limit: Limit, counted: LimitCount | undefined, at: Instant): number {
  const slices = keptSlices(limit, counted, at);
  let sum = slices.reduce((all, [, messages]) => all + messages, 0);
  if (sum < limit.count) return 0;
  for (const [slice, messages] of slices) {
    sum -= messages;
    if (sum < limit.count) return endOf(limit, slice) - at;
  }
  return 0;
}

/** Counts another message. */
export function countedWith(limit: Limit, counted: LimitCount | undefined, at: Instant): LimitCount {
  if (limit.rule === 'repeat') return { slices: [], expiresAt: at + limit.seconds * secondMs };
  const slices = keptSlices(limit, counted, at);
  const [newest, messages] = slices.at(-1) ?? [0, 0];
  const slice = Math.max(newest, Math.floor(at / sliceMsOf(limit)));
  const before = slice === newest ? slices.slice(0, -1) : slices;
  const count = slice === newest ? messages + 1 : 1;
  return { slices: [...before, [slice, count]], expiresAt: endOf(limit, slice) };
}

function keptSlices(limit: Limit, counted: LimitCount | undefined, at: Instant): LimitCount['slices'] {
  const oldest = Math.floor(at / sliceMsOf(limit)) - slicesOfPeriod;
  return (trusted(limit, counted, at)?.slices ?? []).filter(([slice]) => slice >= oldest);
}

function trusted(limit: Limit, counted: LimitCount | undefined, at: Instant): LimitCount | undefined {
  const furthest = at + (slicesOfPeriod + 1) * sliceMsOf(limit) + lateMaxMs;
  return counted && counted.expiresAt > furthest ? undefined : counted;
}

/** When the messages of a slice count no more. */
function endOf(limit: Limit, slice: number): Instant {
  return (slice + slicesOfPeriod + 1) * sliceMsOf(limit);
}

function sliceMsOf({ seconds }: Limit): number {
  return (seconds * secondMs) / slicesOfPeriod;
}

function limited({ rule, count, seconds }: Limit, left: number, waitMs: number): Rejection<'rate_limited'> {
  return { code: 'rate_limited', rule, count, seconds, left, waitMs };
}
