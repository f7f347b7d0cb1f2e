import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bindsAlike, type CarrierOf } from './carrier.ts';
import { smpp, type SmppGiven } from '@morsel/api/admin/routing/kinds/smpp.ts';
import type { SharedSettings } from '@morsel/api/admin/routing/carrier-kinds.ts';
import { carrierSettings } from '../../../test/support/store/routing-commands.ts';

const carrier: CarrierOf<'smpp'> = { ...carrierSettings(), id: 1, name: 'alpha', status: 'active', costList: null };

type Change = Omit<SmppGiven, 'kind'> & Partial<SharedSettings>;

function changed(before: CarrierOf<'smpp'>, change: Change): CarrierOf<'smpp'> {
  return { ...before, ...change, settings: smpp.change({ kind: 'smpp', ...change }, before.settings) };
}

const separate = changed(carrier, { bind: 'separate' });
const encrypted = changed(carrier, { tls: 'on' });

for (const [what, before, change, isAlike] of [
  ['links', carrier, { links: 2 }, true],
  ['the window', carrier, { window: 2 }, true],
  ['the throughput', carrier, { throughput: 2 }, true],
  ['enquire_link', carrier, { enquireLinkMs: 1_000 }, true],
  ['the wait for answers', carrier, { answerTimeoutMs: 1_000 }, true],
  ['the name of the certificate, without TLS', carrier, { tlsServerName: 'elsewhere' }, true],
  ['the receiver, which is not apart', carrier, { receiverHost: 'elsewhere' }, true],
  ['how texts are written', carrier, { gsmCoding: 'latin1', longMessages: 'sar' }, true],
  ['the host', carrier, { host: 'elsewhere' }, false],
  ['the password', carrier, { password: 'other' }, false],
  ['the version', carrier, { version: '5.0' }, false],
  ['the kind of bind', carrier, { bind: 'separate' }, false],
  ['TLS', carrier, { tls: 'on' }, false],
  ['the name of the certificate', encrypted, { tlsServerName: 'elsewhere' }, false],
  ['our key', encrypted, { tlsKey: 'PEM' }, false],
  ['the receiver', separate, { receiverHost: 'elsewhere' }, false],
  ["the receiver's password", separate, { receiverPassword: 'other' }, false],
] as const) {
  it(`links ${isAlike ? 'stay bound' : 'bind again'} when ${what} changes`, () => {
    assert.equal(bindsAlike(before, changed(before, change)), isAlike);
  });
}

it('a stored carrier gets the defaults of settings that are newer than its row', () => {
  const { systemType: _newer, ...row } = carrier.settings;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a row of an earlier version
  assert.deepEqual(smpp.stored(row as typeof carrier.settings), carrier.settings);
});
