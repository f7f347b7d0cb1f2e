import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConnectError, statuses, type StatusName } from '@morsel/smpp';
import { endWords, wordsOf } from './link-words.ts';

const refused = (name: StatusName) => new ConnectError('bind_refused', { command_status: statuses[name] });
const unreachable = (code: string) =>
  new ConnectError('not_connected', { cause: Object.assign(new Error(code), { code }) });

describe('the sentence for a link that is not bound says what to do', () => {
  const rows: readonly (readonly [string, ConnectError, boolean, RegExp])[] = [
    [
      'HTTP answers',
      new ConnectError('closed', { closeReason: 'framing' }),
      false,
      /does not speak SMPP: check --host and --port/,
    ],
    ['it hangs up', new ConnectError('closed', { closeReason: 'disconnected' }), false, /may want TLS \(--tls on\)/],
    ['it hangs up on TLS', new ConnectError('closed', { closeReason: 'disconnected' }), true, /--tls-certificate-file/],
    ['it says nothing', new ConnectError('bind_timeout'), false, /does not answer the bind: check --host and --port/],
    [
      'the password is wrong',
      refused('ESME_RINVPASWD'),
      false,
      /system_id or password: check both.*once a minute.*RINVPASWD/,
    ],
    ['we are bound', refused('ESME_RALYBND'), false, /--links.*ESME_RALYBND/],
    [
      'it refuses otherwise',
      refused('ESME_RX_T_APPN'),
      false,
      /^the carrier refuses the bind: ask the carrier what this status means \(ESME_RX_T_APPN\)$/,
    ],
    [
      'nothing listens',
      unreachable('ECONNREFUSED'),
      false,
      /nothing listens at the carrier's address: check --host and --port \(ECONNREFUSED\)/,
    ],
    ['it has no TLS', unreachable('ECONNRESET'), true, /whether the carrier accepts TLS on this port/],
    [
      'it says nothing to TLS',
      new ConnectError('connect_timeout'),
      true,
      /was not set up in time: check --host and --port/,
    ],
    [
      'the cause is unknown',
      new ConnectError('not_connected'),
      false,
      /there is no connection: check --host and --port$/,
    ],
  ];
  for (const [what, error, isEncrypted, words] of rows) {
    it(what, () => assert.match(wordsOf(error, isEncrypted), words));
  }

  it('an early end has its own sentence', () => {
    assert.equal(endWords('disconnected', 60_000), 'the carrier closed the connection without an unbind');
    assert.match(endWords('disconnected', 10), /right after the bind: ask the carrier why/);
    assert.match(endWords('silent', 10), /did not answer two enquire_link/);
  });
});
