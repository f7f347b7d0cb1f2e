/*
 * What tests must know of each declared operation of the operator's API: the roles that may call it, and requests that
 * it refuses because they name something that does not exist. A new operation needs a row here.
 */

import type { OperationName } from '@morsel/api/admin/resources.ts';

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

const noJob: Case = [{ job: '42' }, /there is no job 42/];
const noChangeSet: Case = [{ changeSet: 'nothing' }, /no change set named nothing/];
const noAlarm: Case = [{ alarm: '42' }, /no alarm 42/];
const noWebhook: Case = [{ webhook: '42' }, /no webhook 42/];

/**
 * Which of owner, operator, support, finance and viewer may call it with a key (none if it is for sessions only), and
 * requests that name something that does not exist, with their refusals.
 */
type Row = readonly [may: string, ...unknown: readonly Case[]];

const table: { readonly [N in OperationName]: Row } = {
  'changeSet.add': ['yyyyy'],
  'changeSet.list': ['yyyyy'],
  'changeSet.show': ['yyyyy', noChangeSet],
  'changeSet.replay': ['yyyyy', noChangeSet],
  'changeSet.apply': ['yyyyy', [{ changeSet: 'nothing', version: '1' }, noChangeSet[1]]],
  'changeSet.undo': ['yyyyy', noChangeSet],
  'changeSet.remove': ['yyyyy', noChangeSet],
  'config.show': ['y----'],
  'config.plan': ['y----'],
  'config.apply': ['y----'],
  'config.previous': ['y----'],
  'account.add': ['y----'],
  'account.list': ['yyyyy'],
  'account.show': ['yyyyy', noAccount],
  'account.set': ['y----', [{ ...account, dayCap: 5 }, noAccount[1]]],
  'account.suspend': ['yy---', noAccount],
  'account.resume': ['yy---', noAccount],
  'account.remove': ['y----', noAccount],
  'account.erase': ['y----', noAccount],
  'account.callbackSecret': ['y----', noAccount],
  'account.rules': ['yyyyy', noAccount],
  'posting.topUp': ['y--y-', [{ ...account, amount: '1' }, noAccount[1]]],
  'posting.adjust': ['y--y-', [{ ...account, amount: '1', reason: 'posted twice' }, noAccount[1]]],
  'posting.statement': ['y--y-', [{ ...account, from: '2026-01-01', to: '2026-02-01' }, noAccount[1]]],
  'posting.balance': ['y--y-', [{ ...account, at: '2026-01-01' }, noAccount[1]]],
  'alarm.list': ['yyyyy'],
  'alarm.show': ['yyyyy', noAlarm],
  'alarm.kinds': ['yyyyy'],
  'alarm.ack': ['yy---', noAlarm],
  'alarm.set': ['yy---'],
  'alarm.quiet': ['yy---'],
  'alarmReceiver.set': ['y----', [{ receiver: 'nobody', severity: 'critical' }, /no receiver named nobody/]],
  'alarmReceiver.list': ['yyyyy'],
  'alarmReceiver.add': [
    'y----',
    [
      { receiver: 'phone', kind: 'sms', to: '+41791112233', sender: 'Morsel', account: 'nobody' },
      /no account named nobody/,
    ],
  ],
  'alarmReceiver.test': ['yy---', [{ receiver: 'nobody' }, /no receiver named nobody/]],
  'alarmReceiver.remove': ['y----', [{ receiver: 'nobody' }, /no receiver named nobody/]],
  'ledger.check': ['y--y-', noAccount],
  'token.add': ['y----', noAccount],
  'token.list': ['yyyyy', noAccount],
  'token.usage': ['yyyyy', noAccount],
  'token.rotate': ['y----', noToken],
  'token.revoke': ['y----', noToken],
  'login.add': ['y----', noAccount],
  'login.list': ['yyyyy', noAccount],
  'login.set': ['y----', [{ systemId: 'nobody', from: 'any' }, noLogin]],
  'login.remove': ['y----', [{ systemId: 'nobody' }, noLogin]],
  'refusal.list': ['yyy--'],
  'refusal.summary': ['yyy--'],
  'session.list': ['yyyyy', noAccount],
  'session.close': ['yy---', noAccount, [{ id: '42' }, /no session 42/], [{ systemId: 'nobody' }, noLogin]],
  'carrier.add': [
    'y----',
    [{ name: 'new', host: 'localhost', port: 1, systemId: 'us', password: '', costList: 'nobody' }, noList[1]],
  ],
  'carrier.list': ['yyyyy'],
  'carrier.show': ['yyyyy', noCarrier],
  'carrier.set': [
    'y----',
    [{ ...carrier, window: 5 }, noCarrier[1]],
    [{ carrier: 'known', costList: 'nobody' }, noList[1]],
  ],
  'carrier.test': ['yy---', noCarrier],
  'cdr.list': ['y--y-', noAccount, noCarrier],
  'cdr.check': ['y--y-', noAccount],
  'carrier.cost': ['y--y-', [{ ...carrier, from: '2026-01-01' }, noCarrier[1]]],
  'carrier.learned': ['yyyyy', noCarrier],
  'carrier.pause': ['yy---', noCarrier],
  'carrier.resume': ['yy---', noCarrier],
  'carrier.drain': ['yy---', noCarrier],
  'carrier.rebind': ['yy---', noCarrier],
  'carrier.remove': ['yy---', noCarrier],
  'route.add': [
    'yy---',
    [{ ...route, carrier: 'nobody' }, noCarrier[1]],
    [{ ...route, account: 'nobody' }, noAccount[1]],
  ],
  'route.set': [
    'yy---',
    [{ prefix: '49', rank: '2' }, /no route for prefix 49/],
    [{ prefix: '41', newCarrier: 'nobody' }, noCarrier[1]],
    [{ prefix: '41', newAccount: 'nobody' }, noAccount[1]],
  ],
  'route.list': ['yyyyy'],
  'route.remove': [
    'yy---',
    [{ prefix: '49' }, /no route for prefix 49/],
    [{ prefix: '41', account: 'nobody' }, noAccount[1]],
    [{ prefix: '41', carrier: 'nobody' }, /has no carrier named nobody/],
    [{ prefix: '41', sender: 'ACME' }, /no route for prefix 41, sender ACME/],
  ],
  'route.explain': ['yyyyy', [{ ...account, receiver: '+41791112233' }, noAccount[1]]],
  'price.list': ['y--y-'],
  'price.show': ['y--y-', noList, [{ list: 'default', version: 9 }, /no version 9 of a price list named default/]],
  'price.versions': ['y--y-', noList],
  'price.export': ['y--y-', noList],
  'price.set': ['y--y-', [{ list: 'nobody', prices: [{ prefix: '41', price: '1' }] }, noList[1]]],
  'price.withdraw': ['y--y-', [{ ...list, version: 1 }, noList[1]]],
  'price.base': ['y--y-', [{ ...list, base: 'default' }, noList[1]], [{ list: 'default', base: 'nobody' }, noList[1]]],
  'price.remove': ['y--y-', noList],
  'price.import': [
    'y--y-',
    [{ ...list, file: '41,1' }, noList[1]],
    [{ list: 'default', base: 'nobody', file: '41,1' }, noList[1]],
  ],
  'message.send': ['yy---', [{ ...account, ...message }, noAccount[1]]],
  'message.quote': ['yy---', [{ ...account, ...message }, noAccount[1]]],
  'message.show': ['yyy--', noMessage, [{ id: 'never' }, noMessage[1]]],
  'message.cancel': ['yy---', noMessage, [{ id: 'never' }, noMessage[1]]],
  'message.cancelMany': ['yy---', noAccount, noCarrier, [{ route: '49' }, /no route for prefix 49/]],
  'message.reroute': ['yy---', noMessage, [{ id: 'never' }, noMessage[1]]],
  'message.rerouteMany': ['yy---', noAccount, noCarrier, [{ route: '49' }, /no route for prefix 49/]],
  'message.inDoubt': ['yyy--', noCarrier],
  'message.settle': [
    'yy---',
    [{ ...noMessage[0], as: 'sent' }, noMessage[1]],
    [{ id: 'never', as: 'sent' }, noMessage[1]],
  ],
  'message.settleMany': ['yy---', ...[noAccount, noCarrier].map(([of, says]): Case => [{ ...of, as: 'sent' }, says])],
  'job.list': ['yyyyy'],
  'job.show': ['yyyyy', noJob],
  'job.stop': ['yy---', noJob],
  'message.find': ['yyy--', noAccount, noCarrier],
  'receipt.unmatched': ['yyy--', noCarrier],
  'receipt.show': ['yyy--', [{ id: '42' }, /no unmatched receipt 42/]],
  'number.add': ['yy---', [{ ...account, number: '+41791112233' }, noAccount[1]]],
  'number.set': [
    'yy---',
    [{ ...account, number: '+41791112233' }, noAccount[1]],
    [{ account: 'known', number: '8811' }, /there is no number 8811/],
  ],
  'number.list': ['yyyyy', noAccount],
  'number.remove': ['yy---', [{ number: '+41791112233' }, /there is no number/]],
  'keyword.add': [
    'yy---',
    [{ ...account, number: '8811', word: 'taxi' }, noAccount[1]],
    [{ account: 'known', number: '8811', word: 'taxi' }, /there is no number 8811/],
  ],
  'keyword.list': ['yyyyy', noAccount, [{ number: '8811' }, /no account has the number 8811/]],
  'keyword.remove': ['yy---', [{ number: '8811', word: 'taxi' }, /the number 8811 has no keyword taxi/]],
  'inbound.list': ['yyy--', noAccount],
  'inbound.show': ['yyy--', noMessage, [{ id: 'never' }, noMessage[1]]],
  'inbound.replay': [
    'yy---',
    [{ ...account, undelivered: true }, noAccount[1]],
    [{ ids: [noMessage[0].id] }, /no inbound message with the id 904907980800001/],
    [{ ids: ['never'] }, /no inbound message with the id never/],
  ],
  'webhook.add': ['y----', [{ ...account, url: 'https://example.com/' }, noAccount[1]]],
  'webhook.set': ['yy---', [{ ...noWebhook[0], concurrency: 5 }, noWebhook[1]]],
  'webhook.list': ['yyyyy', noAccount],
  'webhook.show': ['yyyyy', noWebhook],
  'webhook.test': ['yy---', noWebhook],
  'webhook.pause': ['yy---', noWebhook],
  'webhook.resume': ['yy---', noWebhook],
  'webhook.replay': ['yy---', [{ notification: '42' }, /no notification 42/], noAccount, noWebhook],
  'webhook.remove': ['yy---', noWebhook],
  'webhookSecret.add': ['y----', noWebhook],
  'webhookSecret.list': ['yyyyy', noWebhook],
  'webhookSecret.remove': ['y----', [{ ...noWebhook[0], secret: '7' }, noWebhook[1]]],
  'notification.list': ['yyy--', noAccount, noWebhook],
  'notification.show': ['yyy--', [{ notification: '42' }, /no notification 42/]],
  'event.listen': ['yy---', noAccount],
  'retention.list': ['yyyyy'],
  'encryptionKey.list': ['yyyyy'],
  'encryptionKey.rotate': ['y----', noAccount],
  'encryptionKey.rewrap': ['y----'],
  'privacy.erase': ['y----'],
  'privacy.list': ['y----'],
  'privacy.rebuild': ['y----'],
  'privacy.export': ['y----'],
  'optOut.list': ['yyy--', noAccount],
  'optOut.history': ['yyy--', noAccount],
  'optOut.add': ['yy---', [{ ...account, ...optOut }, noAccount[1]]],
  'optOut.import': ['yy---', [{ ...account, list: [optOut] }, noAccount[1]]],
  'optOut.remove': ['yy---', [{ ...account, ...optOut }, noAccount[1]]],
  'optOut.words': ['yyyyy', noAccount],
  'optOut.word': ['yy---', [{ ...account, word: 'enough', means: 'stop' }, noAccount[1]]],
  'optOut.set': ['yy---', [{ ...account, words: 'off' }, noAccount[1]]],
  'node.list': ['yyyyy'],
  'node.drain': ['yy---', noNode],
  'node.resume': ['yy---', noNode],
  'operator.add': ['y----'],
  'operator.set': ['y----', [{ operator: 'nobody', role: 'viewer' }, noOperator[1]]],
  'operator.list': ['y----'],
  'operator.show': ['y----', noOperator],
  'operator.remove': ['y----', noOperator],
  'operator.self': ['yyyyy'],
  'operator.signInLink': ['y----', noOperator],
  'operator.password': ['-----'],
  'operator.newCodes': ['-----'],
  'operator.codes': ['-----'],
  'operator.withoutCodes': ['y----', noOperator],
  'operatorKey.sessions': ['-----'],
  'operatorKey.end': ['-----'],
  'traffic.now': ['yyyyy'],
  'traffic.history': ['yyyyy'],
  'traffic.ofCarrier': ['yyyyy', noCarrier],
  'traffic.answers': ['yyyyy', noCarrier],
  'operatorKey.add': ['y----', noOperator],
  'operatorKey.list': ['y----', noOperator],
  'operatorKey.revoke': ['y----', [{ id: '0123456789ab' }, /no operator key with the id 0123456789ab/]],
  'audit.list': ['y----'],
  'audit.show': ['y----', [{ entry: '0-99' }, /there is no entry 0-99/]],
  'audit.verify': ['y----'],
  'gateway.status': ['yyyyy'],
  'gateway.confirmClock': ['yy---'],
  'gateway.resume': ['yy---'],
  'gateway.totals': ['y--y-'],
};

export const operationTable = Object.fromEntries(
  Object.entries<Row>(table).map(([name, [may, ...unknown]]) => [name, { may, unknown }]),
);
