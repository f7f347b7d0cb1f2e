/* Commands about numbers. */

import type { NumberKind } from '@morsel/api/values/number.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Reads } from '../../rows/reads.ts';
import { accountById, accountByName, accountTable } from '../../tables/account.ts';
import { keywordsOfNumber, numberByDigits, numberTable, type NumberRow } from '../../tables/inbound.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { exists, inUse, missing, type Decided } from '../decided.ts';
import { keywordsOf, readOwner } from './inbound-route.ts';

/** A number as an operator names it. */
export interface NamedNumber {
  readonly at: Instant;
  readonly number: string;
  readonly digits: string;
  readonly numberKind: NumberKind;
}

interface SetNumber extends NamedNumber {
  /** Null for a shared number. */
  readonly account: string | null;
}

/** A number, its keywords, and what an inbound message of the same group needs of its new account. */
export function readForNumber(read: Reads, command: NamedNumber & { readonly account?: string | null }): void {
  const { digits, numberKind: kind, account: name = null } = command;
  const owner = read.one(numberByDigits, digits, kind)?.account ?? null;
  read.values(keywordsOfNumber, digits, kind);
  const account = name === null ? undefined : read.one(accountByName, name);
  for (const id of [owner, account?.id ?? null]) {
    if (id === null) continue;
    read.one(accountById, id);
    readOwner(read, id);
  }
}

export const addNumberCommand = {
  isSetting: true,
  reads: readForNumber,
  /** Adds a number for an account, or a shared number. Messages that were received before keep their account. */
  decide(rows: Rows, command: SetNumber): Decided<null> {
    const account = command.account === null ? null : rows.one(accountByName, command.account);
    if (account === undefined) return missing(`there is no account named ${command.account}`);
    const { number, digits, numberKind: kind } = command;
    const before = rows.one(numberByDigits, digits, kind);
    if (before) return exists(isThere(rows, before, account?.id ?? null));
    rows.add(numberTable, { kind, number, digits, account: account?.id ?? null, createdAt: command.at });
    return ok(null);
  },
};

/** The reason why a number cannot be added: it exists already. */
function isThere(rows: Rows, { kind, number, account: owner }: NumberRow, wanted: number | null): string {
  const name = owner === null ? undefined : rows.of(accountTable).find(({ id }) => id === owner)?.name;
  const whose =
    owner === null ? 'is already shared' : name === undefined ? 'exists already' : `already belongs to account ${name}`;
  const isAsWanted = owner === wanted;
  return `the ${kind} ${number} ${whose}${isAsWanted ? '' : ': use number set to give it to another account'}`;
}

export const setNumberCommand = {
  isSetting: true,
  reads: readForNumber,
  /**
   * Changes the account of a number, or makes it a shared number. Messages that were received before keep their
   * account, and the number keeps its keywords.
   */
  decide(rows: Rows, command: SetNumber): Decided<null> {
    const account = command.account === null ? null : rows.one(accountByName, command.account);
    if (account === undefined) return missing(`there is no account named ${command.account}`);
    const { number, digits, numberKind: kind } = command;
    const row = rows.one(numberByDigits, digits, kind);
    if (!row) return missing(`there is no ${kind} ${number}: add it with number add`);
    row.account = account?.id ?? null;
    touch(row);
    return ok(null);
  },
};

export const removeNumberCommand = {
  isSetting: true,
  reads(read: Reads, command: NamedNumber): void {
    readForNumber(read, command);
    read.one(numberByDigits, command.digits, 'prefix');
  },
  /** Removes a number without keywords. Messages that were received before keep their account. */
  decide(rows: Rows, { number, digits, numberKind: kind }: NamedNumber): Decided<null> {
    const row = rows.one(numberByDigits, digits, kind);
    if (!row) {
      const isRange = kind === 'number' && rows.one(numberByDigits, digits, 'prefix');
      const hint = isRange ? `; ${number}… is a range of numbers: use --prefix` : '';
      return missing(`there is no ${kind} ${number}${hint}`);
    }
    const keywords = keywordsOf(rows, row)?.words.size ?? 0;
    if (keywords > 0) {
      const count = keywords === 1 ? '1 keyword' : `${keywords} keywords`;
      return inUse(
        `the ${kind} ${number} still has ${count}: remove them first, or give the number to another account (number set)`,
      );
    }
    row.change = 'gone';
    return ok(null);
  },
};
