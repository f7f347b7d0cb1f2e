/*
 * What an account may send, to whom and how fast: the rules, all off by default. `core/account/rule-checks.ts` checks
 * those that depend on the message alone, `flow/account/limits.ts` those that depend on earlier messages.
 */

import type { AllowList } from '@morsel/api/values/address-range.ts';
import { rulesWithSettings } from '@morsel/api/values/account.ts';
import type { NumberMode, Pace, PrefixPace, RuleMode, RuleName } from '@morsel/api/values/account.ts';

export interface AccountRules {
  readonly modes: { readonly [R in RuleName]: RuleMode };
  /** Senders in their stored form, prefixes with a trailing `*`, and kinds such as `kind:numeric`. */
  readonly senders: AllowList<string>;
  /** Regions such as `CH`, and prefixes such as `+4179`. */
  readonly allowCountries: AllowList<string>;
  /** Denied regions and prefixes among the allowed ones. */
  readonly denyCountries: readonly string[];
  /** Prefixes such as `+41900` that are allowed although they are premium, unknown or of a fixed line. */
  readonly allowPrefixes: AllowList<string>;
  /** Parts. */
  readonly rate: Pace | null;
  /** Parts that may go at once after a pause; null for the parts of a second, at least one. */
  readonly burst: number | null;
  /** Messages to one receiver. */
  readonly receiverVelocity: Pace | null;
  /** Messages to receivers with the same first digits. */
  readonly prefixVelocity: PrefixPace | null;
  /** How long the same text may not go to the same receiver again. */
  readonly repeatSeconds: number | null;
}

/** Only the settings that the operator gave. */
export interface RulesChange extends Partial<Omit<AccountRules, 'modes'>> {
  readonly modes?: Partial<AccountRules['modes']>;
}

const noRules: AccountRules = {
  modes: {
    senders: 'refuse',
    countries: 'refuse',
    // These rules have only a mode.
    premium: 'off',
    unknown: 'off',
    'fixed-line': 'off',
    rate: 'refuse',
    'receiver-velocity': 'refuse',
    'prefix-velocity': 'refuse',
    repeat: 'refuse',
  },
  senders: 'any',
  allowCountries: 'any',
  denyCountries: [],
  allowPrefixes: [],
  rate: null,
  burst: null,
  receiverVelocity: null,
  prefixVelocity: null,
  repeatSeconds: null,
};

/**
 * The rules after a change; null if they equal those of a new account, as most do. Removing a rule removes its mode,
 * and the burst of a rate: otherwise they would come back unnoticed with the next setting.
 */
export function changeRules(before: AccountRules | null, change: RulesChange): AccountRules | null {
  const after = withoutUnset(completeRules(change, withoutUnset(before ?? noRules)));
  return JSON.stringify(after) === JSON.stringify(noRules) ? null : after;
}

/** A sentence about a setting that has no effect because its rule is not set. */
export function uselessIn(before: AccountRules | null, change: RulesChange): UselessField | undefined {
  const after = completeRules(change, before ?? noRules);
  const unset = rulesWithSettings.find((rule) => {
    const mode = change.modes?.[rule];
    return mode !== undefined && mode !== noRules.modes[rule] && !isSet(after, rule);
  });
  if (unset !== undefined) {
    return { field: 'ruleModes', detail: `${unset} is not set: give its setting with its mode` };
  }
  const isBurstAlone = after.rate === null && (change.burst ?? null) !== null;
  return isBurstAlone
    ? { field: 'burst', detail: 'it is the burst of a rate, which is not set: give both' }
    : undefined;
}

interface UselessField {
  readonly field: string;
  readonly detail: string;
}

function withoutUnset(rules: AccountRules): AccountRules {
  const unset = rulesWithSettings.filter((rule) => !isSet(rules, rule));
  const usual = Object.fromEntries(unset.map((rule) => [rule, noRules.modes[rule]]));
  return { ...rules, modes: { ...rules.modes, ...usual }, burst: rules.rate === null ? null : rules.burst };
}

/** The given settings, and defaults for the others. */
export function completeRules(given: RulesChange, otherwise: AccountRules = noRules): AccountRules {
  return { ...otherwise, ...given, modes: { ...otherwise.modes, ...given.modes } };
}

/** The rules in the form in which messages are checked. */
export function modeOf(rules: AccountRules, rule: RuleName): RuleMode {
  return isSet(rules, rule) ? rules.modes[rule] : 'off';
}

function isSet(rules: AccountRules, rule: RuleName): boolean {
  switch (rule) {
    case 'senders':
      return rules.senders !== 'any';
    case 'countries':
      return rules.allowCountries !== 'any' || rules.denyCountries.length > 0;
    case 'premium':
    case 'unknown':
    case 'fixed-line':
      return rules.modes[rule] !== 'off';
    case 'rate':
      return rules.rate !== null;
    case 'receiver-velocity':
      return rules.receiverVelocity !== null;
    case 'prefix-velocity':
      return rules.prefixVelocity !== null;
    case 'repeat':
      return rules.repeatSeconds !== null;
  }
}

/** Every setting as the operator gives it, so that what is shown can be set; modes are those of the rules that are set. */
export function ruleSettingsOf(given: AccountRules | null) {
  const { modes, ...rules } = given ?? noRules;
  const isOfSet = (rule: RuleName) => isSet({ modes, ...rules }, rule);
  return {
    ...rules,
    burst: rules.rate && burstOf(rules, rules.rate),
    premium: numberModeOf(modes.premium),
    unknown: numberModeOf(modes.unknown),
    fixedLine: numberModeOf(modes['fixed-line']),
    ruleModes: rulesWithSettings.filter(isOfSet).map((rule) => `${rule}=${modes[rule]}`),
  };
}

function numberModeOf(mode: RuleMode): NumberMode {
  return mode === 'off' ? 'allow' : mode;
}

/** Parts that may go at once: what the operator said, or what the rate allows in a second. */
export function burstOf({ burst }: Pick<AccountRules, 'burst'>, { count, seconds }: Pace): number {
  return burst ?? Math.max(1, Math.floor(count / seconds));
}
