import type { keyword } from '@morsel/api/admin/number/keyword.ts';
import type { number } from '@morsel/api/admin/number/number.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import type { NumberKind } from '@morsel/api/values/number.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { parseKeyword } from '../../core/number/keyword.ts';
import { parseOwnedNumber } from '../../core/number/owned-number.ts';
import type { OwnedNumber } from '../../core/number/owners.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { change, type ChangeNeeds } from '../../flow/change.ts';
import { invalid } from '../../state/decide/decided.ts';

/* The operator's actions on numbers and keywords. */

type Numbers = typeof number.operations;
type Keywords = typeof keyword.operations;

/**
 * Gives a number, or a range of numbers, to an account. Later inbound messages go to this account, unless a keyword
 * matches. A shared number has no account: inbound messages without a keyword are unmatched.
 */
export function addNumber(
  needs: ChangeNeeds,
  input: InputOf<Numbers['add']>,
): Promise<Result<AnswerOf<Numbers['add']>, Rejection>> {
  return giveNumber(needs, input, 'add-number');
}

/** Gives a number to another account, or makes the number shared, in one commit. No message is unmatched in between. */
export function setNumber(
  needs: ChangeNeeds,
  input: InputOf<Numbers['set']>,
): Promise<Result<AnswerOf<Numbers['set']>, Rejection>> {
  return giveNumber(needs, input, 'set-number');
}

async function giveNumber(
  needs: ChangeNeeds,
  { account: wanted, shared, ...given }: InputOf<Numbers['add']>,
  kind: 'add-number' | 'set-number',
): Promise<Result<AnswerOf<Numbers['add']>, Rejection>> {
  const account = wanted ?? null;
  if (shared && account !== null) return invalid('shared', 'must not be given with an account: give one of the two');
  if (!shared && account === null)
    return invalid('account', 'must name the account of the number, unless the number is shared (--shared)');
  const owned = readNumber(given);
  if (!owned.ok) return owned;
  const command = { at: needs.clock.now(), ...rowOf(owned.value), account };
  const done = await change<'add-number' | 'set-number'>(needs, { kind, ...command });
  return done.ok ? ok({ ...shownOf(owned.value), account }) : done;
}

/** Takes a number from its account. Earlier messages still belong to the account. */
export async function removeNumber(
  needs: ChangeNeeds,
  input: InputOf<Numbers['remove']>,
): Promise<Result<AnswerOf<Numbers['remove']>, Rejection>> {
  const owned = readNumber(input);
  if (!owned.ok) return owned;
  const at = needs.clock.now();
  const removed = await change<'remove-number'>(needs, { kind: 'remove-number', at, ...rowOf(owned.value) });
  return removed.ok ? ok(shownOf(owned.value)) : removed;
}

/** Adds a keyword: later messages that start with this word go from the number to the account. */
export async function addKeyword(
  needs: ChangeNeeds,
  { account, ...given }: InputOf<Keywords['add']>,
): Promise<Result<AnswerOf<Keywords['add']>, Rejection>> {
  const place = readPlace(given);
  if (!place.ok) return place;
  const { owned, word } = place.value;
  const command = { at: needs.clock.now(), ...rowOf(owned), word, account };
  const added = await needs.journal.append<'add-keyword'>({ kind: 'add-keyword', ...command });
  return added.ok ? ok({ ...shownOf(owned), word, account }) : added;
}

/** Removes a keyword of a number. Earlier messages still belong to the keyword's account. */
export async function removeKeyword(
  needs: ChangeNeeds,
  input: InputOf<Keywords['remove']>,
): Promise<Result<AnswerOf<Keywords['remove']>, Rejection>> {
  const place = readPlace(input);
  if (!place.ok) return place;
  const { owned, word } = place.value;
  const command = { at: needs.clock.now(), ...rowOf(owned), word };
  const removed = await needs.journal.append<'remove-keyword'>({ kind: 'remove-keyword', ...command });
  return removed.ok ? ok({ ...shownOf(owned), word }) : removed;
}

interface GivenNumber {
  readonly number: string;
  readonly kind: NumberKind;
}

/** Reads a number and a keyword. The keyword gets the form in which keywords are compared. */
function readPlace(
  given: GivenNumber & { readonly word: string },
): Result<{ readonly owned: OwnedNumber; readonly word: string }, Rejection> {
  const word = parseKeyword(given.word);
  if (!word.ok) return invalid('word', word.error);
  const owned = readNumber(given);
  return owned.ok ? ok({ owned: owned.value, word: word.value }) : owned;
}

/** Reads a number, and brings it into the stored form. */
export function readNumber(given: GivenNumber): Result<OwnedNumber, Rejection> {
  const owned = parseOwnedNumber(given.number, given.kind);
  if (owned.ok) return owned;
  const isRange =
    given.kind === 'number' && given.number.startsWith('+') && parseOwnedNumber(given.number, 'prefix').ok;
  const detail = isRange ? `${owned.error}; for all numbers that begin with these digits use --prefix` : owned.error;
  return refused({ code: 'invalid_parameter', field: 'number', detail });
}

function shownOf({ number: text, kind }: OwnedNumber) {
  return { number: text, kind };
}

function rowOf({ number: text, digits, kind: numberKind }: OwnedNumber) {
  return { number: text, digits, numberKind };
}
