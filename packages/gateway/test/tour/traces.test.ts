import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { Shown } from '../support/json.ts';
import { Tour } from '../support/gateway/tour.ts';
import { listenAnywhere, portOf } from '../support/listen.ts';

/* The spans of a message, at an OpenTelemetry collector: all are in one trace, which the client started. */

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

describe('the spans of a message', () => {
  const bodies: string[] = [];
  const collector = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      bodies.push(body);
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  });
  before(() => listenAnywhere(collector));
  after(() => collector.close());

  it('are one trace, without numbers, texts and secrets', async () => {
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${portOf(collector)}`,
      OTEL_SERVICE_NAME: 'gateway',
    };
    await using tour = await Tour.open({ environment });
    const fields = { auth: tour.token, sender: '+41790000001', receiver: '+41791230001', text: 'Kennwort', dcs: 'GSM' };
    const answer = await tour.client.post('/sms/send', fields, { traceparent: `00-${trace}-${span}-01` });
    assert.equal(answer.status, 200, answer.text);
    await tour.event(String(answer.body['msgId']), 'delivered');
    // A stop sends the spans that still wait.
    await tour.stop();
    const all = bodies.join('\n');
    for (const hidden of ['4179123', '41790000001', 'Kennwort', tour.token]) {
      assert.ok(!all.includes(hidden), `the spans contain ${hidden}`);
    }
    assert.ok(all.includes('"stringValue":"gateway"'), all);
    const spans = bodies.flatMap((body) =>
      listIn(JSON.parse(body), 'resourceSpans').flatMap((each) =>
        listIn(each, 'scopeSpans').flatMap((scope) => listIn(scope, 'spans').map((one) => new Shown(one))),
      ),
    );
    const ofTrace = spans.filter((each) => each.at('traceId') === trace);
    const names = new Map(ofTrace.map((each) => [each.text('spanId'), each.text('name')]));
    assert.deepEqual(
      ofTrace
        .map((each) => [each.text('name'), names.get(each.text('parentSpanId')) ?? each.text('parentSpanId')])
        .toSorted(([one = ''], [other = '']) => one.localeCompare(other)),
      [
        ['accept', 'request /sms/send'],
        ['commit', 'accept'],
        ['receipt', 'accept'],
        ['request /sms/send', span],
        ['submit_sm', 'accept'],
      ],
    );
  });
});

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = new Shown(value).at(name);
  return Array.isArray(list) ? list : [];
}
