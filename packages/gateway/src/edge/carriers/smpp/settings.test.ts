import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { carrier } from '@morsel/api/admin/routing/carrier.ts';
import { presets, smpp, standardProfile, type SmppSettings } from '@morsel/api/admin/routing/kinds/smpp.ts';
import { profileFields } from '@morsel/api/admin/routing/kinds/smpp-fields.ts';
import { jsonOf, readValues } from '@morsel/api/fields/field.ts';
import { ok } from '@morsel/api/values/result.ts';
import { readSmppSettings } from './settings.ts';

const needed = { name: 'alpha', host: 'smsc.example.net', port: '2775', systemId: 'us', password: 'secret' };
type Texts = { readonly [field: string]: unknown };

/** The settings of a carrier that the gateway reads from the fields of a request. */
function readNewCarrier(texts: Texts) {
  const read = readValues(carrier.operations.add.input, texts);
  const given = read.ok ? readSmppSettings(read.value) : read;
  return given.ok ? ok(smpp.change(given.value)) : given;
}

function readCarrierChange(texts: Texts, before: SmppSettings) {
  const read = readValues(carrier.operations.set.input, texts);
  return read.ok ? readSmppSettings(read.value, before) : read;
}

const certificates = join(import.meta.dirname, '../../../../../smpp/vectors/tls');
const pemOf = (file: string) => readFileSync(join(certificates, file), 'utf8');
const pem = pemOf('ca.pem');
const secretKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase: 'secret',
});

describe('a new carrier', () => {
  it('follows the standard by default', () => {
    const read = readNewCarrier(needed);
    assert.ok(read.ok);
    assert.deepEqual(read.value.profile, standardProfile);
  });

  it('can use every preset, and override its settings', () => {
    for (const preset of Object.keys(presets)) {
      const read = readNewCarrier({ ...needed, preset, senderShortCode: '6/0' });
      assert.ok(read.ok, preset);
      assert.deepEqual(read.value.profile, {
        ...standardProfile,
        ...presets[preset]?.profile,
        senderShortCode: { ton: 6, npi: 0 },
      });
    }
  });

  it('stores a default sender in the same form as other senders', () => {
    for (const [given, kept] of [
      ['0041 79 123 45 67', '+41791234567'],
      [' 4040 ', '4040'],
      ['Acme', 'Acme'],
      ['none', null],
    ] as const) {
      const read = readNewCarrier({ ...needed, sourceAddressDefault: given });
      assert.ok(read.ok, given);
      assert.equal(read.value.profile.sourceAddressDefault, kept);
    }
  });

  it('accepts its settings in the form in which they are shown', () => {
    const shown = jsonOf(profileFields, {
      ...standardProfile,
      inboundCodings: { '0': 'latin1', '8': 'ucs2-le' },
      statusClasses: { '1029': 'temporary' },
      extraTlvs: [{ tag: 0x1400, value: '4a6f' }],
      passTlvs: [0x1400, 0xffff],
      textReceipts: 'on',
      bind: 'separate',
      receiverPort: 2776,
      countryCode: '41',
      sourceAddressDefault: 'Acme 1',
      tlsCa: pem,
    });
    const given = Object.fromEntries(Object.entries(shown).filter(([, text]) => text !== null));
    const read = readNewCarrier({ ...needed, ...given });
    assert.ok(read.ok, JSON.stringify(read));
    assert.deepEqual(jsonOf(profileFields, read.value.profile), shown);
  });

  const wrong: { readonly [field: string]: readonly string[] } = {
    name: ['a name'],
    senderShortCode: ['6', '8/0'],
    gsmDataCoding: ['256', 'zero'],
    inboundCodings: ['0', '0=utf8', '300=latin1', '0=latin1,0x00=ascii'],
    extraTlvs: (
      '0=00 0x1400=0 0x1400= 0x1400 0x1400=4a6f,5120=00 0x020a=0001 0x020b=0001 0x020c=0001 0x20e=01 527=01 ' +
      '0x0424=4a4a 0x10000=00'
    ).split(' '),
    passTlvs: ['none', '0x13ff', '0x10000', '0x1400,', Array.from({ length: 65 }, (_, at) => 5_120 + at).join(',')],
    textReceipts: ['sometimes'],
    statusClasses: ['0x405=sometimes', '0=temporary', '0x14=permanent,20=temporary'],
    systemId: ['x'.repeat(16)],
    systemType: ['x'.repeat(13)],
    // A separate receiver login needs a bind as a pair.
    receiverSystemId: ['x'.repeat(16), 'other'],
    receiverHost: ['elsewhere.example.net'],
    receiverPort: ['2776'],
    receiverPassword: ['other'],
    tlsCa: ['a certificate'],
    longMessages: ['both'],
    preset: ['none'],
    backOffMaxMs: ['100'],
    version: ['3.3'],
    countryCode: ['+41', '999', 'CH'],
    sourceAddressDefault: ['12', '+999123456789', 'twelve chars', 'Łódź'],
    profile: ['{}'],
  };
  const values = Object.entries(wrong).flatMap(([field, all]) => all.map((value) => [field, value] as const));
  for (const [field, value] of [['host', undefined] as const, ...values]) {
    it(`is refused with ${field} ${JSON.stringify(value)}, and the refusal names the field`, () => {
      const read = readNewCarrier({ ...needed, [field]: value });
      assert.ok(!read.ok && 'field' in read.error);
      assert.equal(read.error.field, field);
      assert.ok(!JSON.stringify(read).includes('secret'));
    });
  }
});

const client = { tlsCertificate: pemOf('client.pem'), tlsKey: pemOf('client.key') };

describe('certificates and a key', () => {
  const noCertificate = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  for (const [what, given, field, words] of [
    ['an authority that is no certificate', { tlsCa: noCertificate }, 'tlsCa', /must be a readable certificate/],
    ['an authority that is a key', { tlsCa: client.tlsKey }, 'tlsCa', /must be a readable certificate/],
    ['a key alone', { tlsKey: client.tlsKey }, 'tlsKey', /given together/],
    ['a key with a passphrase', { ...client, tlsKey: secretKey }, 'tlsKey', /without a passphrase/],
    ['a key as the certificate', { ...client, tlsCertificate: client.tlsKey }, 'tlsCertificate', /not the key/],
  ] as const) {
    it(`${what}: are refused before a link binds again with them`, () => {
      const isNew = readNewCarrier({ ...needed, ...given });
      const standing = readNewCarrier({ ...needed, ...client });
      assert.ok(standing.ok);
      const changed = readCarrierChange({ carrier: 'alpha', ...given }, standing.value);
      const isChanged = what === 'a key alone' ? isNew : changed;
      for (const refusal of [isNew, isChanged]) {
        assert.ok(!refusal.ok && refusal.error.code === 'invalid_parameter');
        assert.equal(refusal.error.field, field);
        assert.match(refusal.error.detail, words);
        assert.ok(!refusal.error.detail.includes('-----'));
      }
    });
  }

  it('that belong together are accepted, and can be removed', () => {
    const standing = readNewCarrier({ ...needed, ...client, tlsCa: pem });
    assert.ok(standing.ok);
    const texts = { carrier: 'alpha', tlsCa: '', tlsCertificate: 'none', tlsKey: 'none' };
    const change = readCarrierChange(texts, standing.value);
    assert.ok(change.ok);
    assert.deepEqual(change.value, { kind: 'smpp', tlsKey: null, tlsCa: null, tlsCertificate: null });
  });
});

it('passes no vendor TLV on to SMPP 3.3, which has no TLVs', () => {
  for (const passTlvs of ['', 'any', '0x1400'])
    assert.equal(readNewCarrier({ ...needed, preset: 'old', passTlvs }).ok, passTlvs === '', passTlvs);
});

it('the refusal of a TLV that the gateway writes itself names the TLV', () => {
  for (const [given, words] of [
    ['0x0424=4a4a', /0x0424 \(message_payload\): the gateway itself writes this TLV/],
    ['0x1400=00,0x1400=01', /0x1400 twice/],
  ] as const) {
    const read = readNewCarrier({ ...needed, extraTlvs: given });
    assert.ok(!read.ok && 'detail' in read.error);
    assert.match(read.error.detail, words);
  }
});

describe('a change of a carrier', () => {
  it('changes the given fields and no others', () => {
    const before = readNewCarrier(needed);
    assert.ok(before.ok);
    const change = { carrier: 'alpha', window: '50', numberForm: 'plus', tlsServerName: 'none' };
    const read = readCarrierChange(change, before.value);
    assert.deepEqual(read, { ok: true, value: { kind: 'smpp', numberForm: 'plus', tlsServerName: null } });
  });
});
