import type { CommandOf } from '../../src/state/commands.ts';
import { parseOwnedNumber } from '../../src/core/number/owned-number.ts';
import type { NumberKind } from '@morsel/api/values/number.ts';
import type { TestStore } from './store.ts';

/* For tests of the account of an inbound message. */

export const phone = '+41790000002';

/** An inbound message. */
export function write(
  store: TestStore,
  receiver: string,
  text: string,
  more: Partial<CommandOf<'inbound'>> = {},
): CommandOf<'inbound'> {
  return {
    kind: 'inbound',
    at: store.now,
    id: store.ownId(),
    carrier: 1,
    sender: phone,
    receiver,
    dataCoding: 8,
    esmClass: 0,
    octets: Buffer.from(text, 'utf16le').swap16(),
    coding: 'ucs2',
    concatenation: null,
    ports: null,
    ...more,
  };
}

export function addNumber(
  number: string,
  account: string | null,
  kind: NumberKind = 'number',
): CommandOf<'add-number'> {
  return { kind: 'add-number', at: 0, ...namesOf(number, kind), account };
}

export function removeNumber(number: string, kind: NumberKind = 'number'): CommandOf<'remove-number'> {
  return { kind: 'remove-number', at: 0, ...namesOf(number, kind) };
}

export interface KeywordOf {
  readonly number: string;
  readonly word: string;
  readonly kind?: NumberKind;
}

export function addKeyword({ number, word, kind }: KeywordOf, account: string): CommandOf<'add-keyword'> {
  return { kind: 'add-keyword', at: 0, ...namesOf(number, kind), word, account };
}

export function removeKeyword({ number, word, kind }: KeywordOf): CommandOf<'remove-keyword'> {
  return { kind: 'remove-keyword', at: 0, ...namesOf(number, kind), word };
}

function namesOf(given: string, numberKind: NumberKind = 'number') {
  const owned = parseOwnedNumber(given, numberKind);
  if (!owned.ok) throw new Error(owned.error);
  const { number, digits } = owned.value;
  return { number, digits, numberKind };
}
