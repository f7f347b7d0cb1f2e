/* Prometheus scrapes a loaded gateway with the configuration, the alert rules and the dashboard of `deploy/`. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { HttpClient } from '../../support/clients/http-client.ts';
import { Shown } from '../../support/json.ts';
import { scrape } from '../../support/gateway/metrics.ts';
import { addOperator } from '../../support/gateway/operators.ts';
import { Tour } from '../../support/gateway/tour.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { makeFolder, missing } from '../needs.ts';
import { PeerProcess } from '../peer-process.ts';
import { freePort } from '../set-up.ts';

const deploy = join(import.meta.dirname, '..', '..', '..', '..', '..', 'deploy');
const rules = readFileSync(join(deploy, 'prometheus', 'morsel.rules.yml'), 'utf8');
const ruleTests = readFileSync(join(deploy, 'prometheus', 'morsel.rules.test.yml'), 'utf8');
const dashboard = readFileSync(join(deploy, 'grafana', 'morsel.json'), 'utf8');
const skip = missing('prometheus', 'promtool');

describe('the alert rules', { skip }, () => {
  it('pass promtool check and test, with a test for each rule', () => {
    using folder = copyOfDeploy('key', 1);
    promtool(['check', 'config', 'prometheus.yml'], { cwd: folder.path });
    promtool(['check', 'rules', 'morsel.rules.yml'], { cwd: folder.path });
    promtool(['test', 'rules', 'morsel.rules.test.yml'], { cwd: folder.path });
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, alert = '']) => alert);
    assert.ok(alerts.length > 15);
    assert.deepEqual(
      alerts.filter((alert) => !ruleTests.includes(`- name: ${alert}\n`)),
      [],
      'rules without a test',
    );
  });
});

describe('a Prometheus beside a loaded gateway', { skip }, () => {
  let tour: Tour;
  let key = '';
  before(async () => {
    tour = await Tour.open({ account: { currency: 'EUR', balance: '1000' } });
    ({ key } = await addOperator(tour.gateway, 'viewer'));
  });
  after(() => tour[Symbol.asyncDispose]());

  it('has the counts of the gateway, and healthy rules', async (t) => {
    using folder = copyOfDeploy(key, tour.gateway.adminPort);
    const port = await freePort();
    await using prometheus = new PeerProcess(
      [
        'prometheus',
        `--config.file=${folder.path}/prometheus.yml`,
        `--storage.tsdb.path=${folder.path}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      'stderr',
    );
    const client = new HttpClient(port);
    const query = async (expression: string): Promise<number | undefined> => {
      const path = `/api/v1/query?query=${encodeURIComponent(expression)}`;
      const answer = await client.ask({ path }).catch(() => undefined);
      const value = answer && new Shown(answer.body).at('data', 'result', '0', 'value', '1');
      return value === undefined ? undefined : Number(value);
    };
    await waitUntil('Prometheus scrapes the gateway', async () => (await query('up{job="morsel"}')) === 1, 60_000);
    const loading = new AbortController();
    let accepted = 0;
    const load = async (lane: number) => {
      while (!loading.signal.aborted) {
        await tour.accept({ receiver: `+4179123${1_000 + lane}` });
        accepted += 1;
      }
    };
    const lanes = Array.from({ length: 20 }, (_, lane) => load(lane));
    await waitUntil(
      'two scrapes saw the load',
      async () => ((await query('rate(morsel_account_messages_total[10s])')) ?? 0) > 0,
    );
    const from = performance.now();
    const found = await scrape(tour.gateway.adminPort, key);
    const tookMs = performance.now() - from;
    loading.abort();
    await Promise.all(lanes);
    await waitUntil(
      () => `Prometheus counts ${accepted} messages: ${prometheus.lines.at(-1) ?? ''}`,
      async () => (await query('sum(morsel_account_messages_total)')) === accepted,
    );
    const health = (await client.ask({ path: '/api/v1/rules' })).text;
    const states = [...health.matchAll(/"name":"Morsel\w+".*?"health":"(\w+)"/g)].map(([, state = '']) => state);
    assert.ok(states.length > 15 && states.every((state) => state === 'ok'), health);
    client.close();
    promtool(['check', 'metrics'], { input: found.text });
    t.diagnostic(
      `${accepted} messages; a scrape under load took ${tookMs.toFixed(1)} ms and has ${found.text.length} octets`,
    );
  });

  it('finds every metric that the rules and the dashboard use', async () => {
    await tour.event(await tour.accept({ receiver: '+41791230001' }), 'delivered');
    const { names } = await scrape(tour.gateway.adminPort, key);
    const used = [...`${rules} ${dashboard}`.matchAll(/\b(?:morsel|nodejs|process)_\w+/g)].map(([name]) => name);
    const unknown = new Set(
      used.filter((name) => !names.has(name) && !names.has(name.replace(/_(?:bucket|sum|count)$/, ''))),
    );
    assert.deepEqual(
      [...unknown].filter((name) => name !== 'morsel_key'),
      [],
    );
    const unused = [...names].filter(
      (name) => name.startsWith('morsel_') && !used.some((each) => each.startsWith(name)),
    );
    // Almost every metric must be of use in a rule or in the dashboard.
    assert.ok(unused.length < 10, unused.join(' '));
  });
});

const checker = 'promtool';

/** Throws if promtool finds a fault. */
function promtool(words: readonly string[], more: { readonly cwd?: string; readonly input?: string }): void {
  execFileSync(checker, words, { ...more, stdio: ['pipe', 'pipe', 'inherit'] });
}

/** The configuration with this key and port, and short intervals. */
function copyOfDeploy(key: string, adminPort: number): ReturnType<typeof makeFolder> {
  const folder = makeFolder();
  cpSync(join(deploy, 'prometheus'), folder.path, { recursive: true });
  writeFileSync(join(folder.path, 'morsel-key'), key);
  const config = readFileSync(join(folder.path, 'prometheus.yml'), 'utf8');
  const quick = config.replaceAll('15s', '1s').replace('127.0.0.1:8081', `127.0.0.1:${adminPort}`);
  assert.ok(quick.includes(`:${adminPort}`));
  writeFileSync(join(folder.path, 'prometheus.yml'), quick);
  return folder;
}
