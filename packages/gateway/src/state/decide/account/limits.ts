/*
 * Limits of an account that depend on its earlier messages. The commit of a message decides and counts them. At the
 * commit, counts must be as they were loaded, and a rate must still allow what the group has taken. So two nodes never
 * count two messages as one.
 */

import type { RuleName } from '@morsel/api/values/account.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import {
  brokenLimit,
  brokenRate,
  countedWith,
  limitsFor,
  takeParts,
  type Limit,
  type LimitedMessage,
} from '../../../core/account/limits.ts';
import { noUse } from '../../../core/account/rate-bucket.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { loadedHashingKey, readHashingKey } from '../../rows/keys.ts';
import type { Reads } from '../../rows/reads.ts';
import { touch, type Rows } from '../../rows/rows.ts';
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
export function placeOfCount(key: Pick<DataKey, 'mac'>, account: number, { rule, seconds, subject }: Limit) {
  return [
    account,
    rule,
    seconds,
    key.mac(Buffer.from(`${rule} ${subject}`)).toString('base64', 0, subjectOctets),
  ] as const;
}

export function readLimits(read: Reads, command: Limited): void {
  const rules = read.one(accountById, command.account)?.rules;
  const counting = rules ? limitsFor(rules, command).filter(({ rule }) => rule !== 'rate') : [];
  if (counting.length === 0) return;
  const key = readHashingKey(read);
  if (key) for (const limit of counting) read.one(limitCountOf, ...placeOfCount(key, command.account, limit));
}

/** Refuses a message that breaks a limit. */
export function keepLimits(rows: Rows, account: AccountRow, command: Limited): Result<LimitsKept, Rejection> {
  const { rules } = account;
  if (rules === null) return noLimits;
  const watched: RuleName[] = [];
  const counts: (() => void)[] = [];
  for (const limit of limitsFor(rules, command)) {
    const judged = limit.rule === 'rate' ? rateOf(rows, { account, limit, command }) : countOf(rows, limit, command);
    if (!judged.broken) counts.push(judged.count);
    else if (limit.mode === 'refuse') return refused(judged.broken);
    else watched.push(limit.rule);
  }
  return ok({ watched, count: () => counts.forEach((count) => count()) });
}

interface Judged {
  readonly broken: Rejection | undefined;
  readonly count: () => void;
}

interface OfRate {
  readonly account: AccountRow;
  readonly limit: Limit;
  readonly command: Limited;
}

function rateOf(rows: Rows, { account, limit, command: { at, numParts } }: OfRate): Judged {
  return {
    broken: brokenRate(account, limit, at),
    count: () => {
      const use = rows.rateUses.get(account.id) ?? noUse;
      const taken = takeParts(account, limit, { ms: at, parts: numParts, use });
      account.rateFullAt = taken.fullAt;
      rows.rateUses.set(account.id, taken.use);
      touch(account);
    },
  };
}

function countOf(rows: Rows, limit: Limit, { account, at }: Limited): Judged {
  const key = loadedHashingKey(rows);
  const place = key && placeOfCount(key, account, limit);
  // An operator has set the limit in this commit, after the message named its rows.
  if (!place || !rows.isLoaded(limitCountOf, place)) return { broken: undefined, count: () => undefined };
  const row = rows.one(limitCountOf, ...place);
  const [, , , subject] = place;
  return {
    broken: brokenLimit(limit, row, at),
    count: () => {
      const counted = countedWith(limit, row, at);
      if (row) touch(Object.assign(row, counted));
      else rows.add(limitCountTable, { account, rule: limit.rule, seconds: limit.seconds, subject, ...counted });
    },
  };
}
