/* A set of which one is chosen, such as tabs. The URL names the chosen one, which looks the same in every set. */

import { Link } from '@tanstack/react-router';
import { searchOf } from '../../app/search.ts';
import { css } from '../ui.tsx';

interface ChoicesProps {
  readonly label: string;
  /** The name in the search of the URL. */
  readonly of: string;
  readonly choices: readonly { readonly name: string; readonly label: string }[];
  readonly chosen: string | undefined;
}

export function Choices({ label: title, of, choices, chosen }: ChoicesProps) {
  return (
    <nav className={css['choices']} aria-label={title}>
      {choices.map(({ name, label }) => (
        <Link
          key={name}
          to="."
          search={searchOf({ [of]: name })}
          className={css['choice']}
          aria-current={name === chosen ? 'page' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
