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

const noAlarm: Case = [{ alarm: '42' }, /no alarm 42/];
const noWebhook: Case = [{ webhook: '42' }, /no webhook 42/];

interface Row {
  /** Which of owner, operator, support, finance and viewer may call it with a key: none if it is for sessions only. */
  readonly may: string;
  /** Requests that name something that does not exist, and their refusals. Undefined if the operation names nothing. */
  readonly unknown?: readonly Case[];
}

export const operationTable: { readonly [N in OperationName]: Row } = {
  'config.show': { may: 'y----' },
  'config.plan': { may: 'y----' },
  'config.apply': { may: 'y----' },
  'config.previous': { may: 'y----' },
  'account.add': { may: 'y----' },
  'account.list': { may: 'yyyyy' },
  'account.show': { may: 'yyyyy', unknown: [noAccount] },
  'account.set': { may: 'y----', unknown: [[{ ...account, dayCap: 5 }, noAccount[1]]] },
  'account.suspend': { may: 'yy---', unknown: [noAccount] },
  'account.resume': { may: 'yy---', unknown: [noAccount] },
  'account.remove': { may: 'y----', unknown: [noAccount] },
  'account.erase': { may: 'y----', unknown: [noAccount] },
  'account.callbackSecret': { may: 'y----', unknown: [noAccount] },
  'account.rules': { may: 'yyyyy', unknown: [noAccount] },
  'posting.topUp': { may: 'y--y-', unknown: [[{ ...account, amount: '1' }, noAccount[1]]] },
  'posting.adjust': { may: 'y--y-', unknown: [[{ ...account, amount: '1', reason: 'posted twice' }, noAccount[1]]] },
  'posting.statement': {
    may: 'y--y-',
    unknown: [[{ ...account, from: '2026-01-01', to: '2026-02-01' }, noAccount[1]]],
  },
  'posting.balance': { may: 'y--y-', unknown: [[{ ...account, at: '2026-01-01' }, noAccount[1]]] },
  'alarm.list': { may: 'yyyyy' },
  'alarm.show': { may: 'yyyyy', unknown: [noAlarm] },
  'alarm.kinds': { may: 'yyyyy' },
  'alarm.ack': { may: 'yy---', unknown: [noAlarm] },
  'alarm.set': { may: 'yy---' },
  'alarm.quiet': { may: 'yy---' },
  'alarmReceiver.set': {
    may: 'y----',
    unknown: [[{ receiver: 'nobody', severity: 'critical' }, /no receiver named nobody/]],
  },
  'alarmReceiver.list': { may: 'yyyyy' },
  'alarmReceiver.add': {
    may: 'y----',
    unknown: [
      [
        { receiver: 'phone', kind: 'sms', to: '+41791112233', sender: 'Morsel', account: 'nobody' },
        /no account named nobody/,
      ],
    ],
  },
  'alarmReceiver.test': { may: 'yy---', unknown: [[{ receiver: 'nobody' }, /no receiver named nobody/]] },
  'alarmReceiver.remove': { may: 'y----', unknown: [[{ receiver: 'nobody' }, /no receiver named nobody/]] },
  'ledger.check': { may: 'y--y-', unknown: [noAccount] },
  'token.add': { may: 'y----', unknown: [noAccount] },
  'token.list': { may: 'yyyyy', unknown: [noAccount] },
  'token.usage': { may: 'yyyyy', unknown: [noAccount] },
  'token.rotate': { may: 'y----', unknown: [noToken] },
  'token.revoke': { may: 'y----', unknown: [noToken] },
  'login.add': { may: 'y----', unknown: [noAccount] },
  'login.list': { may: 'yyyyy', unknown: [noAccount] },
  'login.set': { may: 'y----', unknown: [[{ systemId: 'nobody', from: 'any' }, noLogin]] },
  'login.remove': { may: 'y----', unknown: [[{ systemId: 'nobody' }, noLogin]] },
  'refusal.list': { may: 'yyy--' },
  'refusal.summary': { may: 'yyy--' },
  'session.list': { may: 'yyyyy', unknown: [noAccount] },
  'session.close': {
    may: 'yy---',
    unknown: [noAccount, [{ id: '42' }, /no session 42/], [{ systemId: 'nobody' }, noLogin]],
  },
  'carrier.add': {
    may: 'y----',
    unknown: [
      [{ name: 'new', host: 'localhost', port: 1, systemId: 'us', password: '', costList: 'nobody' }, noList[1]],
    ],
  },
  'carrier.list': { may: 'yyyyy' },
  'carrier.show': { may: 'yyyyy', unknown: [noCarrier] },
  'carrier.set': {
    may: 'y----',
    unknown: [
      [{ ...carrier, window: 5 }, noCarrier[1]],
      [{ carrier: 'known', costList: 'nobody' }, noList[1]],
    ],
  },
  'carrier.test': { may: 'yy---', unknown: [noCarrier] },
  'cdr.list': { may: 'y--y-', unknown: [noAccount, noCarrier] },
  'cdr.check': { may: 'y--y-', unknown: [noAccount] },
  'carrier.cost': { may: 'y--y-', unknown: [[{ ...carrier, from: '2026-01-01' }, noCarrier[1]]] },
  'carrier.learned': { may: 'yyyyy', unknown: [noCarrier] },
  'carrier.pause': { may: 'yy---', unknown: [noCarrier] },
  'carrier.resume': { may: 'yy---', unknown: [noCarrier] },
  'carrier.drain': { may: 'yy---', unknown: [noCarrier] },
  'carrier.rebind': { may: 'yy---', unknown: [noCarrier] },
  'carrier.remove': { may: 'yy---', unknown: [noCarrier] },
  'route.add': {
    may: 'yy---',
    unknown: [
      [{ ...route, carrier: 'nobody' }, noCarrier[1]],
      [{ ...route, account: 'nobody' }, noAccount[1]],
    ],
  },
  'route.set': {
    may: 'yy---',
    unknown: [
      [{ prefix: '49', rank: '2' }, /no route for prefix 49/],
      [{ prefix: '41', newCarrier: 'nobody' }, noCarrier[1]],
      [{ prefix: '41', newAccount: 'nobody' }, noAccount[1]],
    ],
  },
  'route.list': { may: 'yyyyy' },
  'route.remove': {
    may: 'yy---',
    unknown: [
      [{ prefix: '49' }, /no route for prefix 49/],
      [{ prefix: '41', account: 'nobody' }, noAccount[1]],
      [{ prefix: '41', carrier: 'nobody' }, /has no carrier named nobody/],
      [{ prefix: '41', sender: 'ACME' }, /no route for prefix 41, sender ACME/],
    ],
  },
  'route.explain': { may: 'yyyyy', unknown: [[{ ...account, receiver: '+41791112233' }, noAccount[1]]] },
  'price.list': { may: 'y--y-' },
  'price.show': {
    may: 'y--y-',
    unknown: [noList, [{ list: 'default', version: 9 }, /no version 9 of a price list named default/]],
  },
  'price.versions': { may: 'y--y-', unknown: [noList] },
  'price.export': { may: 'y--y-', unknown: [noList] },
  'price.set': { may: 'y--y-', unknown: [[{ list: 'nobody', prices: [{ prefix: '41', price: '1' }] }, noList[1]]] },
  'price.withdraw': { may: 'y--y-', unknown: [[{ ...list, version: 1 }, noList[1]]] },
  'price.base': {
    may: 'y--y-',
    unknown: [
      [{ ...list, base: 'default' }, noList[1]],
      [{ list: 'default', base: 'nobody' }, noList[1]],
    ],
  },
  'price.remove': { may: 'y--y-', unknown: [noList] },
  'price.import': {
    may: 'y--y-',
    unknown: [
      [{ ...list, file: '41,1' }, noList[1]],
      [{ list: 'default', base: 'nobody', file: '41,1' }, noList[1]],
    ],
  },
  'message.send': { may: 'yy---', unknown: [[{ ...account, ...message }, noAccount[1]]] },
  'message.quote': { may: 'yy---', unknown: [[{ ...account, ...message }, noAccount[1]]] },
  'message.show': { may: 'yyy--', unknown: [noMessage, [{ id: 'never' }, noMessage[1]]] },
  'message.cancel': { may: 'yy---', unknown: [noMessage, [{ id: 'never' }, noMessage[1]]] },
  'message.cancelMany': { may: 'yy---', unknown: [noAccount, noCarrier, [{ route: '49' }, /no route for prefix 49/]] },
  'message.reroute': {
    may: 'yy---',
    unknown: [noAccount, noCarrier, [{ route: '49' }, /no route for prefix 49/], noMessage],
  },
  'message.inDoubt': { may: 'yyy--', unknown: [noCarrier] },
  'message.settle': {
    may: 'yy---',
    unknown: [
      [{ ...noMessage[0], as: 'sent' }, noMessage[1]],
      [{ id: 'never', as: 'sent' }, noMessage[1]],
    ],
  },
  'message.find': { may: 'yyy--', unknown: [noAccount, noCarrier] },
  'receipt.unmatched': { may: 'yyy--', unknown: [noCarrier] },
  'receipt.show': { may: 'yyy--', unknown: [[{ id: '42' }, /no unmatched receipt 42/]] },
  'number.add': { may: 'yy---', unknown: [[{ ...account, number: '+41791112233' }, noAccount[1]]] },
  'number.set': {
    may: 'yy---',
    unknown: [
      [{ ...account, number: '+41791112233' }, noAccount[1]],
      [{ account: 'known', number: '8811' }, /there is no number 8811/],
    ],
  },
  'number.list': { may: 'yyyyy', unknown: [noAccount] },
  'number.remove': { may: 'yy---', unknown: [[{ number: '+41791112233' }, /there is no number/]] },
  'keyword.add': {
    may: 'yy---',
    unknown: [
      [{ ...account, number: '8811', word: 'taxi' }, noAccount[1]],
      [{ account: 'known', number: '8811', word: 'taxi' }, /there is no number 8811/],
    ],
  },
  'keyword.list': { may: 'yyyyy', unknown: [noAccount, [{ number: '8811' }, /no account has the number 8811/]] },
  'keyword.remove': {
    may: 'yy---',
    unknown: [[{ number: '8811', word: 'taxi' }, /the number 8811 has no keyword taxi/]],
  },
  'inbound.list': { may: 'yyy--', unknown: [noAccount] },
  'inbound.show': { may: 'yyy--', unknown: [noMessage, [{ id: 'never' }, noMessage[1]]] },
  'inbound.replay': {
    may: 'yy---',
    unknown: [
      [{ ...account, undelivered: true }, noAccount[1]],
      [{ ids: [noMessage[0].id] }, /no inbound message with the id 904907980800001/],
      [{ ids: ['never'] }, /no inbound message with the id never/],
    ],
  },
  'webhook.add': { may: 'y----', unknown: [[{ ...account, url: 'https://example.com/' }, noAccount[1]]] },
  'webhook.set': { may: 'yy---', unknown: [[{ ...noWebhook[0], concurrency: 5 }, noWebhook[1]]] },
  'webhook.list': { may: 'yyyyy', unknown: [noAccount] },
  'webhook.show': { may: 'yyyyy', unknown: [noWebhook] },
  'webhook.test': { may: 'yy---', unknown: [noWebhook] },
  'webhook.pause': { may: 'yy---', unknown: [noWebhook] },
  'webhook.resume': { may: 'yy---', unknown: [noWebhook] },
  'webhook.replay': { may: 'yy---', unknown: [[{ notification: '42' }, /no notification 42/], noAccount, noWebhook] },
  'webhook.remove': { may: 'yy---', unknown: [noWebhook] },
  'webhookSecret.add': { may: 'y----', unknown: [noWebhook] },
  'webhookSecret.list': { may: 'yyyyy', unknown: [noWebhook] },
  'webhookSecret.remove': { may: 'y----', unknown: [[{ ...noWebhook[0], secret: '7' }, noWebhook[1]]] },
  'notification.list': { may: 'yyy--', unknown: [noAccount, noWebhook] },
  'notification.show': { may: 'yyy--', unknown: [[{ notification: '42' }, /no notification 42/]] },
  'event.listen': { may: 'yy---', unknown: [noAccount] },
  'retention.list': { may: 'yyyyy' },
  'encryptionKey.list': { may: 'yyyyy' },
  'encryptionKey.rotate': { may: 'y----', unknown: [noAccount] },
  'encryptionKey.rewrap': { may: 'y----' },
  'privacy.erase': { may: 'y----' },
  'privacy.list': { may: 'y----' },
  'privacy.rebuild': { may: 'y----' },
  'privacy.export': { may: 'y----' },
  'optOut.list': { may: 'yyy--', unknown: [noAccount] },
  'optOut.history': { may: 'yyy--', unknown: [noAccount] },
  'optOut.add': { may: 'yy---', unknown: [[{ ...account, ...optOut }, noAccount[1]]] },
  'optOut.import': { may: 'yy---', unknown: [[{ ...account, list: [optOut] }, noAccount[1]]] },
  'optOut.remove': { may: 'yy---', unknown: [[{ ...account, ...optOut }, noAccount[1]]] },
  'optOut.words': { may: 'yyyyy', unknown: [noAccount] },
  'optOut.word': { may: 'yy---', unknown: [[{ ...account, word: 'enough', means: 'stop' }, noAccount[1]]] },
  'optOut.set': { may: 'yy---', unknown: [[{ ...account, words: 'off' }, noAccount[1]]] },
  'node.list': { may: 'yyyyy' },
  'node.drain': { may: 'yy---', unknown: [noNode] },
  'node.resume': { may: 'yy---', unknown: [noNode] },
  'operator.add': { may: 'y----' },
  'operator.set': { may: 'y----', unknown: [[{ operator: 'nobody', role: 'viewer' }, noOperator[1]]] },
  'operator.list': { may: 'y----' },
  'operator.show': { may: 'y----', unknown: [noOperator] },
  'operator.remove': { may: 'y----', unknown: [noOperator] },
  'operator.self': { may: 'yyyyy' },
  'operator.signInLink': { may: 'y----', unknown: [noOperator] },
  'operator.password': { may: '-----' },
  'operator.newCodes': { may: '-----' },
  'operator.codes': { may: '-----' },
  'operator.withoutCodes': { may: 'y----', unknown: [noOperator] },
  'operatorKey.sessions': { may: '-----' },
  'operatorKey.end': { may: '-----' },
  'traffic.now': { may: 'yyyyy' },
  'traffic.history': { may: 'yyyyy' },
  'traffic.ofCarrier': { may: 'yyyyy', unknown: [noCarrier] },
  'traffic.answers': { may: 'yyyyy', unknown: [noCarrier] },
  'operatorKey.add': { may: 'y----', unknown: [noOperator] },
  'operatorKey.list': { may: 'y----', unknown: [noOperator] },
  'operatorKey.revoke': {
    may: 'y----',
    unknown: [[{ id: '0123456789ab' }, /no operator key with the id 0123456789ab/]],
  },
  'audit.list': { may: 'y----' },
  'audit.show': { may: 'y----', unknown: [[{ entry: '0-99' }, /there is no entry 0-99/]] },
  'audit.verify': { may: 'y----' },
  'gateway.status': { may: 'yyyyy' },
  'gateway.confirmClock': { may: 'yy---' },
  'gateway.resume': { may: 'yy---' },
  'gateway.totals': { may: 'y--y-' },
};
