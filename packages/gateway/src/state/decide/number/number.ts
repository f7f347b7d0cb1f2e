/* Decisions of the operations on numbers. Earlier inbound messages keep their account. */

import type { InputOf } from '@morsel/api/admin/resource.ts';
import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { invalid, type Rejection } from '../../../core/base/rejection.ts';
import type { OwnedNumber } from '../../../core/number/owners.ts';
import { noAccount } from '../../../core/named.ts';
import type { Looks } from '../../rows/reads.ts';
import { accountById, accountByName } from '../../tables/account.ts';
import { keywordsOfNumber, numberByDigits, numberTable, type NumberRow } from '../../tables/inbound.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { exists, inUse, missing, type Decided } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { keywordsOf, readOwner } from './inbound-route.ts';

/** A number in stored form, or why it is invalid. The caller reads it: store threads load no number plan. */
export type ReadNumber = Result<OwnedNumber, Rejection>;

/** Finds a number, and reads what an inbound message of the same group needs if the number gets this account. */
export function lookAtNumber(
  rows: Looks,
  { digits, kind }: OwnedNumber,
  account: number | null = null,
): NumberRow | undefined {
  const row = rows.one(numberByDigits, digits, kind);
  rows.values(keywordsOfNumber, digits, kind);
  for (const id of [row?.account ?? null, account]) {
    if (id === null) continue;
    // The audit log shows the name of the account, too.
    rows.one(accountById, id);
    readOwner(rows, id);
  }
  return row;
}

type Given = Pick<InputOf<OperationNamed<'number.add'>>, 'account' | 'shared'>;

/** The number, its row, and the account that the number gets; null for a shared number. */
function readGiven(
  rows: Rows,
  { account: name, shared }: Given,
  made: ReadNumber,
): Decided<OwnedNumber & { readonly account: number | null; readonly row: NumberRow | undefined }> {
  if (shared && name !== undefined) return invalid('shared', 'must not be given with an account: give one of the two');
  if (!shared && name === undefined)
    return invalid('account', 'must name the account of the number, unless the number is shared (--shared)');
  if (!made.ok) return made;
  const account = name === undefined ? null : rows.one(accountByName, name);
  const row = lookAtNumber(rows, made.value, account?.id);
  if (account === undefined) return noAccount(name ?? '');
  return ok({ ...made.value, account: account?.id ?? null, row });
}

/**
 * Gives a number, or a range of numbers, to an account. Later inbound messages go to this account, unless a keyword
 * matches. A shared number has no account: inbound messages without a keyword are unmatched.
 */
const add: Decision<'number.add', ReadNumber> = (rows, input, { at: createdAt, made }) => {
  const given = readGiven(rows, input, made);
  if (!given.ok) return given;
  const { row: before, number, digits, kind, account } = given.value;
  if (before) return exists(isThere(rows, before, account));
  rows.add(numberTable, { kind, number, digits, account, createdAt });
  return ok({ number, kind, account: input.account ?? null });
};

/** Why a number that already exists cannot be added. */
function isThere(rows: Rows, { kind, number, account: owner }: NumberRow, wanted: number | null): string {
  const whose =
    owner === null ? 'is already shared' : `already belongs to account ${rows.one(accountById, owner)?.name ?? ''}`;
  return `the ${kind} ${number} ${whose}${owner === wanted ? '' : ': use number set to give it to another account'}`;
}

/**
 * Gives a number to another account, or makes it shared, in one commit, so that no message is unmatched in between. The
 * number keeps its keywords.
 */
const set: Decision<'number.set', ReadNumber> = (rows, input, { made }) => {
  const given = readGiven(rows, input, made);
  if (!given.ok) return given;
  const { row, number, kind, account } = given.value;
  if (!row) return missing(`there is no ${kind} ${number}: add it with number add`);
  row.account = account;
  touch(row);
  return ok({ number, kind, account: input.account ?? null });
};

/** Removes a number without keywords. */
const remove: Decision<'number.remove', ReadNumber> = (rows, _input, { made }) => {
  if (!made.ok) return made;
  const { number, digits, kind } = made.value;
  const row = lookAtNumber(rows, made.value);
  const range = rows.one(numberByDigits, digits, 'prefix');
  if (!row) {
    const hint = kind === 'number' && range ? `; ${number}… is a range of numbers: use --prefix` : '';
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
  return ok({ number, kind });
};

export const numberDecisions = { 'number.add': add, 'number.set': set, 'number.remove': remove };
