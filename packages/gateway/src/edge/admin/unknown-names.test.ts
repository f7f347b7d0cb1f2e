import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { askOperation } from '@morsel/api/admin/client.ts';
import { resources } from '@morsel/api/admin/resources.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { call, gateway, key, post } from '../../../test/support/admin-api.ts';

/* A request with an unknown name is refused, also for lists, instead of an empty answer. */

type Case = readonly [fields: { readonly [field: string]: unknown }, says: RegExp];

const account = { account: 'nobody' };
const carrier = { carrier: 'nobody' };
const noAccount: Case = [account, /no account named nobody/];
const noCarrier: Case = [carrier, /no carrier named nobody/];
const noLogin = /no login with the system_id nobody/;
const list = { list: 'nobody' };
const noList: Case = [list, /no price list named nobody/];
const noMessage = [{ id: '904907980800001' }, /"code":"message_not_found"/] as const;
const optOut = { receiver: '+41791112233', reason: 'asked' };
const route = { prefix: '41', carrier: 'known' };
const message = { sender: 'Shop', receiver: '+41791112233', text: 'Hello' };

const noToken: Case = [{ id: '0123456789ab' }, /no token with the id 0123456789ab/];

const noOperator: Case = [{ operator: 'nobody' }, /no operator named nobody/];

const noNode: Case = [{ name: 'nowhere' }, /no running node named nowhere/];

const noAlarm: Case = [{ alarm: '42' }, /no alarm 42/];
const noWebhook: Case = [{ webhook: '42' }, /no webhook 42/];

/** What may not exist, by resource and operation; an operation that names nothing has none. */
const cases: { readonly [operation: string]: readonly Case[] } = {
  'config.show': [],
  'config.plan': [],
  'config.apply': [],
  'config.previous': [],
  'account.add': [],
  'account.list': [],
  'account.show': [noAccount],
  'account.set': [[{ ...account, dayCap: 5 }, noAccount[1]]],
  'account.suspend': [noAccount],
  'account.resume': [noAccount],
  'account.remove': [noAccount],
  'account.erase': [noAccount],
  'account.rules': [noAccount],
  'posting.topUp': [[{ ...account, amount: '1' }, noAccount[1]]],
  'posting.adjust': [[{ ...account, amount: '1', reason: 'posted twice' }, noAccount[1]]],
  'posting.statement': [[{ ...account, from: '2026-01-01', to: '2026-02-01' }, noAccount[1]]],
  'posting.balance': [[{ ...account, at: '2026-01-01' }, noAccount[1]]],
  'alarm.list': [],
  'alarm.show': [noAlarm],
  'alarm.kinds': [],
  'alarm.ack': [noAlarm],
  'alarm.set': [],
  'alarm.quiet': [],
  'alarmReceiver.add': [
    [
      { receiver: 'phone', kind: 'sms', to: '+41791112233', sender: 'Morsel', account: 'nobody' },
      /no account named nobody/,
    ],
  ],
  'alarmReceiver.set': [[{ receiver: 'nobody', severity: 'critical' }, /no receiver named nobody/]],
  'alarmReceiver.list': [],
  'alarmReceiver.test': [[{ receiver: 'nobody' }, /no receiver named nobody/]],
  'alarmReceiver.remove': [[{ receiver: 'nobody' }, /no receiver named nobody/]],
  'ledger.check': [noAccount],
  'cdr.list': [noAccount, noCarrier],
  'cdr.check': [noAccount],
  'token.usage': [noAccount],
  'token.list': [noAccount],
  'token.add': [noAccount],
  'token.rotate': [noToken],
  'token.revoke': [noToken],
  'login.list': [noAccount],
  'login.add': [noAccount],
  'login.set': [[{ systemId: 'nobody', from: 'any' }, noLogin]],
  'login.remove': [[{ systemId: 'nobody' }, noLogin]],
  'refusal.list': [],
  'privacy.list': [],
  'privacy.erase': [],
  'privacy.export': [],
  'privacy.rebuild': [],
  'retention.list': [],
  'refusal.summary': [],
  'session.list': [noAccount],
  'session.close': [noAccount, [{ id: '42' }, /no session 42/], [{ systemId: 'nobody' }, noLogin]],
  'number.list': [noAccount],
  'number.add': [[{ ...account, number: '+41791112233' }, noAccount[1]]],
  'number.set': [
    [{ ...account, number: '+41791112233' }, noAccount[1]],
    [{ account: 'known', number: '8811' }, /there is no number 8811/],
  ],
  'number.remove': [[{ number: '+41791112233' }, /there is no number/]],
  'carrier.add': [
    [{ name: 'new', host: 'localhost', port: 1, systemId: 'us', password: '', costList: 'nobody' }, noList[1]],
  ],
  'carrier.list': [],
  'carrier.show': [noCarrier],
  'carrier.set': [
    [{ ...carrier, window: 5 }, noCarrier[1]],
    [{ carrier: 'known', costList: 'nobody' }, noList[1]],
  ],
  'carrier.test': [noCarrier],
  'carrier.cost': [[{ ...carrier, from: '2026-01-01' }, noCarrier[1]]],
  'carrier.learned': [noCarrier],
  'carrier.pause': [noCarrier],
  'carrier.resume': [noCarrier],
  'carrier.drain': [noCarrier],
  'carrier.rebind': [noCarrier],
  'carrier.remove': [noCarrier],
  'message.send': [[{ ...account, ...message }, noAccount[1]]],
  'message.quote': [[{ ...account, ...message }, noAccount[1]]],
  'message.find': [noAccount, noCarrier],
  'message.show': [noMessage, [{ id: 'never' }, noMessage[1]]],
  'message.cancel': [noMessage, [{ id: 'never' }, noMessage[1]]],
  'message.cancelMany': [noAccount, noCarrier, [{ route: '49' }, /no route for prefix 49/]],
  'message.reroute': [noAccount, noCarrier, [{ route: '49' }, /no route for prefix 49/], noMessage],
  'message.inDoubt': [noCarrier],
  'message.settle': [
    [{ ...noMessage[0], as: 'sent' }, noMessage[1]],
    [{ id: 'never', as: 'sent' }, noMessage[1]],
  ],
  'receipt.unmatched': [noCarrier],
  'receipt.show': [[{ id: '42' }, /no unmatched receipt 42/]],
  'inbound.list': [noAccount],
  'inbound.replay': [
    noAccount,
    [{ ids: [noMessage[0].id] }, /no inbound message with the id 904907980800001/],
    [{ ids: ['never'] }, /no inbound message with the id never/],
  ],
  'inbound.show': [noMessage, [{ id: 'never' }, noMessage[1]]],
  'optOut.list': [noAccount],
  'optOut.add': [[{ ...account, ...optOut }, noAccount[1]]],
  'optOut.remove': [[{ ...account, ...optOut }, noAccount[1]]],
  'optOut.import': [[{ ...account, list: [optOut] }, noAccount[1]]],
  'optOut.history': [noAccount],
  'optOut.words': [noAccount],
  'optOut.word': [[{ ...account, word: 'enough', means: 'stop' }, noAccount[1]]],
  'optOut.set': [[{ ...account, words: 'off' }, noAccount[1]]],
  'event.listen': [noAccount],
  'price.list': [],
  'price.show': [noList, [{ list: 'default', version: 9 }, /no version 9 of a price list named default/]],
  'price.versions': [noList],
  'price.export': [noList],
  'price.set': [[{ list: 'nobody', prices: [{ prefix: '41', price: '1' }] }, noList[1]]],
  'price.withdraw': [[{ ...list, version: 1 }, noList[1]]],
  'price.base': [
    [{ ...list, base: 'default' }, noList[1]],
    [{ list: 'default', base: 'nobody' }, noList[1]],
  ],
  'price.remove': [noList],
  'price.import': [
    [{ ...list, file: '41,1' }, noList[1]],
    [{ list: 'default', base: 'nobody', file: '41,1' }, noList[1]],
  ],
  'keyword.list': [noAccount, [{ number: '8811' }, /no account has the number 8811/]],
  'route.list': [],
  'route.add': [
    [{ ...route, carrier: 'nobody' }, noCarrier[1]],
    [{ ...route, account: 'nobody' }, noAccount[1]],
  ],
  'route.remove': [
    [{ prefix: '49' }, /no route for prefix 49/],
    [{ prefix: '41', account: 'nobody' }, noAccount[1]],
    [{ prefix: '41', carrier: 'nobody' }, /has no carrier named nobody/],
    [{ prefix: '41', sender: 'ACME' }, /no route for prefix 41, sender ACME/],
  ],
  'route.explain': [[{ ...account, receiver: '+41791112233' }, noAccount[1]]],
  'route.set': [
    [{ prefix: '49', rank: '2' }, /no route for prefix 49/],
    [{ prefix: '41', newCarrier: 'nobody' }, noCarrier[1]],
    [{ prefix: '41', newAccount: 'nobody' }, noAccount[1]],
  ],
  'keyword.add': [
    [{ ...account, number: '8811', word: 'taxi' }, noAccount[1]],
    [{ account: 'known', number: '8811', word: 'taxi' }, /there is no number 8811/],
  ],
  'keyword.remove': [[{ number: '8811', word: 'taxi' }, /the number 8811 has no keyword taxi/]],
  'encryptionKey.list': [],
  'encryptionKey.rotate': [noAccount],
  'encryptionKey.rewrap': [],
  'audit.list': [],
  'audit.show': [[{ entry: '0-99' }, /there is no entry 0-99/]],
  'audit.verify': [],
  'operator.signInLink': [noOperator],
  'operator.password': [],
  'operator.newCodes': [],
  'operator.codes': [],
  'operator.withoutCodes': [noOperator],
  'operatorKey.sessions': [],
  'operatorKey.end': [], // Of sessions: console/sign-in.test.ts.
  'traffic.now': [],
  'traffic.history': [],
  'traffic.ofCarrier': [noCarrier],
  'traffic.answers': [noCarrier],
  'operator.list': [],
  'operator.self': [],
  'operator.add': [],
  'operator.show': [noOperator],
  'operator.set': [[{ operator: 'nobody', role: 'viewer' }, noOperator[1]]],
  'operator.remove': [noOperator],
  'operatorKey.list': [noOperator],
  'operatorKey.add': [noOperator],
  'operatorKey.revoke': [[{ id: '0123456789ab' }, /no operator key with the id 0123456789ab/]],
  'node.list': [],
  'node.drain': [noNode],
  'node.resume': [noNode],
  'gateway.status': [],
  'gateway.confirmClock': [],
  'gateway.resume': [],
  'gateway.totals': [],
  'webhook.list': [noAccount],
  'webhook.add': [[{ ...account, url: 'https://example.com/' }, noAccount[1]]],
  'webhook.show': [noWebhook],
  'webhook.set': [[{ ...noWebhook[0], concurrency: 5 }, noWebhook[1]]],
  'webhook.test': [noWebhook],
  'webhook.pause': [noWebhook],
  'webhook.resume': [noWebhook],
  'webhook.remove': [noWebhook],
  'webhook.replay': [[{ notification: '42' }, /no notification 42/], noAccount, noWebhook],
  'webhookSecret.list': [noWebhook],
  'webhookSecret.add': [noWebhook],
  'webhookSecret.remove': [[{ ...noWebhook[0], secret: '7' }, noWebhook[1]]],
  'notification.list': [noAccount, noWebhook],
  'notification.show': [[{ notification: '42' }, /no notification 42/]],
};

describe('an unknown name', () => {
  before(async () => {
    await post('/admin/v1/accounts', { name: 'known', currency: 'EUR' });
    await post('/admin/v1/carriers', { name: 'known', host: '127.0.0.1', port: 1, systemId: 'us', password: '' });
    assert.equal((await post('/admin/v1/routes', route)).status, 200);
  });

  it('is refused by every operation', () => {
    const names = Object.entries(resources).flatMap(([name, { operations }]) =>
      Object.keys(operations).map((verb) => `${name}.${verb}`),
    );
    assert.deepEqual(names.toSorted(), Object.keys(cases).toSorted());
  });

  for (const [operation, ofOperation] of Object.entries(cases)) {
    for (const [given, says] of ofOperation) {
      it(`is refused by its name: ${operation} ${JSON.stringify(given)}`, async () => {
        const [name = '', verb = ''] = operation.split('.');
        const declared = Object.entries(resources).find(([each]) => each === name)?.[1];
        const found = Object.entries<Operation>(declared?.operations ?? {}).find(([each]) => each === verb)?.[1];
        assert.ok(found);
        const base = `http://127.0.0.1:${gateway.adminPort}`;
        const answer = await askOperation({ base, credentials: { key }, operation: found, given });
        assert.ok(!answer.ok && answer.error.kind === 'refused');
        assert.equal(answer.error.status, 404, answer.error.text);
        assert.match(answer.error.text, says);
      });
    }
  }

  it('is no price list that an account has made, though it has no prices yet', async () => {
    assert.match((await call('GET', '/admin/v1/price-lists/default/prices')).text, /"items":\[\]/);
  });
});
