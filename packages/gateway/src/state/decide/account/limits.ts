/*
 * Limits of an account that depend on its earlier messages. The commit of a message decides and counts them. At the
 * commit, counts must be as they were loaded, and a rate must still allow what the group has taken. So two nodes never
 * count two messages as one.
 */

import type { RuleName } from '@morsel/api/values/account.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import {
  countedWith,
  judgeLimits,
  limitsFor,
  takeParts,
  type Limit,
  type LimitedMessage,
} from '../../../core/account/limits.ts';
import type { AccountRules } from '../../../core/account/rules.ts';
import { noUse } from '../../../core/account/rate-bucket.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { loadedHashingKey, readHashingKey } from '../../rows/keys.ts';
import type { Reads } from '../../rows/reads.ts';
import { touch, type CountPlace, type PlacedLimit, type Rows } from '../../rows/rows.ts';
import type { DataKey } from '../../sealing/data-key.ts';
import { accountById, limitCountOf, limitCountTable, type AccountRow } from '../../tables/account.ts';

interface Limited extends LimitedMessage {
  readonly account: number;
  readonly at: Instant;
}

export interface LimitsKept {
  /** The rules that the message breaks, and that are only watched. */
  readonly watched: readonly RuleName[];
  /** Counts the message for all limits that it keeps. */
  readonly count: () => void;
}

const noLimits = ok<LimitsKept>({ watched: [], count: () => undefined });

/** So many octets of a hash differ for all subjects. */
const subjectOctets = 15;

/** The values of the lookup of a limit's count. */
export function placeOfCount(
  key: Pick<DataKey, 'mac'>,
  account: number,
  { rule, seconds, subject }: Limit,
): CountPlace {
  return [account, rule, seconds, key.mac(Buffer.from(`${rule} ${subject}`)).toString('base64', 0, subjectOctets)];
}

export function readLimits(read: Reads, command: Limited): void {
  const rules = read.one(accountById, command.account)?.rules;
  if (!rules) return;
  for (const { place } of limitsOf(read.rows, { rules, command, keyOf: () => readHashingKey(read) }))
    if (place) read.one(limitCountOf, ...place);
}

interface LimitsWanted {
  readonly rules: AccountRules;
  readonly command: Limited;
  /** Undefined until the key for hashes is loaded. */
  readonly keyOf: () => DataKey | undefined;
}

/** Hashes are slow, so the limits of a message are made once in a group. */
function limitsOf(rows: Rows, { rules, command, keyOf }: LimitsWanted): readonly PlacedLimit[] {
  const known = rows.limits.get(command);
  if (known?.rules === rules) return known.limits;
  let key: DataKey | undefined;
  const limits = limitsFor(rules, command).map((limit): PlacedLimit => {
    if (limit.rule !== 'rate') key ??= keyOf();
    return { limit, place: limit.rule === 'rate' ? undefined : key && placeOfCount(key, command.account, limit) };
  });
  const isWhole = limits.every(({ limit, place }) => limit.rule === 'rate' || place);
  if (isWhole) rows.limits.set(command, { rules, limits });
  return limits;
}

/** Refuses a message that breaks a limit. */
export function keepLimits(rows: Rows, account: AccountRow, command: Limited): Result<LimitsKept, Rejection> {
  const { rules } = account;
  if (rules === null) return noLimits;
  const keyOf = () => loadedHashingKey(rows);
  const limits = limitsOf(rows, { rules, command, keyOf }).map((each) => findCount(rows, each));
  const judged = judgeLimits(account, limits, command.at);
  if (!judged.ok) return judged;
  const { watched, kept } = judged.value;
  const count = () => {
    for (const each of kept) {
      if (each.limit.rule === 'rate') fillRate(rows, { account, limit: each.limit, command });
      else countIn(rows, each, command);
    }
  };
  return ok({ watched, count });
}

/** A count is not loaded if an operator has set the limit in this commit, after the message named its rows. */
function findCount(rows: Rows, { limit, place }: PlacedLimit) {
  if (!place || !rows.isLoaded(limitCountOf, place)) return { limit, counted: undefined, place: undefined };
  return { limit, counted: rows.one(limitCountOf, ...place), place };
}

interface OfRate {
  readonly account: AccountRow;
  readonly limit: Limit;
  readonly command: Limited;
}

function fillRate(rows: Rows, { account, limit, command: { at, numParts } }: OfRate): void {
  const use = rows.rateUses.get(account.id) ?? noUse;
  const taken = takeParts(account, limit, { ms: at, parts: numParts, use });
  account.rateFullAt = taken.fullAt;
  rows.rateUses.set(account.id, taken.use);
  touch(account);
}

function countIn(rows: Rows, { limit, place, counted }: ReturnType<typeof findCount>, { at }: Limited): void {
  if (!place) return;
  const after = countedWith(limit, counted, at);
  const [account, rule, seconds, subject] = place;
  if (counted) touch(Object.assign(counted, after));
  else rows.add(limitCountTable, { account, rule, seconds, subject, ...after });
}
