import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestSite, type TestSite } from '../../../test/support/clients/http-site.ts';
import { ask, places, request } from '../../../test/support/clients/raw-http.ts';

/* The trace id of a client is logged with its request (W3C Trace Context, section 3.2). */

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

for (const [which, place] of places)
  describe(`the trace id of a refused request, ${which} on its connection`, () => {
    let site: TestSite;
    before(async () => {
      site = await startTestSite();
    });
    after(() => site.close());

    for (const [what, header, logged] of [
      ['is logged', `00-${trace}-${span}-01`, trace],
      ['of a later version is logged', `01-${trace}-${span}-01-more`, trace],
      ['is missing without the header', undefined, undefined],
      ['of version ff is invalid', `ff-${trace}-${span}-01`, undefined],
      ['of zeros is invalid', `00-${'0'.repeat(32)}-${span}-01`, undefined],
      ['in capital letters is invalid', `00-${trace.toUpperCase()}-${span}-01`, undefined],
    ] as const) {
      it(what, async () => {
        const headers = header === undefined ? [] : [`traceparent: ${header}`];
        const answer = await ask(site.port, request('POST /sms/send', { body: '{}', headers }), place);
        assert.equal(answer.status, 401);
        assert.deepEqual(site.traceIds.splice(0), [logged]);
      });
    }
  });
