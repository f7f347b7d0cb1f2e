import { parseKeyword } from '../core/number/keyword.ts';
import { parseOwnedNumber } from '../core/number/owned-number.ts';
import { numberKinds } from '@morsel/api/values/number.ts';
import type { OwnedNumber } from '../core/number/owned-number.ts';
import type { Rejection } from '../core/base/rejection.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { change } from './administer.ts';
import type { AdministerNeeds } from './administer.ts';
import { anyText, flag, invalid, name, oneOf, optional, readFields } from './fields.ts';
import type { Field, Fields } from './fields.ts';

/* Which account gets what phones send to a number. */

const numberFields = { number: anyText, kind: optional(oneOf(numberKinds), 'number' as const) };
const addFields = { ...numberFields, account: optional(name, null), shared: optional(flag, false) };

/** What the operator is told of a number. */
type NumberShown = { readonly number: string; readonly kind: string };
type OwnerShown = NumberShown & { readonly account: string | null };

/**
 * Gives a number, or every number that begins so, to an account: what comes from now on is the account's, but for keywords. A
 * shared number is nobody's own: what has no keyword of it is kept, and shown to the operator.
 */
export function addNumber(needs: AdministerNeeds, fields: Fields): Promise<Result<OwnerShown, Rejection>> {
  return giveNumber(needs, fields, 'add-number');
}

/** Gives a number that is there to another account, or to its keywords alone, without a moment in which it is nobody's. */
export function setNumber(needs: AdministerNeeds, fields: Fields): Promise<Result<OwnerShown, Rejection>> {
  return giveNumber(needs, fields, 'set-number');
}

async function giveNumber(
  needs: AdministerNeeds,
  fields: Fields,
  kind: 'add-number' | 'set-number',
): Promise<Result<OwnerShown, Rejection>> {
  const read = readFields(addFields, fields);
  if (!read.ok) return read;
  const { account, shared } = read.value;
  if (shared && account !== null)
    return invalid('shared', 'a number is shared, or it has an account: give one of the two');
  if (!shared && account === null) return invalid('account', 'say whose it is, or that it is shared (--shared)');
  const owned = readNumber(read.value);
  if (!owned.ok) return owned;
  const { kind: numberKind, number, digits } = owned.value;
  const command = { at: needs.clock.now(), number, digits, numberKind, account };
  const given = await change<'add-number' | 'set-number'>(needs, { kind, ...command });
  return given.ok ? ok({ number, kind: numberKind, account }) : given;
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

/** A keyword in the form in which it is compared. */
export const keywordField: Field<string> = { parse: parseKeyword };

const keywordFields = { ...numberFields, word: keywordField };

/** Has what begins with a word, of messages to a number that is there, go to an account from now on. */
export async function addKeyword(
  needs: AdministerNeeds,
  fields: Fields,
): Promise<Result<NumberShown & { word: string; account: string }, Rejection>> {
  const read = readFields({ ...keywordFields, account: name }, fields);
  if (!read.ok) return read;
  const { word, account } = read.value;
  const owned = readNumber(read.value);
  if (!owned.ok) return owned;
  const { kind: numberKind, number, digits } = owned.value;
  const command = { at: needs.clock.now(), number, digits, numberKind, word, account };
  const added = await needs.journal.append<'add-keyword'>({ kind: 'add-keyword', ...command });
  return added.ok ? ok({ number, kind: numberKind, word, account }) : added;
}

/** Takes a keyword from its number; what has come already stays the account's. */
export async function removeKeyword(
  needs: AdministerNeeds,
  fields: Fields,
): Promise<Result<NumberShown & { word: string }, Rejection>> {
  const read = readFields(keywordFields, fields);
  if (!read.ok) return read;
  const { word } = read.value;
  const owned = readNumber(read.value);
  if (!owned.ok) return owned;
  const { kind: numberKind, number, digits } = owned.value;
  const command = { at: needs.clock.now(), number, digits, numberKind, word };
  const removed = await needs.journal.append<'remove-keyword'>({ kind: 'remove-keyword', ...command });
  return removed.ok ? ok({ number, kind: numberKind, word }) : removed;
}

/** Reads a number in the form in which it is owned. */
export function readNumber(given: Pick<OwnedNumber, 'number' | 'kind'>): Result<OwnedNumber, Rejection> {
  const owned = parseOwnedNumber(given.number, given.kind);
  if (owned.ok) return owned;
  const isRange =
    given.kind === 'number' && given.number.startsWith('+') && parseOwnedNumber(given.number, 'prefix').ok;
  return invalid('number', isRange ? `${owned.error}; with --prefix it is all that begin so` : owned.error);
}
