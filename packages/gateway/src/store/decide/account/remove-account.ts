/* Decides whether an account can be removed: only if it has no ledger entries and nothing uses it. */

import type { Rejection } from '../../../core/base/rejection.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { AccountLeft, SetAccountStatus } from '../../commands/account.ts';
import { rewrite } from '../../tables/rows.ts';
import type { AccountRow } from '../../tables/account.ts';
import type { Rows } from '../../tables/rows.ts';
import { inUse, missing } from '../decided.ts';

/** Records that prove payments and consent. They are never deleted, so their accounts cannot be removed. */
const keptForGood = [
  ['entries', 'entries in the ledger'],
  ['inbound', 'inbound messages'],
  ['optOutEvents', 'history of opt-outs'],
] as const satisfies readonly (readonly [keyof AccountLeft['kept'], string])[];

/** Things that must be removed before the account, each with the command for it. */
const endedBy = [
  ['tokens', 'token', 'token revoke'],
  ['logins', 'SMPP login', 'smpp-login remove'],
  ['numbers', 'number', 'number remove'],
  ['keywords', 'keyword', 'keyword remove'],
  ['webhooks', 'webhook', 'webhook remove'],
  ['routes', 'route', 'route remove'],
] as const satisfies readonly (readonly [keyof AccountLeft['living'], string, string])[];

/**
 * Removes an account that nothing uses. Its row stays, because revoked tokens and alerts refer to it. The row gets a
 * new, unique name, so that another account can have the former name.
 */
export function decideRemoveAccount(rows: Rows, { account: name }: SetAccountStatus): Result<null, Rejection> {
  const row = rows.accountsByName.get(name);
  if (!row) return missing(`there is no account named ${name}`);
  const { id } = row;
  const left = rows.accountsLeft.get(id);
  if (left) {
    const reason = reasonToKeep(name, left, isPostedIn(rows, row));
    if (reason !== undefined) return inUse(reason);
  }
  row.status = 'removed';
  rewrite(row, { name: `${name} (removed ${id})` });
  rows.accountsByName.delete(name);
  return ok(null);
}

/** Whether an earlier command of the same commit posted to this account. */
function isPostedIn({ entries }: Rows, { id }: AccountRow): boolean {
  return entries.some((entry) => entry.account === id);
}

function reasonToKeep(name: string, { kept, living }: AccountLeft, isPosted: boolean): string | undefined {
  const history = { ...kept, entries: kept.entries || isPosted };
  const words = keptForGood.flatMap(([kind, text]) => (history[kind] ? [text] : []));
  if (words.length > 0) {
    return `account ${name} cannot be removed, because its ${words.join(' and ')} must be kept: use account suspend ${name} instead`;
  }
  const uses = endedBy.flatMap(([kind, what, command]) => {
    const count = living[kind];
    return count === 0 ? [] : [`${count} ${count === 1 ? what : `${what}s`} (${command})`];
  });
  return uses.length === 0 ? undefined : `account ${name} still has ${uses.join(', ')}: remove these first`;
}
