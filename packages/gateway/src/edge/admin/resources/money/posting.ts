import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { startOfDay } from '../../../../core/money/calendar.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import { invalid } from '../../../../state/decide/decided.ts';
import { adjust, topUp } from '../../../../operator/money/posting.ts';
import type { Handlers } from '../../bind.ts';
import { unknownAccount } from '../../../../operator/account/known-account.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

/* The handlers of top-ups, adjustments, balances and statements. */

/**
 * The most entries in one page of a statement, and the most messages of their charges. A full page of a statement has a few
 * hundred KiB.
 */
const entriesMax = 1_000;
const messagesMax = 1_000;

export const ledgerHandlers: Handlers<'ledger'> = {
  check: async (needs, input) => {
    const found = await needs.reader.ask('ledgerCheck', input);
    if (!found.ok) return found;
    return found.value ? ok(found.value) : unknownAccount(input.account ?? '');
  },
};

export const postingHandlers: Handlers<'posting'> = {
  topUp,
  adjust,
  statement: async (needs, { account, messages, after, ...given }) => {
    const zone = zoneOf(needs, account, given.zone);
    const from = timeIn(zone, given.from);
    if (isToCome(needs, from)) return toCome('from');
    const to = timeIn(zone, given.to);
    if (from !== null && to !== null && from >= to) return invalid('to', 'must be later than from');
    const found = await needs.reader.ask('statement', {
      account,
      from,
      to,
      after,
      entriesMax,
      messagesMax: messages ? messagesMax : null,
    });
    if (!found.ok) return found;
    return found.value ? ok({ account, from, to: to ?? needs.clock.now(), ...found.value }) : unknownAccount(account);
  },
  balance: async (needs, { account, ...given }) => {
    const at = timeIn(zoneOf(needs, account, given.zone), given.at);
    if (isToCome(needs, at)) return toCome('at');
    const found = await needs.reader.ask('balanceAt', { account, at });
    if (!found.ok) return found;
    return found.value ? ok({ account, at: at ?? needs.clock.now(), ...found.value }) : unknownAccount(account);
  },
};

/** The time zone for days: the given time zone, otherwise the time zone of the account. */
function zoneOf({ snapshot }: Pick<OperatorNeeds, 'snapshot'>, account: string, given: string | undefined): string {
  return given ?? [...snapshot().accounts.values()].find(({ name }) => name === account)?.timeZone ?? 'UTC';
}

/** Reads a time: a day means the beginning of this day in the time zone; any other time has its own offset. */
function timeIn(zone: string, at: string | undefined): Instant | null {
  return at === undefined ? null : (startOfDay(at, zone) ?? Date.parse(at));
}

function isToCome({ clock }: Pick<OperatorNeeds, 'clock'>, at: Instant | null): boolean {
  return at !== null && at > clock.now();
}

function toCome(field: string): Result<never, Rejection> {
  return invalid(field, 'must be a time in the past, because later entries are not known yet');
}
