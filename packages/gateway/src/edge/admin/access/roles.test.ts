import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { adminBase } from '@morsel/api/admin/client.ts';
import { resources } from '@morsel/api/admin/resources.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { call, gateway } from '../../../../test/support/admin-api.ts';
import { addOperator } from '../../../../test/support/operators.ts';
import { mayCall, roles } from '@morsel/api/admin/access/role.ts';

/*
 * Which role may call which operation, each cell asked over HTTP. A new operation needs a row here: its letters stand for owner,
 * operator, support, finance and viewer. No key may call what is for sessions only. The requests name nothing that exists, so that an allowed call does no work.
 */
const table: { readonly [operation: string]: string } = {
  'config.show': 'y----',
  'config.plan': 'y----',
  'config.apply': 'y----',
  'config.previous': 'y----',
  'account.add': 'y----',
  'account.list': 'yyyyy',
  'account.show': 'yyyyy',
  'account.set': 'y----',
  'account.suspend': 'yy---',
  'account.resume': 'yy---',
  'account.remove': 'y----',
  'account.erase': 'y----',
  'account.rules': 'yyyyy',
  'posting.topUp': 'y--y-',
  'posting.adjust': 'y--y-',
  'posting.statement': 'y--y-',
  'posting.balance': 'y--y-',
  'alarm.list': 'yyyyy',
  'alarm.show': 'yyyyy',
  'alarm.kinds': 'yyyyy',
  'alarm.ack': 'yy---',
  'alarm.set': 'yy---',
  'alarm.quiet': 'yy---',
  'alarmReceiver.set': 'y----',
  'alarmReceiver.list': 'yyyyy',
  'alarmReceiver.add': 'y----',
  'alarmReceiver.test': 'yy---',
  'alarmReceiver.remove': 'y----',
  'ledger.check': 'y--y-',
  'token.add': 'y----',
  'token.list': 'yyyyy',
  'token.usage': 'yyyyy',
  'token.rotate': 'y----',
  'token.revoke': 'y----',
  'login.add': 'y----',
  'login.list': 'yyyyy',
  'login.set': 'y----',
  'login.remove': 'y----',
  'refusal.list': 'yyy--',
  'refusal.summary': 'yyy--',
  'session.list': 'yyyyy',
  'session.close': 'yy---',
  'carrier.add': 'y----',
  'carrier.list': 'yyyyy',
  'carrier.show': 'yyyyy',
  'carrier.set': 'y----',
  'carrier.test': 'yy---',
  'cdr.list': 'y--y-',
  'cdr.check': 'y--y-',
  'carrier.cost': 'y--y-',
  'carrier.learned': 'yyyyy',
  'carrier.pause': 'yy---',
  'carrier.resume': 'yy---',
  'carrier.drain': 'yy---',
  'carrier.rebind': 'yy---',
  'carrier.remove': 'yy---',
  'route.add': 'yy---',
  'route.set': 'yy---',
  'route.list': 'yyyyy',
  'route.remove': 'yy---',
  'route.explain': 'yyyyy',
  'price.list': 'y--y-',
  'price.show': 'y--y-',
  'price.versions': 'y--y-',
  'price.export': 'y--y-',
  'price.set': 'y--y-',
  'price.withdraw': 'y--y-',
  'price.base': 'y--y-',
  'price.remove': 'y--y-',
  'price.import': 'y--y-',
  'message.send': 'yy---',
  'message.quote': 'yy---',
  'message.show': 'yyy--',
  'message.cancel': 'yy---',
  'message.cancelMany': 'yy---',
  'message.reroute': 'yy---',
  'message.inDoubt': 'yyy--',
  'message.settle': 'yy---',
  'message.find': 'yyy--',
  'receipt.unmatched': 'yyy--',
  'receipt.show': 'yyy--',
  'number.add': 'yy---',
  'number.set': 'yy---',
  'number.list': 'yyyyy',
  'number.remove': 'yy---',
  'keyword.add': 'yy---',
  'keyword.list': 'yyyyy',
  'keyword.remove': 'yy---',
  'inbound.list': 'yyy--',
  'inbound.show': 'yyy--',
  'inbound.replay': 'yy---',
  'webhook.add': 'y----',
  'webhook.set': 'yy---',
  'webhook.list': 'yyyyy',
  'webhook.show': 'yyyyy',
  'webhook.test': 'yy---',
  'webhook.pause': 'yy---',
  'webhook.resume': 'yy---',
  'webhook.replay': 'yy---',
  'webhook.remove': 'yy---',
  'webhookSecret.add': 'y----',
  'webhookSecret.list': 'yyyyy',
  'webhookSecret.remove': 'y----',
  'notification.list': 'yyy--',
  'notification.show': 'yyy--',
  'event.listen': 'yy---',
  'retention.list': 'yyyyy',
  'encryptionKey.list': 'yyyyy',
  'encryptionKey.rotate': 'y----',
  'encryptionKey.rewrap': 'y----',
  'privacy.erase': 'y----',
  'privacy.list': 'y----',
  'privacy.rebuild': 'y----',
  'privacy.export': 'y----',
  'optOut.list': 'yyy--',
  'optOut.history': 'yyy--',
  'optOut.add': 'yy---',
  'optOut.import': 'yy---',
  'optOut.remove': 'yy---',
  'optOut.words': 'yyyyy',
  'optOut.word': 'yy---',
  'optOut.set': 'yy---',
  'node.list': 'yyyyy',
  'node.drain': 'yy---',
  'node.resume': 'yy---',
  'operator.add': 'y----',
  'operator.set': 'y----',
  'operator.list': 'y----',
  'operator.show': 'y----',
  'operator.remove': 'y----',
  'operator.self': 'yyyyy',
  'operator.signInLink': 'y----',
  'operator.password': '-----',
  'operator.newCodes': '-----',
  'operator.codes': '-----',
  'operator.withoutCodes': 'y----',
  'operatorKey.sessions': '-----',
  'operatorKey.end': '-----',
  'traffic.now': 'yyyyy',
  'traffic.history': 'yyyyy',
  'traffic.ofCarrier': 'yyyyy',
  'traffic.answers': 'yyyyy',
  'operatorKey.add': 'y----',
  'operatorKey.list': 'y----',
  'operatorKey.revoke': 'y----',
  'audit.list': 'y----',
  'audit.show': 'y----',
  'audit.verify': 'y----',
  'gateway.status': 'yyyyy',
  'gateway.confirmClock': 'yy---',
  'gateway.resume': 'yy---',
  'gateway.totals': 'y--y-',
};

const operations = new Map(
  Object.entries(resources).flatMap(([name, { operations: all }]) =>
    Object.entries<Operation>(all).map(([verb, operation]) => [`${name}.${verb}`, operation] as const),
  ),
);

describe('each role may call its operations and no others', () => {
  const keys = new Map<string, string>();
  before(async () => {
    for (const role of roles) keys.set(role, (await addOperator(gateway, role)).key);
  });

  it('the table has a row for each operation', () => {
    assert.deepEqual(Object.keys(table).toSorted(), [...operations.keys()].toSorted());
  });

  for (const [at, role] of roles.entries()) {
    it(role, async () => {
      const headers = { authorization: `Bearer ${keys.get(role)}` };
      const answers = [...operations].map(async ([operation, { method, path, isForSessions }]) => {
        const { status, text } = await call(method, `${adminBase}${path.replaceAll(/\{\w+\}/g, '1')}`, { headers });
        assert.notEqual(status, 401);
        const why = isForSessions ? /only a session/ : new RegExp(`this needs the role \\w+, and operator ${role} has`);
        if (status === 403) assert.match(text, why);
        return [operation, status === 403 ? '-' : 'y'];
      });
      const wanted = Object.entries(table).map(([operation, cells]) => [operation, cells[at]]);
      assert.deepEqual(Object.fromEntries(await Promise.all(answers)), Object.fromEntries(wanted));
    });
  }
});

/**
 * What the role operator may change although only an owner may add it: it decides what a destination gets, not where it is.
 * `account` selects the dead letters that are replayed.
 */
const open: { readonly [resource: string]: readonly string[] } = {
  webhook: ['account', 'method', 'on', 'concurrency', 'number', 'prefix', 'keyword', 'fields', 'constants', 'template'],
};

const settings = ({ input, keys }: Operation) => Object.keys(input).filter((each) => !keys.includes(each));

describe('a field that only an owner may set', () => {
  for (const [name, { operations: all }] of Object.entries(resources)) {
    it(`of ${name}, only an owner may change`, () => {
      const changes = Object.values<Operation>(all).filter(({ isChange }) => isChange);
      const ofOwner = new Set(changes.filter(({ role }) => role === 'owner').flatMap(settings));
      const others = changes.filter(({ role }) => role !== 'owner');
      const left = others.flatMap((each) =>
        settings(each).filter((field) => ofOwner.has(field) && each.input[field]?.about.role !== 'owner'),
      );
      assert.deepEqual(left.toSorted(), (open[name] ?? []).toSorted());
    });
  }

  it('is refused to each other role that may call the operation', async () => {
    const fields = [...operations.values()].flatMap((operation) =>
      Object.entries(operation.input).flatMap(([field, { about }]) =>
        about.role === undefined ? [] : [{ ...operation, field, needs: about.role }],
      ),
    );
    assert.ok(fields.some(({ role, needs }) => role !== needs));
    for (const role of roles) {
      const { key } = await addOperator(gateway, role, `${role}-of-fields`);
      const headers = { authorization: `Bearer ${key}` };
      for (const { method, path, field, needs, ...operation } of fields) {
        if (!mayCall(role, operation.role)) continue;
        const body = JSON.stringify({ [field]: 'x' });
        const { status, text } = await call(method, `${adminBase}${path.replaceAll(/\{\w+\}/g, '1')}`, {
          body,
          headers,
        });
        assert.equal(status === 403, !mayCall(role, needs), `${method} ${path} ${field} ${role}`);
        if (status === 403)
          assert.match(text, new RegExp(`only the role ${needs} may set ${field}, and operator ${role}`));
      }
    }
  });
});
