import { completeRules } from '../../../core/account/rules.ts';
import type { AccountRules } from '../../../core/account/rules.ts';
import { parseRange } from '@morsel/api/values/address-range.ts';
import type { AddressRange, AllowList } from '@morsel/api/values/address-range.ts';
import { dayMs } from '@morsel/api/values/time.ts';
import type { TokenScope } from '@morsel/api/values/credentials.ts';
import type { RuleHits, TokenUse } from '../../commands/counts.ts';
import type { Record } from '../columns.ts';
import type { Statements } from '../statements.ts';

/* The columns of accounts and tokens that hold rules, scopes and addresses. */

/* oxlint-disable typescript/no-unsafe-type-assertion */

export function rulesFrom(row: Record): AccountRules | null {
  const json = row['rules'];
  // Settings that are newer than the row get their defaults.
  return typeof json === 'string' ? completeRules(JSON.parse(json) as AccountRules) : null;
}

export function scopesFrom(row: Record): readonly TokenScope[] {
  return JSON.parse(String(row['scopes'])) as TokenScope[];
}

export function allowedFrom(row: Record): AllowList<AddressRange> {
  const list = JSON.parse(String(row['allowed_from'])) as AllowList<string>;
  if (list === 'any') return list;
  return list.map((each) => {
    const range = parseRange(each);
    // Ignoring it would let in fewer clients than the operator allowed.
    if (!range) throw new Error('a stored list of IP addresses cannot be read');
    return range;
  });
}

/* oxlint-enable typescript/no-unsafe-type-assertion */

export function allowedText(ranges: AllowList<AddressRange>): string {
  return JSON.stringify(ranges === 'any' ? ranges : ranges.map((range) => range.text));
}

export function rulesText(rules: AccountRules | null): string | null {
  return rules === null ? null : JSON.stringify(rules);
}

export function writeRuleHits(hits: readonly RuleHits[], statements: Statements): void {
  for (const hit of hits) {
    statements.run(
      `insert into rule_hit (account, rule, watched, refused, first_at, last_at, sender, receiver)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (account, rule) do update set watched = watched + excluded.watched,
          refused = refused + excluded.refused, last_at = excluded.last_at, sender = excluded.sender,
          receiver = excluded.receiver`,
      hit.account,
      hit.rule,
      hit.watched,
      hit.refused,
      hit.firstAt,
      hit.lastAt,
      hit.sender,
      hit.receiver,
    );
  }
}

const tokenDaysKept = 400;

/** What is older than `tokenDaysKept` is forgotten when a token is used: the day of its last use always stays. */
export function writeTokenUses(uses: Iterable<TokenUse>, statements: Statements): void {
  for (const { token, requests, messages, lastAt } of uses) {
    const day = Math.floor(lastAt / dayMs);
    statements.run(
      `insert into token_day values (?, ?, ?, ?, ?) on conflict do update set requests = requests + excluded.requests,
        messages = messages + excluded.messages, last_at = max(last_at, excluded.last_at)`,
      token,
      day,
      requests,
      messages,
      lastAt,
    );
    if (requests > 0) statements.run('delete from token_day where token = ? and day < ?', token, day - tokenDaysKept);
  }
}
