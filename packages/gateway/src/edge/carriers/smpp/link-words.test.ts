import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConnectError, statuses, type StatusName } from '@morsel/smpp';
import { endWords, wordsOf } from './link-words.ts';

const closed = (closeReason: 'framing' | 'disconnected') => new ConnectError('closed', { closeReason });
const refused = (name: StatusName) => new ConnectError('bind_refused', { command_status: statuses[name] });
const unreachable = (code: string) =>
  new ConnectError('not_connected', { cause: Object.assign(new Error(code), { code }) });

describe('the sentence for a link that is not bound says what to do', () => {
  const otherwise = /^the carrier refuses the bind: ask the carrier what this status means \(ESME_RX_T_APPN\)$/;
  const nothing = /nothing listens at the carrier's address: check host and port \(ECONNREFUSED\)/;
  const rows: readonly (readonly [string, ConnectError, 'plain' | 'TLS', RegExp])[] = [
    ['HTTP answers', closed('framing'), 'plain', /does not speak SMPP: check host and port/],
    ['it hangs up', closed('disconnected'), 'plain', /may want TLS/],
    ['it hangs up on TLS', closed('disconnected'), 'TLS', /TLS certificate file/],
    ['it says nothing', new ConnectError('bind_timeout'), 'plain', /does not answer the bind: check host and port/],
    ['the password is wrong', refused('ESME_RINVPASWD'), 'plain', /system_id or password: check both.*RINVPASWD/],
    ['we are bound', refused('ESME_RALYBND'), 'plain', /fewer links.*ESME_RALYBND/],
    ['it refuses otherwise', refused('ESME_RX_T_APPN'), 'plain', otherwise],
    ['nothing listens', unreachable('ECONNREFUSED'), 'plain', nothing],
    ['it has no TLS', unreachable('ECONNRESET'), 'TLS', /whether the carrier accepts TLS on this port/],
    ['it says nothing to TLS', new ConnectError('connect_timeout'), 'TLS', /was not set up in time: check host/],
    ['the cause is unknown', new ConnectError('not_connected'), 'plain', /there is no connection: check host/],
  ];
  for (const [what, error, over, words] of rows) {
    it(what, () => assert.match(wordsOf(error, over === 'TLS'), words));
  }

  it('an early end has its own sentence', () => {
    assert.equal(endWords('disconnected', 60_000), 'the carrier closed the connection without an unbind');
    assert.match(endWords('disconnected', 10), /right after the bind: ask the carrier why/);
    assert.match(endWords('silent', 10), /did not answer two enquire_link/);
  });
});
