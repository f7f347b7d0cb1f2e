import { accountSettings } from '@morsel/api/admin/account/settings.ts';
import type { account } from '@morsel/api/admin/account/account.ts';
import type { InputOf } from '@morsel/api/admin/resource.ts';
import type { AllowList } from '@morsel/api/values/address-range.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { accountDefaults, type AccountSettings, type AccountStatus } from '../../core/account/account.ts';
import { parseSenderMatch } from '../../core/number/address.ts';
import { senderKinds } from '../../core/account/rule-checks.ts';
import { changeRules, uselessIn, type RulesChange } from '../../core/account/rules.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { isRegion } from '../../core/number/number-type.ts';
import { change, type ChangeNeeds } from '../../flow/change.ts';
import type { PostingNeeds } from '../money/posting.ts';
import { invalid, present } from '../../state/decide/decided.ts';

/* The operator's actions on accounts, their settings and their rules. */

export interface AccountNeeds extends ChangeNeeds, Pick<PostingNeeds, 'lowBalance' | 'caller'> {}

type Operations = typeof account.operations;
type Change = Omit<InputOf<Operations['set']>, 'account'>;

/** Makes an account, and its price list if it does not exist. */
export async function addAccount(
  needs: AccountNeeds,
  { name, currency, balance, priceList, ...given }: InputOf<Operations['add']>,
): Promise<Result<unknown, Rejection>> {
  const rules = rulesChangeOf(given);
  if (!rules.ok) return rules;
  const useless = uselessIn(null, rules.value);
  if (useless) return invalid(useless.field, useless.detail);
  return change<'add-account'>(needs, {
    kind: 'add-account',
    at: needs.clock.now(),
    name,
    currency,
    balance,
    priceList,
    actor: needs.caller.name,
    ...accountDefaults,
    ...settingsOf(given),
    rules: changeRules(null, rules.value),
  });
}

/** Changes the given settings of an account. The new settings count from the next message on. */
export async function setAccount(
  needs: AccountNeeds,
  { account: name, priceList, ...given }: InputOf<Operations['set']>,
): Promise<Result<unknown, Rejection>> {
  const rules = rulesChangeOf(given);
  if (!rules.ok) return rules;
  const set = await change<'set-account'>(needs, {
    kind: 'set-account',
    at: needs.clock.now(),
    account: name,
    priceList,
    settings: settingsOf(given),
    ...(Object.keys(rules.value).length > 0 && { rules: rules.value }),
  });
  if (set.ok && set.value) needs.lowBalance?.(name, set.value);
  return set;
}

export function setAccountStatus(
  needs: ChangeNeeds,
  name: string,
  status: AccountStatus,
): Promise<Result<unknown, Rejection>> {
  const at = needs.clock.now();
  return change<'set-account-status'>(needs, { kind: 'set-account-status', at, account: name, status });
}

/** The given settings only. */
export function settingsOf(given: Change): Partial<AccountSettings> {
  const { receiptWaitSeconds: seconds, lowBalance } = given;
  const thresholds = lowBalance && [...new Set(lowBalance)].toSorted((a, b) => (a < b ? 1 : -1));
  const named = Object.entries(given).filter(([each]) => Object.hasOwn(accountSettings, each));
  const { receiptWaitSeconds: _seconds, ...rest } = Object.fromEntries(named);
  return present({ ...rest, lowBalance: thresholds, receiptWaitMs: seconds && seconds * secondMs });
}

/** The rules in a request. Checks the forms that the declaration does not check. */
export function rulesChangeOf(given: Change): Result<RulesChange, Rejection> {
  const { premium, unknown, fixedLine, ruleModes = [], allowCountries, denyCountries, senders: givenSenders } = given;
  const { allowPrefixes, rate, burst, receiverVelocity, prefixVelocity, repeatSeconds } = given;
  for (const [field, areas] of Object.entries({ allowCountries, denyCountries })) {
    const strange = areas !== 'any' && areas?.some((area) => !area.startsWith('+') && !isRegion(area));
    if (strange)
      return invalid(
        field,
        'must be a list in which each item is a country code such as CH, or the first digits of a number such as +4179',
      );
  }
  const senders = readSenders(givenSenders);
  if (!senders.ok) return senders;
  const modes = present({
    ...Object.fromEntries(ruleModes.map((each) => each.split('='))),
    premium: premium === 'allow' ? 'off' : premium,
    unknown: unknown === 'allow' ? 'off' : unknown,
    'fixed-line': fixedLine === 'allow' ? 'off' : fixedLine,
  });
  const limits = { rate, burst, receiverVelocity, prefixVelocity, repeatSeconds };
  const lists = { senders: senders.value, allowCountries, denyCountries, allowPrefixes };
  return ok(present({ ...lists, ...limits, modes: Object.keys(modes).length === 0 ? undefined : modes }));
}

/** Reads senders in their stored form. Kinds of senders, such as `kind:short-code`, stay as they are. */
function readSenders(given: AllowList<string> | undefined): Result<AllowList<string> | undefined, Rejection> {
  if (given === undefined || given === 'any') return ok(given);
  const senders: string[] = [];
  for (const each of given) {
    const read = Object.hasOwn(senderKinds, each) ? ok(each) : parseSenderMatch(each);
    if (!read.ok) return invalid('senders', read.error.replace(/^must be /, 'must be a list in which each item is '));
    senders.push(read.value);
  }
  return ok(senders);
}
