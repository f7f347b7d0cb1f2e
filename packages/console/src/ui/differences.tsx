import { printable } from '@morsel/api/fields/shown.ts';
import { words } from '../words/words.ts';
import { labelOf } from './labels.ts';
import { css } from './ui.tsx';

interface DifferencesProps {
  readonly changes: readonly {
    readonly field: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
}

const shown = (text: string | null) => printable(text ?? '') || words.none;

export function Differences({ changes }: DifferencesProps) {
  return (
    <dl className={css['pairs']}>
      {changes.map(({ field, before, after }) => (
        <div key={field} className={css['pair']}>
          <dt>{labelOf(field)}</dt>
          <dd>
            <del>{shown(before)}</del> → <ins>{shown(after)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
