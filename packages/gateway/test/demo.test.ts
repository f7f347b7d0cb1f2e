import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anyPorts, endOf, readyMs, running, start, stop, toJson } from './morsel.ts';

describe('the demo', () => {
  it('sends at once, and starts again with another token and another port', async () => {
    let earlier = '';
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const demo = await running(['demo'], anyPorts);
      const { httpPort, token } = demo.ready;
      const body = JSON.stringify({
        auth: token,
        sender: 'Morsel',
        receiver: '+41791112233',
        text: 'Hello',
        dcs: 'SMS',
      });
      const url = `http://127.0.0.1:${String(httpPort)}/sms`;
      const sent = toJson(await (await fetch(`${url}/send`, { method: 'POST', body })).json());
      const dlr = `${url}/dlr?auth=${String(token)}&messageId=${String(sent['msgId'])}`;
      let event: unknown;
      for (const deadline = Date.now() + readyMs; Date.now() < deadline && event !== 'delivered';) {
        event = toJson(await (await fetch(dlr)).json())['event'];
      }
      assert.equal(event, 'delivered');
      if (earlier !== '') assert.equal((await fetch(`${url}/balance?auth=${earlier}`)).status, 401);
      earlier = String(token);
      assert.equal((await stop(demo, signal)).status, 0);
    }
  });

  it('prints curls to paste, and tokens that are of use', async () => {
    const child = start(['demo'], anyPorts);
    const ended = endOf(child);
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.includes('9960')) child.kill('SIGTERM');
    });
    const { status, out } = await ended;
    assert.equal(status, 0);
    assert.match(out, /^morsel is ready: clients at http:\/\/127\.0\.0\.1:\d+, operator at /);
    assert.match(
      out,
      /\n {2}curl -s http:\/\/127\.0\.0\.1:\d+\/sms\/send -H 'Content-Type: application\/json' -d '\{"auth":"morsel_/,
    );
    assert.match(out, /\n {2}curl -s 'http:\/\/127\.0\.0\.1:\d+\/sms\/dlr\?auth=morsel_\S+&messageId=MSGID'\n/);
  });
});
