/* One row of a declared answer as names and values. Lists and objects inside it are shown apart. */

import type { FieldTable } from '@morsel/api/fields/field.ts';
import { labelOf } from './labels.ts';
import type { Row } from './list.tsx';
import { css } from './ui.tsx';
import { Value } from './values.tsx';

interface PairsProps {
  readonly answer: FieldTable;
  readonly row: object;
  readonly names?: readonly string[];
  readonly without?: readonly string[];
}

export function Pairs({ answer, row: given, names = Object.keys(answer), without = [] }: PairsProps) {
  const row: Row = { ...given };
  const shown = names.filter((name) => !without.includes(name) && row[name] !== undefined && !isNested(answer, name));
  return (
    <dl className={css['pairs']}>
      {shown.map((name) => {
        const field = answer[name];
        return (
          field && (
            <div key={name} className={css['pair']}>
              <dt title={field.about.summary}>{labelOf(name)}</dt>
              <dd>
                <Value name={name} field={field} value={row[name]} />
                {field.about.unit !== undefined && row[name] !== null && (
                  <span className={css['soft']}> {field.about.unit}</span>
                )}
              </dd>
            </div>
          )
        );
      })}
    </dl>
  );
}

/** Whether a field has an object or a list of objects. */
function isNested(answer: FieldTable, name: string): boolean {
  const { schema } = answer[name] ?? {};
  return (
    schema !== undefined && (schema['properties'] !== undefined || Object.hasOwn(Object(schema['items']), 'properties'))
  );
}
