import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { account } from '@morsel/api/admin/account/account.ts';
import { ruleSettings } from '@morsel/api/admin/account/settings.ts';
import { jsonOf, readValues, typedText } from '@morsel/api/fields/field.ts';
import { refused } from '@morsel/api/values/result.ts';
import { changeRules, ruleSettingsOf, uselessIn, type AccountRules } from '../../../../core/account/rules.ts';
import { rulesWithSettings } from '@morsel/api/values/account.ts';
import { rulesIn } from './account-rules.ts';

/** The rules of a change as the gateway reads them, or the rejection. */
function readChange(fields: object) {
  const read = readValues(account.operations.set.input, { account: 'acme', ...fields });
  if (!read.ok) return read;
  const rules = rulesIn(read.value);
  if (rules.ok) return rules;
  const { error } = rules;
  return refused({
    code: error.code,
    field: 'field' in error ? error.field : '',
    detail: 'detail' in error ? error.detail : '',
  });
}

/** The rules as the operator sees them, in the form in which they can be set. */
function ruleTexts(rules: AccountRules | null): { readonly [K in keyof typeof ruleSettings]?: string } {
  const shown = Object.entries(jsonOf(ruleSettings, ruleSettingsOf(rules)));
  return Object.fromEntries(shown.map(([name, json]) => [name, typedText(json)]));
}

function change(fields: object, before: AccountRules | null = null): AccountRules | null {
  const read = readChange(fields);
  assert.ok(read.ok);
  return changeRules(before, read.value);
}

const everything = {
  senders: 'ACME,+41*,kind:short-code',
  allowCountries: 'CH,DE,+4366',
  denyCountries: '+41900',
  premium: 'refuse',
  unknown: 'watch',
  fixedLine: 'refuse',
  allowPrefixes: '+41900123,+4413',
  rate: '50/s',
  burst: '200',
  receiverVelocity: '5/60s',
  prefixVelocity: '100/60s/8',
  repeatSeconds: '10',
  ruleModes: 'senders=refuse,countries=watch,rate=refuse,receiver-velocity=off,prefix-velocity=watch,repeat=refuse',
};

describe('the rules of an account', () => {
  it('are shown in the form in which they can be set', () => {
    const rules = change(everything);
    assert.deepEqual(ruleTexts(rules), everything);
    assert.deepEqual(change(ruleTexts(rules)), rules);
  });

  it('are null until a rule is set, and null again after the last rule is removed', () => {
    assert.equal(change({ dayCap: '5' }), null);
    assert.equal(change({ premium: 'allow', rate: 'none' }), null);
    const off = {
      senders: 'any',
      allowCountries: 'any',
      denyCountries: 'none',
      premium: 'allow',
      unknown: 'allow',
      fixedLine: 'allow',
      allowPrefixes: '',
      rate: 'none',
      receiverVelocity: 'none',
      prefixVelocity: 'none',
      repeatSeconds: 'none',
    };
    const refuse = rulesWithSettings.map((rule) => `${rule}=refuse`).join(',');
    const back = { ...off, burst: 'none', ruleModes: refuse };
    assert.equal(change(back, change(everything)), null);
    assert.deepEqual(
      Object.values(ruleTexts(null)).filter((text) => !['any', '', 'none', 'allow'].includes(text)),
      [],
    );
  });

  it('allow nothing if a list is empty; an empty list is shown in the form in which it is set', () => {
    for (const [field, mode] of [
      ['senders', 'senders=refuse'],
      ['allowCountries', 'countries=refuse'],
    ] as const) {
      const texts = ruleTexts(change({ [field]: '' }));
      assert.deepEqual([texts[field], texts.ruleModes], ['', mode]);
      assert.equal(ruleTexts(change({ [field]: 'any' }, change({ [field]: '' })))[field], 'any');
    }
  });

  it('lose their mode when they are removed, and a removed rate loses its burst', () => {
    const before = change({ rate: '1/s', burst: '5', ruleModes: 'rate=watch' });
    const without = change({ rate: 'none' }, before);
    assert.equal(without, null);
    const after = ruleTexts(change({ rate: '1/s' }, without));
    assert.deepEqual([after.rate, after.burst, after.ruleModes], ['1/s', '1', 'rate=refuse']);
  });

  it('do not use a mode and a burst that an older version stored without their rule', () => {
    const old = change({ rate: '1/s', ruleModes: 'rate=watch', repeatSeconds: '5' });
    assert.ok(old);
    const after = ruleTexts(change({ rate: '2/s' }, { ...old, rate: null, burst: 7 }));
    assert.deepEqual([after.rate, after.burst, after.ruleModes], ['2/s', '2', 'rate=refuse,repeat=refuse']);
  });

  it('refuse a mode or a burst without its rule', () => {
    for (const [fields, field] of [
      [{ ruleModes: 'rate=watch' }, 'ruleModes'],
      [{ rate: '1/s', ruleModes: 'rate=watch,repeat=off' }, 'ruleModes'],
      [{ rate: 'none', ruleModes: 'rate=watch' }, 'ruleModes'],
      [{ burst: '5' }, 'burst'],
      [{ rate: '1/s', burst: '5', ruleModes: 'rate=watch,repeat=refuse' }, undefined],
    ] as const) {
      const read = readChange(fields);
      assert.ok(read.ok);
      assert.equal(uselessIn(null, read.value)?.field, field);
    }
    const rules = change({ rate: '1/s' });
    assert.equal(uselessIn(rules, { modes: { rate: 'watch' }, burst: 5 }), undefined);
  });

  it('can be changed one by one', () => {
    const after = ruleTexts(change({ rate: '100/60s', ruleModes: 'countries=refuse' }, change(everything)));
    const modes = everything.ruleModes.replace('countries=watch', 'countries=refuse');
    assert.deepEqual(after, { ...everything, rate: '100/60s', ruleModes: modes });
  });

  const neither =
    /^must be a list, any \(everything is allowed\) or "" \(nothing is allowed\); none is not a value here$/;
  const refusals: readonly (readonly [string, string, RegExp])[] = [
    ['senders', 'none', neither],
    ['from', 'none', neither],
    ['allowCountries', 'any,CH', /^must be any alone .*, or a list without any$/],
    ['senders', 'ACME, none', neither],
    ['senders', 'kind:numbers', /^a sender must be an international number .* of 1 to 11 characters /],
    ['senders', 'a name that is too long', /11 characters/],
    ['senders', Array.from({ length: 1_001 }, () => 'A').join(','), /a list of 0 to 1000/],
    ['allowCountries', 'XX', /a country code such as CH/],
    ['denyCountries', '+0', /the first digits of a number/],
    ['allowPrefixes', 'CH', /the first digits of a number with a plus sign/],
    ['premium', 'off', /one of allow, watch, refuse/],
    ['rate', '50', /such as 50\/s/],
    ['rate', '1/86401s', /such as 50\/s/],
    ['prefixVelocity', '100/60s', /a number of leading digits/],
    ['prefixVelocity', '100/60s/15', /at most 14 digits/],
    ['repeatSeconds', '86401', /from 1 s to 1 day/],
    ['ruleModes', 'rate', /a rule and its mode/],
    ['ruleModes', 'premium=watch', /the rules are senders, countries, rate/],
    ['from', '192.0.2.1/24', /an IP address, or a range/],
  ];
  for (const [field, text, reason] of refusals) {
    it(`refuse a ${field} of ${text.slice(0, 30)}`, () => {
      const read = readChange({ [field]: text });
      assert.ok(
        !read.ok && read.error.code === 'invalid_parameter' && read.error.field === field,
        JSON.stringify(read),
      );
      assert.match(read.error.detail, reason);
    });
  }
});
