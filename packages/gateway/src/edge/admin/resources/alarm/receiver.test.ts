import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { gateway, watchOf } from '../../../../../test/support/gateway/admin-api.ts';
import { done } from '../../../../../test/support/done.ts';
import { listenAnywhere } from '../../../../../test/support/listen.ts';
import { notifyReceiver } from '../../../alarm/notify-receiver.ts';
import { operatorCalls } from '../../handlers.ts';
import { receiversMax } from '../../../../state/decide/alarm/receiver.ts';
import { testNotice } from './receiver.ts';

const nowhere = 'http://127.0.0.1:2';
const here = '127.0.0.0/8';
const soon = '2099-01-01T00:00:00Z';
const over = '2026-01-01T00:00:00Z';

function about(kind: 'queue-old' | 'carrier-down', subject: string) {
  return { kind, subject, evidence: 'many', help: 'morsel status', receivers: ['night'] } as const;
}

it('a receiver is notified of an open alarm after the quiet time, and a new receiver at once', async () => {
  const { account, alarm, alarmReceiver, posting } = operatorCalls(gateway.operator);
  const watch = watchOf();
  done(await alarm.set({ kind: 'disk-low', watched: 'no' }));
  done(await alarmReceiver.add({ receiver: 'hook', kind: 'webhook', to: nowhere, allow: here }));
  done(await alarm.quiet({ kind: 'low-balance', until: soon }));
  done(await account.add({ name: 'acme', currency: 'EUR', balance: '60', lowBalance: '50' }));
  done(await posting.adjust({ account: 'acme', amount: '-20', reason: 'a letter' }));
  const notified = async () => {
    await watch.look();
    const [open] = done(await alarm.list({})).items;
    assert.ok(open);
    const state = await gateway.operator.reader.ask('alarmState', gateway.operator.clock.now());
    assert.ok(state.ok);
    return state.value.notified.map(({ receiver }) => receiver).toSorted();
  };
  assert.deepEqual(await notified(), [], 'it is quiet');
  done(await alarm.quiet({ kind: 'low-balance', until: over }));
  assert.deepEqual(await notified(), ['hook']);
  done(await alarmReceiver.add({ receiver: 'chat', kind: 'webhook', to: nowhere, allow: here }));
  assert.deepEqual(await notified(), ['chat', 'hook']);
  assert.deepEqual(await notified(), ['chat', 'hook'], 'once');
});

it('warnings that wait in quiet hours delay no critical alarm, and no alarm waits for a removed receiver', async () => {
  const { operator } = gateway;
  const { alarmReceiver } = operatorCalls(operator);
  // The gateway sends notifications itself, too, but nothing answers at this address.
  const address = { kind: 'webhook', to: nowhere, allow: here } as const;
  done(await alarmReceiver.add({ receiver: 'night', ...address, quiet: '00:00-23:59' }));
  const at = Date.parse('2026-01-31T12:00:00Z');
  const opens = [
    ...Array.from({ length: 30 }, (_, index) => about('queue-old', `c${index}`)),
    about('carrier-down', 'c'),
  ];
  done(await operator.journal.append<'turn-alarms'>({ kind: 'turn-alarms', at, opens, later: [], closes: [] }));
  const due = async () => {
    const found = await operator.reader.ask('dueNotices', at);
    assert.ok(found.ok);
    return found.value.find(({ to }) => to.name === 'night')?.notices.map(({ subject }) => subject) ?? [];
  };
  assert.deepEqual(await due(), ['c']);
  const set = done(await alarmReceiver.set({ receiver: 'night', quiet: null }));
  assert.deepEqual([set.quiet, set.severity, set.timeZone], [null, 'warning', 'UTC']);
  assert.equal((await due()).length, 31);
  done(await alarmReceiver.remove({ receiver: 'night' }));
  done(await alarmReceiver.add({ receiver: 'night', ...address }));
  assert.deepEqual(await due(), []);
});

it('there are no more receivers than allowed, also when many are added at once', async () => {
  const { alarmReceiver } = operatorCalls(gateway.operator);
  const names = Array.from({ length: receiversMax + 10 }, (_, index) => `many-${index}`);
  const place = { kind: 'heartbeat', to: nowhere, allow: here } as const;
  const added = await Promise.all(names.map((receiver) => alarmReceiver.add({ receiver, ...place })));
  assert.equal(done(await alarmReceiver.list({})).items.length, receiversMax);
  for (const [index, { ok }] of added.entries())
    if (ok) done(await alarmReceiver.remove({ receiver: `many-${index}` }));
});

it('a mail server with a certificate of its own gets mails, but no password', async () => {
  const { alarmReceiver } = operatorCalls(gateway.operator);
  let secure: boolean | undefined;
  const server = new SMTPServer({
    authOptional: true,
    onData: (stream, session, taken) => {
      ({ secure } = session);
      stream.on('end', () => taken());
      stream.resume();
    },
  });
  const port = await listenAnywhere(server.server);
  const mail = {
    kind: 'email',
    to: 'a@example.com',
    sender: 'b@example.com',
    server: `smtp://127.0.0.1:${port}`,
    allow: here,
  } as const;
  done(await alarmReceiver.add({ receiver: 'mail', ...mail }));
  assert.equal(done(await alarmReceiver.test({ receiver: 'mail' })).outcome, 'the mail server took the mail');
  assert.equal(secure, true, 'over TLS');
  done(await alarmReceiver.add({ receiver: 'known', ...mail, user: 'us', secret: 'open' }));
  const refusal = await alarmReceiver.test({ receiver: 'known' });
  assert.match(JSON.stringify(refusal), /did not take the mail: E/);
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

it('a step of the clock opens an alarm, which closes when the clock is right again', async () => {
  const { operator } = gateway;
  const { alarm } = operatorCalls(operator);
  let stepMs = 3_600_000;
  const watch = watchOf(() => operator.clock.now() + stepMs);
  const open = async () => {
    await watch.look();
    return done(await alarm.list({})).items.flatMap(({ kind, evidence }) => (kind === 'clock-wrong' ? [evidence] : []));
  };
  const [evidence, ...others] = await open();
  assert.match(evidence ?? '', /^the clock of the machine was set 1 h ahead while the gateway ran/);
  assert.deepEqual(others, []);
  stepMs = 0;
  assert.deepEqual(await open(), []);
});

/** Of each kind one; `core/notification/webhook-url.test.ts` has all forms of internal addresses. */
const inside = [
  [{ kind: 'webhook', to: 'http://127.0.0.1/alarms' }, 'to'],
  [{ kind: 'alertmanager', to: 'https://localhost:9093' }, 'to'],
  [{ kind: 'heartbeat', to: 'https://127.0.0.1/ping' }, 'to'],
  [{ kind: 'email', to: 'a@example.com', sender: 'b@example.com', server: 'smtp://localhost' }, 'server'],
] as const;

for (const [place, field] of inside) {
  it(`a receiver of the kind ${place.kind} at an internal address is refused, unless an owner allows it`, async () => {
    const { alarmReceiver } = operatorCalls(gateway.operator);
    const receiver = `inside-${place.kind}`;
    const refusal = await alarmReceiver.add({ receiver, ...place });
    assert.ok(!refusal.ok && refusal.error.code === 'invalid_parameter' && refusal.error.field === field);
    assert.match(refusal.error.detail, /it leads to .* which is .*--allow/);
    done(await alarmReceiver.add({ receiver, ...place, allow: '127.0.0.1' }));
    assert.equal((await alarmReceiver.set({ receiver, allow: '' })).ok, false, 'it would lead to nothing');
    done(await alarmReceiver.remove({ receiver }));
  });
}

/** Name servers that resolve each name to an internal address. */
const lookup = async () => ['10.0.0.8'];

it('a name with an internal address is refused before the gateway connects to the receiver', async () => {
  const { operator } = gateway;
  const receiver = { name: 'x', user: null, sender: 'b@example.com', account: null, secret: null, allow: [] };
  for (const place of [
    { kind: 'webhook', to: 'http://example.com/alarms', server: null },
    { kind: 'alertmanager', to: 'http://example.com', server: null },
    { kind: 'heartbeat', to: 'http://example.com/ping', server: null },
    { kind: 'email', to: 'a@example.com', server: 'smtp://example.com' },
  ] as const) {
    const result = await notifyReceiver({ ...operator, lookup }, { ...receiver, ...place }, [testNotice(0)]);
    assert.match(result.detail, /the host name example\.com has the address 10\.0\.0\.8, which is private/);
    assert.equal(result.isTaken, false);
  }
});
