import type { Account } from '../../core/account.ts';
import type { Micros } from '../../core/money.ts';
import type { Instant } from '../../core/time.ts';
import { accountFrom, amount, integer, integerOrNull, text } from '../sqlite/row-readers.ts';
import type { Record } from '../sqlite/row-readers.ts';
import type { Queries } from './queries.ts';

export interface AccountView extends Account {
  readonly balance: Micros;
  readonly priceListName: string;
  readonly createdAt: Instant;
}

const accountQuery = `select account.*, price_list.name as price_list_name from account
  join price_list on price_list.id = account.price_list`;

export function readAccounts(queries: Queries): AccountView[] {
  return queries.all(`${accountQuery} order by account.name`).map(accountViewFrom);
}

export function readAccount(queries: Queries, name: string): AccountView | undefined {
  const row = queries.get(`${accountQuery} where account.name = ?`, name);
  return row && accountViewFrom(row);
}

export function readBalance(queries: Queries, account: number): Micros | undefined {
  const row = queries.get('select balance from account where id = ?', account);
  return row && amount(row, 'balance');
}

export interface TokenView {
  readonly id: string;
  readonly account: string;
  readonly createdAt: Instant;
  readonly revokedAt: Instant | null;
  readonly lastUsedAt: Instant | null;
}

/** The tokens of an account, or all of them, newest first: never more of a token than its id. */
export function readTokens(queries: Queries, account: string | null): TokenView[] {
  return queries
    .all(
      `select token.id, account.name as account, token.created_at, token.revoked_at, token.last_used_at
        from token join account on account.id = token.account where ? is null or account.name = ?
        order by token.created_at desc`,
      account,
      account,
    )
    .map((row) => ({
      id: text(row, 'id'),
      account: text(row, 'account'),
      createdAt: integer(row, 'created_at'),
      revokedAt: integerOrNull(row, 'revoked_at'),
      lastUsedAt: integerOrNull(row, 'last_used_at'),
    }));
}

function accountViewFrom(row: Record): AccountView {
  return {
    ...accountFrom(row),
    balance: amount(row, 'balance'),
    priceListName: text(row, 'price_list_name'),
    createdAt: integer(row, 'created_at'),
  };
}
