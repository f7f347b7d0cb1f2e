import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { alarmKindNames } from '@morsel/api/admin/alarm/kinds.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import type { Gateway } from '../../src/app.ts';
import { findingsOf } from '../../src/core/alarm/findings.ts';
import type { AlarmFigures } from '../../src/core/alarm/figures.ts';
import { testCa } from '../support/clients/bad-receivers.ts';
import { done } from '../support/done.ts';
import { bound, folder, morsel, served } from '../support/gateway/morsel.ts';
import { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { WebhookEar } from '../support/clients/webhook-ear.ts';

let gateway: Gateway;
let alpha: ScriptedCarrier;
const accounts = ['acme', 'shop', 'taxi'];

before(async () => {
  gateway = await served();
  alpha = await ScriptedCarrier.open();
  const ports = { alpha: alpha.port, beta: alpha.port, dead: 1 };
  for (const [name, port] of Object.entries(ports))
    await printed('carrier', 'add', name, ...`--host 127.0.0.1 --port ${port} --system-id us --password x`.split(' '));
  await bound('alpha');
  await printed('carrier', 'pause', 'beta');
  await printed('route', 'add', '--prefix', '41', '--carrier', 'alpha');
  for (const name of accounts) await printed('account', 'add', name, '--currency', 'EUR');
  await printed('webhook', 'add', 'acme', 'http://127.0.0.1:8009/', '--on', 'receipt', '--allow', '127.0.0.1');
});

after(async () => {
  await gateway.stop();
  await alpha.close();
});

async function printed(...words: readonly string[]): Promise<string> {
  const { status, out, errors } = await morsel(words);
  assert.equal(status, 0, `${words.join(' ')}: ${errors}`);
  return out;
}

it('alarm list shows the subject, and alarm show the notifications as a table', async () => {
  const { journal, clock } = gateway.operator;
  const about = { kind: 'queue-old', subject: 'alpha', evidence: '9 parts wait', help: 'morsel status' } as const;
  const opens = [{ ...about, receivers: ['night', 'day'] }];
  const turn = { kind: 'turn-alarms', at: clock.now(), opens, later: [], closes: [] } as const;
  done(await journal.append<'turn-alarms'>(turn));
  assert.match(await printed('alarm', 'list'), /KIND +SUBJECT +EVIDENCE[^]+queue-old +alpha +9 parts wait/);
  const shown = await printed('alarm', 'show', '1');
  assert.match(shown, /^subject +alpha$/m);
  assert.match(shown, /^RECEIVER +TURN +DUE +TRIES$\n^day +opened .* 0$\n^night +opened .* 0$/m);
});

it('status and alarm receiver list show whether a receiver of alarms works', async () => {
  // The alarm of the previous test still waits for other receivers.
  await using ear = await WebhookEar.open();
  const add = (name: string) =>
    printed('alarm', 'receiver', 'add', name, '--kind', 'webhook', '--to', ear.url, '--allow', '127.0.0.1');
  assert.match(await add('dawn'), /^receiver dawn is added and took the test notification: HTTP 200$/m);
  ear.status = 503;
  assert.match(
    await add('dusk'),
    /^receiver dusk is added, but did not take the test notification: HTTP 503\. Mend it, or give it the secret, then run/m,
  );
  assert.match(await printed('status'), /^dawn +webhook +working .*\ndusk +webhook +failing .* HTTP 503$/m);
  const list = await printed('alarm', 'receiver', 'list');
  assert.match(list, /^dawn .* working +HTTP 200/m);
  assert.match(list, /^dusk .* failing +\S+ +HTTP 503/m);
});

const none = { accepted: 0, refused: 0, delivered: 0, failed: 0 };
const now = Date.now();
const link = { link: 1, isBound: false, throttledPercent: 0, lastError: null };
const carrier = {
  isActive: true,
  links: [link],
  waiting: 1,
  oldest: 1,
  unmatched: 1_000,
  unread: 5,
  shownRule: 'hex-answer',
  recent: none,
  week: none,
};
const paths = { dataDir: join(folder, "its 'data'"), file: join(folder, 'our cert.pem') };
/** Figures for which every kind of alarm opens, with the names in this gateway. */
const wrong: AlarmFigures = {
  now,
  worksSince: 0,
  node: 'gateway',
  dataDir: paths.dataDir,
  carriers: [
    { ...carrier, name: 'dead' },
    { ...carrier, name: 'alpha', recent: { ...none, refused: 50 } },
    { ...carrier, name: 'alpha', links: [{ ...link, isBound: true, throttledPercent: 99 }, link] },
    { ...carrier, name: 'alpha', recent: { ...none, accepted: 50 }, week: { ...none, accepted: 99, delivered: 99 } },
    { ...carrier, name: 'alpha', recent: { ...none, failed: 50 }, week: { ...none, accepted: 99, delivered: 99 } },
    { ...carrier, name: 'beta', isActive: false },
  ],
  routes: [
    { prefix: '42', carriers: ['beta'] },
    { prefix: '43', carriers: [] },
  ],
  webhooks: [{ id: 1, host: 'shop.example', waiting: 1, oldest: 1 }],
  stoppedWebhooks: [{ id: 1, account: 'acme', status: 'off', failingSince: now, failure: '410' }],
  reports: (['margin-low', 'disk-full', 'database-away'] as const).map((kind) => ({
    kind,
    subject: 'acme',
    evidence: 'it happened',
  })),
  low: [{ name: 'acme', balance: toMicros(0n), alertedBelow: toMicros(10_000_001n), currency: 'EUR' }],
  refusals: accounts.map((account) => ({ account, code: 'no_route', now: 100, usual: 0 })),
  brokenRules: [{ account: 'acme', rule: 'rate', broken: 99, refused: 99 }],
  caps: [
    {
      account: 'acme',
      currency: 'EUR',
      period: 'day',
      cap: toMicros(1n),
      spent: toMicros(1n),
      endsAt: now,
      isRefused: true,
    },
  ],
  inboundUnmatched: 99,
  freeMiB: 1,
  certificates: [{ file: paths.file, expiresAt: now }],
  clock: 'the clock is ahead',
  clockStepMs: 0,
  nodeClocks: [{ node: 'gateway-2', offMs: 5_000 }],
  failing: [{ name: 'night', since: now, outcome: 'HTTP 500' }],
  lostNodes: ['gateway-2'],
  ledger: { at: now, faults: 1, first: { account: 'acme', fault: 'a sum' } },
};

describe('the command of each kind of alarm works as it is printed', () => {
  mkdirSync(paths.dataDir);
  writeFileSync(paths.file, testCa);
  for (const kind of alarmKindNames) {
    it(kind, async () => {
      const stepped = { ...wrong, clock: undefined, clockStepMs: 3_600_000 };
      const found = [wrong, stepped].flatMap((figures) => findingsOf(kind, figures, undefined));
      assert.ok(found.length > 0, 'it is found');
      for (const help of new Set(found.map((each) => each.help))) {
        if (help.startsWith('morsel ')) await printed(...help.split(' ').slice(1));
        else assert.notEqual(execFileSync('sh', ['-ec', help], { encoding: 'utf8' }), '', help);
      }
    });
  }
});

describe('the runbook of each alert rule of Prometheus works as it is printed', () => {
  const rules = readFileSync(join(import.meta.dirname, '../../../../deploy/prometheus/morsel.rules.yml'), 'utf8');
  const runbooks = [...rules.matchAll(/- alert: (\w+)[^]*?runbook: '(.*)'/g)];
  assert.equal(runbooks.length, rules.match(/- alert: /g)?.length);
  for (const [, alert = '', runbook = ''] of runbooks) {
    it(alert, async () => {
      const filled = runbook.replaceAll('{{ $labels.carrier }}', 'alpha').replaceAll('{{ $labels.account }}', 'acme');
      const commands = [...filled.matchAll(/`morsel (.*?)`/g)];
      assert.ok(commands.length > 0, runbook);
      for (const [, words = ''] of commands) await printed(...words.split(' '));
    });
  }
});
