import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hiBytes, holdMessages, startTestSite } from '../../../../test/support/clients/http-site.ts';
import { ask, places, request, Talk } from '../../../../test/support/clients/raw-http.ts';

/** More connections than the site accepts from one address. */
const idleMax = 80;

const half = request('POST /sms/send', { headers: ['Content-Length: 100'] });
const rows = [
  ['idle connections', Buffer.alloc(0)],
  ['connections with half a head', half.subarray(0, 30)],
  ['connections whose body does not arrive', half],
] as const;

for (const [what, sent] of rows) {
  for (const [which, place] of places)
    it(`new connections replace ${what} of their address, and never one whose ${which} message is in progress`, async () => {
      await using site = await startTestSite();
      const { came, letGo } = holdMessages(site);
      using opened = new DisposableStack();
      const sender = opened.use(new Talk(site.port, place));
      sender.send(hiBytes);
      await came;
      const idle = Array.from({ length: idleMax }, () => opened.use(new Talk(site.port)));
      for (const talk of idle) talk.send(sent);
      assert.equal((await ask(site.port, request('GET /health'))).status, 200);
      assert.ok(await idle[0]?.ends(), 'the oldest idle connection');
      letGo();
      assert.equal((await sender.reply())?.status, 200);
    });
}
