/*
 * Uploads a file of prices: the gateway compares it with the prices in effect, and after a confirmation makes it one
 * version.
 */

import { changeInPercent } from '@morsel/api/admin/money/price-diff.ts';
import { price } from '@morsel/api/admin/money/price.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { Act } from '../../ui/action.tsx';
import { css, Note } from '../../ui/ui.tsx';
import { words } from '../../words/words.ts';

const operation = price.operations.import;

export function ImportButton({ list }: { readonly list?: string }) {
  return (
    <Act
      of={price}
      verb="import"
      kind="primary"
      hasResult={false}
      fixed={list === undefined ? {} : { list }}
      first={['currency', 'replace', 'effectiveAt']}
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client has read it by the declaration
      showPreview={(answer) => <PriceChanges answer={answer as unknown as AnswerOf<typeof operation>} />}
    />
  );
}

const shownMax = 50;

function PriceChanges({ answer }: { readonly answer: AnswerOf<typeof operation> }) {
  const { differences, heldBack, leftOut } = answer;
  const more = answer.new + answer.up + answer.down + answer.removed - shownMax;
  const shown = differences.slice(0, shownMax).map((each) => {
    const percent = changeInPercent(each);
    const cells = [each.before, each.after].map((amount) => (amount === null ? '–' : formatMicros(amount)));
    return [each.prefix || '*', ...cells, percent === undefined ? '' : (Number(percent) / 1_000_000).toFixed(1)];
  });
  return (
    <div className={css['stack']}>
      <Note>{words.import.counts(answer.from, answer)}</Note>
      {heldBack !== null && <Note tone="bad">{heldBack}</Note>}
      {leftOut.map(({ why, rows, first }) => (
        <Note key={why}>{words.import.leftOut(rows, first, why)}</Note>
      ))}
      {shown.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it (WCAG 2.1.1)
        <div className={css['scroll']} tabIndex={0} role="group" aria-label={words.changes}>
          <table className={css['table']}>
            <thead>
              <tr>
                {[words.import.prefix, words.before, words.after, '%'].map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map(([prefix, ...cells]) => (
                <tr key={prefix}>
                  <td>{prefix}</td>
                  {cells.map((cell, at) => (
                    <td key={at} className={css['number']}>
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {more > 0 && <p className={css['soft']}>{words.import.more(more)}</p>}
    </div>
  );
}
