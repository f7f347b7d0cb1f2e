import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { toMessageId } from '../../../core/base/message-id.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { applyTemplate, asForm, asJson, fieldsOf } from './notify.ts';
import { fieldNames } from '@morsel/api/shapes.ts';
import { sampleOf } from '../../../core/notification/sample.ts';
import type { Notification } from '../../../core/notification/notification.ts';
import { changeTemplate, parseTemplateChange } from '../../../core/notification/template-change.ts';

const frame = { id: 1, account: 1, tries: 0, createdAt: 0, triedFrom: 0 };
const text = fc.string({ unit: 'binary', maxLength: 40 });
const name = fc.string({ minLength: 1, maxLength: 20 }).filter((each) => !/[\p{Cc}\p{Cs}]/u.test(each));

const inbound: fc.Arbitrary<Notification> = fc
  .record({ text, sender: text, numParts: fc.integer({ min: 1, max: 255 }), complete: fc.boolean() })
  .map((given) => ({
    ...frame,
    ...given,
    kind: 'inbound',
    msgId: toMessageId(904_907_980_800_001),
    receiver: '+41791112233',
    dcs: 'GSM',
    octets: null,
    header: null,
    code: 0,
    receivedAt: 0,
  }));

const template = fc
  .record({
    fields: fc.dictionary(name, fc.constantFrom(...fieldNames), { maxKeys: 8 }),
    constants: fc.dictionary(
      name,
      text.filter((each) => !/\p{Cs}/u.test(each)),
      { maxKeys: 4 },
    ),
  })
  .filter(({ fields, constants }) => {
    const names = [...Object.keys(fields), ...Object.keys(constants)];
    const sent = Object.keys(fields).length === 0 ? [...names, ...fieldNames] : names;
    return new Set(sent).size === sent.length;
  });

/** A new template, as an operator writes it. */
function parseTemplate(given: unknown) {
  const read = parseTemplateChange(given);
  return read.ok ? changeTemplate(null, read.value) : read;
}

it('a template decides the content: the fields that it names, its constants, and nothing else', () => {
  fc.assert(
    fc.property(inbound, template, (notification, given) => {
      const isNamed = Object.keys(given.fields).length > 0;
      const read = parseTemplate(isNamed ? given : { ...given, fields: 'any' });
      assert.ok(read.ok, JSON.stringify(read));
      const ours = new Map<string, string>(fieldsOf(notification).map(({ name: own, value }) => [own, value]));
      const wanted = new Map(isNamed ? [] : ours);
      for (const [theirs, own] of Object.entries(given.fields)) {
        const value = ours.get(own);
        if (value !== undefined) wanted.set(theirs, value);
      }
      for (const [theirs, value] of Object.entries(given.constants)) wanted.set(theirs, value);
      const content = applyTemplate(read.value, fieldsOf(notification));
      assert.deepEqual(new Map(content.map((each) => [each.name, each.value])), wanted);
      // The content is read back unchanged from JSON and from a form.
      const json: Record<string, unknown> = JSON.parse(asJson(content));
      assert.deepEqual(new Map(Object.entries(json).map(([key, value]) => [key, String(value)])), wanted);
      const wellFormed = new Map([...wanted].map(([key, value]) => [key, value.toWellFormed()]));
      assert.deepEqual(new Map(new URLSearchParams(asForm(content))), wellFormed);
    }),
    { numRuns: 50 },
  );
});

const sample = sampleOf('receipt', { now: 0, currency: 'EUR' });

it('a test notification has one mark that it is a test, whatever the template leaves out', () => {
  for (const given of [
    null,
    { fields: { from: 'sender' } },
    { fields: { trial: 'test' } },
    { constants: { key: 'abc' } },
    { fields: { from: 'sender' }, constants: { test: 'no' } },
  ]) {
    const read = given === null ? undefined : parseTemplate(given);
    const content = applyTemplate(read?.ok ? read.value : null, fieldsOf(sample, true));
    assert.equal(content.filter((each) => ['test', 'trial'].includes(each.name)).length, 1);
  }
});

it('amounts are printed exactly from integers, whatever their size', () => {
  const notification: Notification = {
    ...frame,
    kind: 'alert',
    alert: 'low-balance',
    threshold: toMicros(90_071_992_547_409_931n),
    balance: toMicros(-1n),
    currency: 'EUR',
    at: 0,
  };
  assert.equal(
    asJson(fieldsOf(notification)),
    '{"type":"alert","alert":"low-balance","threshold":90071992547.409931,"clientBalance":-0.000001,' +
      '"clientCurrency":"EUR","time":"1970-01-01T00:00:00Z"}',
  );
});

it('an invalid template is refused with a sentence that repeats no value', () => {
  const rows: readonly (readonly [unknown, RegExp])[] = [
    [{ add: [] }, /an object/],
    [{ fields: { from: 'sendr' } }, /did you mean sender\?/],
    [{ fields: { '': 'sender' } }, /1 to 64/],
    [{ constants: { key: 'secret'.repeat(1_000) } }, /at most 1024/],
    [{ fields: { key: 'sender' }, constants: { key: 'secret' } }, /key names both a field and a constant/],
    [{ constants: { sender: 'secret' } }, /constant sender has the name of a field/],
    [{ constants: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, 'secret'])) }, /at most 50/],
  ];
  for (const [given, says] of rows) {
    const read = parseTemplate(given);
    assert.match(read.ok ? 'taken' : read.error, says);
    assert.doesNotMatch(read.ok ? '' : read.error, /secret/);
  }
});
