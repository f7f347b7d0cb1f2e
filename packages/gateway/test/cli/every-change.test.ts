/*
 * Every declared change, made once by its command: it succeeds, prints its answer as JSON with the declared fields, and
 * has one entry in the audit log, with actor and reason. A refused change has none (edge/admin/odd-values.test.ts).
 */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { hourMs } from '@morsel/api/values/time.ts';
import { everyWaiting } from '../../src/store/views/message/waiting.ts';
import { declared } from '../support/gateway/declared.ts';
import { done } from '../support/done.ts';
import { toJson, type Json } from '../support/json.ts';
import { runMorsel } from '../support/gateway/run-morsel.ts';
import { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { operate } from '../support/store/operate.ts';
import { Tour } from '../support/gateway/tour.ts';
import { WebhookEar } from '../support/clients/webhook-ear.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Operations that only a session may call, or that need one: edge/admin/console/sign-in.test.ts. */
const ofSessions = ['operator.password', 'operator.codes', 'operator.withoutCodes', 'operatorKey.end'];

const to = '--account every --sender Shop --receiver +41791230001 --text Hello';
const later = `${to} --send-at {later}`;

/**
 * The operations of a command and the command's words, in an order that works. `{token.add.id}` is the id in the answer
 * of that operation, a word in capitals is a file, and another `{…}` is a value that the test knows before.
 */
const changes: readonly (readonly [operations: string, words: string])[] = [
  ['job.stop', 'job stop {job}'],
  ['account.add', 'account add every --currency EUR --balance 50'],
  ['account.set', 'account set every --day-cap 5'],
  ['account.callbackSecret', 'account callback-secret every'],
  ['account.suspend', 'account suspend every'],
  ['account.resume', 'account resume every'],
  ['posting.topUp', 'account top-up every 1'],
  ['posting.adjust', 'account adjust every --amount 1'],
  ['token.add', 'token add every'],
  ['token.rotate', 'token rotate {token.add.id}'],
  ['token.revoke', 'token revoke {token.add.id}'],
  ['login.add', 'smpp-login add every --system-id every'],
  ['login.set', 'smpp-login set every --password-file PASSWORD'],
  ['session.close', 'session close --account every'],
  ['login.remove', 'smpp-login remove every'],
  ['carrier.add', 'carrier add every --host 127.0.0.1 --port 1 --system-id us --password-file PASSWORD'],
  ['carrier.set', 'carrier set every --window 5'],
  ['carrier.pause', 'carrier pause every'],
  ['carrier.drain', 'carrier drain every'],
  ['carrier.resume', 'carrier resume every'],
  ['carrier.rebind', 'carrier rebind alpha'],
  ['carrier.test', 'carrier test alpha'],
  ['route.add', 'route add --prefix 43 --carrier every'],
  ['route.set', 'route set --prefix 43 --weight 2'],
  ['changeSet.add', 'change-set add every CHANGES'],
  ['changeSet.apply route.set', 'change-set apply every --yes'],
  ['changeSet.undo', 'change-set undo every'],
  ['changeSet.remove', 'change-set remove every'],
  ['route.remove', 'route remove --prefix 43'],
  ['price.set', 'price set --list every --currency EUR --prefix 41 --price 0.01'],
  ['price.import', 'price import PRICES --list every --yes'],
  ['price.set', 'price set --list every --prefix 41 --price 0.0102 --effective 2099-01-01'],
  ['price.withdraw', 'price withdraw every --version 3'],
  ['price.base', 'price base every --base default'],
  ['price.remove', 'price remove --list every --all --yes'],
  ['message.send', `send ${to}`],
  ['message.send', `send ${later}`],
  ['message.cancel', 'message cancel {message.send.msgId}'],
  ['message.send', `send ${later}`],
  ['message.cancelMany', 'message cancel --account every --yes'],
  ['carrier.pause', 'carrier pause alpha'],
  ['message.send', `send ${to}`],
  ['message.rerouteMany', 'message reroute --account every --yes'],
  ['message.reroute', 'message reroute {message.send.msgId}'],
  ['carrier.resume', 'carrier resume alpha'],
  ['message.settle', 'message settle {doubt} --as sent'],
  ['message.settleMany', 'message settle --as sent --all --yes'],
  ['number.add', 'number add 8811 --shared'],
  ['keyword.add', 'keyword add 8811 taxi --account every'],
  ['keyword.remove', 'keyword remove 8811 taxi'],
  ['number.set', 'number set 8811 --account every'],
  ['inbound.replay', 'inbound replay --account every --undelivered'],
  ['number.remove', 'number remove 8811'],
  ['webhook.add', 'webhook add every {ear} --allow 127.0.0.1'],
  ['webhook.set', 'webhook set {webhook.add.id} --concurrency 5'],
  ['webhook.test', 'webhook test {webhook.add.id}'],
  ['webhook.pause', 'webhook pause {webhook.add.id}'],
  ['webhook.resume', 'webhook resume {webhook.add.id}'],
  ['webhookSecret.add', 'webhook secret add {webhook.add.id}'],
  ['webhookSecret.remove', 'webhook secret remove {webhook.add.id} 1'],
  ['webhook.replay', 'webhook replay --account every'],
  ['webhook.remove', 'webhook remove {webhook.add.id}'],
  ['optOut.add', 'optout add --account every --receiver +41791230009'],
  ['optOut.remove', 'optout remove --account every --receiver +41791230009'],
  ['optOut.import', 'optout import LIST --account every'],
  ['optOut.word', 'optout word enough --account every --means stop'],
  ['optOut.set', 'optout set --account every --words off'],
  ['alarm.quiet', 'alarm quiet carrier-down --until 2099-01-01'],
  ['alarm.set', 'alarm set queue-old --threshold 700'],
  ['alarm.ack', 'alarm ack 1'],
  ['alarmReceiver.add', 'alarm receiver add every --kind webhook --to {ear} --allow 127.0.0.1'],
  ['alarmReceiver.set', 'alarm receiver set every --severity critical'],
  ['alarmReceiver.test', 'alarm receiver test every'],
  ['alarmReceiver.remove', 'alarm receiver remove every'],
  ['encryptionKey.rotate', 'encryption-key rotate --account every'],
  ['encryptionKey.rewrap', 'encryption-key rewrap'],
  ['privacy.erase', 'privacy erase --receiver +41791230099 --yes'],
  ['privacy.rebuild', 'privacy rebuild --yes'],
  ['operator.add', 'operator add every --role viewer'],
  ['operator.set', 'operator set every --role support'],
  ['operator.signInLink', 'operator sign-in-link every'],
  ['operatorKey.add', 'operator-key add every'],
  ['operatorKey.revoke', 'operator-key revoke {operatorKey.add.id}'],
  ['operator.remove', 'operator remove every'],
  ['config.apply carrier.set', 'config apply SETTINGS --yes'],
  ['gateway.confirmClock', 'clock confirm'],
  ['carrier.remove', 'carrier remove every'],
  ['account.add', 'account add slip --currency EUR'],
  ['account.remove', 'account remove slip'],
  ['account.suspend', 'account suspend every'],
  ['account.erase', 'account erase every --yes'],
];

/** Changes that need a gateway in another state: with several nodes, or held. */
const elsewhere = [...ofSessions, 'node.drain', 'node.resume', 'gateway.resume'];

describe('every change by its command', () => {
  const ending = new AsyncDisposableStack();
  const known = new Map<string, string>();
  let tour: Tour;

  before(async () => {
    const carrier = ending.use(await ScriptedCarrier.open());
    const ear = ending.use(await WebhookEar.open());
    tour = ending.use(
      await Tour.open({
        carriers: [
          { name: 'alpha', prefix: '41' },
          { name: 'phones', prefix: '49', port: carrier.port, inDoubt: 'hold' },
        ],
      }),
    );
    const files = {
      PASSWORD: 'Right-1\n',
      PRICES: 'prefix,price\n41,0.0101\n',
      LIST: '+41791230055\n',
      CHANGES: 'routes:\n  - { prefix: "43", carrier: every, weight: 3 }\n',
      SETTINGS: 'carriers:\n  - name: alpha\n    window: 21\n',
    };
    for (const [file, text] of Object.entries(files)) writeFileSync(join(tour.dataDir, file), text);
    known.set('ear', ear.url);
    known.set('later', new Date(tour.clock.now() + hourMs).toISOString());
    await inDoubt(tour, carrier, 2);
    const [first] = done(await tour.operator.message.inDoubt({})).items;
    known.set('doubt', String(first?.msgId));
    const { journal, clock } = tour.gateway.operator;
    const made = { reason: 'asked', given: '{}', rows: 2, filter: everyWaiting };
    const starts = operate('message.cancelMany', { all: true }, { at: clock.now(), made });
    known.set('job', String(Object(done(await journal.append(starts)))['job']));
    const about = { kind: 'queue-old', subject: 'alpha', evidence: '9 parts wait', help: 'morsel status' } as const;
    const opens = [{ ...about, receivers: [] }];
    done(await journal.append<'turn-alarms'>({ kind: 'turn-alarms', at: clock.now(), opens, later: [], closes: [] }));
  });
  after(() => ending.disposeAsync());

  const newest = async (limit = 10) => done(await tour.operator.audit.list({ limit })).items;

  it('is in the table of this test', () => {
    const named = new Set(changes.flatMap(([operations]) => operations.split(' ')));
    const missing = declared.filter(({ name, operation }) => operation.isChange && !named.has(name));
    assert.deepEqual(missing.map(({ name }) => name).toSorted(), elsewhere.toSorted());
  });

  for (const [operations, line] of changes) {
    it(`morsel ${line}`, async () => {
      const [last] = await newest(1);
      const words = line.split(' ').map((word) => (/^[A-Z]{4,}$/.test(word) ? join(tour.dataDir, word) : filled(word)));
      const said = ['--actor', 'jane', '--reason', 'it is asked'];
      const { status, out, errors } = await runMorsel([...words, ...said, '--json'], { dataDir: tour.dataDir });
      assert.deepEqual([status, errors], [0, ''], errors);
      const entries = await newest();
      const since = entries.slice(
        0,
        entries.findIndex(({ entry }) => entry === last?.entry),
      );
      assert.deepEqual(since.map(({ operation }) => operation).toReversed(), operations.split(' '));
      for (const { operator, reason } of since) assert.deepEqual([operator, reason], ['jane', 'it is asked']);
      remember(operations, toJson(JSON.parse(out)));
    });
  }

  function filled(word: string): string {
    return word.replace(/\{(.*)\}/, (_, name: string) => known.get(name) ?? assert.fail(name));
  }

  function remember(operation: string, answer: Json): void {
    for (const [field, value] of Object.entries(answer)) known.set(`${operation}.${field}`, String(value));
  }
});

/** Makes messages in doubt, which the carrier has and does not answer. */
async function inDoubt(tour: Tour, carrier: ScriptedCarrier, count: number): Promise<void> {
  for (let at = 0; at < count; at++) await tour.accept({ receiver: '+4915112345678', text: `Did it come? ${at}` });
  const { session } = await carrier.submit(count - 1);
  session.destroy();
  const doubts = async () => done(await tour.operator.message.inDoubt({})).items.length === count;
  await waitUntil('the parts are in doubt', doubts);
}
