import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changeRules, type RulesChange } from './rules.ts';
import { parseReceiver, parseSender } from '../number/address.ts';
import { numberType } from '../number/number-type.ts';
import { countryCheck, senderCheck } from './rule-checks.ts';

const rulesOf = (change: RulesChange) => {
  const rules = changeRules(null, change);
  assert.ok(rules);
  return rules;
};

function message(from: string, to: string) {
  const sender = parseSender(from);
  const receiver = parseReceiver(to);
  assert.ok(sender.ok && receiver.ok);
  return { sender: sender.value, receiver: receiver.value };
}

describe('a list of senders', () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['ACME', 'ACME', true],
    ['ACME', 'Acme', false],
    ['ACME', 'ACME2', false],
    ['ACME*', 'ACME2', true],
    ['+41791112233', '0041 79 111 22 33', true],
    ['+4179*', '+41791112233', true],
    ['+4179*', '+41781112233', false],
    ['kind:numeric', '+41791112233', true],
    ['kind:numeric', '12345', false],
    ['kind:alphanumeric', 'kind', true],
    ['', 'ACME', false],
    ['ACME,kind:short-code', '12345', true],
    ['ACME,kind:short-code', 'Other', false],
  ];
  for (const [list, sender, expected] of rows) {
    it(`the list ${list || 'without entries'} ${expected ? 'allows' : 'does not allow'} the sender ${sender}`, () => {
      const check = senderCheck(rulesOf({ senders: areas(list) }));
      assert.equal(check(message(sender, '+41791234567')), expected);
    });
  }
});

const areas = (text: string) => (text === '' ? [] : text.split(','));

describe('countries', () => {
  const rows: readonly (readonly [string, string, string, boolean])[] = [
    ['CH,DE', '', '+41791234567', true],
    ['CH,+4366', '', '+436641234567', true],
    ['CH,+4366', '', '+4314000', false],
    ['CH', '', '+881612345678', false],
    ['+8816', '', '+881612345678', true],
    ['US', '', '+18682911234', false],
    ['RU', '', '+77710009998', false],
    ['GB', '', '+447781123456', false],
    ['US', '', '+19995550123', false],
    ['US,+1', '', '+19995550123', true],
    ['RU', '', '+76001234567', false],
    ['CH', '', '+41991234567', true],
    ['', '', '+41791234567', false],
    ['any', 'US', '+19995550123', false],
    ['any', 'KZ', '+76001234567', false],
    ['any', 'FR', '+41791234567', true],
    ['any', 'FR', '+33612345678', false],
    ['CH', '+41900', '+41900123456', false],
    ['CH', '+41900', '+41791234567', true],
    ['+4179', 'CH', '+41791234567', false],
  ];
  for (const [allow, deny, receiver, expected] of rows) {
    it(`allowed ${allow || 'nothing'}, denied ${deny || 'none'}: ${receiver} ${expected ? 'may' : 'may not'} be sent to`, () => {
      const rules = rulesOf({ allowCountries: allow === 'any' ? allow : areas(allow), denyCountries: areas(deny) });
      const check = countryCheck(rules, (to) => numberType(to.slice(1)));
      assert.equal(check(message('ACME', receiver)), expected);
    });
  }
});
