/*
 * Operations that work in steps, because one request reads or changes a limited number of rows. `next` of an answer is
 * `after` of the next request; the last answer has null.
 */

import type { Result } from '../values/result.ts';
import type { Field } from '../fields/field.ts';
import type { Operation } from './resource.ts';
import { isNumber } from '../fields/shown.ts';

type Row = { readonly [field: string]: unknown };

export function worksInSteps({ input, answer, isPage }: Operation): boolean {
  return !isPage && Object.hasOwn(input, 'after') && Object.hasOwn(answer, 'next');
}

/** Returns the answers until the last one, or until a failure. */
export async function allSteps<F>(
  operation: Operation,
  ask: (place: Row) => Promise<Result<Row, F>>,
): Promise<{ readonly steps: readonly Row[]; readonly failure?: F }> {
  const steps: Row[] = [];
  for (let place: Row | undefined = {}; place !== undefined;) {
    const step: Result<Row, F> = await ask(place);
    if (!step.ok) return { steps, failure: step.error };
    steps.push(step.value);
    place = worksInSteps(operation) ? placeAfter(operation, step.value) : undefined;
  }
  return { steps };
}

/** The place of the next step. All steps get the end of the period (`until`, `to`) from the first answer. */
function placeAfter({ input }: Operation, { next, ...answer }: Row): Row | undefined {
  if (next === null || next === undefined) return undefined;
  const ends = ['until', 'to'].filter((each) => Object.hasOwn(input, each) && (answer[each] ?? null) !== null);
  return { after: next, ...Object.fromEntries(ends.map((each) => [each, answer[each]])) };
}

/**
 * Joins the answers of all steps: counts are added, lists are joined, and other fields are those of the first step.
 * Rows of lists that differ only in sums become one row.
 */
export function addedUp({ answer }: Pick<Operation, 'answer'>, steps: readonly Row[]): Row {
  const [first = {}, ...others] = steps;
  if (others.length === 0) return first;
  return Object.fromEntries(
    Object.entries(answer).map(([name, field]) => {
      const values = steps.map((step) => step[name]);
      return [name, isNumber(answer, name) ? values.reduce(plus) : together(field, values)];
    }),
  );
}

function together({ rows }: Field<unknown>, values: readonly unknown[]): unknown {
  if (!values.some(Array.isArray)) return values.find((value) => value !== null) ?? null;
  const items = values.filter(Array.isArray).flat();
  if (!rows) return items;
  const fields = Object.entries(rows.answer);
  const joined = new Map<string, Row>();
  for (const row of items.map((value): Row => ({ ...Object(value) }))) {
    const others = fields.filter(([, { about }]) => about.addsUp !== true);
    const key = others.map(([name, field]) => (row[name] === undefined ? '' : field.cell(row[name]))).join('\n');
    const before = joined.get(key);
    const sums = fields.flatMap(([name, { about }]) => (about.addsUp ? [[name, plus(before?.[name], row[name])]] : []));
    joined.set(key, { ...row, ...before, ...Object.fromEntries(sums) });
  }
  return [...joined.values()];
}

function plus(one: unknown, other: unknown): unknown {
  if (typeof one === 'bigint' && typeof other === 'bigint') return one + other;
  return typeof one === 'number' && typeof other === 'number' ? one + other : (one ?? other);
}
