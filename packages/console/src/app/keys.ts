/* Single keys, such as `/` and J. The viewer may turn them off (WCAG 2.2, 2.1.4). */

import { useEffect } from 'react';

const stored = 'morsel-keys';

export function hasKeys(): boolean {
  return localStorage.getItem(stored) !== 'off';
}

export function setKeys(isOn: boolean): void {
  localStorage.setItem(stored, isOn ? 'on' : 'off');
}

/** Calls a function for each key that is no text of an input and belongs to no dialog. `take` must not change. */
export function useKeys(take: (event: KeyboardEvent) => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isElsewhere =
        event.target instanceof Element && event.target.closest('input, textarea, select, dialog') !== null;
      const isSingle = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (isSingle ? hasKeys() && !isElsewhere : event.key === 'k') take(event);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [take]);
}
