import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bindsAlike, type Carrier } from './carrier.ts';
import { standardProfile, type CarrierProfile } from './carrier-profile.ts';

const carrier: Carrier = {
  id: 1,
  name: 'alpha',
  status: 'active',
  costList: null,
  host: 'smsc.example.net',
  port: 2775,
  systemId: 'us',
  password: 'secret',
  receiverPassword: null,
  tlsKey: null,
  systemType: '',
  window: 10,
  throughput: 0,
  links: 1,
  inDoubt: 'resend',
  idRule: 'auto',
  profile: standardProfile,
};

type Change = Partial<Omit<Carrier, 'profile'>> & Partial<CarrierProfile>;

function changed(
  before: Carrier,
  { host, port, systemId, password, receiverPassword, tlsKey, ...rest }: Change,
): Carrier {
  const own = { host, port, systemId, password, receiverPassword, tlsKey };
  const given = Object.fromEntries(Object.entries({ ...own, ...rest }).filter(([, value]) => value !== undefined));
  return { ...before, ...given, profile: { ...before.profile, ...given } };
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
