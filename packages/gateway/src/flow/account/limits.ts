/*
 * Checks messages against the rules of their accounts: allowed senders, blocked destinations, rates and repeats. The
 * counts for rates and repeats are in this process's memory.
 */

import { hash } from 'node:crypto';
import type { Account } from '../../core/account/account.ts';
import { burstOf, modeOf, type AccountRules } from '../../core/account/rules.ts';
import { ruleNames, type Pace, type RuleMode, type RuleName } from '@morsel/api/values/account.ts';
import type { ParsedDraft } from '../../core/message/admission.ts';
import type { Receiver } from '../../core/number/address.ts';
import { numberType, type NumberType } from '../../core/number/number-type.ts';
import { clientEncodedContent } from '../../core/message/client-encoded-part.ts';
import { partsLeft, takeParts, waitOf } from '../../core/account/rate-bucket.ts';
import { keysOfAllMax, RecentTable, type Room } from '../../core/base/recent-table.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { countryCheck, exceptionCheck, seenText, senderCheck, type TypeOf } from '../../core/account/rule-checks.ts';
import { secondMs } from '@morsel/api/values/time.ts';

interface Rule {
  readonly name: RuleName;
  readonly mode: RuleMode;
  /** Undefined if the message keeps the rule. */
  readonly broken: (message: ParsedDraft, nowMs: number) => Rejection | undefined;
  /** Returns a function that undoes the count. Undefined for rules that count nothing. */
  readonly take?: (message: ParsedDraft, nowMs: number) => () => void;
}

interface Memory {
  readonly settings: string;
  readonly table: RecentTable;
  /** Only for the rule `rate`: when its bucket will be full again. */
  fullAt: number;
}

/**
 * Counts are zero after a restart. A message that breaks a rule is not counted for that rule, even if the rule only
 * watches. So a watched rule finds the same messages that it would refuse.
 */
export class Limits {
  readonly #needs;
  /** Rules by account object. A change by the operator makes a new account object, so its rules are built again. */
  readonly #rules = new WeakMap<Account, readonly Rule[]>();
  /** The counts, by account and rule. */
  readonly #memories = new Map<string, Memory>();
  readonly #room: Room = { left: keysOfAllMax };
  /** The number type of the last receiver, because up to three rules need it for the same message. */
  #lastType: { readonly receiver: Receiver; readonly type: NumberType } | undefined;

  constructor(needs: {
    /** The time of a monotonic clock, which no correction of the machine's clock changes (P5). */
    readonly monotonicMs: () => number;
    /** A random secret that goes into each hash of a text, so that nobody can guess the text from its hash. */
    readonly salt: string;
    readonly hit: (account: Account, rule: RuleName, broken: { mode: RuleMode; message: ParsedDraft }) => void;
  }) {
    this.#needs = needs;
  }

  readonly #typeOf: TypeOf = (receiver) => {
    if (this.#lastType?.receiver !== receiver) this.#lastType = { receiver, type: numberType(receiver.slice(1)) };
    return this.#lastType.type;
  };

  /** Undefined if no rule refuses the message. Each broken rule gets a hit. */
  judge(account: Account, message: ParsedDraft): Rejection | undefined {
    return this.#judge(account, message, true);
  }

  /** Like `judge`, but for a quote: broken rules get no hit. */
  ask(account: Account, message: ParsedDraft): Rejection | undefined {
    return this.#judge(account, message, false);
  }

  /** Counts a message before its commit. Returns a function that undoes the count if the commit fails. */
  take(account: Account, message: ParsedDraft): (() => void) | undefined {
    if (account.rules === null) return undefined;
    const nowMs = this.#needs.monotonicMs();
    const undo: (() => void)[] = [];
    for (const { take, broken } of this.#rulesOf(account, account.rules)) {
      if (take && !broken(message, nowMs)) undo.push(take(message, nowMs));
    }
    return undo.length === 0 ? undefined : () => undo.forEach((each) => each());
  }

  sweep(): void {
    const nowMs = this.#needs.monotonicMs();
    for (const { table } of this.#memories.values()) table.forget(nowMs);
  }

  #judge(account: Account, message: ParsedDraft, isCounted: boolean): Rejection | undefined {
    if (account.rules === null) return undefined;
    const nowMs = this.#needs.monotonicMs();
    for (const { name, mode, broken } of this.#rulesOf(account, account.rules)) {
      const rejection = broken(message, nowMs);
      if (!rejection) continue;
      if (isCounted) this.#needs.hit(account, name, { mode, message });
      if (mode === 'refuse') return rejection;
    }
    return undefined;
  }

  #rulesOf(account: Account, rules: AccountRules): readonly Rule[] {
    const known = this.#rules.get(account);
    if (known) return known;
    const made = ruleNames.flatMap((name): Rule[] => {
      const mode = modeOf(rules, name);
      return mode === 'off' ? [] : [{ name, mode, ...this.#rule(name, rules, account.id) }];
    });
    this.#rules.set(account, made);
    return made;
  }

  #rule(name: RuleName, rules: AccountRules, account: number): Pick<Rule, 'broken' | 'take'> {
    switch (name) {
      case 'senders': {
        const isAllowed = senderCheck(rules);
        return { broken: (message) => (isAllowed(message) ? undefined : notItsSender) };
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
        return rules.rate ? this.#rate(rules, rules.rate, account) : nothing;
      case 'receiver-velocity':
        return rules.receiverVelocity
          ? this.#velocity(name, { ...rules.receiverVelocity, account, digits: allDigits })
          : nothing;
      case 'prefix-velocity':
        return rules.prefixVelocity ? this.#velocity(name, { ...rules.prefixVelocity, account }) : nothing;
      case 'repeat':
        return rules.repeatSeconds === null ? nothing : this.#repeat(rules.repeatSeconds, account);
    }
  }

  #rate(rules: AccountRules, rate: Pace, account: number): Pick<Rule, 'broken' | 'take'> {
    const bucket = { msPerPart: (rate.seconds * secondMs) / rate.count, burst: burstOf(rules, rate) };
    const memory = this.#memoryOf(account, 'rate', { seconds: rate.seconds, more: `${rate.count} ${bucket.burst}` });
    return {
      broken: ({ composed }, ms) => {
        const waitMs = waitOf(bucket, memory.fullAt, { ms, parts: composed.numParts });
        if (waitMs <= 0) return undefined;
        return limited('rate', { ...rate, left: partsLeft(bucket, memory.fullAt, ms), waitMs });
      },
      take: ({ composed: { numParts } }, ms) => {
        memory.fullAt = takeParts(bucket, memory.fullAt, { ms, parts: numParts });
        return () => {
          memory.fullAt -= numParts * bucket.msPerPart;
        };
      },
    };
  }

  #velocity(
    name: LimitingRule,
    { count, seconds, digits, account }: Pace & { digits: number; account: number },
  ): Pick<Rule, 'broken' | 'take'> {
    const { table } = this.#memoryOf(account, name, { seconds, more: digits });
    const keyOf = ({ receiver }: ParsedDraft) => Number(receiver.slice(1, 1 + digits));
    return {
      broken: (message, nowMs) => {
        const waitMs = table.waitUntilBelow(keyOf(message), count, nowMs);
        return waitMs <= 0 ? undefined : limited(name, { count, seconds, left: 0, waitMs });
      },
      take: (message, nowMs) => table.add(keyOf(message), nowMs),
    };
  }

  #repeat(seconds: number, account: number): Pick<Rule, 'broken' | 'take'> {
    const { table } = this.#memoryOf(account, 'repeat', { seconds });
    const keyOf = ({ receiver, text, composed }: ParsedDraft) =>
      hash(
        'sha256',
        `${this.#needs.salt} ${receiver} ${composed.clientEncoded ? clientEncodedContent(composed) : seenText(text ?? '')}`,
        'base64',
      );
    return {
      broken: (message, nowMs) => {
        const sentAt = table.newest(keyOf(message), nowMs);
        const waitMs = sentAt === undefined ? 0 : sentAt + seconds * secondMs - nowMs;
        return waitMs <= 0 ? undefined : limited('repeat', { count: 1, seconds, left: 0, waitMs });
      },
      take: (message, nowMs) => table.put(keyOf(message), nowMs),
    };
  }

  /**
   * The counts of a rule. A change of the rule's settings drops them. Otherwise an account with a higher rate would
   * still wait as long as under the old rate.
   */
  #memoryOf(
    account: number,
    rule: LimitingRule,
    { seconds, more = '' }: { seconds: number; more?: number | string },
  ): Memory {
    const key = `${account} ${rule}`;
    const settings = `${seconds} ${more}`;
    const known = this.#memories.get(key);
    if (known?.settings === settings) return known;
    known?.table.clear();
    const memory = { settings, table: new RecentTable(seconds * secondMs, this.#room), fullAt: 0 };
    this.#memories.set(key, memory);
    return memory;
  }
}

type LimitingRule = Rejection<'rate_limited'>['rule'];
type BlockingRule = Rejection<'destination_blocked'>['rule'];

/** The most digits of a phone number (E.164, section 6). */
const allDigits = 15;

const nothing: Pick<Rule, 'broken' | 'take'> = { broken: () => undefined };
const notItsSender: Rejection = { code: 'sender_not_allowed', rule: 'senders' };

function blocked(rule: BlockingRule, isGood: (message: ParsedDraft) => boolean): Pick<Rule, 'broken'> {
  const rejection: Rejection = { code: 'destination_blocked', rule };
  return { broken: (message) => (isGood(message) ? undefined : rejection) };
}

function limited(rule: LimitingRule, of: Pace & { left: number; waitMs: number }): Rejection {
  return { code: 'rate_limited', rule, count: of.count, seconds: of.seconds, left: of.left, waitMs: of.waitMs };
}
