/*
 * Rules about what an account may send, to whom and how fast. All rules are off by default.
 * `core/account/rule-checks.ts` checks the rules that depend only on the message, and `core/account/limits.ts` those
 * that depend on earlier messages.
 */

import type { AllowList } from '@morsel/api/values/address-range.ts';
import {
  rulesWithSettings,
  type NumberMode,
  type Pace,
  type PrefixPace,
  type RuleMode,
  type RuleName,
} from '@morsel/api/values/account.ts';

export interface AccountRules {
  readonly modes: { readonly [R in RuleName]: RuleMode };
  /** Allowed senders: exact senders, beginnings of senders with a trailing `*`, and kinds such as `kind:numeric`. */
  readonly senders: AllowList<string>;
  /** Allowed regions such as `CH`, and allowed prefixes such as `+4179`. */
  readonly allowCountries: AllowList<string>;
  /** Regions and prefixes that are denied even if `allowCountries` contains them. */
  readonly denyCountries: readonly string[];
  /** Prefixes such as `+41900` that are allowed even for premium, unknown or fixed-line numbers. */
  readonly allowPrefixes: AllowList<string>;
  readonly rate: Pace | null;
  /** Number of parts that may be sent at once after a pause; null for as many as the rate allows in one second. */
  readonly burst: number | null;
  /** Most messages to the same receiver in a period. */
  readonly receiverVelocity: Pace | null;
  /** Most messages in a period to receivers with the same first digits. */
  readonly prefixVelocity: PrefixPace | null;
  /** For this long the same text may not be sent to the same receiver again. */
  readonly repeatSeconds: number | null;
}

/** A change of account rules. Settings and modes that are undefined stay as they are. */
export interface RulesChange extends Maybe<Omit<AccountRules, 'modes'>> {
  readonly modes?: Maybe<AccountRules['modes']>;
}

type Maybe<T> = { readonly [M in keyof T]?: T[M] | undefined };

const noRules: AccountRules = {
  modes: {
    senders: 'refuse',
    countries: 'refuse',
    // The next three rules have a mode and no other setting.
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
 * The rules after a change; null if no rule is set, as in most accounts. Removing a rule also removes its mode, and
 * removing the rate also removes the burst. Otherwise these old settings would apply unnoticed when the rule is set
 * again.
 */
export function changeRules(before: AccountRules | null, change: RulesChange): AccountRules | null {
  const after = withoutUnset(completeRules(change, withoutUnset(before ?? noRules)));
  return JSON.stringify(after) === JSON.stringify(noRules) ? null : after;
}

/** An error about a setting that would have no effect because its rule is not set. */
export function uselessIn(before: AccountRules | null, change: RulesChange): UselessField | undefined {
  const after = completeRules(change, before ?? noRules);
  const unset = rulesWithSettings.find((rule) => {
    const mode = change.modes?.[rule];
    return mode !== undefined && mode !== noRules.modes[rule] && !isSet(after, rule);
  });
  if (unset !== undefined) {
    return {
      field: 'ruleModes',
      detail: `the rule ${unset} is not set, so its mode has no effect: give its setting too`,
    };
  }
  const isBurstAlone = after.rate === null && (change.burst ?? null) !== null;
  return isBurstAlone
    ? { field: 'burst', detail: 'no rate is set, so a burst has no effect: give the rate too' }
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

export function completeRules({ modes = {}, ...given }: RulesChange, otherwise: AccountRules = noRules): AccountRules {
  return { ...otherwise, ...present(given), modes: { ...otherwise.modes, ...present(modes) } };
}

function present(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** The mode in which messages are checked against a rule; `off` while the rule is not set. */
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

/** Settings in the form in which the operator gives them. Modes are shown only for rules that are set. */
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

/** The burst that the operator set, or else as many parts as the rate allows in one second, at least one. */
export function burstOf({ burst }: Pick<AccountRules, 'burst'>, { count, seconds }: Pace): number {
  return burst ?? Math.max(1, Math.floor(count / seconds));
}
