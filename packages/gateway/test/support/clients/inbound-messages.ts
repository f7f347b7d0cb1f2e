import type { CommandOf } from '../../../src/state/commands.ts';
import { readNumber } from '../../../src/core/number/owned-number.ts';
import type { NumberKind } from '@morsel/api/values/number.ts';
import { operate } from '../store/operate.ts';
import type { TestStore } from '../store/store.ts';

/* For tests that look for the account to which an inbound message belongs. */

export const phone = '+41790000002';

/** The command that stores an inbound message from `phone`. */
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
    code: 8,
    octets: Buffer.from(text, 'utf16le').swap16(),
    coding: 'ucs2',
    concatenation: null,
    header: null,
    ...more,
  };
}

export function addNumber(number: string, account: string | null, kind: NumberKind = 'number'): CommandOf<'operate'> {
  const owner = account === null ? { shared: true } : { account };
  return operate('number.add', { number, kind, ...owner }, { at: 0, made: readNumber({ number, kind }) });
}

export function removeNumber(number: string, kind: NumberKind = 'number'): CommandOf<'operate'> {
  return operate('number.remove', { number, kind }, { at: 0, made: readNumber({ number, kind }) });
}

export interface KeywordOf {
  readonly number: string;
  readonly word: string;
  readonly kind?: NumberKind;
}

export function addKeyword({ kind = 'number', ...of }: KeywordOf, account: string): CommandOf<'operate'> {
  return operate('keyword.add', { ...of, kind, account }, { at: 0, made: readNumber({ ...of, kind }) });
}

export function removeKeyword({ kind = 'number', ...of }: KeywordOf): CommandOf<'operate'> {
  return operate('keyword.remove', { ...of, kind }, { at: 0, made: readNumber({ ...of, kind }) });
}
