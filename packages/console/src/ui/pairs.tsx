/* One row of a declared answer: its values as names and values, and lists and objects inside it in cards of their own. */

import type { FieldTable } from '@morsel/api/fields/field.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { labelOf } from '@morsel/api/fields/shown.ts';
import { words } from '../words/words.ts';
import { saidOf } from './labels.ts';
import type { Cells, Row } from './list/rows.tsx';
import { RowsCard } from './rows-card.tsx';
import { Card, css, Note } from './ui.tsx';
import { Value } from './values.tsx';

interface PairsProps {
  readonly answer: FieldTable;
  readonly row: object;
  readonly names?: readonly string[];
  readonly without?: readonly string[];
  readonly cells?: Cells;
}

export function Pairs({ answer, row: given, names = Object.keys(answer), without = [], cells = {} }: PairsProps) {
  const row: Row = { ...given };
  const shown = names.filter((name) => !without.includes(name) && row[name] !== undefined && !answer[name]?.rows);
  return (
    <dl className={css['pairs']}>
      {shown.map((name) => {
        const field = answer[name];
        return (
          field && (
            <div key={name} className={css['pair']}>
              <dt title={field.about.summary}>{labelOf(answer, name)}</dt>
              <dd>
                {cells[name]?.(row) ?? <Value name={name} field={field} value={row[name]} row={row} />}
                {field.about.unit !== undefined && field.kind !== 'duration' && row[name] !== null && (
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

interface AllProps {
  readonly answer: FieldTable;
  readonly row: Row;
  readonly title?: string;
  readonly without?: readonly string[];
  readonly cells?: Cells | undefined;
}

/** The place of the next step says nothing to a reader. */
const places = ['next', 'until'];

/** All that an answer has: its values in one card, and a card for each object and each list inside it. */
export function All({ answer, row, title, without = [], cells = {} }: AllProps) {
  const shown = Object.entries(answer).filter(([name]) => row[name] !== undefined && !without.includes(name));
  return (
    <>
      {shown.some(([name, { rows }]) => !rows && !places.includes(name)) && (
        <Card {...(title !== undefined && { title })}>
          <Pairs {...{ answer, row, cells }} without={[...without, ...places]} />
        </Card>
      )}
      {shown.map(([name, { rows: inside, about }]) => {
        const value = row[name];
        if (!inside || value === null) return null;
        const card = { ...inside, title: labelOf(answer, name), cells };
        if (!Array.isArray(value)) return <All key={name} {...card} row={{ ...Object(value) }} />;
        // Without a sentence for an empty list, nothing is shown, as on the command line.
        if (value.length === 0 && about.whenEmpty === undefined) return null;
        return <RowsCard key={name} {...card} file={name} rows={value} whenEmpty={saidOf(about.whenEmpty ?? '')} />;
      })}
    </>
  );
}

/** The result of a form, and whether everything succeeded. */
export function Result({ operation, row }: { readonly operation: Operation; readonly row: Row }) {
  const { command } = operation;
  const judge = [command?.whole, command].find((each) => each?.fails);
  const failure = judge?.fails?.(row);
  return (
    <div className={css['stack']}>
      {judge && <Note tone={failure === undefined ? 'good' : 'bad'}>{failure ?? words.succeeded}</Note>}
      <All answer={command?.whole?.answer ?? operation.answer} row={row} />
    </div>
  );
}
