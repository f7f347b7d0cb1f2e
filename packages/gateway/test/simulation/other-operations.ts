/* Operations of operators that matter little to messages under way: keys, logins, webhooks, alarms and lists. */

import { ok } from '@morsel/api/values/result.ts';
import { readNumber } from '../../src/core/number/owned-number.ts';
import type { CommandOf } from '../../src/state/commands.ts';
import { addWebhook, loginWithoutPassword, operate, testSecret } from '../support/store/operate.ts';
import { pricesOf } from '../support/store/prices.ts';
import type { World } from './world.ts';

export type Operation = CommandOf<'operate'>;

export const ownNumber = '+41790000000';
export const accountNames = ['acme', 'poor'] as const;

const hashOctets = 32;

/** `tokens`: ids of tokens that operators have made, to which the operations add. */
export function otherOperations({ chance }: World, at: number, tokens: string[]): (() => Operation)[] {
  const account = chance.pick(accountNames);
  const newToken = () => {
    const id = String(chance.between(100_000_000_000, 999_999_999_999));
    tokens.push(id);
    return { id, hash: Buffer.from(id.padEnd(hashOctets)), text: '' };
  };
  const id = tokens.length > 0 ? chance.pick(tokens) : '000000000000';
  const optOut = { receiver: '+41791112299', sender: undefined, reason: 'list' };
  const keyword = readNumber({ number: ownNumber, kind: 'number' });
  const receiver = { receiver: 'night' };
  return [
    () => operate('account.add', { name: 'gone', currency: 'EUR' }, { at, made: {} }),
    () => operate('account.suspend', { account: 'gone' }, { at }),
    () => operate('account.erase', { account: 'gone' }, { at }),
    () => operate('account.remove', { account: 'gone' }, { at }),
    () => operate('account.callbackSecret', { account }, { at, made: testSecret }),
    () => operate('token.add', { account }, { at, made: newToken() }),
    () => operate('token.rotate', { id }, { at, made: newToken() }),
    () => operate('token.revoke', { id }, { at }),
    () => operate('login.add', { account, systemId: 'client' }, { at, made: loginWithoutPassword }),
    () => operate('login.set', { systemId: 'client', password: 'password' }, { at, made: loginWithoutPassword.hash }),
    () => operate('login.remove', { systemId: 'client' }, { at }),
    () => operate('operator.add', { operator: 'jane', role: 'viewer' }, { at }),
    () => operate('operator.set', { operator: 'jane', role: 'owner' }, { at }),
    () => operate('operator.remove', { operator: 'jane' }, { at }),
    () => operate('operatorKey.add', { operator: 'jane' }, { at, made: newToken() }),
    () => operate('operatorKey.revoke', { id }, { at }),
    () => operate('keyword.add', { number: ownNumber, word: 'hello', account }, { at, made: keyword }),
    () => operate('keyword.remove', { number: ownNumber, word: 'hello' }, { at, made: keyword }),
    () => addWebhook(at, { account: 'gone' }),
    () => operate('webhook.set', { webhook: 1, concurrency: chance.between(1, 5) }, { at, made: ok(null) }),
    () => operate('webhook.pause', { webhook: 1 }, { at }),
    () => operate('webhook.resume', { webhook: 1 }, { at }),
    () => operate('webhook.remove', { webhook: 3 }, { at }),
    () => operate('webhook.replay', { account, all: true }, { at }),
    () => operate('webhookSecret.add', { webhook: 1 }, { at, made: testSecret }),
    () => operate('webhookSecret.remove', { webhook: 1, secret: 1 }, { at }),
    () => operate('alarm.set', { kind: 'disk-full', watched: 'no' }, { at }),
    () => operate('alarm.quiet', { kind: 'disk-full', until: at + 60_000 }, { at }),
    () => operate('alarm.ack', { alarm: 1 }, { at }),
    () => operate('alarmReceiver.remove', receiver, { at }),
    () => operate('optOut.import', { account, list: [optOut] }, { at, made: ok([optOut]) }),
    () => operate('optOut.set', { account, scope: 'account' }, { at }),
    () => operate('optOut.word', { account, word: 'enough', means: 'stop' }, { at }),
    () => operate('price.set', { list: 'upper', currency: 'EUR', prices: pricesOf({ 44: '0.02' }) }, { at }),
    () => operate('price.base', { list: 'upper', base: 'default' }, { at }),
    () => operate('price.remove', { list: 'upper' }, { at }),
    () => operate('encryptionKey.rotate', { account }, { at }),
    () => operate('encryptionKey.rewrap', {}, { at }),
  ];
}
