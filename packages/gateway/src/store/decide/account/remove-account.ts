/* Whether an account may be removed: only without ledger entries, and when nothing else uses it. */

import type { Rejection } from '../../../core/base/rejection.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { AccountLeft, SetAccountStatus } from '../../commands/account.ts';
import { rewrite } from '../../tables/rows.ts';
import type { AccountRow } from '../../tables/account.ts';
import type { Rows } from '../../tables/rows.ts';
import { inUse, missing } from '../decided.ts';

/** What proves payments and consent is never deleted. An account with any of it stays. */
const keptForGood = [
  ['entries', 'entries in the ledger'],
  ['inbound', 'inbound messages'],
  ['optOutEvents', 'a history of opt-outs'],
] as const satisfies readonly (readonly [keyof AccountLeft['kept'], string])[];

/** What must be ended first, and the command that ends it. */
const endedBy = [
  ['tokens', 'token', 'token revoke'],
  ['logins', 'SMPP login', 'smpp-login remove'],
  ['numbers', 'number', 'number remove'],
  ['keywords', 'keyword', 'keyword remove'],
  ['webhooks', 'webhook', 'webhook remove'],
  ['routes', 'route', 'route remove'],
] as const satisfies readonly (readonly [keyof AccountLeft['living'], string, string])[];

/**
 * Removes an account of which nothing is left. Its row stays, because ended tokens and alerts refer to it. It gets a
 * name that no other account can have, so its own name is free.
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

/** An earlier command of this group posted to it. */
function isPostedIn({ entries }: Rows, { id }: AccountRow): boolean {
  return entries.some((entry) => entry.account === id);
}

function reasonToKeep(name: string, { kept, living }: AccountLeft, isPosted: boolean): string | undefined {
  const history = { ...kept, entries: kept.entries || isPosted };
  const words = keptForGood.flatMap(([kind, text]) => (history[kind] ? [text] : []));
  if (words.length > 0) {
    return `account ${name} has ${words.join(' and ')}, kept for good, so it cannot be removed: stop it with account suspend ${name}`;
  }
  const uses = endedBy.flatMap(([kind, what, command]) => {
    const count = living[kind];
    return count === 0 ? [] : [`${count} ${count === 1 ? what : `${what}s`} (${command})`];
  });
  return uses.length === 0 ? undefined : `account ${name} still has ${uses.join(', ')}: end these first`;
}
