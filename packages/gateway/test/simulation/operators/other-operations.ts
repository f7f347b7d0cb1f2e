/*
 * Operations of operators that matter little to messages under way: keys, logins, webhooks, alarms and lists. A line is
 * an operation. The lines about one thing are in the order in which operators use them.
 */

import type { AdminCalls } from '@morsel/api/admin/client.ts';
import { dayMs, minuteMs } from '@morsel/api/values/time.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { makeToken, tokenIdOf, tokenRandomBytes } from '../../../src/core/account/token.ts';
import type { Rejection } from '../../../src/core/base/rejection.ts';
import type { Command } from '../../../src/state/commands.ts';
import { operate } from '../../support/store/operate.ts';
import { pricesOf } from '../../support/store/prices.ts';
import { quickHash } from '../edge.ts';
import { beginning, type World } from '../world.ts';

export const ownNumber = '+41790000000';
/** The accounts whose clients send. Their ids count from 1. */
export const accountNames = ['acme', 'poor', 'ruled'] as const;

/** The tokens of each account, which operators give to its clients. */
export type Tokens = ReadonlyMap<string, string[]>;

export interface OperatorHands {
  readonly call: AdminCalls<Rejection>;
  /** The operations with the key of another operator. */
  readonly as: (key: string) => AdminCalls<Rejection>;
  /** Gives a command to the store, as the console does for an operator who signs in. */
  readonly give: (command: Command) => Promise<Result<unknown, Rejection>>;
  readonly tokens: Tokens;
  readonly at: number;
}

type Act = () => Promise<unknown>;

const list = 'upper';
const account = 'gone';
const night = 'night';
const listed = '+41791112299';
const password = 'a long password';
const settingsOf = (window: number) => JSON.stringify({ carriers: [{ name: 'alpha', window }] });
const draft = 'draft';

export function otherOperations(
  world: World,
  { call, as, give, tokens: all, at }: OperatorHands,
): readonly (readonly Act[])[] {
  const payer = world.chance.pick(accountNames);
  // The first token of an account stays, so that its clients can go on.
  const tokens = all.get(payer) ?? [];
  const id = () => tokenIdOf(tokens.slice(1).at(-1) ?? 'morsel_000000000000');
  const session = newSession(world);
  let webhook = 99;
  let secret = 99;
  let job = 99;
  let key = '';
  const jane = { at, by: 'jane' };
  const passwordMade = { hash: quickHash(password), codeStep: null };
  const codes = { presentPassword: password, secret: '', code: '' };
  return [
    [
      () => call.account.add({ name: account, currency: 'EUR' }),
      () => call.alarmReceiver.add({ receiver: night, kind: 'sms', to: '+41791112298', sender: 'M', account }),
      () => call.alarmReceiver.set({ receiver: night, severity: 'critical' }),
      () => call.alarmReceiver.remove({ receiver: night }),
      () => call.webhook.add({ account, url: 'https://example.com/gone' }).then(keep((made) => (webhook = made.id))),
      () => call.webhookSecret.add({ webhook }).then(keep((made) => (secret = made.id))),
      () => call.webhookSecret.remove({ webhook, secret }),
      () => call.webhook.remove({ webhook }),
      () => call.account.remove({ account }),
    ],
    [
      () => call.account.add({ name: 'left', currency: 'EUR' }),
      () => call.account.suspend({ account: 'left' }),
      () => call.account.erase({ account: 'left' }),
    ],
    [
      () => call.token.add({ account: payer }).then(keep(({ token }) => tokens.push(token))),
      () => call.token.rotate({ id: id() }).then(keep(({ token }) => tokens.push(token))),
      () => call.token.revoke({ id: id() }),
      () => call.account.callbackSecret({ account: payer }),
    ],
    [
      () => call.login.add({ account: payer, systemId: 'other', password: 'Right-1' }),
      () => call.login.set({ systemId: 'other', password: 'Right-2' }),
      () => call.login.remove({ systemId: 'other' }),
    ],
    [
      () => call.operator.add({ operator: 'jane', role: 'viewer' }),
      () => call.operatorKey.add({ operator: 'jane' }).then(keep((made) => (key = made.key))),
      () => as(key).operator.self(),
      () => call.operator.set({ operator: 'jane', role: 'owner' }),
      () => give(operate('operator.password', { presentPassword: '', password }, { ...jane, made: passwordMade })),
      () => give({ kind: 'begin-session', operator: 'jane', at, ...session, agent: '', codeStep: null }),
      () => give(operate('operatorKey.end', { id: session.id }, jane)),
      () => give(operate('operator.codes', codes, { ...jane, made: { secret: session.hash, step: 1 } })),
      () => call.operator.withoutCodes({ operator: 'jane' }),
      () => call.operatorKey.revoke({ id: tokenIdOf(key) || '000000000000' }),
      () => call.operator.remove({ operator: 'jane' }),
    ],
    [
      () => call.message.cancelMany({ account: payer }).then(keep((started) => (job = started.job ?? job))),
      () => call.message.settleMany({ account: payer, as: world.chance.pick(['resend', 'sent', 'unknown']) }),
      () => call.message.rerouteMany({ account: payer }),
      () => call.job.stop({ job }),
    ],
    [
      () => call.keyword.add({ number: ownNumber, word: 'hello', account: payer }),
      () => call.inbound.replay({ account: payer, undelivered: true }),
      () => call.keyword.remove({ number: ownNumber, word: 'hello' }),
    ],
    [
      () => call.webhook.set({ webhook: 1, concurrency: world.chance.between(1, 5) }),
      () => call.webhook.pause({ webhook: 1 }),
      () => call.webhook.resume({ webhook: 1 }),
      () => call.webhook.replay({ account: payer }),
    ],
    [
      () => call.alarm.set({ kind: 'disk-full', watched: 'no' }),
      () => call.alarm.quiet({ kind: 'disk-full', until: at + minuteMs }),
      () => call.alarm.ack({ alarm: 1 }),
    ],
    [
      () => call.optOut.import({ account: payer, list: [{ receiver: listed, reason: 'list' }] }),
      () => call.optOut.remove({ account: payer, receiver: listed, reason: 'letter' }),
      () => call.optOut.set({ account: payer, scope: 'account' }),
      () => call.optOut.word({ account: payer, word: 'enough', means: 'stop' }),
    ],
    [
      () => call.price.set({ list, currency: 'EUR', prices: pricesOf({ 44: '0.02' }) }),
      () => call.price.import({ list, file: 'prefix,price\n44,0.021\n45,0.022\n' }),
      () => call.price.base({ list, base: 'default' }),
      () => call.price.set({ list, prices: pricesOf({ 44: '0.03' }), effectiveAt: at + dayMs }),
      () => withdrawNewest(call),
      () => withdrawNewest(call),
      () => call.price.remove({ list }),
    ],
    [() => call.encryptionKey.rotate({ account: payer }), () => call.encryptionKey.rewrap()],
    [
      () => call.changeSet.add({ changeSet: draft, config: settingsOf(world.chance.between(2, 9)) }),
      () => call.changeSet.replay({ changeSet: draft }),
      () => applyChangeSet(call),
      () => call.changeSet.undo({ changeSet: draft }),
      () => call.changeSet.remove({ changeSet: draft }),
      () => call.changeSet.remove({ changeSet: `undo-${draft}` }),
    ],
    [() => applySettings(call), () => call.carrier.rebind({ carrier: 'beta' })],
  ];
}

async function withdrawNewest(call: OperatorHands['call']): Promise<void> {
  const shown = await call.price.versions({ list });
  if (shown.ok) await call.price.withdraw({ list, version: shown.value.newest });
}

async function applySettings(call: OperatorHands['call']): Promise<void> {
  const shown = await call.config.show();
  if (shown.ok) await call.config.apply({ config: settingsOf(5), version: shown.value.version });
}

async function applyChangeSet(call: OperatorHands['call']): Promise<void> {
  const shown = await call.changeSet.show({ changeSet: draft });
  if (shown.ok) await call.changeSet.apply({ changeSet: draft, version: shown.value.version });
}

/** Uses an answer that is no refusal. */
function keep<T>(use: (value: T) => void) {
  return (answer: Result<T, Rejection>): void => {
    if (answer.ok) use(answer.value);
  };
}

function newSession({ chance, nowMs }: World): {
  readonly id: string;
  readonly hash: Uint8Array;
  readonly expiresAt: number;
} {
  const { id, hash } = makeToken(Buffer.from(Array.from({ length: tokenRandomBytes }, () => chance.between(0, 255))));
  return { id, hash, expiresAt: beginning + nowMs + dayMs };
}
