/* J and K move from row to row of the first table of a page, and Enter opens the row. */

import { useCallback, useRef, type RefObject } from 'react';
import { useKeys } from '../../app/keys.ts';

/** Returns the place of the table. */
export function useRowKeys(): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  const take = useCallback(({ key, ctrlKey, metaKey }: KeyboardEvent) => {
    const table = box.current;
    // Ctrl K is the key of the search.
    if (!table || ctrlKey || metaKey || table !== document.querySelector('main [role=group]:has(table)')) return;
    const rows = [...table.querySelectorAll<HTMLElement>('tbody tr')];
    const at = rows.findIndex((row) => row === document.activeElement);
    if (key === 'j') rows[Math.min(at + 1, rows.length - 1)]?.focus();
    if (key === 'k') rows[Math.max(at - 1, 0)]?.focus();
    if (key === 'Enter') rows[at]?.querySelector('a')?.click();
  }, []);
  useKeys(take);
  return box;
}
