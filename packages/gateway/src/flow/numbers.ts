import { numberKinds, parseOwnedNumber } from '../core/owned-number.ts';
import type { OwnedNumber } from '../core/owned-number.ts';
import type { Rejection } from '../core/rejection.ts';
import { ok } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import { change } from './administer.ts';
import type { AdministerNeeds } from './administer.ts';
import { anyText, invalid, name, oneOf, optional, readFields } from './operator-fields.ts';
import type { Fields } from './operator-fields.ts';

/* Which account gets what phones send to a number. */

const numberFields = { number: anyText, kind: optional(oneOf(numberKinds), 'number' as const) };

/** What the operator is told of a number. */
type NumberShown = { readonly number: string; readonly kind: string };

/** Gives a number, or every number that begins so, to an account: what comes from now on is the account's. */
export async function addNumber(
  needs: AdministerNeeds,
  fields: Fields,
): Promise<Result<NumberShown & { account: string }, Rejection>> {
  const read = readFields({ ...numberFields, account: name }, fields);
  if (!read.ok) return read;
  const { account } = read.value;
  const owned = readNumber(read.value);
  if (!owned.ok) return owned;
  const { kind: numberKind, number, digits } = owned.value;
  const at = needs.clock.now();
  const added = await change<'add-number'>(needs, { kind: 'add-number', at, number, digits, numberKind, account });
  return added.ok ? ok({ number, kind: numberKind, account }) : added;
}

/** Takes a number from its account; what has come already stays the account's. */
export async function removeNumber(needs: AdministerNeeds, fields: Fields): Promise<Result<NumberShown, Rejection>> {
  const read = readFields(numberFields, fields);
  if (!read.ok) return read;
  const owned = readNumber(read.value);
  if (!owned.ok) return owned;
  const { kind: numberKind, number, digits } = owned.value;
  const at = needs.clock.now();
  const removed = await change<'remove-number'>(needs, { kind: 'remove-number', at, number, digits, numberKind });
  return removed.ok ? ok({ number, kind: numberKind }) : removed;
}

function readNumber(given: Pick<OwnedNumber, 'number' | 'kind'>): Result<OwnedNumber, Rejection> {
  const owned = parseOwnedNumber(given.number, given.kind);
  return owned.ok ? owned : invalid('number', owned.error);
}
