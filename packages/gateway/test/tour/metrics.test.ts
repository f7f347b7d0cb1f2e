import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { HttpClient } from '../support/clients/http-client.ts';
import { scrape, type Metrics } from '../support/gateway/metrics.ts';
import { addOperator } from '../support/gateway/operators.ts';
import { Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

/* The metrics of a gateway: they count messages and events, and contain no phone number and no text. */

const receiver = '+41791230001';
const tour = await Tour.open({
  carriers: [
    { name: 'alpha', prefix: '41' },
    { name: 'beta', prefix: '49' },
  ],
});
after(() => tour[Symbol.asyncDispose]());
const { key } = await addOperator(tour.gateway, 'viewer');
const metrics = (): Promise<Metrics> => scrape(tour.gateway.adminPort, key);

/** The processor time that was used before the first scrape, which loads the metrics library. */
const used = process.cpuUsage();

describe('the metrics', () => {
  it('count processor time from the start of the process', async () => {
    const now = await metrics();
    const seconds = (name: string) => now.value(`process_cpu_${name}seconds_total`) ?? 0;
    assert.ok(seconds('user_') >= used.user / 1e6, `${seconds('user_')} s`);
    assert.ok(seconds('system_') >= used.system / 1e6, `${seconds('system_')} s`);
    assert.ok(seconds('') >= (used.user + used.system) / 1e6, `${seconds('')} s`);
  });

  it('count messages, refusals, outcomes and receipts', async () => {
    const msgId = await tour.accept({ receiver, text: 'Kennwort' });
    await tour.event(msgId, 'delivered');
    assert.equal((await tour.send({ receiver: '+33612345678' })).body['code'], 'no_route');
    const found = await waitUntil('the receipt is counted', async () => {
      const now = await metrics();
      return now.value('morsel_carrier_receipts_total{carrier="alpha",result="matched"}') === 1 ? now : undefined;
    });
    const expected: { readonly [sample: string]: number } = {
      morsel_ready: 1,
      'morsel_trouble{kind="disk-full"}': 0,
      'morsel_account_messages_total{account="acme",source="http"}': 1,
      'morsel_account_parts_total{account="acme"}': 1,
      'morsel_account_charged_total{account="acme",currency="EUR"}': 0.0075,
      'morsel_account_refused_total{account="acme",code="no_route"}': 1,
      'morsel_link_bound{carrier="alpha",link="1"}': 1,
      'morsel_link_submitted_total{carrier="alpha",link="1"}': 1,
      'morsel_link_submitted_total{carrier="beta",link="1"}': 0,
      'morsel_carrier_outcomes_total{carrier="alpha",outcome="accepted"}': 1,
      'morsel_carrier_receipt_delay_seconds_count{carrier="alpha"}': 1,
      'morsel_carrier_waiting_parts{carrier="alpha"}': 0,
      'morsel_http_requests_total{path="/sms/send",status="200"}': 1,
      'morsel_http_request_duration_seconds_bucket{path="/sms/send",le="+Inf"}': 2,
    };
    assert.deepEqual(
      Object.fromEntries(
        Object.keys(expected).map((sample) => [sample, found.value(sample) ?? sampleLike(found, sample)]),
      ),
      expected,
    );
    const commits = found.value('morsel_store_commit_duration_seconds_count') ?? 0;
    assert.ok(commits >= 3, `${commits} commits`);
    for (const hidden of ['4179123', '3361234', '41790000001', 'Kennwort', msgId, tour.token]) {
      assert.ok(!found.text.includes(hidden), `the metrics contain ${hidden}`);
    }
  });

  it('are only for operators', async () => {
    const client = new HttpClient(tour.gateway.adminPort);
    assert.equal((await client.ask({ path: '/metrics' })).status, 401);
    const headers = { authorization: `Bearer ${tour.token}` };
    assert.equal((await client.ask({ path: '/metrics', headers })).status, 401);
    client.close();
  });
});

describe('/ready?carriers=1', () => {
  it('answers 503 while no carrier has a bound link', async () => {
    const status = async (path: string) => (await tour.client.ask({ path })).status;
    assert.equal(await status('/ready?carriers=1'), 200);
    await tour.operator.carrier.drain({ carrier: 'alpha' });
    assert.equal(await status('/ready?carriers=1'), 200);
    await tour.operator.carrier.drain({ carrier: 'beta' });
    await tour.bound(0);
    assert.deepEqual([await status('/ready?carriers=1'), await status('/ready')], [503, 200]);
    await tour.operator.carrier.resume({ carrier: 'beta' });
    await tour.bound(1);
    await waitUntil('the link is bound', async () => (await status('/ready?carriers=1')) === 200);
  });
});

/** The samples of the same metric, for the message of a failed test. */
function sampleLike({ text }: Metrics, sample: string): string {
  const [name = ''] = sample.split('{');
  return text
    .split('\n')
    .filter((line) => line.startsWith(name))
    .join('\n');
}
