/*
 * Checks messages against the rules of their accounts: allowed senders and blocked destinations. Limits that count
 * earlier messages are decided by the commit. A limit that has just refused a message refuses others here, so that a
 * flood of refused messages fills no commits.
 */

import type { Account } from '../../core/account/account.ts';
import { modeOf, type AccountRules } from '../../core/account/rules.ts';
import { ruleNames, type RuleMode, type RuleName } from '@morsel/api/values/account.ts';
import { limitsFor, type Limit } from '../../core/account/limits.ts';
import type { ParsedDraft } from '../../core/message/admission.ts';
import type { Receiver } from '../../core/number/address.ts';
import { numberType, type NumberType } from '../../core/number/number-type.ts';
import { PassingMap } from '../../core/base/passing-map.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { countryCheck, exceptionCheck, senderCheck, type TypeOf } from '../../core/account/rule-checks.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Accepted } from '../../state/decide/message/accept.ts';

interface Rule {
  readonly name: RuleName;
  readonly mode: RuleMode;
  /** Undefined if the message keeps the rule. */
  readonly broken: (message: ParsedDraft) => Rejection | undefined;
}

/** A limit refuses messages with the same subject until this time, whatever other nodes accept meanwhile. */
interface Refusing {
  /** A change by the operator makes a new account object, and may change its limits. */
  readonly account: Account;
  readonly until: Instant;
  readonly refusal: Rejection<'rate_limited'>;
}

const refusingMax = 10_000;

export class Limits {
  readonly #needs;
  /** Rules by account object. A change by the operator makes a new account object, so its rules are built again. */
  readonly #rules = new WeakMap<Account, readonly Rule[]>();
  /** By account, rule and subject. */
  readonly #refusing = new PassingMap<string, Refusing>();
  /** The number type of the last receiver, because up to three rules need it for the same message. */
  #lastType: { readonly receiver: Receiver; readonly type: NumberType } | undefined;

  constructor(needs: {
    readonly now: () => Instant;
    readonly hit: (account: Account, rule: RuleName, broken: { mode: RuleMode; message: ParsedDraft }) => void;
  }) {
    this.#needs = needs;
  }

  readonly #typeOf: TypeOf = (receiver) => {
    if (this.#lastType?.receiver !== receiver) this.#lastType = { receiver, type: numberType(receiver.slice(1)) };
    return this.#lastType.type;
  };

  /** Undefined if no rule is known to refuse the message. Each broken rule gets a hit. */
  judge(account: Account, message: ParsedDraft): Rejection | undefined {
    const hit = this.#needs.hit.bind(undefined, account);
    const refusal = this.#judge(account, message, hit) ?? this.#knownRefusal(account, message);
    if (refusal?.code === 'rate_limited') hit(refusal.rule, { mode: 'refuse', message });
    return refusal;
  }

  /** For a quote: broken rules get no hit, and limits are not checked. */
  ask(account: Account, message: ParsedDraft): Rejection | undefined {
    return this.#judge(account, message, () => undefined);
  }

  /** Hears what the commit decided about a message that was given to it with this time. */
  decided(
    account: Account,
    message: ParsedDraft,
    { at, result }: { at: Instant; result: Result<Accepted, Rejection> },
  ) {
    if (result.ok) {
      for (const rule of result.value.watched ?? []) this.#needs.hit(account, rule, { mode: 'watch', message });
      return;
    }
    const { error: refusal } = result;
    if (refusal.code !== 'rate_limited' || account.rules === null) return;
    this.#needs.hit(account, refusal.rule, { mode: 'refuse', message });
    const limit = limitsFor(account.rules, message).find(({ rule }) => rule === refusal.rule);
    if (!limit) return;
    this.#refusing.set(keyOf(account, limit), { account, until: at + refusal.waitMs, refusal });
    const { oldest } = this.#refusing;
    if (this.#refusing.size > refusingMax && oldest !== undefined) this.#refusing.delete(oldest);
  }

  #knownRefusal(account: Account, message: ParsedDraft): Rejection<'rate_limited'> | undefined {
    if (account.rules === null || this.#refusing.size === 0) return undefined;
    const now = this.#needs.now();
    for (const limit of limitsFor(account.rules, message)) {
      const key = keyOf(account, limit);
      const known = this.#refusing.get(key);
      if (!known) continue;
      if (known.account === account && known.until > now) return { ...known.refusal, waitMs: known.until - now };
      this.#refusing.delete(key);
    }
    return undefined;
  }

  #judge(
    account: Account,
    message: ParsedDraft,
    hit: (rule: RuleName, broken: { mode: RuleMode; message: ParsedDraft }) => void,
  ): Rejection | undefined {
    if (account.rules === null) return undefined;
    for (const { name, mode, broken } of this.#rulesOf(account, account.rules)) {
      const rejection = broken(message);
      if (!rejection) continue;
      hit(name, { mode, message });
      if (mode === 'refuse') return rejection;
    }
    return undefined;
  }

  #rulesOf(account: Account, rules: AccountRules): readonly Rule[] {
    const known = this.#rules.get(account);
    if (known) return known;
    const made = ruleNames.flatMap((name): Rule[] => {
      const mode = modeOf(rules, name);
      const broken = mode === 'off' ? undefined : this.#check(name, rules);
      return broken ? [{ name, mode, broken }] : [];
    });
    this.#rules.set(account, made);
    return made;
  }

  /** Undefined for limits, which the commit checks. */
  #check(name: RuleName, rules: AccountRules): Rule['broken'] | undefined {
    switch (name) {
      case 'senders': {
        const isAllowed = senderCheck(rules);
        return (message) => (isAllowed(message) ? undefined : notItsSender);
      }
      case 'countries':
        return blocked(name, countryCheck(rules, this.#typeOf));
      case 'premium': {
        const isException = exceptionCheck(rules);
        return blocked(name, ({ receiver }) => !this.#typeOf(receiver).isPremium || isException(receiver));
      }
      case 'unknown': {
        const isException = exceptionCheck(rules);
        return blocked(name, ({ receiver }) => this.#typeOf(receiver).isKnown || isException(receiver));
      }
      case 'fixed-line': {
        const isException = exceptionCheck(rules);
        return blocked(name, ({ receiver }) => !this.#typeOf(receiver).isFixedLine || isException(receiver));
      }
      case 'rate':
      case 'receiver-velocity':
      case 'prefix-velocity':
      case 'repeat':
        return undefined;
    }
  }
}

type BlockingRule = Rejection<'destination_blocked'>['rule'];

const notItsSender: Rejection = { code: 'sender_not_allowed', rule: 'senders' };

function blocked(rule: BlockingRule, isGood: (message: ParsedDraft) => boolean): Rule['broken'] {
  const rejection: Rejection = { code: 'destination_blocked', rule };
  return (message) => (isGood(message) ? undefined : rejection);
}

function keyOf({ id }: Account, { rule, subject }: Limit): string {
  return `${id} ${rule} ${subject}`;
}
