import { printable } from '@morsel/api/fields/shown.ts';
import { words } from '../words/words.ts';
import type { Difference } from './form/texts.ts';
import { css } from './ui.tsx';

const shown = (text: string | null) => printable(text ?? '') || words.none;

export function Differences({ changes }: { readonly changes: readonly Difference[] }) {
  return (
    <dl className={css['pairs']}>
      {changes.map(({ label, before, after }) => (
        <div key={label} className={css['pair']}>
          <dt>{label}</dt>
          <dd>
            <del>{shown(before)}</del> → <ins>{shown(after)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
