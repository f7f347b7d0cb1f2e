import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { searchOf } from '../app/search.ts';
import { words } from '../words/words.ts';
import { css } from './ui.tsx';

export interface Tab {
  readonly name: string;
  readonly label: string;
  readonly content: () => ReactNode;
}

/** Tabs of a page. The open one is in the URL. */
export function Tabs({ tabs }: { readonly tabs: readonly Tab[] }) {
  const { tab }: Readonly<Record<string, string>> = useSearch({ strict: false });
  const open = tabs.find(({ name }) => name === tab) ?? tabs[0];
  return (
    <div className={css['stack']}>
      <nav className={css['tabs']} aria-label={words.tabs}>
        {tabs.map(({ name, label }) => (
          <Link
            key={name}
            to="."
            search={searchOf({ tab: name })}
            className={css['tab']}
            aria-current={open?.name === name ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      <div key={open?.name} className={css['stack']}>
        {open?.content()}
      </div>
    </div>
  );
}
