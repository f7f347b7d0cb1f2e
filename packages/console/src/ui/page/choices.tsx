/* A set of which one is chosen, such as tabs. The URL names the chosen one, which looks the same in every set. */

import { Link } from '@tanstack/react-router';
import { css } from '../ui.tsx';

interface ChoicesProps {
  readonly label: string;
  /** The name in the search of the URL. */
  readonly of: string;
  readonly choices: readonly { readonly name: string; readonly label: string }[];
  readonly chosen: string | undefined;
  /** What the choice replaces in the search. By default, everything. */
  readonly instead?: readonly string[];
}

export function Choices({ label: title, of, choices, chosen, instead }: ChoicesProps) {
  const without = Object.fromEntries((instead ?? []).map((name) => [name, undefined]));
  return (
    <nav className={css['choices']} aria-label={title}>
      {choices.map(({ name, label }) => (
        <Link
          key={name}
          to="."
          search={(before: object) => ({
            ...(instead && { ...before, ...without }),
            [of]: name || undefined,
          })}
          className={css['choice']}
          aria-current={name === chosen ? 'page' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
