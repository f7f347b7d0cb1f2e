/*
 * Every declared operation with a command prints an answer in which every field has a value: the test makes the answer
 * from the declaration, so it covers every new operation and field.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '@morsel/api/fields/exact-json.ts';
import { fromJson, type Field, type FieldTable } from '@morsel/api/fields/field.ts';
import { resources } from '@morsel/api/admin/resources.ts';
import type { Operation, Resource } from '@morsel/api/admin/resource.ts';
import { worksInSteps } from '@morsel/api/admin/steps.ts';
import { printable } from '@morsel/api/fields/shown.ts';
import { tableOf } from './show.ts';
import type { Row } from './table.ts';
import { textOf } from './whole.ts';

const shell = { hasColour: false };

/** Makes a different value for each field, so that a value in the output shows which field was printed. */
class Values {
  #last = 100;

  row(table: FieldTable): { readonly [field: string]: Json } {
    return Object.fromEntries(Object.entries(table).map(([name, field]) => [name, this.#value(field)]));
  }

  /** A value for the field: its example, if the field does not accept just any value of its type. */
  #value(field: Field<unknown>): Json {
    const json = this.#json(field, field.schema);
    try {
      field.cell(field.fromJson(json));
      return json;
    } catch {
      return field.about.example;
    }
  }

  #json(field: Pick<Field<unknown>, 'rows' | 'about'>, schema: Readonly<Record<string, Json>>): Json {
    const { rows, about } = field;
    const [first] = Array.isArray(schema['anyOf']) ? schema['anyOf'].map(objectIn) : [];
    if (first) return first['const'] ?? this.#json(field, first);
    if (Array.isArray(schema['enum'])) return schema['enum'].findLast((word) => word !== null);
    const type = [schema['type']].flat().find((each) => each !== 'null');
    const next = (this.#last += 1);
    if (type === 'array')
      return [rows ? this.row(rows.answer) : this.#json({ about: { summary: '' } }, objectIn(schema['items']))];
    if (type === 'object') return rows ? this.row(rows.answer) : { accepted: next };
    if (type === 'boolean') return true;
    if (type === 'number' || type === 'integer') return next;
    if (schema['format'] === 'date-time') return new Date(next * 86_400_000).toISOString();
    if (about.isJson === true) return `{"a":${next}}`;
    return schema['pattern'] === undefined ? `value-${next}` : (about.example ?? String(next));
  }
}

function objectIn(json: Json): { readonly [member: string]: Json } {
  return { ...Object(json) };
}

/** The texts that the command must print for a value: those of its fields, if the value is a list of rows. */
function textsOf(field: Field<unknown>, value: unknown): readonly string[] {
  if (value instanceof Uint8Array) return [Array.from(value, (octet) => octet.toString(16)).join(' ')];
  if (field.about.isJson === true) return [JSON.stringify(JSON.parse(String(value)), undefined, 2)];
  if (!field.rows || !Array.isArray(value)) return [printable(field.cell(value))];
  const { answer, columns = [] } = field.rows;
  return value.flatMap((item: unknown) => {
    const row: Row = { ...Object(item) };
    return columns.flatMap((each) =>
      typeof each === 'string' && answer[each] ? [printable(answer[each].cell(row[each]))] : [],
    );
  });
}

function textsIn({ answer, columns }: Pick<Operation, 'answer' | 'columns'>, row: Row): readonly string[] {
  return columns.flatMap((each) => (typeof each === 'string' && answer[each] ? textsOf(answer[each], row[each]) : []));
}

describe('the command of each operation prints its whole answer', () => {
  for (const [name, { operations }] of Object.entries<Resource>(resources)) {
    for (const [verb, operation] of Object.entries(operations)) {
      const { command, answer, isPage } = operation;
      if (!command) continue;
      it(`${name}.${verb}`, () => {
        const { next: _next, until: _until, ...ofAllSteps } = answer;
        const fields = command.whole?.answer ?? (worksInSteps(operation) ? ofAllSteps : undefined);
        const made: Row = { ...fromJson(answer, new Values().row(answer)) };
        const row = command.whole?.of(made, [made]) ?? made;
        const text = isPage ? tableOf(operation, [row], { ...shell, whenEmpty: '' }) : textOf(operation, row, shell);
        assert.doesNotMatch(text, /\bundefined\b|\[object|\bNaN\b|Invalid Date/);
        assert.notEqual(text.trim(), '');
        const said = command.whole?.says?.(row) ?? command.says?.(row);
        if (said !== undefined) return;
        const shown = fields ? { answer: fields, columns: Object.keys(fields) } : operation;
        const expected = textsIn(shown, row);
        for (const each of expected) assert.ok(text.includes(each), `${each} is missing in\n${text}`);
      });
    }
  }
});
