import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FieldTable } from '../fields/field.ts';
import { labelOf } from '../fields/shown.ts';
import type { Operation } from './resource.ts';
import { resources } from './resources.ts';

/* What every declaration must have, so that its form, its page and its help can be read. */

const operations = Object.entries(resources).flatMap(([name, { operations: all }]) =>
  Object.entries<Operation>(all).map(([verb, operation]) => ({ name: `${name}.${verb}`, operation })),
);

/** Every table of fields, also inside answers. */
function tablesOf(table: FieldTable): readonly FieldTable[] {
  return [table, ...Object.values(table).flatMap(({ rows }) => (rows ? tablesOf(rows.answer) : []))];
}

/** Words of the code, and units, which no label has. */
const codeWords = /\b(dcs|msg|ref|num|max|min|ms|p99|pid|seconds|bytes|param|wal|tlv|dry run)\b|^(is|has)\b/i;
const codeForms = /[_"]|--|[a-z][A-Z]/;

/** The most fields of a form without groups. */
const ungroupedMax = 8;

for (const { name, operation } of operations) {
  describe(name, () => {
    const { input, answer, keys, method, isChange } = operation;

    it('has labels of one to four words, without units and words of the code', () => {
      for (const table of [...tablesOf(input), ...tablesOf(answer)]) {
        for (const field of Object.keys(table)) {
          const label = labelOf(table, field);
          assert.ok(label.split(' ').length <= 4 && !codeForms.test(label) && !codeWords.test(label), label);
        }
      }
    });

    it('has a unit for each duration', () => {
      const fields = [...tablesOf(input), ...tablesOf(answer)].flatMap((table) => Object.entries(table));
      for (const [field, { kind, about }] of fields)
        if (kind === 'duration' || /(Ms|Seconds|Days)$/.test(field)) assert.ok(about.unit, field);
    });

    it('has groups if its form has more than eight fields', () => {
      const untyped = new Set([...keys, 'after', 'dryRun']);
      const fields = Object.entries(input).filter(
        ([field, { about }]) => !untyped.has(field) && about.isIdempotencyKey !== true,
      );
      if (method === 'GET' || fields.length <= ungroupedMax) return;
      const ungrouped = fields.filter(([, { about }]) => about.group === undefined).map(([field]) => field);
      assert.deepEqual(ungrouped, []);
    });

    it('says what a repeated request does, and what a change makes stale', () => {
      const names = Object.values(resources).map((each): string => each.name);
      assert.equal(operation.repeat !== undefined, isChange);
      if (operation.changes === 'all') return;
      assert.equal(operation.changes.length > 0, isChange);
      assert.deepEqual(
        operation.changes.filter((each) => !names.includes(each)),
        [],
      );
    });
  });
}

it('words and special values are values of their field', () => {
  for (const [name, field] of operations.flatMap(({ operation }) => Object.entries(operation.input))) {
    for (const typed of Object.keys({ ...field.about.words, ...field.about.special }))
      assert.ok(field.read(typed).ok, `${name} ${typed}`);
  }
});
