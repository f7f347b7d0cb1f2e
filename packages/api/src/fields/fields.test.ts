import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allowList, changes, list, optional, optionals, orNone, record } from './compose.ts';
import { readValues, typedText, type Field } from './field.ts';
import { duration, durationIn } from './duration.ts';
import * as fields from './fields.ts';
import { perSecond } from '../admin/routing/carrier-values.ts';

const summary = 'a value';
const network = fields.network({ summary });

/** Each row: the given value, and the wanted value in JSON, or for an error a part of its sentence. */
const rows: readonly (readonly [name: string, field: Field<unknown>, given: unknown, wanted: unknown])[] = [
  ['name', fields.name({ summary }), 'acme', 'acme'],
  ['name', fields.name({ summary }), 'a b', /must be 1 to 64 letters/],
  ['name', fields.name({ summary }), { a: 1 }, /must be a text, a number, true or false/],
  ['wholeNumber', fields.wholeNumber({ summary, min: 0, max: 10 }), '10', 10],
  ['wholeNumber', fields.wholeNumber({ summary, min: 0, max: 10 }), 3, 3],
  ['wholeNumber', fields.wholeNumber({ summary, min: 0, max: 10 }), '11', /must be a whole number from 0 to 10/],
  ['amount', fields.amount({ summary, min: 0 }), '0.0075', 7500n],
  ['amount', fields.amount({ summary, min: 0 }), '-1', /must be an amount from 0/],
  ['instant', fields.instant({ summary }), '2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['instant', fields.instant({ summary }), 'tomorrow', /must be a time such as/],
  ['duration', duration({ summary, maxMs: 86_400_000 }), '90s', '90s'],
  ['duration', duration({ summary, maxMs: 86_400_000 }), '1 h 30 min', '5400s'],
  ['durationIn', durationIn('s', { summary, min: 1, max: 864_000 }), '3 days', 259_200],
  ['durationIn', durationIn('s', { summary, min: 1, max: 864_000 }), '72h', 259_200],
  ['durationIn', durationIn('s', { summary, min: 1, max: 864_000 }), '45', 45],
  ['durationIn', durationIn('days', { summary, min: 1, max: 10 }), '48 h', 2],
  ['durationIn', durationIn('days', { summary, min: 1, max: 10 }), '30 h', /must be a duration from 1 day to 10 days/],
  ['duration', duration({ summary, maxMs: 86_400_000 }), '25h', /must be a duration .* at most 1 day/],
  ['flag', fields.flag({ summary }), true, true],
  ['flag', fields.flag({ summary }), 'yes', /must be true or false/],
  ['oneOf', fields.oneOf(['a', 'b'], { summary }), 'c', /must be one of a, b/],
  ['perSecond', perSecond({ summary }), '0.2/s', 0.2],
  ['perSecond', perSecond({ summary }), 50, 50],
  ['perSecond', perSecond({ summary }), '0.0001', /must be 0, or a number from 0.001 to 100000 with at most 3/],
  ['prefix', fields.prefix({ summary }), '0046', '46'],
  ['prefix', fields.prefix({ summary }), '00', /must be up to 15 first digits/],
  ['prefix', fields.prefix({ summary }), '046', /must be up to 15 first digits/],
  ['list', list(network, { summary }), '192.0.2.0/24, ::1', ['192.0.2.0/24', '::1']],
  ['list', list(network, { summary }), ['192.0.2.1'], ['192.0.2.1']],
  ['list', list(network, { summary }), '192.0.2.1/24', /must be a list in which each item is an IP address/],
  ['allowList', allowList(network, { summary }), 'any', 'any'],
  ['allowList', allowList(network, { summary }), '', []],
  ['allowList', allowList(network, { summary }), 'any,::1', /or a list without any/],
  ['orNone', orNone(fields.instant({ summary })), 'none', null],
  ['orNone', orNone(fields.instant({ summary })), null, null],
  ['record', record({ price: fields.amount({ summary }) }, { summary }), { price: '1' }, { price: 1_000_000n }],
  ['record', record({ price: fields.amount({ summary }) }, { summary }), {}, /must have the member price/],
];

describe('fields', () => {
  for (const [name, field, given, wanted] of rows) {
    it(`${name} reads ${JSON.stringify(given)}`, () => {
      const read = field.read(given);
      if (wanted instanceof RegExp) assert.match(read.ok ? 'it was read' : read.error, wanted);
      else assert.deepEqual(read.ok ? field.json(read.value) : read, wanted);
      if (read.ok && typeof given === 'string') {
        const again = field.read(typedText(field.json(read.value)));
        assert.deepEqual(again, read, 'what is shown can be typed');
      }
    });
  }
});

describe('readValues', () => {
  const table = { name: fields.name({ summary }), limit: optional(fields.count({ summary }), 50) };

  it('fills in defaults, and names missing, wrong and unknown fields', () => {
    assert.deepEqual(readValues(table, { name: 'a' }), { ok: true, value: { name: 'a', limit: 50 } });
    const cases: readonly (readonly [object, string, string, string])[] = [
      [{}, 'missing_parameter', 'name', ''],
      [{ name: 'a', limit: 'x' }, 'invalid_parameter', 'limit', 'must be a whole number from 0 to 9007199254740991'],
      [{ name: 'a', limti: 1 }, 'invalid_parameter', 'limti', 'unknown field limti; did you mean limit?'],
      [{ name: 'a', constructor: 1 }, 'invalid_parameter', 'constructor', 'unknown field constructor'],
    ];
    for (const [given, code, field, detail] of cases) {
      assert.deepEqual(readValues(table, { ...given }), { ok: false, error: { code, field, detail } });
    }
  });
});

it('optional fields of a change have no default', () => {
  const mode = fields.oneOf(['allow', 'refuse'], { summary: 'a mode', defaultText: 'allow' });
  assert.equal(optionals({ mode }).mode.about.defaultText, 'allow');
  assert.equal(changes({ mode }).mode.about.defaultText, undefined);
});
