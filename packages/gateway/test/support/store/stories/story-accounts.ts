/* For tests: the words of stories (story.ts) about accounts and their money. */

import assert from 'node:assert/strict';
import { toMicros } from '@morsel/api/values/money.ts';
import { refundPolicies } from '@morsel/api/values/account.ts';
import type { Command } from '../../../../src/state/commands.ts';
import { operate } from '../operate.ts';
import type { TestStore } from '../store.ts';

/** A statement of a story: its words, and its options such as `id=a`. */
export interface Said {
  readonly words: readonly string[];
  readonly options: ReadonlyMap<string, string>;
}

export function oneOf<Word extends string>(words: readonly Word[], word?: string): Word {
  return words.find((each) => each === word) ?? assert.fail(`${word} is none of ${words.join(', ')}`);
}

const micros = (amount: string) => toMicros(BigInt(amount));

/*
 *   account beta 100 never limit=10      an account with its balance, its policy for refunds and its credit limit
 *   set-account limit=5 cap=110 alerts=50,10 list=gold parts=5
 *   adjust acme -5 force key=k -> 95     a posting, and the balance after it; `top-up` is the other kind
 *   alerts = 50:45 10:5                  thresholds with the balances below them
 */
export const accountMakers: { readonly [word: string]: (store: TestStore, said: Said) => Command } = {
  account: ({ now: at }, { words: [name = '', balance = '0', refunds = 'refused'], options }) => {
    const creditLimit = micros(options.get('limit') ?? '0');
    const lowBalance = options.get('alerts')?.split(',').map(micros);
    const given = { name, currency: 'EUR', balance: micros(balance), creditLimit, ...(lowBalance && { lowBalance }) };
    return operate('account.add', { ...given, refundPolicy: oneOf(refundPolicies, refunds) }, { at, made: {} });
  },
  'set-account': ({ now: at }, { options }) => {
    const [limit, cap, alerts, priceList, parts] = ['limit', 'cap', 'alerts', 'list', 'parts'].map((name) =>
      options.get(name),
    );
    const given = {
      ...(limit !== undefined && { creditLimit: micros(limit) }),
      ...(cap !== undefined && { dayCap: cap === 'none' ? null : micros(cap) }),
      ...(alerts !== undefined && { lowBalance: alerts.split(',').map(micros) }),
      ...(priceList !== undefined && { priceList }),
      ...(parts !== undefined && { partsMax: Number(parts) }),
      ...(options.has('zone') && { timeZone: options.get('zone') ?? '' }),
    };
    return operate('account.set', { account: 'acme', ...given }, { at, made: {} });
  },
  'no-account': ({ now: at }, { words: [account = ''] }) => operate('account.remove', { account }, { at }),
  'top-up': (_store, { words: [account = '', amount = '0'], options }) =>
    operate('posting.topUp', { account, amount: toMicros(BigInt(amount)), key: options.get('key') }, { at: 0 }),
  adjust: (_store, { words: [account = '', amount = '0', ...more], options }) => {
    const given = { account, amount: toMicros(BigInt(amount)), reason: 'test', key: options.get('key') };
    return operate('posting.adjust', { ...given, ...(more.includes('force') && { force: true }) }, { at: 0 });
  },
};
