import assert from 'node:assert/strict';
import { it } from 'node:test';
import { profileTexts, standardProfile } from '@morsel/gateway/core/routing/carrier-profile.ts';
import { carrierChangeOptions } from './carrier-options.ts';
import { profileSettings } from './carrier-settings.ts';

it('what carrier show prints of a profile are options that carrier set has', () => {
  const everything = Object.fromEntries(Object.keys(profileTexts(standardProfile)).map((field) => [field, 'other']));
  const shown = profileSettings({ ...everything, tlsCertificate: '-----BEGIN CERTIFICATE-----', tlsCa: '-----BEGIN' });
  const known = carrierChangeOptions.map(({ flags }) => flags.split(' ')[0]);
  assert.equal(shown.length, Object.keys(everything).length + 1);
  for (const setting of shown) assert.ok(known.includes(setting.split(' ')[0]), setting);
  for (const file of ['ca', 'certificate', 'key']) assert.ok(shown.includes(`--tls-${file}-file (PEM)`));
});
