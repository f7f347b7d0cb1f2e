import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changeTemplate, emptied, parseTemplateChange } from './template-change.ts';
import type { Template } from './template.ts';

const before = { fields: { from: 'sender', message: 'text' }, constants: { key: 'abc', place: 'here' } };
const stored: Template = {
  fields: [
    { name: 'from', field: 'sender' },
    { name: 'message', field: 'text' },
  ],
  constants: [
    { name: 'key', value: 'abc' },
    { name: 'place', value: 'here' },
  ],
};

/** The fields and constants of a template after a change; or the refusal. */
function changed(change: unknown, from: Template | null = stored): unknown {
  const read = parseTemplateChange(change);
  if (!read.ok) return read.error;
  const after = changeTemplate(from, read.value);
  if (!after.ok) return after.error;
  if (after.value === null) return null;
  const { fields, constants } = after.value;
  return {
    fields: Object.fromEntries(fields.map(({ name, field }) => [name, field])),
    constants: Object.fromEntries(constants.map(({ name, value }) => [name, value])),
  };
}

it('fields that a change of a template does not name stay', () => {
  const { fields, constants } = before;
  const rows: readonly (readonly [change: unknown, after: unknown])[] = [
    [{ add: { constants: { key: 'new' } } }, { fields, constants: { key: 'new', place: 'here' } }],
    [{ add: { constants: { more: '1' } } }, { fields, constants: { ...constants, more: '1' } }],
    [{ add: { fields: { to: 'receiver' } } }, { fields: { ...fields, to: 'receiver' }, constants }],
    [{ fields: { a: 'msgId' } }, { fields: { a: 'msgId' }, constants }],
    [{ constants: {} }, { fields, constants: {} }],
    [{ fields: 'any' }, { fields: {}, constants }],
    [{ fields: 'any', constants: {} }, null],
    [{ without: ['message', 'key'] }, { fields: { from: 'sender' }, constants: { place: 'here' } }],
    [{}, before],
  ];
  for (const [change, after] of rows) assert.deepEqual(changed(change), after, JSON.stringify(change));
  assert.equal(changeTemplate(null, emptied).ok, true);
  assert.deepEqual(changed({ add: { constants: { key: 'abc' } } }, null), { fields: {}, constants: { key: 'abc' } });
});

it('an impossible change is refused with the reason, without a value', () => {
  const rows: readonly (readonly [change: unknown, says: RegExp])[] = [
    [[], /"fields", "constants", "add"/],
    [{ field: {} }, /may have only/],
    [{ add: { field: {} } }, /may have only/],
    [{ add: { constants: { key: 7 } } }, /key must be a text/],
    [{ without: 'key' }, /a list of names/],
    [{ fields: {} }, /any sends all fields/],
    [{ fields: 'none' }, /any sends all fields/],
    [{ fields: 'any', add: { fields: { a: 'text' } } }, /any sends all fields: do not add more fields/],
    [{ without: ['nokey'] }, /no field and no constant named nokey/],
    [{ add: { constants: { from: 'hidden' } } }, /^from names both a field and a constant: rename one of them$/],
    [{ add: { fields: { key: 'sender' } } }, /^key names both a field and a constant: rename one of them$/],
    [
      { fields: 'any', add: { constants: { sender: 'hidden' } } },
      /^the constant sender has the name of a field, and all fields are sent/,
    ],
  ];
  for (const [change, says] of rows) {
    const refusal = String(changed(change));
    assert.match(refusal, says);
    assert.doesNotMatch(refusal, /hidden/);
  }
});
