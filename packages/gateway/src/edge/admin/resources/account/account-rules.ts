import type { ruleSettings } from '@morsel/api/admin/account/settings.ts';
import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import type { InputOf } from '@morsel/api/admin/resource.ts';
import type { AllowList } from '@morsel/api/values/address-range.ts';
import type { NumberMode, RuleMode } from '@morsel/api/values/account.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { senderKinds } from '../../../../core/account/rule-checks.ts';
import type { RulesChange } from '../../../../core/account/rules.ts';
import { invalid, type Rejection } from '../../../../core/base/rejection.ts';
import { parseSenderMatch } from '../../../../core/number/address.ts';
import { isRegion } from '../../../../core/number/number-type.ts';

type Given = Pick<InputOf<OperationNamed<'account.set'>>, keyof typeof ruleSettings>;

/** Reads the account rules in a request. Checks numbers, because the store's threads do not load the number plan. */
export function rulesIn(given: Given): Result<RulesChange, Rejection> {
  const { premium, unknown, fixedLine, ruleModes = [], allowCountries, denyCountries, allowPrefixes } = given;
  const { rate, burst, receiverVelocity, prefixVelocity, repeatSeconds } = given;
  for (const [field, areas] of Object.entries({ allowCountries, denyCountries })) {
    const strange = areas !== 'any' && areas?.some((area) => !area.startsWith('+') && !isRegion(area));
    if (strange)
      return invalid(
        field,
        'must be a list in which each item is a country code such as CH, or the first digits of a number such as +4179',
      );
  }
  const senders = readSenders(given.senders);
  if (!senders.ok) return senders;
  const ofNumbers = { premium: modeOf(premium), unknown: modeOf(unknown), 'fixed-line': modeOf(fixedLine) };
  const modes = { ...Object.fromEntries(ruleModes.map((each) => each.split('='))), ...ofNumbers };
  const lists = { senders: senders.value, allowCountries, denyCountries, allowPrefixes };
  return ok({ ...lists, rate, burst, receiverVelocity, prefixVelocity, repeatSeconds, modes });
}

function modeOf(mode: NumberMode | undefined): RuleMode | undefined {
  return mode === 'allow' ? 'off' : mode;
}

/** Converts senders to their stored form. Kinds of senders, such as `kind:short-code`, stay unchanged. */
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
